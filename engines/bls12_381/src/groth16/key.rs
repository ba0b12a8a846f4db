// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifying keys.

use crate::library::{Curve, Miller, G1, G2};
use crate::pairing::{miller_product, pair, Prepared};
use crate::{CurvePoint, Point, PointError};

use super::finite;

/// The maximum size of a key in bytes: enough for 699,000 public inputs.
pub const KEY_LIMIT_BYTES: usize = 64 << 20;

const G1_BYTES: usize = G1::UNCOMPRESSED_BYTES;
/// The size of α, β, δ in G1 and β, γ, δ in G2.
const FIXED_BYTES: usize = 3 * G1_BYTES + 3 * G2::UNCOMPRESSED_BYTES;
const COUNT_BYTES: usize = 4;

/// A verifying key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    pub(super) alpha: Point<G1>,
    pub(super) beta: Point<G2>,
    pub(super) gamma: Prepared,
    pub(super) delta: Prepared,
    /// The Miller loop of −α and β.
    pub(super) alpha_beta: Miller,
    /// The term of 1, and then those of the public inputs.
    pub(super) terms: Vec<Point<G1>>,
}

/// Why bytes are not a verifying key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The key is too long.
    #[error("the key has {got} bytes; the limit is {KEY_LIMIT_BYTES}")]
    TooLong {
        /// The number of bytes given.
        got: usize,
    },
    /// The length does not match the number of points.
    #[error("the key has {got} bytes, not {expected}")]
    Length {
        /// The expected number of bytes.
        expected: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// The key lacks the term of 1.
    #[error("the key has no point for its inputs")]
    NoTerms,
    /// A point is not in its group, or is infinity.
    #[error("{name}, from byte {offset} on: {error}")]
    Point {
        /// The name, as in `bellman`.
        name: &'static str,
        /// The offset of the point.
        offset: usize,
        /// The reason.
        error: PointError,
    },
}

impl VerifyingKey {
    /// Returns α in G1 and β in G2.
    pub fn alpha_beta(&self) -> (&Point<G1>, &Point<G2>) {
        (&self.alpha, &self.beta)
    }

    /// Returns γ and δ in G2.
    pub fn gamma_delta(&self) -> (&Point<G2>, &Point<G2>) {
        (&self.gamma.point, &self.delta.point)
    }

    /// Returns the term of 1, and then those of the public inputs.
    pub fn terms(&self) -> &[Point<G1>] {
        &self.terms
    }

    /// The number of public inputs of a proof.
    pub fn inputs(&self) -> usize {
        self.terms.len() - 1
    }

    /// Reads a key: `alpha_g1`, `beta_g1`, `beta_g2`, `gamma_g2`, `delta_g1`, `delta_g2`, the
    /// number of terms in four bytes, big-endian, and the terms `ic`. Points are uncompressed.
    ///
    /// # Errors
    /// [`KeyError`]; among others, no point may be infinity.
    pub fn read(bytes: &[u8]) -> Result<Self, KeyError> {
        let got = bytes.len();
        if got > KEY_LIMIT_BYTES {
            return Err(KeyError::TooLong { got });
        }
        let head = FIXED_BYTES + COUNT_BYTES;
        let count = bytes.get(FIXED_BYTES..).and_then(<[u8]>::first_chunk);
        let Some(count) = count.map(|count| u32::from_be_bytes(*count) as usize) else {
            return Err(KeyError::Length { expected: head, got });
        };
        let expected = head.saturating_add(G1_BYTES.saturating_mul(count));
        if got != expected {
            return Err(KeyError::Length { expected, got });
        }
        if count == 0 {
            return Err(KeyError::NoTerms);
        }
        let mut reader = Reader { bytes, offset: 0 };
        let alpha: Point<G1> = reader.next("alpha_g1")?;
        reader.next::<G1>("beta_g1")?;
        let (beta, gamma) = (reader.next("beta_g2")?, reader.next("gamma_g2")?);
        reader.next::<G1>("delta_g1")?;
        let delta = reader.next("delta_g2")?;
        Ok(Self {
            terms: terms(&bytes[head..], head)?,
            gamma: Prepared::new(gamma),
            delta: Prepared::new(delta),
            alpha_beta: miller_product(&[pair(&alpha.negated(), &beta)]),
            alpha,
            beta,
        })
    }
}

/// Reads the points of the inputs together.
fn terms(bytes: &[u8], start: usize) -> Result<Vec<Point<G1>>, KeyError> {
    let at = |number: usize| {
        let offset = start + G1_BYTES * number;
        move |error| KeyError::Point { name: "ic", offset, error }
    };
    let points = bytes.chunks_exact(G1_BYTES).enumerate();
    let points = points
        .map(|(number, bytes)| CurvePoint::<G1>::from_uncompressed(bytes).map_err(at(number)))
        .collect::<Result<Vec<_>, _>>()?;
    let tested = CurvePoint::all_into_group(&points).into_iter().enumerate();
    tested.map(|(number, point)| point.and_then(finite).map_err(at(number))).collect()
}

struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl Reader<'_> {
    /// Reads the next point of the fixed part, whose length was checked.
    fn next<C: Curve>(&mut self, name: &'static str) -> Result<Point<C>, KeyError> {
        let offset = self.offset;
        self.offset += C::UNCOMPRESSED_BYTES;
        let point = Point::from_uncompressed(&self.bytes[offset..self.offset]).and_then(finite);
        point.map_err(|error| KeyError::Point { name, offset, error })
    }
}
