// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The process that distributes the parts, and does what only one process may do.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, Instant};

use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::tree::{TreeError, LEAF_BYTES};
use halimede_poseidon::Strength;

use super::parts::{Parts, Stage};
use super::worker::open_partial;
use crate::base_tree::{partial_path, StoredRows};
use crate::column_tree::tree_error;
use crate::compare::compare;
use crate::error::Precommit2Error;
use crate::files::Files;
use crate::geometry::BASE_ARITY;
use crate::inputs::Access;
use crate::job::Outcome;
use crate::journal::{Journal, PartsOfTreeC};
use crate::sector::{Commitments, Sector};

/// A run of the second phase whose parts are computed elsewhere.
///
/// The caller has the parts of [`Self::pending`] computed by [`Job::part`](crate::Job::part), gives
/// their roots to [`Self::keep`], and calls [`Self::advance`] when none are pending: after tree C
/// the parts of the replica follow, and then the [`Outcome`].
pub struct Spread {
    files: Files,
    journal: Journal,
    parts: Parts,
    stage: Stage,
    /// The roots of the base trees of tree C.
    tree_c: Vec<Fr>,
    /// The roots of the parts of this step.
    roots: BTreeMap<u64, Fr>,
    reused_trees: usize,
    continued_replica: bool,
    started: Instant,
    tree_c_time: Duration,
}

impl Spread {
    /// Begins a run, or continues an earlier one: checks the inputs as far as that needs no hash,
    /// locks the sealed file, and makes the files in which workers write. `sealed` and `cache` are
    /// as in [`Job`](crate::Job). A part has at most `part_bytes` of each layer, unless there would
    /// be more than 4,096 parts; an earlier run's parts keep their size.
    ///
    /// # Errors
    /// [`Precommit2Error`], as of [`Job::run`](crate::Job::run).
    pub fn begin(
        sector: &Sector,
        cache: &Path,
        sealed: &Path,
        part_bytes: u64,
    ) -> Result<Self, Precommit2Error> {
        let files = Files::open(sector, cache, sealed, Access::Alone)?;
        files.cache_text()?;
        let (mut journal, tree_c) = files.resume()?;
        journal.tree_c.truncate(tree_c.len());
        let earlier = journal.parts.take();
        let known =
            earlier.as_ref().and_then(|parts| Parts::of_height(sector.geometry, parts.height));
        let parts = known.unwrap_or_else(|| Parts::of(sector.geometry, part_bytes));
        let mut run = Self {
            reused_trees: tree_c.len(),
            continued_replica: journal.replica_started,
            files,
            journal,
            parts,
            stage: Stage::TreeC,
            tree_c,
            roots: BTreeMap::new(),
            started: Instant::now(),
            tree_c_time: Duration::ZERO,
        };
        let recorded = match known {
            Some(_) => earlier.map(|parts| parts.roots).unwrap_or_default(),
            None => BTreeMap::new(),
        };
        run.make_files(&recorded)?;
        let height = parts.height();
        run.journal.parts = Some(PartsOfTreeC { height, roots: BTreeMap::new() });
        run.record();
        run.journal.save(&run.files.journal_path)?;
        Ok(run)
    }

    /// The step whose parts are computed.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The numbers of the parts of this step that have no root yet.
    pub fn pending(&self) -> Vec<u64> {
        let first = self.first_tree() as u64 * self.parts.per_base_tree();
        (first..self.parts.count()).filter(|part| !self.roots.contains_key(part)).collect()
    }

    /// The number of parts of a step.
    pub fn part_count(&self) -> u64 {
        self.parts.count()
    }

    /// The bytes of each layer below a part.
    pub fn part_bytes(&self) -> u64 {
        self.parts.leaf_bytes()
    }

