// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches give the same verdicts as single signatures, on every backend and at every position;
//! random signatures get the verdict of libsecp256k1.

use num_bigint::BigUint;
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use secp256k1::schnorr::{sign_with_aux_rand, Signature};
use secp256k1::{Keypair, SecretKey, XOnlyPublicKey};
use sha2::Digest;

use super::super::{tagged, Check, SchnorrRequest, CHALLENGE};
use super::*;
use crate::constants::{FIELD_ORDER, GROUP_ORDER};
use crate::curve::Digits;
use crate::testing::{any, bytes, inverse, key, n, words};
use crate::KeyError;

type Case = (SchnorrRequest, Result<(), Rejection>);

fn signed(requests: &[SchnorrRequest]) -> Vec<Signed<'_>> {
    requests.iter().map(SchnorrRequest::signed).collect()
}

/// Returns a signature of a message of up to 150 bytes.
fn good(random: &mut ChaCha8Rng) -> SchnorrRequest {
    let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
    let pair = Keypair::from_secret_key(&secret);
    let mut message = vec![0; random.gen_range(0..150)];
    random.fill_bytes(&mut message);
    let signature = sign_with_aux_rand(&message, &pair, &random.gen()).to_byte_array().to_vec();
    let (key, _) = pair.x_only_public_key();
    SchnorrRequest { key: key.to_byte_array().to_vec(), message, signature }
}

/// Returns a signature under d·G with a given r and a computed s; it need not be valid.
fn made(d: &BigUint, r: [u8; 32], s: impl Fn(&BigUint, &BigUint) -> BigUint) -> SchnorrRequest {
    let point = key(d).serialize();
    // The discrete logarithm of the point with an even y.
    let d = if point[0] == 3 { n() - d } else { d.clone() };
    let message = b"made".to_vec();
    let hash = tagged(CHALLENGE).chain_update(r).chain_update(&point[1..]).chain_update(&message);
    let e = BigUint::from_bytes_be(&hash.finalize()) % n();
    let signature = [r, bytes(&(s(&e, &d) % n()))].concat();
    SchnorrRequest { key: point[1..].to_vec(), message, signature }
}

fn kinds(random: &mut ChaCha8Rng) -> Vec<Case> {
    let mut kinds: Vec<Case> = Vec::new();
    let fails = |check: Check| Err(check.into());
    for _ in 0..3 {
        let valid = good(random);
        let with = |change: &dyn Fn(&mut SchnorrRequest)| {
            let mut changed = valid.clone();
            change(&mut changed);
            changed
        };
        kinds.push((with(&|it| it.message.push(0)), fails(Check::Match)));
        kinds.push((with(&|it| it.signature[63] ^= 1), fails(Check::Match)));
        kinds.push((
            with(&|it| it.signature[..32].copy_from_slice(&FIELD_ORDER)),
            fails(Check::RRange),
        ));
        kinds.push((
            with(&|it| it.signature[32..].copy_from_slice(&GROUP_ORDER)),
            fails(Check::SRange),
        ));
        kinds.push((
            with(&|it| it.signature.truncate(63)),
            Err(Rejection::SignatureLength { got: 63 }),
        ));
        kinds.push((with(&|it| it.key.push(0)), Err(Rejection::KeyLength { got: 33 })));
        kinds.push((
            with(&|it| it.key = FIELD_ORDER.to_vec()),
            Err(Rejection::Key(KeyError::XRange)),
        ));
        let no_point = [&[0; 31][..], &[5]].concat();
        kinds.push((
            with(&|it| it.key.clone_from(&no_point)),
            Err(Rejection::Key(KeyError::NotOnCurve)),
        ));
        let (d, k) = (any(random), any(random));
        let r = key(&k).serialize();
        let (even, odd) = if r[0] == 2 { (k.clone(), n() - &k) } else { (n() - &k, k.clone()) };
        let r: [u8; 32] = r[1..].try_into().unwrap();
        kinds.push((made(&d, r, |e, d| &even + e * d), Ok(())));
        kinds.push((made(&d, r, |e, d| &odd + e * d), fails(Check::EvenY)));
        // s·G equals e·P.
        kinds.push((made(&d, r, |e, d| e * d), fails(Check::Infinity)));
        kinds.push((made(&d, [0; 32], |e, d| e * d), fails(Check::Infinity)));
        kinds.push((made(&d, r, |_, _| BigUint::default()), fails(Check::Match)));
        kinds.push((valid, Ok(())));
        kinds.push((stuck(random), Ok(())));
    }
    kinds
}

