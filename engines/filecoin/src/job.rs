// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of the second phase, in order.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use halimede_arith::job::Execute;
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::TreeError;
use halimede_poseidon::Strength;

use crate::aux_files::{TREE_C, TREE_R};
use crate::compare::{compare, compare_samples, Comparison};
use crate::error::Precommit2Error;
use crate::inputs::Inputs;
use crate::journal::{self, Journal};
use crate::run::Run;
use crate::sector::{Commitments, Sector};
use crate::{column_tree, replica};

/// The samples that are compared before the first hash.
const FIRST_SAMPLES: u64 = 64;

/// The result of a run.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    /// The roots.
    pub commitments: Commitments,
    /// The number of base trees of tree C that an earlier run had made.
    pub reused_trees: usize,
    /// Set if an earlier run had begun to write the replica.
    pub continued_replica: bool,
    /// The time for tree C and the comparison of the data.
    pub tree_c_time: Duration,
    /// The time for the replica and tree R.
    pub replica_time: Duration,
}

/// The second phase of one sector.
pub struct Job<'d, D> {
    /// The device that hashes.
    pub device: &'d D,
    /// The sector.
    pub sector: Sector,
    /// The cache folder, as it is written to `t_aux`.
    pub cache: PathBuf,
    /// The sealed file, which contains the unsealed data.
    pub sealed: PathBuf,
}

impl<D: Execute<FilecoinHash>> Job<'_, D> {
    /// The number of bytes that a run reads, apart from the comparison of the data.
    pub fn bytes(&self) -> u64 {
        (self.sector.geometry.layers() as u64 + 2) * self.sector.geometry.sector_bytes()
    }

    /// Runs the phase, or what an earlier run has left of it. `progress` is called with the number
    /// of bytes read so far, of [`Self::bytes`], and returns `false` to stop the run.
    ///
    /// # Errors
    /// [`Precommit2Error`]. The sealed file is unchanged unless the error occurs while the replica
    /// is written; a later run then continues (see [`crate::journal`]).
    pub fn run(&self, progress: &mut dyn FnMut(u64) -> bool) -> Result<Outcome, Precommit2Error> {
        let stop = &AtomicBool::new(false);
        let mut is_stopped = false;
        let outcome = self.run_until(stop, &mut |bytes| {
            if !progress(bytes) {
                is_stopped = true;
                stop.store(true, Ordering::Relaxed);
            }
        });
        match is_stopped && outcome.is_err() {
            true => Err(Precommit2Error::Stopped),
            false => outcome,
        }
    }

    /// Runs the phase until `stop` is set.
    fn run_until(
        &self,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Outcome, Precommit2Error> {
        let cache_text = self.cache.to_str();
        let cache_text =
            cache_text.ok_or_else(|| Precommit2Error::PathText { path: self.cache.clone() })?;
        let inputs = Inputs::open(&self.sector, &self.cache, &self.sealed)?;
        let run = Run {
            device: self.device,
            sector: &self.sector,
            journal_path: self.cache.join(journal::NAME),
            cache: &self.cache,
            inputs,
        };
        let mut journal = run.journal()?;
        let stored = column_tree::stored_roots(&run, &journal);
        let (continued_replica, reused_trees) = (journal.replica_started, stored.len());
        if !continued_replica {
            let (sealed, tree_d) = (&run.inputs.sealed.file, &run.inputs.tree_d.file);
            let length = self.sector.geometry.sector_bytes();
            run.require_equal(compare_samples(sealed, tree_d, length, FIRST_SAMPLES))?;
        }
        run.inputs.reserve(&self.sector.geometry, &self.cache, reused_trees)?;
        let start = Instant::now();
        let tree_c = run.tree_c(&mut journal, stored, stop, progress)?;
        let tree_c_time = start.elapsed();
        // The comparison may have ended before its end.
        if stop.load(Ordering::Relaxed) {
            return Err(Precommit2Error::Stopped);
        }
        run.begin_replica(&mut journal)?;
        let start = Instant::now();
        let done = self.bytes() - 2 * self.sector.geometry.sector_bytes();
        let tree_r = replica::encode(&run, stop, &mut |bytes| progress(done + bytes))?;
        let replica_time = start.elapsed();
        let commitments = run.commitments(&tree_c, &tree_r)?;
        run.write_aux(cache_text, &commitments)?;
        run.remove(&run.journal_path)?;
        run.sync_cache()?;
        Ok(Outcome { commitments, reused_trees, continued_replica, tree_c_time, replica_time })
    }
}

impl<D: Execute<FilecoinHash>> Run<'_, D> {
    /// Builds tree C; meanwhile compares the whole sealed file with the data, unless it is partly
    /// transformed.
    fn tree_c(
        &self,
        journal: &mut Journal,
        stored: Vec<Fr>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<Fr>, Precommit2Error> {
        let Inputs { sealed, tree_d, .. } = &self.inputs;
        let length = self.sector.geometry.sector_bytes();
        let is_compared = !journal.replica_started;
        let compare = move || {
            let comparison = match is_compared {
                true => compare(&sealed.file, &tree_d.file, length, stop),
                false => Comparison::Equal,
            };
            if !matches!(comparison, Comparison::Equal) {
                // Ends the hashing of a sector that cannot be sealed.
                stop.store(true, Ordering::Relaxed);
            }
            comparison
        };
        std::thread::scope(|scope| {
            let compared = std::thread::Builder::new()
                .name("compare".into())
                .spawn_scoped(scope, compare)
                .map_err(|error| sealed.read_error(error))?;
            let built = column_tree::build(self, journal, stored, stop, progress);
            if built.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            let comparison = compared.join();
            let ended = |_| Comparison::Sealed(io::Error::other("the comparison has ended"));
            self.require_equal(comparison.unwrap_or_else(ended))?;
            built
        })
    }

    /// Joins the base trees, and hashes both roots.
    fn commitments(&self, tree_c: &[Fr], tree_r: &[Fr]) -> Result<Commitments, Precommit2Error> {
        let top = self.sector.geometry.top_arities();
        let tree_error = |id: &'static str| {
            move |source| Precommit2Error::Tree { path: id.into(), start: 0, source }
        };
        let comm_c = join(tree_c, top).map_err(tree_error(TREE_C))?;
        let comm_r_last = join(tree_r, top).map_err(tree_error(TREE_R))?;
        let comm_r = join(&[comm_c, comm_r_last], &[2]).map_err(tree_error(TREE_R))?;
        Ok(Commitments {
            comm_d: self.sector.comm_d,
            comm_c: comm_c.to_le_bytes(),
            comm_r_last: comm_r_last.to_le_bytes(),
            comm_r: comm_r.to_le_bytes(),
        })
    }
}

/// Returns the root of a tree with these leaves and the arities of its levels.
fn join(leaves: &[Fr], arities: &[usize]) -> Result<Fr, TreeError> {
    let mut nodes = leaves.to_vec();
    for &arity in arities {
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree)?;
        nodes = hasher.hash_batch(&nodes)?;
    }
    match nodes[..] {
        [root] => Ok(root),
        _ => Err(TreeError::Replies { got: nodes.len(), expected: 1 }),
    }
}
