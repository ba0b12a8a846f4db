// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of a run, in the order in which they may be changed.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use halimede_files::{Options, Output};

use crate::aux_files::{persistent, temporary, write_whole};
use crate::base_tree::store_path;
use crate::compare::Comparison;
use crate::error::Precommit2Error;
use crate::inputs::{Input, Inputs};
use crate::journal::Journal;
use crate::sector::{Commitments, Sector};

const P_AUX: &str = "p_aux";
const T_AUX: &str = "t_aux";

/// A run of a job, with its inputs.
pub struct Run<'r, D> {
    pub device: &'r D,
    pub sector: &'r Sector,
    pub inputs: Inputs,
    pub journal_path: PathBuf,
    pub cache: &'r Path,
}

impl<D> Run<'_, D> {
    /// The path of a base tree.
    pub fn store_path(&self, id: &str, tree: usize) -> PathBuf {
        let is_one_of_many = self.sector.geometry.base_trees() > 1;
        store_path(self.cache, id, is_one_of_many.then_some(tree))
    }

    /// Begins an output, which must not replace an input.
    pub fn create(&self, path: &Path) -> Result<Output, Precommit2Error> {
        let options = Options { inputs: &self.inputs.paths(), seeks: true, ..Options::default() };
        Ok(halimede_files::create(path, &options)?)
    }

    /// The last layer.
    pub fn last_layer(&self) -> Result<&Input, Precommit2Error> {
        let missing = || self.inputs.tree_d.read_error(ErrorKind::NotFound.into());
        self.inputs.layers.last().ok_or_else(missing)
    }

    /// Returns the journal of this run, with the progress of an earlier one.
    pub fn journal(&self) -> Result<Journal, Precommit2Error> {
        let identity = self.inputs.identity(self.sector)?;
        match Journal::load(&self.journal_path)? {
            Some(journal) => journal.continued(identity, &self.journal_path),
            None => Ok(Journal::begin(identity)),
        }
    }

    /// Turns a difference between the sealed file and the data into an error.
    pub fn require_equal(&self, comparison: Comparison) -> Result<(), Precommit2Error> {
        let (sealed, tree_d) = (&self.inputs.sealed, &self.inputs.tree_d);
        Err(match comparison {
            Comparison::Equal => return Ok(()),
            Comparison::Differs(offset) => Precommit2Error::Data {
                sealed: sealed.path.clone(),
                tree_d: tree_d.path.clone(),
                offset,
                is_sealed: self.cache.join(P_AUX).exists(),
            },
            Comparison::TooLarge(offset) => {
                Precommit2Error::Node { path: sealed.path.clone(), offset }
            }
            Comparison::Sealed(error) => sealed.read_error(error),
            Comparison::TreeD(error) => tree_d.read_error(error),
        })
    }

    /// Writes everything to disk that the replica depends on, and the journal; from then on, the
    /// sealed file is not an input. Removes the files that would make the sector look sealed.
    pub fn begin_replica(&self, journal: &mut Journal) -> Result<(), Precommit2Error> {
        for input in [&self.inputs.tree_d, self.last_layer()?] {
            input.file.sync_all().map_err(|error| input.read_error(error))?;
        }
        journal.replica_started = true;
        journal.save(&self.journal_path)?;
        for name in [P_AUX, T_AUX] {
            self.remove(&self.cache.join(name))?;
        }
        self.sync_cache()
    }

    pub fn write_aux(&self, cache: &str, roots: &Commitments) -> Result<(), Precommit2Error> {
        let Sector { labels, geometry, .. } = self.sector;
        write_whole(&self.cache.join(T_AUX), &temporary(cache, labels, geometry))?;
        let p_aux = persistent(&roots.comm_c, &roots.comm_r_last);
        write_whole(&self.cache.join(P_AUX), &p_aux)
    }

    pub fn remove(&self, path: &Path) -> Result<(), Precommit2Error> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Precommit2Error::Read { path: path.into(), source: error })
            }
            _ => Ok(()),
        }
    }

    /// Writes the names in the cache folder to disk.
    pub fn sync_cache(&self) -> Result<(), Precommit2Error> {
        let sync = || -> io::Result<()> { File::open(self.cache)?.sync_all() };
        sync().map_err(|source| Precommit2Error::Read { path: self.cache.into(), source })
    }
}