    /// Records the root of a part, little-endian. Parts of tree C survive the end of this process.
    ///
    /// # Errors
    /// [`Precommit2Error::NoPart`], [`Precommit2Error::LostPart`] if the root is not an element or
    /// the files lack it, or an error of the journal.
    pub fn keep(&mut self, part: u64, root: &[u8; 32]) -> Result<(), Precommit2Error> {
        let (tree, place) = self.parts.place(part);
        if part >= self.parts.count() || tree < self.first_tree() {
            return Err(Precommit2Error::NoPart { part, count: self.parts.count() });
        }
        let path = partial_path(&self.files.store_path(self.stage.id(), tree));
        let rows = self.rows()?;
        let file = open_partial(&path, rows.bytes())?;
        let lost =
            || Precommit2Error::LostPart { path: path.clone(), part, root: hex::encode(root) };
        let found = Fr::from_le_bytes(root).map_err(|_| lost())?;
        let is_there = self.has_root(&file, &rows, place, root);
        if !is_there.map_err(|source| Precommit2Error::Read { path: path.clone(), source })? {
            return Err(lost());
        }
        self.roots.insert(part, found);
        if self.stage == Stage::TreeC {
            self.record();
            self.journal.save(&self.files.journal_path)?;
        }
        Ok(())
    }

