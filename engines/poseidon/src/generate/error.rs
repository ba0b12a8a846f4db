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
        /// Its length.
        bits: u64,
    },
    /// The modulus is composite.
    #[error("{modulus} is not prime")]
    NotPrime {
        /// The number.
        modulus: String,
    },
    /// The state is too narrow or too wide.
    #[error("a width lies in 2..={MAX_WIDTH}, got {width}")]
    Width {
        /// The given value.
        width: usize,
    },
    /// The exponent is even, too small or too large.
    #[error("an exponent is an odd number from 3 to {MAX_ALPHA}, got {alpha}")]
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
    #[error("no odd exponent from 3 to {MAX_ALPHA} is coprime to p − 1; the inverse is left")]
    NoAlpha,
    /// The security level is outside the range.
    #[error("a security level lies in {MIN_SECURITY_BITS}..={MAX_SECURITY_BITS} bits, got {bits}")]
    SecurityBits {
        /// The given value.
        bits: usize,
    },
    /// The state cannot hold a capacity and digest of that security.
    #[error(
        "{security_bits} bits of security need a state of {wanted} bits, got {width} elements of \
         {field_bits} bits"
    )]
    StateTooSmall {
        /// The security level.
        security_bits: usize,
        /// Bits that the state must have: twice the security level.
        wanted: usize,
        /// Elements.
        width: usize,
        /// Bits of an element.
        field_bits: usize,
    },
    /// The rounds that were asked for are not rounds.
    #[error(
        "{} full and {} partial rounds: the full ones are an even number, neither is above \
         {MAX_ROUNDS}", rounds.full, rounds.partial
    )]
    Rounds {
        /// The given value.
        rounds: RoundNumbers,
    },
    /// The rounds that were asked for are not secure, even without a margin.
    #[error(
        "{} full and {} partial rounds are not enough; without any margin it takes {} and {}",
        rounds.full, rounds.partial, needed.full, needed.partial
    )]
    InsecureRounds {
        /// The given value.
        rounds: RoundNumbers,
        /// The fewest that are secure.
        needed: RoundNumbers,
    },
    /// The search found no secure rounds.
    #[error("no round numbers up to 100 full and 500 partial rounds are secure")]
    NoRounds,
    /// Filecoin's matrix is not secure over this field.
    #[error("the matrix 1/(i + j + t) lets a subspace trail through: {trail:?}")]
    Trail {
        /// Which.
        trail: Trail,
    },
    /// Each matrix that was drawn let a trail through.
    #[error("none of {drawn} matrices was free of subspace trails")]
    NoMatrix {
        /// How many were drawn.
        drawn: usize,
    },
}

/// Why a document of generated parameters is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// It is not JSON, or not of this shape.
    #[error("not a parameter document: {reason}")]
    Json {
        /// The message of the parser, with line and column.
        reason: String,
    },
    /// The specified parameters do not exist.
    #[error(transparent)]
    Specification(#[from] SpecificationError),
    /// A number is not hexadecimal or not below the modulus.
    #[error("{place}: {got:?} is not 0x and the hexadecimal digits of a number below the modulus")]
    Element {
        /// Where it stands.
        place: String,
        /// The text (its beginning, where it is long).
        got: String,
    },
    /// A list is too short or too long.
    #[error("{list} has {got} entries, expected {wanted}")]
    Count {
        /// Which list.
        list: String,
        /// Entries found.
        got: usize,
        /// Entries that the other numbers ask for.
        wanted: usize,
    },
    /// A number says something else than the rest.
    #[error("{name} is {got}, expected {wanted}")]
    Mismatch {
        /// Which number.
        name: &'static str,
        /// The value at this place.
        got: i64,
        /// The value that the rest requires.
        wanted: i64,
    },
    /// The matrix has a singular submatrix.
    #[error("the matrix is not MDS")]
    NotMds,
    /// The matrix lets a subspace trail through.
    #[error("the matrix lets a subspace trail through: {trail:?}")]
    Trail {
        /// Which.
        trail: Trail,
    },
}

/// Why a state cannot be permuted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PermuteError {
    /// The number of elements is not the width.
    #[error("a state has {wanted} elements, got {got}")]
    Length {
        /// Elements given.
        got: usize,
        /// The width.
        wanted: usize,
    },
    /// An element is not reduced.
    #[error("element {position} is not below the modulus")]
    NotReduced {
        /// Its place, from 0.
        position: usize,
    },
}
