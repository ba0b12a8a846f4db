// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a network's inputs and results are in slots, encrypted and decrypted.

use halimede_ckks::{Bound, Client, Complex, Values};

use super::sealed::Sealed;
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
    /// An input, encrypted by the holder of a key.
    ///
    /// # Errors
    /// [`NetworkError::Input`] for another number of values, [`NetworkError::InputRange`] for a
    /// value outside of what the network was calibrated for.
    pub fn encrypt(&self, client: &mut Client, input: &[f64]) -> Result<Sealed, NetworkError> {
        if input.len() != self.input_shape.size() {
            let (got, wanted) = (input.len(), self.input_shape.size());
            let shape = self.input_shape.to_string();
            return Err(NetworkError::Input { got, wanted, shape });
        }
        let (low, high) = (self.input_range.low, self.input_range.high);
        let outside = input.iter().position(|value| !(low..=high).contains(value));
        if let Some(place) = outside {
            return Err(NetworkError::InputRange { place, got: input[place], low, high });
        }
        let mut rest = input;
        let mut parts = Vec::with_capacity(self.inputs.len());
        for packing in &self.inputs {
            let (part, others) = rest.split_at(packing.count());
            rest = others;
            // Slots without a value are multiplied by zeros; their value must lie in the bound too.
            let mut slots = vec![0f64.clamp(low, high); self.slots];
            for (slot, value) in packing.slots().zip(part) {
                slots[slot] = *value;
            }
            let values = Values::from(&slots).bounded(Bound::between(low, high));
            parts.push(client.encrypt_at(values, self.level)?);
        }
        Sealed::new(parts)
    }

    /// The network's values from a result, whose guard is checked.
    ///
    /// # Errors
    /// [`NetworkError::Sealed`] for another number of ciphertexts, [`NetworkError::Guard`] where an
    /// argument of an activation left its interval, so that the values mean nothing.
    pub fn decrypt(&self, client: &Client, result: &Sealed) -> Result<Output, NetworkError> {
        result.check_count("a result", self.outputs.len())?;
        let decrypt = |part| client.decrypt(part);
        let slots = result.parts().iter().map(decrypt).collect::<Result<Vec<_>, _>>()?;
        let errors = result.parts().iter().map(|part| part.estimate().error);
        self.output_of(&slots, errors.fold(0.0, f64::max))
    }

    /// The network's values from the slots of a decrypted result.
    fn output_of(&self, parts: &[Vec<Complex>], error: f64) -> Result<Output, NetworkError> {
        let at = |part: usize, slot: usize| {
            let value = parts.get(part).and_then(|slots| slots.get(slot));
            value.map_or(f64::NAN, |value| value.re)
        };
        let guard = self.guard.map(|slot| at(0, slot));
        if let Some(got) = guard.filter(|guard| guard.is_nan() || guard.abs() >= MOST_GUARD) {
            return Err(NetworkError::Guard { got });
        }
        let mut values = Vec::new();
        for (part, packing) in self.outputs.iter().enumerate() {
            // The guard was added in all slots of the first.
            let added = guard.filter(|_| part == 0).unwrap_or(0.0);
            values.extend(packing.slots().map(|slot| at(part, slot) - added));
        }
        Ok(Output { values, error, guard })
    }
}
