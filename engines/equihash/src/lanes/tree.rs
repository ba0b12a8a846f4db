// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which bits of the nodes must be zero, and whether they are.

use crate::Params;

use super::leaves;
use super::vector::Vector;
use super::{Findings, Job};

/// Most lanes of a register.
const MOST_LANES: usize = 8;

/// Bits of a node, as its words hold them: the first byte of a hash is a word's lowest.
type Bits<const WORDS: usize> = [u64; WORDS];

/// The bits of a hash from `begin` to before `end`; bit 0 is the first byte's highest.
const fn bits<const WORDS: usize>(begin: u32, end: u32) -> Bits<WORDS> {
    let mut words = [0; WORDS];
    let mut bit = begin;
    while bit < end {
        let place = bit % 64;
        words[(bit / 64) as usize] |= 1 << (place / 8 * 8 + 7 - place % 8);
        bit += 1;
    }
    words
}

/// The bits that must be zero at each level, from level 1 on; level 0, the leaves, has none.
#[inline(always)]
fn levels<const WORDS: usize, const LEVELS: usize>(params: Params) -> [Bits<WORDS>; LEVELS] {
    let mut levels = [[0; WORDS]; LEVELS];
    let collision_bits = params.collision_bits();
    for (level, zero) in levels.iter_mut().enumerate().take(params.k() as usize + 1).skip(1) {
        let end = level as u32 * collision_bits;
        *zero = bits(end - collision_bits, end);
    }
    levels
}

/// Checks a tree whose nodes have at most so many words and which has fewer levels, the leaves' one
/// included, than `LEVELS`. The parameters are the puzzle's, and known to the compiler where the
/// caller knows them.
#[inline(always)]
pub(super) fn check<V: Vector, const WORDS: usize, const LEVELS: usize>(
    job: Job,
    params: Params,
) -> Findings {
    let zero = levels::<WORDS, LEVELS>(params);
    let pairs = params.indices() / (2 * V::LANES);
    // The left one of two subtrees, by its level, until the right one is there as well.
    let mut left = [[V::splat(0); WORDS]; LEVELS];
    let mut wrong = V::splat(0);
    let mut level = 0;
    for pair in 0..pairs {
        // SAFETY: there are 2 · lanes · pairs indices.
        let [mut node, other] = unsafe {
            let indices = job.indices.as_ptr().add(2 * V::LANES * pair);
            leaves::two::<V, WORDS>(job.puzzle, params, indices)
        };
        meet(&mut node, &other, &zero[1], &mut wrong);
        // As in adding one to a binary number: a carry wherever a left subtree waits.
        level = 1;
        while pair >> (level - 1) & 1 == 1 {
            let waiting = left[level];
            level += 1;
            meet(&mut node, &waiting, &zero[level], &mut wrong);
        }
        if job.stops_early && wrong.any() {
            return Findings { collision: true, xor: false };
        }
        left[level] = node;
    }
    let (root, is_wrong) = above_lanes(&left[level], level, &zero);
    let all = bits::<WORDS>(0, params.n());
    Findings {
        collision: is_wrong || wrong.any(),
        xor: root.iter().zip(all).any(|(word, bits)| word & bits != 0),
    }
}

/// Two subtrees meet: the node above both, in the place of the one. Bits of it that should be
/// zero are gathered in `wrong`.
#[inline(always)]
fn meet<V: Vector, const WORDS: usize>(
    node: &mut [V; WORDS],
    other: &[V; WORDS],
    zero: &Bits<WORDS>,
    wrong: &mut V,
) {
    for ((word, other), zero) in node.iter_mut().zip(other).zip(zero) {
        *word = word.xor(*other);
        *wrong = wrong.or(word.and(V::splat(*zero)));
    }
}

/// The levels above the lanes' subtrees, whose roots are of this level: the root's words, and
/// whether a bit was not zero that should be.
#[inline(always)]
fn above_lanes<V: Vector, const WORDS: usize, const LEVELS: usize>(
    roots: &[V; WORDS],
    level: usize,
    zero: &[Bits<WORDS>; LEVELS],
) -> (Bits<WORDS>, bool) {
    let mut nodes = [[0; WORDS]; MOST_LANES];
    for (word, lanes) in roots.iter().enumerate() {
        let mut stored = [0; MOST_LANES];
        // SAFETY: there is room for the most lanes of all.
        unsafe { lanes.store(stored.as_mut_ptr()) };
        for (node, stored) in nodes.iter_mut().zip(stored) {
            node[word] = stored;
        }
    }
    let mut wrong = 0;
    let (mut count, mut level) = (V::LANES, level);
    while count > 1 {
        count /= 2;
        level += 1;
        for number in 0..count {
            let mut node = nodes[2 * number];
            meet(&mut node, &nodes[2 * number + 1], &zero[level], &mut wrong);
            nodes[number] = node;
        }
    }
    (nodes[0], wrong != 0)
}
