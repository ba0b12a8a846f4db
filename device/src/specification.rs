// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of devices.

use std::path::PathBuf;

use halimede_arith::job::DeviceError;
use halimede_card::transport::DEFAULT_BAUD;

/// All forms of a device's name.
const FORMS: &str = "cpu, sim, sim:PATH, xdma:PREFIX (such as xdma:/dev/xdma0), \
                     f2:ADDRESS (such as f2:0000:34:00.0), uart:PATH[@BAUD] (such as uart:/dev/ttyUSB0@921600), \
                     cuda:NUMBER (such as cuda:0), cuda:NUMBER,NUMBER… (GPUs that share batches), \
                     cuda:all";

/// A parsed name of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Specification {
    /// This processor.
    Cpu,
    /// A simulated card that this process starts.
    Simulated,
    /// A simulated card that listens on this socket.
    Socket(PathBuf),
    /// A card behind the XDMA devices of this prefix.
    Xdma(PathBuf),
    /// A card behind the shell of an AWS F2 instance, by the address of its PCI function, or the
    /// folder with the files of its resources.
    F2(String),
    /// A card behind this serial line, with its baud rate in bits per second.
    Uart(PathBuf, u32),
    /// NVIDIA GPUs, which share batches.
    Cuda(Gpus),
}

/// The GPUs of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gpus {
    /// Those with these numbers: at least one, each once.
    These(Vec<u32>),
    /// All GPUs of this machine.
    All,
}

impl Gpus {
    /// Parses numbers separated by commas, or `all`. The error is a sentence.
    fn parse(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(Self::All);
        }
        let mut numbers = Vec::new();
        for part in text.split(',') {
            match part.parse() {
                Ok(number) if is_decimal(part) && numbers.contains(&number) => {
                    return Err(format!("GPU {number} is named twice"));
                }
                Ok(number) if is_decimal(part) => numbers.push(number),
                _ => return Err(format!("{part:?} is not the number of a GPU")),
            }
        }
        Ok(Self::These(numbers))
    }
}

impl Specification {
    /// Parses a device's name.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] with the valid forms.
    pub fn parse(name: &str) -> Result<Self, DeviceError> {
        let unavailable =
            |reason: String| DeviceError::Unavailable { device: name.to_owned(), reason };
        let (kind, rest) = match name.split_once(':') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (name, None),
        };
        match (kind, rest) {
            ("cpu", None) => Ok(Self::Cpu),
            ("sim", None) => Ok(Self::Simulated),
            (kind @ ("sim" | "xdma" | "f2" | "uart" | "cuda"), None | Some("")) => {
                Err(unavailable(format!("{kind} needs an argument; the devices are {FORMS}")))
            }
            ("cuda", Some(numbers)) => Gpus::parse(numbers).map(Self::Cuda).map_err(unavailable),
            ("sim", Some(path)) => Ok(Self::Socket(path.into())),
            ("xdma", Some(prefix)) => Ok(Self::Xdma(prefix.into())),
            ("f2", Some(function)) if is_function(function) => Ok(Self::F2(function.into())),
            ("f2", Some(function)) => Err(unavailable(format!(
                "{function:?} is neither the address of a PCI function, such as 0000:34:00.0, nor \
                 the path of a folder with its resources"
            ))),
            ("uart", Some(rest)) => {
                let Some((path, baud)) = rest.rsplit_once('@') else {
                    return Ok(Self::Uart(rest.into(), DEFAULT_BAUD));
                };
                match baud.parse() {
                    Ok(baud @ 1..) if !path.is_empty() => Ok(Self::Uart(path.into(), baud)),
                    _ => Err(unavailable(format!("{baud:?} is not a valid baud rate"))),
                }
            }
            _ => Err(unavailable(format!("there is no such device; the devices are {FORMS}"))),
        }
    }
}

/// Returns `true` if the text has only decimal digits.
fn is_decimal(text: &str) -> bool {
    text.bytes().all(|digit| digit.is_ascii_digit())
}

