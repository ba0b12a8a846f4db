// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The result of a signature check.

halimede_arith::checks! {
    /// One check, in the order in which the first failure is named. If the key is not on the curve,
    /// or r or s is out of range, nothing further is computed. The bits are those of the card's
    /// mask (reply of `verify_secp256k1_sig`), whose bit 4 is the card's time-out.
    pub enum Check names_every_failure: false {
        /// r lies in [1, n).
        RRange = 0, "r-range", "r is not from 1 to n - 1",
        /// s lies in [1, n).
        SRange = 1, "s-range", "s is not from 1 to n - 1",
        /// The key's coordinates lie in [0, p) and satisfy the curve's equation.
        OnCurve = 5, "on-curve", "the key is not a point of the curve",
        /// u₁G + u₂Q is not the point at infinity.
        Infinity = 2, "infinity", "the signature leads to the point at infinity",
        /// x of that point, modulo n, is r.
        Match = 3, "match", "the signature is not this key's on this digest",
    }
}

/// The failed checks of a signature; 0 if it is valid. Range and curve checks are all performed; if
/// one fails, the other two bits are 0. The point at infinity has no x to compare, so that its bit
/// is the only one set.
pub type Mask = halimede_arith::verdict::Mask<Check>;

halimede_arith::outcomes! {
    /// The outcome of a signature check, with a number and a word that the bindings of other
    /// languages share.
    pub enum Outcome {
        /// Nothing was checked. Zeroed memory reads as this outcome, and so never as valid.
        NotChecked = 0, "not-checked",
        /// The signature holds.
        Valid = 1, "valid",
        /// Not a valid public key.
        Key = 2, "key",
        /// The signature does not have the required format.
        Signature = 3, "signature",
        /// s is above n/2, and the rules require the lower value.
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
