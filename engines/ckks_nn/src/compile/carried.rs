// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The values that a recurrent cell carries from step to step, in one vector: the arguments of its
//! gates side by side, and the cell state as imaginary part.
//!
//! Each of g arguments has a block of slots, so that one matrix brings a hidden state to all of
//! them before the bootstrap, at level 1, where it is cheapest. One bootstrap serves the arguments
//! and the cell state, and a conjugation separates them. Activations are evaluated on the whole
//! vector, and rotations bring their values to the first block. The other blocks then hold values
//! of other gates, at most 1 by their factors, so that their products and sums stay in the interval
//! of the cell state's values.

use halimede_ckks::Expression;

use super::activation::Approximation;
use super::builder::{concat, matrix_label, Builder, Follows, StageKind};
use super::layer_values::{halves_of, joined, LayerValues};
use super::sides::Side;
use super::slots::{part_name, Slots};
use crate::error::NetworkError;
use crate::graph::{Carried, Node, NodeId, Operator, Shape};
use crate::layout::{Affine, Packing, SlotPlace};

/// The factor of arguments and state that are carried together: z + z̄ is twice a part.
const HALF: f64 = 0.5;

/// The users of values that are carried together.
struct Takers {
    /// Each argument, and its activation.
    gates: Vec<(NodeId, NodeId)>,
    /// The other value.
    state: Option<NodeId>,
}

/// A value that is carried with arguments.
struct State {
    node: NodeId,
    /// The factor of its values, and their bound.
    factor: f64,
    bound: f64,
    /// Half of the values, for each ciphertext.
    sums: Vec<Expression>,
}

