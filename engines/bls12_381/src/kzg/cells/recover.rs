// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recovery of all cells from half of them or more.
//!
//! Let z(x⁶⁴) vanish on the missing cells: on each cell it is constant. With 0 for the missing
//! values, the product of the extended blob and z is known at all 8,192 roots, and so is the
//! polynomial f·z, whose degree is below 8,192. The division by z takes values on the coset of 7,
//! where z has no roots.

use std::sync::LazyLock;

use halimede_arith::field::batch_inverse;
use halimede_arith::transform::{reversed, Generator, Ring};
use halimede_arith::Fr;

use super::super::polynomial::{coefficients, domain, scale_by_powers, values_at_roots};
use super::super::{OpeningError, Setup, BLOB_ELEMENTS};
use super::compute::{cells, proofs};
use super::{index_of, values_of, CellProofs, Cells, CELL_ELEMENTS, EXTENDED_CELLS, LEAST_CELLS};

/// The shift of the coset, and its inverse.
static SHIFT: LazyLock<[Fr; 2]> =
    LazyLock::new(|| [Fr::from(7), Fr::from(7).inverse().unwrap_or_default()]);

/// Returns all 128 cells and their proofs, given 64 cells or more with their indices in ascending
/// order: `recover_cells_and_kzg_proofs`. If the cells are not those of one blob, the result is
/// that of the specification, whose cells differ from them.
///
/// # Errors
/// [`OpeningError`] of the lists, or if the setup has no points.
pub fn recover_cells_and_kzg_proofs(
    setup: &Setup,
    indices: &[u64],
    given: &[&[u8]],
) -> Result<(Cells, CellProofs), OpeningError> {
    let coefficients = recover(&decode(indices, given)?);
    let proofs = proofs(setup, &coefficients).map_err(OpeningError::Setup)?;
    Ok((all_cells(&coefficients), proofs))
}

/// As [`recover_cells_and_kzg_proofs`], without the proofs.
///
/// # Errors
/// [`OpeningError`] of the lists.
pub fn recover_cells(indices: &[u64], given: &[&[u8]]) -> Result<Cells, OpeningError> {
    Ok(all_cells(&recover(&decode(indices, given)?)))
}

fn all_cells(coefficients: &[Fr]) -> Cells {
    let mut values = coefficients.to_vec();
    domain(BLOB_ELEMENTS).evaluate_reversed(Ring::Cyclic, &mut values);
    let elements: Vec<[u8; 32]> = values.iter().map(Fr::to_be_bytes).collect();
    cells(&elements, coefficients)
}

/// Decodes cells; those that are missing are empty.
fn decode(indices: &[u64], cells: &[&[u8]]) -> Result<Vec<Vec<Fr>>, OpeningError> {
    if indices.len() != cells.len() {
        let (indices, cells) = (indices.len(), cells.len());
        return Err(OpeningError::CellCounts { indices, cells });
    }
    if !(LEAST_CELLS..=EXTENDED_CELLS).contains(&cells.len()) {
        let (least, most, got) = (LEAST_CELLS, EXTENDED_CELLS, cells.len());
        return Err(OpeningError::CellCount { least, most, got });
    }
    let mut values = vec![Vec::new(); EXTENDED_CELLS];
    for (position, (index, cell)) in indices.iter().zip(cells).enumerate() {
        let of_list = |error| OpeningError::CellOfList { position, error: Box::new(error) };
        let index = index_of(*index).map_err(of_list)?;
        if position > 0 && indices[position - 1] >= indices[position] {
            return Err(OpeningError::CellOrder { position });
        }
        values[index] = values_of(cell).map_err(of_list)?;
    }
    Ok(values)
}

/// Returns the coefficients of the blob's polynomial.
fn recover(cells: &[Vec<Fr>]) -> Vec<Fr> {
    let vanishing = vanishing(cells);
    let at_cells = values_at_roots(&vanishing, EXTENDED_CELLS);
    let mut product = vec![Fr::ZERO; 2 * BLOB_ELEMENTS];
    for ((product, cell), factor) in product.chunks_mut(CELL_ELEMENTS).zip(cells).zip(&at_cells) {
        product.iter_mut().zip(cell).for_each(|(product, value)| *product = *value * *factor);
    }
    let mut product = coefficients(product);
    let [shift, inverse] = *SHIFT;
    scale_by_powers(&mut product, shift);
    let mut product = values_at_roots(&product, 2 * BLOB_ELEMENTS);
    let mut shifted = vanishing;
    scale_by_powers(&mut shifted, shift.pow(&[CELL_ELEMENTS as u64]));
    let mut divisors = values_at_roots(&shifted, EXTENDED_CELLS);
    batch_inverse(&mut divisors);
    for (product, divisor) in product.chunks_mut(CELL_ELEMENTS).zip(&divisors) {
        product.iter_mut().for_each(|value| *value *= *divisor);
    }
    let mut quotient = coefficients(product);
    quotient.truncate(BLOB_ELEMENTS);
    scale_by_powers(&mut quotient, inverse);
    quotient
}

/// Returns the coefficients of the polynomial z whose roots are x⁶⁴ of the missing cells.
fn vanishing(cells: &[Vec<Fr>]) -> Vec<Fr> {
    let root = Generator::Seven.root_of_order(EXTENDED_CELLS.ilog2());
    let mut vanishing = vec![Fr::ONE];
    for (index, _) in cells.iter().enumerate().filter(|(_, cell)| cell.is_empty()) {
        let root = root.pow(&[reversed(index, EXTENDED_CELLS.ilog2()) as u64]);
        vanishing.insert(0, Fr::ZERO);
        for degree in 1..vanishing.len() {
            let above = vanishing[degree];
            vanishing[degree - 1] -= root * above;
        }
    }
    vanishing
}
