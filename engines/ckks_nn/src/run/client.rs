// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: encrypts inputs, decrypts and checks results.

use halimede_ckks::{Bound, Ciphertext, Client, EvaluationKeys, Values};

use crate::compile::Interface;
use crate::error::NetworkError;

/// The largest guard of a result that is valid: each argument that leaves its interval adds more.
const MOST_GUARD: f64 = 1.0;

/// The holder of the secret key, with what is to be known of a network.
pub struct NetworkClient {
    interface: Interface,
    client: Client,
}

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

impl NetworkClient {
    /// A client with a new secret key.
    ///
    /// # Errors
    /// Where the operating system gives no random bytes.
    pub fn new(interface: &Interface) -> Result<Self, NetworkError> {
        let client = Client::new(&interface.parameters)?;
        Ok(Self::with_client(interface, client))
    }

    /// A client with the key of another.
    pub fn with_client(interface: &Interface, client: Client) -> Self {
        Self { interface: interface.clone(), client }
    }

    /// The holder of the key.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// The keys that the server needs for the network, each up to the level that it is used at.
    pub fn evaluation_keys(&mut self) -> EvaluationKeys {
        let mut keys = EvaluationKeys::new(&self.interface.parameters);
        for (of, level) in self.interface.keys() {
            keys.insert(*of, self.client.evaluation_key(*of, *level));
        }
        keys
    }

    /// Encrypts an input.
    ///
    /// # Errors
    /// [`NetworkError::Input`] for another number of values, [`NetworkError::InputRange`] for a
    /// value outside of what the network was calibrated for.
    pub fn encrypt(&mut self, input: &[f64]) -> Result<Ciphertext, NetworkError> {
        let of = &self.interface;
        if input.len() != of.input_size {
            let (got, wanted) = (input.len(), of.input_size);
            return Err(NetworkError::Input { got, wanted, shape: of.input_shape.clone() });
        }
        let (low, high) = (of.input_range.low, of.input_range.high);
        let outside = input.iter().position(|value| !(low..=high).contains(value));
        if let Some(place) = outside {
            return Err(NetworkError::InputRange { place, got: input[place], low, high });
        }
        // Slots without a value are multiplied by zeros; their value must lie in the bound too.
        let mut slots = vec![0f64.clamp(low, high); of.slots];
        for (slot, value) in of.input.slots().zip(input) {
            slots[slot] = *value;
        }
        let values = Values::from(&slots).bounded(Bound::between(low, high));
        Ok(self.client.encrypt_at(values, of.level)?)
    }

    /// Decrypts a result, and checks its guard.
    ///
    /// # Errors
    /// [`NetworkError::Guard`] where an argument of an activation left its interval, so that the
    /// values mean nothing.
    pub fn decrypt(&self, result: &Ciphertext) -> Result<Output, NetworkError> {
        let slots = self.client.decrypt(result)?;
        let at = |slot: usize| slots.get(slot).map_or(f64::NAN, |value| value.re);
        let guard = self.interface.guard.map(at);
        if let Some(got) = guard.filter(|guard| guard.is_nan() || guard.abs() >= MOST_GUARD) {
            return Err(NetworkError::Guard { got });
        }
        // The guard was added in all slots.
        let values = self.interface.output.slots().map(|slot| at(slot) - guard.unwrap_or(0.0));
        Ok(Output { values: values.collect(), error: result.estimate().error, guard })
    }
}
