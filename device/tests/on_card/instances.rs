// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every Poseidon instance on the simulated card, all of them mixed in one stream: published
//! answers, the plain round structure, and the processor.

use crate::common::{card_device, has_card, is_sweep};
use crate::fake_card::cases;
use halimede_arith::field::Modulus;
use halimede_arith::job::{Compute, Execute};
use halimede_arith::{Felt, Field, Fr};
use halimede_device::Device;
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::known_answers::KnownAnswers;
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash};
use halimede_poseidon::{plain, Family, Instance, PoseidonField, State};
use halimede_poseidon_wire::poseidon_instances;
use serde_json::Value;

const SEED: u64 = 20_261_122;

/// The default card, which has every published instance.
fn card() -> (Device, Vec<Instance>) {
    let device = card_device();
    let here = poseidon_instances(device.card().unwrap().opening_status());
    let published: Vec<Instance> = Instance::published().collect();
    assert_eq!(here, published);
    assert_eq!(here.len(), 12);
    (device, here)
}

/// A random state, with edge cases among its elements.
fn random_state(instance: Instance, generator: &mut rand_chacha::ChaCha8Rng) -> State {
    let width = instance.width();
    match instance.family() {
        Family::Filecoin(strength) => {
            let elements: Vec<Fr> = (0..width).map(|_| cases::fr(generator)).collect();
            State::filecoin(strength, &elements).unwrap()
        }
        Family::Stark => {
            let elements: Vec<Felt> = (0..width).map(|_| cases::felt(generator)).collect();
            State::stark(&elements).unwrap()
        }
    }
}

fn plainly<M: PoseidonField>(instance: Instance, state: &[Field<M>]) -> Vec<Field<M>> {
    let mut state = state.to_vec();
    plain::permute(&M::parameters(instance).unwrap(), &mut state);
    state
}

/// Field elements of the state's field.
fn parse<M: Modulus>(state: &State) -> Vec<Field<M>> {
    state.to_le_bytes().iter().map(|bytes| Field::from_le_bytes(bytes).unwrap()).collect()
}

/// The permutation by the plain round structure, which no device uses.
fn reference(state: &State) -> State {
    let instance = state.instance();
    match instance.family() {
        Family::Filecoin(strength) => State::filecoin(
            strength,
            &plainly::<halimede_arith::field::Bls12381Scalar>(instance, &parse(state)),
        ),
        Family::Stark => {
            State::stark(&plainly::<halimede_arith::field::StarkPrime>(instance, &parse(state)))
        }
    }
    .unwrap()
}

#[test]
fn every_published_answer_and_every_instance_in_one_stream() {
    if !has_card() {
        return;
    }
    let (device, instances) = card();
    let answers = KnownAnswers::published().unwrap();
    let mut pairs = answers.permutations.clone();
    // The strengthened instances have no published answers: uses the plain rounds.
    let generator = &mut cases::generator(SEED);
    for instance in &instances {
        for _ in 0..4 {
            let state = random_state(*instance, generator);
            pairs.push((state.clone(), reference(&state)));
        }
    }
    // Instances alternate: neighbors have different instances.
    let mut mixed: Vec<(State, State)> = Vec::new();
    let mut by_instance: Vec<Vec<(State, State)>> = instances
        .iter()
        .map(|instance| {
            pairs.iter().filter(|(input, _)| input.instance() == *instance).cloned().collect()
        })
        .collect();
    while by_instance.iter().any(|pairs| !pairs.is_empty()) {
        mixed.extend(by_instance.iter_mut().filter_map(Vec::pop));
    }
    assert_eq!(mixed.len(), pairs.len());
    let inputs: Vec<State> = mixed.iter().map(|(input, _)| input.clone()).collect();
    let batch = Execute::<Permute>::execute(&device, &inputs).unwrap();
    for ((input, expected), got) in mixed.iter().zip(&batch.replies) {
        assert_eq!(got, expected, "{}", input.instance());
    }

    let hashes = &answers.filecoin_hashes;
    let preimages: Vec<Preimage> = hashes.iter().map(|hash| hash.preimage.clone()).collect();
    let digests = Execute::<FilecoinHash>::execute(&device, &preimages).unwrap().replies;
    assert_eq!(digests, hashes.iter().map(|hash| hash.digest).collect::<Vec<_>>());
    let (inputs, expected): (Vec<_>, Vec<Felt>) = answers.starknet_hashes.into_iter().unzip();
    let digests = Execute::<StarknetHash>::execute(&device, &inputs).unwrap().replies;
    assert_eq!(digests, expected);
    assert_eq!((hashes.len(), expected.len()), (24, 7));
}

#[test]
fn random_cases_of_every_instance_are_the_processors() {
    if !has_card() {
        return;
    }
    let (device, instances) = card();
    // Many times more states than the card has contexts.
    let a_width = if is_sweep() { 2_000 } else { 40 };
    let generator = &mut cases::generator(SEED + 1);
    let state = |index: usize| random_state(instances[index % instances.len()], generator);
    let states: Vec<State> = (0..a_width * instances.len()).map(state).collect();
    let batch = Execute::<Permute>::execute(&device, &states).unwrap();
    let expected = Permute::compute_batch(&states);
    for ((input, expected), got) in states.iter().zip(&expected).zip(&batch.replies) {
        assert!(got == expected, "{}: {:?}", input.instance(), input.to_le_bytes());
    }
    println!("{} states, {:?} clocks", states.len(), batch.timing.card_clocks);

    // Digests of every Filecoin instance, with its tags.
    let mut preimages = Vec::new();
    for round in 0..a_width / 20 {
        for instance in &instances {
            let Family::Filecoin(strength) = instance.family() else { continue };
            let arity = instance.width() - 1;
            let kind = if round % 2 == 0 { HashType::MerkleTree } else { HashType::ConstantLength };
            let hasher = Hasher::new(arity, strength, kind).unwrap();
            let elements: Vec<Fr> = (0..arity).map(|_| cases::fr(generator)).collect();
            preimages.push(hasher.preimage(&elements).unwrap());
        }
    }
    let digests = Execute::<FilecoinHash>::execute(&device, &preimages).unwrap().replies;
    assert_eq!(digests, FilecoinHash::compute_batch(&preimages));
}

/// Published states after a thousand consecutive permutations on the card: one job at a time, so
/// only in a sweep.
#[test]
fn published_iterations_in_a_sweep() {
    if !is_sweep() || !has_card() {
        return;
    }
    let (device, _) = card();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../engines/poseidon/vectors/poseidon.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let state = |value: &Value| {
        let elements = value.as_array().unwrap().iter();
        let elements: Vec<Felt> =
            elements.map(|text| text.as_str().unwrap().parse().unwrap()).collect();
        State::stark(&elements).unwrap()
    };
    let vectors = vectors["stark_poseidon_permutation"]["vectors"].as_array().unwrap();
    let iterated: Vec<&Value> =
        vectors.iter().filter(|vector| vector["iterations"].is_number()).collect();
    assert_eq!(iterated.len(), 2);
    let mut states: Vec<State> = iterated.iter().map(|vector| state(&vector["input"])).collect();
    let iterations = iterated[0]["iterations"].as_u64().unwrap();
    assert!(iterated.iter().all(|vector| vector["iterations"] == iterations));
    for _ in 0..iterations {
        states = Execute::<Permute>::execute(&device, &states).unwrap().replies;
    }
    let expected: Vec<State> = iterated.iter().map(|vector| state(&vector["output"])).collect();
    assert_eq!(states, expected);
}
