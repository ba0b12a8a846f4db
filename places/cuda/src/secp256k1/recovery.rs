// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recovery of ECDSA's keys on a GPU.

use halimede_arith::job::Amount;
use halimede_secp256k1::leftmost_bits;
use halimede_secp256k1::operations::{Recover, RecoverRequest};
use halimede_secp256k1::recovery::{
    Numbering, RecoveredKey, Rejection, KEY_BYTES, SIGNATURE_BYTES,
};
use halimede_secp256k1::Check;

use super::{not_a_mask, Piece, ENGINE, HIGH_S, NOT_ON_CURVE, X_RANGE};
use crate::error::CudaError;
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// Bytes of a request: r, s and the digest.
const REQUEST: usize = 96;
/// The flag that the rules require a low s; the lowest two bits of the flags are the id.
const LOW_S: u32 = 4;

/// The kernels of [`Recover`].
#[derive(Debug)]
pub struct RecoverOnGpu;

/// Returns r and s, and the flags of a request.
fn read(request: &RecoverRequest) -> Result<(&[u8], u32), Rejection> {
    let signature = &request.signature;
    let Some((id, numbers)) = signature.split_last().filter(|_| signature.len() == SIGNATURE_BYTES)
    else {
        return Err(Rejection::Length { got: signature.len() });
    };
    let id = match (request.rules.numbering, *id) {
        (Numbering::Plain, id @ 0..=3) => id,
        (Numbering::Plain, got) => return Err(Rejection::PlainId { got }),
        (Numbering::Ethereum, id @ (27 | 28)) => id - 27,
        (Numbering::Ethereum, got) => return Err(Rejection::EthereumId { got }),
    };
    Ok((numbers, u32::from(id) | if request.rules.low_s { LOW_S } else { 0 }))
}

/// Returns the first failed check of a mask.
fn rejection(mask: u32) -> Option<Rejection> {
    let bit = |check: Check| 1 << check.bit();
    let order = [
        (bit(Check::RRange), Rejection::RRange),
        (bit(Check::SRange), Rejection::SRange),
        (HIGH_S, Rejection::HighS),
        (X_RANGE, Rejection::XRange),
        (NOT_ON_CURVE, Rejection::NotOnCurve),
        (bit(Check::Infinity), Rejection::Infinity),
    ];
    order.into_iter().find(|(bit, _)| mask & bit != 0).map(|(_, rejection)| rejection)
}

impl Kernel for RecoverOnGpu {
    type Operation = Recover;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 17);

    fn start(workspace: &mut Workspace, batch: &[RecoverRequest]) -> Result<(), CudaError> {
        let requests = workspace.input(0, REQUEST * batch.len(), |memory: &mut [u8]| {
            for (place, request) in memory.chunks_exact_mut(REQUEST).zip(batch) {
                let (numbers, digest) = place.split_at_mut(64);
                match read(request) {
                    Ok((read, _)) => numbers.copy_from_slice(read),
                    Err(_) => numbers.fill(0),
                }
                digest.copy_from_slice(&leftmost_bits(&request.digest));
            }
        })?;
        let flags = workspace.input(1, batch.len(), |memory: &mut [u32]| {
            for (place, request) in memory.iter_mut().zip(batch) {
                *place = read(request).map_or(0, |(_, flags)| flags);
            }
        })?;
        let piece = Piece::new(workspace, batch.len())?;
        let keys = workspace.output::<[u8; KEY_BYTES]>(1, batch.len())?;
        let (masks, count) = (piece.masks, piece.count());
        let arguments =
            [requests, flags, masks, piece.terms, piece.divisors, piece.products, count];
        workspace.launch("secp256k1_recovery_terms", piece.dividing(), &arguments)?;
        piece.sum(workspace)?;
        let arguments = [piece.sums, piece.products, masks, keys, count];
        workspace.launch("secp256k1_recovered_keys", piece.dividing(), &arguments)?;
        workspace.fetch::<u32>(0, batch.len())?;
        workspace.fetch::<[u8; KEY_BYTES]>(1, batch.len())
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[RecoverRequest],
    ) -> Result<Vec<Result<RecoveredKey, Rejection>>, CudaError> {
        let (masks, keys) =
            (workspace.fetched::<u32>(0)?, workspace.fetched::<[u8; KEY_BYTES]>(1)?);
        let reply = |((request, mask), key): ((&RecoverRequest, &u32), &[u8; KEY_BYTES])| {
            Ok(match (read(request), mask) {
                (Err(rejection), _) => Err(rejection),
                (Ok(_), 0) => Ok(RecoveredKey(*key)),
                (Ok(_), mask) => Err(rejection(*mask).ok_or_else(|| not_a_mask(*mask))?),
            })
        };
        batch.iter().zip(masks).zip(keys).map(reply).collect()
    }
}
