// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The trusted setup of a public ceremony: powers of a secret τ in G1 and G2.

use std::sync::Arc;

use crate::library::{Curve, G1, G2};
use crate::pairing::{is_pairing_product_one, Prepared};
use crate::{Point, PointError};

use super::powers::{self, Powers};
use super::BLOB_ELEMENTS;

/// The maximum size of a setup's text in bytes: twice that of the ceremony's.
pub const SETUP_LIMIT_BYTES: usize = 2 << 20;

/// The number of points of G1 in a setup, in each of its two forms.
pub(super) const G1_POINTS: usize = BLOB_ELEMENTS;
/// The number of points of G2 in a setup.
pub const G2_POINTS: usize = 65;

/// Returns the maximum memory of a setup in bytes: its points, and the tables that operations
/// compute when they first need them. That is 43 MB with AVX-512 IFMA, and 110 MB without.
pub fn prepared_bytes() -> usize {
    powers::most_bytes()
}

/// A setup. Its clones share their tables.
///
/// Openings are verified with τ in G2 alone. The other points are decoded and checked, and the
/// tables computed, when an operation first needs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The generator of G2.
    pub(super) generator: Prepared,
    /// τ times the generator.
    pub(super) tau: Prepared,
    /// All points; absent if only τ was given.
    powers: Option<Arc<Powers>>,
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
    /// The bytes of points in a form have the wrong length.
    #[error("{name} has {got} bytes, not {expected}")]
    Length {
        /// The name of the points.
        name: &'static str,
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// The setup was made from τ in G2 alone.
    #[error("it has no points except τ in G2, which only verifies openings")]
    NoPoints,
    /// The points of G1 are not the powers of τ.
    #[error("the points of G1 are not the powers of τ")]
    NotPowers,
    /// The points in Lagrange form do not belong to the powers.
    #[error("the points in Lagrange form are not those of the powers of τ")]
    NotLagrange,
    /// The power of τ in G2 that verifies cells is wrong.
    #[error("point {index} of G2 is not that power of τ")]
    NotPowerOfG2 {
        /// The exponent.
        index: usize,
    },
    /// The points cannot be checked.
    #[error("the operating system has no random numbers to check the points with")]
    NoRandom,
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
                let generator = Prepared::new(Point::generator());
                Ok(Self { generator, tau: Prepared::new(tau), powers: None })
            }
        }
    }

    /// Reads the ceremony's text: the numbers of points, 4096 and 65; that many points of G1 in
    /// Lagrange form and of G2, and the powers in G1. Verification of openings needs only τ in G2:
    /// it is decoded, and checked against τ in G1. The other points are checked to be hexadecimal
    /// digits; operations that need them decode and check them.
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
        let expected = FIRST_LINE - 1 + G1_POINTS + G2_POINTS + G1_POINTS;
        if lines.len() != expected {
            return Err(SetupError::Lines { expected, got: lines.len() });
        }
        let forms = [
            (FIRST_LINE, G1_POINTS, G1::COMPRESSED_BYTES),
            (G2_LINE, G2_POINTS, G2::COMPRESSED_BYTES),
            (POWERS_LINE, G1_POINTS, G1::COMPRESSED_BYTES),
        ];
        let [lagrange, g2, powers] =
            forms.map(|(first, count, bytes)| decode(&lines[first - 1..][..count], first, bytes));
        Self::of_points(&lagrange?, &g2?, &powers?)
    }

    /// Creates a setup from compressed points: 4,096 of G1 in Lagrange form, 65 of G2, and 4,096
    /// powers in G1, as in the text.
    ///
    /// # Errors
    /// [`SetupError`]. Lines are those that the points have in the text.
    pub fn of_points(lagrange: &[u8], g2: &[u8], powers: &[u8]) -> Result<Self, SetupError> {
        for (name, points, expected) in [
            (
                "the list of points of G1 in Lagrange form",
                lagrange,
                G1_POINTS * G1::COMPRESSED_BYTES,
            ),
            ("the list of points of G2", g2, G2_POINTS * G2::COMPRESSED_BYTES),
            ("the list of powers in G1", powers, G1_POINTS * G1::COMPRESSED_BYTES),
        ] {
            if points.len() != expected {
                return Err(SetupError::Length { name, expected, got: points.len() });
            }
        }
        let at = |line| move |error| SetupError::Point { line, error };
        let of_g1 = |number: usize| {
            let bytes = &powers[number * G1::COMPRESSED_BYTES..][..G1::COMPRESSED_BYTES];
            Point::<G1>::from_compressed(bytes).map_err(at(POWERS_LINE + number))
        };
        let of_g2 = |number: usize| {
            let bytes = &g2[number * G2::COMPRESSED_BYTES..][..G2::COMPRESSED_BYTES];
            Point::<G2>::from_compressed(bytes).map_err(at(G2_LINE + number))
        };
        let (one_1, tau_1) = (of_g1(0)?, of_g1(1)?);
        let (one_2, tau_2) = (of_g2(0)?, of_g2(1)?);
        let generators = one_1 == Point::generator() && one_2 == Point::generator();
        if !generators || !is_pairing_product_one(&[(tau_1.negated(), one_2), (one_1, tau_2)]) {
            return Err(SetupError::Inconsistent);
        }
        let powers = Some(Arc::new(Powers::new(lagrange, g2, powers)));
        let setup = Self::of_tau(tau_2).map_err(at(G2_LINE + 1))?;
        Ok(Self { powers, ..setup })
    }

    /// Returns the points.
    ///
    /// # Errors
    /// [`SetupError::NoPoints`].
    pub(super) fn powers(&self) -> Result<&Powers, SetupError> {
        self.powers.as_deref().ok_or(SetupError::NoPoints)
    }

    /// Decodes and checks all points, and computes all tables, which operations otherwise do when
    /// they first need them.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn prepare(&self) -> Result<(), SetupError> {
        let powers = self.powers()?;
        powers.commitments()?;
        powers.cell_proofs()?;
        powers.cells().map(|_| ())
    }
}

/// The lines of the text, from 1, in which points in Lagrange form, of G2, and powers begin.
pub(super) const FIRST_LINE: usize = 3;
pub(super) const G2_LINE: usize = FIRST_LINE + G1_POINTS;
pub(super) const POWERS_LINE: usize = G2_LINE + G2_POINTS;

/// Decodes lines of hexadecimal digits, the first of which has the number `first`.
fn decode(lines: &[&str], first: usize, bytes: usize) -> Result<Vec<u8>, SetupError> {
    let mut points = vec![0; lines.len() * bytes];
    for (number, (text, point)) in lines.iter().zip(points.chunks_mut(bytes)).enumerate() {
        let decoded = hex::decode_to_slice(text, point);
        decoded.map_err(|_| SetupError::Digits { line: first + number, bytes })?;
    }
    Ok(points)
}
