// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The list of all kinds of devices: the available devices, and the reasons why others are not.

use std::path::{Path, PathBuf};
use std::time::Duration;

use halimede_arith::job::DeviceError;
use halimede_card::transport::Image;
use serde::Serialize;

use crate::capabilities::Capabilities;
use crate::device::Device;
use crate::options::Options;

/// The time limit for reading the capabilities of a simulated card.
const SIMULATOR_LIMIT: Duration = Duration::from_secs(5);

/// The folder of Linux's device files.
const DEVICES: &str = "/dev";

/// A device that could be opened, or a kind of device that this machine lacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// The name for [`Device::open`].
    pub spec: String,
    /// True if the device is available on this machine.
    pub available: bool,
    /// A description, or the reason why the device is not available and what to do.
    pub description: String,
    /// The capabilities. `None` also for an available card or serial line: opening it would reset a
    /// card that another process may be using.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Capabilities>,
}

/// Looks for every kind of device. Starts a simulated card briefly to read its capabilities; opens
/// no other device.
pub fn list() -> Vec<Entry> {
    let mut entries = vec![processor(), simulated()];
    entries.extend(xdma(Path::new(DEVICES)));
    entries.extend(serial_lines(Path::new(DEVICES)));
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
    let entries = |kind: &str, place: &str| {
        let found = prefixes.iter().map(|prefix| {
            let spec = format!("{kind}:{}", prefix.display());
            here(spec, &format!("{place} behind the XDMA driver; not opened, since that resets it"))
        });
        let missing = "no /dev/xdma*_h2c_0: no card, or its driver is not loaded";
        none_or(found.collect(), &format!("{kind}:/dev/xdma0"), missing)
    };
    [entries("xdma", "a card"), entries("f2", "if it is an AWS F2 instance: a card")].concat()
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
