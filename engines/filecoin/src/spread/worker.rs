// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A worker: it computes one part.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use halimede_arith::job::Execute;
use halimede_poseidon::operations::FilecoinHash;

use super::parts::{Parts, Stage};
use crate::base_tree::partial_path;
use crate::column_tree::{tree_error, Part};
use crate::error::Precommit2Error;
use crate::files::Files;
use crate::inputs::Access;
use crate::job::Job;
use crate::replica::SealedWriter;

impl<D: Execute<FilecoinHash>> Job<'_, D> {
    /// Computes one part of a run that [`Spread`](crate::Spread) has begun, and returns its root,
    /// little-endian. `progress` returns `false` to stop.
    ///
    /// # Errors
    /// [`Precommit2Error`], among them [`Precommit2Error::NotBegun`] if the journal in the cache
    /// folder does not allow this step with these inputs: nothing is written then.
    pub fn part(
        &self,
        stage: Stage,
        number: u64,
        progress: &mut dyn FnMut() -> bool,
    ) -> Result<[u8; 32], Precommit2Error> {
        let files = Files::open(&self.sector, &self.cache, &self.sealed, Access::Worker)?;
        let parts = begun(&files, stage)?;
        if number >= parts.count() {
            return Err(Precommit2Error::NoPart { part: number, count: parts.count() });
        }
        let stop = &AtomicBool::new(false);
        let tell = &mut |_| {
            if !progress() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let result = self.compute(&files, parts, stage, number, stop, tell);
        match stop.load(Ordering::Relaxed) && result.is_err() {
            true => Err(Precommit2Error::Stopped),
            false => result,
        }
    }

    fn compute(
        &self,
        files: &Files,
        parts: Parts,
        stage: Stage,
        number: u64,
        stop: &AtomicBool,
        progress: &mut dyn FnMut(u64),
    ) -> Result<[u8; 32], Precommit2Error> {
        let (tree, place) = parts.place(number);
        let path = &partial_path(&files.store_path(stage.id(), tree));
        let start = number * parts.leaf_bytes();
        let located = |source| tree_error(path, start, source);
        let rows = stage.rows(&files.sector.geometry).map_err(located)?;
        let shape = parts.shape().map_err(located)?;
        let places = rows.places_below(&shape, place);
        let output = open_partial(path, rows.bytes())?;
        let part = Part { device: self.device, files, path, shape, start };
        let (root, output) = match stage {
            Stage::TreeC => part.hash_columns(output, places, stop, progress)?,
            Stage::Replica => {
                let mut writer = SealedWriter::start(&files.inputs.sealed)?;
                let done = part.encode(output, places, &mut writer, stop, progress)?;
                writer.finish()?;
                done
            }
        };
        let synced = output.sync_all();
        synced.map_err(|source| Precommit2Error::Write { path: path.into(), source })?;
        Ok(root.to_le_bytes())
    }
}

/// Returns the parts of a step, if the journal says that it has begun with these inputs.
fn begun(files: &Files, stage: Stage) -> Result<Parts, Precommit2Error> {
    let refused = |reason| Precommit2Error::NotBegun { path: files.journal_path.clone(), reason };
    let Some(journal) = crate::journal::Journal::load(&files.journal_path)? else {
        return Err(refused("no run has begun"));
    };
    let identity = files.inputs.identity(&files.sector)?;
    if !journal.is_of(&identity) {
        return Err(refused("the run has other files than this worker"));
    }
    if stage == Stage::Replica && !journal.replica_started {
        return Err(refused("the replica has not begun"));
    }
    let height = journal.parts.map(|parts| parts.height);
    let parts = height.and_then(|height| Parts::of_height(files.sector.geometry, height));
    parts.ok_or_else(|| refused("the run is not one of several workers"))
}

/// Opens the file of a base tree in which workers write.
pub(super) fn open_partial(path: &Path, bytes: u64) -> Result<File, Precommit2Error> {
    let open = || -> io::Result<File> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() != bytes {
            return Err(io::Error::other(format!("not a regular file of {bytes} bytes")));
        }
        Ok(file)
    };
    open().map_err(|source| Precommit2Error::Read { path: path.into(), source })
}
