// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of building, storing, opening and proving trees.

use std::fmt;

use halimede_arith::field::FieldError;
use halimede_arith::job::DeviceError;

use super::{LEAF_BYTES, MAX_LEVELS};
use crate::filecoin::PreimageError;

/// The progress of a tree when an error occurred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of leaves, or of columns for them, that had been read.
    pub leaves_read: u64,
    /// The number of nodes that the device had returned.
    pub hashed: u64,
    /// The number of nodes that the whole tree hashes, if known.
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

/// Why building, storing, opening or proving a tree failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeError {
    /// A leaf has one of its top two bits set.
    #[error(
        "the leaf at byte offset {offset} is not below 2^254: its last byte is 0x{last_byte:02x}, \
         whose top two bits must be 0"
    )]
    Leaf {
        /// The byte offset of the leaf in the input.
        offset: u64,
        /// The most significant byte of the leaf.
        last_byte: u8,
    },
    /// A leaf or a stored node is not a field element.
    #[error("the element at byte offset {offset}: {source}")]
    Element {
        /// The byte offset of the element in the input.
        offset: u64,
        /// The reason.
        source: FieldError,
    },
    /// The input ends inside a leaf.
    #[error(
        "the input has {bytes} bytes, which is not a whole number of {LEAF_BYTES}-byte leaves"
    )]
    PartialLeaf {
        /// The length of the input in bytes.
        bytes: u64,
    },
    /// The leaves do not fill a tree.
    #[error(
        "{leaves} leaves do not fill a tree of arity {arity}: their number must be a power of \
         {arity}, at least {arity}"
    )]
    NotFull {
        /// The number of leaves in the input.
        leaves: u64,
        /// The arity of the tree.
        arity: usize,
    },
    /// The number of leaves differs from that of the tree's shape.
    #[error("{got} leaves, but the tree has {expected}")]
    LeafCount {
        /// The number of leaves found; if there are too many, the number counted so far.
        got: u64,
        /// The number of leaves of the shape.
        expected: u64,
    },
    /// A tree has no level or too many levels.
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
    /// A layer that columns are cut from is invalid.
    #[error("layer {layer}: {source}")]
    Layer {
        /// The number of the layer, from 1.
        layer: usize,
        /// The error in the layer.
        source: Box<TreeError>,
    },
    /// The layers differ in length.
    #[error("layer {layer} ends after {bytes} bytes, but another layer is longer")]
    LayerLength {
        /// The layer that ends first, from 1.
        layer: usize,
        /// The length of that layer in bytes.
        bytes: u64,
    },
    /// The number of layers differs from the number of labels of a column.
    #[error("{got} layers, but a column has {expected} labels")]
    LayerCount {
        /// The number of layers.
        got: usize,
        /// The number of labels of a column.
        expected: usize,
    },
    /// The device failed.
    #[error("{progress}: {source}")]
    Device {
        /// The progress of the tree.
        progress: Box<Progress>,
        /// The cause.
        source: DeviceError,
    },
    /// The device returned the wrong number of hashes.
    #[error("the device returned {got} hashes, expected {expected}")]
    Replies {
        /// The number of hashes returned.
        got: usize,
        /// The number of hashes requested.
        expected: usize,
    },
    /// The input could not be read.
    #[error("reading failed at byte offset {offset}: {source}")]
    Read {
        /// The number of bytes that had been read.
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
    /// The source is not a stored tree, or writing it was not finished.
    #[error("not a stored tree: {reason}")]
    Header {
        /// The reason.
        reason: String,
    },
    /// The length of a stored tree contradicts its header.
    #[error("the stored tree has {got} bytes, but its header requires {expected}")]
    Length {
        /// The actual length in bytes.
        got: u64,
        /// The required length in bytes.
        expected: u64,
    },
    /// The row does not exist in the tree, or is not stored.
    #[error("row {row} is not stored; the tree keeps rows {first_row} to {root_row}")]
    Row {
        /// The requested row; row 0 is the leaves.
        row: usize,
        /// The lowest row that is stored.
        first_row: usize,
        /// The row of the root.
        root_row: usize,
    },
    /// The leaf does not exist.
    #[error("no leaf {index}: the tree has {leaves} leaves, numbered from 0")]
    LeafIndex {
        /// The given value.
        index: u64,
        /// The number of leaves.
        leaves: u64,
    },
    /// The node does not exist.
    #[error("no node {index} in row {row}, which has {nodes} nodes, numbered from 0")]
    NodeIndex {
        /// The row.
        row: usize,
        /// The given value.
        index: u64,
        /// The number of nodes of the row.
        nodes: u64,
    },
    /// The given leaves are not those of the stored tree.
    #[error(
        "the leaves do not hash to the stored node {node} of row {row}: they belong to another \
         tree, or one of the files is damaged"
    )]
    OtherLeaves {
        /// The lowest stored row.
        row: usize,
        /// The index of the node in the row.
        node: u64,
    },
    /// Stored rows do not hash to the stored root.
    #[error("the stored tree is damaged: the path of leaf {index} does not lead to its root")]
    Damaged {
        /// The index of the leaf.
        index: u64,
    },
}

impl TreeError {
    /// Returns `true` if a device failed, and `false` if the input is at fault.
    pub fn is_of_device(&self) -> bool {
        matches!(self, Self::Device { .. } | Self::Replies { .. })
    }
}
