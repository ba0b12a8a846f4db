// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proving keys.

use halimede_arith::transform::{Domain, Generator};
use rayon::prelude::*;

use crate::groth16::{KeyError, VerifyingKey};
use crate::library::{Curve, G1, G2};
use crate::{CurvePoint, Point, PointError};

/// The maximum size of a proving key in bytes.
pub const PROVING_KEY_LIMIT_BYTES: u64 = 8 << 30;

/// The number of points that a thread reads at a time.
const PART: usize = 1 << 10;

/// The offsets of β and δ in G1, and of δ in G2, within a verifying key.
const BETA_G1: usize = 96;
const DELTA_G1: usize = 576;
const DELTA_G2: usize = 672;
/// The offset of the number of the key's terms.
const TERMS: usize = 864;

/// The tests of the points of a proving key, apart from those of its verifying key, which are
/// always in their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PointChecks {
    /// Points are in their groups. The choice for keys from others.
    Group,
    /// Points are on their curves. This takes a twentieth of the time, and suffices for a key whose
    /// digest was compared, such as Zcash's. With another key a proof may be refused after it was
    /// made; a wrong proof is never returned.
    Curve,
}

/// The points that multiply the quotient.
#[derive(Clone, Debug)]
pub(super) enum QuotientPoints {
    /// For its coefficients: τⁱ·(τⁿ − 1)/δ.
    Powers(Vec<<G1 as Curve>::Affine>),
    /// For the values of A·B − C modulo x^n + 1, in bit-reversed order: Lagrange's polynomials of
    /// the 2n points at τ, over δ.
    Coset(Vec<<G1 as Curve>::Affine>),
}

impl QuotientPoints {
    /// Returns the number of points of the domain.
    fn domain_size(&self) -> usize {
        match self {
            Self::Powers(points) => points.len() + 1,
            Self::Coset(points) => points.len(),
        }
    }
}

/// The points of a proving key for the variables of a circuit, none of them secret.
#[derive(Clone, Debug)]
pub(super) struct Queries {
    pub h: QuotientPoints,
    pub l: Vec<<G1 as Curve>::Affine>,
    pub a: Vec<<G1 as Curve>::Affine>,
    pub b_g1: Vec<<G1 as Curve>::Affine>,
    pub b_g2: Vec<<G2 as Curve>::Affine>,
}

/// The points of a key apart from its queries and its verifying key.
#[derive(Clone, Copy, Debug)]
pub(super) struct FixedPoints {
    pub beta_g1: Point<G1>,
    pub delta_g1: Point<G1>,
    pub delta_g2: Point<G2>,
}

/// A proving key.
#[derive(Clone, Debug)]
pub struct ProvingKey {
    pub(super) verifying: VerifyingKey,
    verifying_bytes: Vec<u8>,
    pub(super) fixed: FixedPoints,
    pub(super) queries: Queries,
    pub(super) domain: Domain,
}

/// Why bytes are not a proving key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProvingKeyError {
    /// The key is too long.
    #[error("the proving key has {got} bytes; the limit is {PROVING_KEY_LIMIT_BYTES}")]
    TooLong {
        /// The number of bytes given.
        got: u64,
    },
    /// The verifying key at its beginning is invalid.
    #[error("verifying key: {0}")]
    Verifying(#[from] KeyError),
    /// The key ends too early.
    #[error("the proving key ends after {got} bytes, within `{name}`, which ends at {expected}")]
    Truncated {
        /// The part that is not complete.
        name: &'static str,
        /// The number of bytes needed.
        expected: u64,
        /// The number of bytes given.
        got: u64,
    },
    /// Bytes follow the key.
    #[error("the proving key ends after {expected} of {got} bytes")]
    Surplus {
        /// The length of the key.
        expected: u64,
        /// The number of bytes given.
        got: u64,
    },
    /// A point is not in its group, or is infinity.
    #[error("{name}[{index}]: {error}")]
    Point {
        /// The list.
        name: &'static str,
        /// The index in the list, from 0.
        index: usize,
        /// The reason.
        error: PointError,
    },
    /// The number of points for the quotient fits no domain.
    #[error("the key is for a domain of {got} points, not a power of two up to 2^31")]
    Domain {
        /// The number of points.
        got: usize,
    },
    /// Two lists of B, one in each group, differ in length.
    #[error("the key has {in_g1} points of B in G1 and {in_g2} in G2")]
    LengthsOfB {
        /// The number of points in G1.
        in_g1: usize,
        /// The number of points in G2.
        in_g2: usize,
    },
}

impl ProvingKey {
    /// Reads a key in the encoding of `bellman`, which is that of Zcash's parameter files up to
    /// the transcripts of their ceremonies: the verifying key, and the lists `h`, `l`, `a`, `b_g1`
    /// and `b_g2`, each with its number of points in four bytes, big-endian. Points are
    /// uncompressed. Points are tested on the threads of the current pool.
    ///
    /// # Errors
    /// [`ProvingKeyError`]; among others, no point may be infinity.
    pub fn read(bytes: &[u8], checks: PointChecks) -> Result<Self, ProvingKeyError> {
        let (key, rest) = Self::read_prefix(bytes, checks)?;
        match rest.is_empty() {
            true => Ok(key),
            false => Err(ProvingKeyError::Surplus {
                expected: (bytes.len() - rest.len()) as u64,
                got: bytes.len() as u64,
            }),
        }
    }

