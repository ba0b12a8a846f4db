// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Cauchy matrices, and a test of whether a matrix is MDS: whether each of its square submatrices
//! is regular.

use num_bigint::BigUint;

use super::field::RuntimeField;
use crate::grain::Grain;

/// A square matrix, stored row by row.
pub(super) type Rows = Vec<Vec<BigUint>>;

/// The largest size at which all submatrices are checked: 12,869 of them at size 8.
const MAX_EXHAUSTIVE_SIZE: usize = 8;

/// Returns the matrix 1/(xᵢ + yⱼ) of 2t elements x₀ … x₍ₜ₋₁₎ y₀ … y₍ₜ₋₁₎ drawn from the LFSR and
/// reduced modulo p. A draw with two equal elements or with xᵢ + yⱼ = 0 is discarded as a whole, as
/// in the authors' script.
pub(super) fn draw_cauchy(field: &RuntimeField, width: usize, grain: &mut Grain) -> Rows {
    loop {
        let drawn: Vec<BigUint> = (0..2 * width).map(|_| draw(field, grain)).collect();
        if let Some(rows) = cauchy(field, &drawn[..width], &drawn[width..]) {
            return rows;
        }
    }
}

/// Draws an integer of the bit length of p, most significant bit first, and reduces it modulo p.
fn draw(field: &RuntimeField, grain: &mut Grain) -> BigUint {
    draw_bits(field.bits(), grain) % field.modulus()
}

/// Draws an integer of `bits` bits, most significant first.
pub(super) fn draw_bits(bits: usize, grain: &mut Grain) -> BigUint {
    let mut limbs = vec![0u32; bits.div_ceil(32)];
    for place in (0..bits).rev() {
        limbs[place / 32] |= u32::from(grain.bit()) << (place % 32);
    }
    BigUint::new(limbs)
}

/// Filecoin's matrix 1/(i + j + t), for a prime above 3t.
pub(super) fn sequential_cauchy(field: &RuntimeField, width: usize) -> Option<Rows> {
    let x: Vec<BigUint> = (0..width).map(BigUint::from).collect();
    let y: Vec<BigUint> = (width..2 * width).map(BigUint::from).collect();
    cauchy(field, &x, &y)
}

/// Returns 1/(xᵢ + yⱼ), or `None` if two elements are equal or a sum is 0.
fn cauchy(field: &RuntimeField, x: &[BigUint], y: &[BigUint]) -> Option<Rows> {
    let mut sorted: Vec<&BigUint> = x.iter().chain(y).collect();
    sorted.sort();
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let row = |x| y.iter().map(|y| field.inverse(&field.add(x, y))).collect();
    x.iter().map(row).collect()
}

/// Checks that the matrix is MDS. Returns `None` if it is too large to check each submatrix and is
/// not of Cauchy's form, which is MDS at any size.
pub(super) fn is_mds(field: &RuntimeField, rows: &Rows) -> Option<bool> {
    if is_cauchy(field, rows) {
        return Some(true);
    }
    if rows.len() > MAX_EXHAUSTIVE_SIZE {
        return None;
    }
    let subsets = 1u32..1 << rows.len();
    let regular = |row_set: u32| {
        let same_size = |column_set: &u32| column_set.count_ones() == row_set.count_ones();
        let mut column_sets = subsets.clone().filter(same_size);
        column_sets.all(|column_set| {
            let submatrix = select(rows, row_set, column_set);
            rank(field, submatrix) == row_set.count_ones() as usize
        })
    };
    Some(subsets.clone().all(regular))
}

/// Returns the entries in the rows and columns whose bits are set.
fn select(rows: &Rows, row_set: u32, column_set: u32) -> Rows {
    let chosen = |set: u32| (0..rows.len()).filter(move |index| set >> index & 1 == 1);
    chosen(row_set).map(|i| chosen(column_set).map(|j| rows[i][j].clone()).collect()).collect()
}

/// Returns `true` if mᵢⱼ = 1/(xᵢ + yⱼ) for some distinct xᵢ and distinct yⱼ. Cauchy's determinant
/// Π(xᵢ − xⱼ)(yᵢ − yⱼ)/Π(xᵢ + yⱼ) is then not 0, nor is the determinant of any submatrix, which has
/// the same form. With y₀ = 1/m₀₀ and x₀ = 0 the others follow from the first row and column.
fn is_cauchy(field: &RuntimeField, rows: &Rows) -> bool {
    let invert = |row: &Vec<BigUint>| row.iter().map(|entry| field.inverse(entry)).collect();
    let Some(sums) = rows.iter().map(invert).collect::<Option<Rows>>() else { return false };
    let x = |i: usize| field.subtract(&sums[i][0], &sums[0][0]);
    let additive = (0..rows.len()).all(|i| {
        let x = x(i);
        sums[i].iter().zip(&sums[0]).all(|(sum, y)| *sum == field.add(&x, y))
    });
    let distinct = |mut list: Vec<&BigUint>| {
        list.sort();
        list.windows(2).all(|pair| pair[0] != pair[1])
    };
    additive
        && distinct(sums[0].iter().collect())
        && distinct(sums.iter().map(|row| &row[0]).collect())
}

