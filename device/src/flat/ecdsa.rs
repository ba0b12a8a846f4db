// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA signatures in bulk.

use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::{verdict, Check, Rejection, Row, Verifier};
use rayon::prelude::*;

use super::error::FlatError;
use crate::device::Device;
use crate::fork;

/// What becomes of a signature, in a number that other languages have too.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It holds.
    Valid = 0,
    /// The key is none.
    Key = 1,
    /// The signature is not of its format.
    Signature = 2,
    /// s is above n/2, and the rules ask for the lower one.
    HighS = 3,
    /// r is not from 1 to n − 1.
    RRange = 4,
    /// s is not from 1 to n − 1.
    SRange = 5,
    /// It leads to the point at infinity.
    Infinity = 6,
    /// It is not this key's on this digest.
    Mismatch = 7,
}

impl Outcome {
    /// All, by their numbers.
    pub const ALL: [Self; 8] = [
        Self::Valid,
        Self::Key,
        Self::Signature,
        Self::HighS,
        Self::RRange,
        Self::SRange,
        Self::Infinity,
        Self::Mismatch,
    ];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Key => "key",
            Self::Signature => "signature",
            Self::HighS => "high-s",
            Self::RRange => "r-range",
            Self::SRange => "s-range",
            Self::Infinity => "infinity",
            Self::Mismatch => "mismatch",
        }
    }
}

impl From<&Result<(), Rejection>> for Outcome {
    fn from(verdict: &Result<(), Rejection>) -> Self {
        match verdict {
            Ok(()) => Self::Valid,
            Err(Rejection::Key(_)) => Self::Key,
            Err(Rejection::Signature(_)) => Self::Signature,
            Err(Rejection::HighS) => Self::HighS,
            Err(Rejection::Check(mask)) => match mask.first() {
                None => Self::Valid,
                Some(Check::RRange) => Self::RRange,
                Some(Check::SRange) => Self::SRange,
                Some(Check::OnCurve) => Self::Key,
                Some(Check::Infinity) => Self::Infinity,
                Some(Check::Match) => Self::Mismatch,
            },
        }
    }
}

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
