// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The error of an input of commitments, openings and cells.

use super::SetupError;
use crate::PointError;

/// Why an input cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The commitment is not a point of G1.
    #[error("commitment: {0}")]
    Commitment(PointError),
    /// The proof is not a point of G1.
    #[error("proof: {0}")]
    Proof(PointError),
    /// The length is wrong.
    #[error("`{name}` has {expected} bytes, not {got}")]
    Length {
        /// `z`, `y`, `blob` or `cell`.
        name: &'static str,
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// `z` or `y` is not below r.
    #[error("`{name}` is not below the order of the groups")]
    NotCanonical {
        /// `z` or `y`.
        name: &'static str,
    },
    /// An element of the blob is not below r.
    #[error("element {index} of the blob is not below the order of the groups")]
    BlobElement {
        /// The index of the element, from 0.
        index: usize,
    },
    /// The numbers of blobs, commitments and proofs differ.
    #[error("there are {blobs} blobs, {commitments} commitments and {proofs} proofs")]
    Counts {
        /// The number of blobs.
        blobs: usize,
        /// The number of commitments.
        commitments: usize,
        /// The number of proofs.
        proofs: usize,
    },
    /// The setup lacks the points that the operation needs, or they are invalid.
    #[error("the setup: {0}")]
    Setup(SetupError),
    /// The index of a cell is too large.
    #[error("the index of a cell is {got}; the last one is {last}")]
    CellIndex {
        /// The index given.
        got: u64,
        /// The largest index.
        last: u64,
    },
    /// An element of a cell is not below r.
    #[error("element {index} of the cell is not below the order of the groups")]
    CellElement {
        /// The index of the element, from 0.
        index: usize,
    },
    /// A cell from which a blob is recovered cannot be decoded.
    #[error("cell {position} of the list: {error}")]
    CellOfList {
        /// The position in the list, from 0.
        position: usize,
        /// The reason.
        error: Box<OpeningError>,
    },
    /// The number of cells from which a blob is recovered is out of range.
    #[error("a blob is recovered from {least} to {most} cells, not {got}")]
    CellCount {
        /// The minimum number of cells.
        least: usize,
        /// The maximum number of cells.
        most: usize,
        /// The number of cells given.
        got: usize,
    },
    /// The indices of cells are not in ascending order, or one occurs twice.
    #[error("index {position} of the cells is not above the one before it")]
    CellOrder {
        /// The position in the list, from 0.
        position: usize,
    },
    /// The lists of cells have different lengths.
    #[error("there are {indices} indices of cells and {cells} cells")]
    CellCounts {
        /// The number of indices.
        indices: usize,
        /// The number of cells.
        cells: usize,
    },
    /// The lists that describe cells have different lengths.
    #[error(
        "there are {commitments} commitments, {indices} indices of cells, {cells} cells and \
         {proofs} proofs"
    )]
    CellLists {
        /// The number of commitments.
        commitments: usize,
        /// The number of indices.
        indices: usize,
        /// The number of cells.
        cells: usize,
        /// The number of proofs.
        proofs: usize,
    },
}
