// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sparse matrices between the values of layers.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::NetworkError;

/// The most entries of a matrix.
const MOST_ENTRIES: usize = 1 << 26;

/// A matrix by its rows: columns and entries, in ascending order of columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: Vec<Vec<(u32, f64)>>,
}

impl Matrix {
    /// Returns the matrix that changes nothing, times a factor.
    pub fn scaled_identity(size: usize, factor: f64) -> Self {
        Self { rows: (0..size).map(|place| vec![(place as u32, factor)]).collect() }
    }

    /// A matrix of rows; entries of one column are summed.
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

    /// Returns the number that the matrix multiplies each value by, where it leaves them in their
    /// places.
    pub fn scalar(&self) -> Option<f64> {
        self.scalar_of(0..self.rows.len())
    }

    /// The same for the only rows that are not 0: where they are, and the number.
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

    /// Returns the entries: row, column and number.
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

    /// Returns the rows of this matrix below `above` rows of zeros, and above `below` more.
    pub fn between(self, above: usize, below: usize) -> Self {
        let mut rows = vec![Vec::new(); above];
        rows.extend(self.rows);
        rows.extend(vec![Vec::new(); below]);
        Self { rows }
    }

    /// All entries times a factor.
    pub fn scale(&mut self, factor: f64) {
        self.rows.iter_mut().flatten().for_each(|(_, x)| *x *= factor);
    }
}

/// Terms in ascending order of columns, those of one column summed, without zeros.
fn summed(terms: Vec<(u32, f64)>) -> Vec<(u32, f64)> {
    let mut by_column: BTreeMap<u32, f64> = BTreeMap::new();
    for (column, x) in terms {
        *by_column.entry(column).or_default() += x;
    }
    by_column.into_iter().filter(|(_, x)| *x != 0.0).collect()
}
