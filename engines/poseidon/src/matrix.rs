// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Small square matrices over a prime field.

use halimede_arith::field::Modulus;
use halimede_arith::Field;

/// A square matrix, stored row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix<M: Modulus> {
    rows: Vec<Vec<Field<M>>>,
}

impl<M: Modulus> Matrix<M> {
    /// Returns the matrix whose entry in row i, column j is `entry(i, j)`.
    pub fn from_fn(size: usize, entry: impl Fn(usize, usize) -> Field<M>) -> Self {
        let row = |i| (0..size).map(|j| entry(i, j)).collect();
        Self { rows: (0..size).map(row).collect() }
    }

    /// Returns the identity matrix.
    pub fn identity(size: usize) -> Self {
        Self::from_fn(size, |i, j| if i == j { Field::ONE } else { Field::ZERO })
    }

    /// The rows.
    pub fn rows(&self) -> &[Vec<Field<M>>] {
        &self.rows
    }

    /// The number of rows, equal to the number of columns.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// Returns self · vector.
    pub fn multiply_vector(&self, vector: &[Field<M>]) -> Vec<Field<M>> {
        self.rows.iter().map(|row| Field::inner_product(row, vector)).collect()
    }

    /// Returns self · other.
    #[must_use]
    pub fn multiply(&self, other: &Self) -> Self {
        let columns = Self::from_fn(other.size(), |i, j| other.rows[j][i]);
        Self::from_fn(self.size(), |i, j| Field::inner_product(&self.rows[i], &columns.rows[j]))
    }

    /// Returns the matrix without its first row and column.
    #[must_use]
    pub fn minor(&self) -> Self {
        Self::from_fn(self.size() - 1, |i, j| self.rows[i + 1][j + 1])
    }

    /// Returns the inverse, or `None` for a singular matrix (Gauss–Jordan elimination).
    pub fn inverse(&self) -> Option<Self> {
        let size = self.size();
        let mut left = self.rows.clone();
        let mut right = Self::identity(size).rows;
        for column in 0..size {
            let pivot = (column..size).find(|&row| !left[row][column].is_zero())?;
            left.swap(column, pivot);
            right.swap(column, pivot);
            let scale = left[column][column].inverse()?;
            for row in [&mut left[column], &mut right[column]] {
                row.iter_mut().for_each(|entry| *entry *= scale);
            }
            for row in (0..size).filter(|&row| row != column) {
                let factor = left[row][column];
                subtract_multiple(&mut left, row, column, factor);
                subtract_multiple(&mut right, row, column, factor);
            }
        }
        Some(Self { rows: right })
    }
}

/// `rows[target] −= factor · rows[source]`.
fn subtract_multiple<M: Modulus>(
    rows: &mut [Vec<Field<M>>],
    target: usize,
    source: usize,
    factor: Field<M>,
) {
    let source = rows[source].clone();
    for (entry, source) in rows[target].iter_mut().zip(source) {
        *entry -= factor * source;
    }
}
