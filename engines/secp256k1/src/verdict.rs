// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What a check of a signature finds.

halimede_arith::checks! {
    /// A thing that must hold, in the order in which the first failure is named. Of a key that is
    /// not on the curve, or of r or s out of range, nothing further is computed. The bits are those
    /// of the card's mask (reply of `verify_secp256k1_sig`), whose bit 4 is the card's time-out.
    pub enum Check names_every_failure: false {
        /// r lies in [1, n).
        RRange = 0, "r-range", "r is not from 1 to n - 1",
        /// s lies in [1, n).
        SRange = 1, "s-range", "s is not from 1 to n - 1",
        /// The key's coordinates lie in [0, p) and satisfy the curve's equation.
        OnCurve = 5, "on-curve", "the key is not a point of the curve",
        /// u₁G + u₂Q is not the point at infinity.
        Infinity = 2, "infinity", "the signature leads to the point at infinity",
        /// Its x, modulo n, is r.
        Match = 3, "match", "the signature is not this key's on this digest",
    }
}

/// The failed checks of a signature; 0 is a valid one. Range and curve checks are all made; where
/// one fails, the other two bits are 0. The point at infinity has no x to compare: its bit stands
/// alone.
pub type Mask = halimede_arith::verdict::Mask<Check>;

halimede_arith::outcomes! {
    /// What becomes of a signature, by a number and a word that other languages have too.
    pub enum Outcome {
        /// Nothing has been checked: what memory of zeros reads as, so that it is never valid.
        NotChecked = 0, "not-checked",
        /// The signature holds.
        Valid = 1, "valid",
        /// Not a valid public key.
        Key = 2, "key",
        /// The signature is not of its format.
        Signature = 3, "signature",
        /// s is above n/2, and the rules ask for the lower one.
        HighS = 4, "high-s",
        /// r is not from 1 to n − 1.
        RRange = 5, "r-range",
        /// s is not from 1 to n − 1.
        SRange = 6, "s-range",
        /// The signature leads to the point at infinity.
        Infinity = 7, "infinity",
        /// The signature is not this key's on this digest.
        Mismatch = 8, "mismatch",
    }
}

impl From<Check> for Outcome {
    fn from(check: Check) -> Self {
        match check {
            Check::RRange => Self::RRange,
            Check::SRange => Self::SRange,
            Check::OnCurve => Self::Key,
            Check::Infinity => Self::Infinity,
            Check::Match => Self::Mismatch,
        }
    }
}
