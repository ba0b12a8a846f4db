// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Converts a network to an expression over vectors with a given number of slots.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use halimede_ckks::Expression;

use super::activation::Approximation;
use super::groups::Groups;
use super::guard::Guards;
use super::layer_values::{beside_of, in_place, signed_sum, split_in_place, Joined, LayerValues};
use super::matrices::Matrices;
use super::sides::Sides;
use super::slots::{part_name, Part, Slots, Sum, Terms};
use crate::calibrate::Range as Interval;
use crate::error::NetworkError;
use crate::graph::{Graph, Node, NodeId, Operator};
use crate::layout::{
    partitions, place, place_at, rows, Affine, Batch, Packing, Room, SlotPlace, TensorPart,
    KEY_SWITCH, MOST_CIPHERTEXTS,
};

/// A network in slots. Inputs and results in several ciphertexts are parts of one tensor, in order.
pub(super) struct Circuit {
    /// The ciphertexts of the result.
    pub results: Vec<Expression>,
    /// The places of the parts of an input and of a result.
    pub inputs: Vec<SlotPlace>,
    pub outputs: Vec<SlotPlace>,
    /// The slot of the guard in blocks of the first part of the result.
    pub guard: Option<usize>,
    pub stages: Vec<Stage>,
}

impl Circuit {
    /// Returns `true` if an input has room for its values more than once.
    pub fn could_repeat(&self) -> bool {
        self.inputs.iter().any(|place| place.packing.extent().next_power_of_two() < place.block)
    }

    /// Returns the cost of all matrices, in products with plaintexts.
    pub fn matrix_cost(&self) -> usize {
        let of_stage = |stage: &Stage| stage.diagonals + KEY_SWITCH * stage.rotations;
        self.stages.iter().map(of_stage).sum()
    }
}

/// A matrix and the operation after it.
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

/// The operation after a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StageKind {
    Activation(NodeId),
    Product,
    Output,
}

/// The input of compilation.
pub(super) struct Source<'a> {
    pub graph: &'a Graph,
    pub approximations: &'a [(NodeId, Approximation)],
    pub groups: &'a Groups,
    pub input_range: Interval,
    pub has_guard: bool,
    /// The cost of one more ciphertext in later layers, in key switches at low levels.
    pub later: usize,
}

/// The form of an input, and the limits on numbers of ciphertexts.
#[derive(Clone, Copy)]
pub(super) struct Most {
    pub layer: usize,
    pub input: usize,
    /// `true` if a single input's values repeat in its slots.
    pub repeats: bool,
}

/// The computation on a matrix's values.
#[derive(Clone, Copy)]
pub(super) enum Follows {
    /// An operation with this number of key switches in each ciphertext.
    Switches(usize),
    /// No operation: the values are a result, which leaves `spare` slots free.
    Nothing { spare: usize },
}

/// The ciphertexts of a value: consecutive ranges of values, and the place of each range.
pub(super) type Layout = Vec<(Range<usize>, SlotPlace)>;

/// The ciphertexts constructed so far.
pub(super) struct Builder<'a> {
    pub source: &'a Source<'a>,
    pub batch: Batch,
    most: Most,
    pub held: Vec<LayerValues>,
    /// The number of ciphertexts of the input.
    inputs: usize,
    /// The places of groups' values.
    places: BTreeMap<usize, Layout>,
    stages: Vec<Stage>,
    pub guards: Guards,
    /// Layers that do not belong to a stage yet.
    layers: BTreeSet<NodeId>,
    matrices: Matrices,
    pub sides: Sides,
}

/// Returns the name of one of the ciphertexts of the input in expressions.
pub(super) fn input_name(part: usize, parts: usize) -> String {
    match parts {
        1 => "x".to_owned(),
        _ => format!("x, {} of {parts}", part + 1),
    }
}

