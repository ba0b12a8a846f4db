// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batch verification of ECDSA signatures.

use halimede_secp256k1::operations::{Signatures, Verify, VerifyBatch};
pub use halimede_secp256k1::Outcome;
use halimede_secp256k1::Rejection;

use super::batch::answer;
use super::error::FlatError;
use crate::device::Device;

/// Returns a verdict for each signature, in the order of the signatures.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(
    device: &Device,
    signatures: Signatures<'_>,
) -> Result<Vec<Result<(), Rejection>>, FlatError> {
    answer::<Verify>(device, VerifyBatch::Signatures(signatures))
}
