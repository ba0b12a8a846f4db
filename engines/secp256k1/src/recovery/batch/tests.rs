// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The keys of batches equal those that libsecp256k1 recovers, on every backend and at every
//! position.

use num_bigint::BigUint;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::ecdsa::{RecoverableSignature, RecoveryId};
use secp256k1::{Message, SecretKey};

use super::super::{Numbering, Rules};
use super::*;
use crate::constants::GROUP_ORDER;
use crate::curve::Digits;
use crate::testing::{any, bytes, inverse, key, n, words};

type Case = (RecoverRequest, Result<RecoveredKey, Rejection>);

fn request(r: &[u8; 32], s: &BigUint, id: u8, digest: &[u8; 32]) -> RecoverRequest {
    let signature = [&r[..], &bytes(s), &[id]].concat();
    RecoverRequest { rules: Rules::default(), digest: digest.to_vec(), signature }
}

/// Returns the key with this discrete logarithm.
fn key_with(d: &BigUint) -> RecoveredKey {
    RecoveredKey(key(d).serialize_uncompressed()[1..].try_into().unwrap())
}

/// Returns a signature of a random digest, and its key.
fn good(random: &mut ChaCha8Rng) -> Case {
    let d = any(random);
    let secret = SecretKey::from_secret_bytes(bytes(&d)).unwrap();
    let digest: [u8; 32] = random.gen();
    let signature =
        RecoverableSignature::sign_ecdsa_recoverable(Message::from_digest(digest), &secret);
    let (id, compact) = signature.serialize_compact();
    let r = compact[..32].try_into().unwrap();
    let s = BigUint::from_bytes_be(&compact[32..]);
    (request(&r, &s, id.to_u8(), &digest), Ok(key_with(&d)))
}

/// Returns a signature with R = k·G that leads to the key q·G, of a digest that gives this u₁.
fn made(k: &BigUint, q: &BigUint, u1: &BigUint) -> Option<RecoverRequest> {
    let point = key(k).serialize();
    let x: [u8; 32] = point[1..].try_into().unwrap();
    let r = BigUint::from_bytes_be(&x);
    if r >= n() {
        return None;
    }
    let e = (n() - u1) * &r % n();
    let s = (&e + &r * q) * inverse(k) % n();
    Some(request(&x, &s, point[0] - 2, &bytes(&e)))
}

/// Returns a signature whose last addition in lanes has equal points: q is twice the highest digit
/// of u₁.
fn stuck(random: &mut ChaCha8Rng) -> Case {
    loop {
        let (k, u1) = (any(random), any(random));
        let Digits { windows, is_opposite } = Digits::of(&words(&u1));
        if is_opposite || windows[31] < 0x80 {
            continue;
        }
        let q = (BigUint::from(2 * u32::from(windows[31]) - 255) << 249u32) % n();
        if let Some(request) = made(&k, &q, &u1) {
            return (request, Ok(key_with(&q)));
        }
    }
}

fn kinds(random: &mut ChaCha8Rng) -> Vec<Case> {
    let mut kinds = Vec::new();
    for _ in 0..3 {
        let (valid, key) = good(random);
        let with = |change: &dyn Fn(&mut RecoverRequest)| {
            let mut changed = valid.clone();
            change(&mut changed);
            changed
        };
        let n_bytes = GROUP_ORDER;
        kinds.push((with(&|it| it.signature.truncate(64)), Err(Rejection::Length { got: 64 })));
        kinds.push((with(&|it| it.signature[64] = 4), Err(Rejection::PlainId { got: 4 })));
        kinds.push((with(&|it| it.signature[..32].fill(0)), Err(Rejection::RRange)));
        kinds.push((
            with(&|it| it.signature[32..64].copy_from_slice(&n_bytes)),
            Err(Rejection::SRange),
        ));
        kinds.push((with(&|it| it.signature[64] |= 2), Err(Rejection::XRange)));
        let ethereum = Rules { numbering: Numbering::Ethereum, low_s: true };
        kinds.push((
            with(&|it| it.rules = ethereum),
            Err(Rejection::EthereumId { got: valid.signature[64] }),
        ));
        let as_ethereum = with(&|it| {
            it.rules = ethereum;
            it.signature[64] += 27;
        });
        // n − s with the opposite R is equally valid, except under the rule for low s.
        let mut high = as_ethereum.clone();
        let s = n() - BigUint::from_bytes_be(&valid.signature[32..64]);
        high.signature[32..64].copy_from_slice(&bytes(&s));
        high.signature[64] = 55 - high.signature[64];
        kinds.push((high.clone(), Err(Rejection::HighS)));
        high.rules.low_s = false;
        kinds.push((high, key));
        kinds.push((as_ethereum, key));
        // No point has x = 5. r = 1 with x = 1 is a point; with x = 1 + n it may be one or not.
        let mut no_point = [0; 32];
        no_point[31] = 5;
        kinds
            .push((request(&no_point, &any(random), 0, &random.gen()), Err(Rejection::NotOnCurve)));
        let infinity = loop {
            let [k, u1] = [any(random), any(random)];
            if let Some(request) = made(&k, &BigUint::default(), &u1) {
                break request;
            }
        };
        kinds.push((infinity, Err(Rejection::Infinity)));
        kinds.push(stuck(random));
        kinds.push((valid, key));
    }
    kinds
}

