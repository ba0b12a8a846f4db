// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that meet place by place, and the factors of activations by which they do so without a level.
//!
//! A product of two ciphertexts, and a sum of them without a matrix, need values in the same slots: all
//! nodes that are joined by such operators form a *group* with one place. And a sum without a matrix
//! needs terms of the same factor. An activation's polynomial takes any factor for nothing: in
//! tanh(f·c + i·g) the factors of f and i are chosen so that both products are on the interval of tanh.

use std::collections::BTreeMap;

use super::activation::Approximation;
use crate::graph::{Graph, NodeId, Operator, Part};

/// Between these a factor becomes 1, so that sums of different activations take no matrix.
const NEAR_ONE: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// The groups of a network's nodes.
pub(super) struct Groups {
    /// The group of each node: one of its nodes.
    of: Vec<usize>,
    /// Whether there is a product in the group of this number.
    has_product: Vec<bool>,
    /// The factors that products are to have, by which an activation's argument needs no matrix.
    wanted: BTreeMap<NodeId, f64>,
}

impl Groups {
    /// The groups of a network. Factors of activations in groups with products are changed.
    pub fn new(graph: &Graph, approximations: &mut [(NodeId, Approximation)]) -> Self {
        let mut groups = Self::joined(graph);
        let mut factors: BTreeMap<NodeId, &mut Approximation> =
            approximations.iter_mut().map(|(id, found)| (*id, found)).collect();
        for (id, found) in &mut factors {
            let largest = found.largest() * found.factor;
            if groups.of(*id).is_some() && found.is_scalable() && NEAR_ONE.contains(&largest) {
                found.factor = 1.0;
            }
            let argument = graph.node(*id).inputs[0];
            if found.interval.middle() == 0.0 {
                for product in products(graph, argument) {
                    groups.wanted.entry(product).or_insert(found.interval.radius());
                }
            }
        }
        groups.balance(graph, &mut factors);
        groups
    }

    /// Whether no group has a product.
    pub fn is_empty(&self) -> bool {
        !self.has_product.contains(&true)
    }

    /// The group of a node, if there is a product in it.
    pub fn of(&self, id: NodeId) -> Option<usize> {
        let group = self.of[id.0];
        self.has_product[group].then_some(group)
    }

    /// The factor that a product is to have, if any is better than others.
    pub fn wanted(&self, product: NodeId) -> Option<f64> {
        self.wanted.get(&product).copied()
    }

    fn joined(graph: &Graph) -> Self {
        let count = graph.nodes().count();
        let mut of: Vec<usize> = (0..count).collect();
        let find = |of: &mut Vec<usize>, mut id: usize| {
            while of[id] != id {
                of[id] = of[of[id]];
                id = of[id];
            }
            id
        };
        for (id, node) in graph.nodes() {
            if meets_in_place(&node.operator) {
                for input in &node.inputs {
                    let (a, b) = (find(&mut of, id.0), find(&mut of, input.0));
                    of[a.max(b)] = a.min(b);
                }
            }
        }
        let of: Vec<usize> = (0..count).map(|id| find(&mut of, id)).collect();
        let mut has_product = vec![false; count];
        for (id, node) in graph.nodes() {
            has_product[of[id.0]] |= node.operator == Operator::Product;
        }
        Self { of, has_product, wanted: BTreeMap::new() }
    }

    /// Gives products the factors that are wanted of them, by that of an activation that nothing else
    /// relies on.
    fn balance(&self, graph: &Graph, factors: &mut BTreeMap<NodeId, &mut Approximation>) {
        // The factor of each node's values where they are a ciphertext's; activations whose factor
        // something relies on.
        let mut known: Vec<Option<f64>> = Vec::new();
        let mut is_fixed = vec![false; graph.nodes().count()];
        for (id, node) in graph.nodes() {
            let of = |input: usize| known[node.inputs[input].0];
            let factor = match &node.operator {
                Operator::Activation(_) => factors.get(&id).map(|found| found.factor),
                Operator::Reshape(_) => of(0),
                // x + x̄ is twice a part.
                Operator::Carried(Part::First) => of(0).map(|factor| factor / 2.0),
                Operator::Carried(Part::Second) => of(1).map(|factor| factor / 2.0),
                Operator::Add | Operator::Subtract => of(0).filter(|factor| of(1) == Some(*factor)),
                Operator::Product => {
                    let both = [0, 1].map(|place| source(graph, node.inputs[place]));
                    if let Some(wanted) = self.wanted(id) {
                        let is_free = |place: &usize| {
                            let found = factors.get(&both[*place]);
                            let can = found.is_some_and(|found| found.is_scalable());
                            can && !is_fixed[both[*place].0] && of(1 - place).is_some()
                        };
                        let free = (0..2).filter(|_| both[0] != both[1]).find(is_free);
                        let found =
                            free.and_then(|place| factors.get_mut(&both[place]).zip(of(1 - place)));
                        if let Some((found, other)) = found {
                            found.factor = wanted / other;
                        }
                    }
                    both.iter().for_each(|operand| is_fixed[operand.0] = true);
                    let own = |place: usize| {
                        let changed = factors.get(&both[place]).map(|found| found.factor);
                        changed.or(of(place))
                    };
                    own(0).zip(own(1)).map(|(a, b)| a * b)
                }
                _ => None,
            };
            known.push(factor);
        }
    }
}

/// Whether values of the result stand where those of the inputs do.
fn meets_in_place(operator: &Operator) -> bool {
    matches!(
        operator,
        Operator::Activation(_)
            | Operator::Product
            | Operator::Carried(_)
            | Operator::Reshape(_)
            | Operator::Add
            | Operator::Subtract
            | Operator::ChannelScale { .. }
    )
}

/// The node whose values these are, in another shape.
fn source(graph: &Graph, mut id: NodeId) -> NodeId {
    while let Operator::Reshape(_) = graph.node(id).operator {
        id = graph.node(id).inputs[0];
    }
    id
}

/// The products in a sum.
fn products(graph: &Graph, sum: NodeId) -> Vec<NodeId> {
    let (mut found, mut pending) = (Vec::new(), vec![sum]);
    while let Some(id) = pending.pop() {
        let node = graph.node(id);
        match node.operator {
            Operator::Product => found.push(id),
            Operator::Add | Operator::Subtract | Operator::Reshape(_) => {
                pending.extend(&node.inputs);
            }
            _ => {}
        }
    }
    found
}
