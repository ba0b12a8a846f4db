// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs made by the crate `groth16` (bellman), verified one at a time and together.

use std::sync::{Arc, LazyLock};

use ::groth16::{create_random_proof, generate_random_parameters, Parameters};
use bls12_381::Bls12;
use halimede_arith::job::{Compute, Operation};
use halimede_bls12_381::groth16::{
    verify, verify_batch, KeyError, Proof, Rejection, VerifyingKey, PROOF_BYTES,
};
use halimede_bls12_381::operations::{ProofRequest, VerifyProof};
use halimede_bls12_381::{Fr, Point, PointError, G1, G2};
use proptest::prelude::*;

use crate::common::factors::{Factors, PeerRng};
use crate::common::{generator, peer_scalar, random_scalar, stray_point};

static PARAMETERS: LazyLock<Parameters<Bls12>> = LazyLock::new(|| {
    generate_random_parameters(Factors { secret: None }, &mut PeerRng(generator())).unwrap()
});
static KEY: LazyLock<Arc<VerifyingKey>> =
    LazyLock::new(|| Arc::new(VerifyingKey::read(&key_bytes()).unwrap()));

fn key_bytes() -> Vec<u8> {
    let mut bytes = Vec::new();
    PARAMETERS.vk.write(&mut bytes).unwrap();
    bytes
}

/// Returns a proof and its inputs.
fn prove() -> (Vec<u8>, Vec<Fr>) {
    let mut rng = generator();
    let (x, y) = (random_scalar(&mut rng), random_scalar(&mut rng));
    let secret = Some((peer_scalar(&x), peer_scalar(&y)));
    let proof =
        create_random_proof(Factors { secret }, &*PARAMETERS, &mut PeerRng(generator())).unwrap();
    let mut bytes = Vec::new();
    proof.write(&mut bytes).unwrap();
    (bytes, vec![x * y, x + y])
}

fn borrow<'a>((proof, inputs): &'a (Vec<u8>, Vec<Fr>)) -> Proof<'a> {
    Proof { proof, inputs }
}

#[test]
fn made_proofs_are_valid_and_others_are_not() {
    let (proof, inputs) = prove();
    assert_eq!(proof.len(), PROOF_BYTES);
    assert_eq!(verify(&KEY, Proof { proof: &proof, inputs: &inputs }), Ok(()));
    for wrong in 0..2 {
        let mut inputs = inputs.clone();
        inputs[wrong] += Fr::from(1);
        let verdict = verify(&KEY, Proof { proof: &proof, inputs: &inputs });
        assert_eq!(verdict, Err(Rejection::Mismatch));
    }
    for got in [0, 1, 3] {
        let inputs = vec![Fr::from(7); got];
        let verdict = verify(&KEY, Proof { proof: &proof, inputs: &inputs });
        assert_eq!(verdict, Err(Rejection::Inputs { expected: 2, got }));
    }
    for got in [0, 191, 193] {
        let proof: Vec<u8> = proof.iter().chain(&proof).copied().take(got).collect();
        let verdict = verify(&KEY, Proof { proof: &proof, inputs: &inputs });
        assert_eq!(verdict, Err(Rejection::Length { got }));
    }
}

#[test]
fn every_mutated_byte_is_rejected() {
    let good = prove();
    let mutants: Vec<(Vec<u8>, Vec<Fr>)> = (0..2 * PROOF_BYTES)
        .map(|number| {
            let (mut proof, inputs) = good.clone();
            proof[number / 2] ^= if number % 2 == 0 { 1 } else { 0x80 };
            (proof, inputs)
        })
        .collect();
    let proofs: Vec<Proof<'_>> = mutants.iter().map(borrow).collect();
    for (number, verdict) in verify_batch(&KEY, &proofs).into_iter().enumerate() {
        assert!(verdict.is_err(), "{number}");
    }
}

#[test]
fn parts_that_are_not_points_are_named() {
    let mut rng = generator();
    let (good, inputs) = prove();
    let verdict = |proof: &[u8]| verify(&KEY, Proof { proof, inputs: &inputs });
    let g1 = [Point::<G1>::default().to_compressed(), stray_point::<G1>(&mut rng).to_compressed()];
    let g2 = [Point::<G2>::default().to_compressed(), stray_point::<G2>(&mut rng).to_compressed()];
    for (part, offset, points) in [("A", 0, &g1), ("B", 48, &g2), ("C", 144, &g1)] {
        for (point, error) in points.iter().zip([PointError::Infinity, PointError::WrongSubgroup]) {
            let mut proof = good.clone();
            proof[offset..][..point.len()].copy_from_slice(point);
            assert_eq!(verdict(&proof), Err(Rejection::Point { part, error }));
        }
    }
}

