// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices of blocks, which map several vectors to several vectors.
//!
//! The product of row j is y_j = Σ_i M_ji·x_i. The baby steps of x_i serve all blocks of its
//! column. With the same split for all blocks, the products of a giant step are summed over all
//! vectors before they are rotated, so that a matrix of p × q blocks with b baby and g giant steps
//! each needs q·b + p·g key switches and p divisions, instead of p·q·(b + g) and p·q.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::diagonals::Diagonals;
use super::error::LinearError;
use super::split::Split;

/// A block; `None` if all of its entries are 0.
pub type Block = Option<Arc<Diagonals>>;

/// A matrix of square blocks, for vectors with the same number of slots.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMatrix {
    slots: usize,
    rows: Vec<Vec<Block>>,
    split: Split,
}

impl BlockMatrix {
    /// Returns the matrix with these rows of blocks.
    ///
    /// # Errors
    /// [`LinearError::Blocks`] for rows of different lengths, for a row without a block, and for
    /// blocks that are not square or differ in size.
    pub fn new(rows: Vec<Vec<Block>>) -> Result<Self, LinearError> {
        let columns = rows.first().map_or(0, Vec::len);
        let mut all = rows.iter().flatten().flatten();
        let slots = all.next().map_or(0, |block| block.slots());
        let is_square = |block: &Arc<Diagonals>| [block.rows(), block.columns(), block.slots()];
        let is_alike = rows.iter().flatten().flatten().all(|of| is_square(of) == [slots; 3]);
        let is_full = |row: &Vec<Block>| row.len() == columns && row.iter().any(Option::is_some);
        if rows.is_empty() || !is_alike || !rows.iter().all(is_full) {
            return Err(LinearError::Blocks { rows: rows.len(), columns, slots });
        }
        let steps = |blocks: &mut dyn Iterator<Item = &Block>| -> BTreeSet<usize> {
            blocks.flatten().flat_map(|block| block.steps()).collect()
        };
        let of_rows: Vec<_> = rows.iter().map(|row| steps(&mut row.iter())).collect();
        let of_columns: Vec<_> =
            (0..columns).map(|column| steps(&mut rows.iter().map(|row| &row[column]))).collect();
        let split = Split::of_blocks(&of_columns, &of_rows, slots);
        Ok(Self { slots, rows, split })
    }

    /// Returns the side of a block, which is the number of slots of the vectors.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the number of input vectors.
    pub fn columns(&self) -> usize {
        self.rows[0].len()
    }

    /// Returns the rows of blocks, one per output vector.
    pub fn rows(&self) -> &[Vec<Block>] {
        &self.rows
    }

    /// Returns the rotations whose keys a server needs to compute a row.
    pub fn rotations(&self, row: usize) -> Vec<i64> {
        let of = |block: &Arc<Diagonals>| self.split.rotations(&block.steps().collect::<Vec<_>>());
        let all: BTreeSet<usize> = self.rows[row].iter().flatten().flat_map(of).collect();
        all.into_iter().map(|step| step as i64).collect()
    }

    /// Returns the number of key switches of all rows: the baby steps of each vector, and the giant
    /// steps of each row.
    pub fn key_switches(&self) -> usize {
        let count = |blocks: &mut dyn Iterator<Item = &Block>,
                     part: fn((usize, usize)) -> usize| {
            let steps = blocks.flatten().flat_map(|block| block.steps());
            let parts: BTreeSet<usize> = steps.map(|step| part(self.split.parts(step))).collect();
            parts.len() - usize::from(parts.contains(&0))
        };
        let giants = self.rows.iter().map(|row| count(&mut row.iter(), |(giant, _)| giant));
        let column = |column: usize| self.rows.iter().map(move |row| &row[column]);
        let babies = (0..self.columns()).map(|of| count(&mut column(of), |(_, baby)| baby));
        giants.sum::<usize>() + babies.sum::<usize>()
    }

    /// Returns the split that all blocks share.
    pub(crate) fn split(&self) -> Split {
        self.split
    }
}
