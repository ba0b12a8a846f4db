// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Answers to items, with the names and numbers of outcomes.

use std::fmt::Display;

crate::outcomes! {
    /// The outcome of a check, with the same numbers and names for every engine. The first nine are
    /// those of ECDSA.
    pub enum Outcome {
        /// Nothing was checked. Zeroed memory reads as this value, so it never reads as valid.
        NotChecked = 0, "not-checked",
        /// The item is valid.
        Valid = 1, "valid",
        /// Not a valid public key.
        Key = 2, "key",
        /// The signature has the wrong format, or is not a point of its group.
        Signature = 3, "signature",
        /// s is above n/2, and the rules require the low form.
        HighS = 4, "high-s",
        /// r is out of range.
        RRange = 5, "r-range",
        /// s is out of range.
        SRange = 6, "s-range",
        /// The computation leads to the point at infinity.
        Infinity = 7, "infinity",
        /// All parts can be read, but they do not belong together.
        Mismatch = 8, "mismatch",
        /// A Schnorr signature leads to a point with an odd y.
        OddY = 9, "odd-y",
        /// The last byte of a signature is not a recovery id.
        RecoveryId = 10, "recovery-id",
        /// The recovery id says that x is r + n, and that is not below p.
        XRange = 11, "x-range",
        /// No point of the curve has the x that r gives.
        NotOnCurve = 12, "not-on-curve",
        /// An aggregate has no keys, or not the same number of keys and messages.
        Keys = 13, "keys",
        /// Messages are equal, which the basic scheme forbids.
        EqualMessages = 14, "equal-messages",
        /// A commitment is not a point of its group.
        Commitment = 15, "commitment",
        /// A proof has the wrong length, or a part of it is not a point of its group.
        Proof = 16, "proof",
        /// The point or the value of an opening is not a number below the order of the groups.
        Scalar = 17, "scalar",
        /// A blob has the wrong length, or an element that is not below the order of the groups.
        Blob = 18, "blob",
        /// The number of public inputs does not match the key, or an input is not below the order
        /// of the groups.
        Inputs = 19, "inputs",
        /// Not an item of the operation: a field has the wrong length or form.
        Malformed = 20, "malformed",
        /// The hash of a block header does not meet the header's target.
        Difficulty = 21, "difficulty",
        /// An index occurs twice in an Equihash solution.
        Duplicate = 22, "duplicate",
        /// Subtrees of an Equihash solution are in the wrong order.
        IndexOrder = 23, "index-order",
        /// Hashes of an Equihash solution do not collide where subtrees meet.
        Collision = 24, "collision",
        /// The hashes of an Equihash solution do not XOR to zero.
        Xor = 25, "xor",
        /// The version or the target of a block header is not valid in its network.
        Header = 26, "header",
    }
}

/// The reason why an item is not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Invalid {
    /// The reason as an outcome.
    pub outcome: Outcome,
    /// The reason as a sentence.
    pub reason: String,
}

/// The verdict on an item.
pub type Verdict = Result<(), Invalid>;

impl Outcome {
    /// Returns the outcome of a verdict.
    pub fn of(verdict: &Verdict) -> Self {
        verdict.as_ref().map_or_else(|invalid| invalid.outcome, |()| Self::Valid)
    }
}

/// A reason without a more specific outcome.
impl From<String> for Invalid {
    fn from(reason: String) -> Self {
        Self { outcome: Outcome::Malformed, reason }
    }
}

impl From<&str> for Invalid {
    fn from(reason: &str) -> Self {
        reason.to_owned().into()
    }
}

impl Invalid {
    /// Converts an engine's own reason.
    pub fn of<E: Display>(why: E) -> Self
    where
        for<'e> Outcome: From<&'e E>,
    {
        Self { outcome: Outcome::from(&why), reason: why.to_string() }
    }
}

/// The answer to an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Bytes.
    Bytes(Vec<u8>),
    /// Numbers below 2²⁵⁶, least significant byte first.
    Numbers(Vec<[u8; 32]>),
    /// A JSON value.
    Json(String),
    /// A check that passed, or the reason why it failed.
    Verdict(Verdict),
    /// The reason why the item has no answer.
    Bad(Invalid),
}

impl Answer {
    /// Returns the outcome: that of the verdict, or that of the fault because of which the item has
    /// no value.
    pub fn outcome(&self) -> Outcome {
        self.fault().map_or(Outcome::Valid, |fault| fault.outcome)
    }

    /// Returns the reason why the item is not valid or has no value.
    pub fn fault(&self) -> Option<&Invalid> {
        match self {
            Self::Verdict(Err(fault)) | Self::Bad(fault) => Some(fault),
            Self::Bytes(_) | Self::Numbers(_) | Self::Json(_) | Self::Verdict(Ok(())) => None,
        }
    }

    /// Makes the answer of a check.
    pub fn of_check<E: Display>(reply: Result<(), E>) -> Self
    where
        for<'e> Outcome: From<&'e E>,
    {
        Self::Verdict(reply.map_err(Invalid::of))
    }

    /// Makes the answer of an operation that returns bytes.
    pub fn of_bytes<B: Into<Vec<u8>>, E: Display>(reply: Result<B, E>) -> Self
    where
        for<'e> Outcome: From<&'e E>,
    {
        match reply {
            Ok(bytes) => Self::Bytes(bytes.into()),
            Err(error) => Self::Bad(Invalid::of(error)),
        }
    }
}

/// The form of an operation's answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Bytes, with their name in JSON.
    Bytes(&'static str),
    /// One number, with its name in JSON.
    Number(&'static str),
    /// Numbers, with their name in JSON.
    Numbers(&'static str),
    /// A JSON value, with its name.
    Json(&'static str),
    /// `valid`, and `reason` where it is false.
    Verdict,
}
