// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A batch of Starknet's hashes on one thread, whose permutations run side by side in lanes.
//!
//! All inputs of a batch are absorbed in lockstep: one permutation of every state, then the next
//! pair of every input that has one. Finished inputs are removed, so a step costs only the work of
//! the inputs that still have pairs.

use halimede_arith::Felt;

use crate::optimized::{permute_stark_batch, stark_digests};
use crate::starknet::{self, StarknetInput, StarknetState, STARKNET_WIDTH};

/// An input that is being absorbed.
struct Job<'a> {
    /// The index of the input in the batch.
    request: usize,
    /// The elements still to absorb, without the padding; `None` once the padding is absorbed.
    rest: Option<&'a [Felt]>,
}

/// Returns the digest of each input, in order.
pub(crate) fn hash_batch(requests: &[StarknetInput]) -> Vec<Felt> {
    let mut digests = vec![Felt::ZERO; requests.len()];
    let mut states: Vec<StarknetState> = Vec::with_capacity(requests.len());
    let mut jobs = Vec::with_capacity(requests.len());
    for (request, input) in requests.iter().enumerate() {
        let (state, rest) = begin(input);
        states.push(state);
        jobs.push(Job { request, rest });
    }
    while jobs.iter().any(|job| job.rest.is_some()) {
        permute_stark_batch(STARKNET_WIDTH, states.as_flattened_mut());
        let mut place = 0;
        while let Some(job) = jobs.get_mut(place) {
            match job.rest {
                Some(rest) => {
                    (states[place], job.rest) = absorb(states[place], rest);
                    place += 1;
                }
                None => {
                    digests[job.request] = states[place][0];
                    jobs.swap_remove(place);
                    states.swap_remove(place);
                }
            }
        }
    }
    let last = stark_digests(STARKNET_WIDTH, states.as_flattened());
    for (job, digest) in jobs.iter().zip(last) {
        digests[job.request] = digest;
    }
    digests
}

/// Returns the state before the first permutation, and the elements to absorb after it.
fn begin(input: &StarknetInput) -> (StarknetState, Option<&[Felt]>) {
    match input {
        StarknetInput::Pair(x, y) => (starknet::pair_state(*x, *y), None),
        StarknetInput::Single(x) => (starknet::single_state(*x), None),
        StarknetInput::Many(elements) => absorb([Felt::ZERO; STARKNET_WIDTH], elements),
    }
}

/// Adds the next pair of the padded input to the state; returns the state and the rest.
fn absorb(state: StarknetState, rest: &[Felt]) -> (StarknetState, Option<&[Felt]>) {
    let (pair, rest) = match rest {
        [] => ([Felt::ONE, Felt::ZERO], None),
        [single] => ([*single, Felt::ONE], None),
        [first, second, rest @ ..] => ([*first, *second], Some(rest)),
    };
    (starknet::absorbed(state, pair), rest)
}
