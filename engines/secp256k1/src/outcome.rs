// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outcomes of Schnorr signatures, their aggregates and of recovery, with the numbers and words
//! shared by all engines.

use halimede_arith::interface::Outcome;

use crate::half_aggregate;
use crate::recovery;
use crate::schnorr::{self, Check};
use crate::{verdict, Rejection};

/// The outcomes of ECDSA come first and have the same numbers.
impl From<&Rejection> for Outcome {
    fn from(rejection: &Rejection) -> Self {
        let of_ecdsa = verdict::Outcome::from(&Err(*rejection));
        Self::ALL.get(of_ecdsa as usize).copied().unwrap_or(Self::Mismatch)
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

impl From<&half_aggregate::Rejection> for Outcome {
    fn from(rejection: &half_aggregate::Rejection) -> Self {
        use half_aggregate::Rejection;
        match rejection {
            Rejection::TooMany { .. } => Self::Keys,
            Rejection::Length { .. } | Rejection::SignatureLength { .. } => Self::Signature,
            Rejection::KeyLength { .. } | Rejection::Key { .. } => Self::Key,
            Rejection::MessageLength { .. } => Self::Malformed,
            Rejection::RRange { .. } => Self::RRange,
            Rejection::NotOnCurve { .. } => Self::NotOnCurve,
            Rejection::SignatureSRange { .. } | Rejection::SRange => Self::SRange,
            Rejection::Mismatch => Self::Mismatch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcomes_of_ecdsa_are_the_first() {
        for (all, of_ecdsa) in Outcome::ALL.into_iter().zip(verdict::Outcome::ALL) {
            assert_eq!((all as u8, all.name()), (of_ecdsa as u8, of_ecdsa.name()));
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