/// The rank, by Gaussian elimination.
pub(super) fn rank(field: &RuntimeField, mut rows: Rows) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    let mut rank = 0;
    for column in 0..columns {
        let is_pivot = |&row: &usize| rows[row][column] != BigUint::ZERO;
        let Some(pivot) = (rank..rows.len()).find(is_pivot) else { continue };
        rows.swap(rank, pivot);
        let Some(scale) = field.inverse(&rows[rank][column]) else { continue };
        let source: Vec<BigUint> =
            rows[rank].iter().map(|entry| field.multiply(entry, &scale)).collect();
        for row in &mut rows[rank + 1..] {
            // Adds a multiple of p − factor instead of subtracting: one reduction per entry.
            let factor = field.subtract(&BigUint::ZERO, &row[column]);
            for (entry, source) in row.iter_mut().zip(&source).skip(column) {
                *entry = (&*entry + &factor * source) % field.modulus();
            }
        }
        rank += 1;
    }
    rank
}

/// a · b.
pub(super) fn multiply(field: &RuntimeField, a: &Rows, b: &Rows) -> Rows {
    let column = |j: usize| b.iter().map(move |row| &row[j]);
    a.iter()
        .map(|row| (0..b.len()).map(|j| field.inner_product(row, column(j))).collect())
        .collect()
}

/// a · vector.
pub(super) fn multiply_vector(field: &RuntimeField, a: &Rows, vector: &[BigUint]) -> Vec<BigUint> {
    a.iter().map(|row| field.inner_product(row, vector)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(modulus: u32) -> RuntimeField {
        RuntimeField::new(BigUint::from(modulus))
    }

    fn rows(entries: &[&[u32]]) -> Rows {
        entries.iter().map(|row| row.iter().map(|&entry| BigUint::from(entry)).collect()).collect()
    }

    #[test]
    fn cauchy_matrices_are_mds_by_either_proof() {
        let field = field(10_007);
        for width in 2..=5 {
            let matrix = sequential_cauchy(&field, width).unwrap();
            assert!(is_cauchy(&field, &matrix));
            assert_eq!(is_mds(&field, &matrix), Some(true));
            // Scaled rows are still MDS but no longer of Cauchy's form: every submatrix is checked.
            let mut scaled = matrix;
            scaled[1].iter_mut().for_each(|entry| *entry = field.multiply(entry, &7u32.into()));
            assert!(!is_cauchy(&field, &scaled));
            assert_eq!(is_mds(&field, &scaled), Some(true));
            scaled[width - 1] = scaled[0].clone();
            assert_eq!(is_mds(&field, &scaled), Some(false));
        }
        assert_eq!(is_mds(&field, &vec![vec![BigUint::from(1u32); 9]; 9]), None);
    }

    #[test]
    fn a_single_singular_submatrix_is_found() {
        let field = field(101);
        let zero_entry = rows(&[&[1, 1], &[1, 0]]);
        let regular_but_one_minor = rows(&[&[1, 2, 3], &[2, 4, 7], &[3, 5, 1]]);
        assert_eq!(rank(&field, regular_but_one_minor.clone()), 3);
        for matrix in [zero_entry, regular_but_one_minor] {
            assert_eq!(is_mds(&field, &matrix), Some(false));
        }
        assert_eq!(rank(&field, rows(&[&[0, 0], &[0, 0]])), 0);
        assert_eq!(rank(&field, rows(&[&[0, 1, 2], &[0, 2, 4]])), 1);
        assert_eq!(rank(&field, rows(&[&[0, 1, 2], &[5, 0, 4]])), 2);
    }

    #[test]
    fn elements_that_collide_give_no_matrix() {
        let field = field(31);
        assert!(sequential_cauchy(&field, 10).is_some());
        assert!(sequential_cauchy(&field, 11).is_none()); // 10 + 21 = 31
        let (x, y) = ([1u32, 2].map(BigUint::from), [2u32, 3].map(BigUint::from));
        assert!(cauchy(&field, &x, &y).is_none());
    }

    #[test]
    fn products_are_those_of_integers() {
        let field = field(101);
        let (a, b) = (rows(&[&[1, 2], &[3, 4]]), rows(&[&[5, 6], &[7, 100]]));
        assert_eq!(multiply(&field, &a, &b), rows(&[&[19, 4], &[43, 14]]));
        assert_eq!(multiply_vector(&field, &a, &rows(&[&[9, 8]])[0]), rows(&[&[25, 59]])[0]);
    }
}
