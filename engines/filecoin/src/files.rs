// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The files of a sector, in the order in which they may be changed.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use halimede_arith::Fr;
use halimede_files::{Options, Output};

use crate::aux_files::{persistent, temporary, write_whole, TREE_C, TREE_R};
use crate::base_tree::{partial_path, store_path, stored_root};
use crate::compare::{compare_samples, Comparison};
use crate::error::Precommit2Error;
use crate::inputs::{Access, Input, Inputs};
use crate::journal::{self, Journal};
use crate::sector::{Commitments, Sector};

/// The samples that are compared before the first hash.
const FIRST_SAMPLES: u64 = 64;
const P_AUX: &str = "p_aux";
const T_AUX: &str = "t_aux";

/// A sector with its open inputs.
pub struct Files {
    pub sector: Sector,
    pub inputs: Inputs,
    pub journal_path: PathBuf,
    pub cache: PathBuf,
}

impl Files {
    /// Opens the inputs, and checks them as far as that is possible without reading them whole.
    pub fn open(
        sector: &Sector,
        cache: &Path,
        sealed: &Path,
        access: Access,
    ) -> Result<Self, Precommit2Error> {
        Ok(Self {
            inputs: Inputs::open(sector, cache, sealed, access)?,
            sector: sector.clone(),
            journal_path: cache.join(journal::NAME),
            cache: cache.into(),
        })
    }

    /// The path of a base tree.
    pub fn store_path(&self, id: &str, tree: usize) -> PathBuf {
        let is_one_of_many = self.sector.geometry.base_trees() > 1;
        store_path(&self.cache, id, is_one_of_many.then_some(tree))
    }

    /// The cache folder, as `t_aux` has it.
    pub fn cache_text(&self) -> Result<&str, Precommit2Error> {
        let not_text = || Precommit2Error::PathText { path: self.cache.clone() };
        self.cache.to_str().ok_or_else(not_text)
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
        let identity = self.inputs.identity(&self.sector)?;
        match Journal::load(&self.journal_path)? {
            Some(journal) => journal.continued(identity, &self.journal_path),
            None => Ok(Journal::begin(identity)),
        }
    }

    /// Returns the journal of this run, and the roots of the base trees of tree C that an earlier
    /// run completed. Compares samples of the data, and reserves space.
    pub fn resume(&self) -> Result<(Journal, Vec<Fr>), Precommit2Error> {
        let journal = self.journal()?;
        let stored = self.stored_roots(&journal);
        let geometry = &self.sector.geometry;
        if !journal.replica_started {
            let (sealed, tree_d) = (&self.inputs.sealed.file, &self.inputs.tree_d.file);
            let length = geometry.sector_bytes();
            self.require_equal(compare_samples(sealed, tree_d, length, FIRST_SAMPLES))?;
        }
        self.inputs.reserve(geometry, &self.cache, stored.len())?;
        Ok((journal, stored))
    }

    /// Returns the roots of the first base trees of the journal, as far as their files are whole.
    fn stored_roots(&self, journal: &Journal) -> Vec<Fr> {
        let geometry = &self.sector.geometry;
        let stored = |(tree, recorded): (usize, &String)| {
            stored_root(&self.store_path(TREE_C, tree), geometry.base_nodes(), recorded)
        };
        journal.tree_c.iter().take(geometry.base_trees()).enumerate().map_while(stored).collect()
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

    /// Writes `t_aux` and `p_aux`, after which the sector is complete, and removes the journal.
    pub fn end(&self, roots: &Commitments) -> Result<(), Precommit2Error> {
        let Sector { labels, geometry, .. } = &self.sector;
        let t_aux = temporary(self.cache_text()?, labels, geometry);
        write_whole(&self.cache.join(T_AUX), &t_aux)?;
        let p_aux = persistent(&roots.comm_c, &roots.comm_r_last);
        write_whole(&self.cache.join(P_AUX), &p_aux)?;
        for id in [TREE_C, TREE_R] {
            for tree in 0..geometry.base_trees() {
                self.remove(&partial_path(&self.store_path(id, tree)))?;
            }
        }
        self.remove(&self.journal_path)?;
        self.sync_cache()
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
        let sync = || -> io::Result<()> { File::open(&self.cache)?.sync_all() };
        sync().map_err(|source| Precommit2Error::Read { path: self.cache.clone(), source })
    }
}
