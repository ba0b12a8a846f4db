// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The trusted setup of a public ceremony: powers of a secret τ in G1 and G2.

use crate::library::{G1, G2};
use crate::pairing::{is_pairing_product_one, Prepared};
use crate::{Point, PointError};

use super::BLOB_ELEMENTS;

/// The maximum size of a setup's text in bytes: twice that of the ceremony's.
pub const SETUP_LIMIT_BYTES: usize = 2 << 20;

const G1_POINTS: usize = BLOB_ELEMENTS;
/// The number of points of G2 in a setup.
pub const G2_POINTS: usize = 65;

/// The part of a setup that verification needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The generator of G2.
    pub(super) generator: Prepared,
    /// τ times the generator.
    pub(super) tau: Prepared,
}

/// Why a text is not a setup.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The text is too long.
    #[error("the setup has {got} bytes; the limit is {limit}")]
    TooLong {
        /// The number of bytes given.
        got: usize,
        /// The maximum number of bytes.
        limit: usize,
    },
    /// The numbers of points, in the first two lines, are wrong.
    #[error("line {line}: the number of points is {got:?}, not {expected}")]
    Count {
        /// The line, from 1.
        line: usize,
        /// The number in the setup of EIP-4844.
        expected: usize,
        /// The line, truncated.
        got: String,
    },
    /// The number of lines is wrong.
    #[error("the setup has {got} lines, not {expected}")]
    Lines {
        /// The expected number of lines.
        expected: usize,
        /// The number of lines given.
        got: usize,
    },
    /// A line is not the bytes of a point in hexadecimal.
    #[error("line {line}: {bytes} bytes as hexadecimal digits are expected")]
    Digits {
        /// The line, from 1.
        line: usize,
        /// Bytes of the point.
        bytes: usize,
    },
    /// A line's bytes are not a point of the group.
    #[error("line {line}: {error}")]
    Point {
        /// The line, from 1.
        line: usize,
        /// The reason.
        error: PointError,
    },
    /// The first powers in G1 and G2 belong to different secrets.
    #[error("the first powers in G1 and G2 are not those of one number")]
    Inconsistent,
}

impl Setup {
    /// Creates a setup from τ times the generator of G2.
    ///
    /// # Errors
    /// [`PointError::Infinity`]: for τ = 0, anyone could forge proofs.
    pub fn of_tau(tau: Point<G2>) -> Result<Self, PointError> {
        match tau.is_infinity() {
            true => Err(PointError::Infinity),
            false => {
                Ok(Self { generator: Prepared::new(Point::generator()), tau: Prepared::new(tau) })
            }
        }
    }

    /// Reads the ceremony's text: the numbers of points, 4096 and 65; that many points of G1 in
    /// Lagrange form and of G2, and the powers in G1. Verification needs only τ in G2: it is
    /// decoded, and checked against τ in G1. The other points are only checked to be hexadecimal
    /// digits.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn read(text: &str) -> Result<Self, SetupError> {
        if text.len() > SETUP_LIMIT_BYTES {
            return Err(SetupError::TooLong { got: text.len(), limit: SETUP_LIMIT_BYTES });
        }
        let lines: Vec<&str> = text.split_ascii_whitespace().collect();
        for (line, expected) in [G1_POINTS, G2_POINTS].into_iter().enumerate() {
            let got = lines.get(line).copied().unwrap_or_default();
            if got.parse() != Ok(expected) {
                let got = got.chars().take(20).collect();
                return Err(SetupError::Count { line: line + 1, expected, got });
            }
        }
        let g2 = 2 + G1_POINTS;
        let (powers, expected) = (g2 + G2_POINTS, g2 + G2_POINTS + G1_POINTS);
        if lines.len() != expected {
            return Err(SetupError::Lines { expected, got: lines.len() });
        }
        for (number, text) in lines.iter().enumerate().skip(2) {
            let bytes = if (g2..powers).contains(&number) { 96 } else { 48 };
            if text.len() != 2 * bytes || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(SetupError::Digits { line: number + 1, bytes });
            }
        }
        let at = |error, number| SetupError::Point { line: number + 1, error };
        let read_g1 = |number: usize| {
            Point::<G1>::from_compressed(&bytes(lines[number])).map_err(|error| at(error, number))
        };
        let read_g2 = |number: usize| {
            Point::<G2>::from_compressed(&bytes(lines[number])).map_err(|error| at(error, number))
        };
        let (one_1, tau_1) = (read_g1(powers)?, read_g1(powers + 1)?);
        let (one_2, tau_2) = (read_g2(g2)?, read_g2(g2 + 1)?);
        let generators = one_1 == Point::generator() && one_2 == Point::generator();
        if !generators || !is_pairing_product_one(&[(tau_1.negated(), one_2), (one_1, tau_2)]) {
            return Err(SetupError::Inconsistent);
        }
        Self::of_tau(tau_2).map_err(|error| at(error, g2 + 1))
    }
}

/// Decodes hexadecimal digits.
fn bytes(digits: &str) -> Vec<u8> {
    let value = |digit: u8| (digit as char).to_digit(16).unwrap_or(0) as u8;
    let pairs = digits.as_bytes().as_chunks::<2>().0.iter();
    pairs.map(|[high, low]| value(*high) << 4 | value(*low)).collect()
}
