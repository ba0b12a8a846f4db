// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One step of Wagner's algorithm: from the rows of a level to those of the next, or to solutions.

use rayon::prelude::*;

use super::buckets::Buckets;
use super::table::{split, zeroed, Table, MOST_WORDS};
use super::tree::{put_in_order, References};
use super::watch::Meter;
use super::SolveError;
use crate::Params;

/// Pairs with a common leaf are searched for if more than one pair in 2^6 has one.
const RARE_BITS: u32 = 6;

/// The rows of a level, with the rows of the level below that each is composed of.
pub(super) struct TreeLevel<'m, 'w> {
    pub(super) params: Params,
    /// The number of the level; leaves are level 0.
    pub(super) level: u32,
    pub(super) table: Table,
    pub(super) references: References,
    pub(super) meter: &'m Meter<'w>,
}

/// [`TreeLevel::combine`] for rows of a given number of words.
type Combine<L> = fn(&L, &Buckets, &[u32], Room) -> usize;

/// The output of a bucket: its rows of the next level.
struct Room<'t> {
    bucket: usize,
    keys: &'t mut [u32],
    rows: &'t mut [u32],
    references: &'t mut [[u32; 2]],
}

impl TreeLevel<'_, '_> {
    /// Computes the next level: each pair of rows with equal keys. Pairs beyond `most` are dropped.
    pub(super) fn next(mut self, words: usize, most: usize) -> Result<Self, SolveError> {
        let buckets = Buckets::new(&self.table.keys, self.params.collision_bits(), self.meter)?;
        let mut room = most;
        let sizes: Vec<usize> = buckets
            .pairs()
            .iter()
            .map(|pairs| {
                let size = usize::try_from(*pairs).unwrap_or(usize::MAX).min(room);
                room -= size;
                size
            })
            .collect();
        let mut table = Table::zeroed(most - room, words)?;
        let mut references = zeroed(most - room, [0; 2])?;
        self.meter.begin(sizes.len());
        let rooms = rooms(&sizes, &mut table, &mut references);
        let combine = self.combine_of_words();
        let used = rooms.into_par_iter().map_init(Vec::new, |numbers, room| {
            if !self.meter.goes_on() {
                return 0;
            }
            numbers.clear();
            numbers.extend(buckets.rows(room.bucket));
            combine(&self, &buckets, numbers, room)
        });
        let used: Vec<usize> = used.collect();
        self.meter.end()?;
        drop(buckets);
        close_gaps(&sizes, &used, &mut table, &mut references);
        self.references.push(references);
        Ok(Self { level: self.level + 1, table, ..self })
    }

    /// Selects [`Self::combine`] for the words of this level's rows.
    fn combine_of_words(&self) -> Combine<Self> {
        macro_rules! of_words {
            ($($words:literal)*) => {
                match self.table.words {
                    $($words => Self::combine::<$words>,)*
                    _ => Self::combine::<MOST_WORDS>,
                }
            };
        }
        of_words!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    }

    /// Writes the XOR of each pair of a bucket to its room; returns their number. `numbers` are the
    /// numbers of the bucket's rows.
    fn combine<const WORDS: usize>(&self, buckets: &Buckets, numbers: &[u32], room: Room) -> usize {
        let bits = self.params.collision_bits();
        let above = room.rows.len().checked_div(room.keys.len()).unwrap_or(0);
        let looks_for_shared = 2 * self.level + RARE_BITS >= self.params.index_bits();
        // The rows are scattered in memory: fetching them in advance overlaps the cache misses.
        let (table, _) = self.table.rows.as_chunks::<WORDS>();
        let rows: Vec<[u32; WORDS]> = numbers.iter().map(|row| table[*row as usize]).collect();
        let mut used = 0;
        buckets.visit_pairs(room.bucket, |one, other| {
            if used == room.keys.len() {
                return false;
            }
            let sum: [u32; WORDS] = std::array::from_fn(|word| rows[one][word] ^ rows[other][word]);
            let pair = [numbers[one], numbers[other]];
            // If everything cancels, the two rows usually have common leaves.
            if (looks_for_shared || sum == [0; WORDS]) && !self.references.are_distinct(pair) {
                return true;
            }
            let row = &mut room.rows[used * above..(used + 1) * above];
            room.keys[used] = split(&sum, bits, row);
            room.references[used] = pair;
            used += 1;
            true
        });
        used
    }

    /// Returns the sorted solutions, for the level below the root: pairs of equal rows without a
    /// common leaf. Rows have the bits of one collision left, which fit in one word.
    pub(super) fn solutions(self) -> Result<Vec<Vec<u32>>, SolveError> {
        let buckets = Buckets::new(&self.table.keys, self.params.collision_bits(), self.meter)?;
        let numbers = 0..buckets.pairs().len();
        self.meter.begin(numbers.len());
        let solutions = numbers.into_par_iter().flat_map_iter(|bucket| {
            let mut solutions = Vec::new();
            if self.meter.goes_on() {
                let numbers: Vec<u32> = buckets.rows(bucket).collect();
                let words: Vec<u32> =
                    numbers.iter().map(|row| self.table.rows[*row as usize]).collect();
                buckets.visit_pairs(bucket, |one, other| {
                    let pair = [numbers[one], numbers[other]];
                    if words[one] == words[other] && self.references.are_distinct(pair) {
                        let mut leaves = self.references.leaves(&pair);
                        put_in_order(&mut leaves);
                        solutions.push(leaves);
                    }
                    true
                });
            }
            solutions
        });
        let mut solutions: Vec<Vec<u32>> = solutions.collect();
        self.meter.end()?;
        solutions.sort_unstable();
        solutions.dedup();
        Ok(solutions)
    }
}

