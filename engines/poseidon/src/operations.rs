// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of this engine, and their executors on the processor.

use halimede_arith::job::{Amount, Compute};
use halimede_arith::{operation_over, Backend, Felt, Fr};

use crate::batches::{by_key, in_chunks};
use crate::circom::{self, Element, Inputs};
use crate::filecoin::Preimage;
use crate::instance::{Family, Instance};
pub use crate::poseidon2::RunPoseidon2;
pub use crate::starknet::StarknetInput;
use crate::state::{State, StateElements};
use crate::{optimized, starknet, starknet_batch};

/// The most elements of a brief call, which takes milliseconds.
const BRIEF: Amount = Amount { requests: usize::MAX, units: 1 << 12 };
/// The number of elements of a piece.
const PIECE: Amount = Amount { requests: usize::MAX, units: 1 << 18 };

/// The raw permutation: a state in, a state of the same instance out.
pub struct Permute;

operation_over!(Permute, State, State, "poseidon.permute", |state| state.instance().width());

impl Compute for Permute {
    const BRIEF: Amount = BRIEF;
    const PIECE: Amount = PIECE;

    fn instances() -> Vec<String> {
        Instance::all().map(|instance| instance.to_string()).collect()
    }

    fn compute(request: &State) -> State {
        let mut state = request.clone();
        let family = state.instance().family();
        match state.elements_mut() {
            StateElements::Filecoin(elements) => {
                if let Family::Filecoin(strength) = family {
                    optimized::permute_filecoin(strength, elements);
                }
            }
            StateElements::Stark(elements) => optimized::permute_stark(elements),
        }
        state
    }

    fn compute_batch(requests: &[State]) -> Vec<State> {
        in_chunks(requests, |chunk| by_key(chunk, State::instance, permute_states))
    }
}

/// Filecoin's fixed-length hash of a tagged preimage.
pub struct FilecoinHash;

operation_over!(FilecoinHash, Preimage, Fr, "poseidon.filecoin_hash", |preimage| {
    preimage.elements().len()
});

impl Compute for FilecoinHash {
    const BRIEF: Amount = BRIEF;
    const PIECE: Amount = PIECE;

    fn compute(request: &Preimage) -> Fr {
        request.digest()
    }

    fn compute_batch(requests: &[Preimage]) -> Vec<Fr> {
        in_chunks(requests, |chunk| by_key(chunk, Preimage::instance, digests))
    }
}

/// Starknet's hashes.
pub struct StarknetHash;

operation_over!(StarknetHash, StarknetInput, Felt, "poseidon.starknet_hash", |input| {
    match input {
        StarknetInput::Pair(..) => 2,
        StarknetInput::Single(_) => 1,
        StarknetInput::Many(elements) => elements.len(),
    }
});

impl Compute for StarknetHash {
    const BRIEF: Amount = BRIEF;
    const PIECE: Amount = PIECE;

    fn compute(request: &StarknetInput) -> Felt {
        match request {
            StarknetInput::Pair(x, y) => starknet::hash(*x, *y),
            StarknetInput::Single(x) => starknet::hash_single(*x),
            StarknetInput::Many(elements) => starknet::hash_many(elements),
        }
    }

    fn compute_batch(requests: &[StarknetInput]) -> Vec<Felt> {
        in_chunks(requests, starknet_batch::hash_batch)
    }
}

/// The hash of circom's Poseidon.
pub struct CircomHash;

operation_over!(CircomHash, Inputs, Element, "circom.hash", |inputs| inputs.width());

impl Compute for CircomHash {
    const BRIEF: Amount = BRIEF;
    const PIECE: Amount = PIECE;

    fn compute(request: &Inputs) -> Element {
        circom::hash_all_with(Backend::active(), &[request]).first().copied().unwrap_or_default()
    }

    fn compute_batch(requests: &[Inputs]) -> Vec<Element> {
        let answer = |inputs: &[&Inputs]| circom::hash_all_with(Backend::active(), inputs);
        in_chunks(requests, |chunk| by_key(chunk, Inputs::width, answer))
    }
}

/// Permutes states of one instance.
fn permute_states(states: &[&State]) -> Vec<State> {
    let Some(instance) = states.first().map(|state| state.instance()) else { return Vec::new() };
    let mut permuted: Vec<State> = states.iter().map(|state| (*state).clone()).collect();
    match instance.family() {
        Family::Filecoin(strength) => {
            let permute = |elements: &mut [Fr]| {
                optimized::permute_filecoin_batch(strength, instance.width(), elements);
            };
            side_by_side(&mut permuted, filecoin_elements, permute);
        }
        Family::Stark => {
            let permute =
                |elements: &mut [Felt]| optimized::permute_stark_batch(instance.width(), elements);
            side_by_side(&mut permuted, stark_elements, permute);
        }
    }
    permuted
}

/// Permutes copies of the states' elements, laid out contiguously.
fn side_by_side<F: Copy>(
    states: &mut [State],
    elements: impl Fn(&mut State) -> &mut [F],
    permute: impl Fn(&mut [F]),
) {
    let mut all: Vec<F> = Vec::new();
    states.iter_mut().for_each(|state| all.extend_from_slice(elements(state)));
    permute(&mut all);
    let mut rest = &all[..];
    for state in states {
        let state = elements(state);
        let (permuted, others) = rest.split_at(state.len());
        state.copy_from_slice(permuted);
        rest = others;
    }
}

fn filecoin_elements(state: &mut State) -> &mut [Fr] {
    match state.elements_mut() {
        StateElements::Filecoin(elements) => elements,
        StateElements::Stark(_) => &mut [],
    }
}

fn stark_elements(state: &mut State) -> &mut [Felt] {
    match state.elements_mut() {
        StateElements::Stark(elements) => elements,
        StateElements::Filecoin(_) => &mut [],
    }
}

/// Digests of preimages of one instance.
fn digests(preimages: &[&Preimage]) -> Vec<Fr> {
    let Some(instance) = preimages.first().map(|preimage| preimage.instance()) else {
        return Vec::new();
    };
    let mut states = Vec::with_capacity(preimages.len() * instance.width());
    preimages.iter().for_each(|preimage| states.extend_from_slice(preimage.elements()));
    match instance.family() {
        Family::Filecoin(strength) => {
            optimized::filecoin_digests(strength, instance.width(), &states)
        }
        Family::Stark => Vec::new(),
    }
}
