// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a network's inputs and results are in slots, for whoever encrypts and decrypts.

use halimede_ckks::{Bound, Complex};

use crate::compile::Interface;
use crate::error::NetworkError;

/// The largest guard of a result that is valid: each argument that leaves its interval adds more.
const MOST_GUARD: f64 = 1.0;

/// A network's values.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The values.
    pub values: Vec<f64>,
    /// The standard deviation of the errors of encryption, and the largest error of signs; those of
    /// polynomials come on top.
    pub error: f64,
    /// The sum of the 16th powers of all arguments of activations, scaled to their intervals;
    /// below 1 for all results. None for a network without a guard.
    pub guard: Option<f64>,
}

impl Output {
    /// The place of the largest value: the label of a classifier.
    pub fn label(&self) -> usize {
        label(&self.values)
    }
}

/// The place of the largest value.
pub fn label(values: &[f64]) -> usize {
    let values = values.iter().enumerate();
    values.max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(place, _)| place)
}

impl Interface {
    /// An input in slots, and where its values lie: what is to be encrypted, at [`Self::level`].
    ///
    /// # Errors
    /// [`NetworkError::Input`] for another number of values, [`NetworkError::InputRange`] for a
    /// value outside of what the network was calibrated for.
    pub fn slots_of(&self, input: &[f64]) -> Result<(Vec<f64>, Bound), NetworkError> {
        if input.len() != self.input_size {
            let (got, wanted) = (input.len(), self.input_size);
            return Err(NetworkError::Input { got, wanted, shape: self.input_shape.clone() });
        }
        let (low, high) = (self.input_range.low, self.input_range.high);
        let outside = input.iter().position(|value| !(low..=high).contains(value));
        if let Some(place) = outside {
            return Err(NetworkError::InputRange { place, got: input[place], low, high });
        }
        // Slots without a value are multiplied by zeros; their value must lie in the bound too.
        let mut slots = vec![0f64.clamp(low, high); self.slots];
        for (slot, value) in self.input.slots().zip(input) {
            slots[slot] = *value;
        }
        Ok((slots, Bound::between(low, high)))
    }

    /// The network's values from a decrypted result, whose guard is checked, and the result's error.
    ///
    /// # Errors
    /// [`NetworkError::Guard`] where an argument of an activation left its interval, so that the
    /// values mean nothing.
    pub fn output_of(&self, slots: &[Complex], error: f64) -> Result<Output, NetworkError> {
        let at = |slot: usize| slots.get(slot).map_or(f64::NAN, |value| value.re);
        let guard = self.guard.map(at);
        if let Some(got) = guard.filter(|guard| guard.is_nan() || guard.abs() >= MOST_GUARD) {
            return Err(NetworkError::Guard { got });
        }
        // The guard was added in all slots.
        let values = self.output.slots().map(|slot| at(slot) - guard.unwrap_or(0.0));
        Ok(Output { values: values.collect(), error, guard })
    }
}
