// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares programs in the simulator of the instruction set with this processor's answers.

use halimede_arith::job::Compute;
use halimede_arith::Fr;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::eip2537::Precompile;
use crate::operations::{
    Call, Evaluate, Hash, PrecompileRequest, RunPrecompile, SignatureRequest, VerifySignature,
};
use crate::signature::Suite;
use crate::{Point, G1, G2};

const SEED: u64 = 20_261_126;

fn answers_alike<Op>(requests: &[Op::Request])
where
    Op: OnCoprocessor + Compute,
    Op::Reply: PartialEq + std::fmt::Debug,
{
    for (number, request) in requests.iter().enumerate() {
        let (reply, expected) = (simulate::<Op>(Op::row(request)), Op::compute(Op::row(request)));
        assert_eq!(reply, Some(Ok(expected)), "request {number} of {}", Op::NAME);
    }
}

fn point<C: Curve>(random: &mut ChaCha8Rng) -> Point<C> {
    match random.gen_range(0..6) {
        0 => Point::default(),
        1 => Point::generator(),
        _ => Point::generator().times(&Fr::from(random.gen::<u64>())),
    }
}

fn scalar(random: &mut ChaCha8Rng) -> Fr {
    let number = Fr::from(random.gen::<u64>());
    match random.gen_range(0..5) {
        0 => Fr::from(0),
        1 => -Fr::from(1),
        _ => number * number * number,
    }
}

#[test]
fn sums_products_and_multiples() {
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let mut calls = Vec::new();
    for count in [0usize, 1, 2, 16, 17, 33] {
        calls.push(Call::AddG1((0..count).map(|_| point(random)).collect()));
        calls.push(Call::AddG2((0..count).map(|_| point(random)).collect()));
    }
    for count in [0usize, 1, 2, 17] {
        calls.push(Call::SumG1((0..count).map(|_| (point(random), scalar(random))).collect()));
        calls.push(Call::SumG2((0..count).map(|_| (point(random), scalar(random))).collect()));
    }
    for count in [0usize, 1, 3, 38, 39] {
        let mut pairs: Vec<_> = (0..count).map(|_| (point(random), point(random))).collect();
        calls.push(Call::PairingProduct(pairs.clone()));
        calls.push(Call::IsPairingProductOne(pairs.clone()));
        // e(3P, Q)·e(−P, 3Q) = 1.
        let (p, q, three) = (point::<G1>(random), point::<G2>(random), Fr::from(3));
        pairs.truncate(0);
        pairs.extend([(p.times(&three), q), (p.negated(), q.times(&three))]);
        calls.push(Call::IsPairingProductOne(pairs));
    }
    answers_alike::<Evaluate>(&calls);
    let hash = Hash { domain: b"domain"[..].into(), message: vec![1], encode: false };
    assert_eq!(simulate::<Evaluate>(&Call::HashG1(hash)), None);
}

/// `tests/` compares the precompiles with known inputs and outputs.
#[test]
fn precompiles_with_their_errors() {
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let mut requests = Vec::new();
    for precompile in Precompile::ALL.into_iter().take(5) {
        let bytes = match precompile {
            Precompile::G1Add => 256,
            Precompile::G1Msm => 160,
            Precompile::G2Add => 512,
            Precompile::G2Msm => 288,
            _ => 384,
        };
        // Infinities, a missing byte, an empty input, a point off the curve, an element that is too
        // large.
        for (length, place, byte) in [
            (bytes, 0, 0),
            (bytes - 1, 0, 0),
            (0, 0, 0),
            (bytes, 63, 1),
            (bytes, 20, 255),
            (bytes, 3, 1),
        ] {
            let mut input = vec![0; length];
            if let Some(changed) = input.get_mut(place) {
                *changed = byte;
            }
            requests.push(PrecompileRequest { precompile, input });
        }
    }
    // A point of the curve outside the group: (0, 2) has order 3.
    let mut input = vec![0; 160];
    input[127] = 2;
    input[159] = random.gen();
    requests.push(PrecompileRequest { precompile: Precompile::G1Msm, input: input.clone() });
    let twice = [&input[..128], &input[..128]].concat();
    requests.push(PrecompileRequest { precompile: Precompile::G1Add, input: twice });
    answers_alike::<RunPrecompile>(&requests);
}

#[test]
fn signatures() {
    let random = &mut ChaCha8Rng::seed_from_u64(SEED);
    let mut requests = Vec::new();
    for suite in Suite::ALL {
        let secret = Fr::from(random.gen::<u64>());
        let message = format!("message {}", random.gen::<u32>()).into_bytes();
        let good = signed(suite, &secret, &message);
        let changed = |change: fn(&mut SignatureRequest)| {
            let mut request = good.clone();
            change(&mut request);
            request
        };
        requests.extend([
            changed(|request| request.message.push(0)),
            changed(|request| request.key[3] ^= 1),
            changed(|request| request.signature[5] ^= 4),
            changed(|request| request.key.truncate(7)),
            changed(|request| request.signature = request.key.clone()),
            changed(|request| {
                request.key.fill(0);
                request.key[0] = 0xc0;
            }),
        ]);
        assert_eq!(VerifySignature::compute(VerifySignature::row(&good)), Ok(()));
        requests.push(good);
    }
    answers_alike::<VerifySignature>(&requests);
}

fn signed(suite: Suite, secret: &Fr, message: &[u8]) -> SignatureRequest {
    use crate::signature::{Group, Scheme};
    let (key, signature) = match suite.group {
        Group::MinPk => {
            let key = Point::<G1>::generator().times(secret).to_compressed();
            (
                key.clone(),
                sign::<G2>(suite.scheme == Scheme::Augmented, &key, suite, secret, message),
            )
        }
        Group::MinSig => {
            let key = Point::<G2>::generator().times(secret).to_compressed();
            (
                key.clone(),
                sign::<G1>(suite.scheme == Scheme::Augmented, &key, suite, secret, message),
            )
        }
    };
    SignatureRequest { suite, key, message: message.to_vec(), signature }
}

fn sign<C: Curve>(
    augmented: bool,
    key: &[u8],
    suite: Suite,
    secret: &Fr,
    message: &[u8],
) -> Vec<u8> {
    let content = if augmented { [key, message].concat() } else { message.to_vec() };
    let hash = crate::hash::hash_to_curve::<C>(suite.domain(), &content).unwrap();
    hash.times(secret).to_compressed()
}
