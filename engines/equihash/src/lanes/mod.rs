// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tree of a solution, checked in lanes. Each lane of a register works on another subtree, side
//! by side, so subtrees meet within a lane until there is one subtree left per lane. The subtrees
//! are small, so errors near the beginning of a solution are still found early: see
//! [`leaves_a_lane`].
//!
//! - [`vector`]: a register of lanes and its operations beyond [`halimede_arith::arx`]; implemented
//!   by `avx512` (its rounds in `avx512_rounds`), `avx2` and, for the portable backend, by one
//!   word.
//! - [`rounds`]: BLAKE2b on such registers; `three`: one hash and a register of two, side by side.
//! - [`arrange`]: the indices of a solution in the order in which lanes read them.
//! - [`leaves`]: the hashes of indices.
//! - [`tree`]: the bits of the nodes that must XOR to zero.

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

/// A job for the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Job<'j> {
    /// The puzzle of the solution.
    pub(crate) puzzle: &'j Puzzle,
    /// The indices of the solution, in the order of [`arrange`].
    pub(crate) indices: &'j [u32],
    /// Set if the first missing collision ends the work.
    pub(crate) stops_early: bool,
}

/// The failed checks of the hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Findings {
    /// Set if bits that must collide do not.
    pub(crate) collision: bool,
    /// Set if the XOR of all leaves is not zero; not computed if the work ended early.
    pub(crate) xor: bool,
}

/// Returns the backend that checks a solution's tree if `level` is requested. Trees with fewer than
/// two leaves per lane, and indices that the lanes cannot divide, are checked with fewer lanes.
pub(crate) fn level_for(params: Params, level: Level) -> Level {
    let most_lanes = params.indices() / 2;
    let level = if params.index_bits() > DIVIDEND_BITS { Level::Portable } else { level };
    match level {
        // A processor with AVX-512 has AVX2.
        Level::Avx512 if most_lanes < 8 => Level::Avx2,
        _ => level,
    }
}

/// The number of lanes of a backend.
pub(crate) fn lanes(level: Level) -> usize {
    match level {
        Level::Portable => 1,
        Level::Avx2 => 4,
        Level::Avx512 => 8,
    }
}

/// The most leaves of a lane's subtree. The next subtrees of the lanes follow in the next block.
pub(crate) const MOST_LEAVES_A_LANE: usize = 16;

/// The number of leaves of a lane's subtree, for a number of lanes.
pub(crate) fn leaves_a_lane(params: Params, lanes: usize) -> usize {
    (params.indices() / lanes).min(MOST_LEAVES_A_LANE)
}

/// Checks a tree with a backend that [`level_for`] returned.
///
/// # Panics
/// If the backend is not available here, or the number of indices is wrong.
pub(crate) fn check(level: Level, job: Job) -> Findings {
    assert!(level.is_available(), "the backend {level} is not available");
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
    /// The usual parameters are compile-time constants, which fixes the words of a leaf, their
    /// shifts and the number of words of a node.
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