#[test]
fn a_batch_names_the_bad_ones() {
    let made: Vec<_> = (0..5).map(|_| prove()).collect();
    for bad in [0, 1, 2, 64] {
        let rows: Vec<(Vec<u8>, Vec<Fr>)> = (0..64)
            .map(|row| {
                let (proof, mut inputs) = made[row % 5].clone();
                if bad > 0 && row % (64 / bad) == 0 {
                    inputs[row % 2] += Fr::from(row as u64 + 1);
                }
                (proof, inputs)
            })
            .collect();
        let proofs: Vec<Proof<'_>> = rows.iter().map(borrow).collect();
        for (row, verdict) in verify_batch(&KEY, &proofs).into_iter().enumerate() {
            assert_eq!(verdict.is_err(), bad > 0 && row % (64 / bad) == 0, "{bad} {row}");
        }
    }
    assert_eq!(verify_batch(&KEY, &[]), []);
}

/// C₁ + D and C₂ − D have the same product of pairings as valid proofs.
#[test]
fn chosen_errors_that_cancel_are_named() {
    let mut rows: Vec<_> = (0..4).map(|_| prove()).collect();
    let error = Point::<G1>::generator().times(&random_scalar(&mut generator()));
    for (row, error) in [(0, error), (2, error.negated())] {
        let c = Point::<G1>::from_compressed(&rows[row].0[144..]).unwrap().plus(&error);
        rows[row].0[144..].copy_from_slice(&c.to_compressed());
    }
    let proofs: Vec<Proof<'_>> = rows.iter().map(borrow).collect();
    for _ in 0..3 {
        let mismatch = Err(Rejection::Mismatch);
        let expected = [mismatch.clone(), Ok(()), mismatch, Ok(())];
        assert_eq!(verify_batch(&KEY, &proofs), expected);
    }
}

#[test]
fn keys_that_are_refused() {
    let good = key_bytes();
    assert_eq!(KEY.inputs(), 2);
    let length = |expected, got| Err(KeyError::Length { expected, got });
    let head = 3 * 96 + 3 * 192 + 4;
    assert_eq!(VerifyingKey::read(&[]), length(head, 0));
    assert_eq!(VerifyingKey::read(&good[..head - 1]), length(head, head - 1));
    assert_eq!(VerifyingKey::read(&good[..good.len() - 1]), length(good.len(), good.len() - 1));
    let mut long = good.clone();
    long.push(0);
    assert_eq!(VerifyingKey::read(&long), length(good.len(), good.len() + 1));
    let mut many = good.clone();
    many[head - 4..head].fill(0xff);
    assert_eq!(VerifyingKey::read(&many), length(head + 96 * u32::MAX as usize, good.len()));
    let mut none = good[..head].to_vec();
    none[head - 4..].fill(0);
    assert_eq!(VerifyingKey::read(&none), Err(KeyError::NoTerms));
    let parts = [
        ("alpha_g1", 0),
        ("beta_g1", 96),
        ("beta_g2", 192),
        ("gamma_g2", 384),
        ("delta_g1", 576),
        ("delta_g2", 672),
        ("ic", head),
        ("ic", head + 96),
        ("ic", head + 192),
    ];
    let mut rng = generator();
    for (name, offset) in parts {
        let (infinity, stray) = match name.ends_with("g2") {
            true => (
                Point::<G2>::default().to_uncompressed(),
                stray_point::<G2>(&mut rng).to_uncompressed(),
            ),
            false => (
                Point::<G1>::default().to_uncompressed(),
                stray_point::<G1>(&mut rng).to_uncompressed(),
            ),
        };
        for (bytes, error) in [(infinity, PointError::Infinity), (stray, PointError::WrongSubgroup)]
        {
            let mut key = good.clone();
            key[offset..][..bytes.len()].copy_from_slice(&bytes);
            assert_eq!(VerifyingKey::read(&key), Err(KeyError::Point { name, offset, error }));
        }
    }
}

#[test]
fn the_operation_answers_requests_of_several_keys() {
    let other: Parameters<Bls12> =
        generate_random_parameters(Factors { secret: None }, &mut PeerRng(generator())).unwrap();
    let mut bytes = Vec::new();
    other.vk.write(&mut bytes).unwrap();
    let other = Arc::new(VerifyingKey::read(&bytes).unwrap());
    let requests: Vec<ProofRequest> = (0..6)
        .map(|number| {
            let (proof, inputs) = prove();
            let key = if number % 3 == 2 { &other } else { &*KEY };
            ProofRequest { key: Arc::clone(key), proof, inputs }
        })
        .collect();
    let replies = VerifyProof::compute_batch(VerifyProof::batch(&requests));
    for (number, reply) in replies.into_iter().enumerate() {
        assert_eq!(reply.is_ok(), number % 3 != 2);
        assert_eq!(reply, VerifyProof::compute(&requests[number]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_answered(
        proof in prop::collection::vec(any::<u8>(), 190..194),
        key in prop::collection::vec(any::<u8>(), 0..1200),
    ) {
        let inputs = [Fr::from(1), Fr::from(2)];
        let verdict = verify(&KEY, Proof { proof: &proof, inputs: &inputs });
        prop_assert!(verdict.is_err());
        prop_assert!(VerifyingKey::read(&key).is_err());
    }

    #[test]
    fn mutated_keys_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..3),
    ) {
        let mut key = key_bytes();
        for (place, byte) in changes {
            let place = place.index(key.len());
            key[place] = byte;
        }
        let _ = VerifyingKey::read(&key);
    }
}
