// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engines of a place.

use std::collections::BTreeMap;

use halimede_arith::job::Offer;
use serde::Serialize;

/// An engine of a place, with its operations there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Engine {
    /// The name, e.g. `poseidon`.
    pub name: String,
    /// The operations, by [`Operation::NAME`](halimede_arith::job::Operation::NAME); empty for an
    /// engine that the library does not use.
    pub operations: Vec<String>,
    /// The names of instances, modes or parameter sets, for engines with any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
    /// The numbers of units of a card's engine, such as its cores, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<&'static str, u32>,
}

impl Engine {
    /// Creates an engine without operations.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds operations, with the instances and units that a place offers.
    pub(crate) fn add(&mut self, operations: &[&str], offer: &Offer) {
        self.operations.extend(operations.iter().copied().map(str::to_owned));
        for instance in &offer.instances {
            if !self.instances.contains(instance) {
                self.instances.push(instance.clone());
            }
        }
        self.units.extend(offer.units.iter().copied());
    }
}
