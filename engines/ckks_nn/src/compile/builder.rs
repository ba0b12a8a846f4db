// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A network as an expression over vectors of some number of slots.

use std::collections::BTreeMap;

use halimede_ckks::{Complex, Expression};

use super::activation::Approximation;
use super::groups::Groups;
use super::held::{in_place, signed_sum, split_in_place, with_constants, Held};
use crate::calibrate::Range;
use crate::error::NetworkError;
use crate::graph::{Activation, Graph, Node, NodeId, Operator, Part};
use crate::layout::{place, place_at, Affine, Packing, Place, Placed};

/// The name of the input in expressions.
pub(super) const INPUT: &str = "x";
/// The exponent of the guard, whose sum is below 1 only where all arguments are.
const GUARD_EXPONENT: u32 = 16;
/// The promise about the guard's sum, for all results that are valid.
const GUARD_BOUND: f64 = 4.0;

/// A network in slots.
pub(super) struct Circuit {
    pub expression: Expression,
    pub input: Packing,
    pub output: Packing,
    pub guard: Option<usize>,
    pub stages: Vec<Stage>,
}

/// A matrix and what follows it.
pub(super) struct Stage {
    /// The name of the activation's or product's node, or of the output's.
    pub name: String,
    /// The layers in the matrix.
    pub layers: Vec<String>,
    pub kind: StageKind,
    pub diagonals: usize,
    pub rotations: usize,
    pub gap: usize,
}

/// What follows a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageKind {
    Activation(NodeId),
    Product,
    Output,
}

/// What a network is compiled from.
pub(super) struct Source<'a> {
    pub graph: &'a Graph,
    pub approximations: &'a [(NodeId, Approximation)],
    pub groups: &'a Groups,
    pub input_range: Range,
    pub has_guard: bool,
}

/// The ciphertexts so far.
struct Builder<'a> {
    source: &'a Source<'a>,
    slots: usize,
    held: Vec<Held>,
    /// Where values of groups stand.
    places: BTreeMap<usize, Place>,
    stages: Vec<Stage>,
    guards: Option<Expression>,
    /// Names of layers since the last activation.
    layers: Vec<String>,
}

/// The circuit of a network whose activations are approximated, for vectors of `slots` slots.
///
/// # Errors
/// [`NetworkError::Slots`] where a layer takes more slots.
pub(super) fn circuit(source: &Source<'_>, slots: usize) -> Result<Circuit, NetworkError> {
    let graph = source.graph;
    let input = Packing::dense(graph.input_shape());
    if input.extent() > slots {
        let (layer, needed) = (graph.node(graph.input()).name.clone(), input.extent());
        return Err(NetworkError::Slots { layer, needed, slots });
    }
    let mut builder = Builder::new(source, input, slots);
    let used = graph.used();
    let last_users = graph.last_users();
    let mut values: Vec<Option<Affine>> = Vec::new();
    for (id, node) in graph.nodes() {
        let operands: Vec<&Affine> =
            node.inputs.iter().filter_map(|input| values[input.0].as_ref()).collect();
        let value = match (&node.operator, &operands[..]) {
            _ if !used[id.0] => None,
            (Operator::Input, _) => Some(Affine::of_base(0, node.shape.size(), 1.0)),
            (Operator::Activation(_), [argument]) => {
                let (value, argument) = builder.activation(id, node, argument)?;
                // What is known of an argument without a matrix helps others that take it.
                if let Some(argument) = argument {
                    values[node.inputs[0].0] = Some(argument);
                }
                Some(value)
            }
            (Operator::Product, [a, b]) => Some(builder.product(id, node, [a, b])?),
            (Operator::Carried(part), [a, b]) => Some(builder.carried(id, *part, [a, b])),
            (Operator::Add | Operator::Subtract, _) if source.groups.of(id).is_some() => {
                let sum = Affine::of_node(graph, node, &operands)?;
                let most = builder.largest_blend(node, &values);
                Some(builder.sum(id, sum, most))
            }
            _ => {
                if !matches!(node.operator, Operator::Reshape(_)) {
                    builder.layers.push(node.name.clone());
                }
                Some(Affine::of_node(graph, node, &operands)?)
            }
        };
        values.push(value);
        // Matrices of layers are large. Those of groups are looked at again.
        if source.groups.is_empty() {
            let done = node.inputs.iter().filter(|input| last_users[input.0] == Some(id));
            done.for_each(|input| values[input.0] = None);
        }
    }
    let output = values.swap_remove(graph.output().0);
    let name = graph.node(graph.output()).name.clone();
    let affine = output.ok_or_else(|| NetworkError::node(&name, "it has no value"))?;
    builder.finish(&name, &affine)
}

