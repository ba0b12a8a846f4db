// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An executor that compiles programs for a GPU and counts their work, and arithmetic of counts.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use halimede_ckks::executor::{ExecutorError, ProgramConstants, ProgramExecutor, Resident};
use halimede_ckks::ring::{Polynomial, Program, Role};
use halimede_cuda::ckks::{compile, CompileOptions, GpuCounts};

/// The note of a program at the first step of a bootstrap.
const RAISED: &str = "ModRaise";

/// Counts programs instead of running them.
#[derive(Default)]
pub struct Counter {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Programs by their address, with their counts and the bytes of their working memory. The
    /// program keeps its address.
    known: HashMap<usize, (Arc<Program>, GpuCounts, usize)>,
    /// The polynomials of keys and plaintexts.
    held: HashSet<u64>,
    total: Total,
}

/// The work of all runs together.
#[derive(Clone, Copy, Default)]
pub struct Total {
    /// The number of runs.
    pub runs: usize,
    /// The sum of their work.
    pub counts: GpuCounts,
    /// The part of bootstraps, which raise the modulus.
    pub bootstraps: GpuCounts,
    /// The largest working memory of a program in bytes.
    pub most_working: usize,
    /// The bytes of all different keys.
    pub key_bytes: usize,
    /// The bytes of all different plaintexts.
    pub plaintext_bytes: usize,
}

impl Counter {
    /// Returns the work of all runs so far.
    pub fn total(&self) -> Total {
        self.state().total
    }

    /// The number of different programs.
    pub fn programs(&self) -> usize {
        self.state().known.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgramExecutor for Counter {
    fn name(&self) -> &str {
        "counts"
    }

    fn upload(&self, _parts: [&Polynomial; 2]) -> Result<Resident, ExecutorError> {
        Ok(Resident::new(()))
    }

    fn download(&self, _resident: &Resident) -> Result<[Polynomial; 2], ExecutorError> {
        let reason = "nothing is computed".to_owned();
        Err(ExecutorError::Unavailable { executor: self.name().to_owned(), reason })
    }

    fn run(
        &self,
        program: &Arc<Program>,
        held: &ProgramConstants,
        _inputs: &[&Resident],
    ) -> Result<Vec<Resident>, ExecutorError> {
        let mut state = self.state();
        let State { known, held: polynomials, total } = &mut *state;
        let known = match known.entry(Arc::as_ptr(program) as usize) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                for external in &program.externals {
                    let is_new = |of: &Polynomial| polynomials.insert(of.name());
                    if !held.get(external).is_some_and(is_new) {
                        continue;
                    }
                    let words = external.basis.len() * program.degree / external.run;
                    match external.role {
                        Role::Key => total.key_bytes += size_of::<u32>() * words,
                        _ => total.plaintext_bytes += size_of::<u32>() * words,
                    }
                }
                let compiled = compile(program, &CompileOptions::default())?;
                let working = compiled.work_limbs * program.degree * size_of::<u32>();
                entry.insert((Arc::clone(program), compiled.counts, working))
            }
        };
        let (_, counts, working) = known;
        total.runs += 1;
        total.counts = sum(&total.counts, counts);
        if program.notes.iter().any(|note| note.text == RAISED) {
            total.bootstraps = sum(&total.bootstraps, counts);
        }
        total.most_working = total.most_working.max(*working);
        // Two outputs are the parts of a ciphertext.
        Ok((0..program.outputs.len() / 2).map(|_| Resident::new(())).collect())
    }
}

fn sum(a: &GpuCounts, b: &GpuCounts) -> GpuCounts {
    each([a, b], |[a, b]| a + b)
}

/// a − b, where b is part of a.
pub fn difference(a: &GpuCounts, b: &GpuCounts) -> GpuCounts {
    each([a, b], |[a, b]| a.saturating_sub(b))
}

/// One of `count` equal parts.
pub fn share(a: &GpuCounts, count: usize) -> GpuCounts {
    each([a], |[a]| a / count as u64)
}

fn each<const K: usize>(of: [&GpuCounts; K], function: impl Fn([u64; K]) -> u64) -> GpuCounts {
    GpuCounts {
        launches: function(of.map(|of| of.launches)),
        multiplications: function(of.map(|of| of.multiplications)),
        additions: function(of.map(|of| of.additions)),
        read_bytes: function(of.map(|of| of.read_bytes)),
        written_bytes: function(of.map(|of| of.written_bytes)),
    }
}
