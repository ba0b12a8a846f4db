// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA signatures in bulk.

use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_secp256k1::operations::{Verify, VerifyRequest};
pub use halimede_secp256k1::Outcome;
use halimede_secp256k1::{verdict, Rejection, Row, Verifier};
use rayon::prelude::*;

use super::error::FlatError;
use crate::device::Device;
use crate::fork;

/// A verdict for each row, in their order. What is wrong with the bytes is found here, and the
/// device checks the numbers.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(
    device: &Device,
    verifier: &Verifier,
    rows: &[Row<'_>],
) -> Result<Vec<Result<(), Rejection>>, FlatError> {
    let parsed: Vec<Result<VerifyRequest, Rejection>> =
        fork::in_pool(|| rows.par_iter().map(|row| verifier.request(*row)).collect());
    let requests: Vec<_> = parsed.iter().flatten().cloned().collect();
    let replies = Execute::<Verify>::execute(device, &requests)?.replies;
    if replies.len() != requests.len() {
        let (device, request_index) = (device.name().to_owned(), replies.len());
        let reason = format!("{request_index} answers of {}", Verify::NAME);
        let requests = requests.len();
        return Err(DeviceError::Failed { device, request_index, requests, reason }.into());
    }
    let mut replies = replies.into_iter();
    let answered = |parsed: Result<VerifyRequest, Rejection>| match (parsed, &mut replies) {
        (Err(rejection), _) => Some(Err(rejection)),
        (Ok(_), replies) => replies.next().map(verdict),
    };
    Ok(parsed.into_iter().filter_map(answered).collect())
}
