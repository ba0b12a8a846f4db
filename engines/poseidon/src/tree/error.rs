// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why there is no root, no stored tree or no proof.

use std::fmt;

use halimede_arith::field::FieldError;
use halimede_arith::job::DeviceError;

use super::{LEAF_BYTES, MAX_LEVELS};
use crate::filecoin::PreimageError;

/// How far a tree had come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Leaves, or columns for them, that had been read.
    pub leaves_read: u64,
    /// Nodes that had come back from the device.
    pub hashed: u64,
    /// Nodes that the whole tree hashes, where that is known.
    pub hashes: Option<u64>,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "after {} leaves were read and {}", self.leaves_read, self.hashed)?;
        if let Some(hashes) = self.hashes {
            write!(f, " of {hashes}")?;
        }
        write!(f, " nodes were hashed")
    }
}

/// Why there is no root, no stored tree or no proof.
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
    /// A leaf or a stored node is not a field element.
    #[error("the element at byte offset {offset}: {source}")]
    Element {
        /// Where it begins in the input.
        offset: u64,
        /// The fault.
        source: FieldError,
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
    #[error(
        "{leaves} leaves do not fill a tree of arity {arity}: their number must be a power of \
         {arity}, at least {arity}"
    )]
    NotFull {
        /// Leaves in the input.
        leaves: u64,
        /// The tree's arity.
        arity: usize,
    },
    /// There are fewer or more leaves than the tree's shape has.
    #[error("{got} leaves where the tree has {expected}")]
    LeafCount {
        /// Leaves there are; where there are too many, those that were counted.
        got: u64,
        /// Leaves of the shape.
        expected: u64,
    },
    /// A tree has no level or too many.
    #[error("a tree has 1 to {MAX_LEVELS} levels of hashes, got {got}")]
    Levels {
        /// The given value.
        got: usize,
    },
    /// The rows of such a tree have more than 2⁶⁴ bytes.
    #[error("a tree of these arities has more than 2^64 bytes: {arities:?}")]
    TooLarge {
        /// The arities, from the leaves up.
        arities: Vec<usize>,
    },
    /// No hasher has this arity.
    #[error(transparent)]
    Arity(#[from] PreimageError),
    /// Something is wrong with one of the layers that columns are cut from.
    #[error("layer {layer}: {source}")]
    Layer {
        /// Which, from 1.
        layer: usize,
        /// The fault.
        source: Box<TreeError>,
    },
    /// The layers are not equally long.
    #[error("layer {layer} ends after {bytes} bytes, another one does not")]
    LayerLength {
        /// The layer that ends first, from 1.
        layer: usize,
        /// Its length.
        bytes: u64,
    },
    /// There are fewer or more layers than a column has labels.
    #[error("{got} layers where a column has {expected} labels")]
    LayerCount {
        /// Layers there are.
        got: usize,
        /// Labels of a column.
        expected: usize,
    },
    /// The device failed.
    #[error("{progress}: {source}")]
    Device {
        /// How far the tree had come.
        progress: Box<Progress>,
        /// The cause.
        source: DeviceError,
    },
    /// The device answered another number of hashes than it was asked for.
    #[error("the device gave {got} hashes in place of {expected}")]
    Replies {
        /// Hashes given.
        got: usize,
        /// Hashes asked for.
        expected: usize,
    },
    /// The input could not be read.
    #[error("reading failed at byte offset {offset}: {source}")]
    Read {
        /// Bytes that had been read.
        offset: u64,
        /// The cause.
        source: std::io::Error,
    },
    /// The tree could not be written.
    #[error("writing the tree failed: {source}")]
    Write {
        /// The cause.
        source: std::io::Error,
    },
    /// What was opened is not a tree, or was left unfinished.
    #[error("not a stored tree: {reason}")]
    Header {
        /// The fault.
        reason: String,
    },
    /// A stored tree has another length than its header says.
    #[error("the stored tree has {got} bytes where its header asks for {expected}")]
    Length {
        /// Bytes there are.
        got: u64,
        /// Bytes that there should be.
        expected: u64,
    },
    /// The tree has no such row to store, or none was stored.
    #[error("row {row} is not stored; the tree keeps rows {first_row} to {root_row}")]
    Row {
        /// The row asked for; row 0 are the leaves.
        row: usize,
        /// The lowest row that is stored.
        first_row: usize,
        /// The row of the root.
        root_row: usize,
    },
    /// There is no such leaf.
    #[error("there is no leaf {index}: the tree has {leaves}, numbered from 0")]
    LeafIndex {
        /// The given value.
        index: u64,
        /// How many leaves there are.
        leaves: u64,
    },
    /// There is no such node.
    #[error("there is no node {index} in row {row}, which has {nodes}, numbered from 0")]
    NodeIndex {
        /// The row.
        row: usize,
        /// The given value.
        index: u64,
        /// How many nodes there are.
        nodes: u64,
    },
    /// The leaves that were given are not those of the stored tree.
    #[error(
        "the leaves do not hash to the stored node {node} of row {row}: they are not this tree's, \
         or one of the files is damaged"
    )]
    OtherLeaves {
        /// The lowest stored row.
        row: usize,
        /// The node in it.
        node: u64,
    },
    /// Stored rows do not hash to the stored root.
    #[error("the stored tree is damaged: the path of leaf {index} does not lead to its root")]
    Damaged {
        /// The leaf.
        index: u64,
    },
}

impl TreeError {
    /// Whether a device failed, and not the input.
    pub fn is_of_device(&self) -> bool {
        matches!(self, Self::Device { .. } | Self::Replies { .. })
    }
}
