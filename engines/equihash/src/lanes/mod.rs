// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tree of a solution, checked in lanes: each lane of a register works on another subtree,
//! side by side with the next, so that subtrees meet within a lane until as many are left as there
//! are lanes. What is wrong near a solution's beginning is found early nevertheless, since subtrees
//! are small: see [`leaves_a_lane`].
//!
//! - [`vector`]: a register of lanes and what a processor must do with it beyond
//!   [`halimede_arith::arx`]; implemented by `avx512` (its rounds in `avx512_rounds`), `avx2` and,
//!   for the portable level, by one word.
//! - [`rounds`]: BLAKE2b over it; `three` of one hash and of a register of two, side by side.
//! - [`arrange`]: a solution's indices, each where its lane takes it from.
//! - [`leaves`]: the hashes of indices.
//! - [`tree`]: what they are to XOR to.

pub(crate) mod arrange;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx2;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx512;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod avx512_rounds;
mod leaves;
pub(crate) mod rounds;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod three;
mod tree;
pub(crate) mod vector;

use halimede_arith::LaneLevel;

use crate::puzzle::Puzzle;
use crate::{Level, Params};
use leaves::{Few, Hashed};
use vector::{Vector, DIVIDEND_BITS};

/// A request to the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Job<'j> {
    /// The parameters of the solution.
    pub(crate) puzzle: &'j Puzzle,
    /// Its indices, as [`arrange`] puts them.
    pub(crate) indices: &'j [u32],
    /// Whether the first collision that is missing ends the work.
    pub(crate) stops_early: bool,
}

/// Which checks of the hashes fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Bits that must collide do not.
    pub(crate) collision: bool,
    /// The XOR of all leaves is not zero; not computed where the work ended early.
    pub(crate) xor: bool,
}

/// The level that a solution's tree is checked with where another is asked for: a tree below two
/// leaves a lane, and indices that the lanes cannot divide, are left to the portable one.
pub(crate) fn level_for(params: Params, level: Level) -> Level {
    let most_lanes = params.indices() / 2;
    let level = if params.index_bits() > DIVIDEND_BITS { Level::Portable } else { level };
    match level {
        // What has AVX-512 has AVX2.
        Level::Avx512 if most_lanes < 8 => Level::Avx2,
        _ => level,
    }
}

/// How many lanes a level has.
pub(crate) fn lanes(level: Level) -> usize {
    match level {
        Level::Portable => 1,
        Level::Avx2 => 4,
        Level::Avx512 => 8,
    }
}

/// Leaves of a lane's subtree at most. The lanes' next subtrees stand behind those.
pub(crate) const MOST_LEAVES_A_LANE: usize = 16;

/// Leaves of a lane's subtree, with this many lanes.
pub(crate) fn leaves_a_lane(params: Params, lanes: usize) -> usize {
    (params.indices() / lanes).min(MOST_LEAVES_A_LANE)
}

/// Checks a tree with a level that [`level_for`] gave.
///
/// # Panics
/// Where the level is not available here, or the number of indices is another.
pub(crate) fn check(level: Level, job: Job) -> Findings {
    assert!(level.is_available(), "the level {level} is not available");
    assert_eq!(job.indices.len(), job.puzzle.params().indices(), "indices of a solution");
    match level {
        // SAFETY: the level is available, here and below.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        Level::Avx512 => unsafe { avx512::run(job) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        Level::Avx2 => unsafe { avx2::run(job) },
        _ => job.run_portable(),
    }
}

impl Job<'_> {
    /// The usual parameters are known when this is compiled: which words a leaf is cut from, by how
    /// many bits they are shifted, how many words a node has.
    #[inline(always)]
    fn run<V: Vector>(self) -> Findings {
        let params = self.puzzle.params();
        match params {
            Params::ZCASH => self.hashed::<V, 4, 10>(Params::ZCASH),
            Params::N144_K5 => self.hashed::<V, 3, 6>(Params::N144_K5),
            Params::N96_K5 => self.hashed::<V, 2, 6>(Params::N96_K5),
            Params::REGTEST => self.hashed::<V, 1, 6>(Params::REGTEST),
            _ => self.hashed::<V, 8, 32>(params),
        }
    }

    #[inline(always)]
    fn hashed<V: Vector, const WORDS: usize, const LEVELS: usize>(
        self,
        params: Params,
    ) -> Findings {
        let mut leaves = Hashed { puzzle: self.puzzle, params };
        tree::check::<V, WORDS, LEVELS>(self, params, &mut leaves)
    }

    /// [`Self::run`] with one lane.
    fn run_portable(self) -> Findings {
        match self.puzzle.params() {
            Params::REGTEST => {
                let mut leaves = Few::new(self, Params::REGTEST);
                tree::check::<u64, 1, 6>(self, Params::REGTEST, &mut leaves)
            }
            params if Few::are_enough(params) => {
                let mut leaves = Few::new(self, params);
                tree::check::<u64, 8, 32>(self, params, &mut leaves)
            }
            _ => self.run::<u64>(),
        }
    }
}
