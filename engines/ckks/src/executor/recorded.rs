// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A recorded program, with the data that further calls of its operation need.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::executor::ProgramConstants;
use crate::encoding::{Encoder, EncodingError};
use crate::evaluator::{Ciphertext, Metadata};
use crate::ring::{Named, Program};
use crate::server::NamedDraft;

/// The maximal number of inputs of a program whose results' metadata is stored; the oldest is
/// evicted. The errors of a ciphertext take up to 6 kB.
const MAX_RESULTS: usize = 16;

/// A recorded program; see the module.
pub(super) struct Recorded {
    pub program: Arc<Program>,
    /// The keys and plaintexts that the program uses, set by the first call.
    held: OnceLock<ProgramConstants>,
    /// The plaintexts that the operation encodes itself.
    drafts: Vec<NamedDraft>,
    results: Mutex<VecDeque<Known>>,
}

/// The metadata of inputs and of their results.
struct Known {
    inputs: Vec<Metadata<2>>,
    results: Vec<Metadata<2>>,
}

impl Recorded {
    /// Wraps a program without known results.
    pub fn new(program: Program, drafts: Vec<NamedDraft>) -> Self {
        let (held, results) = (OnceLock::new(), Mutex::default());
        Self { program: Arc::new(program), held, drafts, results }
    }

    /// Returns the keys and plaintexts that the program uses. They come from the first call, and
    /// are the same for all. Plaintexts that the operation encodes itself are encoded here.
    ///
    /// # Errors
    /// [`EncodingError`] if a plaintext cannot be encoded.
    pub fn held<'a>(
        &self,
        encoder: &Encoder,
        named: impl FnOnce() -> Vec<Named<'a>>,
    ) -> Result<&ProgramConstants, EncodingError> {
        if let Some(held) = self.held.get() {
            return Ok(held);
        }
        let encoded = self.drafts.iter().map(|(name, draft)| {
            encoder.encode_draft(draft).map(|polynomial| (name.clone(), polynomial))
        });
        let encoded = encoded.collect::<Result<Vec<_>, _>>()?;
        let all = named().into_iter().chain(encoded.iter().map(|(name, of)| (name.clone(), of)));
        let held = ProgramConstants::of_program(&self.program, all);
        Ok(self.held.get_or_init(|| held))
    }

    /// Returns the metadata of the results if an earlier call had these inputs.
    pub fn results_of(&self, inputs: &[&Ciphertext]) -> Option<Vec<Metadata<2>>> {
        let results = self.results();
        let found = results.iter().find(|known| {
            let pairs = known.inputs.iter().zip(inputs);
            known.inputs.len() == inputs.len() && { pairs }.all(|(a, b)| a == b.metadata())
        });
        found.map(|known| known.results.clone())
    }

    /// Stores the metadata of the results for these inputs.
    pub fn keep_results(&self, inputs: &[&Ciphertext], results: &[Ciphertext]) {
        let inputs = inputs.iter().map(|a| a.metadata().clone()).collect();
        let known = results.iter().map(|a| a.metadata().clone()).collect();
        let mut results = self.results();
        if results.len() == MAX_RESULTS {
            results.pop_front();
        }
        results.push_back(Known { inputs, results: known });
    }

    fn results(&self) -> MutexGuard<'_, VecDeque<Known>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
