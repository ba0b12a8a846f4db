// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede devices`; opens the device that a command names.

use std::time::Duration;

use halimede_device::{Device, Engine, Entry, Options};
use serde_json::{json, Value};

use crate::arguments::DeviceOptions;
use crate::error::CommandError;
use crate::output::{print_line, print_table};

/// Opens the device that the options name.
pub fn open(options: &DeviceOptions) -> Result<Device, CommandError> {
    let settings = settings(options.time_limit).retries(options.retries);
    Ok(match options.fallback {
        true => Device::open_with_fallback(&options.device, &settings, Device::open("cpu")?)?,
        false => Device::open_with(&options.device, &settings)?,
    })
}

/// Returns settings with this time limit, or with the default of the device.
pub fn settings(time_limit: Option<Duration>) -> Options {
    let settings = Options::default();
    match time_limit {
        Some(limit) => settings.time_limit(limit),
        None => settings,
    }
}

/// Lists the kinds of devices, available or not.
pub fn run(json: bool) -> Result<(), CommandError> {
    let found = halimede_device::list();
    if json {
        let devices: Vec<Value> = found.iter().map(|entry| entry_json(entry, &found)).collect();
        return print_line(&json!({ "devices": devices }).to_string());
    }
    let rows: Vec<Vec<String>> = found
        .iter()
        .map(|entry| {
            vec![entry.spec.clone(), yes_no(entry.available).into(), entry.description.clone()]
        })
        .collect();
    print_table(&["device", "available", "description, or why it is not available"], &rows)?;
    print_line("")?;
    let engines: Vec<Vec<String>> = found
        .iter()
        .filter_map(|entry| Some((entry, entry.capabilities.as_ref()?)))
        .flat_map(|(entry, capabilities)| {
            let row = |name: &str, words: String| vec![entry.spec.clone(), name.to_owned(), words];
            let has = |engine: &Engine| row(&engine.name, abridged(&engine.instances));
            let lacks = |name: &String| row(name, "not on this device".into());
            let rows = capabilities.engines.iter().map(has).collect::<Vec<_>>();
            rows.into_iter().chain(lacking(entry, &found).iter().map(lacks).collect::<Vec<_>>())
        })
        .collect();
    print_table(&["device", "engine", "instances"], &engines)
}

/// Returns the engines that other devices have and this one lacks; none if its own are unknown.
fn lacking(entry: &Entry, found: &[Entry]) -> Vec<String> {
    let Some(own) = &entry.capabilities else { return vec![] };
    let is_own = |name: &String| own.engines.iter().any(|engine| engine.name == *name);
    let all = found.iter().filter_map(|entry| entry.capabilities.as_ref());
    let names = all.flat_map(|capabilities| &capabilities.engines).map(|engine| &engine.name);
    let mut lacking: Vec<String> = names.filter(|name| !is_own(name)).cloned().collect();
    lacking.dedup();
    lacking
}

/// Describes a device as JSON, with the engines that it lacks if they are known.
fn entry_json(entry: &Entry, found: &[Entry]) -> Value {
    let mut object = json!(entry);
    if let Some(capabilities) = object.get_mut("capabilities") {
        capabilities["lacks"] = lacking(entry, found).into();
    }
    object
}

/// Joins the names by commas. Three or more names with consecutive numbers (`a-2`, `a-3`, `a-4`)
/// become `a-2 to a-4`.
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

/// Returns `true` if the names differ only in their number, which is one larger in the second.
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
