// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Small square matrices, as rows.

use ff::PrimeField;

pub type Matrix<F> = Vec<Vec<F>>;

/// Filecoin's matrix 1/(xᵢ + yⱼ) with xᵢ = i, yⱼ = t + j (Filecoin specification, Poseidon, "MDS
/// matrix"). It is symmetric.
///
/// # Panics
/// The characteristic of the field is below 3t, so that an entry has no inverse.
pub fn cauchy<F: PrimeField>(width: usize) -> Matrix<F> {
    from_fn(width, |i, j| {
        let inverse: Option<F> = F::from((i + j + width) as u64).invert().into();
        inverse.expect("the field has more than 3t elements")
    })
}

pub fn from_fn<F>(size: usize, entry: impl Fn(usize, usize) -> F) -> Matrix<F> {
    (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
}

pub fn transpose<F: PrimeField>(matrix: &Matrix<F>) -> Matrix<F> {
    from_fn(matrix.len(), |i, j| matrix[j][i])
}

/// Returns vector × matrix, for a row vector.
pub fn row_times<F: PrimeField>(vector: &[F], matrix: &Matrix<F>) -> Vec<F> {
    let column = |j| vector.iter().zip(matrix).map(|(x, row)| *x * row[j]).sum();
    (0..vector.len()).map(column).collect()
}

/// Returns left × right.
pub fn multiply<F: PrimeField>(left: &Matrix<F>, right: &Matrix<F>) -> Matrix<F> {
    left.iter().map(|row| row_times(row, right)).collect()
}

/// Returns the matrix without its first row and column.
pub fn minor<F: PrimeField>(matrix: &Matrix<F>) -> Matrix<F> {
    from_fn(matrix.len() - 1, |i, j| matrix[i + 1][j + 1])
}

/// Returns the inverse, or `None` for a singular matrix (Gauss–Jordan elimination).
pub fn inverse<F: PrimeField>(matrix: &Matrix<F>) -> Option<Matrix<F>> {
    let size = matrix.len();
    let mut left = matrix.clone();
    let mut right = from_fn(size, |i, j| if i == j { F::ONE } else { F::ZERO });
    for column in 0..size {
        let pivot = (column..size).find(|&row| left[row][column] != F::ZERO)?;
        left.swap(column, pivot);
        right.swap(column, pivot);
        let scale = Option::<F>::from(left[column][column].invert())?;
        for side in [&mut left, &mut right] {
            side[column].iter_mut().for_each(|entry| *entry *= scale);
        }
        for row in (0..size).filter(|&row| row != column) {
            let factor = left[row][column];
            for side in [&mut left, &mut right] {
                let pivot_row = side[column].clone();
                side[row].iter_mut().zip(pivot_row).for_each(|(x, y)| *x -= factor * y);
            }
        }
    }
    Some(right)
}
