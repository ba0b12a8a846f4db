// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of cells in batches, with the universal equation: a cell with the shift h, whose
//! values are those of I of degree below 64, is valid if e(C − I(τ)·g₁ + h⁶⁴·π, g₂) is
//! e(π, τ⁶⁴·g₂). The terms of all cells are merged into two pairs; the interpolations of the cells
//! with the same index into one.

use std::collections::HashMap;
use std::sync::LazyLock;

use halimede_arith::transform::Ring;
use halimede_arith::Fr;
use rayon::prelude::*;

use super::super::polynomial::{domain, scale, scale_by_powers};
use super::super::powers::CellKey;
use super::super::{OpeningError, Setup};
use super::{elements_of, index_of, Cell, CELL_ELEMENTS, EXTENDED_CELLS, SHIFTS};
use crate::equations::{which_hold, Equations};
use crate::library::{Miller, G1};
use crate::multiples::{sum_of_multiples, sum_of_products};
use crate::multipliers::{as_scalar, Multiplier, MULTIPLIER_BITS};
use crate::pairing::{miller_product_of_few, pair, Pair, Prepared};
use crate::{Point, PointError};

/// Returns `true` if all cells are valid: `verify_cell_kzg_proof_batch`.
///
/// # Errors
/// [`OpeningError`] if the lists differ in length, of the first cell that cannot be decoded, or if
/// the setup has no points.
pub fn verify_cell_kzg_proof_batch(
    setup: &Setup,
    commitments: &[&[u8]],
    indices: &[u64],
    cells: &[&[u8]],
    proofs: &[&[u8]],
) -> Result<bool, OpeningError> {
    let counts = [commitments.len(), indices.len(), cells.len(), proofs.len()];
    if counts.iter().any(|count| *count != counts[0]) {
        let [commitments, indices, cells, proofs] = counts;
        return Err(OpeningError::CellLists { commitments, indices, cells, proofs });
    }
    let rows = commitments.iter().zip(indices).zip(cells).zip(proofs);
    let cells: Vec<Cell<'_>> = rows
        .map(|(((commitment, index), cell), proof)| Cell { commitment, index: *index, cell, proof })
        .collect();
    let verdicts = verify_cells(setup, &cells).into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(verdicts.into_iter().all(|verdict| verdict))
}

/// Verifies cells together, on the threads of the current pool. Returns an answer for each.
pub fn verify_cells(setup: &Setup, cells: &[Cell<'_>]) -> Vec<Result<bool, OpeningError>> {
    let key = match setup.powers().and_then(|powers| powers.cells()) {
        Ok(key) => key,
        Err(error) => return vec![Err(OpeningError::Setup(error)); cells.len()],
    };
    let decoded = decode_all(cells);
    let cells = decoded.iter().filter_map(|decoded| decoded.as_ref().ok()).collect();
    let mut holds =
        which_hold(&CellEquations { generator: &setup.generator, key, cells }).into_iter();
    decoded
        .iter()
        .map(|decoded| match decoded {
            Ok(_) => Ok(holds.next() == Some(true)),
            Err(error) => Err(error.clone()),
        })
        .collect()
}

/// A decoded cell.
struct Decoded<'a> {
    /// The bytes of the commitment, which many cells share.
    encoding: &'a [u8],
    commitment: Point<G1>,
    index: usize,
    /// The values divided by 2²⁵⁶.
    quotients: Vec<Fr>,
    proof: Point<G1>,
}

/// Decodes the values of a cell, divided by 2²⁵⁶: as if they were in Montgomery form, which saves
/// the conversion.
fn quotients_of(cell: &[u8]) -> Result<Vec<Fr>, OpeningError> {
    let read = |(index, bytes): (usize, &[u8; 32])| {
        let mut bytes = *bytes;
        bytes.reverse();
        let quotient = Fr::from_montgomery_le_bytes(&bytes);
        quotient.map_err(|_| OpeningError::CellElement { index })
    };
    elements_of(cell)?.iter().enumerate().map(read).collect()
}

/// Decodes cells, with the points of all cells together.
fn decode_all<'a>(cells: &[Cell<'a>]) -> Vec<Result<Decoded<'a>, OpeningError>> {
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let mut encodings: Vec<&[u8]> = Vec::new();
    for cell in cells {
        places.entry(cell.commitment).or_insert_with(|| {
            encodings.push(cell.commitment);
            encodings.len() - 1
        });
    }
    let distinct = encodings.len();
    encodings.extend(cells.iter().map(|cell| cell.proof));
    let mut commitments = Point::<G1>::all_from_compressed(&encodings);
    let proofs = commitments.split_off(distinct);
    let decode = |(cell, proof): (&Cell<'a>, Result<Point<G1>, PointError>)| {
        let encoding = cell.commitment;
        let commitment = places.get(encoding).and_then(|place| commitments.get(*place));
        let commitment = commitment.cloned().unwrap_or(Err(PointError::Infinity));
        let commitment = commitment.map_err(OpeningError::Commitment)?;
        let index = index_of(cell.index)?;
        let quotients = quotients_of(cell.cell)?;
        let proof = proof.map_err(OpeningError::Proof)?;
        Ok(Decoded { encoding, commitment, index, quotients, proof })
    };
    cells.par_iter().zip(proofs).map(decode).collect()
}

