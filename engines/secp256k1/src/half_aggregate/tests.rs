// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Aggregates of every size, on every backend; the sum of the library and of this crate agree.

use halimede_arith::job::Compute;
use halimede_arith::Backend;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::schnorr::sign_with_aux_rand;
use secp256k1::{Keypair, SecretKey};

use super::sum::{holds, holds_by_library, verdict};
use super::*;
use crate::curve::Term;
use crate::schnorr::SchnorrRequest;
use crate::testing::{any, point, words};

/// Signatures under random keys; the same few keys and nonces for all if `is_repeated`.
fn signatures(random: &mut ChaCha8Rng, count: usize, is_repeated: bool) -> Vec<SchnorrRequest> {
    let mut all: Vec<SchnorrRequest> = Vec::new();
    for number in 0..count {
        if is_repeated && number >= 3 {
            all.push(all[number % 3].clone());
            continue;
        }
        let pair = Keypair::from_secret_key(&SecretKey::from_secret_bytes(random.gen()).unwrap());
        let message: [u8; 32] = random.gen();
        let signature = sign_with_aux_rand(&message, &pair, &random.gen()).to_byte_array().to_vec();
        let key = pair.x_only_public_key().0.to_byte_array().to_vec();
        all.push(SchnorrRequest { key, message: message.to_vec(), signature });
    }
    all
}

#[test]
fn every_size_on_every_backend() {
    let mut random = ChaCha8Rng::seed_from_u64(0x4a);
    for (count, is_repeated) in (0..=18).map(|count| (count, false)).chain([
        (40, false),
        (41, false),
        (150, false),
        (18, true),
        (100, true),
    ]) {
        let requests = signatures(&mut random, count, is_repeated);
        let signed: Vec<Signed<'_>> = requests.iter().map(SchnorrRequest::signed).collect();
        let signers: Vec<Signer<'_>> = signed.iter().map(Signer::from).collect();
        let aggregate = aggregate(&signed).unwrap();
        assert_eq!(aggregate.len(), aggregate_bytes(count));
        let mut other_s = aggregate.clone();
        *other_s.last_mut().unwrap() ^= 1;
        for backend in Backend::available_for_fields() {
            let name = format!("{backend}, {count} signatures");
            assert_eq!(verdict(backend, &aggregate, &signers), Ok(()), "{name}");
            let mismatch = Err(Rejection::Mismatch);
            assert_eq!(verdict(backend, &other_s, &signers), mismatch, "{name}");
            let Some(last) = requests.len().checked_sub(1) else { continue };
            let changed = random.gen_range(0..=last);
            let mut message = requests[changed].message.clone();
            message[random.gen_range(0..32)] ^= 1 << random.gen_range(0..8);
            let mut signers = signers.clone();
            signers[changed].message = &message;
            assert_eq!(verdict(backend, &aggregate, &signers), mismatch, "{name}, {changed}");
        }
    }
}

#[test]
fn the_library_adds_all_points() {
    let mut random = ChaCha8Rng::seed_from_u64(0x4b);
    let n = crate::testing::n();
    for length in [0, 1, 2, 9] {
        let mut pairs: Vec<_> = (0..length).map(|_| (any(&mut random), any(&mut random))).collect();
        // A factor of 0, and two terms whose sum is the point at infinity.
        pairs.push((0u8.into(), any(&mut random)));
        let (factor, logarithm) = (any(&mut random), any(&mut random));
        pairs.push((factor.clone(), logarithm.clone()));
        pairs.push((&n - factor, logarithm));
        let sum = pairs.iter().map(|(factor, logarithm)| factor * logarithm);
        let sum = sum.sum::<num_bigint::BigUint>() % &n;
        let terms: Vec<Term> = pairs
            .iter()
            .map(|(factor, logarithm)| Term { factor: words(factor), point: point(logarithm) })
            .collect();
        let other = (&sum + 1u8) % &n;
        assert!(holds_by_library(&terms, &crate::testing::bytes(&sum)), "{length}");
        assert!(!holds_by_library(&terms, &crate::testing::bytes(&other)), "{length}");
        for backend in Backend::available_for_fields() {
            // Lanes fail for the factor of 0, and without it the sum of all others is infinity.
            for terms in [&terms[..], &[&terms[..length], &terms[length + 1..]].concat()] {
                assert!(holds(backend, terms, &words(&sum)), "{backend}, {length}");
                assert!(!holds(backend, terms, &words(&other)), "{backend}, {length}");
            }
        }
    }
}

#[test]
fn operations_answer_in_order() {
    let mut random = ChaCha8Rng::seed_from_u64(0x4c);
    let mut requests = Vec::new();
    let mut expected = Vec::new();
    for count in 0..12 {
        let signatures = signatures(&mut random, count, false);
        let mut before = HalfAggregateRequest { signers: Vec::new(), aggregate: vec![0; 32] };
        if count % 3 == 2 {
            before.aggregate[0] = 0xff;
            before.aggregate[1..16].fill(0xff);
            expected.push(Err(Rejection::SRange));
        } else {
            let signed: Vec<Signed<'_>> = signatures.iter().map(SchnorrRequest::signed).collect();
            expected.push(aggregate(&signed));
        }
        requests.push(HalfAggregation { before, signatures });
    }
    let aggregates = HalfAggregate::compute_batch(&requests);
    assert_eq!(aggregates, expected);
    let checks: Vec<HalfAggregateRequest> = requests
        .into_iter()
        .zip(aggregates)
        .map(|(request, aggregate)| {
            let owned = |it: SchnorrRequest| OwnedSigner { key: it.key, message: it.message };
            let signers = request.signatures.into_iter().map(owned).collect();
            HalfAggregateRequest { signers, aggregate: aggregate.unwrap_or_default() }
        })
        .collect();
    let verdicts = VerifyHalfAggregate::compute_batch(&checks);
    for (number, (verdict, check)) in verdicts.iter().zip(&checks).enumerate() {
        assert_eq!(*verdict, VerifyHalfAggregate::compute(check));
        assert_eq!(verdict.is_ok(), number % 3 != 2, "{number}: {verdict:?}");
    }
}
