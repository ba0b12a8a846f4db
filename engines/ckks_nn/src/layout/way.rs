// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Places of values in slots, and the diagonals of the matrices that bring values from one to
//! another.

use std::collections::{BTreeMap, BTreeSet};

use halimede_ckks::{Complex, Diagonals};

use super::batch::Batch;
use super::matrix::Matrix;
use super::packing::Packing;
use crate::error::NetworkError;

/// The largest number of entries of a matrix's diagonals, including zeros: 4 GiB until they are
/// packed.
const MOST_ENTRIES: usize = 1 << 28;
/// The place of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotPlace {
    pub packing: Packing,
    /// The number of slots of an input in a batch; all slots for a single input.
    pub block: usize,
    /// The number of slots after which values repeat in the block.
    pub period: usize,
}

impl SlotPlace {
    /// Returns the doublings of the sum over the periods.
    pub fn folds(&self) -> usize {
        (self.block / self.period).ilog2() as usize
    }

    /// Returns the values of a tensor for each input of a ciphertext, repeated in each period.
    pub fn spread(&self, values: &[f64], ciphertext: usize, batch: Batch) -> Vec<Complex> {
        let mut spread = vec![Complex::default(); batch.slots()];
        for input in 0..batch.inputs() {
            let seat = batch.seat(input, self.block);
            if seat.ciphertext != ciphertext {
                continue;
            }
            let block = &mut spread[seat.offset..seat.offset + self.block];
            for (slot, value) in self.packing.slots().zip(values) {
                for of in block.iter_mut().skip(slot).step_by(self.period) {
                    let part = if seat.half == 0 { &mut of.re } else { &mut of.im };
                    *part = *value;
                }
            }
        }
        spread
    }
}

/// The first slots of blocks, in the source and in the target.
pub type Offsets = Vec<[usize; 2]>;

/// Returns, for each pair of a source and a target ciphertext with different block sizes, the
/// blocks that move between them, and their first slots in both.
pub fn ways(from: usize, to: usize, batch: Batch) -> BTreeMap<[usize; 2], Offsets> {
    let mut ways: BTreeMap<[usize; 2], Offsets> = BTreeMap::new();
    for [from, to] in batch.seats(from, to) {
        ways.entry([from.ciphertext, to.ciphertext]).or_default().push([from.offset, to.offset]);
    }
    ways
}

/// A matrix of one input, for blocks that move from a packing to a place.
pub struct Way<'a> {
    pub matrix: &'a Matrix,
    pub from: Packing,
    pub to: SlotPlace,
    pub batch: Batch,
}

impl Way<'_> {
    /// Returns the entries by the slots of their columns and rows in a block.
    fn entries(&self) -> impl Iterator<Item = ([usize; 2], f64)> + '_ {
        let columns: Vec<usize> = self.from.slots().collect();
        let rows: Vec<usize> = self.to.packing.slots().collect();
        self.matrix.entries().map(move |(row, column, x)| ([columns[column], rows[row]], x))
    }

    /// Returns `true` if the sum over the periods wraps around all slots. Any slot of a row's
    /// period then serves for one of its products, and the slots with the fewest diagonals are
    /// used. Otherwise the slot must lie in the block.
    fn goes_around(&self) -> bool {
        self.to.block == self.batch.slots()
    }

    /// Returns the distance of an entry's column from its row in a block, modulo the slots.
    fn distance(&self, [column, row]: [usize; 2]) -> usize {
        let slots = self.batch.slots();
        let is_folded = self.to.period < self.to.block && !self.goes_around();
        let column = if is_folded { column % self.to.period } else { column };
        (column + slots - row) % slots
    }

    /// Returns the step of the diagonal of an entry with this distance, between blocks that begin
    /// at these slots.
    fn step(&self, distance: usize, [from, to]: [usize; 2]) -> usize {
        let slots = self.batch.slots();
        let modulus = if self.goes_around() { self.to.period } else { slots };
        (distance + from + slots - to) % modulus
    }

    /// Returns the steps of the nonzero diagonals.
    pub fn steps(&self, offsets: &Offsets) -> BTreeSet<usize> {
        let mut is_distance = vec![false; self.batch.slots()];
        self.entries().for_each(|(entry, _)| is_distance[self.distance(entry)] = true);
        let mut is_step = vec![false; self.batch.slots()];
        let distances = (0..).zip(is_distance).filter(|(_, is_there)| *is_there);
        for (distance, _) in distances {
            offsets.iter().for_each(|way| is_step[self.step(distance, *way)] = true);
        }
        (0..).zip(is_step).filter(|(_, is_there)| *is_there).map(|(step, _)| step).collect()
    }

    /// Returns the diagonals.
    ///
    /// # Errors
    /// [`NetworkError::Limit`] for too many entries, which are counted before any memory is
    /// allocated; [`NetworkError::Linear`] for entries that are not finite.
    pub fn diagonals(&self, offsets: &Offsets) -> Result<Diagonals, NetworkError> {
        self.diagonals_up_to(offsets, MOST_ENTRIES)
    }

    fn diagonals_up_to(&self, offsets: &Offsets, most: usize) -> Result<Diagonals, NetworkError> {
        let (slots, steps) = (self.batch.slots(), self.steps(offsets));
        let got = steps.len().saturating_mul(slots);
        if got > most {
            let what = "entries of the diagonals of a layer's matrix".to_owned();
            return Err(NetworkError::Limit { what, got, limit: most });
        }
        let zeros = |step: usize| (step as i64, vec![Complex::default(); slots]);
        let mut diagonals: BTreeMap<i64, Vec<Complex>> = steps.into_iter().map(zeros).collect();
        for (entry, x) in self.entries() {
            for way in offsets {
                let step = self.step(self.distance(entry), *way);
                if let Some(diagonal) = diagonals.get_mut(&(step as i64)) {
                    let place = (way[0] + entry[0] + slots - step) % slots;
                    diagonal[place] = diagonal[place] + Complex::from(x);
                }
            }
        }
        Ok(Diagonals::new(slots, diagonals)?.public())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Shape;

    /// Values in another order: diagonals are counted with all of their entries before one is made,
    /// and diagonals without nonzero entries are not counted.
    #[test]
    fn a_matrix_of_too_many_diagonals_is_refused() {
        let slots = 64;
        let packing = |size: usize| Packing::dense(&Shape::new(&[size]).unwrap());
        for period in [64, 32] {
            // Row i uses column 5·i: distances of 4·i modulo the period.
            let size = 32;
            let rows = (0..size).map(|row| vec![(row * 5 % 64, 1.0 + f64::from(row))]).collect();
            let matrix = Matrix::new(rows);
            let to = SlotPlace { packing: packing(size as usize), block: slots, period };
            let (from, batch) = (packing(64), Batch::alone(slots));
            let way = Way { matrix: &matrix, from, to, batch };
            let of = |most| way.diagonals_up_to(&vec![[0, 0]], most);
            let count = period / 4;
            let made = of(count * slots).unwrap();
            assert!(made.steps().eq((0..period).step_by(4)), "{period}");
            let entries: usize = (0..period)
                .filter_map(|step| made.diagonal(step))
                .map(|of| of.iter().filter(|entry| **entry != Complex::default()).count())
                .sum();
            assert_eq!(entries, size as usize);
            let what = "entries of the diagonals of a layer's matrix".to_owned();
            let (got, limit) = (count * slots, count * slots - 1);
            assert_eq!(of(limit).unwrap_err(), NetworkError::Limit { what, got, limit });
        }
    }
}
