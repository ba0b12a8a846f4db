// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the optimized permutation with the plain one on edge cases and random states, and
//! checks the errors of the hashes.

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::job::Compute;
use halimede_arith::{Felt, Field, Fr};
use halimede_poseidon::filecoin::{CustomId, HashType, Hasher, PreimageError};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{
    plain, starknet, Family, Instance, PoseidonField, State, StateError, Strength,
};
use proptest::prelude::*;

/// A field element from a seed; the first few seeds are the edges 0, 1, 2, p−1 and p−2.
fn element<M: PoseidonField>(seed: u64) -> Field<M> {
    match seed {
        0..=2 => Field::from(seed),
        3..=4 => -Field::from(seed - 2),
        _ => Field::from(seed).pow(&[seed | 1]),
    }
}

fn seed() -> impl Strategy<Value = u64> {
    prop_oneof![0..5u64, any::<u64>()]
}

fn state_bytes(instance: Instance, seeds: &[u64]) -> Vec<[u8; 32]> {
    let seeds = seeds[..instance.width()].iter();
    match instance.family() {
        Family::Stark => seeds.map(|&s| element::<StarkPrime>(s).to_le_bytes()).collect(),
        Family::Filecoin(_) => seeds.map(|&s| element::<Bls12381Scalar>(s).to_le_bytes()).collect(),
    }
}

fn plainly<M: PoseidonField>(instance: Instance, seeds: &[u64]) -> Vec<[u8; 32]> {
    let mut state: Vec<Field<M>> =
        seeds[..instance.width()].iter().map(|&seed| element(seed)).collect();
    plain::permute(&M::parameters(instance).unwrap(), &mut state);
    state.iter().map(Field::to_le_bytes).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn optimized_equals_plain(seeds in prop::collection::vec(seed(), 12)) {
        for instance in Instance::published() {
            let state = State::from_le_bytes(instance, &state_bytes(instance, &seeds)).unwrap();
            let expected = match instance.family() {
                Family::Stark => plainly::<StarkPrime>(instance, &seeds),
                Family::Filecoin(_) => plainly::<Bls12381Scalar>(instance, &seeds),
            };
            let permuted = Permute::compute(&state);
            prop_assert_eq!(permuted.to_le_bytes().to_vec(), expected, "{}", instance);
        }
    }

    #[test]
    fn hash_many_is_the_sponge_of_the_specification(seeds in prop::collection::vec(seed(), 0..9)) {
        let input: Vec<Felt> = seeds.iter().map(|&seed| element::<StarkPrime>(seed)).collect();
        let mut padded = input.clone();
        padded.push(Felt::ONE);
        if padded.len() % 2 == 1 {
            padded.push(Felt::ZERO);
        }
        let instance = Instance::new(Family::Stark, 3).unwrap();
        let parameters = StarkPrime::parameters(instance).unwrap();
        let mut state = [Felt::ZERO; 3];
        for pair in padded.chunks(2) {
            state[0] += pair[0];
            state[1] += pair[1];
            plain::permute(&parameters, &mut state);
        }
        prop_assert_eq!(starknet::hash_many(&input), state[0]);
    }

    #[test]
    fn a_batch_equals_its_parts(seeds in prop::collection::vec(seed(), 0..40)) {
        let requests: Vec<StarknetInput> = seeds
            .iter()
            .map(|&seed| match seed % 3 {
                0 => StarknetInput::Single(element::<StarkPrime>(seed)),
                1 => StarknetInput::Pair(element::<StarkPrime>(seed), Felt::from(seed)),
                _ => StarknetInput::Many(vec![Felt::from(seed); (seed % 5) as usize]),
            })
            .collect();
        let expected: Vec<Felt> = requests.iter().map(StarknetHash::compute).collect();
        prop_assert_eq!(StarknetHash::compute_batch(&requests), expected);
    }
}

/// Compares two states, one of edge cases, with the plain permutation.
fn check_two_states<M: PoseidonField>(instance: Instance) {
    let parameters = M::parameters(instance).unwrap();
    for first in [0, 0x9e37_79b9_7f4a_7c15] {
        let seeds: Vec<u64> = (0..37u64).map(|i| i.wrapping_mul(first | 1) ^ first).collect();
        let bytes = state_bytes(instance, &seeds);
        let mut expected: Vec<Field<M>> =
            bytes.iter().map(|bytes| Field::from_le_bytes(bytes).unwrap()).collect();
        plain::permute(&parameters, &mut expected);
        let expected: Vec<_> = expected.iter().map(Field::to_le_bytes).collect();
        let permuted = Permute::compute(&State::from_le_bytes(instance, &bytes).unwrap());
        assert_eq!(permuted.to_le_bytes().to_vec(), expected, "{instance}");
    }
}

#[test]
fn optimized_equals_plain_in_every_width() {
    for instance in Instance::all() {
        match instance.family() {
            Family::Stark => check_two_states::<StarkPrime>(instance),
            Family::Filecoin(_) => check_two_states::<Bls12381Scalar>(instance),
        }
    }
}

