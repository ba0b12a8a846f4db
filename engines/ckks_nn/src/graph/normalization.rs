// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Layer normalization of vectors along the last axis.

use super::activation::Activation;
use super::network::{Graph, NodeId};
use super::operator::{Operator, Sums};
use super::shape::Shape;
use crate::error::NetworkError;

/// A layer normalization: (x − mean)/√(variance + ε)·scale + bias.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerNormalization {
    /// The factors of the values of a vector.
    pub scale: Vec<f64>,
    /// The numbers added to the values of a vector; empty for zeros.
    pub bias: Vec<f64>,
    /// ε, above 0.
    pub epsilon: f64,
}

impl Graph {
    /// Adds a layer normalization of each vector of the last values, as many as the scale has.
    ///
    /// The variance is computed in the places of all values, so that it takes no level to repeat
    /// its inverse root. The distances from the mean are declared to lie in their calibrated range.
    ///
    /// If the vectors and their values are powers of two in number, values are ordered by their
    /// place in the vector first: a cyclic sum of rotations, which takes no level, then adds the
    /// squares of each vector.
    ///
    /// # Errors
    /// As [`Self::push`], for a scale or bias that does not fit the value, and for an ε of 0 or
    /// less.
    pub fn push_layer_normalization(
        &mut self,
        name: &str,
        id: NodeId,
        of: &LayerNormalization,
    ) -> Result<NodeId, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let LayerNormalization { scale, bias, epsilon } = of;
        let shape = self.node(id).shape.clone();
        let (size, count) = (shape.size(), scale.len());
        if count == 0 || !size.is_multiple_of(count) {
            return Err(wrong(format!("its scale has {count} numbers, for {size} values")));
        }
        if !bias.is_empty() && bias.len() != count {
            return Err(wrong(format!("its bias has {} numbers, its scale {count}", bias.len())));
        }
        if !(*epsilon > 0.0 && epsilon.is_finite()) {
            return Err(wrong(format!("its epsilon is {epsilon}, expected a number above 0")));
        }
        let flat = Shape::new(&[size])?;
        let vectors = size / count;
        let is_cyclic = vectors.is_power_of_two() && count.is_power_of_two();
        // The value in each place, by its vector and its place in the vector.
        let at = |place: usize| match is_cyclic {
            true => (place % vectors, place / vectors),
            false => (place / count, place % count),
        };
        let place_of = |vector: usize, within: usize| match is_cyclic {
            true => within * vectors + vector,
            false => vector * count + within,
        };
        let centered = |place: usize| -> Vec<(u32, f64)> {
            let (vector, own) = at(place);
            let weight = |within: usize| f64::from(u8::from(within == own)) - 1.0 / count as f64;
            (0..count).map(|within| ((vector * count + within) as u32, weight(within))).collect()
        };
        let rows = (0..size).map(centered).collect();
        let centered = Operator::Sums(Sums { rows, constant: 0.0, shape: flat.clone() });
        let centered = self.push(format!("{name}: centered"), centered, &[id])?;
        let declared = Operator::Activation(Activation::Declared);
        let declared = self.push(format!("{name}: distances"), declared, &[centered])?;
        let squares = self.push(format!("{name}: squares"), Operator::Product, &[declared; 2])?;
        let squares_of = |place: usize| -> Vec<(u32, f64)> {
            let (vector, _) = at(place);
            let part = |within: usize| (place_of(vector, within) as u32, 1.0 / count as f64);
            (0..count).map(part).collect()
        };
        let rows = (0..size).map(squares_of).collect();
        let variance = Operator::Sums(Sums { rows, constant: *epsilon, shape: flat });
        let variance = self.push(format!("{name}: variance"), variance, &[squares])?;
        let inverse = Activation::InverseSquareRoot { least: *epsilon };
        let inverse = Operator::Activation(inverse);
        let inverse = self.push(format!("{name}: inverse root"), inverse, &[variance])?;
        let quotient =
            self.push(format!("{name}: quotient"), Operator::Product, &[declared, inverse])?;
        let factors: Vec<f64> = (0..size).map(|place| scale[at(place).1]).collect();
        let summands = (0..size).map(|place| bias.get(at(place).1).copied().unwrap_or(0.0));
        let summands = summands.collect();
        let scaled = Operator::ChannelScale { factors, summands };
        let scaled = self.push(format!("{name}: scaled"), scaled, &[quotient])?;
        if !is_cyclic || vectors == 1 {
            return self.push(name, Operator::Reshape(shape), &[scaled]);
        }
        let value = |place: usize| {
            let (vector, within) = at(place);
            (vector * count + within) as u32
        };
        self.push_view(name, scaled, (0..size).map(value).collect(), shape)
    }
}
