// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The input files of the second phase: opened, locked, and checked before anything is changed.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use halimede_poseidon::tree::LEAF_BYTES;
use rustix::fs::{fallocate, statvfs, FallocateFlags};
use rustix::io::Errno;
use sha2::{Digest, Sha256};

use crate::aux_files::{TREE_C, TREE_R};
use crate::base_tree::store_path;
use crate::compare::{sample_offsets, SAMPLE_BYTES};
use crate::error::Precommit2Error;
use crate::geometry::Geometry;
use crate::journal::Identity;
use crate::phase1::TREE_D;
use crate::sector::Sector;

/// The unit of the allocated length of a file (POSIX, `st_blocks` on Linux).
const BLOCK_BYTES: u64 = 512;
/// The number of samples of tree D in its fingerprint.
const DATA_SAMPLES: u64 = 64;
/// The number of samples of a layer in the fingerprint of the layers.
const LAYER_SAMPLES: u64 = 16;

/// A file that is only read.
pub struct Input {
    pub path: PathBuf,
    pub file: File,
    metadata: Metadata,
}

/// The user of the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The only process that works on the sector: it locks the sealed file.
    Alone,
    /// A worker of the process that has the lock.
    Worker,
}

/// The input files of a sector.
pub struct Inputs {
    /// The layers, lowest first.
    pub layers: Vec<Input>,
    pub tree_d: Input,
    /// The sealed file, open for reading and writing.
    pub sealed: Input,
}

impl Inputs {
    /// Opens all files, and checks their lengths, the root of tree D, and that no other process
    /// has the sealed file.
    pub fn open(
        sector: &Sector,
        cache: &Path,
        sealed: &Path,
        access: Access,
    ) -> Result<Self, Precommit2Error> {
        let read_error = |source| Precommit2Error::Read { path: cache.into(), source };
        if !std::fs::metadata(cache).map_err(read_error)?.is_dir() {
            return Err(read_error(ErrorKind::NotADirectory.into()));
        }
        let geometry = &sector.geometry;
        let open_layer = |layer: usize| {
            let path = store_path(cache, &format!("layer-{layer}"), None);
            Input::open(path, "a layer", geometry.sector_bytes())
        };
        let layers = (1..=geometry.layers()).map(open_layer).collect::<Result<Vec<_>, _>>()?;
        let nodes = geometry.tree_d_nodes();
        let path = store_path(cache, TREE_D, None);
        let tree_d = Input::open(path, "tree D", nodes * LEAF_BYTES as u64)?;
        let mut root = [0; LEAF_BYTES];
        let at = (nodes - 1) * LEAF_BYTES as u64;
        tree_d.file.read_exact_at(&mut root, at).map_err(|error| tree_d.read_error(error))?;
        if root != sector.comm_d {
            return Err(Precommit2Error::CommD {
                path: tree_d.path,
                got: hex::encode(root),
                expected: hex::encode(sector.comm_d),
            });
        }
        let sealed = open_sealed(sealed, geometry.sector_bytes(), access)?;
        let inputs = Self { layers, tree_d, sealed };
        if let Some(input) = inputs.read_only().find(|input| input.is_same(&inputs.sealed)) {
            let (sealed, input) = (inputs.sealed.path.clone(), input.path.clone());
            return Err(Precommit2Error::SameFile { sealed, input });
        }
        Ok(inputs)
    }

    /// Layers and tree D.
    fn read_only(&self) -> impl Iterator<Item = &Input> {
        self.layers.iter().chain([&self.tree_d])
    }

    /// The paths of all inputs, which no output may replace.
    pub fn paths(&self) -> Vec<&Path> {
        self.read_only().chain([&self.sealed]).map(|input| input.path.as_path()).collect()
    }

    /// Returns the identity of the inputs, for the journal.
    pub fn identity(&self, sector: &Sector) -> Result<Identity, Precommit2Error> {
        let sealed = std::fs::canonicalize(&self.sealed.path)
            .map_err(|source| self.sealed.read_error(source))?;
        let mut data = Sha256::new();
        self.tree_d.sample(&mut data, DATA_SAMPLES)?;
        let mut layers = Sha256::new();
        for layer in &self.layers {
            let metadata = &layer.metadata;
            layers.update(metadata.len().to_le_bytes());
            layers.update(metadata.mtime().to_le_bytes());
            layers.update(metadata.mtime_nsec().to_le_bytes());
            layer.sample(&mut layers, LAYER_SAMPLES)?;
        }
        Ok(Identity {
            sector_bytes: sector.geometry.sector_bytes(),
            comm_d: hex::encode(sector.comm_d),
            data: hex::encode(data.finalize()),
            sealed: sealed.to_string_lossy().into_owned(),
            layers: hex::encode(layers.finalize()),
        })
    }