#[test]
fn tags_separate_and_constant_length_pads() {
    let input: Vec<Fr> = (1..=8).map(Fr::from).collect();
    let hash = |hash_type, length: usize| {
        let hasher = Hasher::new(8, Strength::Standard, hash_type).unwrap();
        hasher.hash(&input[..length]).unwrap()
    };
    let mut digests = vec![hash(HashType::MerkleTree, 8), hash(HashType::Encryption, 8)];
    digests.extend([1, 2, 256].map(|id| hash(HashType::Custom(CustomId::new(id).unwrap()), 8)));
    digests.extend((1..=8).map(|length| hash(HashType::ConstantLength, length)));
    let distinct: std::collections::HashSet<_> = digests.iter().collect();
    assert_eq!(distinct.len(), digests.len());

    // A short input is zero-padded and has its own tag, 3·2⁶⁴.
    let mut state = vec![Fr::from_canonical_limbs([0, 3, 0, 0]).unwrap()];
    state.extend(&input[..3]);
    state.resize(9, Fr::ZERO);
    let instance = Instance::new(Family::Filecoin(Strength::Standard), 9).unwrap();
    plain::permute(&Bls12381Scalar::parameters(instance).unwrap(), &mut state);
    assert_eq!(hash(HashType::ConstantLength, 3), state[1]);
}

#[test]
fn preimages_of_the_wrong_length_are_refused() {
    let elements = [Fr::ONE; 12];
    let merkle = Hasher::new(8, Strength::Standard, HashType::MerkleTree).unwrap();
    for length in [0, 1, 7, 9, 12] {
        let error = merkle.preimage(&elements[..length]).unwrap_err();
        assert_eq!(error, PreimageError::Length { expected: "8".into(), got: length });
    }
    let constant = Hasher::new(4, Strength::Strengthened, HashType::ConstantLength).unwrap();
    for length in [0, 5, 12] {
        assert!(constant.preimage(&elements[..length]).is_err());
    }
    for arity in [0, 1, 37, 38, usize::MAX] {
        let error = Hasher::new(arity, Strength::Standard, HashType::MerkleTree).unwrap_err();
        assert_eq!(error, PreimageError::Arity { arity });
    }
    assert!(CustomId::new(0).is_err() && CustomId::new(257).is_err());
}

#[test]
fn states_refuse_wrong_widths_and_values_not_reduced() {
    assert!(State::stark(&[Felt::ONE; 6]).is_err());
    assert!(State::filecoin(Strength::Standard, &[Fr::ONE; 38]).is_err());
    let instance: Instance = "stark-3".parse().unwrap();
    assert!(matches!(
        State::from_le_bytes(instance, &[[0; 32]; 4]),
        Err(StateError::Length { got: 4, .. })
    ));
    let refused = State::from_le_bytes(instance, &[[0; 32], [0xff; 32], [0; 32]]);
    assert!(matches!(refused, Err(StateError::Element { position: 1, .. })));
}

#[test]
fn names_are_read_back_and_have_one_spelling() {
    let instances: Vec<Instance> = Instance::all().collect();
    assert_eq!(instances.len(), 2 * 35 + 4);
    for &instance in &instances {
        assert_eq!(instance.to_string().parse(), Ok(instance));
    }
    assert!(Instance::published().all(|instance| instances.contains(&instance)));
    assert_eq!(Instance::published().count(), 12);
    let bad = [
        "filecoin-1",
        "filecoin-37",
        "filecoin-02",
        "filecoin-+2",
        "filecoin-",
        "filecoin-2-",
        "",
        "filecoin-18446744073709551615",
        "filecoin-2-strengthened-strengthened",
        "stark-6",
        "stark-03",
        "stark-3-strengthened",
        "Filecoin-2",
    ];
    for name in bad {
        let error = name.parse::<Instance>().unwrap_err().to_string();
        assert!(error.contains(&format!("{name:?}; expected filecoin-ARITY")), "{error}");
    }
    for width in [0, 2, 38, usize::MAX] {
        let error = Instance::new(Family::Filecoin(Strength::Strengthened), width).unwrap_err();
        assert_eq!(error.to_string(), format!("Filecoin has no width {width}; supported: 3 to 37"));
    }
}

#[test]
fn filecoin_batches_equal_single_hashes() {
    let hasher = Hasher::new(2, Strength::Standard, HashType::MerkleTree).unwrap();
    for count in [0, 1, 2, 3, 257] {
        let preimages: Vec<_> = (0..count)
            .map(|i| hasher.preimage(&[Fr::from(i), -Fr::from(i * i)]).unwrap())
            .collect();
        let expected: Vec<Fr> = preimages.iter().map(|preimage| preimage.digest()).collect();
        assert_eq!(FilecoinHash::compute_batch(&preimages), expected);
    }
}

#[test]
fn a_batch_of_elements_equals_single_hashes() {
    let types = [HashType::MerkleTree, HashType::ConstantLength, HashType::Encryption];
    for (arity, hash_type) in [2, 5, 8, 11].into_iter().zip(types.into_iter().cycle()) {
        let hasher = Hasher::new(arity, Strength::Strengthened, hash_type).unwrap();
        for count in [0, 1, 8, 300] {
            let elements: Vec<Fr> = (0..count * arity).map(|i| -Fr::from((i * i) as u64)).collect();
            let singles = elements.chunks(arity).map(|elements| hasher.hash(elements).unwrap());
            assert_eq!(hasher.hash_batch(&elements).unwrap(), singles.collect::<Vec<_>>());
        }
        let refused = hasher.hash_batch(&vec![Fr::ONE; 3 * arity + 1]);
        assert!(matches!(refused, Err(PreimageError::Length { got, .. }) if got == 3 * arity + 1));
    }
}
