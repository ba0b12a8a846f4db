// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: encrypts inputs, decrypts and checks results.

use halimede_ckks::{Ciphertext, Client, EvaluationKeys, Values};

use super::output::Output;
use crate::compile::Interface;
use crate::error::NetworkError;

/// The holder of the secret key, with what is to be known of a network.
pub struct NetworkClient {
    interface: Interface,
    client: Client,
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
        let (slots, bound) = self.interface.slots_of(input)?;
        let values = Values::from(&slots).bounded(bound);
        Ok(self.client.encrypt_at(values, self.interface.level)?)
    }

    /// Decrypts a result, and checks its guard.
    ///
    /// # Errors
    /// [`NetworkError::Guard`] where an argument of an activation left its interval, so that the
    /// values mean nothing.
    pub fn decrypt(&self, result: &Ciphertext) -> Result<Output, NetworkError> {
        self.interface.output_of(&self.client.decrypt(result)?, result.estimate().error)
    }
}
