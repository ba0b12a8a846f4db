// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values in other places and repeated values.
//!
//! A product of matrices needs each of its factors several times. Its sums are computed in the
//! places of their summands, so that each is there several times too: the next function of each
//! value, and the next product, need no matrix to repeat them. The values of ONNX are a *view* of
//! the repeated values, a selection, and functions are computed before the selection.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::activation::Activation;
use super::network::{Graph, NodeId};
use super::operator::{Operator, Selection};
use super::shape::Shape;
use crate::error::NetworkError;

/// The node that holds values, and the place of each of them in it.
pub(super) struct View {
    pub source: NodeId,
    /// The places, by the values of the view.
    pub places: Vec<u32>,
}

impl Graph {
    /// Returns the node from which a value is selected: the last that is not a selection or a
    /// change of shape.
    pub(super) fn view(&self, id: NodeId) -> View {
        let (mut source, mut places) = (id, None::<Vec<u32>>);
        loop {
            let node = self.node(source);
            match &node.operator {
                Operator::Reshape(_) => {}
                Operator::Select(of) => {
                    let through = |places: Vec<u32>| {
                        places.into_iter().map(|place| of.places[place as usize]).collect()
                    };
                    places = Some(places.map_or_else(|| of.places.clone(), through));
                }
                _ => break,
            }
            source = node.inputs[0];
        }
        let all = || (0..self.node(id).shape.size() as u32).collect();
        View { source, places: places.unwrap_or_else(all) }
    }

    /// Returns the repeated values of which a value is a view, and for each place the value of the
    /// view that it holds; the value itself if it is not repeated.
    pub(super) fn repeated(&self, id: NodeId) -> (NodeId, Vec<u32>) {
        let size = self.node(id).shape.size();
        let itself = || (id, (0..size as u32).collect());
        let View { source, places } = self.view(id);
        let Some(held) = self.copies.get(&source) else { return itself() };
        // The value of the view for each value that is held.
        let count = held.iter().map(|value| *value as usize + 1).max().unwrap_or(0);
        let mut of_held = vec![None; count];
        for (value, place) in places.iter().enumerate() {
            let seen = of_held[held[*place as usize] as usize].replace(value as u32);
            if seen.is_some() {
                return itself();
            }
        }
        let all: Option<Vec<u32>> = held.iter().map(|value| of_held[*value as usize]).collect();
        match all {
            Some(all) => (source, all),
            None => itself(),
        }
    }

    /// Declares that a node holds repeated values, and returns the view of each value once, in a
    /// shape.
    pub(super) fn push_view(
        &mut self,
        name: &str,
        repeated: NodeId,
        values: Vec<u32>,
        shape: Shape,
    ) -> Result<NodeId, NetworkError> {
        let mut places = vec![0; shape.size()];
        for (place, value) in values.iter().enumerate().rev() {
            places[*value as usize] = place as u32;
        }
        self.copies.insert(repeated, Arc::new(values));
        if places.iter().copied().eq(0..self.node(repeated).shape.size() as u32) {
            return self.push(name, Operator::Reshape(shape), &[repeated]);
        }
        self.push(name, Operator::Select(Selection { places, shape }), &[repeated])
    }