#[test]
fn every_kind_in_every_place() {
    let kinds = kinds(&mut ChaCha8Rng::seed_from_u64(0x27));
    for (request, expected) in &kinds {
        let found = recover(request.rules, &request.digest, &request.signature);
        assert_eq!(found, *expected, "{request:?}");
    }
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for backend in Backend::available_for_fields() {
            for length in (0..=20).chain([63, 64, 65, 200]) {
                for start in (length % 5..kinds.len()).step_by(5) {
                    let around = kinds.iter().cycle().skip(start).take(length);
                    let (requests, expected): (Vec<_>, Vec<_>) = around.cloned().unzip();
                    let found = pool.install(|| keys(backend, &requests));
                    assert_eq!(found, expected, "{backend}, {length} from {start}");
                }
            }
        }
    }
}

#[test]
fn formulas_that_do_not_hold_are_left_to_the_library() {
    let (request, expected) = stuck(&mut ChaCha8Rng::seed_from_u64(0x28));
    for backend in Backend::available_for_fields() {
        let read = candidates(backend, std::slice::from_ref(&request));
        if let Some(sums) = sums(backend, &terms(&[read[0].unwrap()])) {
            assert_eq!(sums, [None], "{backend}");
        }
        assert_eq!(keys(backend, &vec![request.clone(); 16]), [expected; 16], "{backend}");
    }
}

/// An Ethereum address by the Yellow Paper: the well-known one of the secret key 1.
#[test]
fn addresses_are_the_last_bytes_of_the_hash() {
    let address = key_with(&BigUint::from(1u8)).address();
    assert_eq!(hex::encode(address), "7e5f4552091a69125d5dfcb7b8c2659029395bdf");
}

/// Returns a random signature, changed or not, or random numbers, some with a small r, for which
/// r + n is below p.
fn any_request(random: &mut ChaCha8Rng) -> RecoverRequest {
    let (mut good, _) = good(random);
    match random.gen_range(0..5) {
        0 => {
            let place = random.gen_range(0..64);
            good.signature[place] ^= 1 << random.gen_range(0..8);
        }
        1 => good.digest[random.gen_range(0..32)] ^= 1 << random.gen_range(0..8),
        2 => good.signature[64] = random.gen_range(0..5),
        3 => {
            let r = bytes(&BigUint::from(random.gen::<u128>() >> random.gen_range(0..128)));
            good = request(&r, &any(random), random.gen_range(0..4), &random.gen());
        }
        _ => {}
    }
    good
}

fn by_the_library(request: &RecoverRequest) -> Option<RecoveredKey> {
    let id = RecoveryId::try_from(i32::from(request.signature[64])).ok()?;
    let signature = RecoverableSignature::from_compact(&request.signature[..64], id).ok()?;
    let digest = request.digest[..].try_into().unwrap();
    let key = signature.recover(Message::from_digest(digest)).ok()?;
    Some(RecoveredKey(key.serialize_uncompressed()[1..].try_into().unwrap()))
}

/// Some thousands of requests; 100,000 with `HALIMEDE_SWEEP=1`.
#[test]
fn what_is_random_is_as_the_library_says() {
    let sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let batches = if sweep { 100 } else { 4 };
    let high_x: usize = (0..batches)
        .into_par_iter()
        .map(|batch| {
            let mut random = ChaCha8Rng::seed_from_u64(batch);
            let requests: Vec<_> = (0..1000).map(|_| any_request(&mut random)).collect();
            let expected: Vec<_> = requests.iter().map(by_the_library).collect();
            for backend in Backend::available_for_fields() {
                let found = keys(backend, &requests);
                let found: Vec<_> = found.into_iter().map(Result::ok).collect();
                assert_eq!(found, expected, "{backend}, seed {batch}");
            }
            let has_high_x = |(request, key): (&RecoverRequest, &Option<_>)| {
                key.is_some() && request.signature[64] >= 2
            };
            requests.iter().zip(&expected).filter(|pair| has_high_x(*pair)).count()
        })
        .sum();
    assert!(high_x > 10 * batches as usize, "{high_x} with an x of r + n");
}
