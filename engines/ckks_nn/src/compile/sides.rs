// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments of activations that stand side by side in one vector, and what is carried with them.

use std::collections::{BTreeMap, BTreeSet};

use halimede_ckks::Expression;

use super::slots::Slots;
use crate::graph::{Node, NodeId};
use crate::layout::{Affine, Place};

/// An activation's argument among others.
#[derive(Clone)]
pub(super) struct Side {
    /// The arguments of all of them, each on its interval, for each ciphertext.
    pub arguments: Vec<Expression>,
    /// The activations of all of them; none where one is no polynomial.
    pub values: Vec<Expression>,
    /// What these do not exceed in any slot.
    pub bound: f64,
    /// By how many slots its values stand behind their place.
    pub behind: usize,
    /// Where the activation's values come to stand.
    pub place: Place,
    /// The number of values.
    pub size: usize,
}

/// All that is carried.
#[derive(Default)]
pub(super) struct Sides {
    /// The inputs of what is carried together, and has been looked at.
    pub done: BTreeSet<Vec<NodeId>>,
    /// Arguments by their nodes.
    pub arguments: BTreeMap<NodeId, Side>,
    /// Other values by theirs.
    pub states: BTreeMap<NodeId, Affine>,
    /// The matrices of arguments, until one of these has them in its line of the report.
    pub made: Option<Slots>,
}

impl Sides {
    /// Returns the argument of an activation, where it stands among others.
    pub fn of(&self, activation: &Node) -> Option<&Side> {
        self.arguments.get(activation.inputs.first()?)
    }
}
