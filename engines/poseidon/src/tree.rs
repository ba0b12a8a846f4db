// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Roots of full Merkle trees over Filecoin's hash, streamed through any device.
//!
//! Leaves are 32-byte little-endian integers below 2²⁵⁴. A level keeps only what is not hashed
//! yet: at most a batch of [`BATCH_NODES`] nodes' children, so memory grows with the depth and not
//! with the input.

use std::io::Read;

use halimede_arith::job::{DeviceError, Execute};
use halimede_arith::Fr;

use crate::filecoin::{HashType, Hasher, PreimageError};
use crate::instance::Strength;
use crate::operations::FilecoinHash;

/// Bytes of a leaf.
pub const LEAF_BYTES: usize = 32;
/// Nodes that go to the device at once: enough to fill it, little enough to fit in its cache.
const BATCH_NODES: usize = 8192;

/// Why there is no root.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A leaf has one of its top two bits set.
    #[error(
        "the leaf at byte offset {offset} is not below 2^254: its last byte is 0x{last_byte:02x}, \
         whose top two bits must be 0"
    )]
    Leaf {
        /// Where the leaf begins in the input.
        offset: u64,
        /// Its most significant byte.
        last_byte: u8,
    },
    /// The input ends inside a leaf.
    #[error(
        "the input has {bytes} bytes, which is not a whole number of {LEAF_BYTES}-byte leaves"
    )]
    PartialLeaf {
        /// Length of the input.
        bytes: u64,
    },
    /// The leaves do not fill a tree.
    #[error("{leaves} leaves do not fill a tree of arity {arity}: their number must be a power of {arity}, at least {arity}")]
    NotFull {
        /// Leaves in the input.
        leaves: u64,
        /// The tree's arity.
        arity: usize,
    },
    /// No hasher has this arity.
    #[error(transparent)]
    Arity(#[from] PreimageError),
    /// The device failed.
    #[error("after {leaves_read} leaves were read: {source}")]
    Device {
        /// Leaves that had been read.
        leaves_read: u64,
        /// What happened.
        source: DeviceError,
    },
    /// The input could not be read.
    #[error("reading failed at byte offset {offset}: {source}")]
    Read {
        /// Bytes that had been read.
        offset: u64,
        /// What happened.
        source: std::io::Error,
    },
}

/// Builds a root from leaves as they come.
pub struct TreeBuilder<'d, D> {
    device: &'d D,
    hasher: Hasher,
    /// Nodes of each level that have no parent yet; level 0 are the leaves.
    waiting: Vec<Vec<Fr>>,
    leaves: u64,
}

impl<'d, D: Execute<FilecoinHash>> TreeBuilder<'d, D> {
    /// A tree of this arity (2, 4, 8 or 11) whose nodes are hashed on `device`.
    ///
    /// # Errors
    /// [`TreeError::Arity`].
    pub fn new(device: &'d D, arity: usize, strength: Strength) -> Result<Self, TreeError> {
        let hasher = Hasher::new(arity, strength, HashType::MerkleTree)?;
        Ok(Self { device, hasher, waiting: vec![Vec::new()], leaves: 0 })
    }

    /// Takes one more leaf.
    ///
    /// # Errors
    /// [`TreeError::Device`] when a batch was due and the device failed.
    pub fn push(&mut self, leaf: Fr) -> Result<(), TreeError> {
        self.waiting[0].push(leaf);
        self.leaves += 1;
        let batch = BATCH_NODES * self.hasher.arity();
        let mut level = 0;
        while self.waiting[level].len() >= batch {
            self.hash_level(level)?;
            level += 1;
        }
        Ok(())
    }

    /// The root of all leaves.
    ///
    /// # Errors
    /// [`TreeError::NotFull`] where the leaves are no power of the arity; [`TreeError::Device`].
    pub fn finish(mut self) -> Result<Fr, TreeError> {
        require_full(self.leaves, self.hasher.arity())?;
        let mut level = 0;
        loop {
            if let ([root], true) = (&self.waiting[level][..], level + 1 == self.waiting.len()) {
                return Ok(*root);
            }
            self.hash_level(level)?;
            level += 1;
        }
    }

    /// Hashes the waiting nodes of a level, whole groups only, into the level above.
    fn hash_level(&mut self, level: usize) -> Result<(), TreeError> {
        let arity = self.hasher.arity();
        let nodes = &mut self.waiting[level];
        let whole = nodes.len() / arity * arity;
        let preimages = nodes[..whole]
            .chunks_exact(arity)
            .map(|children| self.hasher.preimage(children))
            .collect::<Result<Vec<_>, _>>()?;
        nodes.drain(..whole);
        let batch = self
            .device
            .execute(&preimages)
            .map_err(|source| TreeError::Device { leaves_read: self.leaves, source })?;
        if self.waiting.len() == level + 1 {
            self.waiting.push(Vec::new());
        }
        self.waiting[level + 1].extend(batch.replies);
        Ok(())
    }
}

/// Refuses a number of leaves that is not a positive power of the arity.
///
/// # Errors
/// [`TreeError::NotFull`].
pub fn require_full(leaves: u64, arity: usize) -> Result<(), TreeError> {
    let step = arity as u64;
    let mut rest = leaves;
    while rest > 1 && rest.is_multiple_of(step) {
        rest /= step;
    }
    if rest == 1 && leaves > 1 {
        return Ok(());
    }
    Err(TreeError::NotFull { leaves, arity })
}

/// Refuses a length that is not that of a full tree's leaves.
///
/// # Errors
/// [`TreeError::PartialLeaf`] or [`TreeError::NotFull`].
pub fn require_full_length(bytes: u64, arity: usize) -> Result<(), TreeError> {
    if !bytes.is_multiple_of(LEAF_BYTES as u64) {
        return Err(TreeError::PartialLeaf { bytes });
    }
    require_full(bytes / LEAF_BYTES as u64, arity)
}

/// The root of the leaves that a reader gives; `progress` is told the bytes read so far.
///
/// # Errors
/// Any [`TreeError`].
pub fn root<D: Execute<FilecoinHash>>(
    mut tree: TreeBuilder<'_, D>,
    mut input: impl Read,
    mut progress: impl FnMut(u64),
) -> Result<Fr, TreeError> {
    let mut buffer = vec![0u8; 1 << 18];
    let mut filled = 0;
    let mut offset = 0u64;
    loop {
        let got = match input.read(&mut buffer[filled..]) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(source) => {
                return Err(TreeError::Read { offset: offset + filled as u64, source });
            }
            Ok(got) => got,
        };
        filled += got;
        let whole = filled / LEAF_BYTES * LEAF_BYTES;
        for leaf in buffer[..whole].chunks_exact(LEAF_BYTES) {
            tree.push(parse_leaf(leaf, offset)?)?;
            offset += LEAF_BYTES as u64;
        }
        buffer.copy_within(whole..filled, 0);
        filled -= whole;
        progress(offset);
        if got == 0 {
            break;
        }
    }
    if filled != 0 {
        return Err(TreeError::PartialLeaf { bytes: offset + filled as u64 });
    }
    tree.finish()
}

fn parse_leaf(leaf: &[u8], offset: u64) -> Result<Fr, TreeError> {
    let mut bytes = [0u8; LEAF_BYTES];
    bytes.copy_from_slice(leaf);
    let last_byte = bytes[LEAF_BYTES - 1];
    let refused = TreeError::Leaf { offset, last_byte };
    if last_byte & 0xc0 != 0 {
        return Err(refused);
    }
    // Below 2²⁵⁴ is below r, so this cannot fail.
    Fr::from_le_bytes(&bytes).map_err(|_| refused)
}
