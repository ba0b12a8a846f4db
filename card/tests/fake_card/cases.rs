// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests of every operation: the edges of the fields, then random requests from a seed.

use halimede_arith::{Felt, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::StarknetInput;
use halimede_poseidon::{State, Strength};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The source of the random cases.
pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// 0, 1, p − 1, and random elements.
pub fn fr(generator: &mut ChaCha8Rng) -> Fr {
    match generator.gen_range(0..10) {
        0 => Fr::ZERO,
        1 => Fr::ONE,
        2 => -Fr::ONE,
        _ => Fr::from_canonical_limbs([
            generator.gen(),
            generator.gen(),
            generator.gen(),
            generator.gen::<u64>() >> 2,
        ])
        .unwrap(),
    }
}

/// 0, 1, p − 1, and random elements.
pub fn felt(generator: &mut ChaCha8Rng) -> Felt {
    match generator.gen_range(0..10) {
        0 => Felt::ZERO,
        1 => Felt::ONE,
        2 => -Felt::ONE,
        _ => Felt::from_canonical_limbs([
            generator.gen(),
            generator.gen(),
            generator.gen(),
            generator.gen::<u64>() >> 5,
        ])
        .unwrap(),
    }
}

/// States of both families, width 3 and 5.
pub fn states(count: usize, seed: u64) -> Vec<State> {
    let generator = &mut generator(seed);
    let state = |index: usize| {
        let width = if index.is_multiple_of(3) { 5 } else { 3 };
        if index.is_multiple_of(2) {
            let elements: Vec<Fr> = (0..width).map(|_| fr(generator)).collect();
            State::filecoin(Strength::Standard, &elements).unwrap()
        } else {
            let elements: Vec<Felt> = (0..width).map(|_| felt(generator)).collect();
            State::stark(&elements).unwrap()
        }
    };
    (0..count).map(state).collect()
}

/// Preimages of arity 2 of every hash type.
pub fn preimages(count: usize, seed: u64) -> Vec<Preimage> {
    let generator = &mut generator(seed);
    let types = [HashType::MerkleTree, HashType::ConstantLength, HashType::Encryption];
    let preimage = |index: usize| {
        let hasher = Hasher::new(2, Strength::Standard, types[index % types.len()]).unwrap();
        hasher.preimage(&[fr(generator), fr(generator)]).unwrap()
    };
    (0..count).map(preimage).collect()
}

/// Starknet hashes of all three kinds, with sponges of 0 to 12 elements.
pub fn starknet_inputs(count: usize, seed: u64) -> Vec<StarknetInput> {
    let generator = &mut generator(seed);
    let input = |index: usize| match index % 4 {
        0 => StarknetInput::Pair(felt(generator), felt(generator)),
        1 => StarknetInput::Single(felt(generator)),
        _ => StarknetInput::Many((0..index % 13).map(|_| felt(generator)).collect()),
    };
    (0..count).map(input).collect()
}
