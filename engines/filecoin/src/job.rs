// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of the second phase, in order.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use halimede_arith::job::Execute;
use halimede_arith::Fr;
use halimede_poseidon::operations::FilecoinHash;

use crate::compare::{compare, Comparison};
use crate::error::Precommit2Error;
use crate::files::Files;
use crate::inputs::{Access, Inputs};
use crate::journal::Journal;
use crate::sector::{Commitments, Sector};
use crate::{column_tree, replica};

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
        let files = Files::open(&self.sector, &self.cache, &self.sealed, Access::Alone)?;
        files.cache_text()?;
        let (mut journal, stored) = files.resume()?;
        let (continued_replica, reused_trees) = (journal.replica_started, stored.len());
        // This run does not use the subtrees of an unfinished run of several machines.
        journal.parts = None;
        let start = Instant::now();
        let tree_c = self.tree_c(&files, &mut journal, stored, stop, progress)?;
        let tree_c_time = start.elapsed();
        // The comparison may have ended before its end.
        if stop.load(Ordering::Relaxed) {
            return Err(Precommit2Error::Stopped);
        }
        files.begin_replica(&mut journal)?;
        let start = Instant::now();
        let done = self.bytes() - 2 * self.sector.geometry.sector_bytes();
        let tree_r =
            replica::encode(self.device, &files, stop, &mut |bytes| progress(done + bytes))?;
        let replica_time = start.elapsed();
        let commitments = Commitments::of_base_trees(&self.sector, &tree_c, &tree_r)?;
        files.end(&commitments)?;
        Ok(Outcome { commitments, reused_trees, continued_replica, tree_c_time, replica_time })
    }

    /// Builds tree C; meanwhile compares the whole sealed file with the data, unless it is partly
    /// transformed.
    fn tree_c(
        &self,
        files: &Files,
        journal: &mut Journal,
        stored: Vec<Fr>,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<Fr>, Precommit2Error> {
        let Inputs { sealed, tree_d, .. } = &files.inputs;
        let length = files.sector.geometry.sector_bytes();
        let is_compared = !journal.replica_started;
        let compare = move || {
            let comparison = match is_compared {
                true => {
                    compare(&sealed.file, &tree_d.file, length, || stop.load(Ordering::Relaxed))
                }
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
            let built = column_tree::build(self.device, files, journal, stored, stop, progress);
            if built.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            let comparison = compared.join();
            let ended = |_| Comparison::Sealed(io::Error::other("the comparison has ended"));
            files.require_equal(comparison.unwrap_or_else(ended))?;
            built
        })
    }
}
