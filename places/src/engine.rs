// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An engine as a place has it.

use std::collections::BTreeMap;

use halimede_arith::job::Offer;
use serde::Serialize;

/// An engine of a place, with what it does there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Engine {
    /// The name, e.g. `poseidon`.
    pub name: String,
    /// Operations by [`Operation::NAME`](halimede_arith::job::Operation::NAME); none where the
    /// library has no use of the engine.
    pub operations: Vec<String>,
    /// Instances, modes or parameter sets by name, for engines that have such.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instances: Vec<String>,
    /// Units of a card's engine by name, such as its cores, with their numbers.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub units: BTreeMap<&'static str, u32>,
}

impl Engine {
    /// An engine of this name without operations.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Adds operations with what a place has of them.
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
