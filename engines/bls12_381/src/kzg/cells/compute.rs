// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cells and their proofs (Feist, Khovratovich: "Fast amortized KZG proofs", 2023, section 3).
//!
//! The proof of the coset on which x⁶⁴ is a is the commitment to the quotient of f by x⁶⁴ − a,
//! which is Σ aᵐ⁻¹·⌊f/x⁶⁴ᵐ⌋ for m from 1 to 63. The commitment to ⌊f/x⁶⁴ᵐ⌋ is the sum of the
//! f₆₄₍ₘ₊ₛ₎₊ᵢ·τ⁶⁴ˢ⁺ⁱ over s and i < 64: for each i a correlation of the coefficients with the
//! powers of τ. With transforms of size 128, all correlations take 128 sums of 64 fixed points, one
//! for each value, and one inverse transform of points. Another transform evaluates the sum over m
//! at the 128 possible a, which in bit-reversed order are those of the cells.

use blst::blst_p1_affine;
use halimede_arith::transform::Ring;
use halimede_arith::Fr;
use rayon::prelude::*;

use super::super::commitments::compress;
use super::super::points::{evaluate, interpolate};
use super::super::polynomial::{coefficients, domain, extension};
use super::super::{blob, OpeningError, Setup, SetupError};
use super::{CellProofs, Cells, CELL_BYTES, CELL_ELEMENTS, EXTENDED_CELLS, LEAST_CELLS};
use crate::library::{Curve, G1};
use crate::Point;

/// Returns the 128 cells of a blob: `compute_cells`. The first 64 are the blob.
///
/// # Errors
/// [`OpeningError`] of the blob.
pub fn compute_cells(blob: &[u8]) -> Result<Cells, OpeningError> {
    let elements = blob::elements(blob)?;
    Ok(cells(elements, &coefficients(blob::values(elements)?)))
}

/// Returns the 128 cells of a blob and their proofs: `compute_cells_and_kzg_proofs`.
///
/// # Errors
/// [`OpeningError`] of the blob, or if the setup has no points.
pub fn compute_cells_and_kzg_proofs(
    setup: &Setup,
    blob: &[u8],
) -> Result<(Cells, CellProofs), OpeningError> {
    let elements = blob::elements(blob)?;
    let coefficients = coefficients(blob::values(elements)?);
    let proofs = proofs(setup, &coefficients).map_err(OpeningError::Setup)?;
    Ok((cells(elements, &coefficients), proofs))
}

/// Returns the cells of a blob with these elements and coefficients.
pub(super) fn cells(elements: &[[u8; 32]], coefficients: &[Fr]) -> Cells {
    let further = extension(coefficients);
    let further: Vec<[u8; 32]> = further.iter().map(Fr::to_be_bytes).collect();
    let elements = elements.as_flattened().as_chunks::<CELL_BYTES>().0;
    [elements, further.as_flattened().as_chunks::<CELL_BYTES>().0].concat()
}

/// Returns the points of the 128 sums, 64 each: the transforms of the powers of τ.
pub(crate) fn proof_points(powers: &[Point<G1>]) -> Vec<blst_p1_affine> {
    let transformed = |offset: usize| {
        // The power 64s + i is at −(s + 1), so that the correlation for m is at m − 1. The last one
        // is not needed: its coefficients are 0.
        let mut points = vec![blst_p1_affine::default(); EXTENDED_CELLS];
        for number in 0..LEAST_CELLS - 1 {
            let power = powers[CELL_ELEMENTS * number + offset];
            points[EXTENDED_CELLS - 1 - number] = *power.affine();
        }
        evaluate(&mut points);
        points
    };
    let columns: Vec<Vec<_>> = (0..CELL_ELEMENTS).into_par_iter().map(transformed).collect();
    let rows = 0..EXTENDED_CELLS;
    rows.flat_map(|row| columns.iter().map(move |column| column[row])).collect()
}

/// Returns the proofs of all cells of the polynomial.
pub(super) fn proofs(setup: &Setup, coefficients: &[Fr]) -> Result<CellProofs, SetupError> {
    let table = setup.powers()?.cell_proofs()?;
    let domain = domain(EXTENDED_CELLS);
    let scale = domain.size_inverse();
    let mut scalars = vec![[0; 32]; EXTENDED_CELLS * CELL_ELEMENTS];
    for offset in 0..CELL_ELEMENTS {
        let mut column = vec![Fr::ZERO; EXTENDED_CELLS];
        let coefficients = coefficients[offset..].iter().step_by(CELL_ELEMENTS);
        for (place, coefficient) in column.iter_mut().zip(coefficients) {
            *place = *coefficient * scale;
        }
        domain.evaluate_reversed(Ring::Cyclic, &mut column);
        let places = scalars[offset..].iter_mut().step_by(CELL_ELEMENTS);
        places.zip(&column).for_each(|(place, value)| *place = value.to_le_bytes());
    }
    let mut points = G1::to_affine(&table.sums(&scalars));
    interpolate(&mut points);
    points[LEAST_CELLS..].fill(blst_p1_affine::default());
    evaluate(&mut points);
    Ok(points.iter().map(compress).collect())
}
