// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA signatures in bulk, and the public keys that are recovered from them.

use halimede_arith::interface::Invalid;
use halimede_secp256k1::operations::{Recover, RecoverRequest, Signatures, Verify, VerifyBatch};
use halimede_secp256k1::recovery::{RecoveredKey, Rules};
pub use halimede_secp256k1::Outcome;
use halimede_secp256k1::Rejection;

use super::batch::{answer, answer_made};
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
    answer::<Verify>(device, VerifyBatch::Signatures(signatures))
}

/// The key that each signature of a digest was made with, or why there is none; of as many digests
/// as signatures.
///
/// # Errors
/// [`FlatError::Device`].
pub fn recover(
    device: &Device,
    rules: Rules,
    digests: &[&[u8]],
    signatures: &[&[u8]],
) -> Result<Vec<Result<RecoveredKey, Invalid>>, FlatError> {
    let rows = digests.len().min(signatures.len());
    let recovered = answer_made::<Recover>(device, rows, |row| {
        let (digest, signature) = (digests[row].to_vec(), signatures[row].to_vec());
        RecoverRequest { rules, digest, signature }
    })?;
    Ok(recovered.into_iter().map(|key| key.map_err(Invalid::of)).collect())
}
