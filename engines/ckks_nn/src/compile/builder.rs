// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A network as an expression over vectors of some number of slots.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halimede_ckks::{Complex, Expression};

use super::activation::Approximation;
use super::groups::Groups;
use super::held::{in_place, signed_sum, split_in_place, Held};
use super::matrices::Matrices;
use super::slots::{part_name, Part, Slots, Terms};
use crate::calibrate::Range as Interval;
use crate::error::NetworkError;
use crate::graph::{Activation, Graph, Node, NodeId, Operator, Part as Which};
use crate::layout::{partitions, place, place_at, rows, Affine, Packing, Place, Room};

/// The exponent of the guard, whose sum is below 1 only where all arguments are.
const GUARD_EXPONENT: u32 = 16;
/// The promise about the guard's sum, for all results that are valid.
const GUARD_BOUND: f64 = 4.0;

/// A network in slots. Inputs and results of several ciphertexts are parts of one tensor, in order.
pub(super) struct Circuit {
    /// The ciphertexts of the result.
    pub results: Vec<Expression>,
    pub inputs: Vec<Packing>,
    pub outputs: Vec<Packing>,
    /// The slot of the guard in the first ciphertext of the result.
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
    /// The ciphertexts that hold the values.
    pub ciphertexts: usize,
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
    pub input_range: Interval,
    pub has_guard: bool,
}

/// How many ciphertexts there may be.
#[derive(Clone, Copy)]
pub(super) struct Most {
    pub layer: usize,
    pub input: usize,
}

/// The ciphertexts of a value, by the parts that they hold: ranges that follow each other, and where
/// the values of each stand.
type Layout = Vec<(Range<usize>, Place)>;

/// The ciphertexts so far.
struct Builder<'a> {
    source: &'a Source<'a>,
    slots: usize,
    most: Most,
    held: Vec<Held>,
    /// How many of them are the input.
    inputs: usize,
    /// Where values of groups stand.
    places: BTreeMap<usize, Layout>,
    stages: Vec<Stage>,
    guards: Option<Expression>,
    /// Layers that no stage has yet.
    layers: BTreeSet<NodeId>,
    matrices: Matrices,
}

/// The name of one of the ciphertexts of the input in expressions.
pub(super) fn input_name(part: usize, parts: usize) -> String {
    match parts {
        1 => "x".to_owned(),
        _ => format!("x, {} of {parts}", part + 1),
    }
}

