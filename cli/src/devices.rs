// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede devices`, and opening the device that a command names.

use halimede_device::Device;

use crate::arguments::DeviceOptions;
use crate::error::CommandError;
use crate::output::print_table;

/// Opens the device of these options.
pub fn open(options: &DeviceOptions) -> Result<Device, CommandError> {
    let settings = halimede_device::Options::default().time_limit(options.time_limit);
    let device = Device::open_with(&options.device, &settings)?;
    Ok(if options.fallback { device.with_fallback(Device::cpu()) } else { device })
}

/// Lists the kinds of device, found or not.
pub fn run(json: bool) -> Result<(), CommandError> {
    let found = halimede_device::list();
    if json {
        println!("{}", serde_json::json!({ "devices": found }));
        return Ok(());
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|entry| {
            vec![entry.spec.clone(), yes_no(entry.available).into(), entry.description.clone()]
        })
        .collect();
    print_table(&["device", "here", "what it is, or why it is not"], &rows);
    println!();
    let engines: Vec<Vec<String>> = found
        .iter()
        .filter_map(|entry| Some((&entry.spec, entry.capabilities.as_ref()?)))
        .flat_map(|(spec, capabilities)| {
            capabilities.engines.iter().map(move |engine| {
                let instances = engine.instances.join(", ");
                vec![spec.clone(), engine.name.to_string(), instances]
            })
        })
        .collect();
    print_table(&["device", "engine", "instances"], &engines);
    Ok(())
}

fn yes_no(value: bool) -> &'static str {
    if value {
        "yes"
    } else {
        "no"
    }
}
