// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA signatures in bulk.

use halimede_arith::job::{in_pieces, Columns, Execute};
use halimede_secp256k1::operations::{Signatures, Verify, VerifyBatch};
pub use halimede_secp256k1::Outcome;
use halimede_secp256k1::Rejection;

use super::error::FlatError;
use crate::device::Device;

/// A verdict for each signature, in their order.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(
    device: &Device,
    signatures: Signatures<'_>,
) -> Result<Vec<Result<(), Rejection>>, FlatError> {
    let (batch, piece) = (VerifyBatch::Signatures(signatures), device.limits::<Verify>().piece);
    let rows = batch.len();
    let mut verdicts = Vec::with_capacity(rows);
    let first_of = |start| piece.first_of::<Verify>(batch.slice(start..rows));
    in_pieces(device.name(), rows, first_of, |range| {
        verdicts.extend(Execute::<Verify>::execute(device, batch.slice(range))?.replies);
        Ok::<_, FlatError>(())
    })?;
    Ok(verdicts)
}
