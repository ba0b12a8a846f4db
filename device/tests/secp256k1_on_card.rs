// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures on the simulated card: every known check, random ones and flipped bits of them, as the
//! processor answers them; and what a card without the engine leaves to its fallback.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]

mod common;

use common::{has_simulator, is_sweep};
use halimede_arith::job::{DeviceError, Execute};
use halimede_device::simulator::SimulatorOptions;
use halimede_device::{Device, Options};
use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::secp256k1::{ecdsa, Message, PublicKey, SecretKey};
use halimede_secp256k1::Mask;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the random signatures.
const SEED: u64 = 20_261_122;

/// The card, where the simulator is there and has the engine.
fn card() -> Option<Device> {
    if !has_simulator() {
        return None;
    }
    let device = Device::open("sim").unwrap();
    assert!(device.capabilities().has::<Verify>(), "the simulated card has no secp256k1");
    Some(device)
}

fn signed(random: &mut ChaCha8Rng) -> VerifyRequest {
    let secret = SecretKey::from_secret_bytes(random.gen()).unwrap();
    let digest = random.gen();
    let signature = ecdsa::sign(Message::from_digest(digest), &secret).serialize_compact();
    let key = PublicKey::from_secret_key(&secret).serialize_uncompressed();
    let half = |bytes: &[u8]| bytes.try_into().unwrap();
    VerifyRequest {
        r: half(&signature[..32]),
        s: half(&signature[32..]),
        digest,
        x: half(&key[1..33]),
        y: half(&key[33..]),
    }
}

/// A signature, in every second place with a bit of one of its numbers flipped.
fn request(random: &mut ChaCha8Rng, number: usize) -> VerifyRequest {
    let mut request = signed(random);
    if number % 2 == 1 {
        let VerifyRequest { r, s, digest, x, y } = &mut request;
        let bit = random.gen_range(0..256);
        [r, s, digest, x, y][number / 2 % 5][bit / 8] ^= 1 << (bit % 8);
    }
    request
}

#[test]
fn every_known_check() {
    let Some(device) = card() else { return };
    let known = known_answers().unwrap();
    let requests: Vec<_> = known.iter().map(|answer| answer.request.clone()).collect();
    let replies = Execute::<Verify>::execute(&device, &requests).unwrap().replies;
    assert_eq!(replies.len(), known.len());
    for (answer, reply) in known.iter().zip(&replies) {
        assert_eq!(*reply, answer.mask, "{}", answer.name);
    }
}

#[test]
fn random_signatures_and_flipped_bits_of_them() {
    let Some(device) = card() else { return };
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let count = if is_sweep() { 500 } else { 40 };
    let requests: Vec<_> = (0..count).map(|number| request(&mut random, number)).collect();
    let replies = Execute::<Verify>::execute(&device, &requests).unwrap().replies;
    let expected = Execute::<Verify>::execute(&Device::cpu(), &requests).unwrap().replies;
    assert_eq!(replies.len(), count);
    for (number, (reply, expected)) in replies.iter().zip(&expected).enumerate() {
        assert_eq!(reply, expected, "request {number}: {:?}", requests[number]);
        assert_eq!(*reply == Mask::VALID, number % 2 == 0, "request {number}: {reply}");
    }
}

#[test]
fn a_card_without_the_engine_says_so_and_its_fallback_answers() {
    if !has_simulator() {
        return;
    }
    let (requests, masks): (Vec<_>, Vec<_>) =
        known_answers().unwrap().into_iter().map(|answer| (answer.request, answer.mask)).unzip();
    let engines = Some(vec!["poseidon".into()]);
    let simulator = SimulatorOptions { engines, ..SimulatorOptions::default() };
    let card = Device::open_with("sim", &Options::default().simulator(simulator)).unwrap();
    assert!(!card.capabilities().has::<Verify>());
    let error = Execute::<Verify>::execute(&card, &requests).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("does not have the secp256k1 engine"), "{error}");
    let device = card.with_fallback(Device::cpu());
    let batch = Execute::<Verify>::execute(&device, &requests).unwrap();
    assert_eq!(batch.replies, masks);
    assert_eq!(batch.timing.fallback_requests, requests.len());
}
