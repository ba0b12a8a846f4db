// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The points of a setup, and the tables that commitments and cells need, each computed once.

use std::fmt;
use std::sync::OnceLock;

use halimede_arith::transform::bit_reverse;
use halimede_arith::Fr;

use super::cells::{proof_points, CELL_ELEMENTS, EXTENDED_CELLS};
use super::polynomial::coefficients;
use super::setup_text::{SetupError, FIRST_LINE, G1_POINTS, G2_LINE, G2_POINTS, POWERS_LINE};
use super::BLOB_ELEMENTS;
use crate::fixed::FixedSums;
use crate::library::{Curve, G1, G2};
use crate::multiples::{sum_of_multiples, sum_of_products};
use crate::multipliers::{as_scalar, multipliers, Multiplier, MULTIPLIER_BITS};
use crate::pairing::{is_pairing_product_one, Prepared};
use crate::{Point, PointError};

/// The width in bits of the windows of commitments: with 13, a sum of 4,096 points takes the fewest
/// additions.
const COMMITMENT_WIDTH: u32 = 13;
/// The width of the windows of cells' proofs: the same for 64 points.
const CELL_WIDTH: u32 = 9;

/// The number of points of the sums of cells' proofs.
const CELL_POINTS: usize = EXTENDED_CELLS * CELL_ELEMENTS;

/// Bytes of the points of G1, compressed and decoded, and of the prepared points of G2.
const POINT_BYTES: usize =
    2 * G1_POINTS * (G1::COMPRESSED_BYTES + G1::UNCOMPRESSED_BYTES) + (1 << 18);

/// Returns the maximum memory of a setup's points and tables in bytes.
pub(super) fn most_bytes() -> usize {
    let commitments = FixedSums::bytes(BLOB_ELEMENTS, BLOB_ELEMENTS, COMMITMENT_WIDTH);
    POINT_BYTES + commitments + FixedSums::bytes(CELL_POINTS, CELL_ELEMENTS, CELL_WIDTH)
}

/// The points that verify cells.
pub(crate) struct CellKey {
    /// The powers of τ below 64 in G1.
    pub(super) powers: Vec<Point<G1>>,
    /// τ⁶⁴ in G2.
    pub(super) tau_64: Prepared,
}

/// The points of a setup in G1, decoded and checked.
struct Decoded {
    /// In the order of a blob's values.
    lagrange: Vec<Point<G1>>,
    powers: Vec<Point<G1>>,
}

type Once<T> = OnceLock<Result<T, SetupError>>;

/// The compressed points of a setup, and what was computed from them.
pub(crate) struct Powers {
    lagrange: Vec<u8>,
    g2: Vec<u8>,
    powers: Vec<u8>,
    decoded: Once<Decoded>,
    cells: Once<CellKey>,
    commitments: Once<FixedSums>,
    cell_proofs: Once<FixedSums>,
}

impl fmt::Debug for Powers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Powers").finish_non_exhaustive()
    }
}

impl PartialEq for Powers {
    fn eq(&self, other: &Self) -> bool {
        let points =
            |powers: &Self| [&powers.lagrange, &powers.g2, &powers.powers].map(Vec::as_ptr);
        points(self) == points(other)
            || self.powers == other.powers && self.g2 == other.g2 && self.lagrange == other.lagrange
    }
}

impl Eq for Powers {}

fn get<T>(
    once: &Once<T>,
    compute: impl FnOnce() -> Result<T, SetupError>,
) -> Result<&T, SetupError> {
    once.get_or_init(compute).as_ref().map_err(Clone::clone)
}

/// Decodes points, the first of which is in line `first`.
fn decode<C: Curve>(bytes: &[u8], first: usize) -> Result<Vec<Point<C>>, SetupError> {
    let encodings: Vec<&[u8]> = bytes.chunks(C::COMPRESSED_BYTES).collect();
    let read = Point::<C>::all_from_compressed(&encodings).into_iter().enumerate();
    let at = |number, error: PointError| SetupError::Point { line: first + number, error };
    read.map(|(number, point)| point.map_err(|error| at(number, error))).collect()
}

impl Powers {
    pub(super) fn new(lagrange: &[u8], g2: &[u8], powers: &[u8]) -> Self {
        Self {
            lagrange: lagrange.to_vec(),
            g2: g2.to_vec(),
            powers: powers.to_vec(),
            decoded: Once::new(),
            cells: Once::new(),
            commitments: Once::new(),
            cell_proofs: Once::new(),
        }
    }

