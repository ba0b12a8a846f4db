// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The trusted setup of a public ceremony: powers of a secret τ in G1 and G2.

use std::sync::Arc;

use crate::library::{Curve, G1, G2};
use crate::pairing::{is_pairing_product_one, Prepared};
use crate::{Point, PointError};

use super::powers::{self, Powers};
use super::setup_text::{
    SetupError, FIRST_LINE, G1_POINTS, G2_LINE, G2_POINTS, POWERS_LINE, SETUP_LIMIT_BYTES,
};

/// Returns the maximum memory of a setup in bytes: its points, and the tables that operations
/// compute when they first need them. That is 43 MB with lanes, and 110 MB without.
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

    /// Returns τ times the generator of G2.
    pub fn tau(&self) -> Point<G2> {
        self.tau.point
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

/// Decodes lines of hexadecimal digits, the first of which has the number `first`.
fn decode(lines: &[&str], first: usize, bytes: usize) -> Result<Vec<u8>, SetupError> {
    let mut points = vec![0; lines.len() * bytes];
    for (number, (text, point)) in lines.iter().zip(points.chunks_mut(bytes)).enumerate() {
        let decoded = hex::decode_to_slice(text, point);
        decoded.map_err(|_| SetupError::Digits { line: first + number, bytes })?;
    }
    Ok(points)
}