/// Splits the next level's tables into one room per bucket.
fn rooms<'t>(
    sizes: &[usize],
    table: &'t mut Table,
    references: &'t mut [[u32; 2]],
) -> Vec<Room<'t>> {
    let words = table.words;
    let (mut keys, mut rows, mut references) =
        (&mut table.keys[..], &mut table.rows[..], references);
    let cut = |(bucket, size): (usize, &usize)| Room {
        bucket,
        keys: take(&mut keys, *size),
        rows: take(&mut rows, size * words),
        references: take(&mut references, *size),
    };
    sizes.iter().enumerate().map(cut).collect()
}

/// Splits off the first `count` elements of a slice.
fn take<'t, T>(slice: &mut &'t mut [T], count: usize) -> &'t mut [T] {
    let (first, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    first
}

/// Closes the gaps left by rooms that were not filled.
fn close_gaps(sizes: &[usize], used: &[usize], table: &mut Table, references: &mut Vec<[u32; 2]>) {
    let words = table.words;
    let (mut from, mut to) = (0, 0);
    for (size, used) in sizes.iter().zip(used) {
        if from != to {
            table.keys.copy_within(from..from + used, to);
            table.rows.copy_within(from * words..(from + used) * words, to * words);
            references.copy_within(from..from + used, to);
        }
        from += size;
        to += used;
    }
    table.keys.truncate(to);
    table.rows.truncate(to * words);
    references.truncate(to);
}

#[cfg(test)]
mod tests {
    use super::super::shape::Shape;
    use super::*;

    fn leaves<'m>(params: Params, meter: &'m Meter<'m>, input: &[u8]) -> TreeLevel<'m, 'm> {
        let table = Table::leaves(params, input, meter).unwrap();
        TreeLevel { params, level: 0, table, references: References::default(), meter }
    }

    /// Computes levels with little room: excess rows are dropped, and the kept rows are the XORs of
    /// the rows that they refer to.
    #[test]
    fn rows_beyond_the_room_are_left_out() {
        let params = Params::new(72, 5).unwrap();
        let (shape, bits) = (Shape::new(params), params.collision_bits());
        let meter = Meter::new(&(), 1);
        for most in [0, 1, 700, 5_000, usize::MAX] {
            let all = leaves(params, &meter, b"room");
            let mut level = leaves(params, &meter, b"room");
            for above in 1..4 {
                level = level.next(shape.words(above), most).unwrap();
                let rows = level.table.keys.len();
                assert!(rows <= most && level.table.rows.len() == rows * level.table.words);
                assert!(above > 1 || rows == most || most > 5_000, "{rows} of {most}");
                for row in (0..rows).step_by(97) {
                    let leaves = level.references.leaves(&[row as u32]);
                    assert_eq!(leaves.len(), 1 << above);
                    // All bits of a leaf after its first key: its second key, and so on.
                    let sum =
                        leaves.iter().fold([0; MOST_WORDS], |mut sum: [u32; MOST_WORDS], leaf| {
                            let start = *leaf as usize * all.table.words;
                            let words = &all.table.rows[start..start + all.table.words];
                            sum.iter_mut().zip(words).for_each(|(sum, word)| *sum ^= word);
                            sum
                        });
                    let mut rest = sum;
                    for collision in 1..=above {
                        let whole = rest;
                        let key = split(&whole, bits, &mut rest);
                        assert_eq!(key, if collision < above { 0 } else { level.table.keys[row] });
                    }
                    let start = row * level.table.words;
                    let words = &level.table.rows[start..start + level.table.words];
                    assert_eq!(words, &rest[..level.table.words]);
                }
            }
        }
    }

    #[test]
    fn gaps_are_closed_in_order() {
        let mut table = Table { keys: (0..9).collect(), rows: (0..18).collect(), words: 2 };
        let mut references: Vec<[u32; 2]> = (0..9).map(|row| [row, row + 1]).collect();
        // Rooms of 2, 0, 3, 1 and 3 rows.
        close_gaps(&[2, 0, 3, 1, 3], &[2, 0, 1, 0, 2], &mut table, &mut references);
        assert_eq!(table.keys, [0, 1, 2, 6, 7]);
        assert_eq!(table.rows, [0, 1, 2, 3, 4, 5, 12, 13, 14, 15]);
        assert_eq!(references, [[0, 1], [1, 2], [2, 3], [6, 7], [7, 8]]);
    }
}
