// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA on a GPU.

use halimede_arith::job::{Amount, Columns, Operation};
use halimede_secp256k1::operations::{Verify, VerifyBatch};
use halimede_secp256k1::{verdict, Mask, Rejection};

use super::{byte, not_a_mask, Piece, ENGINE};
use crate::error::CudaError;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// Bytes of a request: r, s, the digest, x and y.
const REQUEST: usize = 160;
/// The mask of a request of zeros, which also marks bytes that the host rejects.
const ZEROS: u32 = 0b10_0011;

/// The kernels of [`Verify`].
#[derive(Debug)]
pub struct VerifyOnGpu;

impl Kernel for VerifyOnGpu {
    type Operation = Verify;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 17);

    fn start(workspace: &mut Workspace, batch: VerifyBatch<'_>) -> Result<(), CudaError> {
        let kept = Verify::keep_all(batch);
        let requests = workspace.input(0, REQUEST * kept.len(), |memory: &mut [u8]| {
            for (place, request) in memory.chunks_exact_mut(REQUEST).zip(&kept) {
                match request {
                    Ok(numbers) => {
                        let numbers =
                            [&numbers.r, &numbers.s, &numbers.digest, &numbers.x, &numbers.y];
                        for (place, number) in place.chunks_exact_mut(32).zip(numbers) {
                            place.copy_from_slice(number);
                        }
                    }
                    Err(_) => place.fill(0),
                }
            }
        })?;
        let piece = Piece::new(workspace, kept.len())?;
        let (masks, count) = (piece.masks, piece.count());
        let arguments = [requests, masks, piece.terms, piece.divisors, piece.products, count];
        workspace.launch("secp256k1_ecdsa_terms", piece.dividing(), &arguments)?;
        piece.sum(workspace)?;
        let arguments = [requests, piece.sums, masks, count];
        workspace.launch("secp256k1_ecdsa_verdicts", kept.len() as u64, &arguments)?;
        workspace.fetch::<u32>(0, kept.len())
    }

    fn finish(
        workspace: &mut Workspace,
        batch: VerifyBatch<'_>,
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        let reply = |(number, mask): (usize, &u32)| {
            if *mask == ZEROS {
                if let Err(rejection) = batch.row(number).numbers() {
                    return Ok(Err(rejection));
                }
            }
            let checks = Mask::from_bits(byte(*mask)?).ok_or_else(|| not_a_mask(*mask))?;
            Ok(verdict(checks))
        };
        workspace.fetched::<u32>(0)?.iter().enumerate().map(reply).collect()
    }
}