    /// As [`Self::read`], for bytes that may continue after the key. Returns the rest.
    ///
    /// # Errors
    /// [`ProvingKeyError`].
    pub fn read_prefix(
        bytes: &[u8],
        checks: PointChecks,
    ) -> Result<(Self, &[u8]), ProvingKeyError> {
        let got = bytes.len() as u64;
        if got > PROVING_KEY_LIMIT_BYTES {
            return Err(ProvingKeyError::TooLong { got });
        }
        let mut reader = Reader { bytes, offset: TERMS };
        reader.skip_points::<G1>("ic")?;
        let head = &bytes[..reader.offset];
        let fixed = FixedPoints {
            beta_g1: point_at(head, BETA_G1)?,
            delta_g1: point_at(head, DELTA_G1)?,
            delta_g2: point_at(head, DELTA_G2)?,
        };
        let queries = Queries {
            h: QuotientPoints::Powers(reader.points::<G1>("h", checks)?),
            l: reader.points::<G1>("l", checks)?,
            a: reader.points::<G1>("a", checks)?,
            b_g1: reader.points::<G1>("b_g1", checks)?,
            b_g2: reader.points::<G2>("b_g2", checks)?,
        };
        let key = Self::of_parts(head.to_vec(), fixed, queries, Generator::Seven)?;
        Ok((key, &bytes[reader.offset..]))
    }

    /// Creates a key from the bytes of its verifying key and its other parts, whose points were
    /// tested.
    pub(super) fn of_parts(
        verifying_bytes: Vec<u8>,
        fixed: FixedPoints,
        queries: Queries,
        generator: Generator,
    ) -> Result<Self, ProvingKeyError> {
        let verifying = VerifyingKey::read(&verifying_bytes)?;
        let (in_g1, in_g2) = (queries.b_g1.len(), queries.b_g2.len());
        if in_g1 != in_g2 {
            return Err(ProvingKeyError::LengthsOfB { in_g1, in_g2 });
        }
        let size = queries.h.domain_size();
        let domain = size.is_power_of_two().then(|| Domain::new(generator, size.ilog2())).flatten();
        let domain = domain.ok_or(ProvingKeyError::Domain { got: size })?;
        Ok(Self { verifying, verifying_bytes, fixed, queries, domain })
    }

    /// Returns the verifying key.
    pub const fn verifying_key(&self) -> &VerifyingKey {
        &self.verifying
    }

    /// Returns the verifying key in the encoding that [`VerifyingKey::read`] reads.
    pub fn verifying_key_bytes(&self) -> &[u8] {
        &self.verifying_bytes
    }

    /// Returns the maximum number of constraints, those of the inputs included.
    pub const fn domain_size(&self) -> usize {
        self.domain.size()
    }

    /// Returns the number of variables that are not inputs.
    pub fn auxiliary(&self) -> usize {
        self.queries.l.len()
    }
}

/// Reads a point of a verifying key that is valid.
fn point_at<C: Curve>(key: &[u8], offset: usize) -> Result<Point<C>, ProvingKeyError> {
    let point = Point::from_uncompressed(&key[offset..offset + C::UNCOMPRESSED_BYTES]);
    point.map_err(|error| {
        ProvingKeyError::Verifying(KeyError::Point { name: "fixed point", offset, error })
    })
}

/// Reads lists of points, each after its number of points.
struct Reader<'a> {
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Reader<'a> {
    /// Returns the next bytes.
    fn take(&mut self, name: &'static str, count: usize) -> Result<&'a [u8], ProvingKeyError> {
        let end = self.offset.saturating_add(count);
        let taken = self.bytes.get(self.offset..end).ok_or(ProvingKeyError::Truncated {
            name,
            expected: end as u64,
            got: self.bytes.len() as u64,
        })?;
        self.offset = end;
        Ok(taken)
    }

    /// Returns the bytes of a list.
    fn skip_points<C: Curve>(&mut self, name: &'static str) -> Result<&'a [u8], ProvingKeyError> {
        let count = self.take(name, 4)?;
        let count = count.iter().fold(0usize, |count, byte| count << 8 | usize::from(*byte));
        self.take(name, count.saturating_mul(C::UNCOMPRESSED_BYTES))
    }

    fn points<C: Curve>(
        &mut self,
        name: &'static str,
        checks: PointChecks,
    ) -> Result<Vec<C::Affine>, ProvingKeyError> {
        let bytes = self.skip_points::<C>(name)?;
        let encodings: Vec<&[u8]> = bytes.chunks_exact(C::UNCOMPRESSED_BYTES).collect();
        read_points::<C>(name, encodings.len(), checks, |index| {
            let point = CurvePoint::from_uncompressed(encodings[index])?;
            match point.is_infinity() {
                true => Err(PointError::Infinity),
                false => Ok(point),
            }
        })
    }
}

/// Reads the points of a list with a function, and tests them.
pub(super) fn read_points<C: Curve>(
    name: &'static str,
    count: usize,
    checks: PointChecks,
    read: impl Fn(usize) -> Result<CurvePoint<C>, PointError> + Sync,
) -> Result<Vec<C::Affine>, ProvingKeyError> {
    let read_part = |first: usize| -> Result<Vec<C::Affine>, ProvingKeyError> {
        let at = |index: usize| {
            move |error| ProvingKeyError::Point { name, index: first + index, error }
        };
        let indices = first..(first + PART).min(count);
        let points = indices.map(|index| read(index).map_err(at(index - first)));
        let points = points.collect::<Result<Vec<CurvePoint<C>>, _>>()?;
        if checks == PointChecks::Group {
            let mut tested = CurvePoint::all_into_group(&points).into_iter().enumerate();
            tested.try_for_each(|(index, point)| point.map(drop).map_err(at(index)))?;
        }
        Ok(points.iter().map(|point| *point.affine()).collect())
    };
    let firsts: Vec<usize> = (0..count).step_by(PART).collect();
    let parts = firsts.into_par_iter().map(read_part).collect::<Result<Vec<_>, _>>()?;
    Ok(parts.concat())
}
