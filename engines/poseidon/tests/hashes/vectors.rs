// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Published known answers, in both round structures and on every backend, and the digests of the
//! round constants.

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::job::Compute;
use halimede_arith::{Backend, Felt, Field, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::operations::{Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{
    optimized, plain, Family, Instance, PoseidonField, State, StateElements, Strength,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The number of states of a batch: eight lanes plus one.
const BATCH: usize = 9;

fn vectors() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vectors/poseidon.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn elements<M: Modulus>(list: &Value) -> Vec<Field<M>> {
    list.as_array().unwrap().iter().map(|text| text.as_str().unwrap().parse().unwrap()).collect()
}

fn element<M: Modulus>(text: &Value) -> Field<M> {
    text.as_str().unwrap().parse().unwrap()
}

fn plainly<M: PoseidonField>(instance: Instance, input: &[Field<M>]) -> Vec<Field<M>> {
    let mut state = input.to_vec();
    plain::permute(&M::parameters(instance).unwrap(), &mut state);
    state
}

/// Returns the permuted state; checks that the operation, each backend, and each position in a
/// batch agree on it.
fn optimized_stark(input: &[Felt]) -> Vec<Felt> {
    let StateElements::Stark(expected) =
        Permute::compute(&State::stark(input).unwrap()).elements().clone()
    else {
        panic!("a Stark state was returned as a Filecoin state");
    };
    for backend in Backend::available_for_fields() {
        let mut single = input.to_vec();
        optimized::permute_stark_with(backend, &mut single);
        assert_eq!(single, expected.to_vec(), "{backend}");
        let mut batch = input.repeat(BATCH);
        optimized::permute_stark_batch_with(backend, input.len(), &mut batch);
        assert_eq!(batch, expected.repeat(BATCH), "{backend}");
    }
    expected.to_vec()
}

/// Like [`optimized_stark`]; checks digests too.
fn optimized_filecoin(strength: Strength, input: &[Fr]) -> Vec<Fr> {
    let StateElements::Filecoin(expected) =
        Permute::compute(&State::filecoin(strength, input).unwrap()).elements().clone()
    else {
        panic!("a Filecoin state was returned as a Stark state");
    };
    let width = input.len();
    for backend in Backend::available_for_fields() {
        let mut single = input.to_vec();
        optimized::permute_filecoin_with(backend, strength, &mut single);
        assert_eq!(single, expected.to_vec(), "{backend}");
        let digest = optimized::filecoin_digest_with(backend, strength, input);
        assert_eq!(digest, Some(expected[1]), "{backend}");
        let mut batch = input.repeat(BATCH);
        let digests = optimized::filecoin_digests_with(backend, strength, width, &batch);
        assert_eq!(digests, [expected[1]; BATCH], "{backend}");
        optimized::permute_filecoin_batch_with(backend, strength, width, &mut batch);
        assert_eq!(batch, expected.repeat(BATCH), "{backend}");
    }
    expected.to_vec()
}

fn check_constants<M: PoseidonField>(instance: Instance, expected: &Value) {
    let parameters = M::parameters(instance).unwrap();
    let mut hash = Sha256::new();
    for constant in &parameters.round_constants {
        hash.update(constant.to_be_bytes());
    }
    let digest: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(digest, expected["sha256_of_round_constants_be32_concat"], "{instance}");
    let count = parameters.round_constants.len() as u64;
    assert_eq!(Some(count), expected["n_round_constants"].as_u64());
    assert_eq!(parameters.round_constants[0], element(&expected["first_round_constant"]));
    assert_eq!(instance.full_rounds() as u64, expected["full_rounds"].as_u64().unwrap());
    assert_eq!(instance.partial_rounds() as u64, expected["partial_rounds"].as_u64().unwrap());
    assert_eq!(u64::from(instance.alpha()), expected["alpha"].as_u64().unwrap());
    let sbox = expected["partial_sbox_index"].as_u64().unwrap();
    assert_eq!(instance.partial_sbox_index() as u64, sbox);
    if let Some(corner) = expected.get("mds_00") {
        assert_eq!(parameters.mds.rows()[0][0], element(corner));
    }
    if let Some(rows) = expected.get("mds") {
        for (row, expected) in parameters.mds.rows().iter().zip(rows.as_array().unwrap()) {
            for (entry, expected) in row.iter().zip(expected.as_array().unwrap()) {
                let expected = expected.as_i64().unwrap();
                let magnitude = Field::from(expected.unsigned_abs());
                assert_eq!(*entry, if expected < 0 { -magnitude } else { magnitude });
            }
        }
    }
}

#[test]
fn round_constants_have_the_published_digests() {
    let vectors = vectors();
    for instance in Instance::published() {
        let width = instance.width();
        match instance.family() {
            Family::Stark => {
                let all = &vectors["stark_poseidon_permutation"]["params"];
                check_constants::<StarkPrime>(instance, &all[width.to_string()]);
            }
            Family::Filecoin(_) => {
                let all = &vectors["filecoin_poseidon"]["params"];
                let name = format!("t{width}_RP{}", instance.partial_rounds());
                check_constants::<Bls12381Scalar>(instance, &all[name]);
            }
        }
    }
}

#[test]
fn stark_permutations_match() {
    let vectors = vectors();
    let list = vectors["stark_poseidon_permutation"]["vectors"].as_array().unwrap();
    assert!(!list.is_empty());
    for vector in list {
        let input: Vec<Felt> = elements(&vector["input"]);
        let output: Vec<Felt> = elements(&vector["output"]);
        let instance = Instance::new(Family::Stark, input.len()).unwrap();
        let iterations = vector.get("iterations").map_or(1, |count| count.as_u64().unwrap());
        let mut plain = input.clone();
        let mut optimized = input;
        let parameters = StarkPrime::parameters(instance).unwrap();
        for _ in 0..iterations {
            plain::permute(&parameters, &mut plain);
            optimized = optimized_stark(&optimized);
        }
        assert_eq!(plain, output, "plain, {instance}");
        assert_eq!(optimized, output, "optimized, {instance}");
    }
}

#[test]
fn starknet_hashes_match() {
    let vectors = vectors();
    for vector in vectors["starknet_hash"]["vectors"].as_array().unwrap() {
        let input: Vec<Felt> = elements(&vector["input"]);
        let request = match (vector["fn"].as_str().unwrap(), input.as_slice()) {
            ("poseidon_hash", [x, y]) => StarknetInput::Pair(*x, *y),
            ("poseidon_hash_single", [x]) => StarknetInput::Single(*x),
            ("poseidon_hash_many", many) => StarknetInput::Many(many.to_vec()),
            ("hades_permutation", state) => {
                assert_eq!(optimized_stark(state), elements(&vector["output"]));
                continue;
            }
            other => panic!("unknown vector {other:?}"),
        };
        let expected: Felt = match &vector["output"] {
            Value::Array(_) => elements(&vector["output"])[0],
            single => element(single),
        };
        assert_eq!(StarknetHash::compute(&request), expected, "{request:?}");
    }
}

#[test]
fn filecoin_hashes_and_states_match() {
    let vectors = vectors();
    let list = vectors["filecoin_poseidon"]["vectors"].as_array().unwrap();
    assert!(!list.is_empty());
    for vector in list {
        let input: Vec<Fr> = elements(&vector["input"]);
        let strength = match vector["strength"].as_str().unwrap() {
            "Standard" => Strength::Standard,
            _ => Strength::Strengthened,
        };
        let hash_type = match vector["hash_type"].as_str().unwrap() {
            "MerkleTree" => HashType::MerkleTree,
            name if name.starts_with("ConstantLength") => HashType::ConstantLength,
            other => panic!("unknown hash type {other}"),
        };
        let arity = vector["arity"].as_u64().unwrap() as usize;
        let hasher = Hasher::new(arity, strength, hash_type).unwrap();
        let digest: Fr = element(&vector["digest"]);
        assert_eq!(hasher.hash(&input).unwrap(), digest);

        // The vectors of short preimages give only the digest.
        if vector.get("full_output_state").is_none() {
            assert!(input.len() < arity);
            continue;
        }
        let mut state = vec![element(&vector["initial_element0"])];
        state.extend(&input);
        let output: Vec<Fr> = elements(&vector["full_output_state"]);
        assert_eq!(plainly(hasher.instance(), &state), output, "plain, {}", hasher.instance());
        assert_eq!(optimized_filecoin(strength, &state), output, "{}", hasher.instance());
    }
}
