// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sparse matrices between the values of layers.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::NetworkError;

/// The largest number of entries of a matrix.
const MOST_ENTRIES: usize = 1 << 26;

/// A matrix by its rows: columns and entries, in ascending order of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: Vec<Vec<(u32, f64)>>,
}

impl Matrix {
    /// Returns the identity matrix times a factor.
    pub fn scaled_identity(size: usize, factor: f64) -> Self {
        Self { rows: (0..size).map(|place| vec![(place as u32, factor)]).collect() }
    }

    /// Returns a matrix of rows; entries of the same column are summed.
    pub fn new(rows: Vec<Vec<(u32, f64)>>) -> Self {
        Self { rows: rows.into_iter().map(summed).collect() }
    }

    /// Returns `true` if all entries are 0.
    pub fn is_zero(&self) -> bool {
        self.rows.iter().all(Vec::is_empty)
    }

    /// Returns the rows of a range.
    pub fn rows(&self, range: Range<usize>) -> Self {
        Self { rows: self.rows[range].to_vec() }
    }

    /// Returns the number by which the matrix multiplies each value, if it leaves all values in
    /// their places.
    pub fn scalar(&self) -> Option<f64> {
        self.scalar_of(0..self.rows.len())
    }

    /// Returns the range of the nonzero rows and their number, if those rows are a number times the
    /// identity.
    pub fn scalar_block(&self) -> Option<(Range<usize>, f64)> {
        let is_used = |row: &Vec<(u32, f64)>| !row.is_empty();
        let first = self.rows.iter().position(is_used)?;
        let range = first..self.rows.iter().rposition(is_used)? + 1;
        Some((range.clone(), self.scalar_of(range)?))
    }

    fn scalar_of(&self, range: Range<usize>) -> Option<f64> {
        let rows = self.rows.get(range)?;
        let (_, first) = *rows.first()?.first()?;
        let is_same = |(place, row): (usize, &Vec<(u32, f64)>)| matches!(row[..], [(column, x)] if column as usize == place && x == first);
        rows.iter().enumerate().all(is_same).then_some(first)
    }

    /// Returns the entries as row, column and number.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let rows = self.rows.iter().enumerate();
        rows.flat_map(|(row, of)| of.iter().map(move |(column, x)| (row, *column as usize, *x)))
    }

    /// Returns the product with a matrix on the right.
    ///
    /// # Errors
    /// [`NetworkError::Limit`] for a product of too many entries.
    pub fn times(&self, right: &Self) -> Result<Self, NetworkError> {
        let mut count = 0;
        let mut rows = Vec::with_capacity(self.rows.len());
        for row in &self.rows {
            let terms = row.iter().flat_map(|(middle, factor)| {
                right.rows[*middle as usize].iter().map(move |(column, x)| (*column, factor * x))
            });
            let row = summed(terms.collect());
            count += row.len();
            if count > MOST_ENTRIES {
                let (what, got) = ("entries of a layer's matrix".to_owned(), count);
                return Err(NetworkError::Limit { what, got, limit: MOST_ENTRIES });
            }
            rows.push(row);
        }
        Ok(Self { rows })
    }

    /// Returns the matrix times a vector.
    pub fn apply(&self, vector: &[f64]) -> Vec<f64> {
        let product = |row: &Vec<(u32, f64)>| -> f64 {
            row.iter().map(|(column, x)| x * vector[*column as usize]).sum()
        };
        self.rows.iter().map(product).collect()
    }

    /// Returns the sum with a matrix of the same shape.
    pub fn plus(&self, other: &Self) -> Self {
        let rows = self.rows.iter().zip(&other.rows);
        Self { rows: rows.map(|(a, b)| summed([&a[..], &b[..]].concat())).collect() }
    }

    /// Returns the rows of this matrix after `above` rows of zeros, and before `below` more.
    pub fn between(self, above: usize, below: usize) -> Self {
        let mut rows = vec![Vec::new(); above];
        rows.extend(self.rows);
        rows.extend(vec![Vec::new(); below]);
        Self { rows }
    }

    /// Multiplies all entries by a factor.
    pub fn scale(&mut self, factor: f64) {
        self.rows.iter_mut().flatten().for_each(|(_, x)| *x *= factor);
    }
}

/// Returns terms in ascending order of columns, summed by column, without zeros.
fn summed(terms: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let mut by_column: BTreeMap<u32, f64> = BTreeMap::new();
    for (column, x) in terms {
        *by_column.entry(column).or_default() += x;
    }
    by_column.into_iter().filter(|(_, x)| *x != 0.0).collect()
}