/// Returns the circuit of a network with approximated activations, for the inputs of a batch.
///
/// # Errors
/// [`NetworkError::Slots`] if a layer needs more slots.
pub(super) fn circuit(
    source: &Source<'_>,
    batch: Batch,
    most: Most,
) -> Result<Circuit, NetworkError> {
    let graph = source.graph;
    let mut builder = Builder::new(source, batch, most)?;
    let used = graph.used();
    let last_users = graph.last_users();
    let mut values: Vec<Option<Affine>> = Vec::new();
    for (id, node) in graph.nodes() {
        // Activations that were computed together with an earlier one already have values.
        if values.len() == id.0 {
            builder.node(id, node, &used, &mut values)?;
        }
        // Matrices of layers are large, and are dropped; those of groups are used again.
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
    /// Returns a builder that holds the input.
    fn new(source: &'a Source<'a>, batch: Batch, most: Most) -> Result<Self, NetworkError> {
        let node = source.graph.node(source.graph.input());
        let (shape, slots) = (&node.shape, batch.largest());
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
        let block = |part: &TensorPart| match batch.is_alone() {
            true => slots,
            false => part.range.len().next_power_of_two(),
        };
        let blocks: Vec<usize> = parts.iter().map(block).collect();
        let count = blocks.iter().map(|block| batch.ciphertexts(*block)).sum();
        let mut names = (0..count).map(|part| input_name(part, count));
        let held = |(part, block): (&TensorPart, usize)| {
            let period = match most.repeats && batch.is_alone() {
                true => part.range.len().next_power_of_two(),
                false => block,
            };
            let named = names.by_ref().take(batch.ciphertexts(block));
            let joined = |name: String| {
                let whole = Expression::input(name);
                // The parts of a pair are known where a conjugation is worth it.
                let halves = if batch.is_paired() { Vec::new() } else { vec![whole.clone()] };
                Joined { whole, halves }
            };
            LayerValues {
                ciphertexts: named.map(joined).collect(),
                place: SlotPlace { packing: Packing::dense(&part.shape), block, period },
                size: part.range.len(),
                bound: source.input_range.magnitude(),
                beside: source.input_range.magnitude(),
                is_square: false,
            }
        };
        let held: Vec<LayerValues> = parts.iter().zip(blocks).map(held).collect();
        Ok(Self {
            source,
            batch,
            most,
            inputs: held.len(),
            held,
            places: BTreeMap::new(),
            stages: Vec::new(),
            guards: Guards::default(),
            layers: BTreeSet::new(),
            matrices: Matrices::default(),
            sides: Sides::default(),
        })
    }

    /// Adds a node: its value, or several values, are appended to the values so far.
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
                let part =
                    |(base, held): (usize, &LayerValues)| Affine::of_base(base, held.size, 1.0);
                let parts = self.held[..self.inputs].iter().enumerate().map(part);
                Some(concat(&parts.collect::<Vec<_>>()))
            }
            (Operator::Activation(_), [_]) => match self.sides.of(node).cloned() {
                Some(side) => Some(self.activation_beside(id, node, side)?),
                None => {
                    let ids = self.activations_from(id, used, values);
                    return self.activations(&ids, values);
                }
            },
            (Operator::Product, [a, b]) => Some(self.product(id, node, [a, b])?),
            (Operator::Carried(of), all) => Some(self.carried(id, node, *of, all)?),
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

    /// Computes values in given places, or in the cheapest: for each part one or several matrices,
    /// sums of ciphertexts already in place, and constants.
    pub fn affine(
        &mut self,
        name: &str,
        affine: &Affine,
        of: NodeId,
        follows: Follows,
        wanted: Option<&Layout>,
    ) -> Result<Slots, NetworkError> {
        let terms = self.terms(name, affine, of, follows, wanted)?;
        Slots::of(terms, &self.held, self.batch)
    }

    /// Returns the terms of those sums.
    fn terms(
        &mut self,
        name: &str,
        affine: &Affine,
        of: NodeId,
        follows: Follows,
        wanted: Option<&Layout>,
    ) -> Result<Vec<Terms>, NetworkError> {
        if affine.terms.is_empty() {
            let reason = "its values do not depend on the network's input";
            return Err(NetworkError::node(name, reason));
        }
        let places: Vec<SlotPlace> = self.held.iter().map(|held| held.place).collect();
        // The parts of a pair are z + z̄ and −i·(z − z̄) of half of it.
        let scale = match (follows, self.batch.is_paired()) {
            (Follows::Switches(_), true) => 0.5,
            _ => 1.0,
        };
        let batch = self.batch;
        let terms = match wanted {
            None => {
                let shape = &self.source.graph.node(of).shape;
                let (spare, after) = match follows {
                    Follows::Switches(after) => (0, Some(after)),
                    Follows::Nothing { spare } => (spare, None),
                };
                let (most, later) = (self.most.layer, self.source.later);
                let room = Room { batch, spare, most, after, later, scale };
                let mut parts = place(name, affine, shape, &places, room)?;
                parts.iter_mut().for_each(|(_, placed)| self.matrices.share(placed));
                let of_matrix = |(range, placed)| Terms { range, placed, own: None, beside: 0.0 };
                parts.into_iter().map(of_matrix).collect()
            }
            Some(wanted) => {
                // A bound holds for all slots: it is at most 1 for an activation's argument. A
                // result has zeros next to its values.
                let most = if matches!(follows, Follows::Switches(_)) { 1.0 } else { 0.0 };
                let part = |(range, place): &(Range<usize>, SlotPlace)| {
                    let (own, rest) =
                        split_in_place(&affine.rows(range.clone()), &self.held, *place, most);
                    let mut placed = place_at(*place, &rest, &places, batch, scale)?;
                    self.matrices.share(&mut placed);
                    let beside = beside_of(&own, &self.held);
                    let own = signed_sum(&own, &self.held);
                    Ok(Terms { range: range.clone(), placed, own, beside })
                };
                wanted.iter().map(part).collect::<Result<Vec<Terms>, NetworkError>>()?
            }
        };
        let got = terms.iter().map(|of| of.placed.matrices.len()).sum();
        match got <= MOST_CIPHERTEXTS.max(terms.len()) {
            true => Ok(terms),
            false => {
                let what = format!("ciphertexts of the batch's layer {name}");
                Err(NetworkError::Limit { what, got, limit: MOST_CIPHERTEXTS })
            }
        }
    }

    /// Returns the places of a node's group, if the node has a group: the places of terms that need
    /// no matrix, unless the group already has places.
    pub fn layout_of(&self, id: NodeId, affine: &Affine) -> Option<Layout> {
        let group = self.source.groups.of(id)?;
        self.places.get(&group).cloned().or_else(|| {
            let parts = affine.scalar_parts(|base| self.held[base].size)?;
            let place = |(range, base): (Range<usize>, usize)| (range, self.held[base].place);
            Some(parts.into_iter().map(place).collect())
        })
    }

    /// Returns the places of a node's group, if they are known.
    pub fn layout_of_group(&self, id: NodeId) -> Option<&Layout> {
        self.places.get(&self.source.groups.of(id)?)
    }

    /// Returns `true` if vectors may have more slots.
    pub fn may_have_more_slots(&self) -> bool {
        self.most.layer == 1
    }

    /// Sets the places of a node's group.
    pub fn settle(
        &mut self,
        id: NodeId,
        parts: impl IntoIterator<Item = (Range<usize>, SlotPlace)>,
    ) {
        if let Some(group) = self.source.groups.of(id) {
            self.places.entry(group).or_insert_with(|| parts.into_iter().collect());
        }
    }

    /// Adds a ciphertext, and returns its values times a factor.
    pub fn hold(&mut self, held: LayerValues, factor: f64) -> Affine {
        let affine = Affine::of_base(self.held.len(), held.size, factor);
        self.held.push(held);
        affine
    }

    /// Returns the ciphertexts that hold the values in these places, each divided by a factor, if
    /// there is one for every place.
    pub fn in_places(&self, affine: &Affine, layout: &Layout) -> Option<Vec<(LayerValues, f64)>> {
        let part = |(range, place): &(Range<usize>, SlotPlace)| {
            in_place(&affine.rows(range.clone()), &self.held, *place, self.batch)
        };
        layout.iter().map(part).collect()
    }

    /// Returns consecutive activations of the graph, from one on, whose arguments come from the
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

    /// Computes activations whose matrices share rotations. Their values are appended to the values
    /// so far.
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
            let follows = Follows::Switches(approximation.products());
            let of_one = self.terms(&node.name, &affine, *id, follows, wanted.as_ref())?;
            self.settle(*id, of_one.iter().map(|of| (of.range.clone(), of.placed.place)));
            terms.push(of_one);
        }
        for (id, slots) in ids.iter().zip(Slots::of_several(terms, &self.held, self.batch)?) {
            let node = graph.node(*id);
            let (value, argument) = self.activation(*id, node, &slots)?;
            // The bound of an argument without a matrix also serves its other users.
            if let Some(argument) = argument {
                values[node.inputs[0].0] = Some(argument);
            }
            values.push(Some(value));
        }
        Ok(())
    }

    /// Returns the approximation of an activation.
    pub fn approximation(&self, id: NodeId) -> Result<&'a Approximation, NetworkError> {
        let found = self.source.approximations.iter().find(|(of, _)| *of == id);
        let name = &self.source.graph.node(id).name;
        found
            .map(|(_, found)| found)
            .ok_or_else(|| NetworkError::node(name, "it was not calibrated"))
    }

    /// Returns an activation. The matrix scales its argument to [−1, 1]. If the argument needs no
    /// matrix, its values are returned too, with the known bound.
    fn activation(
        &mut self,
        id: NodeId,
        node: &Node,
        slots: &Slots,
    ) -> Result<(Affine, Option<Affine>), NetworkError> {
        let approximation = self.approximation(id)?;
        let (interval, parts) = (approximation.interval, &slots.parts);
        self.stage(id, StageKind::Activation(id), slots);
        let count = slots.ciphertexts();
        let mut names = (0..count).map(|place| part_name(&node.name, place, count));
        let (mut values, mut arguments) = (Vec::new(), Vec::new());
        for Part { range, placed, beside, sums } in parts {
            let (mut of_part, mut results) = (Vec::new(), Vec::new());
            for ((of, sum), name) in sums.iter().enumerate().zip(&mut names) {
                let arguments = sum.halves(1.0, matrix_label(&name));
                let result =
                    |argument| Ok(approximation.expression(argument)?.labeled(name.as_str()));
                let result: Vec<Expression> =
                    arguments.iter().map(result).collect::<Result<_, NetworkError>>()?;
                if self.source.has_guard {
                    let place = placed.place;
                    let ones = || place.spread(&vec![1.0; range.len()], of, self.batch);
                    let is_filled = place.packing.count() == place.period;
                    let is_zero = *beside == 0.0 && approximation.positive.is_none();
                    let mask = (!is_filled && !is_zero).then(ones);
                    let checked: Vec<Vec<Expression>> = arguments
                        .iter()
                        .zip(&result)
                        .map(|(argument, result)| approximation.checked(argument, result))
                        .collect();
                    for number in 0..checked.first().map_or(0, Vec::len) {
                        let halves: Vec<Expression> =
                            checked.iter().map(|all| all[number].clone()).collect();
                        self.guards.add(place.block, of, &halves, mask.as_deref());
                    }
                }
                results.push(result);
                of_part.push(arguments);
            }
            let held = LayerValues {
                ciphertexts: Vec::new(),
                place: placed.place,
                size: range.len(),
                bound: 0.0,
                beside: approximation.beside(*beside),
                is_square: false,
            };
            if placed.matrices.iter().all(BTreeMap::is_empty) {
                let known = LayerValues { beside: *beside, ..held.clone() }.with(of_part, 1.0);
                let mut known = self.hold(known, interval.radius());
                known.constants.iter_mut().for_each(|constant| *constant = interval.middle());
                arguments.push(known);
            }
            let held = held.with(results, approximation.largest());
            values.push(self.hold(held, approximation.factor));
        }
        let arguments = (arguments.len() == parts.len()).then(|| concat(&arguments));
        Ok((concat(&values), arguments))
    }

    /// Returns the output, and the guard next to its first part.
    fn finish(mut self, name: &str, affine: &Affine) -> Result<Circuit, NetworkError> {
        let spare = usize::from(self.guards.is_there());
        let output = self.source.graph.output();
        // No matrix is needed if all parts are already in place.
        let in_place = self.layout_of(output, affine).filter(|layout| {
            layout.iter().all(|(range, place)| {
                let part = affine.rows(range.clone());
                let (_, rest) = split_in_place(&part, &self.held, *place, 0.0);
                rest.terms.is_empty() && place.packing.extent() + spare <= place.period
            })
        });
        let follows = Follows::Nothing { spare };
        let slots = self.affine(name, affine, output, follows, in_place.as_ref())?;
        self.stage(output, StageKind::Output, &slots);
        let place = |part: &Part| part.placed.place;
        let outputs: Vec<SlotPlace> = slots.parts.iter().map(place).collect();
        let guard = outputs.first().filter(|_| spare > 0).map(|place| place.packing.extent());
        let guards = std::mem::take(&mut self.guards);
        let guards = match (guard, self.batch.is_alone()) {
            (Some(slot), false) => guards.of_batch(self.batch, outputs[0].block, slot)?,
            _ => vec![guards.of_one()],
        };
        // The guards of the ciphertexts of the first part.
        let guards = guards.into_iter().chain(std::iter::repeat(None));
        let count = slots.ciphertexts();
        let result = |((place, sum), guard): ((usize, &Sum), Option<Expression>)| {
            let name = part_name(name, place, count);
            let value = match guard {
                None => sum.whole(),
                Some(guard) => sum.whole().labeled(matrix_label(&name)) + guard,
            };
            value.labeled(format!("output {name}"))
        };
        let sums = slots.parts.iter().flat_map(|part| &part.sums);
        let results = sums.enumerate().zip(guards).map(result).collect();
        let inputs = self.held[..self.inputs].iter().map(|held| held.place).collect();
        Ok(Circuit { results, inputs, outputs, guard, stages: self.stages })
    }

    fn stage(&mut self, id: NodeId, kind: StageKind, slots: &Slots) {
        let gap = slots.parts.first().map_or(1, |part| part.placed.place.packing.gap());
        self.stage_of(id, kind, slots.ciphertexts(), gap, slots);
    }

    /// Returns the names of the layers up to a node that no other stage has.
    fn take_layers(&mut self, id: NodeId) -> Vec<String> {
        let graph = self.source.graph;
        let (mut found, mut pending) = (BTreeSet::new(), vec![id]);
        while let Some(next) = pending.pop() {
            let is_layer = self.layers.remove(&next);
            found.extend(is_layer.then_some(next));
            let node = graph.node(next);
            match &node.operator {
                Operator::Carried(of) => pending.push(node.inputs[of.which]),
                Operator::Reshape(_) => pending.extend(&node.inputs),
                _ if is_layer || next == id => pending.extend(&node.inputs),
                _ => {}
            }
        }
        found.into_iter().map(|id| graph.node(id).name.clone()).collect()
    }

    /// As [`Self::stage`], with more ciphertexts than those with a matrix.
    pub fn stage_of(
        &mut self,
        id: NodeId,
        kind: StageKind,
        ciphertexts: usize,
        gap: usize,
        slots: &Slots,
    ) {
        let rows = slots.parts.iter().flat_map(|part| &part.placed.matrices);
        let matrices = rows.flat_map(BTreeMap::values);
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

/// Returns the concatenated values of parts.
pub(super) fn concat(parts: &[Affine]) -> Affine {
    Affine::concat(&parts.iter().collect::<Vec<_>>())
}

/// Returns the label of an activation's argument.
pub(super) fn matrix_label(name: &str) -> String {
    format!("matrix of {name}")
}
