// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The compiled programs of a card's executors.

use std::sync::{Arc, Mutex, PoisonError};

use crate::card::{compile, Card, CardError, CompileOptions, Compiled};
use crate::executor::programs::MAX_KEPT;
use crate::ring::Program;

/// Programs for a card, each compiled once.
pub(super) struct CompiledPrograms {
    card: Card,
    /// The compiled programs, most recently used first. The limit is that of
    /// [`Programs`](crate::executor::Programs).
    kept: Mutex<Vec<CompiledProgram>>,
}

struct CompiledProgram {
    program: Arc<Program>,
    is_seeded: bool,
    compiled: Arc<Compiled>,
}

impl CompiledPrograms {
    /// Creates an empty set for a card.
    pub fn new(card: Card) -> Self {
        Self { card, kept: Mutex::default() }
    }

    /// Returns the compiled program. With `is_seeded`, the card expands the uniform halves of keys.
    ///
    /// # Errors
    /// As [`compile()`].
    pub fn of(&self, program: &Arc<Program>, is_seeded: bool) -> Result<Arc<Compiled>, CardError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it =
            |of: &&CompiledProgram| Arc::ptr_eq(&of.program, program) && of.is_seeded == is_seeded;
        if let Some(known) = kept.iter().find(is_it) {
            return Ok(Arc::clone(&known.compiled));
        }
        let options = CompileOptions { expand: is_seeded, ..CompileOptions::default() };
        let compiled = Arc::new(compile(program, &self.card, &options)?);
        kept.truncate(MAX_KEPT - 1);
        let program = Arc::clone(program);
        kept.insert(0, CompiledProgram { program, is_seeded, compiled: Arc::clone(&compiled) });
        Ok(compiled)
    }
}
