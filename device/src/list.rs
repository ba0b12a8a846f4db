// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of all kinds of devices: the available devices, and the reasons why others are not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use halimede_arith::job::DeviceError;
use halimede_card::transport::Image;

use crate::capabilities::Capabilities;
use crate::device::Device;
use crate::entry::Entry;
use crate::options::Options;

/// The time limit for reading the capabilities of a simulated card.
const SIMULATOR_LIMIT: Duration = Duration::from_secs(5);

/// The folder of Linux's device files.
const DEVICES: &str = "/dev";

/// Linux's folder of the PCI functions, and the identifiers of the card's function on an AWS F2
/// instance (`card/boards/aws_f2/rtl/cl_halimede.sv`).
const FUNCTIONS: &str = "/sys/bus/pci/devices";
const F2_VENDOR: &str = "0x1d0f";
const F2_DEVICE: &str = "0xf010";

/// Looks for every kind of device. Starts a simulated card briefly to read its capabilities, and
/// opens each GPU; opens no other device.
pub fn list() -> Vec<Entry> {
    let mut entries = vec![processor(), simulated()];
    entries.extend(xdma(Path::new(DEVICES)));
    entries.extend(f2(Path::new(FUNCTIONS)));
    entries.extend(serial_lines(Path::new(DEVICES)));
    #[cfg(feature = "cuda")]
    entries.extend(crate::gpu::list());
    entries
}

fn processor() -> Entry {
    let device = match Device::open("cpu") {
        Ok(device) => device,
        Err(DeviceError::Unavailable { reason, .. }) => return missing("cpu", reason),
        Err(error) => return missing("cpu", error.to_string()),
    };
    let capabilities = device.capabilities().clone();
    let description = match &capabilities.processor {
        Some(processor) => {
            format!("this processor, {} threads, {}", processor.threads, processor.backend)
        }
        None => "this processor".into(),
    };
    Entry { spec: "cpu".into(), available: true, description, capabilities: Some(capabilities) }
}

fn simulated() -> Entry {
    match Device::open_with("sim", &Options::default().time_limit(SIMULATOR_LIMIT)) {
        Ok(device) => {
            // Lists only images that start.
            let engines = device.all_engines();
            let capabilities = Capabilities { engines, ..device.capabilities().clone() };
            let description = format!("a card simulated from its RTL, as images: {}", images());
            Entry {
                spec: "sim".into(),
                available: true,
                description,
                capabilities: Some(capabilities),
            }
        }
        Err(DeviceError::Unavailable { reason, .. }) => missing("sim", reason),
        Err(error) => missing("sim", error.to_string()),
    }
}

/// The images of the simulated card that have been built.
fn images() -> String {
    let built = Image::all().into_iter().filter(|image| image.find().is_ok());
    built.map(Image::name).collect::<Vec<_>>().join(", ")
}

fn xdma(devices: &Path) -> Vec<Entry> {
    const STREAM: &str = "_h2c_0";
    let streams = files(devices, &["xdma"]).into_iter();
    let prefixes = streams.filter_map(|name| name.strip_suffix(STREAM).map(str::to_owned));
    let prefixes: Vec<PathBuf> = prefixes.map(|prefix| devices.join(prefix)).collect();
    let found = prefixes.iter().map(|prefix| {
        let description = "a card behind the XDMA driver; not opened, since that resets it";
        here(format!("xdma:{}", prefix.display()), description)
    });
    let missing = "no /dev/xdma*_h2c_0: no card, or its driver is not loaded";
    none_or(found.collect(), "xdma:/dev/xdma0", missing)
}

fn f2(functions: &Path) -> Vec<Entry> {
    let is = |name: &str, file: &str, expected: &str| {
        let text = std::fs::read_to_string(functions.join(name).join(file));
        text.is_ok_and(|text| text.trim() == expected)
    };
    let found = files(functions, &[""])
        .into_iter()
        .filter(|name| is(name, "vendor", F2_VENDOR) && is(name, "device", F2_DEVICE))
        .map(|name| {
            let description = "a developer's image on an AWS F2 instance; not opened, since that \
                               resets it";
            here(format!("f2:{name}"), description)
        })
        .collect();
    let missing =
        "no PCI function 1d0f:f010: no AWS F2 instance, or no image of the card is loaded";
    none_or(found, "f2:0000:34:00.0", missing)
}

fn serial_lines(devices: &Path) -> Vec<Entry> {
    let found: Vec<Entry> = files(devices, &["ttyUSB", "ttyACM"])
        .into_iter()
        .map(|name| {
            let spec = format!("uart:{}", devices.join(name).display());
            here(spec, "a serial line; only opening it shows whether it has a card")
        })
        .collect();
    none_or(found, "uart:/dev/ttyUSB0", "no /dev/ttyUSB* and no /dev/ttyACM*")
}

/// Returns the names in a directory that begin with one of these prefixes, sorted.
fn files(directory: &Path, beginnings: &[&str]) -> Vec<String> {
    let Ok(entries) = directory.read_dir() else { return vec![] };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| beginnings.iter().any(|beginning| name.starts_with(beginning)))
        .collect();
    names.sort();
    names
}

fn none_or(found: Vec<Entry>, example: &str, why_none: &str) -> Vec<Entry> {
    if found.is_empty() {
        return vec![missing(example, why_none.into())];
    }
    found
}

fn here(spec: String, description: &str) -> Entry {
    Entry { spec, available: true, description: description.into(), capabilities: None }
}

fn missing(spec: &str, description: String) -> Entry {
    Entry { spec: spec.into(), available: false, description, capabilities: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_f2_instances_are_found_by_their_identifiers() {
        let folder = std::env::temp_dir().join(format!("halimede-list-{}", std::process::id()));
        for (name, vendor, device) in [
            ("0000:34:00.0", "0x1d0f\n", "0xf010\n"),
            ("0000:33:00.0", "0x1d0f\n", "0x9048\n"),
            ("0000:35:00.0", "0x10de\n", "0xf010\n"),
            ("0000:36:00.0", "0x1d0f\n", "0xf010\n"),
        ] {
            let function = folder.join(name);
            std::fs::create_dir_all(&function).unwrap();
            std::fs::write(function.join("vendor"), vendor).unwrap();
            std::fs::write(function.join("device"), device).unwrap();
        }
        let specs: Vec<String> = f2(&folder).into_iter().map(|entry| entry.spec).collect();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(specs, ["f2:0000:34:00.0", "f2:0000:36:00.0"]);
        let none = f2(&folder);
        assert!(!none[0].available && none.len() == 1);
    }
}
