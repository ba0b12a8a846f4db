// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments of activations side by side in one vector, and the values carried with them.

use std::collections::{BTreeMap, BTreeSet};

use halimede_ckks::Expression;

use super::slots::Slots;
use crate::graph::{Node, NodeId};
use crate::layout::{Affine, SlotPlace};

/// An activation's argument among others.
#[derive(Clone)]
pub(super) struct Side {
    /// The arguments of all activations, each on its interval, for each ciphertext.
    pub arguments: Vec<Expression>,
    /// The values of all activations; empty if one of them is not a polynomial.
    pub values: Vec<Expression>,
    /// The bound of the values in every slot.
    pub bound: f64,
    /// The number of slots by which its values follow their place.
    pub behind: usize,
    /// The place of the activation's values.
    pub place: SlotPlace,
    /// The number of values.
    pub size: usize,
}

/// All carried values.
#[derive(Default)]
pub(super) struct Sides {
    /// The inputs of carried values that have been processed.
    pub done: BTreeSet<Vec<NodeId>>,
    /// Arguments by their nodes.
    pub arguments: BTreeMap<NodeId, Side>,
    /// Other values by their nodes.
    pub states: BTreeMap<NodeId, Affine>,
    /// The matrices of arguments, until one argument reports them.
    pub made: Option<Slots>,
}

impl Sides {
    /// Returns the argument of an activation, if it is next to others.
    pub fn of(&self, activation: &Node) -> Option<&Side> {
        self.arguments.get(activation.inputs.first()?)
    }
}
