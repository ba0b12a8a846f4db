// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tree of a solution, checked in lanes. Each lane of a register works on another subtree, side
//! by side, so subtrees meet within a lane until there is one subtree left per lane. The subtrees
//! are small, so errors near the beginning of a solution are still found early: see
//! [`shares::leaves_a_lane`].
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
pub(crate) mod job;
mod leaves;
mod portable;
pub(crate) mod rounds;
pub(crate) mod shares;
#[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
mod three;
mod tree;
pub(crate) mod vector;

use halimede_arith::EngineBackend;

use crate::LaneBackend;
use job::{Findings, Job};

/// Checks a tree with a backend that [`shares::backend_for`] returned.
///
/// # Panics
/// If the backend is not available here, or the number of indices is wrong.
pub(crate) fn check(backend: LaneBackend, job: Job) -> Findings {
    assert!(backend.is_available(), "the backend {backend} is not available");
    assert_eq!(job.indices.len(), job.puzzle.params().indices(), "indices of a solution");
    match backend {
        // SAFETY: the backend is available, here and below.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        LaneBackend::Avx512 => unsafe { avx512::run(job) },
        // SAFETY: as above.
        #[cfg(all(target_arch = "x86_64", not(feature = "pure")))]
        LaneBackend::Avx2 => unsafe { avx2::run(job) },
        _ => tree::run_portable(job),
    }
}
