// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BIP 340's signatures on a GPU.

use halimede_arith::job::Amount;
use halimede_secp256k1::operations::{SchnorrRequest, VerifySchnorr};
use halimede_secp256k1::schnorr::{Mask, Rejection, KEY_BYTES, SIGNATURE_BYTES};
use halimede_secp256k1::KeyError;

use super::{byte, not_a_mask, Piece, ENGINE, NOT_ON_CURVE, X_RANGE};
use crate::error::CudaError;
use crate::groups::{join, starts};
use crate::kernel::Kernel;
use crate::workspace::Workspace;

/// Bytes of a request: r, s and x of the key.
const REQUEST: usize = SIGNATURE_BYTES + KEY_BYTES;

/// The kernels of [`VerifySchnorr`].
#[derive(Debug)]
pub struct VerifySchnorrOnGpu;

/// Returns the verdict on a request, from its lengths and the kernels' mask. The key is checked
/// before the length of the signature.
fn verdict(request: &SchnorrRequest, mask: u32) -> Result<Result<(), Rejection>, CudaError> {
    let SchnorrRequest { key, signature, .. } = request;
    if key.len() != KEY_BYTES {
        return Ok(Err(Rejection::KeyLength { got: key.len() }));
    }
    match mask {
        X_RANGE => return Ok(Err(Rejection::Key(KeyError::XRange))),
        NOT_ON_CURVE => return Ok(Err(Rejection::Key(KeyError::NotOnCurve))),
        _ => {}
    }
    if signature.len() != SIGNATURE_BYTES {
        return Ok(Err(Rejection::SignatureLength { got: signature.len() }));
    }
    let checks = Mask::from_bits(byte(mask)?).ok_or_else(|| not_a_mask(mask))?;
    Ok(if checks.is_valid() { Ok(()) } else { Err(Rejection::Check(checks)) })
}

impl Kernel for VerifySchnorrOnGpu {
    type Operation = VerifySchnorr;
    const ENGINE: &'static str = ENGINE;
    const PIECE: Amount = Amount::of_requests(1 << 17);

    fn start(workspace: &mut Workspace, batch: &[SchnorrRequest]) -> Result<(), CudaError> {
        let requests = workspace.input(0, REQUEST * batch.len(), |memory: &mut [u8]| {
            for (place, request) in memory.chunks_exact_mut(REQUEST).zip(batch) {
                let (signature, key) = place.split_at_mut(SIGNATURE_BYTES);
                // Numbers of other lengths are not read.
                for (place, bytes) in [(signature, &request.signature), (key, &request.key)] {
                    match place.len() == bytes.len() {
                        true => place.copy_from_slice(bytes),
                        false => place.fill(0),
                    }
                }
            }
        })?;
        let offsets = starts(batch.iter().map(|request| request.message.len()));
        let bytes = batch.iter().map(|request| request.message.len()).sum::<usize>();
        let data = workspace.input(1, bytes.next_multiple_of(size_of::<u32>()), |memory| {
            join(memory, batch.iter().map(|request| &request.message[..]));
        })?;
        let offsets = workspace.input(2, offsets.len(), |memory: &mut [u64]| {
            memory.copy_from_slice(&offsets);
        })?;
        let piece = Piece::new(workspace, batch.len())?;
        let (masks, count) = (piece.masks, piece.count());
        let arguments = [requests, data, offsets, masks, piece.terms, count];
        workspace.launch("secp256k1_schnorr_terms", batch.len() as u64, &arguments)?;
        piece.sum(workspace)?;
        let arguments = [requests, piece.sums, piece.products, masks, count];
        workspace.launch("secp256k1_schnorr_verdicts", piece.dividing(), &arguments)?;
        workspace.fetch::<u32>(0, batch.len())
    }

    fn finish(
        workspace: &mut Workspace,
        batch: &[SchnorrRequest],
    ) -> Result<Vec<Result<(), Rejection>>, CudaError> {
        let masks = workspace.fetched::<u32>(0)?;
        batch.iter().zip(masks).map(|(request, mask)| verdict(request, *mask)).collect()
    }
}
