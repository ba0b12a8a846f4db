// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The check that the required bits of the nodes are zero.

use crate::Params;

use super::job::{Findings, Job};
use super::leaves::{Few, Hashed, Leaves};
use super::shares::{leaves_a_lane, MOST_LEAVES_A_LANE};
use super::vector::Vector;

/// The most lanes of a register.
const MOST_LANES: usize = 8;
/// The levels of a lane's subtree whose nodes can wait: all except the root's.
const MOST_LANE_LEVELS: usize = MOST_LEAVES_A_LANE.trailing_zeros() as usize;

/// A set of bits of a node, in its words: the first byte of a hash is a word's lowest.
type Bits<const WORDS: usize> = [u64; WORDS];

/// The bits of a hash from `begin` to `end` − 1; bit 0 is the highest bit of the first byte.
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

/// Checks a tree whose nodes have at most `WORDS` words and which has fewer than `LEVELS` levels,
/// including the level of the leaves. The parameters are the puzzle's; they are compile-time
/// constants if the caller has them as constants.
#[inline(always)]
pub(super) fn check<V: Vector, const WORDS: usize, const LEVELS: usize>(
    job: Job,
    params: Params,
    source: &mut impl Leaves<V, WORDS>,
) -> Findings {
    let zero = levels::<WORDS, LEVELS>(params);
    let leaves = leaves_a_lane(params, V::LANES);
    let block = leaves * V::LANES;
    let mut left = [[0; WORDS]; LEVELS];
    let mut root = [0; WORDS];
    let mut collision = false;
    for (number, indices) in job.indices.chunks_exact(block).enumerate() {
        // SAFETY: a block has this number of indices.
        let (roots, mut wrong) =
            unsafe { subtrees::<V, WORDS, LEVELS>(&job, source, indices.as_ptr(), leaves, &zero) };
        let mut level = leaves.trailing_zeros() as usize;
        let mut wrong_above = 0;
        if !(job.stops_early && wrong.any()) {
            root = above_lanes(&roots, &mut level, &zero, &mut wrong_above);
            carry(number, &mut root, &mut level, &left, &zero, &mut wrong_above);
        }
        wrong = wrong.or(V::splat(wrong_above));
        collision |= wrong.any();
        if job.stops_early && collision {
            return Findings { collision, xor: false };
        }
        left[level] = root;
    }
    let all = bits::<WORDS>(0, params.n());
    Findings { collision, xor: root.iter().zip(all).any(|(word, bits)| word & bits != 0) }
}

/// Computes the subtrees of all lanes, each with `leaves` leaves. Returns their roots, and the bits
/// that should be zero but are not. If the job stops early and there are such bits, the roots are
/// undefined.
///
/// # Safety
/// `leaves` indices per lane can be read.
#[inline(always)]
unsafe fn subtrees<V: Vector, const WORDS: usize, const LEVELS: usize>(
    job: &Job,
    source: &mut impl Leaves<V, WORDS>,
    indices: *const u32,
    leaves: usize,
    zero: &[Bits<WORDS>; LEVELS],
) -> ([V; WORDS], V) {
    let mut left = [[V::splat(0); WORDS]; MOST_LANE_LEVELS];
    let mut wrong = V::splat(0);
    let mut root = [V::splat(0); WORDS];
    for pair in 0..leaves / 2 {
        // SAFETY: there are two indices per lane and pair.
        let [mut node, other] = unsafe {
            let indices = indices.add(2 * V::LANES * pair);
            source.two(indices)
        };
        meet(&mut node, &other, &zero[1], &mut wrong);
        let mut level = 1;
        carry(pair, &mut node, &mut level, &left, &zero[..], &mut wrong);
        if job.stops_early && wrong.any() {
            break;
        }
        root = node;
        if level < MOST_LANE_LEVELS {
            left[level] = node;
        }
    }
    (root, wrong)
}

/// Merges the subtree with this number, counted from 0 among those of its level, with the waiting
/// subtrees to its left, like the carries of adding one to a binary number.
#[inline(always)]
fn carry<V: Vector, const WORDS: usize>(
    number: usize,
    node: &mut [V; WORDS],
    level: &mut usize,
    left: &[[V; WORDS]],
    zero: &[Bits<WORDS>],
    wrong: &mut V,
) {
    let mut number = number;
    while number & 1 == 1 {
        let waiting = left[*level];
        *level += 1;
        meet(node, &waiting, &zero[*level], wrong);
        number >>= 1;
    }
}

/// Merges two subtrees: `node` becomes the node above both. Bits of it that should be zero but are
/// not are collected in `wrong`.
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

/// Computes the levels above the lanes' subtrees, whose roots have this level, up to the root.
#[inline(always)]
fn above_lanes<V: Vector, const WORDS: usize, const LEVELS: usize>(
    roots: &[V; WORDS],
    level: &mut usize,
    zero: &[Bits<WORDS>; LEVELS],
    wrong: &mut u64,
) -> Bits<WORDS> {
    let mut nodes = [[0; WORDS]; MOST_LANES];
    for (word, lanes) in roots.iter().enumerate() {
        let mut stored = [0; MOST_LANES];
        // SAFETY: `stored` has room for the most lanes of any backend.
        unsafe { lanes.store(stored.as_mut_ptr()) };
        for (node, stored) in nodes.iter_mut().zip(stored) {
            node[word] = stored;
        }
    }
    let mut count = V::LANES;
    while count > 1 {
        count /= 2;
        *level += 1;
        for number in 0..count {
            let mut node = nodes[2 * number];
            meet(&mut node, &nodes[2 * number + 1], &zero[*level], wrong);
            nodes[number] = node;
        }
    }
    nodes[0]
}

/// The usual parameters are known when this is compiled: which words a leaf is cut from, by how
/// many bits they are shifted, how many words a node has.
#[inline(always)]
pub(super) fn run<V: Vector>(job: Job) -> Findings {
    let params = job.puzzle.params();
    match params {
        Params::ZCASH => hashed::<V, 4, 10>(job, Params::ZCASH),
        Params::N144_K5 => hashed::<V, 3, 6>(job, Params::N144_K5),
        Params::N96_K5 => hashed::<V, 2, 6>(job, Params::N96_K5),
        Params::REGTEST => hashed::<V, 1, 6>(job, Params::REGTEST),
        _ => hashed::<V, 8, 32>(job, params),
    }
}

#[inline(always)]
fn hashed<V: Vector, const WORDS: usize, const LEVELS: usize>(
    job: Job,
    params: Params,
) -> Findings {
    let mut leaves = Hashed { puzzle: job.puzzle, params };
    check::<V, WORDS, LEVELS>(job, params, &mut leaves)
}

/// [`run`] with one lane.
pub(super) fn run_portable(job: Job) -> Findings {
    match job.puzzle.params() {
        Params::REGTEST => {
            let mut leaves = Few::new(job, Params::REGTEST);
            check::<u64, 1, 6>(job, Params::REGTEST, &mut leaves)
        }
        params if Few::are_enough(params) => {
            let mut leaves = Few::new(job, params);
            check::<u64, 8, 32>(job, params, &mut leaves)
        }
        _ => run::<u64>(job),
    }
}
