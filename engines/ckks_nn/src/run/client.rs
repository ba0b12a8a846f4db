// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The client: encrypts inputs, decrypts and checks results.

use halimede_ckks::{Client, EvaluationKeys};

use super::ciphertexts::Ciphertexts;
use super::output::Output;
use super::sharing::{NetworkSharing, SharedOutputs};
use crate::compile::Interface;
use crate::error::NetworkError;

/// The holder of the secret key, with the interface of a network.
pub struct NetworkClient {
    interface: Interface,
    client: Client,
}

impl NetworkClient {
    /// Returns a client with a new secret key.
    ///
    /// # Errors
    /// If the operating system gives no random bytes.
    pub fn new(interface: &Interface) -> Result<Self, NetworkError> {
        let client = Client::new(&interface.parameters)?;
        Ok(Self::with_client(interface, client))
    }

    /// Returns a client with the key of another.
    pub fn with_client(interface: &Interface, client: Client) -> Self {
        Self { interface: interface.clone(), client }
    }

    /// Returns the holder of the key.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Returns the keys that the server needs for the network, each up to the level at which it is
    /// used.
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
    /// As [`Interface::encrypt`].
    pub fn encrypt(&mut self, input: &[f64]) -> Result<Ciphertexts, NetworkError> {
        self.interface.encrypt(&mut self.client, input)
    }

    /// Encrypts the inputs of a batch, or fewer inputs.
    ///
    /// # Errors
    /// As [`Interface::encrypt_all`].
    pub fn encrypt_all<I: AsRef<[f64]>>(
        &mut self,
        inputs: &[I],
    ) -> Result<Ciphertexts, NetworkError> {
        self.interface.encrypt_all(&mut self.client, inputs)
    }

    /// Decrypts the result of one input, and checks its guard. The values are only for the owner of
    /// the key: together with the encrypted result they reveal something about the key. Use
    /// [`Self::decrypt_for_sharing`] for values that others see.
    ///
    /// # Errors
    /// As [`Interface::decrypt`].
    pub fn decrypt(&self, result: &Ciphertexts) -> Result<Output, NetworkError> {
        self.interface.decrypt(&self.client, result)
    }

    /// Decrypts the results of a batch, and checks the guard of each. The values are only for the
    /// owner of the key.
    ///
    /// # Errors
    /// As [`Interface::decrypt_all`].
    pub fn decrypt_all(
        &self,
        result: &Ciphertexts,
    ) -> Result<Vec<Result<Output, NetworkError>>, NetworkError> {
        self.interface.decrypt_all(&self.client, result)
    }

    /// Decrypts the result of one input for sharing with others.
    ///
    /// # Errors
    /// As [`Interface::decrypt_for_sharing`].
    pub fn decrypt_for_sharing(
        &mut self,
        result: &Ciphertexts,
        sharing: &NetworkSharing,
    ) -> Result<Output, NetworkError> {
        self.interface.decrypt_for_sharing(&mut self.client, result, sharing)
    }

    /// Decrypts the results of a batch for sharing with others.
    ///
    /// # Errors
    /// As [`Interface::decrypt_all_for_sharing`].
    pub fn decrypt_all_for_sharing(
        &mut self,
        result: &Ciphertexts,
        sharing: &NetworkSharing,
    ) -> Result<SharedOutputs, NetworkError> {
        self.interface.decrypt_all_for_sharing(&mut self.client, result, sharing)
    }
}