impl Builder<'_> {
    /// Computes one of several carried values, from one vector of all of them if they fit side by
    /// side. Otherwise the values stay separate.
    ///
    /// # Errors
    /// [`NetworkError::Slots`] if they would fit into vectors of more slots.
    pub fn carried(
        &mut self,
        id: NodeId,
        node: &Node,
        of: Carried,
        operands: &[&Affine],
    ) -> Result<Affine, NetworkError> {
        if self.sides.done.insert(node.inputs.clone()) {
            self.carry(id, node, of, operands)?;
        }
        Ok(self.sides.states.get(&id).unwrap_or(operands[of.which]).clone())
    }

    /// Constructs the vector of values that are carried together.
    fn carry(
        &mut self,
        id: NodeId,
        node: &Node,
        of: Carried,
        operands: &[&Affine],
    ) -> Result<(), NetworkError> {
        let Some(Takers { gates, state }) = self.takers(node, of) else { return Ok(()) };
        let Some((all, first)) = self.places_beside(id, node, &gates)? else { return Ok(()) };
        let (size, each) = (node.shape.size(), node.shape.size().next_power_of_two());
        let state = match state {
            None => None,
            Some(state) => self.state(state, operands[of.arguments], size, first)?,
        };
        let scale = if state.is_some() { HALF } else { 1.0 };
        let (mut parts, mut approximations) = (Vec::new(), Vec::new());
        for ((_, gate), operand) in gates.iter().zip(operands) {
            let approximation = self.approximation(*gate)?;
            let interval = approximation.interval;
            parts.push((*operand).clone().normalized(interval.middle(), interval.radius()));
            parts.push(Affine::zeros(each - size));
            approximations.push(Some(approximation));
        }
        let made = self.alone_in(id, &concat(&parts).times(scale), all)?;
        let name = &self.source.graph.node(gates[0].1).name;
        let count = made.ciphertexts();
        let bounds = approximations.iter().flatten().map(|found| found.largest());
        let bound = bounds.fold(0.0, f64::max);
        approximations.resize(gates.len().next_power_of_two(), None);
        let (mut arguments, mut values, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for (place, sum) in made.parts.iter().flat_map(|part| &part.sums).enumerate() {
            let name = part_name(name, place, count);
            let mut argument = sum.halves(scale, matrix_label(&name)).remove(0);
            if let Some(State { sums, bound, .. }) = &state {
                let whole = joined(&[argument, sums[place].clone()]);
                let [twice, other] = halves_of(&whole.bounded(scale.hypot(HALF * bound)));
                argument = twice.between(-1.0, 1.0);
                others.push(vec![other.between(-bound, *bound)]);
            }
            if self.source.has_guard {
                self.guards.add(all.block, place, std::slice::from_ref(&argument), None);
            }
            values.extend(Approximation::of_blocks(&approximations, &argument, each)?);
            arguments.push(argument);
        }
        if let Some(State { node, factor, bound, .. }) = state {
            let ciphertexts = Vec::new();
            let held = LayerValues {
                ciphertexts,
                place: first,
                size,
                bound,
                beside: 0.0,
                is_square: false,
            };
            let value = self.hold(held.with(others, bound), factor);
            self.sides.states.insert(node, value);
        }
        for (which, (argument, _)) in gates.into_iter().enumerate() {
            let (arguments, values) = (arguments.clone(), values.clone());
            let behind = which * each;
            let side = Side { arguments, values, bound, behind, place: first, size };
            self.sides.arguments.insert(argument, side);
        }
        self.sides.made = Some(made);
        Ok(())
    }

    /// Returns two places: that of the arguments of all gates next to each other, and that of the
    /// values of one gate. Returns `None` if a vector has too few slots for all arguments, or if a
    /// gate's values already have another place.
    ///
    /// # Errors
    /// [`NetworkError::Slots`] if they would fit into vectors of more slots.
    fn places_beside(
        &mut self,
        id: NodeId,
        node: &Node,
        gates: &[(NodeId, NodeId)],
    ) -> Result<Option<(SlotPlace, SlotPlace)>, NetworkError> {
        let (size, slots) = (node.shape.size(), self.batch.largest());
        let each = size.next_power_of_two();
        let needed = each * gates.len().next_power_of_two();
        if needed > slots && self.may_have_more_slots() {
            let layer = node.name.clone();
            return Err(NetworkError::Slots { layer, needed, slots, most: 1 });
        }
        if needed > slots {
            return Ok(None);
        }
        let block = if self.batch.is_alone() { self.batch.slots() } else { needed };
        let place = |values: usize| -> Result<SlotPlace, NetworkError> {
            let packing = Packing::dense(&Shape::new(&[values])?);
            Ok(SlotPlace { packing, block, period: block })
        };
        let (all, first) = (place(gates.len() * each)?, place(size)?);
        // A group has one place for all steps.
        self.settle(id, [(0..size, first)]);
        let layout = vec![(0..size, first)];
        let stays = gates.iter().all(|(_, gate)| self.layout_of_group(*gate) == Some(&layout));
        Ok(stays.then_some((all, first)))
    }

    /// Returns the state that is carried with arguments, if a ciphertext holds its values in their
    /// place. After a matrix, all other slots are zero.
    fn state(
        &mut self,
        node: NodeId,
        values: &Affine,
        size: usize,
        place: SlotPlace,
    ) -> Result<Option<State>, NetworkError> {
        let found = self.in_places(values, &vec![(0..size, place)]);
        let Some((held, own)) = found.and_then(|mut found| found.pop()) else { return Ok(None) };
        let factor = self.source.groups.wanted(node).unwrap_or(own);
        let bound = held.bound * own / factor;
        let made = self.alone_in(node, &values.times(HALF / factor), place)?;
        let label = matrix_label(&self.source.graph.node(node).name);
        let sums = made.parts.iter().flat_map(|part| &part.sums);
        let sums = sums.flat_map(|sum| sum.halves(HALF * bound, label.clone())).collect();
        Ok(Some(State { node, factor, bound, sums }))
    }

    /// Returns values in a place, with zeros in all other slots.
    fn alone_in(
        &mut self,
        id: NodeId,
        affine: &Affine,
        place: SlotPlace,
    ) -> Result<Slots, NetworkError> {
        let (layout, follows) =
            (vec![(0..affine.constants.len(), place)], Follows::Nothing { spare: 0 });
        let name = &self.source.graph.node(id).name;
        self.affine(name, affine, id, follows, Some(&layout))
    }

    /// Returns the users of values that are carried together; `None` if an argument has another
    /// user.
    fn takers(&self, node: &Node, of: Carried) -> Option<Takers> {
        let mut places = vec![None; node.inputs.len()];
        let mut gates = vec![None; of.arguments];
        for (id, other) in self.source.graph.nodes() {
            match &other.operator {
                Operator::Carried(of) if other.inputs == node.inputs => places[of.which] = Some(id),
                operator => {
                    for input in &other.inputs {
                        let taken =
                            places[..of.arguments].iter().position(|place| *place == Some(*input));
                        let Some(taken) = taken else { continue };
                        let is_only = gates[taken].is_none();
                        if !is_only || !matches!(operator, Operator::Activation(_)) {
                            return None;
                        }
                        gates[taken] = Some(id);
                    }
                }
            }
        }
        let state = places.get(of.arguments).copied().flatten();
        let pairs = places.into_iter().zip(gates).map(|(place, gate)| place.zip(gate));
        Some(Takers { gates: pairs.collect::<Option<Vec<_>>>()?, state })
    }

    /// Returns the activation of an argument that is next to others.
    ///
    /// # Errors
    /// [`NetworkError::Node`] for an activation that was not calibrated.
    pub fn activation_beside(
        &mut self,
        id: NodeId,
        node: &Node,
        side: Side,
    ) -> Result<Affine, NetworkError> {
        let approximation = self.approximation(id)?;
        let Side { arguments, values, bound, behind, place, size } = side;
        let count = arguments.len();
        let made = self.sides.made.take().unwrap_or_default();
        self.stage_of(id, StageKind::Activation(id), count, place.packing.gap(), &made);
        let of_each = |argument| approximation.expression(argument);
        let values = match values.is_empty() {
            true => arguments.iter().map(of_each).collect::<Result<Vec<_>, NetworkError>>()?,
            false => values,
        };
        let in_place = |(part, value): (usize, Expression)| {
            let value = if behind == 0 { value } else { value.rotate(behind as i64) };
            vec![value.labeled(part_name(&node.name, part, count))]
        };
        let values = values.into_iter().enumerate().map(in_place).collect();
        let held = LayerValues {
            ciphertexts: Vec::new(),
            place,
            size,
            bound,
            beside: bound,
            is_square: false,
        };
        Ok(self.hold(held.with(values, bound), approximation.factor))
    }
}
