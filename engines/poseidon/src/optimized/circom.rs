// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes of circom's Poseidon: eight states side by side if the backend has lanes, otherwise
//! sequentially.

use std::sync::OnceLock;

use halimede_arith::field::Bn254Scalar;
use halimede_arith::lanes;
use halimede_arith::{Backend, Field};

use super::batch::states_in_lanes;
use super::lanes::quintic::{Job, Permutation, QuinticLanes};
use super::recurrence::Recurrence;
use super::serial::quintic::QuinticPermutation;
use crate::circom::{self, Element, MAX_WIDTH};

/// Up to this number of states, sequential permutations are faster than eight lanes in one
/// register.
const SINGLES: usize = 1;
/// The element of the permuted state that is the digest.
const DIGEST: usize = 0;

/// The tables of one width.
struct Tables {
    recurrence: Recurrence<Bn254Scalar>,
    lanes: QuinticLanes<Bn254Scalar>,
}

/// Returns the tables of a width, which are created at first use; `None` if there is no such
/// instance.
fn tables(width: usize) -> Option<&'static Tables> {
    static TABLES: [OnceLock<Option<Tables>>; MAX_WIDTH + 1] =
        [const { OnceLock::new() }; MAX_WIDTH + 1];
    let make = || {
        let parameters = circom::Parameters::new(width)?;
        let recurrence =
            Recurrence::of(parameters.rounds, &parameters.round_constants, &parameters.mds)?;
        let lanes = QuinticLanes::new(&recurrence)?;
        Some(Tables { recurrence, lanes })
    };
    TABLES.get(width)?.get_or_init(make).as_ref()
}

/// Returns the digests, element 0 of the permuted states, of states of `width` elements each that
/// are stored contiguously. Returns none if no instance has this width.
pub fn circom_digests(width: usize, states: &[Element]) -> Vec<Element> {
    circom_digests_with(Backend::active(), width, states)
}

/// [`circom_digests`] in the lanes of a backend; sequential if the backend has no lanes or is not
/// available here.
pub fn circom_digests_with(backend: Backend, width: usize, states: &[Element]) -> Vec<Element> {
    let Some(tables) = tables(width) else { return Vec::new() };
    let count = states.len() / width;
    let mut digests = vec![Field::ZERO; count];
    let in_lanes = states_in_lanes(backend, count, SINGLES);
    let (side_by_side, others) = states.split_at(in_lanes * width);
    let (first, last) = digests.split_at_mut(in_lanes);
    let job = Job::Digest(side_by_side, first, DIGEST);
    let ran = lanes::run(backend, Permutation { tables: &tables.lanes, job });
    debug_assert_eq!(ran.is_some(), lanes::available(backend), "{backend}");
    let mut permutation = QuinticPermutation::new(&tables.recurrence);
    for (state, digest) in others.chunks_exact(width).zip(last) {
        *digest = permutation.element(state, DIGEST);
    }
    digests
}
