// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many permutations of one instance on one thread: eight side by side if the backend has lanes,
//! otherwise sequentially.
//!
//! States are stored contiguously in a slice. A partial state at its end, and states of an
//! unsupported width, are left unchanged and have no digest.

use std::sync::OnceLock;

use halimede_arith::field::StarkPrime;
use halimede_arith::lanes::{self, Kernel, LANES};
use halimede_arith::{Backend, Felt, Field, Fr};

use super::lanes::quintic::{self, QuinticLanes};
use super::lanes::stark::{self, StarkLanes};
use super::prepared::Prepared;
use super::single::{permute_filecoin_with, permute_stark_with};
use crate::instance::{Family, Instance, Strength};
use crate::PoseidonField;

/// Up to this number of states, sequential permutations are faster than eight lanes in one
/// register.
const SINGLES: usize = 2;

/// The same for lanes in pairs of registers, for every family of instances.
const SINGLES_BESIDE_PAIRS: usize = 4;

/// Permutes Filecoin states of `width` elements each, as
/// [`permute_filecoin`](super::permute_filecoin) permutes one.
pub fn permute_filecoin_batch(strength: Strength, width: usize, states: &mut [Fr]) {
    permute_filecoin_batch_with(Backend::active(), strength, width, states);
}

/// [`permute_filecoin_batch`] in the lanes of a backend; sequential if the backend has no lanes or
/// is not available here.
pub fn permute_filecoin_batch_with(
    backend: Backend,
    strength: Strength,
    width: usize,
    states: &mut [Fr],
) {
    let lanes = filecoin_lanes(backend, strength, width);
    let (side_by_side, rest) =
        states.split_at_mut(in_lanes(backend, lanes.is_some(), width, states.len()));
    if let Some(tables) = lanes {
        run(backend, quintic::Permutation { tables, job: quintic::Job::Permute(side_by_side) });
    }
    rest.chunks_exact_mut(width.max(1))
        .for_each(|state| permute_filecoin_with(backend, strength, state));
}

/// Returns the digest, element 1 of the permuted state, of each of these Filecoin states.
pub fn filecoin_digests(strength: Strength, width: usize, states: &[Fr]) -> Vec<Fr> {
    filecoin_digests_with(Backend::active(), strength, width, states)
}

/// [`filecoin_digests`] in the lanes of a backend; sequential if the backend has no lanes or is not
/// available here.
pub fn filecoin_digests_with(
    backend: Backend,
    strength: Strength,
    width: usize,
    states: &[Fr],
) -> Vec<Fr> {
    if Instance::new(Family::Filecoin(strength), width).is_err() {
        return Vec::new();
    }
    let mut digests = vec![Fr::ZERO; states.len() / width];
    let lanes = filecoin_lanes(backend, strength, width);
    let (side_by_side, rest) =
        states.split_at(in_lanes(backend, lanes.is_some(), width, states.len()));
    let (first, last) = digests.split_at_mut(side_by_side.len() / width);
    if let Some(tables) = lanes {
        run(
            backend,
            quintic::Permutation { tables, job: quintic::Job::Digest(side_by_side, first, 1) },
        );
    }
    singly(rest, last, width, 1, |state| permute_filecoin_with(backend, strength, state));
    digests
}

/// Permutes StarkWare states of `width` elements each, as [`permute_stark`](super::permute_stark)
/// permutes one.
pub fn permute_stark_batch(width: usize, states: &mut [Felt]) {
    permute_stark_batch_with(Backend::active(), width, states);
}

/// [`permute_stark_batch`] in the lanes of a backend; sequential if the backend has no lanes or is
/// not available here.
pub fn permute_stark_batch_with(backend: Backend, width: usize, states: &mut [Felt]) {
    let has_lanes = lanes::available(backend) && [3, 4, 5, 9].contains(&width);
    let (side_by_side, rest) =
        states.split_at_mut(in_lanes(backend, has_lanes, width, states.len()));
    if has_lanes {
        on_stark_lanes(backend, width, StarkStates::Permute(side_by_side));
    }
    rest.chunks_exact_mut(width.max(1)).for_each(|state| permute_stark_with(backend, state));
}

/// Returns the digest, element 0 of the permuted state, of each of these StarkWare states.
pub fn stark_digests(width: usize, states: &[Felt]) -> Vec<Felt> {
    stark_digests_with(Backend::active(), width, states)
}

