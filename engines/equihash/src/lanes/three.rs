// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Three hashes of a [`Short`] block side by side, on any x86-64 processor.
//!
//! One hash takes 1,128 operations in general registers. It waits for its chain of operations and
//! for the two ports that rotate. Two more hashes in the lanes of SSE2's registers use other
//! registers and mostly other ports: three hashes take less than twice the time of one.

use halimede_arith::arx::{Held, Sse2, Word, WORDS};

use super::rounds::{continue_short, four};
use super::vector::Output;
use crate::midstate::Short;

/// The number of hashes side by side.
pub(super) const TOGETHER: usize = 3;

/// The state of a hash after the first round, and the nonzero words of the block.
struct State<W> {
    held: Held<W>,
    block: [W; 2],
}

impl<W: Word> State<W> {
    #[inline(always)]
    fn new(short: &Short, second_word: W, splat: impl Fn(u64) -> W) -> Self {
        let begun = short.begun.map(&splat);
        Self {
            held: Held::new(continue_short(begun, second_word)),
            block: [splat(short.first_word), second_word],
        }
    }

    /// A quarter of a round: a half of G on columns or on diagonals.
    #[inline(always)]
    fn quarter<const ROUND: usize, const QUARTER: usize>(&mut self) {
        let Self { held, block } = self;
        match QUARTER {
            0 => held.columns::<32, 24>(four::<W, ROUND>(block, [0, 2, 4, 6])),
            1 => held.columns::<16, 63>(four::<W, ROUND>(block, [1, 3, 5, 7])),
            2 => held.diagonals::<32, 24>(four::<W, ROUND>(block, [8, 10, 12, 14])),
            _ => held.diagonals::<16, 63>(four::<W, ROUND>(block, [9, 11, 13, 15])),
        }
    }
}

#[inline(always)]
fn round<const ROUND: usize>(pair: &mut State<Sse2>, single: &mut State<u64>) {
    pair.quarter::<ROUND, 0>();
    single.quarter::<ROUND, 0>();
    pair.quarter::<ROUND, 1>();
    single.quarter::<ROUND, 1>();
    pair.quarter::<ROUND, 2>();
    single.quarter::<ROUND, 2>();
    pair.quarter::<ROUND, 3>();
    single.quarter::<ROUND, 3>();
}

/// Computes the hashes with these second words.
#[inline(never)]
pub(super) fn hashes(short: &Short, second_words: [u64; TOGETHER]) -> [Output<u64>; TOGETHER] {
    let [one, two, three] = second_words;
    let mut pair = State::new(short, Sse2::new([one, two]), Sse2::splat);
    let mut single = State::new(short, three, |word| word);
    round::<1>(&mut pair, &mut single);
    round::<2>(&mut pair, &mut single);
    round::<3>(&mut pair, &mut single);
    round::<4>(&mut pair, &mut single);
    round::<5>(&mut pair, &mut single);
    round::<6>(&mut pair, &mut single);
    round::<7>(&mut pair, &mut single);
    round::<8>(&mut pair, &mut single);
    round::<9>(&mut pair, &mut single);
    round::<10>(&mut pair, &mut single);
    round::<11>(&mut pair, &mut single);
    let (pair, single) = (pair.held.words(), single.held.words());
    let mut outputs = [[0; 8]; TOGETHER];
    for i in 0..WORDS / 2 {
        let state = short.state[i];
        let [one, two] = pair[i].xor(pair[i + 8]).xor(Sse2::splat(state)).words();
        outputs[0][i] = one;
        outputs[1][i] = two;
        outputs[2][i] = single[i].xor(single[i + 8]).xor(state);
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Params, Puzzle};

    #[test]
    fn three_are_what_one_is() {
        for (case, params) in
            [Params::REGTEST, Params::ZCASH].into_iter().cycle().take(40).enumerate()
        {
            let header: Vec<u8> = (0..140).map(|at| (at * 7 + case * 31) as u8).collect();
            let puzzle = Puzzle::new(params, &header);
            let short = puzzle.short().expect("a header's last block is short");
            let numbers = [case as u64, 51 - case as u64, u64::from(u32::MAX) - case as u64];
            let words = numbers.map(|number| number << short.shift | short.second_word);
            for (output, number) in hashes(short, words).iter().zip(numbers) {
                let mut expected = [0; 8];
                puzzle.hash(number, &mut expected);
                assert_eq!(*output, expected, "{params}, {number}");
            }
        }
    }
}