/// The circuit of a network whose activations are approximated, for vectors of `slots` slots.
///
/// # Errors
/// [`NetworkError::Slots`] where a layer takes more slots.
pub(super) fn circuit(
    source: &Source<'_>,
    slots: usize,
    most: Most,
) -> Result<Circuit, NetworkError> {
    let graph = source.graph;
    let mut builder = Builder::new(source, slots, most)?;
    let used = graph.used();
    let last_users = graph.last_users();
    let mut values: Vec<Option<Affine>> = Vec::new();
    for (id, node) in graph.nodes() {
        // Of activations that were computed with an earlier one there are values already.
        if values.len() == id.0 {
            builder.node(id, node, &used, &mut values)?;
        }
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
    /// A builder that holds the input.
    fn new(source: &'a Source<'a>, slots: usize, most: Most) -> Result<Self, NetworkError> {
        let node = source.graph.node(source.graph.input());
        let shape = &node.shape;
        let parts = match rows(shape, slots, most.input)?.filter(|_| shape.size() > slots) {
            Some(parts) => parts,
            None => {
                let mut parts = partitions(shape, slots, 0, most.layer)?.into_iter();
                let (layer, needed) = (node.name.clone(), shape.size());
                parts.next().ok_or(NetworkError::Slots {
                    layer,
                    needed,
                    slots,
                    most: most.layer,
                })?
            }
        };
        let (held, inputs) = (Vec::new(), parts.len());
        let (places, stages, layers) = (BTreeMap::new(), Vec::new(), BTreeSet::new());
        let (guards, matrices) = (None, Matrices::default());
        let mut builder =
            Self { source, slots, most, held, inputs, places, stages, guards, layers, matrices };
        let held = |place: usize| Held {
            expression: Expression::input(input_name(place, parts.len())),
            packing: Packing::dense(&parts[place].shape),
            period: slots,
            size: parts[place].range.len(),
            bound: source.input_range.magnitude(),
            is_clear: false,
        };
        builder.held = (0..parts.len()).map(held).collect();
        Ok(builder)
    }

    /// Goes on with a node: its value, or the values of several, come to stand behind all others.
    fn node(
        &mut self,
        id: NodeId,
        node: &Node,
        used: &[bool],
        values: &mut Vec<Option<Affine>>,
    ) -> Result<(), NetworkError> {
        let operands: Vec<&Affine> =
            node.inputs.iter().filter_map(|input| values[input.0].as_ref()).collect();
        let value = match (&node.operator, &operands[..]) {
            _ if !used[id.0] => None,
            (Operator::Input, _) => {
                let part = |(base, held): (usize, &Held)| Affine::of_base(base, held.size, 1.0);
                let parts = self.held[..self.inputs].iter().enumerate().map(part);
                Some(concat(&parts.collect::<Vec<_>>()))
            }
            (Operator::Activation(_), [_]) => {
                let ids = self.activations_from(id, used, values);
                return self.activations(&ids, values);
            }
            (Operator::Product, [a, b]) => Some(self.product(id, node, [a, b])?),
            (Operator::Carried(which), [a, b]) => Some(self.carried(id, *which, [a, b])),
            (Operator::Add | Operator::Subtract, _) if self.source.groups.of(id).is_some() => {
                let sum = Affine::of_node(self.source.graph, node, &operands)?;
                let most = self.largest_blend(node, values);
                Some(self.sum(id, sum, most))
            }
            _ => {
                if !matches!(node.operator, Operator::Reshape(_)) {
                    self.layers.insert(id);
                }
                Some(Affine::of_node(self.source.graph, node, &operands)?)
            }
        };
        values.push(value);
        Ok(())
    }

    /// Values in places, or in the cheapest: for each part a matrix, or several, sums of what stands
    /// there already, and constants. `after` is how many key switches follow for each ciphertext.
    fn affine(
        &mut self,
        name: &str,
        affine: &Affine,
        of: NodeId,
        room: [usize; 2],
        wanted: Option<&Layout>,
    ) -> Result<Slots, NetworkError> {
        let terms = self.terms(name, affine, of, room, wanted)?;
        Slots::of(terms, &self.held, self.slots)
    }

    /// The terms of those sums.
    fn terms(
        &mut self,
        name: &str,
        affine: &Affine,
        of: NodeId,
        [spare, after]: [usize; 2],
        wanted: Option<&Layout>,
    ) -> Result<Vec<Terms>, NetworkError> {
        if affine.terms.is_empty() {
            let reason = "its values do not depend on the network's input";
            return Err(NetworkError::node(name, reason));
        }
        let packings: Vec<Packing> = self.held.iter().map(|held| held.packing).collect();
        let Some(wanted) = wanted else {
            let shape = &self.source.graph.node(of).shape;
            let room = Room { slots: self.slots, spare, most: self.most.layer, after };
            let mut parts = place(name, affine, shape, &packings, room)?;
            parts.iter_mut().for_each(|(_, placed)| self.matrices.share(placed));
            return Ok(parts.into_iter().map(|(range, placed)| (range, placed, None)).collect());
        };
        let part = |(range, place): &(Range<usize>, Place)| {
            let (own, rest) = split_in_place(&affine.rows(range.clone()), &self.held, *place);
            let mut placed = place_at(*place, &rest, &packings, self.slots)?;
            self.matrices.share(&mut placed);
            Ok((range.clone(), placed, signed_sum(&own, &self.held)))
        };
        wanted.iter().map(part).collect()
    }

    /// Where the values of a node's group stand, if it has one: where terms stand that need no
    /// matrix, as long as nothing else is known.
    fn layout_of(&self, id: NodeId, affine: &Affine) -> Option<Layout> {
        let group = self.source.groups.of(id)?;
        self.places.get(&group).cloned().or_else(|| {
            let parts = affine.scalar_parts(|base| self.held[base].size)?;
            let place = |(range, base): (Range<usize>, usize)| (range, self.held[base].place());
            Some(parts.into_iter().map(place).collect())
        })
    }

    /// Notes where the values of a node's group stand.
    fn settle(&mut self, id: NodeId, parts: impl IntoIterator<Item = (Range<usize>, Place)>) {
        if let Some(group) = self.source.groups.of(id) {
            self.places.entry(group).or_insert_with(|| parts.into_iter().collect());
        }
    }

    /// A ciphertext, and its values times a factor.
    fn hold(&mut self, held: Held, factor: f64) -> Affine {
        let affine = Affine::of_base(self.held.len(), held.size, factor);
        self.held.push(held);
        affine
    }

    /// Values that are the numbers of ciphertexts in places, each over a factor: in all places or none.
    fn in_places(&self, affine: &Affine, layout: &Layout) -> Option<Vec<(Held, f64)>> {
        let part = |(range, place): &(Range<usize>, Place)| {
            in_place(&affine.rows(range.clone()), &self.held, *place, self.slots)
        };
        layout.iter().map(part).collect()
    }

    /// The activations from one on that follow each other in the graph, and whose arguments are of the
    /// same ciphertexts, as those of a recurrent cell's gates: their matrices share rotations.
    fn activations_from(
        &self,
        first: NodeId,
        used: &[bool],
        values: &[Option<Affine>],
    ) -> Vec<NodeId> {
        let bases = |id: NodeId| {
            let node = self.source.graph.node(id);
            let is_activation = matches!(node.operator, Operator::Activation(_)) && used[id.0];
            let argument =
                values.get(node.inputs.first().filter(|_| is_activation)?.0)?.as_ref()?;
            Some(argument.terms.keys().copied().collect::<Vec<_>>())
        };
        let (of_first, last) = (bases(first), self.source.graph.nodes().count());
        let following = (first.0 + 1..last).map(NodeId).take_while(|id| bases(*id) == of_first);
        std::iter::once(first).chain(following).collect()
    }

    /// Activations whose matrices share rotations. Their values come to stand behind all others.
    fn activations(
        &mut self,
        ids: &[NodeId],
        values: &mut Vec<Option<Affine>>,
    ) -> Result<(), NetworkError> {
        let graph = self.source.graph;
        let mut terms = Vec::with_capacity(ids.len());
        for id in ids {
            let node = graph.node(*id);
            let argument = values[node.inputs[0].0].as_ref();
            let argument = argument.ok_or_else(|| NetworkError::node(&node.name, "no argument"))?;
            let approximation = self.approximation(*id)?;
            let interval = approximation.interval;
            let affine = argument.clone().normalized(interval.middle(), interval.radius());
            let wanted = self.layout_of(*id, &affine);
            let after = [0, approximation.products()];
            let of_one = self.terms(&node.name, &affine, *id, after, wanted.as_ref())?;
            self.settle(*id, of_one.iter().map(|(range, at, _)| (range.clone(), at.place())));
            terms.push(of_one);
        }
        for (id, slots) in ids.iter().zip(Slots::of_several(terms, &self.held, self.slots)?) {
            let node = graph.node(*id);
            let (value, argument) = self.activation(*id, node, &slots)?;
            // What is known of an argument without a matrix helps others that take it.
            if let Some(argument) = argument {
                values[node.inputs[0].0] = Some(argument);
            }
            values.push(Some(value));
        }
        Ok(())
    }

    /// What stands for an activation.
    fn approximation(&self, id: NodeId) -> Result<&'a Approximation, NetworkError> {
        let found = self.source.approximations.iter().find(|(of, _)| *of == id);
        let name = &self.source.graph.node(id).name;
        found
            .map(|(_, found)| found)
            .ok_or_else(|| NetworkError::node(name, "it was not calibrated"))
    }

    /// An activation. Its argument is scaled to [−1, 1] by the matrix, or is there without one: then
    /// the argument's values are given too, by what is known of them.
    fn activation(
        &mut self,
        id: NodeId,
        node: &Node,
        slots: &Slots,
    ) -> Result<(Affine, Option<Affine>), NetworkError> {
        let approximation = self.approximation(id)?;
        let (interval, parts) = (approximation.interval, &slots.parts);
        self.stage(id, StageKind::Activation(id), slots);
        let (mut values, mut arguments) = (Vec::new(), Vec::new());
        for (place, Part { range, expression, placed }) in parts.iter().enumerate() {
            let name = part_name(&node.name, place, parts.len());
            let argument = expression.between(-1.0, 1.0).labelled(matrix_label(&name));
            let result = approximation.expression(&argument)?.labelled(name);
            if self.source.has_guard {
                let power = argument.powi(GUARD_EXPONENT);
                self.guards = Some(match self.guards.take() {
                    Some(sum) => sum + power,
                    None => power,
                });
            }
            let held = Held {
                expression: result,
                packing: placed.packing,
                period: placed.period,
                size: range.len(),
                bound: approximation.largest(),
                is_clear: approximation.is_clear(),
            };
            let is_known = placed.matrices.is_empty();
            arguments.extend(is_known.then(|| {
                let known =
                    Held { expression: argument, bound: 1.0, is_clear: true, ..held.clone() };
                let mut known = self.hold(known, interval.radius());
                known.constants.iter_mut().for_each(|constant| *constant = interval.middle());
                known
            }));
            values.push(self.hold(held, approximation.factor));
        }
        let arguments = (arguments.len() == parts.len()).then(|| concat(&arguments));
        Ok((concat(&values), arguments))
    }

    /// A product of two values, each of which takes a matrix where it is no ciphertext in the place.
    fn product(
        &mut self,
        id: NodeId,
        node: &Node,
        operands: [&Affine; 2],
    ) -> Result<Affine, NetworkError> {
        let mut wanted = operands.iter().find_map(|affine| self.layout_of(id, affine));
        let mut found = operands.map(|affine| self.in_places(affine, wanted.as_ref()?));
        let mut made = Slots::default();
        for place in 0..2 {
            if found[place].is_some() {
                continue;
            }
            let largest = operands[place].largest(|base| self.held[base].bound);
            // What each part is divided by: as the other's is wanted to be multiplied.
            let factor = |part: usize| {
                let other = found[1 - place].as_ref().map(|held| held[part].1);
                let wanted = self.source.groups.wanted(id).zip(other);
                let factor = wanted.map(|(wanted, other)| wanted / other);
                factor.unwrap_or(largest).max(f64::MIN_POSITIVE)
            };
            let affine = match &wanted {
                None => operands[place].times(1.0 / factor(0)),
                Some(layout) => {
                    let part = |(part, (range, _)): (usize, &(Range<usize>, Place))| {
                        operands[place].rows(range.clone()).times(1.0 / factor(part))
                    };
                    concat(&layout.iter().enumerate().map(part).collect::<Vec<_>>())
                }
            };
            let slots = self.affine(&node.name, &affine, id, [0, 1], wanted.as_ref())?;
            let parts = &slots.parts;
            let held = |(place, part): (usize, &Part)| {
                let (packing, period) = part.placed.place();
                let factor = factor(place);
                let bound = largest / factor;
                let name = part_name(&node.name, place, parts.len());
                let expression =
                    part.expression.between(-bound, bound).labelled(matrix_label(&name));
                let size = part.range.len();
                (Held { expression, packing, period, size, bound, is_clear: true }, factor)
            };
            found[place] = Some(parts.iter().enumerate().map(held).collect());
            let layout = parts.iter().map(|part| (part.range.clone(), part.placed.place()));
            wanted.get_or_insert_with(|| layout.collect());
            made = slots;
        }
        let ([Some(a), Some(b)], Some(layout)) = (found, wanted) else {
            return Err(NetworkError::node(&node.name, "its values have no slots"));
        };
        self.settle(id, layout);
        let count = a.len();
        self.stage_of(id, StageKind::Product, count, a[0].0.packing.gap(), &made);
        let product = |(place, ((a, factor_a), (b, factor_b))): (usize, _)| {
            let (a, b): (Held, Held) = (a, b);
            let held = Held {
                expression: (a.expression * b.expression)
                    .labelled(part_name(&node.name, place, count)),
                bound: a.bound * b.bound,
                is_clear: a.is_clear || b.is_clear,
                ..a
            };
            self.hold(held, factor_a * factor_b)
        };
        let products: Vec<Affine> = a.into_iter().zip(b).enumerate().map(product).collect();
        Ok(concat(&products))
    }

    /// A sum, as ciphertexts where it takes no matrix: what takes it is bootstrapped once. `most` is
    /// what its values are known not to exceed.
    fn sum(&mut self, id: NodeId, sum: Affine, most: Option<f64>) -> Affine {
        let layout = self.layout_of(id, &sum);
        let Some(layout) = layout.filter(|layout| sum.terms.len() > layout.len()) else {
            return sum;
        };
        let Some(found) = self.in_places(&sum, &layout) else { return sum };
        let held = |(mut held, factor): (Held, f64)| {
            held.bound = most.map_or(held.bound, |most| held.bound.min(most / factor));
            held.expression = held.expression.between(-held.bound, held.bound);
            self.hold(held, factor)
        };
        concat(&found.into_iter().map(held).collect::<Vec<_>>())
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
    fn carried(&mut self, id: NodeId, which: Which, both: [&Affine; 2]) -> Affine {
        let own = match which {
            Which::First => 0,
            Which::Second => 1,
        };
        let layout = both.iter().find_map(|affine| self.layout_of(id, affine));
        let found = layout.and_then(|layout| {
            Some([self.in_places(both[0], &layout)?, self.in_places(both[1], &layout)?])
        });
        let Some([x, y]) = found else { return both[own].clone() };
        let i = Expression::from(Complex::new(0.0, 1.0));
        let part = |((x, factor_x), (y, factor_y)): ((Held, f64), (Held, f64))| {
            let together = (&x.expression + &y.expression * &i).bounded(x.bound.hypot(y.bound));
            let conjugate = together.conjugate();
            let (twice, of, factor) = match which {
                Which::First => (together + conjugate, x, factor_x),
                Which::Second => ((conjugate - together) * &i, y, factor_y),
            };
            let bound = 2.0 * of.bound;
            let held = Held { expression: twice.between(-bound, bound), bound, ..of };
            self.hold(held, factor / 2.0)
        };
        concat(&x.into_iter().zip(y).map(part).collect::<Vec<_>>())
    }

    /// The output. The guard is added in all slots of its first ciphertext.
    fn finish(mut self, name: &str, affine: &Affine) -> Result<Circuit, NetworkError> {
        let guards = self.guards.take();
        let spare = usize::from(guards.is_some());
        let output = self.source.graph.output();
        // Without a matrix, where all that it takes is there.
        let in_place = self.layout_of(output, affine).filter(|layout| {
            layout.iter().all(|(range, (packing, period))| {
                let part = affine.rows(range.clone());
                let (_, rest) = split_in_place(&part, &self.held, (*packing, *period));
                rest.terms.is_empty() && packing.extent() + spare <= *period
            })
        });
        let slots = self.affine(name, affine, output, [spare, 0], in_place.as_ref())?;
        self.stage(output, StageKind::Output, &slots);
        let parts = &slots.parts;
        let inputs = self.held[..self.inputs].iter().map(|held| held.packing).collect();
        let guard = guards.as_ref().and(parts.first()).map(|part| part.placed.packing.extent());
        let mut guards = guards;
        let result = |(place, part): (usize, &Part)| {
            let name = part_name(name, place, parts.len());
            let value = match guards.take() {
                None => part.expression.clone(),
                Some(guards) => {
                    let sum = guards.sum().between(0.0, GUARD_BOUND).labelled("guard");
                    part.expression.labelled(matrix_label(&name)) + sum
                }
            };
            value.labelled(format!("output {name}"))
        };
        let results = parts.iter().enumerate().map(result).collect();
        let outputs = parts.iter().map(|part| part.placed.packing).collect();
        Ok(Circuit { results, inputs, outputs, guard, stages: self.stages })
    }

    fn stage(&mut self, id: NodeId, kind: StageKind, slots: &Slots) {
        let gap = slots.parts.first().map_or(1, |part| part.placed.packing.gap());
        self.stage_of(id, kind, slots.parts.len(), gap, slots);
    }

    /// The names of the layers up to a node that no other stage has.
    fn take_layers(&mut self, id: NodeId) -> Vec<String> {
        let graph = self.source.graph;
        let (mut found, mut pending) = (BTreeSet::new(), vec![id]);
        while let Some(next) = pending.pop() {
            let is_layer = self.layers.remove(&next);
            found.extend(is_layer.then_some(next));
            let node = graph.node(next);
            if is_layer || next == id || matches!(node.operator, Operator::Reshape(_)) {
                pending.extend(&node.inputs);
            }
        }
        found.into_iter().map(|id| graph.node(id).name.clone()).collect()
    }

    /// The same of more ciphertexts than those that take a matrix.
    fn stage_of(
        &mut self,
        id: NodeId,
        kind: StageKind,
        ciphertexts: usize,
        gap: usize,
        slots: &Slots,
    ) {
        let matrices = slots.parts.iter().flat_map(|part| part.placed.matrices.values());
        let layers = self.take_layers(id);
        self.stages.push(Stage {
            name: self.source.graph.node(id).name.clone(),
            layers,
            kind,
            ciphertexts,
            diagonals: matrices.map(|matrix| matrix.steps().count()).sum(),
            rotations: slots.rotations,
            gap,
        });
    }
}

/// The values of parts, one after the other.
fn concat(parts: &[Affine]) -> Affine {
    Affine::concat(&parts.iter().collect::<Vec<_>>())
}

/// The label of an activation's argument.
pub(super) fn matrix_label(name: &str) -> String {
    format!("matrix of {name}")
}