/// [`stark_digests`] in the lanes of a backend; sequential if the backend has no lanes or is not
/// available here.
pub fn stark_digests_with(backend: Backend, width: usize, states: &[Felt]) -> Vec<Felt> {
    if Instance::new(Family::Stark, width).is_err() {
        return Vec::new();
    }
    let mut digests = vec![Felt::ZERO; states.len() / width];
    let has_lanes = lanes::available(backend);
    let (side_by_side, rest) = states.split_at(in_lanes(backend, has_lanes, width, states.len()));
    let (first, last) = digests.split_at_mut(side_by_side.len() / width);
    if has_lanes {
        on_stark_lanes(backend, width, StarkStates::Digest(side_by_side, first));
    }
    singly(rest, last, width, 0, |state| permute_stark_with(backend, state));
    digests
}

/// Returns the number of elements that are permuted in lanes. A last group of few states is faster
/// without lanes and is left out.
fn in_lanes(backend: Backend, has_lanes: bool, width: usize, elements: usize) -> usize {
    match has_lanes {
        true => width * states_in_lanes(backend, elements / width, SINGLES),
        false => 0,
    }
}

/// Returns the number of states that a backend permutes in lanes; 0 if it has none. A last group of
/// up to `singles` states is faster sequentially.
pub(crate) fn states_in_lanes(backend: Backend, states: usize, singles: usize) -> usize {
    if !lanes::available(backend) {
        return 0;
    }
    let singles = if backend.has_lanes_in_pairs() { SINGLES_BESIDE_PAIRS } else { singles };
    let rest = states % LANES;
    if rest <= singles {
        states - rest
    } else {
        states
    }
}

/// Permutes copies of the states sequentially and takes one element of each.
fn singly<M: PoseidonField>(
    states: &[Field<M>],
    digests: &mut [Field<M>],
    width: usize,
    digest_index: usize,
    permute: impl Fn(&mut [Field<M>]),
) {
    let mut copy = vec![Field::ZERO; width];
    for (state, digest) in states.chunks_exact(width).zip(digests) {
        copy.copy_from_slice(state);
        permute(&mut copy);
        *digest = copy[digest_index];
    }
}

/// Returns the tables of a Filecoin instance; `None` if there is no such instance or the backend
/// has no lanes here.
fn filecoin_lanes(
    backend: Backend,
    strength: Strength,
    width: usize,
) -> Option<&'static QuinticLanes> {
    static PREPARED: Prepared<QuinticLanes> = Prepared::new();
    if !lanes::available(backend) {
        return None;
    }
    PREPARED.get(strength, width, QuinticLanes::new)
}

/// An operation on whole StarkWare states.
enum StarkStates<'a> {
    Permute(&'a mut [Felt]),
    /// The states, and the output for their digests.
    Digest(&'a [Felt], &'a mut [Felt]),
}

fn on_stark_lanes(backend: Backend, width: usize, states: StarkStates<'_>) {
    static WIDTH_3: OnceLock<Option<StarkLanes<3>>> = OnceLock::new();
    static WIDTH_4: OnceLock<Option<StarkLanes<4>>> = OnceLock::new();
    static WIDTH_5: OnceLock<Option<StarkLanes<5>>> = OnceLock::new();
    static WIDTH_9: OnceLock<Option<StarkLanes<9>>> = OnceLock::new();
    match width {
        3 => on_prepared(&WIDTH_3, backend, states),
        4 => on_prepared(&WIDTH_4, backend, states),
        5 => on_prepared(&WIDTH_5, backend, states),
        9 => on_prepared(&WIDTH_9, backend, states),
        _ => {}
    }
}

/// Runs the operation with an instance's tables, which are created at first use.
fn on_prepared<const T: usize>(
    prepared: &'static OnceLock<Option<StarkLanes<T>>>,
    backend: Backend,
    states: StarkStates<'_>,
) {
    let prepare = || {
        let instance = Instance::new(Family::Stark, T).ok()?;
        StarkLanes::new(&StarkPrime::parameters(instance)?)
    };
    let Some(tables) = prepared.get_or_init(prepare) else { return };
    let job = match states {
        StarkStates::Permute(states) => stark::Job::Permute(states.as_chunks_mut().0),
        StarkStates::Digest(states, digests) => stark::Job::Digest(states.as_chunks().0, digests),
    };
    run(backend, stark::Permutation { tables, job });
}

/// Runs a kernel on a backend that is known to be available.
fn run<K: Kernel<Output = ()>>(backend: Backend, kernel: K) {
    let answer = lanes::run(backend, kernel);
    assert!(answer.is_some(), "{backend} must have lanes here");
}
