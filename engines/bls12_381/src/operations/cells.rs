// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commitments, proofs and cells of blobs in batches.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::operation_over;

use super::grouped;
use crate::kzg::cells::{
    compute_cells, compute_cells_and_kzg_proofs, recover_cells_and_kzg_proofs, verify_cells, Cell,
    CellProofs, Cells,
};
use crate::kzg::{
    blob_to_kzg_commitment, compute_blob_kzg_proof, compute_kzg_proof, OpeningError, Setup,
};

/// A computation from a blob or its cells.
pub struct ComputeBlob;

/// A request of [`ComputeBlob`]. Its reply is the bytes of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobRequest {
    /// The trusted setup.
    pub setup: Setup,
    /// The computation.
    pub call: BlobCall,
}

/// A computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlobCall {
    /// The commitment to a blob.
    Commitment {
        /// The blob.
        blob: Vec<u8>,
    },
    /// The proof of a blob's value at a point, and the value.
    ProofAt {
        /// The blob.
        blob: Vec<u8>,
        /// The point.
        z: Vec<u8>,
    },
    /// The proof of a blob.
    Proof {
        /// The blob.
        blob: Vec<u8>,
        /// The commitment.
        commitment: Vec<u8>,
    },
    /// The 128 cells of a blob.
    Cells {
        /// The blob.
        blob: Vec<u8>,
    },
    /// The 128 cells of a blob, and then their proofs.
    CellsAndProofs {
        /// The blob.
        blob: Vec<u8>,
    },
    /// The 128 cells of a blob, and then their proofs, from half of the cells or more.
    Recovered {
        /// The indices of the cells, in ascending order.
        indices: Vec<u64>,
        /// The cells.
        cells: Vec<Vec<u8>>,
    },
}

impl BlobCall {
    fn result(&self, setup: &Setup) -> Result<Vec<u8>, OpeningError> {
        let both = |(cells, proofs): (Cells, CellProofs)| {
            [cells.as_flattened(), proofs.as_flattened()].concat()
        };
        match self {
            Self::Commitment { blob } => blob_to_kzg_commitment(setup, blob).map(Vec::from),
            Self::ProofAt { blob, z } => {
                compute_kzg_proof(setup, blob, z).map(|(proof, y)| [&proof[..], &y].concat())
            }
            Self::Proof { blob, commitment } => {
                compute_blob_kzg_proof(setup, blob, commitment).map(Vec::from)
            }
            Self::Cells { blob } => compute_cells(blob).map(|cells| cells.as_flattened().to_vec()),
            Self::CellsAndProofs { blob } => compute_cells_and_kzg_proofs(setup, blob).map(both),
            Self::Recovered { indices, cells } => {
                let cells: Vec<&[u8]> = cells.iter().map(Vec::as_slice).collect();
                recover_cells_and_kzg_proofs(setup, indices, &cells).map(both)
            }
        }
    }
}

operation_over!(
    ComputeBlob,
    BlobRequest,
    Result<Vec<u8>, OpeningError>,
    "bls12_381.compute_blob",
    |_row| 1
);

impl Compute for ComputeBlob {
    const BRIEF: Amount = Amount::of_requests(1);
    const PIECE: Amount = Amount::of_requests(8);

    fn compute(row: &BlobRequest) -> Result<Vec<u8>, OpeningError> {
        row.call.result(&row.setup)
    }
}

/// The check of a cell.
pub struct VerifyCell;

/// A request of [`VerifyCell`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellRequest {
    /// The trusted setup.
    pub setup: Setup,
    /// The commitment to the blob.
    pub commitment: Vec<u8>,
    /// The index of the cell.
    pub index: u64,
    /// The cell.
    pub cell: Vec<u8>,
    /// The proof.
    pub proof: Vec<u8>,
}

impl CellRequest {
    fn cell(&self) -> Cell<'_> {
        let Self { commitment, index, cell, proof, .. } = self;
        Cell { commitment, index: *index, cell, proof }
    }
}

operation_over!(
    VerifyCell,
    CellRequest,
    Result<bool, OpeningError>,
    "bls12_381.verify_cell",
    |_row| 1
);

impl Compute for VerifyCell {
    const BRIEF: Amount = Amount::of_requests(8);
    const PIECE: Amount = Amount::of_requests(1024);

    fn compute(row: &CellRequest) -> Result<bool, OpeningError> {
        verify_cells(&row.setup, &[row.cell()]).pop().unwrap_or(Ok(false))
    }

    /// Requests with the same setup are verified together.
    fn compute_batch(batch: &[CellRequest]) -> Vec<Result<bool, OpeningError>> {
        grouped(
            batch,
            |a, b| a.setup == b.setup,
            |rows| {
                let cells: Vec<Cell<'_>> = rows.iter().map(CellRequest::cell).collect();
                verify_cells(&rows[0].setup, &cells)
            },
        )
    }
}