impl<'a> Builder<'a> {
    fn new(source: &'a Source<'a>, packing: Packing, slots: usize) -> Self {
        let input = Held {
            expression: Expression::input(INPUT),
            packing,
            period: slots,
            size: source.graph.input_shape().size(),
            bound: source.input_range.magnitude(),
            is_clear: false,
        };
        let (places, stages, layers) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { source, slots, held: vec![input], places, stages, guards: None, layers }
    }

    /// Values in a place, or in the cheapest: a matrix, or several, sums of what stands there already,
    /// and constants.
    fn affine(
        &self,
        name: &str,
        affine: &Affine,
        of: NodeId,
        spare: usize,
        wanted: Option<Place>,
    ) -> Result<(Expression, Placed), NetworkError> {
        let packings: Vec<Packing> = self.held.iter().map(|held| held.packing).collect();
        let (own, placed) = match wanted {
            Some(wanted) => {
                let (own, rest) = split_in_place(affine, &self.held, wanted);
                (own, place_at(wanted, &rest, &packings, self.slots)?)
            }
            None => {
                let shape = &self.source.graph.node(of).shape;
                (Vec::new(), place(name, affine, shape, &packings, self.slots, spare)?)
            }
        };
        let products = placed
            .matrices
            .iter()
            .map(|(base, matrix)| self.held[*base].expression.linear_transform(matrix.clone()));
        let folded = products.reduce(|sum, product| sum + product).map(|sum| {
            let is_folded = placed.period < self.slots;
            if is_folded {
                sum.inner_sum(self.slots / placed.period, placed.period)
            } else {
                sum
            }
        });
        let sum = match (folded, signed_sum(&own, &self.held)) {
            (Some(folded), Some(own)) => Some(folded + own),
            (folded, own) => folded.or(own),
        };
        let sum = sum.ok_or_else(|| {
            NetworkError::node(name, "its values do not depend on the network's input")
        })?;
        Ok((with_constants(sum, &placed.constants).0, placed))
    }

    /// Where the values of a node's group stand, if it has one: where a term stands that needs no
    /// matrix, as long as nothing else is known.
    fn place_of(&self, id: NodeId, affine: &Affine) -> Option<Place> {
        let group = self.source.groups.of(id)?;
        self.places.get(&group).copied().or_else(|| {
            let scalars = affine.scalars(|base| self.held[base].size)?;
            scalars.first().map(|(base, _)| self.held[*base].place())
        })
    }

    /// Notes where the values of a node's group stand.
    fn settle(&mut self, id: NodeId, place: Place) {
        if let Some(group) = self.source.groups.of(id) {
            self.places.entry(group).or_insert(place);
        }
    }

    /// A ciphertext, and its values times a factor.
    fn hold(&mut self, held: Held, factor: f64) -> Affine {
        let affine = Affine::of_base(self.held.len(), held.size, factor);
        self.held.push(held);
        affine
    }

