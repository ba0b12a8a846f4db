// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sizes of the tables: words of a row, rows, bytes.

use crate::Params;

/// The size of a row's words in bits.
const WORD_BITS: u32 = u32::BITS;
/// The most rows: row numbers are 32-bit words with one bit for a mark.
const MOST_ROWS: u64 = 1 << 31;
/// The margin of rows of a level above the mean, in units of the square root of the number of rows,
/// doubled from level to level. The pairs of N rows vary by √N; each level doubles the relative
/// excess of the one before, so level r varies by 2^r · √N / √3. This margin is seven times that.
const SPREADS: u64 = 4;
/// The largest margin, as a multiple of the leaves: with many levels and few bits, the variation
/// would have no useful bound.
const MOST_EXCESS: u64 = 3;

/// The tables of a puzzle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    params: Params,
}

impl Shape {
    pub(super) fn new(params: Params) -> Self {
        Self { params }
    }

    /// The number of leaves: one for each possible index.
    pub(super) fn leaves(self) -> u64 {
        1 << self.params.index_bits()
    }

    /// The number of words of a row on this level, without its key: the bits that must collide on
    /// later levels.
    pub(super) fn words(self, level: u32) -> usize {
        let bits = (self.params.k() - level) * self.params.collision_bits();
        bits.div_ceil(WORD_BITS) as usize
    }

    /// The most rows of this level. Excess rows are dropped: with the usual parameters, once in
    /// 10^11 puzzles.
    pub(super) fn most_rows(self, level: u32) -> u64 {
        let leaves = self.leaves();
        match level {
            0 => leaves,
            _ => leaves + ((SPREADS << level) * leaves.isqrt()).min(MOST_EXCESS * leaves),
        }
    }

    /// Returns `true` if the rows can be numbered.
    pub(super) fn is_numbered(self) -> bool {
        (0..self.params.k()).all(|level| self.most_rows(level) <= MOST_ROWS)
    }

    /// The most bytes in use while the level after this one is computed: both levels' keys and
    /// rows, the order of this level's rows, and all references so far.
    fn step_bytes(self, level: u32) -> u64 {
        let table = |level: u32| self.most_rows(level) * 4 * (1 + self.words(level) as u64);
        let references = |level: u32| self.most_rows(level) * 8;
        let order = self.most_rows(level) * 4;
        // The last level's pairs are solutions, which need negligible memory.
        let next = level + 1;
        let (made, last) = if next < self.params.k() { (table(next), next) } else { (0, level) };
        table(level) + order + made + (1..=last).map(references).sum::<u64>()
    }

    /// The most bytes in use at any time.
    pub(super) fn memory_bytes(self) -> u64 {
        (0..self.params.k()).map(|level| self.step_bytes(level)).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_puzzles_take_this_much() {
        let megabytes = |params| Shape::new(params).memory_bytes() / 1_000_000;
        assert_eq!(megabytes(Params::REGTEST), 0);
        assert_eq!(megabytes(Params::N96_K5), 7);
        assert_eq!(megabytes(Params::ZCASH), 231);
        assert_eq!(megabytes(Params::N144_K5), 1_890);
        let shape = Shape::new(Params::ZCASH);
        let words: Vec<usize> = (0..9).map(|level| shape.words(level)).collect();
        assert_eq!(words, [6, 5, 5, 4, 4, 3, 2, 2, 1]);
        // One word identifies solutions.
        assert!((4..20).all(|k| Params::new(24 * (k + 1), k)
            .map_or(true, |params| { Shape::new(params).words(k - 1) == 1 })));
        assert_eq!((shape.most_rows(0), shape.most_rows(1)), (1 << 21, (1 << 21) + 8 * 1_448));
    }

    #[test]
    fn the_widest_puzzles_overflow_nothing() {
        for n in (8..=512).step_by(8) {
            for k in 3..32 {
                let Ok(params) = Params::new(n, k) else { continue };
                let shape = Shape::new(params);
                assert!(shape.memory_bytes() > shape.leaves() * 8, "{params}");
                let bits = params.collision_bits();
                assert!(bits == 28 || bits == 29 || shape.is_numbered() == (bits < 28), "{params}");
            }
        }
    }
}