struct CellEquations<'a> {
    generator: &'a Prepared,
    key: &'a CellKey,
    cells: Vec<&'a Decoded<'a>>,
}

impl CellEquations<'_> {
    /// Returns the two points of G1, the first negated, that pair with g₂ and τ⁶⁴·g₂.
    fn sides(&self, cells: &[&Decoded<'_>], multipliers: &[Multiplier]) -> [Point<G1>; 2] {
        let scalars: Vec<Fr> = multipliers.iter().map(as_scalar).collect();
        let (mut points, mut factors) = commitments(cells, &scalars);
        points.extend(&self.key.powers);
        factors.extend(interpolations(cells, &scalars).iter().map(|coefficient| -*coefficient));
        for (cell, scalar) in cells.iter().zip(&scalars) {
            points.push(cell.proof);
            factors.push(*scalar * SHIFTS[cell.index].power);
        }
        let left = sum_of_products(&points, &factors);
        let proofs: Vec<_> = cells.iter().map(|cell| *cell.proof.affine()).collect();
        let right = sum_of_multiples(&proofs, multipliers.as_flattened(), MULTIPLIER_BITS);
        [left.negated(), right]
    }

    fn pairs_of_some(&self, cells: &[&Decoded<'_>], multipliers: &[Multiplier]) -> Vec<Pair> {
        let [left, right] = self.sides(cells, multipliers);
        vec![pair(&left, &self.generator.point), pair(&right, &self.key.tau_64.point)]
    }
}

/// Returns the distinct commitments, each with the sum of its cells' factors.
fn commitments(cells: &[&Decoded<'_>], scalars: &[Fr]) -> (Vec<Point<G1>>, Vec<Fr>) {
    let mut places: HashMap<&[u8], usize> = HashMap::new();
    let (mut points, mut factors) = (Vec::new(), Vec::new());
    for (cell, scalar) in cells.iter().zip(scalars) {
        let place = *places.entry(cell.encoding).or_insert_with(|| {
            points.push(cell.commitment);
            factors.push(Fr::ZERO);
            points.len() - 1
        });
        factors[place] += *scalar;
    }
    (points, factors)
}

/// 2²⁵⁶ divided by the size of the domain of a cell.
static SCALE: LazyLock<Fr> =
    LazyLock::new(|| Fr::from(2).pow(&[256]) * domain(CELL_ELEMENTS).size_inverse());

/// Returns the coefficients of the sum of the cells' interpolations times their factors.
fn interpolations(cells: &[&Decoded<'_>], scalars: &[Fr]) -> Vec<Fr> {
    let mut by_index = vec![Vec::new(); EXTENDED_CELLS];
    for (cell, scalar) in cells.iter().zip(scalars) {
        let sum = &mut by_index[cell.index];
        sum.resize(CELL_ELEMENTS, Fr::ZERO);
        sum.iter_mut().zip(&cell.quotients).for_each(|(sum, value)| *sum += *value * *scalar);
    }
    let domain = domain(CELL_ELEMENTS);
    let mut total = vec![Fr::ZERO; CELL_ELEMENTS];
    for (index, mut values) in by_index.into_iter().enumerate() {
        if !values.is_empty() {
            domain.interpolate_reversed(Ring::Cyclic, &mut values);
            scale_by_powers(&mut values, SHIFTS[index].inverse);
            total.iter_mut().zip(&values).for_each(|(total, value)| *total += *value);
        }
    }
    scale(&mut total, *SCALE);
    total
}

impl Equations for CellEquations<'_> {
    fn len(&self) -> usize {
        self.cells.len()
    }

    fn pairs(&self, multipliers: &[Multiplier]) -> Vec<Pair> {
        self.pairs_of_some(&self.cells, multipliers)
    }

    fn pairs_of(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair> {
        self.pairs_of_some(&self.cells[row..=row], &[*multiplier])
    }

    fn product_of(&self, row: usize) -> Miller {
        let one = 1u128.to_le_bytes();
        let [left, right] = self.sides(&self.cells[row..=row], &[one]);
        miller_product_of_few(&[(left, self.generator), (right, &self.key.tau_64)], &[])
    }
}
