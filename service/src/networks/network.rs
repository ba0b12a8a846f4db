// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A compiled network, and its facts for clients.

use std::sync::Arc;

use halimede_ckks::Parameters;
use halimede_ckks_nn::{Model, NetworkError, NetworkFile};
use serde_json::{json, Value};

use crate::objects::{human, Hash};
use crate::refusal::{Reason, Refusal};

/// The largest memory that a ring keeps for later use.
const MOST_KEPT_BYTES: usize = 1 << 30;

/// A compiled network.
pub struct Network {
    /// The network.
    pub model: Model,
    /// Its parameters, which keys share.
    pub parameters: Arc<Parameters>,
    /// The interface file.
    pub interface: Vec<u8>,
    /// The memory of the network in bytes, without that of the ring.
    memory_bytes: u64,
    /// The memory of the ring in bytes.
    ring_bytes: u64,
}

impl Network {
    /// Compiles the network of a file for its parameters.
    ///
    /// # Errors
    /// [`NetworkError`].
    pub fn compile(
        file: &NetworkFile,
        parameters: Arc<Parameters>,
        ring_bytes: u64,
    ) -> Result<Self, NetworkError> {
        let model = file.compile(&parameters)?;
        let mut interface = Vec::new();
        let saved = model.interface().save(&mut interface);
        saved.map_err(|error| NetworkError::File { reason: error.to_string() })?;
        let memory_bytes = (model.memory_bytes(file.onnx.len()) + interface.len()) as u64;
        Ok(Self { model, parameters, interface, memory_bytes, ring_bytes })
    }

    /// The memory of the network in bytes, without that of the ring.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// Returns the largest memory of a run in bytes: values, the input and the result, and as much
    /// that the ring keeps for later runs.
    pub fn run_bytes(&self) -> u64 {
        let bytes = self.model.plan().memory_bytes();
        let kept = (bytes + bytes.min(MOST_KEPT_BYTES)) as u64;
        kept + self.input_bytes() + self.result_bytes()
    }

    /// Returns the largest memory of an encrypted input in bytes.
    pub fn input_bytes(&self) -> u64 {
        self.model.interface().input_ciphertexts() as u64 * self.ciphertext_bytes()
    }

    /// Returns the largest memory of an encrypted result in bytes, which its file does not exceed.
    pub fn result_bytes(&self) -> u64 {
        self.model.interface().output_ciphertexts() as u64 * self.ciphertext_bytes()
    }

    fn ciphertext_bytes(&self) -> u64 {
        let parameters = &*self.parameters;
        let primes = parameters.level(parameters.fresh_level()).basis.len();
        (2 * primes * parameters.degree() * size_of::<u32>()) as u64
    }

    /// Refuses a network whose runs can never have their memory.
    ///
    /// # Errors
    /// [`Reason::KeyMemory`].
    pub fn check_fits(&self, most: u64) -> Result<(), Refusal> {
        let key_bytes = self.model.interface().key_bytes() as u64;
        let (network, run, ring) = (self.memory_bytes, self.run_bytes(), self.ring_bytes);
        let all = network.saturating_add(key_bytes).saturating_add(run).saturating_add(ring);
        if all <= most {
            return Ok(());
        }
        let message = format!(
            "a run of this network needs {}: {} for the network, {} for a client's keys, {} for \
             the run and {} for the ring; the limit for all is {} (--key-memory): compile the \
             network with few keys, or raise the limit",
            human(all),
            human(network),
            human(key_bytes),
            human(run),
            human(ring),
            human(most)
        );
        Err(Refusal::new(Reason::KeyMemory, message))
    }

    /// Returns the facts of the network for clients.
    pub fn facts(&self, hash: &Hash) -> Value {
        let (interface, plan) = (self.model.interface(), self.model.plan());
        let range = interface.input_range();
        json!({
            "network": hex::encode(hash), "parameters": self.parameters.name(),
            "security_bits": self.parameters.security_bits(),
            "input_shape": interface.input_shape().axes(),
            "input_range": [range.low, range.high],
            "output_shape": interface.output_shape().axes(), "batch": interface.batch(),
            "input_ciphertexts": interface.input_ciphertexts(),
            "output_ciphertexts": interface.output_ciphertexts(),
            "steps": plan.steps().len(), "bootstraps": plan.bootstraps(),
            "keys": interface.keys().len(), "key_bytes": interface.key_bytes(),
            "memory_bytes": self.memory_bytes, "run_bytes": self.run_bytes(),
        })
    }
}
