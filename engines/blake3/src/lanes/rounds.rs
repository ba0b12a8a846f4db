// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The compression function's rounds, of one message or of a message a lane (paper, section 2.2).

use super::vector::{Word, Words};
use crate::constants::SCHEDULE;

/// Four applications of G at once: `state[a[i]]`, `state[b[i]]` and so on.
struct Quartet {
    a: [usize; 4],
    b: [usize; 4],
    c: [usize; 4],
    d: [usize; 4],
}

const COLUMNS: Quartet =
    Quartet { a: [0, 1, 2, 3], b: [4, 5, 6, 7], c: [8, 9, 10, 11], d: [12, 13, 14, 15] };
const DIAGONALS: Quartet =
    Quartet { a: [0, 1, 2, 3], b: [5, 6, 7, 4], c: [10, 11, 8, 9], d: [15, 12, 13, 14] };

/// The seven rounds, and the two halves of the state added: the new chaining value is the first
/// eight words.
#[inline(always)]
pub(super) fn compress<V: Word>(state: &mut Words<V>, block: &Words<V>) {
    round::<V, 0>(state, block);
    round::<V, 1>(state, block);
    round::<V, 2>(state, block);
    round::<V, 3>(state, block);
    round::<V, 4>(state, block);
    round::<V, 5>(state, block);
    round::<V, 6>(state, block);
    for i in 0..8 {
        state[i] = state[i].xor(state[i + 8]);
    }
}

#[inline(always)]
fn round<V: Word, const ROUND: usize>(state: &mut Words<V>, block: &Words<V>) {
    let word = |place: usize| block[SCHEDULE[ROUND][place]];
    mix(
        state,
        &COLUMNS,
        [word(0), word(2), word(4), word(6)],
        [word(1), word(3), word(5), word(7)],
    );
    let [x, y] = [[word(8), word(10), word(12), word(14)], [word(9), word(11), word(13), word(15)]];
    mix(state, &DIAGONALS, x, y);
}

#[inline(always)]
fn mix<V: Word>(state: &mut Words<V>, at: &Quartet, x: [V; 4], y: [V; 4]) {
    half_mix::<V, 16, 12>(state, at, x);
    half_mix::<V, 8, 7>(state, at, y);
}

#[inline(always)]
fn half_mix<V: Word, const FIRST: u32, const SECOND: u32>(
    state: &mut Words<V>,
    Quartet { a, b, c, d }: &Quartet,
    words: [V; 4],
) {
    for i in 0..4 {
        state[a[i]] = state[a[i]].add(words[i]).add(state[b[i]]);
    }
    for i in 0..4 {
        state[d[i]] = state[d[i]].xor(state[a[i]]).rotate_right::<FIRST>();
    }
    for i in 0..4 {
        state[c[i]] = state[c[i]].add(state[d[i]]);
    }
    for i in 0..4 {
        state[b[i]] = state[b[i]].xor(state[c[i]]).rotate_right::<SECOND>();
    }
}
