// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Poseidon2 and circom's Poseidon against vectors of their origins, on every backend.

use std::collections::{BTreeMap, BTreeSet};

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase};
use halimede_arith::job::Compute;
use halimede_arith::{Backend, Field, Fr};
use halimede_poseidon::circom::{self, CircomError, Inputs};
use halimede_poseidon::merkle::MerkleError;
use halimede_poseidon::operations::{CircomHash, RunPoseidon2};
use halimede_poseidon::optimized::circom_digests_with;
use halimede_poseidon::poseidon2::{
    self, permute_plainly, Instance, Parameters, Request, RequestError, Task,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha20Rng;
use serde::Deserialize;

#[derive(Deserialize)]
struct Vector {
    kind: String,
    instance: String,
    origin: String,
    input: Vec<String>,
    output: Vec<String>,
}

fn vectors(text: &str) -> Vec<Vector> {
    serde_json::from_str(text).unwrap()
}

fn poseidon2_vectors() -> Vec<Vector> {
    vectors(include_str!("../../vectors/poseidon2.json"))
}

fn circom_vectors() -> Vec<Vector> {
    vectors(include_str!("../../vectors/circom.json"))
}

fn bytes(numbers: &[String]) -> Vec<[u8; 32]> {
    let number = |text: &String| halimede_arith::interface::parse_number(text).unwrap();
    numbers.iter().map(number).collect()
}

fn request(vector: &Vector) -> Request {
    let task = match &vector.kind[..] {
        "permute" => Task::Permute,
        "compress" => Task::Compress,
        _ => Task::Hash,
    };
    let instance = vector.instance.parse().unwrap();
    Request::from_le_bytes(instance, task, &bytes(&vector.input)).unwrap()
}

#[test]
fn poseidon2_agrees_with_its_origins() {
    let vectors = poseidon2_vectors();
    let requests: Vec<Request> = vectors.iter().map(request).collect();
    let replies = RunPoseidon2::compute_batch(&requests);
    for ((vector, request), reply) in vectors.iter().zip(&requests).zip(replies) {
        let name = format!("{} of {} ({})", vector.kind, vector.instance, vector.origin);
        assert_eq!(reply.to_le_bytes(), bytes(&vector.output), "{name}");
        assert_eq!(RunPoseidon2::compute(request), reply, "{name}");
    }
}

/// Every instance has vectors, and those of BN254's width 3 have two origins.
#[test]
fn every_instance_has_vectors() {
    let mut origins: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for vector in poseidon2_vectors() {
        origins.entry(vector.instance).or_default().insert(vector.origin);
    }
    for instance in Instance::all() {
        assert!(origins.contains_key(instance.name()), "{instance}");
    }
    assert_eq!(origins["bn254-3"].len(), 2);
    assert_eq!(origins["bn254-4"].len(), 3);
}

#[test]
fn circom_agrees_with_its_origins() {
    let vectors = circom_vectors();
    let inputs: Vec<Inputs> = vectors
        .iter()
        .map(|vector| Inputs::from_le_bytes(&bytes(&vector.input)).unwrap())
        .collect();
    let digests = CircomHash::compute_batch(&inputs);
    let mut counts = [0; circom::MAX_INPUTS + 1];
    for ((vector, inputs), digest) in vectors.iter().zip(&inputs).zip(digests) {
        let name = format!("{} ({})", vector.instance, vector.origin);
        assert_eq!(digest.to_le_bytes(), bytes(&vector.output)[0], "{name}");
        assert_eq!(circom::hash(inputs.elements()).unwrap(), digest, "{name}");
        counts[inputs.elements().len()] += 1;
    }
    assert!(counts[1..].iter().all(|count| *count > 0), "{counts:?}");
}

/// Random states on every backend against the plain rounds.
#[test]
fn circom_agrees_with_the_plain_rounds_on_every_backend() {
    let mut random = ChaCha20Rng::seed_from_u64(4);
    for width in 2..=circom::MAX_WIDTH {
        let parameters = circom::Parameters::new(width).unwrap();
        for count in [1, 8, 9, 10, 35] {
            let states: Vec<circom::Element> =
                (0..width * count).map(|_| Field::from_integer(random.gen())).collect();
            let plainly = |state: &[circom::Element]| {
                let mut state = state.to_vec();
                circom::permute(&parameters, &mut state);
                state[0]
            };
            let expected: Vec<circom::Element> = states.chunks(width).map(plainly).collect();
            for backend in Backend::ALL {
                let digests = circom_digests_with(backend, width, &states);
                assert_eq!(digests, expected, "{count} states of width {width} on {backend}");
            }
        }
    }
    assert!(circom::Parameters::new(1).is_none() && circom::Parameters::new(18).is_none());
    assert!(circom_digests_with(Backend::Portable, 18, &[Field::ONE; 18]).is_empty());
}

#[test]
fn bad_inputs_are_refused() {
    let one = [1; 32];
    let max = [255; 32];
    assert_eq!(Inputs::new(&[]), Err(CircomError::Count { got: 0 }));
    assert_eq!(Inputs::from_le_bytes(&[one; 17]), Err(CircomError::Count { got: 17 }));
    let error = Inputs::from_le_bytes(&[one, max]).unwrap_err();
    assert!(matches!(error, CircomError::Element { position: 1, .. }));
    let instance = |name: &str| name.parse::<Instance>().unwrap();
    for (name, task) in [
        ("bn254-2", Task::Compress),
        ("bn254-4", Task::Compress),
        ("gnark-bn254-3", Task::Compress),
        ("bn254-3", Task::Hash),
        ("bls12-381-4", Task::Hash),
    ] {
        let error = Request::from_le_bytes(instance(name), task, &[one; 2]).unwrap_err();
        assert!(matches!(error, RequestError::Undefined { .. }), "{name}");
        assert!(error.to_string().starts_with(name), "{error}");
    }
    for (task, count, expected) in [(Task::Permute, 2, 3), (Task::Compress, 3, 2)] {
        let error = Request::from_le_bytes(instance("vesta-3"), task, &vec![one; count]);
        assert_eq!(error, Err(RequestError::Count { expected, got: count }));
    }
    let error = Request::from_le_bytes(instance("pallas-3"), Task::Permute, &[one, max, one]);
    assert!(error.unwrap_err().to_string().starts_with("element 1: "));
}

#[test]
fn trees_are_hashes_of_hashes() {
    let leaves: Vec<circom::Element> = (0..81).map(Field::from).collect();
    let rows = circom::tree(3, &leaves).unwrap();
    assert_eq!(rows.iter().map(Vec::len).collect::<Vec<_>>(), [81, 27, 9, 3, 1]);
    for (below, above) in rows.iter().zip(&rows[1..]) {
        for (children, node) in below.chunks(3).zip(above) {
            assert_eq!(circom::hash(children).unwrap(), *node);
        }
    }
    assert_eq!(circom::tree(2, &leaves), Err(MerkleError::NotFull { leaves: 81, arity: 2 }));
    assert_eq!(circom::tree(17, &leaves), Err(MerkleError::Arity { got: 17, most: 16 }));

    let instance: Instance = "bn254-3".parse().unwrap();
    let rows = poseidon2::tree(instance, &leaves[..64]).unwrap();
    let parameters = Parameters::<Bn254Scalar>::new(instance).unwrap();
    for (below, above) in rows.iter().zip(&rows[1..]) {
        for (children, node) in below.chunks(2).zip(above) {
            let mut state = [children[0], children[1], Field::ZERO];
            permute_plainly(&parameters, &mut state);
            assert_eq!(state[0], *node);
        }
    }
    for (instance, leaves) in [("bn254-4", 2), ("bls12-381-3", 2), ("bn254-3", 3), ("bn254-3", 1)] {
        assert!(poseidon2::tree(
            instance.parse().unwrap(),
            &vec![Field::<Bn254Scalar>::ONE; leaves]
        )
        .is_err());
    }
    let sum = poseidon2::tree("gnark-bls12-381-2".parse().unwrap(), &[Fr::ONE, -Fr::ONE]).unwrap();
    let parameters =
        Parameters::<Bls12381Scalar>::new("gnark-bls12-381-2".parse().unwrap()).unwrap();
    let mut state = [Fr::ONE, -Fr::ONE];
    permute_plainly(&parameters, &mut state);
    assert_eq!(sum[1], [state[1] - Fr::ONE]);
    assert!(Parameters::<PallasBase>::new("gnark-bls12-381-2".parse().unwrap()).is_none());
}