/// Returns `true` for a path, and for an address: `domain:bus:device.function` in hexadecimal. The
/// domain can be omitted.
fn is_function(name: &str) -> bool {
    let is_hex = |text: &str, digits: usize| {
        text.len() == digits && text.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let mut parts = name.rsplit(':');
    let (Some(slot), Some(bus)) = (parts.next(), parts.next()) else { return name.contains('/') };
    let is_slot = slot.split_once('.').is_some_and(|(device, function)| {
        is_hex(device, 2) && matches!(function.as_bytes(), [b'0'..=b'7'])
    });
    let is_address = match (parts.next(), parts.next()) {
        (None, None) => true,
        (Some(domain), None) => is_hex(domain, 4),
        _ => false,
    };
    name.contains('/') || (is_slot && is_hex(bus, 2) && is_address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let parse = |name| Specification::parse(name).unwrap();
        assert_eq!(parse("cpu"), Specification::Cpu);
        assert_eq!(parse("sim"), Specification::Simulated);
        assert_eq!(parse("sim:/a:b@c"), Specification::Socket("/a:b@c".into()));
        assert_eq!(parse("xdma:/dev/xdma0"), Specification::Xdma("/dev/xdma0".into()));
        for function in ["0000:34:00.0", "34:1f.7", "ABCD:ef:00.0", "/run/a:card", "./card"] {
            let name = format!("f2:{function}");
            assert_eq!(Specification::parse(&name).unwrap(), Specification::F2(function.into()));
        }
        assert_eq!(parse("uart:/dev/ttyUSB0"), Specification::Uart("/dev/ttyUSB0".into(), 921_600));
        let gpus = |numbers: &[u32]| Specification::Cuda(Gpus::These(numbers.to_vec()));
        assert_eq!([parse("cuda:0"), parse("cuda:15")], [gpus(&[0]), gpus(&[15])]);
        assert_eq!([parse("cuda:0,1"), parse("cuda:3,0,12")], [gpus(&[0, 1]), gpus(&[3, 0, 12])]);
        assert_eq!(parse("cuda:all"), Specification::Cuda(Gpus::All));
        assert_eq!(parse("uart:/dev/a@b@115200"), Specification::Uart("/dev/a@b".into(), 115_200));
    }

    #[test]
    fn what_is_no_name_is_told_what_there_is() {
        let bad = [
            "",
            ":",
            "gpu",
            "CPU",
            "cpu:1",
            "sim:",
            "xdma",
            "xdma:",
            "f2",
            "f2:",
            "uart",
            "cuda",
            "cuda:",
            "cuda:x",
            "cuda:-1",
            "cuda:+1",
            "cuda:0 ",
            "cuda:4294967296",
            "cuda:0,",
            "cuda:,0",
            "cuda:0, 1",
            "cuda:0,all",
            "cuda:ALL",
            "cuda:1,0,1",
        ];
        for name in bad {
            let error = Specification::parse(name).unwrap_err().to_string();
            assert!(error.starts_with(&format!("device {name} is not available")), "{error}");
        }
        for name in ["uart:/dev/a@x", "uart:/dev/a@0", "uart:@9600", "uart:/dev/a@99999999999"] {
            let error = Specification::parse(name).unwrap_err().to_string();
            assert!(error.contains("baud rate"), "{error}");
        }
        for name in [
            "f2:34",
            "f2:xdma0",
            "f2:0000:34:00",
            "f2:000:34:00.0",
            "f2:34:00.8",
            "f2:34:0.0",
            "f2:0:0000:34:00.0",
            "f2:34:00.0:",
            "f2:3g:00.0",
            "f2:34:00.00",
        ] {
            let error = Specification::parse(name).unwrap_err().to_string();
            assert!(error.contains("neither the address of a PCI function"), "{error}");
        }
        let error = Specification::parse("cuda:1,0,1").unwrap_err().to_string();
        assert!(error.contains("GPU 1 is named twice"), "{error}");
        let error = Specification::parse("gpu").unwrap_err().to_string();
        assert!(error.contains("xdma:/dev/xdma0"), "{error}");
    }
}