    /// Reserves the space of the sealed file, which may have holes, and checks that the folder of
    /// the cache has enough free space for the trees that are still to be written.
    pub fn reserve(
        &self,
        geometry: &Geometry,
        cache: &Path,
        done_trees: usize,
    ) -> Result<(), Precommit2Error> {
        let length = geometry.sector_bytes();
        // File systems without this call allocate while they are written.
        let reserved = fallocate(&self.sealed.file, FallocateFlags::empty(), 0, length);
        if let Err(Errno::NOSPC | Errno::DQUOT) = reserved {
            let allocated = self.sealed.metadata.blocks() * BLOCK_BYTES;
            let needed = length.saturating_sub(allocated);
            let free = free_bytes(&self.sealed.path).unwrap_or(0);
            let path = self.sealed.path.clone();
            return Err(Precommit2Error::Space { path, needed, free });
        }
        let needed = needed_bytes(geometry, cache, done_trees);
        let read_error = |source| Precommit2Error::Read { path: cache.into(), source };
        let free = free_bytes(cache).map_err(read_error)?;
        if needed <= free {
            return Ok(());
        }
        Err(Precommit2Error::Space { path: cache.into(), needed, free })
    }
}

impl Input {
    fn open(path: PathBuf, what: &'static str, expected: u64) -> Result<Self, Precommit2Error> {
        let opened = File::open(&path).and_then(|file| Ok((file.metadata()?, file)));
        Self::checked(path, opened, what, expected)
    }

    fn checked(
        path: PathBuf,
        opened: io::Result<(Metadata, File)>,
        what: &'static str,
        expected: u64,
    ) -> Result<Self, Precommit2Error> {
        let (metadata, file) = match opened {
            Ok(opened) => opened,
            Err(source) => return Err(Precommit2Error::Read { path, source }),
        };
        if !metadata.is_file() {
            let source = io::Error::other("not a regular file");
            return Err(Precommit2Error::Read { path, source });
        }
        let got = metadata.len();
        if got != expected {
            return Err(Precommit2Error::Length { path, what, got, expected });
        }
        Ok(Self { path, file, metadata })
    }

    /// Adds the path to an error.
    pub fn read_error(&self, source: io::Error) -> Precommit2Error {
        Precommit2Error::Read { path: self.path.clone(), source }
    }

    /// Returns `true` if both are the same file.
    fn is_same(&self, other: &Self) -> bool {
        let id = |input: &Self| (input.metadata.dev(), input.metadata.ino());
        id(self) == id(other)
    }

    fn sample(&self, hasher: &mut Sha256, count: u64) -> Result<(), Precommit2Error> {
        let length = self.metadata.len();
        for offset in sample_offsets(length, count) {
            let mut bytes = vec![0; SAMPLE_BYTES.min(length - offset) as usize];
            self.file.read_exact_at(&mut bytes, offset).map_err(|error| self.read_error(error))?;
            hasher.update(&bytes);
        }
        Ok(())
    }
}

/// Opens the sealed file, and locks it unless it is a worker's.
fn open_sealed(path: &Path, bytes: u64, access: Access) -> Result<Input, Precommit2Error> {
    let opened = File::options().read(true).write(true).open(path);
    let opened = opened.and_then(|file| Ok((file.metadata()?, file)));
    let sealed = Input::checked(path.into(), opened, "a sealed file", bytes)?;
    if access == Access::Worker {
        return Ok(sealed);
    }
    match sealed.file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Precommit2Error::Locked { path: path.into() }),
        // Some network file systems have no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(sealed),
    }
}

/// The bytes that the trees still need. A tree that replaces a file needs the space of both only
/// until it is complete.
fn needed_bytes(geometry: &Geometry, cache: &Path, done_trees: usize) -> u64 {
    let count = geometry.base_trees();
    let tree_bytes = geometry.base_nodes() * LEAF_BYTES as u64;
    let is_there =
        |id: &str, tree: usize| store_path(cache, id, (count > 1).then_some(tree)).is_file();
    let missing = (done_trees..count).filter(|&tree| !is_there(TREE_C, tree)).count() as u64;
    let is_replaced = (done_trees..count).any(|tree| is_there(TREE_C, tree));
    let rows = (0..count).filter(|&tree| !is_there(TREE_R, tree)).count() as u64;
    // The stored rows of tree R have less than a seventh of the nodes of a row of leaves, and each
    // row that is left out makes them eight times fewer.
    let row_bytes = tree_bytes >> (3 * (geometry.discarded_rows() + 1));
    (missing + u64::from(is_replaced)) * tree_bytes + rows * row_bytes
}

/// The free bytes of the file system that has this path.
fn free_bytes(path: &Path) -> io::Result<u64> {
    let free = statvfs(path)?;
    Ok(free.f_bavail.saturating_mul(free.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_that_exist_need_less_space() {
        let folder = tempfile::tempdir().unwrap();
        let geometry = Geometry::of_bytes(32 << 30).unwrap();
        let tree = geometry.base_nodes() * 32;
        let rows = needed_bytes(&geometry, folder.path(), 8);
        assert!((70_000_000..90_000_000).contains(&rows), "{rows}");
        assert_eq!(needed_bytes(&geometry, folder.path(), 0), 8 * tree + rows);
        assert_eq!(needed_bytes(&geometry, folder.path(), 5), 3 * tree + rows);
        for number in 0..8 {
            std::fs::write(store_path(folder.path(), TREE_C, Some(number)), b"").unwrap();
        }
        assert_eq!(needed_bytes(&geometry, folder.path(), 0), tree + rows);
        assert!(free_bytes(folder.path()).unwrap() > 0);
        assert!(free_bytes(&folder.path().join("none")).is_err());
    }
}
