// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon's permutations and hashes.

use halimede_arith::field::{Modulus, StarkPrime};
use halimede_arith::job::Operation;
use halimede_arith::{Felt, Field, Fr};
use halimede_cuda::poseidon::{
    CircomHashOnGpu, FilecoinHashOnGpu, PermuteOnGpu, Poseidon2OnGpu, StarknetHashOnGpu,
};
use halimede_poseidon::circom::Inputs;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::{
    CircomHash, FilecoinHash, Permute, RunPoseidon2, StarknetHash, StarknetInput,
};
use halimede_poseidon::poseidon2::{self, Request, Task};
use halimede_poseidon::{Family, Instance, State, Strength};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::{agree, place, random, reasons};

/// Zero, one, the largest element, or any element.
fn element<M: Modulus>(random: &mut ChaCha8Rng) -> Field<M> {
    match random.gen_range(0..8) {
        0 => Field::ZERO,
        1 => Field::ONE,
        2 => -Field::ONE,
        _ => Field::from_integer(random.gen()),
    }
}

fn state(instance: Instance, random: &mut ChaCha8Rng) -> State {
    match instance.family() {
        Family::Filecoin(strength) => {
            let elements: Vec<Fr> = (0..instance.width()).map(|_| element(random)).collect();
            State::filecoin(strength, &elements).unwrap()
        }
        Family::Stark => {
            let elements: Vec<Felt> = (0..instance.width()).map(|_| element(random)).collect();
            State::stark(&elements).unwrap()
        }
    }
}

#[test]
fn permutations_of_all_instances() {
    let Some(place) = place() else { return };
    let mut random = random(1);
    let (few, wide): (Vec<Instance>, Vec<Instance>) =
        Instance::all().partition(|instance| instance.width() <= 24);
    let states: Vec<State> =
        (0..2).flat_map(|_| few.clone()).map(|instance| state(instance, &mut random)).collect();
    agree::<PermuteOnGpu>(&place, Permute::batch(&states));
    let states: Vec<State> = wide.iter().map(|one| state(*one, &mut random)).collect();
    assert!(!wide.is_empty());
    let reasons = reasons::<PermuteOnGpu>(&place, Permute::batch(&states));
    assert_eq!(reasons.len(), wide.len());
    assert!(reasons[0].1.starts_with("width 25: "), "{}", reasons[0].1);
}

#[test]
fn filecoin_hashes() {
    let Some(place) = place() else { return };
    let mut random = random(2);
    let mut preimages = Vec::new();
    for number in 0..160 {
        let arity = [2, 4, 8, 11, 3, 20][number % 6];
        let strength = [Strength::Standard, Strength::Strengthened][number / 6 % 2];
        let hasher = Hasher::new(arity, strength, HashType::MerkleTree).unwrap();
        let elements: Vec<Fr> = (0..arity).map(|_| element(&mut random)).collect();
        preimages.push(hasher.preimage(&elements).unwrap());
    }
    agree::<FilecoinHashOnGpu>(&place, FilecoinHash::batch(&preimages));
}

#[test]
fn starknet_hashes() {
    let Some(place) = place() else { return };
    let mut random = random(3);
    let mut felt = || element::<StarkPrime>(&mut random);
    let mut inputs = Vec::new();
    for length in 0..70 {
        inputs.push(StarknetInput::Pair(felt(), felt()));
        inputs.push(StarknetInput::Single(felt()));
        inputs.push(StarknetInput::Many((0..length % 9).map(|_| felt()).collect()));
    }
    agree::<StarknetHashOnGpu>(&place, StarknetHash::batch(&inputs));
}

#[test]
fn circom_hashes() {
    let Some(place) = place() else { return };
    let mut random = random(4);
    let inputs: Vec<Inputs> = (0..48)
        .map(|number| {
            let elements: Vec<_> = (0..1 + number % 16).map(|_| element(&mut random)).collect();
            Inputs::new(&elements).unwrap()
        })
        .collect();
    agree::<CircomHashOnGpu>(&place, CircomHash::batch(&inputs));
}

#[test]
fn poseidon2_of_all_instances() {
    let Some(place) = place() else { return };
    let mut random = random(5);
    let mut requests = Vec::new();
    for (number, instance) in (0..3).flat_map(|_| poseidon2::Instance::all()).enumerate() {
        // Numbers below 2²⁴⁸ are elements of every field.
        let mut number_bytes = |_| {
            let mut bytes: [u8; 32] = random.gen();
            bytes[31] = 0;
            if number % 5 == 0 {
                [0; 32]
            } else {
                bytes
            }
        };
        let numbers: Vec<[u8; 32]> = (0..instance.width()).map(&mut number_bytes).collect();
        requests.push(Request::from_le_bytes(instance, Task::Permute, &numbers).unwrap());
        let pair: Vec<[u8; 32]> = (0..2).map(&mut number_bytes).collect();
        requests.extend(Request::from_le_bytes(instance, Task::Compress, &pair));
        let list: Vec<[u8; 32]> = (0..number % 8).map(&mut number_bytes).collect();
        requests.extend(Request::from_le_bytes(instance, Task::Hash, &list));
    }
    assert!(requests.iter().any(|request| request.task() == Task::Hash));
    agree::<Poseidon2OnGpu>(&place, RunPoseidon2::batch(&requests));
}
