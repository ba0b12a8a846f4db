// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a recurrent cell carries from step to step, in one vector: the arguments of its gates side by side,
//! and the cell state as imaginary part.
//!
//! Each of g arguments has a block of slots, so that one matrix brings a hidden state to all of them, before
//! the bootstrap: at level 1, where that costs least. One bootstrap serves them and the cell state, which are
//! taken apart by a conjugation. Activations are taken of the whole vector, and rotations bring their values to
//! the first block. In the other blocks there are those of other gates then, up to 1 by their factors, so that
//! products and sums of them stay in the interval that the cell state's own values have.

use halimede_ckks::Expression;

use super::builder::{concat, matrix_label, Builder, StageKind};
use super::held::{halves_of, joined, Held, Joined};
use super::sides::Side;
use super::slots::{part_name, Slots, Terms};
use crate::error::NetworkError;
use crate::graph::{Carried, Node, NodeId, Operator, Shape};
use crate::layout::{place_at, Affine, Packing, Place};

/// What a state is divided by more than it is to be, since z + z̄ is twice a part.
const HALF: f64 = 0.5;

impl Builder<'_> {
    /// One of several values, by a vector of all of them where they have room side by side. Otherwise they
    /// are what they are.
    ///
    /// # Errors
    /// [`NetworkError::Slots`] where vectors of more slots may have that room.
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

    /// Makes the vector of values that are carried together.
    fn carry(
        &mut self,
        id: NodeId,
        node: &Node,
        of: Carried,
        operands: &[&Affine],
    ) -> Result<(), NetworkError> {
        let Some((gates, state)) = self.takers(node, of) else { return Ok(()) };
        let size = node.shape.size();
        let each = size.next_power_of_two();
        let needed = each * of.arguments.next_power_of_two();
        let slots = self.batch.largest();
        if needed > slots {
            return match self.may_have_more_slots() {
                true => {
                    Err(NetworkError::Slots { layer: node.name.clone(), needed, slots, most: 1 })
                }
                false => Ok(()),
            };
        }
        let block = if self.batch.is_alone() { self.batch.slots() } else { needed };
        let of_values = |values: usize| -> Result<Place, NetworkError> {
            let packing = Packing::dense(&Shape::new(&[values])?);
            Ok(Place { packing, block, period: block })
        };
        let (all, first) = (of_values(of.arguments * each)?, of_values(size)?);
        // A group has one place for all steps.
        self.settle(id, [(0..size, first)]);
        let layout = vec![(0..size, first)];
        let stays = gates.iter().all(|(_, gate)| self.layout_of_group(*gate) == Some(&layout));
        if !stays {
            return Ok(());
        }
        let found = state.and_then(|state| {
            let (held, factor) = self.in_places(operands[of.arguments], &layout)?.pop()?;
            let wanted = self.source.groups.wanted(state).unwrap_or(factor);
            Some((state, wanted, held.bound * factor / wanted))
        });
        let scale = if found.is_some() { HALF } else { 1.0 };
        let mut parts = Vec::new();
        for ((_, gate), operand) in gates.iter().zip(operands) {
            let interval = self.approximation(*gate)?.interval;
            parts.push((*operand).clone().normalized(interval.middle(), interval.radius()));
            parts.push(Affine::zeros(each - size));
        }
        let arguments = concat(&parts).times(scale);
        let made = self.only_by_matrix(&arguments, all)?;
        let states = match found {
            None => None,
            Some((_, wanted, _)) => {
                let state = operands[of.arguments].times(HALF / wanted);
                Some(self.only_by_matrix(&state, first)?)
            }
        };
        let names = gates.first().map(|(_, gate)| self.source.graph.node(*gate).name.clone());
        let name = names.unwrap_or_default();
        let count = made.ciphertexts();
        let (mut all, mut imaginary) = (Vec::new(), Vec::new());
        for (place, sum) in made.parts.iter().flat_map(|part| &part.sums).enumerate() {
            let label = matrix_label(&part_name(&name, place, count));
            let mut value = sum.halves(scale, label).remove(0);
            if let (Some(states), Some((state, _, bound))) = (&states, found) {
                let name = &self.source.graph.node(state).name;
                let sum = &states.parts[0].sums[place];
                let other = sum.halves(bound * HALF, matrix_label(name)).remove(0);
                let whole = joined(&[value, other]).bounded(scale.hypot(bound * HALF));
                let [twice, other] = halves_of(&whole);
                value = twice.between(-1.0, 1.0);
                imaginary.push(vec![other.between(-bound, bound)]);
            }
            if self.source.has_guard {
                self.guards.add(block, place, std::slice::from_ref(&value), None);
            }
            all.push(value);
        }
        if let Some((state, wanted, bound)) = found {
            let ciphertexts = Vec::new();
            let held = Held { ciphertexts, place: first, size, bound, beside: 0.0 };
            let value = self.hold(held.with(imaginary, bound), wanted);
            self.sides.states.insert(state, value);
        }
        for (which, (argument, _)) in gates.into_iter().enumerate() {
            let side = Side { all: all.clone(), behind: which * each, place: first, size };
            self.sides.arguments.insert(argument, side);
        }
        self.sides.made = Some(made);
        Ok(())
    }

    /// An affine function's values by matrices alone: all other slots are 0.
    fn only_by_matrix(&mut self, affine: &Affine, place: Place) -> Result<Slots, NetworkError> {
        let places: Vec<Place> = self.held.iter().map(|held| held.place).collect();
        let mut placed = place_at(place, affine, &places, self.batch, 1.0)?;
        self.matrices.share(&mut placed);
        let range = 0..affine.constants.len();
        let terms = Terms { range, placed, own: None, beside: 0.0 };
        Slots::of(vec![terms], &self.held, self.batch)
    }

    /// The nodes of what is carried together: each argument with the activation that takes it, and the other
    /// value. None where something else takes an argument.
    fn takers(&self, node: &Node, of: Carried) -> Option<(Vec<(NodeId, NodeId)>, Option<NodeId>)> {
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
        Some((pairs.collect::<Option<Vec<_>>>()?, state))
    }

    /// An activation of an argument that stands beside others.
    pub fn activation_beside(&mut self, id: NodeId, node: &Node) -> Result<Affine, NetworkError> {
        let approximation = self.approximation(id)?;
        let Some(side) = self.sides.of(node).cloned() else {
            return Err(NetworkError::node(&node.name, "its argument stands nowhere"));
        };
        let (count, gap) = (side.all.len(), side.place.packing.gap());
        let made = self.sides.made.take().unwrap_or_default();
        self.stage_of(id, StageKind::Activation(id), count, gap, &made);
        let result = |(place, argument): (usize, &Expression)| {
            let name = part_name(&node.name, place, count);
            let value = approximation.expression(argument)?;
            let value = if side.behind == 0 { value } else { value.rotate(side.behind as i64) };
            Ok(vec![value.labelled(name)])
        };
        let results = side.all.iter().enumerate().map(result);
        let results = results.collect::<Result<Vec<_>, NetworkError>>()?;
        let (bound, ciphertexts) = (approximation.largest(), Vec::<Joined>::new());
        let (place, size) = (side.place, side.size);
        let held = Held { ciphertexts, place, size, bound, beside: bound };
        self.settle(id, [(0..size, place)]);
        Ok(self.hold(held.with(results, bound), approximation.factor))
    }
}
