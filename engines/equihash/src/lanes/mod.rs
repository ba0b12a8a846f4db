// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tree of a solution, checked in lanes: each lane of a register works on another subtree,
//! side by side with the next, so that subtrees meet within a lane until as many are left as there
//! are lanes. What is wrong near a solution's beginning is found early nevertheless, since subtrees
//! are small: see [`shares::leaves_a_lane`].
//!
//! - [`vector`]: a register of lanes and what a processor must do with it beyond
//!   [`halimede_arith::arx`]; implemented by `avx512` (its rounds in `avx512_rounds`), `avx2` and,
//!   for the portable level, by one word in `portable`.
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
pub(crate) mod job;
mod leaves;
mod portable;
pub(crate) mod rounds;
pub(crate) mod shares;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod three;
mod tree;
pub(crate) mod vector;

use halimede_arith::LaneLevel;

use crate::Level;
use job::{Findings, Job};

/// Checks a tree with a level that [`shares::level_for`] gave.
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
        _ => tree::run_portable(job),
    }
}
