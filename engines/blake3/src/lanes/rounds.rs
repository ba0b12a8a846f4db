// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The compression function's rounds, for one message or one message per lane (paper, section 2.2).

use halimede_arith::arx::{columns, diagonals, Four, Word, Words};

use crate::constants::SCHEDULE;

/// Computes the seven rounds and XORs the two halves of the state; the first eight words are then
/// the new chaining value.
#[inline(always)]
pub(super) fn compress<W: Word>(state: &mut Words<W>, block: &Words<W>) {
    round::<W, 0>(state, block);
    round::<W, 1>(state, block);
    round::<W, 2>(state, block);
    round::<W, 3>(state, block);
    round::<W, 4>(state, block);
    round::<W, 5>(state, block);
    round::<W, 6>(state, block);
    for i in 0..8 {
        state[i] = state[i].xor(state[i + 8]);
    }
}

#[inline(always)]
fn round<W: Word, const ROUND: usize>(state: &mut Words<W>, block: &Words<W>) {
    columns::<W, 16, 12>(state, four::<W, ROUND>(block, [0, 2, 4, 6]));
    columns::<W, 8, 7>(state, four::<W, ROUND>(block, [1, 3, 5, 7]));
    diagonals::<W, 16, 12>(state, four::<W, ROUND>(block, [8, 10, 12, 14]));
    diagonals::<W, 8, 7>(state, four::<W, ROUND>(block, [9, 11, 13, 15]));
}

/// Returns the words at these positions of the round's schedule.
#[inline(always)]
fn four<W: Word, const ROUND: usize>(block: &Words<W>, [a, b, c, d]: [usize; 4]) -> Four<W> {
    let order = &SCHEDULE[ROUND];
    [Some(block[order[a]]), Some(block[order[b]]), Some(block[order[c]]), Some(block[order[d]])]
}