/// Returns a valid signature whose last addition in lanes has equal points: k is twice the highest
/// digit of s, which a search over messages finds.
fn stuck(random: &mut ChaCha8Rng) -> SchnorrRequest {
    let digit = (1..256u32)
        .step_by(2)
        .find(|digit| key(&(BigUint::from(*digit) << 249u32)).serialize()[0] == 2)
        .unwrap();
    let k = (BigUint::from(digit) << 249u32) % n();
    let r: [u8; 32] = key(&k).serialize()[1..].try_into().unwrap();
    loop {
        let request = made(&any(random), r, |e, d| &k + e * d);
        let s = BigUint::from_bytes_be(&request.signature[32..]);
        let Digits { windows, is_opposite } = Digits::of(&words(&s));
        if !is_opposite && 2 * u32::from(windows[31]) == 255 + digit {
            return request;
        }
    }
}

#[test]
fn every_kind_in_every_place() {
    let kinds = kinds(&mut ChaCha8Rng::seed_from_u64(0x340));
    for (request, expected) in &kinds {
        let signed = signed(std::slice::from_ref(request));
        assert_eq!(verify(signed[0]), *expected, "{request:?}");
    }
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for backend in Backend::available_for_fields() {
            for length in (0..=20).chain([63, 64, 65, 200]) {
                for start in (length % 5..kinds.len()).step_by(5) {
                    let around = kinds.iter().cycle().skip(start).take(length);
                    let (requests, expected): (Vec<_>, Vec<_>) = around.cloned().unzip();
                    let found = pool.install(|| verdicts(backend, &signed(&requests)));
                    assert_eq!(found, expected, "{backend}, {length} from {start}");
                }
            }
        }
    }
}

#[test]
fn formulas_that_do_not_hold_are_left_to_the_library() {
    let request = stuck(&mut ChaCha8Rng::seed_from_u64(0x341));
    let signed = signed(std::slice::from_ref(&request))[0];
    for backend in Backend::available_for_fields() {
        let candidates = candidates(backend, &[signed]);
        if let Some(sums) = sums(backend, &[terms(&candidates[0].unwrap())]) {
            assert_eq!(sums, [None], "{backend}");
        }
        assert_eq!(verdicts(backend, &[signed; 16]), [Ok(()); 16], "{backend}");
    }
}

/// Returns a random signature, changed or not.
fn any_request(random: &mut ChaCha8Rng) -> SchnorrRequest {
    let mut request = good(random);
    let flip = |bytes: &mut Vec<u8>, random: &mut ChaCha8Rng| {
        if !bytes.is_empty() {
            let place = random.gen_range(0..bytes.len());
            bytes[place] ^= 1 << random.gen_range(0..8);
        }
    };
    match random.gen_range(0..6) {
        0 => flip(&mut request.key, random),
        1 => flip(&mut request.message, random),
        2 => flip(&mut request.signature, random),
        3 => {
            let d = any(random);
            let r = key(&any(random)).serialize()[1..].try_into().unwrap();
            let inverse = inverse(&d);
            request = made(&d, r, |e, d| e * d + &inverse);
        }
        _ => {}
    }
    request
}

fn by_the_library(request: &SchnorrRequest) -> bool {
    let signature = Signature::from_byte_array(request.signature[..].try_into().unwrap());
    XOnlyPublicKey::from_byte_array(request.key[..].try_into().unwrap())
        .is_ok_and(|key| signature.verify(&request.message, &key).is_ok())
}

/// Some thousands of signatures; 100,000 with `HALIMEDE_SWEEP=1`.
#[test]
fn what_is_random_is_as_the_library_says() {
    let sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let batches = if sweep { 100 } else { 4 };
    let numbers = (0..batches).into_par_iter();
    let valid: usize = numbers
        .map(|batch| {
            let mut random = ChaCha8Rng::seed_from_u64(batch);
            let requests: Vec<_> = (0..1000).map(|_| any_request(&mut random)).collect();
            let expected: Vec<bool> = requests.iter().map(by_the_library).collect();
            for backend in Backend::available_for_fields() {
                let found = verdicts(backend, &signed(&requests));
                let found: Vec<bool> = found.iter().map(Result::is_ok).collect();
                assert_eq!(found, expected, "{backend}, seed {batch}");
            }
            expected.into_iter().filter(|valid| *valid).count()
        })
        .sum();
    let all = 1000 * batches as usize;
    assert!(valid > all / 4 && valid < 3 * all / 4, "{valid} of {all} are valid");
}
