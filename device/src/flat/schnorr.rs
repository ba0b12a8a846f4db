// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures in bulk.

use halimede_arith::interface::{Invalid, Verdict};
use halimede_secp256k1::operations::{SchnorrRequest, VerifySchnorr};
use halimede_secp256k1::schnorr::Signed;

use super::batch::answer_made;
use super::error::FlatError;
use crate::device::Device;

/// A verdict for each signature, in their order.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(device: &Device, rows: &[Signed<'_>]) -> Result<Vec<Verdict>, FlatError> {
    let found = answer_made::<VerifySchnorr>(device, rows.len(), |row| {
        let Signed { key, message, signature } = rows[row];
        let (key, message) = (key.to_vec(), message.to_vec());
        SchnorrRequest { key, message, signature: signature.to_vec() }
    })?;
    Ok(found.into_iter().map(|found| found.map_err(Invalid::of)).collect())
}
