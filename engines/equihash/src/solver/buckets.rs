// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groups rows of equal keys: into buckets by the leading bits of their keys, with all threads at
//! once, then each bucket in the order of the other bits.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::table::zeroed;
use super::watch::Meter;
use super::SolveError;

/// The number of key bits by which a bucket is ordered: counters for all values fit in the
/// first-level cache.
const ORDER_BITS: u32 = 10;
/// The fewest rows of a part; smaller parts are not worth a thread.
const PART_ROWS: usize = 1 << 14;
/// The number of parts per thread, so that no thread waits long for the last.
const PARTS_A_THREAD: usize = 4;
/// A mark on a row's number: the last row of its key.
const LAST: u32 = 1 << 31;

/// Rows that are ordered by their keys.
pub(super) struct Buckets {
    /// The numbers of the rows; the last of each key is marked. Each thread writes to its own
    /// range.
    order: Vec<AtomicU32>,
    /// The start of each bucket, and the end.
    starts: Vec<usize>,
    /// The number of pairs of rows with equal keys, for each bucket.
    pairs: Vec<u64>,
}

/// The ordering buffers of a thread.
#[derive(Default)]
struct Scratch {
    counters: Vec<u32>,
    keys: Vec<u32>,
    rows: Vec<u32>,
}

impl Buckets {
    /// Orders rows by their keys of `key_bits` bits.
    pub(super) fn new(keys: &[u32], key_bits: u32, meter: &Meter) -> Result<Self, SolveError> {
        let order_bits = key_bits.min(ORDER_BITS);
        let (order, starts) = scatter(keys, order_bits, 1 << (key_bits - order_bits))?;
        let ranges: Vec<Range<usize>> = starts.windows(2).map(|pair| pair[0]..pair[1]).collect();
        meter.begin(ranges.len());
        let pairs = ranges.into_par_iter().map_init(Scratch::default, |scratch, range| {
            if !meter.goes_on() {
                return 0;
            }
            scratch.order(&order[range], keys, order_bits)
        });
        let pairs = pairs.collect();
        meter.end()?;
        Ok(Self { order, starts, pairs })
    }

    /// The number of pairs of rows with equal keys, for each bucket.
    pub(super) fn pairs(&self) -> &[u64] {
        &self.pairs
    }

    /// Returns the numbers of a bucket's rows, in the order of their keys.
    pub(super) fn rows(&self, bucket: usize) -> impl Iterator<Item = u32> + Clone + '_ {
        self.marked(bucket).iter().map(|row| row.load(Ordering::Relaxed) & !LAST)
    }

    /// Calls `visit` for each pair of rows with equal keys in a bucket, until it returns `false`.
    /// The pair is given as positions in [`Self::rows`].
    pub(super) fn visit_pairs(&self, bucket: usize, mut visit: impl FnMut(usize, usize) -> bool) {
        let rows = self.marked(bucket);
        let is_last = |place: usize| rows[place].load(Ordering::Relaxed) & LAST != 0;
        for first in 0..rows.len() {
            let mut second = first;
            while !is_last(second) {
                second += 1;
                if !visit(first, second) {
                    return;
                }
            }
        }
    }

    fn marked(&self, bucket: usize) -> &[AtomicU32] {
        &self.order[self.starts[bucket]..self.starts[bucket + 1]]
    }
}

/// Returns the numbers of the rows, bucket by bucket, and the start of each bucket. Within a
/// bucket, the rows keep their order, whatever the threads do.
fn scatter(
    keys: &[u32],
    order_bits: u32,
    buckets: usize,
) -> Result<(Vec<AtomicU32>, Vec<usize>), SolveError> {
    let parts = rayon::current_num_threads() * PARTS_A_THREAD;
    let part_rows = keys.len().div_ceil(parts).max(PART_ROWS);
    let bucket_of = |key: u32| (key >> order_bits) as usize;
    let counts = keys.par_chunks(part_rows).map(|keys| {
        let mut counts = vec![0u32; buckets];
        keys.iter().for_each(|key| counts[bucket_of(*key)] += 1);
        counts
    });
    let mut places: Vec<Vec<u32>> = counts.collect();
    let mut starts = Vec::with_capacity(buckets + 1);
    let mut next = 0;
    for bucket in 0..buckets {
        starts.push(next as usize);
        for place in &mut places {
            let count = std::mem::replace(&mut place[bucket], next);
            next += count;
        }
    }
    starts.push(keys.len());
    let order: Vec<AtomicU32> = zeroed(keys.len(), 0)?.into_iter().map(AtomicU32::new).collect();
    let parts = keys.par_chunks(part_rows).zip(&mut places).enumerate();
    parts.for_each(|(part, (keys, places))| {
        for (row, key) in (part * part_rows..).zip(keys) {
            let place = &mut places[bucket_of(*key)];
            order[*place as usize].store(row as u32, Ordering::Relaxed);
            *place += 1;
        }
    });
    Ok((order, starts))
}

