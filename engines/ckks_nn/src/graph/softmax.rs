// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Softmax along the last axis: eˣ⁻ᵐ/Σ eˣ⁻ᵐ, with the mean m of a row instead of its maximum.
//!
//! The mean is a linear function, so that it takes no level. By the inequality of the arithmetic
//! and the geometric mean, the sum of n exponentials of numbers with the mean 0 is at least n: the
//! reciprocal's interval has a proven lower bound.

use std::collections::BTreeMap;

use super::activation::Activation;
use super::network::{Graph, NodeId};
use super::operator::{Operator, Sums};
use super::shape::Shape;
use crate::error::NetworkError;

impl Graph {
    /// Adds a softmax of each vector along the last axis. Values that are not in `mask`, where
    /// given, are left out: their result is 0.
    ///
    /// # Errors
    /// As [`Self::push`], for a mask of another size, and for a vector without a value in the mask.
    pub fn push_softmax(
        &mut self,
        name: &str,
        id: NodeId,
        mask: Option<&[bool]>,
    ) -> Result<NodeId, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let shape = self.node(id).shape.clone();
        let count = shape.axes().last().copied().unwrap_or(1);
        let all = vec![true; shape.size()];
        let mask = mask.unwrap_or(&all);
        if mask.len() != shape.size() {
            return Err(wrong(format!(
                "its mask has {} values, expected {}",
                mask.len(),
                shape.size()
            )));
        }
        let counts: Vec<usize> =
            mask.chunks(count).map(|row| row.iter().filter(|used| **used).count()).collect();
        if let Some(row) = counts.iter().position(|count| *count == 0) {
            return Err(wrong(format!("its mask leaves nothing of vector {row}")));
        }
        let (repeated, values) = self.repeated(id);
        let size = Shape::new(&[values.len()])?;
        // The places of each value, in ascending order, and the rank of each place among them.
        let mut places: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let mut ranks = Vec::with_capacity(values.len());
        for (place, value) in values.iter().enumerate() {
            let of_value = places.entry(*value).or_default();
            ranks.push(of_value.len());
            of_value.push(place as u32);
        }
        // The values of a row in the mask, nearest to one of its places.
        let of_row = |place: usize, weight: f64| -> Vec<(u32, f64)> {
            let first = values[place] as usize / count * count;
            let used = (first..first + count).filter(|value| mask[*value]);
            let nearest = used.filter_map(|value| {
                let all = places.get(&(value as u32))?;
                all.get(ranks[place]).or(all.first()).map(|place| (*place, weight))
            });
            nearest.collect()
        };
        let is_used = |place: usize| mask[values[place] as usize];
        let centered = (0..values.len()).map(|place| {
            let used = counts[values[place] as usize / count];
            let mut row = match is_used(place) {
                true => of_row(place, -1.0 / used as f64),
                false => Vec::new(),
            };
            row.extend(is_used(place).then_some((place as u32, 1.0)));
            row
        });
        let rows = centered.collect();
        let centered = Operator::Sums(Sums { rows, constant: 0.0, shape: size.clone() });
        let centered = self.push(format!("{name}: centered"), centered, &[repeated])?;
        let exponential = Operator::Activation(Activation::Exponential);
        let exponential = self.push(format!("{name}: exponential"), exponential, &[centered])?;
        // Vectors of different lengths have sums relative to their least value, which is then 1 for
        // all of them.
        let is_uniform = counts.iter().all(|used| *used == counts[0]);
        let part = |place: usize| match is_uniform {
            true => 1.0,
            false => 1.0 / counts[values[place] as usize / count] as f64,
        };
        let least = if is_uniform { counts[0] as f64 } else { 1.0 };
        let rows = (0..values.len()).map(|place| of_row(place, part(place))).collect();
        let sums = Operator::Sums(Sums { rows, constant: 0.0, shape: size });
        let sums = self.push(format!("{name}: sums"), sums, &[exponential])?;
        let reciprocal = Operator::Activation(Activation::Reciprocal { least });
        let reciprocal = self.push(format!("{name}: reciprocal"), reciprocal, &[sums])?;
        let factors = [exponential, reciprocal];
        let mut result = self.push(format!("{name}: quotient"), Operator::Product, &factors)?;
        if !is_uniform || mask.contains(&false) {
            let factor = |place: usize| if is_used(place) { part(place) } else { 0.0 };
            let factors: Vec<f64> = (0..values.len()).map(factor).collect();
            let summands = vec![0.0; factors.len()];
            let scaled = Operator::ChannelScale { factors, summands };
            result = self.push(format!("{name}: masked"), scaled, &[result])?;
        }
        self.push_view(name, result, values, shape)
    }
}