    /// An activation. Its argument is scaled to [−1, 1] by the matrix, or is there without one: then
    /// the argument's values are given too, by what is known of them.
    fn activation(
        &mut self,
        id: NodeId,
        node: &Node,
        argument: &Affine,
    ) -> Result<(Affine, Option<Affine>), NetworkError> {
        let found = self.source.approximations.iter().find(|(of, _)| *of == id);
        let (_, approximation) =
            found.ok_or_else(|| NetworkError::node(&node.name, "it was not calibrated"))?;
        let interval = approximation.interval;
        let affine = argument.clone().normalized(interval.middle(), interval.radius());
        let wanted = self.place_of(id, &affine);
        let (value, placed) = self.affine(&node.name, &affine, id, 0, wanted)?;
        let argument = value.between(-1.0, 1.0).labelled(matrix_label(&node.name));
        let result = approximation.expression(&argument)?.labelled(node.name.as_str());
        if self.source.has_guard {
            let power = argument.powi(GUARD_EXPONENT);
            self.guards = Some(match self.guards.take() {
                Some(sum) => sum + power,
                None => power,
            });
        }
        self.settle(id, (placed.packing, placed.period));
        self.stage(&node.name, StageKind::Activation(id), Some(&placed), placed.packing);
        let held = Held {
            expression: result,
            packing: placed.packing,
            period: placed.period,
            size: node.shape.size(),
            bound: approximation.largest(),
            is_clear: approximation.is_clear(),
        };
        let known = placed.matrices.is_empty().then(|| {
            let known = Held { expression: argument, bound: 1.0, is_clear: true, ..held.clone() };
            let mut known = self.hold(known, interval.radius());
            known.constants.iter_mut().for_each(|constant| *constant = interval.middle());
            known
        });
        Ok((self.hold(held, approximation.factor), known))
    }

    /// A product of two values, each of which takes a matrix where it is no ciphertext in the place.
    fn product(
        &mut self,
        id: NodeId,
        node: &Node,
        operands: [&Affine; 2],
    ) -> Result<Affine, NetworkError> {
        let mut wanted = operands.iter().find_map(|affine| self.place_of(id, affine));
        let mut found = operands.map(|affine| in_place(affine, &self.held, wanted, self.slots));
        let mut placed = None;
        for place in 0..2 {
            if found[place].is_some() {
                continue;
            }
            let largest = operands[place].largest(|base| self.held[base].bound);
            let other = found[1 - place].as_ref().map(|(_, factor)| *factor);
            let factor =
                self.source.groups.wanted(id).zip(other).map(|(wanted, other)| wanted / other);
            let factor = factor.unwrap_or(largest).max(f64::MIN_POSITIVE);
            let affine = operands[place].times(1.0 / factor);
            let (value, made) = self.affine(&node.name, &affine, id, 0, wanted)?;
            let (packing, period) = (made.packing, made.period);
            wanted = Some((packing, period));
            let bound = largest / factor;
            let expression = value.between(-bound, bound).labelled(matrix_label(&node.name));
            let size = node.shape.size();
            let held = Held { expression, packing, period, size, bound, is_clear: true };
            found[place] = Some((held, factor));
            placed = Some(made);
        }
        let [Some((a, factor_a)), Some((b, factor_b))] = found else {
            return Err(NetworkError::node(&node.name, "its values have no slots"));
        };
        self.settle(id, a.place());
        self.stage(&node.name, StageKind::Product, placed.as_ref(), a.packing);
        let held = Held {
            expression: (a.expression * b.expression).labelled(node.name.as_str()),
            bound: a.bound * b.bound,
            is_clear: a.is_clear || b.is_clear,
            ..a
        };
        Ok(self.hold(held, factor_a * factor_b))
    }

    /// A sum, as a ciphertext where it takes no matrix: what takes it is bootstrapped once. `most` is
    /// what its values are known not to exceed.
    fn sum(&mut self, id: NodeId, sum: Affine, most: Option<f64>) -> Affine {
        let wanted = self.place_of(id, &sum);
        let found = in_place(&sum, &self.held, wanted, self.slots);
        let Some((mut held, factor)) = found.filter(|_| sum.terms.len() > 1) else { return sum };
        held.bound = most.map_or(held.bound, |most| held.bound.min(most / factor));
        held.expression = held.expression.between(-held.bound, held.bound);
        self.hold(held, factor)
    }