impl Scratch {
    /// Orders a bucket by the lower bits of the keys, marks the last row of each key, and counts
    /// the pairs.
    fn order(&mut self, bucket: &[AtomicU32], keys: &[u32], bits: u32) -> u64 {
        let mask = (1 << bits) - 1;
        self.counters.clear();
        self.counters.resize(1 << bits, 0);
        self.rows.clear();
        self.rows.extend(bucket.iter().map(|row| row.load(Ordering::Relaxed)));
        self.keys.clear();
        self.keys.extend(self.rows.iter().map(|row| keys[*row as usize] & mask));
        self.keys.iter().for_each(|key| self.counters[*key as usize] += 1);
        let (mut end, mut pairs) = (0, 0);
        for counter in &mut self.counters {
            let count = *counter;
            pairs += u64::from(count) * u64::from(count.saturating_sub(1)) / 2;
            end += count;
            *counter = end;
        }
        for (row, key) in self.rows.iter().zip(&self.keys).rev() {
            let place = &mut self.counters[*key as usize];
            *place -= 1;
            bucket[*place as usize].store(*row, Ordering::Relaxed);
        }
        // Each counter is now the start of its key's rows; they end where the next key's rows
        // begin.
        let ends = self.counters[1..].iter().chain([&end]);
        for (_, last) in self.counters.iter().zip(ends).filter(|(start, end)| start < end) {
            bucket[*last as usize - 1].fetch_or(LAST, Ordering::Relaxed);
        }
        pairs
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Every pair of equal keys is visited once, and no other pair.
    #[test]
    fn pairs_are_those_of_equal_keys() {
        let mut rng = ChaCha8Rng::seed_from_u64(0xb0c);
        for (rows, key_bits) in [(0, 8), (1, 8), (300, 3), (512, 8), (5_000, 11), (40_000, 14)] {
            let keys: Vec<u32> = (0..rows).map(|_| rng.gen_range(0..1 << key_bits)).collect();
            let meter = Meter::new(&(), 1);
            let buckets = Buckets::new(&keys, key_bits, &meter).unwrap();
            let mut found = BTreeSet::new();
            for (bucket, pairs) in buckets.pairs().iter().enumerate() {
                let before = found.len() as u64;
                let rows: Vec<u32> = buckets.rows(bucket).collect();
                buckets.visit_pairs(bucket, |one, other| {
                    let (one, other) = (rows[one], rows[other]);
                    assert!(one < other && keys[one as usize] == keys[other as usize]);
                    assert!(found.insert((one, other)));
                    true
                });
                assert_eq!(found.len() as u64 - before, *pairs);
            }
            let mut counts = std::collections::HashMap::new();
            let expected: usize = keys
                .iter()
                .map(|key| {
                    let count = counts.entry(key).or_insert(0);
                    *count += 1;
                    *count - 1
                })
                .sum();
            assert_eq!(found.len(), expected, "{rows} rows, {key_bits} bits");
        }
    }

    #[test]
    fn a_visitor_who_has_seen_enough_is_left_alone() {
        let buckets = Buckets::new(&[5; 40], 3, &Meter::new(&(), 1)).unwrap();
        let mut seen = 0;
        for bucket in 0..buckets.pairs().len() {
            buckets.visit_pairs(bucket, |_, _| {
                seen += 1;
                seen < 7
            });
        }
        assert_eq!((seen, buckets.pairs().iter().sum::<u64>()), (7, 780));
    }
}
