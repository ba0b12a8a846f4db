// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cells.

use halimede_bls12_381::kzg::cells::{self, CELL_BYTES, EXTENDED_CELLS};

use crate::blobs::{Blob, Bytes48};
use crate::result::{answer, array, places, slices, value, verdict, BadArguments, Code};
use crate::settings::{setup, Settings};

/// `Cell`
pub type Cell = [u8; CELL_BYTES];

/// `compute_cells_and_kzg_proofs`
#[no_mangle]
pub unsafe extern "C" fn compute_cells_and_kzg_proofs(
    cells: *mut Cell,
    proofs: *mut Bytes48,
    blob: *const Blob,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (blob, setup) = unsafe { (value(blob)?, setup(settings)?) };
        let computed = match (cells.is_null(), proofs.is_null()) {
            (true, true) => return Err(BadArguments),
            (false, true) => (cells::compute_cells(blob)?, Vec::new()),
            (_, false) => cells::compute_cells_and_kzg_proofs(setup, blob)?,
        };
        // SAFETY: by the contract of the header.
        unsafe { write(cells, proofs, computed) }
    })
}

/// Writes cells and proofs to the arrays that are not NULL.
///
/// # Safety
/// As the header requires.
unsafe fn write(
    cells: *mut Cell,
    proofs: *mut Bytes48,
    computed: (cells::Cells, cells::CellProofs),
) -> Result<(), BadArguments> {
    if !cells.is_null() {
        // SAFETY: by this function's contract.
        unsafe { places(cells, EXTENDED_CELLS) }?.copy_from_slice(&computed.0);
    }
    if !proofs.is_null() {
        // SAFETY: by this function's contract.
        unsafe { places(proofs, EXTENDED_CELLS) }?.copy_from_slice(&computed.1);
    }
    Ok(())
}

/// `recover_cells_and_kzg_proofs`
#[no_mangle]
pub unsafe extern "C" fn recover_cells_and_kzg_proofs(
    recovered_cells: *mut Cell,
    recovered_proofs: *mut Bytes48,
    indices: *const u64,
    cells: *const Cell,
    count: u64,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let setup = unsafe { setup(settings) }?;
        if recovered_cells.is_null() || count > EXTENDED_CELLS as u64 {
            return Err(BadArguments);
        }
        // SAFETY: by the contract of the header.
        let (indices, cells) = unsafe { (array(indices, count)?, array(cells, count)?) };
        let cells = slices(cells);
        let recovered = match recovered_proofs.is_null() {
            true => (cells::recover_cells(indices, &cells)?, Vec::new()),
            false => cells::recover_cells_and_kzg_proofs(setup, indices, &cells)?,
        };
        // SAFETY: by the contract of the header.
        unsafe { write(recovered_cells, recovered_proofs, recovered) }
    })
}

/// `verify_cell_kzg_proof_batch`
#[no_mangle]
pub unsafe extern "C" fn verify_cell_kzg_proof_batch(
    ok: *mut bool,
    commitments: *const Bytes48,
    indices: *const u64,
    cells: *const Cell,
    proofs: *const Bytes48,
    count: u64,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (ok, setup) = unsafe { (verdict(ok)?, setup(settings)?) };
        // SAFETY: by the contract of the header.
        let (commitments, proofs) = unsafe { (array(commitments, count)?, array(proofs, count)?) };
        // SAFETY: by the contract of the header.
        let (indices, cells) = unsafe { (array(indices, count)?, array(cells, count)?) };
        let (commitments, cells, proofs) = (slices(commitments), slices(cells), slices(proofs));
        *ok = cells::verify_cell_kzg_proof_batch(setup, &commitments, indices, &cells, &proofs)?;
        Ok(())
    })
}
