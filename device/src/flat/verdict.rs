// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on many items, of whatever engine: a number and a word for each, and a sentence.

use std::fmt::Display;

use halimede_bls12_381::kzg::OpeningError;
use halimede_bls12_381::{groth16, signature};
use halimede_secp256k1::schnorr::Check;
use halimede_secp256k1::{recovery, schnorr};

halimede_arith::outcomes! {
    /// What becomes of an item that is checked. The first numbers and words are those of ECDSA's
    /// [outcomes](super::ecdsa::Outcome).
    pub enum Outcome {
        /// Nothing has been checked: what memory of zeros reads as, so that it is never valid.
        NotChecked = 0, "not-checked",
        /// It is valid.
        Valid = 1, "valid",
        /// Not a valid public key.
        Key = 2, "key",
        /// The signature is not of its format, or not a point of its group.
        Signature = 3, "signature",
        /// s is above n/2, and the rules ask for the lower one.
        HighS = 4, "high-s",
        /// r is out of range.
        RRange = 5, "r-range",
        /// s is out of range.
        SRange = 6, "s-range",
        /// It leads to the point at infinity.
        Infinity = 7, "infinity",
        /// All can be read, and does not belong together.
        Mismatch = 8, "mismatch",
        /// A Schnorr signature leads to a point with an odd y.
        OddY = 9, "odd-y",
        /// The last byte of a signature is not a recovery id.
        RecoveryId = 10, "recovery-id",
        /// The recovery id says that x is r + n, and that is not below p.
        XRange = 11, "x-range",
        /// No point of the curve has the x that r says.
        NotOnCurve = 12, "not-on-curve",
        /// An aggregate has no keys, or not as many as messages.
        Keys = 13, "keys",
        /// Messages are equal, which the basic scheme forbids.
        EqualMessages = 14, "equal-messages",
        /// A commitment is not a point of its group.
        Commitment = 15, "commitment",
        /// A proof has another length, or a part of it is not a point of its group.
        Proof = 16, "proof",
        /// The point or the value of an opening is not a number below the order of the groups.
        Scalar = 17, "scalar",
        /// A blob has another length, or an element that is not below the order of the groups.
        Blob = 18, "blob",
        /// Public inputs are not as many as the key takes, or not below the order of the groups.
        Inputs = 19, "inputs",
    }
}

/// Why an item is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Invalid {
    /// In a word.
    pub outcome: Outcome,
    /// In a sentence.
    pub reason: String,
}

/// The verdict on an item.
pub type Verdict = Result<(), Invalid>;

impl Outcome {
    /// That of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        verdict.as_ref().map_or_else(|invalid| invalid.outcome, |()| Self::Valid)
    }
}

impl Invalid {
    /// An engine's reason in this form.
    pub(super) fn of<E: Display>(why: E) -> Self
    where
        for<'e> Outcome: From<&'e E>,
    {
        Self { outcome: Outcome::from(&why), reason: why.to_string() }
    }
}

impl From<&schnorr::Rejection> for Outcome {
    fn from(rejection: &schnorr::Rejection) -> Self {
        match rejection {
            schnorr::Rejection::KeyLength { .. } | schnorr::Rejection::Key(_) => Self::Key,
            schnorr::Rejection::SignatureLength { .. } => Self::Signature,
            schnorr::Rejection::Check(mask) => match mask.failures().next() {
                Some(Check::RRange) => Self::RRange,
                Some(Check::SRange) => Self::SRange,
                Some(Check::Infinity) => Self::Infinity,
                Some(Check::EvenY) => Self::OddY,
                Some(Check::Match) | None => Self::Mismatch,
            },
        }
    }
}

impl From<&recovery::Rejection> for Outcome {
    fn from(rejection: &recovery::Rejection) -> Self {
        use recovery::Rejection;
        match rejection {
            Rejection::Length { .. } => Self::Signature,
            Rejection::PlainId { .. } | Rejection::EthereumId { .. } => Self::RecoveryId,
            Rejection::RRange => Self::RRange,
            Rejection::SRange => Self::SRange,
            Rejection::HighS => Self::HighS,
            Rejection::XRange => Self::XRange,
            Rejection::NotOnCurve => Self::NotOnCurve,
            Rejection::Infinity => Self::Infinity,
        }
    }
}

impl From<&signature::Rejection> for Outcome {
    fn from(rejection: &signature::Rejection) -> Self {
        use signature::Rejection;
        match rejection {
            Rejection::Key(_) | Rejection::KeyOf { .. } => Self::Key,
            Rejection::Signature(_) | Rejection::SignatureOf { .. } => Self::Signature,
            Rejection::Mismatch => Self::Mismatch,
            Rejection::NoKeys | Rejection::Counts { .. } => Self::Keys,
            Rejection::EqualMessages { .. } => Self::EqualMessages,
        }
    }
}

impl From<&OpeningError> for Outcome {
    fn from(error: &OpeningError) -> Self {
        match error {
            OpeningError::Commitment(_) => Self::Commitment,
            OpeningError::Proof(_) | OpeningError::Counts { .. } => Self::Proof,
            OpeningError::Length { name: "blob", .. } | OpeningError::BlobElement { .. } => {
                Self::Blob
            }
            OpeningError::Length { .. } | OpeningError::NotCanonical { .. } => Self::Scalar,
        }
    }
}

impl From<&groth16::Rejection> for Outcome {
    fn from(rejection: &groth16::Rejection) -> Self {
        use groth16::Rejection;
        match rejection {
            Rejection::Length { .. } | Rejection::Point { .. } => Self::Proof,
            Rejection::Inputs { .. } => Self::Inputs,
            Rejection::Mismatch => Self::Mismatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::ecdsa;
    use super::*;

    #[test]
    fn the_outcomes_of_ecdsa_are_the_first() {
        for (own, of_ecdsa) in Outcome::ALL.into_iter().zip(ecdsa::Outcome::ALL) {
            assert_eq!((own as u8, own.name()), (of_ecdsa as u8, of_ecdsa.name()));
        }
        for (number, outcome) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(outcome as usize, number);
            assert_eq!(outcome.name_for_c().to_str(), Ok(outcome.name()));
        }
    }

    #[test]
    fn the_first_failed_check_names_a_schnorr_signature() {
        for (check, outcome) in [
            (Check::RRange, Outcome::RRange),
            (Check::SRange, Outcome::SRange),
            (Check::Infinity, Outcome::Infinity),
            (Check::Match, Outcome::Mismatch),
            (Check::EvenY, Outcome::OddY),
        ] {
            assert_eq!(Outcome::from(&schnorr::Rejection::from(check)), outcome);
        }
    }
}
