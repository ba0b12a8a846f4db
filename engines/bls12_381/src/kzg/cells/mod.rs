// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cells of EIP-7594: a blob's polynomial, evaluated at 8,192 roots, is cut into 128 cells
//! of 64 values each, and each cell has a proof. Any 64 cells determine the blob.
//!
//! - `compute`: cells, and their proofs by FK20. `recover`: all cells from half of them or more.
//! - `verify`: cells against commitments, in batches with a verdict for each.

mod compute;
mod recover;
mod verify;

use std::sync::LazyLock;

use halimede_arith::transform::{reversed, Generator};
use halimede_arith::Fr;

use super::{OpeningError, BLOB_ELEMENTS};
use crate::library::{Curve, G1};

pub(crate) use compute::proof_points;
pub use compute::{compute_cells, compute_cells_and_kzg_proofs};
pub use recover::{recover_cells, recover_cells_and_kzg_proofs};
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

/// Splits a cell into the bytes of its values.
fn elements_of(cell: &[u8]) -> Result<&[[u8; 32]], OpeningError> {
    let (elements, rest) = cell.as_chunks::<32>();
    match elements.len() == CELL_ELEMENTS && rest.is_empty() {
        true => Ok(elements),
        false => {
            let (name, expected, got) = ("cell", CELL_BYTES, cell.len());
            Err(OpeningError::Length { name, expected, got })
        }
    }
}

/// Decodes the values of a cell.
fn values_of(cell: &[u8]) -> Result<Vec<Fr>, OpeningError> {
    let read =
        |(index, bytes)| Fr::from_be_bytes(bytes).map_err(|_| OpeningError::CellElement { index });
    elements_of(cell)?.iter().enumerate().map(read).collect()
}

/// The shift h of a cell, whose values are those at h times the 64th roots of unity.
struct Shift {
    /// 1/h.
    inverse: Fr,
    /// h⁶⁴.
    power: Fr,
}

/// The shifts of all cells.
static SHIFTS: LazyLock<Vec<Shift>> = LazyLock::new(|| {
    let root = Generator::Seven.root_of_order((2 * BLOB_ELEMENTS).ilog2());
    let shift = |index| {
        let shift = root.pow(&[reversed(index, EXTENDED_CELLS.ilog2()) as u64]);
        Shift {
            inverse: shift.inverse().unwrap_or_default(),
            power: shift.pow(&[CELL_ELEMENTS as u64]),
        }
    };
    (0..EXTENDED_CELLS).map(shift).collect()
});
