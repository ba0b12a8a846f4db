// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that meet place by place, and the factors of activations that avoid a level for it.
//!
//! A product of two ciphertexts, and a sum without a matrix, need values in the same slots: all
//! nodes that such operators join form a *group* with one place. A sum without a matrix also needs
//! terms of the same factor. The polynomial of an activation can include any factor at no cost, and
//! so can the matrix of a carried value: in tanh(f·c + i·g), the factors of g and c are chosen so
//! that both products are on the interval of tanh.

use std::collections::BTreeMap;

use super::activation::Approximation;
use crate::graph::{Activation, Carried, Graph, Node, NodeId, Operator};

/// Factors in this range become 1, so that sums of different activations need no matrix.
const NEAR_ONE: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// The rounding error by which a product of two factors may exceed the least radius that divides
/// it.
const ROUNDING: f64 = 1e-12;

/// The largest bound of an exponential by a factor that avoids a level. Its samples are far below
/// its bound, so that others would not fit the lowest levels.
const MOST_EXPONENTIAL: f64 = 2.5;

/// The groups of a network's nodes.
pub(super) struct Groups {
    /// The group of each node, as one of its nodes.
    of: Vec<usize>,
    /// For each group, `true` if it contains a product.
    has_product: Vec<bool>,
    /// The requested factors of products, which make a matrix before an activation unnecessary, and
    /// those of carried values, which make such products possible.
    wanted: BTreeMap<NodeId, f64>,
}

impl Groups {
    /// Returns the groups of a network. Changes the factors of activations in groups with products.
    pub fn new(graph: &Graph, approximations: &mut [(NodeId, Approximation)]) -> Self {
        let mut groups = Self::joined(graph);
        let mut factors: BTreeMap<NodeId, &mut Approximation> =
            approximations.iter_mut().map(|(id, found)| (*id, found)).collect();
        for (id, found) in &mut factors {
            let largest = found.largest() * found.factor;
            let argument = graph.node(*id).inputs[0];
            // Carried values have other values next to them: with separate factors, all are at most
            // 1.
            let is_near = !is_argument(graph.node(argument)) && NEAR_ONE.contains(&largest);
            if groups.of(*id).is_some() && found.is_scalable() && is_near {
                found.factor = 1.0;
            }
            if found.interval.middle() == 0.0 {
                for product in products(graph, argument) {
                    groups.wanted.entry(product).or_insert(found.interval.radius());
                }
            }
        }
        groups.balance(graph, &mut factors);
        groups
    }

    /// Returns `true` if no group has a product.
    pub fn is_empty(&self) -> bool {
        !self.has_product.contains(&true)
    }

    /// Returns the group of a node, if the group contains a product.
    pub fn of(&self, id: NodeId) -> Option<usize> {
        let group = self.of[id.0];
        self.has_product[group].then_some(group)
    }

    /// Returns the requested factor of a product or a carried value, if one is better than others.
    pub fn wanted(&self, of: NodeId) -> Option<f64> {
        self.wanted.get(&of).copied()
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
                let own = match &node.operator {
                    Operator::Carried(carried) => &node.inputs[carried.which..=carried.which],
                    _ => &node.inputs[..],
                };
                for input in own {
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

    /// Sets the requested factors of products, through the factor of an activation on which nothing
    /// else relies.
    fn balance(&mut self, graph: &Graph, factors: &mut BTreeMap<NodeId, &mut Approximation>) {
        // The factor of each node's values that a ciphertext holds, and the activations on whose
        // factor something relies.
        let mut known: Vec<Option<f64>> = Vec::new();
        let mut is_fixed = vec![false; graph.nodes().count()];
        for (id, node) in graph.nodes() {
            let of = |input: usize| known[node.inputs[input].0];
            let factor = match &node.operator {
                Operator::Activation(_) => factors.get(&id).map(|found| found.factor),
                Operator::Reshape(_) => of(0),
                Operator::Carried(carried) => of(carried.which),
                Operator::Add | Operator::Subtract => of(0).filter(|factor| of(1) == Some(*factor)),
                Operator::Product => {
                    let both = [0, 1].map(|place| source(graph, node.inputs[place]));
                    let mut own = [of(0), of(1)];
                    if let Some(wanted) = self.wanted(id) {
                        let is_free = |place: &usize| {
                            let found = factors.get(&both[*place]);
                            let can = found.is_some_and(|found| {
                                let factor = own[1 - *place].map(|other| wanted / other);
                                let largest = found.largest() * found.factor;
                                found.is_scalable()
                                    && (!is_exponential(graph.node(both[*place]))
                                        || factor
                                            .is_some_and(|of| largest <= MOST_EXPONENTIAL * of))
                            });
                            let is_free = can && !is_fixed[both[*place].0];
                            is_free || is_state(graph.node(both[*place]))
                        };
                        // A carried state has its own matrix. Activations share theirs with other
                        // steps.
                        let states = (0..2).filter(|place| is_state(graph.node(both[*place])));
                        let free = (0..2).filter(|_| both[0] != both[1]).filter(is_free);
                        let place = states.chain(free).find(|place| own[1 - place].is_some());
                        if let Some((place, other)) = place.zip(place.and_then(|of| own[1 - of])) {
                            own[place] = Some(wanted / other);
                            match factors.get_mut(&both[place]) {
                                Some(found) => found.factor = wanted / other,
                                None => _ = self.wanted.insert(both[place], wanted / other),
                            }
                        }
                    }
                    both.iter().for_each(|operand| is_fixed[operand.0] = true);
                    own[0].zip(own[1]).map(|(a, b)| a * b)
                }
                _ => None,
            };
            known.push(factor);
        }
    }
}

/// Returns the smallest radius of an activation's interval: the largest product of two gates in its
/// sum. The slots next to carried values hold products of other gates, which are also divided by
/// the radius.
pub(super) fn least_radius(
    graph: &Graph,
    id: NodeId,
    approximations: &[(NodeId, Approximation)],
) -> f64 {
    let largest = |of: NodeId| {
        let gate = source(graph, of);
        let argument = graph.node(gate).inputs.first()?;
        let (_, found) = approximations.iter().find(|(id, _)| *id == gate)?;
        is_argument(graph.node(*argument)).then(|| found.largest() * found.factor)
    };
    let both = |product: NodeId| match graph.node(product).inputs[..] {
        [a, b] => Some(largest(a)? * largest(b)?),
        _ => None,
    };
    let argument = graph.node(id).inputs[0];
    let largest = products(graph, argument).into_iter().filter_map(both).fold(0.0, f64::max);
    largest * (1.0 + ROUNDING)
}

/// Returns `true` if values of the result have the same places as those of the inputs.
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

fn is_exponential(node: &Node) -> bool {
    node.operator == Operator::Activation(Activation::Exponential)
}

/// Returns `true` for an activation's argument that is carried with others.
fn is_argument(node: &Node) -> bool {
    matches!(node.operator, Operator::Carried(Carried { which, arguments }) if which < arguments)
}

/// Returns `true` for a value that is carried with arguments.
fn is_state(node: &Node) -> bool {
    matches!(node.operator, Operator::Carried(Carried { which, arguments }) if which >= arguments)
}

/// Returns the node that has these values, possibly in another shape.
fn source(graph: &Graph, mut id: NodeId) -> NodeId {
    while let Operator::Reshape(_) = graph.node(id).operator {
        id = graph.node(id).inputs[0];
    }
    id
}

/// Returns the products in a sum.
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
