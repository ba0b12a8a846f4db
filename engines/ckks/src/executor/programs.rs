// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The programs for a set of keys, each recorded once.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::dry::DryServer;
use super::recorded::Recorded;
use crate::circuit::{CircuitError, Routine};
use crate::estimate::Bound;
use crate::evaluator::Ciphertext;
use crate::params::Scale;
use crate::ring::Polynomial;
use crate::server::Server;

/// The maximal number of stored programs; the oldest is evicted. The program of a bootstrap takes
/// some megabytes.
pub(super) const MAX_KEPT: usize = 256;

/// The programs of operations with a server's keys, by operation and by the levels, scales and
/// slots of the inputs. Each program is recorded without arithmetic on its first use.
///
/// The error sources of a result depend on the inputs. For new inputs, a stored program's operation
/// therefore runs once more without arithmetic and without recording. For inputs of an earlier
/// call, the metadata is reused.
pub struct Programs {
    dry: DryServer,
    kept: Mutex<VecDeque<(ProgramKey, Arc<Recorded>)>>,
    dry_runs: AtomicUsize,
}

/// Everything that a program depends on except the keys.
#[derive(Clone, Debug, PartialEq)]
struct ProgramKey {
    routine: Routine,
    inputs: Vec<InputShape>,
}

/// The properties of an input that a program depends on.
#[derive(Clone, Debug, PartialEq)]
struct InputShape {
    level: usize,
    slots: usize,
    length: usize,
    scale: Scale,
    /// The bound of the values: a bootstrap first divides large values.
    bound: Bound,
    /// The index of the first input that is the same ciphertext.
    same_as: usize,
}

impl Programs {
    /// Creates an empty set of programs for a server's keys.
    pub fn new(server: &Server) -> Self {
        let (dry, kept) = (DryServer::of(server), Mutex::default());
        Self { dry, kept, dry_runs: AtomicUsize::new(0) }
    }

    /// The server that records the programs.
    pub fn dry(&self) -> &DryServer {
        &self.dry
    }

    /// The number of stored programs.
    pub fn len(&self) -> usize {
        self.kept().len()
    }

    /// Returns `true` if no program is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of runs without arithmetic, recorded or not.
    pub fn dry_runs(&self) -> usize {
        self.dry_runs.load(Ordering::Relaxed)
    }

    /// Returns the program of an operation on ciphertexts without words, and its results without
    /// words.
    ///
    /// # Errors
    /// [`CircuitError`] if a server rejects the operation. The caller must check the number of
    /// inputs.
    pub(super) fn of(
        &self,
        routine: &Routine,
        inputs: &[&Ciphertext],
    ) -> Result<(Arc<Recorded>, Vec<Ciphertext>), CircuitError> {
        let same_as = |a: &Ciphertext| inputs.iter().position(|b| is_same(a, b)).unwrap_or(0);
        let shape = |a: &&Ciphertext| InputShape {
            level: a.level(),
            slots: a.slots(),
            length: a.length(),
            scale: a.scale(),
            bound: a.bound(),
            same_as: same_as(a),
        };
        let shapes: Vec<InputShape> = inputs.iter().map(shape).collect();
        let operand = |index: usize| inputs[shapes.get(index).map_or(0, |shape| shape.same_as)];
        let operands: Vec<&Ciphertext> = (0..inputs.len()).map(operand).collect();
        let key = ProgramKey { routine: routine.clone(), inputs: shapes.clone() };
        let work = |server: &Server| {
            self.dry_runs.fetch_add(1, Ordering::Relaxed);
            routine.apply(server.bootstrapper(), &operands)
        };
        let found = self.kept().iter().find(|(other, _)| *other == key).cloned();
        if let Some((_, recorded)) = found {
            if let Some(known) = recorded.results_of(inputs) {
                let results = known.into_iter().map(|known| self.dry.ciphertext(known));
                return Ok((recorded, results.collect()));
            }
            let results = self.dry.run(work)?;
            recorded.keep_results(inputs, &results);
            return Ok((recorded, results));
        }
        routine.prepare(self.dry.server().bootstrapper(), operand(0).slots())?;
        let recorded = self.dry.record_with_drafts(inputs, &routine.matrices(), work)?;
        let (results, program, drafts) = recorded;
        let recorded = Arc::new(Recorded::new(program, drafts));
        recorded.keep_results(inputs, &results);
        let mut kept = self.kept();
        if kept.len() == MAX_KEPT {
            kept.pop_front();
        }
        kept.push_back((key, Arc::clone(&recorded)));
        Ok((recorded, results))
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<(ProgramKey, Arc<Recorded>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns `true` if two ciphertexts have the same residues.
fn is_same(a: &Ciphertext, b: &Ciphertext) -> bool {
    a.parts().map(Polynomial::name) == b.parts().map(Polynomial::name)
}