    /// Adds a function of each value. Of repeated or moved values, it is computed before they are
    /// selected.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub fn push_function(
        &mut self,
        name: &str,
        function: Activation,
        id: NodeId,
    ) -> Result<NodeId, NetworkError> {
        let shape = self.node(id).shape.clone();
        let (repeated, values) = self.repeated(id);
        if repeated != id {
            let result = self.push(name, Operator::Activation(function), &[repeated])?;
            return self.push_view(name, result, values, shape);
        }
        let View { source, places } = self.view(id);
        let distinct: BTreeSet<u32> = places.iter().copied().collect();
        let is_moved = source != id && distinct.len() == self.node(source).shape.size();
        if !is_moved || source == self.input() {
            return self.push(name, Operator::Activation(function), &[id]);
        }
        let result = self.push(name, Operator::Activation(function), &[source])?;
        self.push(name, Operator::Select(Selection { places, shape }), &[result])
    }

    /// Adds k·x + c for each value x, with the numbers of `of` for its place; of repeated or moved
    /// values, before they are selected.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(crate) fn push_scaled(
        &mut self,
        name: &str,
        id: NodeId,
        of: impl Fn(usize) -> (f64, f64),
    ) -> Result<NodeId, NetworkError> {
        let shape = self.node(id).shape.clone();
        let (repeated, values) = self.repeated(id);
        if repeated != id {
            let scaled = self.push_scaled_flat(name, repeated, &values, of)?;
            return self.push_view(name, scaled, values, shape);
        }
        let View { source, places } = self.view(id);
        // The value of each place of the source, if all of them are used once.
        let size = self.node(source).shape.size();
        let mut values = vec![u32::MAX; size];
        places.iter().enumerate().for_each(|(value, place)| values[*place as usize] = value as u32);
        if places.len() != size || values.contains(&u32::MAX) {
            let all: Vec<u32> = (0..shape.size() as u32).collect();
            let scaled = self.push_scaled_flat(name, id, &all, of)?;
            return self.push(name, Operator::Reshape(shape), &[scaled]);
        }
        let scaled = self.push_scaled_flat(name, source, &values, of)?;
        self.push(name, Operator::Select(Selection { places, shape }), &[scaled])
    }

    /// As [`Self::push_scaled`] with the same numbers for all values, which need not be used once.
    ///
    /// # Errors
    /// As [`Self::push`].
    pub(crate) fn push_scaled_alike(
        &mut self,
        name: &str,
        id: NodeId,
        numbers: (f64, f64),
    ) -> Result<NodeId, NetworkError> {
        if self.is_repeated(id) {
            return self.push_scaled(name, id, |_| numbers);
        }
        let shape = self.node(id).shape.clone();
        let View { source, places } = self.view(id);
        let all = vec![0; self.node(source).shape.size()];
        let scaled = self.push_scaled_flat(name, source, &all, |_| numbers)?;
        self.push(name, Operator::Select(Selection { places, shape }), &[scaled])
    }

    fn push_scaled_flat(
        &mut self,
        name: &str,
        id: NodeId,
        values: &[u32],
        of: impl Fn(usize) -> (f64, f64),
    ) -> Result<NodeId, NetworkError> {
        let flat = Operator::Reshape(Shape::new(&[values.len()])?);
        let flat = self.push(name, flat, &[id])?;
        let (factors, summands) = values.iter().map(|value| of(*value as usize)).unzip();
        self.push(name, Operator::ChannelScale { factors, summands }, &[flat])
    }

    /// Returns `true` if a value is a selection of values that are not the network's input.
    pub(crate) fn is_moved(&self, id: NodeId) -> bool {
        let View { source, places } = self.view(id);
        source != self.input()
            && !places.iter().copied().eq(0..self.node(source).shape.size() as u32)
    }

    /// Returns `true` if a value is a view of repeated values.
    pub(crate) fn is_repeated(&self, id: NodeId) -> bool {
        self.repeated(id).0 != id
    }

    /// Returns a number that no value of a node is below, if one follows from its operators: those
    /// of sums of squares and exponentials.
    pub(crate) fn lower_bound(&self, id: NodeId) -> Option<f64> {
        let node = self.node(id);
        let first = || self.lower_bound(*node.inputs.first()?);
        let least = |values: &mut dyn Iterator<Item = f64>| {
            Some(values.fold(f64::INFINITY, f64::min)).filter(|least| least.is_finite())
        };
        match &node.operator {
            Operator::Activation(Activation::Exponential) => Some(0.0),
            Operator::Activation(Activation::Polynomial(coefficients)) => match coefficients[..] {
                [least, 0.0, factor] if factor >= 0.0 => Some(least),
                _ => None,
            },
            Operator::Product if node.inputs[0] == node.inputs[1] => Some(0.0),
            Operator::Reshape(_) | Operator::Select(_) | Operator::GlobalAveragePool => first(),
            Operator::ChannelScale { factors, summands } => {
                let of = first().filter(|_| factors.iter().all(|factor| *factor >= 0.0))?;
                least(
                    &mut factors
                        .iter()
                        .zip(summands)
                        .map(|(factor, summand)| factor * of + summand),
                )
            }
            Operator::Sums(sums) => {
                let is_positive = sums.rows.iter().flatten().all(|(_, weight)| *weight >= 0.0);
                let of = first().filter(|_| is_positive)?;
                let sum = |row: &Vec<(u32, f64)>| {
                    sums.constant + row.iter().map(|(_, weight)| weight * of).sum::<f64>()
                };
                least(&mut sums.rows.iter().map(sum))
            }
            _ => None,
        }
    }
}