    /// What x + z·(y − x) does not exceed: z is a sigmoid's polynomial, from −e to 1 + e, so that
    /// |1 − z| + |z| ≤ 1 + 2·e.
    fn largest_blend(&self, sum: &Node, values: &[Option<Affine>]) -> Option<f64> {
        let graph = self.source.graph;
        let largest =
            |id: NodeId| Some(values[id.0].as_ref()?.largest(|base| self.held[base].bound));
        let both = |of: &Node| Some([*of.inputs.first()?, *of.inputs.get(1)?]);
        let of_product = |x: NodeId, product: NodeId| {
            let product = graph.node(product);
            let [a, b] = both(product).filter(|_| product.operator == Operator::Product)?;
            let of_gate = |gate: NodeId, change: NodeId| {
                let is_sigmoid =
                    graph.node(gate).operator == Operator::Activation(Activation::Sigmoid);
                let approximations = self.source.approximations.iter();
                let (_, found) =
                    approximations.clone().find(|(id, _)| is_sigmoid && *id == gate)?;
                let change = graph.node(change);
                let y = match (&change.operator, &change.inputs[..]) {
                    (Operator::Subtract, [y, from]) if *from == x => largest(*y)?,
                    (Operator::ChannelScale { factors, summands }, [from])
                        if *from == x && factors.iter().all(|factor| *factor == -1.0) =>
                    {
                        summands.iter().map(|y| y.abs()).fold(0.0, f64::max)
                    }
                    _ => return None,
                };
                Some((1.0 + 2.0 * found.largest_error) * largest(x)?.max(y))
            };
            of_gate(a, b).or_else(|| of_gate(b, a))
        };
        let [a, b] = both(sum).filter(|_| sum.operator == Operator::Add)?;
        of_product(a, b).or_else(|| of_product(b, a))
    }

    /// One of two values x and y, by x + i·y: what a bootstrap of it serves. Where one of them is no
    /// ciphertext, they are what they are.
    fn carried(&mut self, id: NodeId, part: Part, both: [&Affine; 2]) -> Affine {
        let wanted = both.iter().find_map(|affine| self.place_of(id, affine));
        let found = both.map(|affine| in_place(affine, &self.held, wanted, self.slots));
        let own = match part {
            Part::First => 0,
            Part::Second => 1,
        };
        let [Some((x, factor_x)), Some((y, factor_y))] = found else { return both[own].clone() };
        if x.place() != y.place() {
            return both[own].clone();
        }
        let i = Expression::from(Complex::new(0.0, 1.0));
        let together = (&x.expression + &y.expression * &i).bounded(x.bound.hypot(y.bound));
        let conjugate = together.conjugate();
        let (twice, of, factor) = match part {
            Part::First => (together + conjugate, x, factor_x),
            Part::Second => ((conjugate - together) * i, y, factor_y),
        };
        let bound = 2.0 * of.bound;
        let held = Held { expression: twice.between(-bound, bound), bound, ..of };
        self.hold(held, factor / 2.0)
    }

    /// The output, to which the guard is added in all slots.
    fn finish(mut self, name: &str, affine: &Affine) -> Result<Circuit, NetworkError> {
        let guards = self.guards.take();
        let spare = usize::from(guards.is_some());
        let output = self.source.graph.output();
        // Without a matrix, where all that it takes is there.
        let in_place = self.place_of(output, affine).filter(|(packing, period)| {
            let (_, rest) = split_in_place(affine, &self.held, (*packing, *period));
            rest.terms.is_empty() && packing.extent() + spare <= *period
        });
        let (value, placed) = self.affine(name, affine, output, spare, in_place)?;
        self.stage(name, StageKind::Output, Some(&placed), placed.packing);
        let (value, guard) = match guards {
            None => (value, None),
            Some(guards) => {
                let sum = guards.sum().between(0.0, GUARD_BOUND).labelled("guard");
                (value.labelled(matrix_label(name)) + sum, Some(placed.packing.extent()))
            }
        };
        let (input, output) = (self.held[0].packing, placed.packing);
        let expression = value.labelled(format!("output {name}"));
        Ok(Circuit { expression, input, output, guard, stages: self.stages })
    }

    fn stage(&mut self, name: &str, kind: StageKind, placed: Option<&Placed>, packing: Packing) {
        let matrices = placed.into_iter().flat_map(|placed| placed.matrices.values());
        self.stages.push(Stage {
            name: name.to_owned(),
            layers: std::mem::take(&mut self.layers),
            kind,
            diagonals: matrices.map(|matrix| matrix.steps().count()).sum(),
            rotations: placed.map_or(0, |placed| placed.rotations),
            gap: packing.gap(),
        });
    }
}

/// The label of an activation's argument.
pub(super) fn matrix_label(name: &str) -> String {
    format!("matrix of {name}")
}