    /// Ends a step whose parts are all there. After tree C it compares the whole sealed file with
    /// the data, and begins the replica; it returns `None`. After the replica it writes `p_aux` and
    /// `t_aux`, and returns the outcome. `is_stopped` ends the comparison.
    ///
    /// # Errors
    /// [`Precommit2Error`]; [`Precommit2Error::PartsLeft`] if parts are pending.
    pub fn advance(
        &mut self,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Outcome>, Precommit2Error> {
        let left = self.pending().len();
        if left > 0 {
            return Err(Precommit2Error::PartsLeft { left });
        }
        match self.stage {
            Stage::TreeC => {
                for tree in self.tree_c.len()..self.files.sector.geometry.base_trees() {
                    let root = self.complete(tree)?;
                    self.tree_c.push(root);
                    self.journal.tree_c.push(hex::encode(root.to_le_bytes()));
                    self.journal.save(&self.files.journal_path)?;
                }
                self.compare(is_stopped)?;
                self.tree_c_time = self.started.elapsed();
                self.started = Instant::now();
                self.files.begin_replica(&mut self.journal)?;
                self.stage = Stage::Replica;
                self.roots.clear();
                self.make_files(&BTreeMap::new())?;
                Ok(None)
            }
            Stage::Replica => {
                let sealed = &self.files.inputs.sealed;
                let synced = sealed.file.sync_all();
                synced.map_err(|source| Precommit2Error::Write {
                    path: sealed.path.clone(),
                    source,
                })?;
                let trees = 0..self.files.sector.geometry.base_trees();
                let tree_r =
                    trees.map(|tree| self.complete(tree)).collect::<Result<Vec<_>, _>>()?;
                let commitments =
                    Commitments::of_base_trees(&self.files.sector, &self.tree_c, &tree_r)?;
                self.files.end(&commitments)?;
                Ok(Some(Outcome {
                    commitments,
                    reused_trees: self.reused_trees,
                    continued_replica: self.continued_replica,
                    tree_c_time: self.tree_c_time,
                    replica_time: self.started.elapsed(),
                }))
            }
        }
    }

    /// The first base tree that is not complete in this step.
    fn first_tree(&self) -> usize {
        match self.stage {
            Stage::TreeC => self.tree_c.len(),
            Stage::Replica => 0,
        }
    }

    fn rows(&self) -> Result<StoredRows, Precommit2Error> {
        let rows = self.stage.rows(&self.files.sector.geometry);
        rows.map_err(|source| tree_error(&self.files.cache, 0, source))
    }

    /// Copies the roots of the parts of tree C to the journal.
    fn record(&mut self) {
        if let Some(parts) = &mut self.journal.parts {
            let encode = |(part, root): (&u64, &Fr)| (*part, hex::encode(root.to_le_bytes()));
            parts.roots = self.roots.iter().map(encode).collect();
        }
    }

    /// Returns `true` if the file of a base tree has this root of a part, or does not store its
    /// row.
    fn has_root(
        &self,
        file: &File,
        rows: &StoredRows,
        place: u64,
        root: &[u8; 32],
    ) -> io::Result<bool> {
        let Some((offset, _)) = rows.place(self.parts.height(), place, 1) else { return Ok(true) };
        let mut stored = [0; LEAF_BYTES];
        file.read_exact_at(&mut stored, offset)?;
        Ok(stored == *root)
    }

    /// Makes the files of this step, in which workers write. A file of an earlier run is kept with
    /// the parts that have their recorded roots in it.
    fn make_files(&mut self, recorded: &BTreeMap<u64, String>) -> Result<(), Precommit2Error> {
        let rows = self.rows()?;
        for tree in self.first_tree()..self.files.sector.geometry.base_trees() {
            let path = partial_path(&self.files.store_path(self.stage.id(), tree));
            let kept = self.stored_parts(tree, &path, &rows, recorded);
            if kept.is_empty() {
                // A worker of an earlier run may still write to the old file.
                self.files.remove(&path)?;
                let made = OpenOptions::new().read(true).write(true).create_new(true).open(&path);
                made.and_then(|file| file.set_len(rows.bytes()))
                    .map_err(|source| Precommit2Error::Write { path: path.clone(), source })?;
            }
            self.roots.extend(kept);
        }
        self.files.sync_cache()
    }

    /// The recorded parts of a base tree, as far as its file has their roots.
    fn stored_parts(
        &self,
        tree: usize,
        path: &Path,
        rows: &StoredRows,
        recorded: &BTreeMap<u64, String>,
    ) -> Vec<(u64, Fr)> {
        let Ok(file) = open_partial(path, rows.bytes()) else { return Vec::new() };
        let first = tree as u64 * self.parts.per_base_tree();
        let stored = |(part, root): (&u64, &String)| {
            let root: [u8; 32] = hex::decode(root).ok()?.try_into().ok()?;
            let is_there = self.has_root(&file, rows, part - first, &root).ok()?;
            is_there.then_some((*part, Fr::from_le_bytes(&root).ok()?))
        };
        recorded.range(first..first + self.parts.per_base_tree()).filter_map(stored).collect()
    }

    /// Adds the rows above the parts of a base tree, and gives the file its name. Returns the root.
    fn complete(&self, tree: usize) -> Result<Fr, Precommit2Error> {
        let store = self.files.store_path(self.stage.id(), tree);
        let path = partial_path(&store);
        let rows = self.rows()?;
        let file = open_partial(&path, rows.bytes())?;
        let first = tree as u64 * self.parts.per_base_tree();
        let parts = first..first + self.parts.per_base_tree();
        let mut nodes: Vec<Fr> = parts.filter_map(|part| self.roots.get(&part).copied()).collect();
        let write_error = |source| Precommit2Error::Write { path: path.clone(), source };
        let hasher = Hasher::new(BASE_ARITY, Strength::Standard, HashType::MerkleTree);
        let hasher = hasher.map_err(|source| tree_error(&path, 0, source.into()))?;
        let mut row = self.parts.height();
        while nodes.len() > 1 {
            let parents = hasher.hash_batch(&nodes);
            nodes = parents.map_err(|source| tree_error(&path, 0, source.into()))?;
            row += 1;
            if let Some((offset, _)) = rows.place(row, 0, nodes.len() as u64) {
                let bytes: Vec<u8> = nodes.iter().flat_map(Fr::to_le_bytes).collect();
                file.write_all_at(&bytes, offset).map_err(write_error)?;
            }
        }
        file.sync_all().map_err(write_error)?;
        self.replace(&store, &path)?;
        let got = nodes.len();
        let missing = || tree_error(&store, 0, TreeError::Replies { got, expected: 1 });
        nodes.pop().ok_or_else(missing)
    }

    /// Renames a complete file. Only a regular file is replaced.
    fn replace(&self, store: &Path, partial: &Path) -> Result<(), Precommit2Error> {
        let write_error = |source| Precommit2Error::Write { path: store.into(), source };
        match store.symlink_metadata() {
            Ok(metadata) if !metadata.is_file() => {
                return Err(write_error(io::Error::other("not a regular file, not replaced")));
            }
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(write_error(error)),
            _ => {}
        }
        std::fs::rename(partial, store).map_err(write_error)?;
        self.files.sync_cache()
    }

    /// Compares the whole sealed file with the data, unless it is partly transformed.
    fn compare(&self, is_stopped: &dyn Fn() -> bool) -> Result<(), Precommit2Error> {
        if self.journal.replica_started {
            return Ok(());
        }
        let (sealed, tree_d) = (&self.files.inputs.sealed.file, &self.files.inputs.tree_d.file);
        let length = self.files.sector.geometry.sector_bytes();
        self.files.require_equal(compare(sealed, tree_d, length, is_stopped))?;
        match is_stopped() {
            true => Err(Precommit2Error::Stopped),
            false => Ok(()),
        }
    }
}
