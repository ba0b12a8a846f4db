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
    pub from: SlotPlace,
    pub to: SlotPlace,
    pub batch: Batch,
    /// `true` if each period of the target has all of its products, instead of a sum over periods.
    pub is_tiled: bool,
}

impl Way<'_> {
    /// Returns the entries by the slots of their columns and rows in a block.
    fn entries(&self) -> impl Iterator<Item = ([usize; 2], f64)> + '_ {
        let columns: Vec<usize> = self.from.packing.slots().collect();
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

    /// Returns the number of slots after which the source repeats, where that is of use: a single
    /// input's values repeat in all slots.
    fn source_period(&self) -> usize {
        match self.batch.is_alone() {
            true => self.from.period,
            false => self.batch.slots(),
        }
    }

    /// Returns the step of the diagonal of an entry with this distance, between blocks that begin
    /// at these slots, for a repetition of its row.
    fn step(&self, distance: usize, [from, to]: [usize; 2], repetition: usize) -> usize {
        let slots = self.batch.slots();
        let modulus = match (self.goes_around(), self.is_tiled) {
            (true, true) => self.source_period(),
            (true, false) => self.to.period.min(self.source_period()),
            (false, _) => slots,
        };
        let repeated = repetition * self.to.period % slots;
        (distance + from + 2 * slots - to - repeated) % modulus
    }

    /// Returns the number of repetitions of a row with different steps.
    fn distinct_repetitions(&self) -> usize {
        match self.is_tiled {
            true => (self.source_period() / self.to.period).max(1),
            false => 1,
        }
    }

    /// Returns the steps of the nonzero diagonals.
    pub fn steps(&self, offsets: &Offsets) -> BTreeSet<usize> {
        let mut is_distance = vec![false; self.batch.slots()];
        self.entries().for_each(|(entry, _)| is_distance[self.distance(entry)] = true);
        let mut is_step = vec![false; self.batch.slots()];
        let distances = (0..).zip(is_distance).filter(|(_, is_there)| *is_there);
        for (distance, _) in distances {
            for repetition in 0..self.distinct_repetitions() {
                offsets.iter().for_each(|way| {
                    is_step[self.step(distance, *way, repetition)] = true;
                });
            }
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
        let repetitions = if self.is_tiled { slots / self.to.period } else { 1 };
        // The row itself, or any slot of its period that the sum over the periods adds to it.
        let is_at_row = self.is_tiled || self.source_period() < self.to.period;
        for (entry, x) in self.entries() {
            for (way, repetition) in
                offsets.iter().flat_map(|way| (0..repetitions).map(move |of| (way, of)))
            {
                let step = self.step(self.distance(entry), *way, repetition);
                if let Some(diagonal) = diagonals.get_mut(&(step as i64)) {
                    let place = match is_at_row {
                        true => (way[1] + entry[1] + repetition * self.to.period) % slots,
                        false => (way[0] + entry[0] + slots - step) % slots,
                    };
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
            let batch = Batch::alone(slots);
            let from = SlotPlace { packing: packing(64), block: slots, period: slots };
            let way = Way { matrix: &matrix, from, to, batch, is_tiled: false };
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

    /// Values that repeat in the source or the target: every slot of the target, or the sum over
    /// its periods, is the matrix times the source's values.
    #[test]
    fn repeated_values_need_no_more_diagonals() {
        let slots = 64;
        let packing = |size: usize| Packing::dense(&Shape::new(&[size]).unwrap());
        let (rows, columns) = (7, 6);
        let entry = |row: usize, column: usize| ((row * 31 + column * 17) % 11) as f64 - 5.0;
        let matrix = Matrix::new(
            (0..rows).map(|r| (0..columns).map(|c| (c as u32, entry(r, c))).collect()).collect(),
        );
        let batch = Batch::alone(slots);
        for (of, to, is_tiled) in [8, 16, 32, 64]
            .into_iter()
            .flat_map(|of| [8, 16, 64].map(move |to| (of, to)))
            .flat_map(|(of, to)| [false, true].map(move |is_tiled| (of, to, is_tiled)))
        {
            let from = SlotPlace { packing: packing(columns), block: slots, period: of };
            let target = SlotPlace { packing: packing(rows), block: slots, period: to };
            let way = Way { matrix: &matrix, from, to: target, batch, is_tiled };
            let diagonals = way.diagonals(&vec![[0, 0]]).unwrap();
            assert!(diagonals.steps().eq(way.steps(&vec![[0, 0]])));
            assert!(diagonals.steps().all(|step| step < if is_tiled { of } else { of.min(to) }));
            let value = |column: usize| 1.0 + column as f64 * 0.5;
            let source = |slot: usize| match slot % of < columns {
                true => value(slot % of),
                false => 0.0,
            };
            let mut result = vec![0.0; slots];
            for step in diagonals.steps() {
                for (slot, x) in diagonals.diagonal(step).unwrap().iter().enumerate() {
                    result[slot] += x.re * source((slot + step) % slots);
                }
            }
            if !is_tiled {
                let sum =
                    |slot: usize| (0..slots / to).map(|k| result[(slot + k * to) % slots]).sum();
                result = (0..slots).map(sum).collect();
            }
            for (slot, got) in result.iter().enumerate() {
                let row = slot % to;
                let wanted: f64 = match row < rows {
                    true => (0..columns).map(|column| entry(row, column) * value(column)).sum(),
                    false => 0.0,
                };
                assert_eq!(*got, wanted, "{of} {to} {is_tiled}: slot {slot}");
            }
        }
    }
}
