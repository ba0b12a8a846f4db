// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cells of EIP-7594: a blob's polynomial, evaluated at twice as many roots, is cut into 128 cells
//! of 64 values each, and each cell has a proof. Any 64 cells determine the blob.
//!
//! - `compute`: cells, and their proofs by FK20. `recover`: all cells from half of them or more.
//! - `verify`: cells against commitments, in batches with a verdict for each.

mod compute;
mod recover;
mod verify;

use halimede_arith::transform::{reversed, Generator};
use halimede_arith::Fr;

use super::{OpeningError, BLOB_ELEMENTS};
use crate::library::{Curve, G1};

pub(crate) use compute::proof_points;
pub use compute::{compute_cells, compute_cells_and_kzg_proofs};
pub use recover::recover_cells_and_kzg_proofs;
pub use verify::{verify_cell_kzg_proof_batch, verify_cells};

/// The number of values of a cell.
pub const CELL_ELEMENTS: usize = 64;
/// Bytes of a cell.
pub const CELL_BYTES: usize = 32 * CELL_ELEMENTS;
/// The number of cells of an extended blob.
pub const EXTENDED_CELLS: usize = 2 * BLOB_ELEMENTS / CELL_ELEMENTS;
/// The minimum number of cells from which a blob is recovered.
pub const LEAST_CELLS: usize = EXTENDED_CELLS / 2;

/// All cells of a blob, [`CELL_BYTES`] each.
pub type Cells = Vec<[u8; CELL_BYTES]>;
/// The proofs of all cells of a blob, compressed points of G1.
pub type CellProofs = Vec<[u8; G1::COMPRESSED_BYTES]>;

/// A cell to verify, as bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    /// The commitment to the blob, a compressed point of G1.
    pub commitment: &'a [u8],
    /// The index of the cell, below [`EXTENDED_CELLS`].
    pub index: u64,
    /// [`CELL_ELEMENTS`] values of 32 bytes each, big-endian.
    pub cell: &'a [u8],
    /// The proof, a compressed point of G1.
    pub proof: &'a [u8],
}

/// Checks the index of a cell.
fn index_of(index: u64) -> Result<usize, OpeningError> {
    let last = EXTENDED_CELLS as u64 - 1;
    match index <= last {
        true => Ok(index as usize),
        false => Err(OpeningError::CellIndex { got: index, last }),
    }
}

/// Decodes the values of a cell.
fn values_of(cell: &[u8]) -> Result<Vec<Fr>, OpeningError> {
    let (elements, rest) = cell.as_chunks::<32>();
    if elements.len() != CELL_ELEMENTS || !rest.is_empty() {
        let (name, expected, got) = ("cell", CELL_BYTES, cell.len());
        return Err(OpeningError::Length { name, expected, got });
    }
    let read =
        |(index, bytes)| Fr::from_be_bytes(bytes).map_err(|_| OpeningError::CellElement { index });
    elements.iter().enumerate().map(read).collect()
}

/// Returns the shift h of a cell: its values are those at h times the 64th roots of unity.
fn shift_of(index: usize) -> Fr {
    let log_size = (2 * BLOB_ELEMENTS).ilog2();
    let exponent = reversed(index, EXTENDED_CELLS.ilog2());
    Generator::Seven.root_of_order(log_size).pow(&[exponent as u64])
}
