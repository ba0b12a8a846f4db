// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names of nodes and values in errors.

use super::messages::NodeMessage;

/// Returns the name of a node for errors.
pub(super) fn name_of(place: usize, node: &NodeMessage) -> String {
    short(&match (node.name.as_str(), node.outputs.first()) {
        ("", Some(output)) if !output.is_empty() => output.clone(),
        ("", _) => format!("number {}", place + 1),
        (name, _) => name.to_owned(),
    })
}

/// Returns a name for errors, shortened: in a damaged file it may be long.
pub(super) fn short(name: &str) -> String {
    let shown: String = name.chars().take(80).collect();
    match shown.len() == name.len() {
        true => shown,
        false => format!("{shown}…"),
    }
}
