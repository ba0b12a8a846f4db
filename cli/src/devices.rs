// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede devices`, and opening the device that a command names.

use std::time::Duration;

use halimede_device::{Device, Options};

use crate::arguments::DeviceOptions;
use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Opens the device of these options.
pub fn open(options: &DeviceOptions) -> Result<Device, CommandError> {
    let settings = settings(options.time_limit).retries(options.retries);
    let device = Device::open_with(&options.device, &settings)?;
    Ok(if options.fallback { device.with_fallback(Device::open("cpu")?) } else { device })
}

/// Settings with this time limit, or with the device's own.
pub fn settings(time_limit: Option<Duration>) -> Options {
    let settings = Options::default();
    match time_limit {
        Some(limit) => settings.time_limit(limit),
        None => settings,
    }
}

/// Lists the kinds of device, found or not.
pub fn run(json: bool) -> Result<(), CommandError> {
    let found = halimede_device::list();
    if json {
        return print_line(&serde_json::json!({ "devices": found }).to_string());
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|entry| {
            vec![entry.spec.clone(), yes_no(entry.available).into(), entry.description.clone()]
        })
        .collect();
    print_table(&["device", "here", "what it is, or why it is not"], &rows)?;
    print_line("")?;
    let engines: Vec<Vec<String>> = found
        .iter()
        .filter_map(|entry| Some((&entry.spec, entry.capabilities.as_ref()?)))
        .flat_map(|(spec, capabilities)| {
            capabilities.engines.iter().map(move |engine| {
                let instances = abridged(&engine.instances);
                vec![spec.clone(), engine.name.to_string(), instances]
            })
        })
        .collect();
    print_table(&["device", "engine", "instances"], &engines)
}

/// The names, separated by commas, where three or more names that differ by a number counted on
/// (`a-2`, `a-3`, `a-4`) stand as `a-2 to a-4`.
fn abridged(names: &[String]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = names;
    while let [first, tail @ ..] = rest {
        let follows = |pair: &&[String]| is_next(&pair[0], &pair[1]);
        let run = 1 + rest.windows(2).take_while(follows).count();
        if run >= 3 {
            parts.push(format!("{first} to {}", rest[run - 1]));
            rest = &rest[run..];
        } else {
            parts.push(first.clone());
            rest = tail;
        }
    }
    parts.join(", ")
}

/// Whether the names are alike but for their number, which is one more in the second.
fn is_next(first: &str, second: &str) -> bool {
    let parts = |name: &str| {
        let start = name.find(|character: char| character.is_ascii_digit())?;
        let (prefix, rest) = name.split_at(start);
        let end = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..end].parse().ok()?;
        Some((prefix.to_owned(), number, rest[end..].to_owned()))
    };
    match (parts(first), parts(second)) {
        (Some((prefix, number, suffix)), Some(other)) => (prefix, number + 1, suffix) == other,
        _ => false,
    }
}

fn yes_no(value: bool) -> &'static str {
    if value {
        "yes"
    } else {
        "no"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_names_are_abridged() {
        let abridge = |names: &str| {
            let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
            abridged(&names)
        };
        assert_eq!(abridge(""), "");
        assert_eq!(abridge("sha"), "sha");
        assert_eq!(abridge("f-2 f-3"), "f-2, f-3");
        assert_eq!(abridge("f-2 f-3 f-4 f-6 f-7"), "f-2 to f-4, f-6, f-7");
        assert_eq!(
            abridge("f-9-x f-10-x f-11-x f-12 s-3 s-4 s-5"),
            "f-9-x to f-11-x, f-12, s-3 to s-5"
        );
    }
}