    /// Returns what cells are verified with.
    pub(super) fn cells(&self) -> Result<&CellKey, SetupError> {
        get(&self.cells, || {
            let count = CELL_ELEMENTS + 1;
            let powers = decode(&self.powers[..count * G1::COMPRESSED_BYTES], POWERS_LINE)?;
            let tau_2 = self.of_g2(1)?;
            check_powers(&powers, &tau_2)?;
            let tau_64 = self.of_g2(CELL_ELEMENTS)?;
            let (first, last) = (Point::<G1>::generator(), powers[CELL_ELEMENTS]);
            let pairs = [(last.negated(), Point::<G2>::generator()), (first, tau_64)];
            if tau_64.is_infinity() || !is_pairing_product_one(&pairs) {
                return Err(SetupError::NotPowerOfG2 { index: CELL_ELEMENTS });
            }
            let powers = powers[..CELL_ELEMENTS].to_vec();
            Ok(CellKey { powers, tau_64: Prepared::new(tau_64) })
        })
    }

    /// Returns the sum of the points in Lagrange form, in the order of a blob's values.
    pub(super) fn commitments(&self) -> Result<&FixedSums, SetupError> {
        get(&self.commitments, || {
            let points: Vec<_> =
                self.decoded()?.lagrange.iter().map(|point| *point.affine()).collect();
            Ok(FixedSums::new(&points, BLOB_ELEMENTS, COMMITMENT_WIDTH))
        })
    }

    /// Returns the sums of which cells' proofs are the transform.
    pub(super) fn cell_proofs(&self) -> Result<&FixedSums, SetupError> {
        get(&self.cell_proofs, || {
            let points = proof_points(&self.decoded()?.powers);
            Ok(FixedSums::new(&points, CELL_ELEMENTS, CELL_WIDTH))
        })
    }

    fn of_g2(&self, number: usize) -> Result<Point<G2>, SetupError> {
        debug_assert!(number < G2_POINTS);
        let bytes = &self.g2[number * G2::COMPRESSED_BYTES..][..G2::COMPRESSED_BYTES];
        let at = |error| SetupError::Point { line: G2_LINE + number, error };
        Point::from_compressed(bytes).map_err(at)
    }

    fn decoded(&self) -> Result<&Decoded, SetupError> {
        get(&self.decoded, || {
            let mut lagrange = decode(&self.lagrange, FIRST_LINE)?;
            bit_reverse(&mut lagrange);
            let powers = decode(&self.powers, POWERS_LINE)?;
            check_powers(&powers, &self.of_g2(1)?)?;
            check_lagrange(&lagrange, &powers)?;
            Ok(Decoded { lagrange, powers })
        })
    }
}

fn random(count: usize) -> Result<Vec<Multiplier>, SetupError> {
    multipliers(count).ok_or(SetupError::NoRandom)
}

/// Checks that each point is τ times the one before it: e(Σ mᵢ·Pᵢ₊₁, g₂) = e(Σ mᵢ·Pᵢ, τ·g₂) for
/// random mᵢ.
fn check_powers(powers: &[Point<G1>], tau: &Point<G2>) -> Result<(), SetupError> {
    let multipliers = random(powers.len() - 1)?;
    let affine: Vec<_> = powers.iter().map(|point| *point.affine()).collect();
    let sum = |points| sum_of_multiples::<G1>(points, multipliers.as_flattened(), MULTIPLIER_BITS);
    let (before, after) = (sum(&affine[..powers.len() - 1]), sum(&affine[1..]));
    let pairs = [(after.negated(), Point::generator()), (before, *tau)];
    match powers[0] == Point::generator() && is_pairing_product_one(&pairs) {
        true => Ok(()),
        false => Err(SetupError::NotPowers),
    }
}

/// Checks that a polynomial with random values has the same commitment in both forms.
fn check_lagrange(lagrange: &[Point<G1>], powers: &[Point<G1>]) -> Result<(), SetupError> {
    let values: Vec<Fr> = random(lagrange.len())?.iter().map(as_scalar).collect();
    let of_values = sum_of_products(lagrange, &values);
    match of_values == sum_of_products(powers, &coefficients(values)) {
        true => Ok(()),
        false => Err(SetupError::NotLagrange),
    }
}
