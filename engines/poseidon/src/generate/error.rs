// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors of parameter generation.

use super::limits::{
    MAX_ALPHA, MAX_PRIME_BITS, MAX_ROUNDS, MAX_SECURITY_BITS, MAX_WIDTH, MIN_PRIME_BITS,
    MIN_SECURITY_BITS,
};
use super::trails::Trail;
use crate::round_numbers::RoundNumbers;

/// Why a specification has no parameters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpecificationError {
    /// The prime is too short or too long.
    #[error("the prime has {bits} bits; {MIN_PRIME_BITS} to {MAX_PRIME_BITS} are supported")]
    PrimeBits {
        /// The length of the prime in bits.
        bits: u64,
    },
    /// The modulus is composite.
    #[error("{modulus} is not prime")]
    NotPrime {
        /// The number.
        modulus: String,
    },
    /// The state is too narrow or too wide.
    #[error("the width must be in 2..={MAX_WIDTH}, got {width}")]
    Width {
        /// The given value.
        width: usize,
    },
    /// The exponent is even, too small or too large.
    #[error("the exponent must be an odd number from 3 to {MAX_ALPHA}, got {alpha}")]
    Alpha {
        /// The given value.
        alpha: u32,
    },
    /// x^α is not a permutation of the field.
    #[error("x^{alpha} is not a permutation: {alpha} and p − 1 have the common divisor {divisor}")]
    AlphaNotCoprime {
        /// The exponent.
        alpha: u32,
        /// gcd(α, p − 1).
        divisor: u32,
    },
    /// No odd exponent of the range is coprime to p − 1.
    #[error("no odd exponent from 3 to {MAX_ALPHA} is coprime to p − 1; use the inverse")]
    NoAlpha,
    /// The security level is outside the range.
    #[error(
        "the security level must be {MIN_SECURITY_BITS} to {MAX_SECURITY_BITS} bits, got {bits}"
    )]
    SecurityBits {
        /// The given value.
        bits: usize,
    },
    /// The state is too small for a capacity and a digest of that security level.
    #[error(
        "{security_bits} bits of security need a state of {wanted} bits, got {width} elements of \
         {field_bits} bits"
    )]
    StateTooSmall {
        /// The security level.
        security_bits: usize,
        /// The required size of the state in bits: twice the security level.
        wanted: usize,
        /// The width of the state in elements.
        width: usize,
        /// The size of an element in bits.
        field_bits: usize,
    },
    /// The requested numbers of rounds are out of range.
    #[error(
        "{} full and {} partial rounds: the number of full rounds must be even, and both numbers \
         at most {MAX_ROUNDS}", rounds.full, rounds.partial
    )]
    Rounds {
        /// The given value.
        rounds: RoundNumbers,
    },
    /// The requested rounds are not secure, even without a margin.
    #[error(
        "{} full and {} partial rounds are not enough; the minimum without a margin is {} and {}",
        rounds.full, rounds.partial, needed.full, needed.partial
    )]
    InsecureRounds {
        /// The given value.
        rounds: RoundNumbers,
        /// The fewest secure rounds.
        needed: RoundNumbers,
    },
    /// The search found no secure rounds.
    #[error("no round numbers up to 100 full and 500 partial rounds are secure")]
    NoRounds,
    /// Filecoin's matrix is not secure over this field.
    #[error("the matrix 1/(i + j + t) lets a subspace trail through: {trail:?}")]
    Trail {
        /// The kind of the trail.
        trail: Trail,
    },
    /// Each candidate matrix let a trail through.
    #[error("none of {drawn} matrices was free of subspace trails")]
    NoMatrix {
        /// The number of matrices drawn.
        drawn: usize,
    },
}

/// Why a document of generated parameters is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// The document is not JSON, or has another structure.
    #[error("not a parameter document: {reason}")]
    Json {
        /// The parser's message, with line and column.
        reason: String,
    },
    /// The specified parameters do not exist.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// A number is not hexadecimal, or not below the modulus.
    #[error(
        "{place}: expected 0x and the hexadecimal digits of a number below the modulus, got {got:?}"
    )]
    Element {
        /// The location of the number in the document.
        place: String,
        /// The text, truncated if it is long.
        got: String,
    },
    /// A list is too short or too long.
    #[error("{list} has {got} entries, expected {wanted}")]
    Count {
        /// The name of the list.
        list: String,
        /// The number of entries found.
        got: usize,
        /// The number of entries that the other fields require.
        wanted: usize,
    },
    /// A field contradicts the others.
    #[error("{name} is {got}, expected {wanted}")]
    Mismatch {
        /// The name of the field.
        name: &'static str,
        /// The value of the field.
        got: i64,
        /// The value that the other fields require.
        wanted: i64,
    },
    /// The matrix has a singular submatrix.
    #[error("the matrix is not MDS")]
    NotMds,
    /// The matrix lets a subspace trail through.
    #[error("the matrix lets a subspace trail through: {trail:?}")]
    Trail {
        /// The kind of the trail.
        trail: Trail,
    },
}

/// Why a state is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PermuteError {
    /// The number of elements is not the width.
    #[error("expected a state of {wanted} elements, got {got}")]
    Length {
        /// The number of elements given.
        got: usize,
        /// The width.
        wanted: usize,
    },
    /// An element is not reduced.
    #[error("element {position} is not below the modulus")]
    NotReduced {
        /// The index of the element, from 0.
        position: usize,
    },
}
