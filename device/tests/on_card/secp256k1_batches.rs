// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures on the simulated card against the processor and libsecp256k1: every known check,
//! random signatures and flipped bits of them; a slow card, injected faults, and the fallback of a
//! card without the engine.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::common::{
    answers_rightly_or_fails_cleanly, card_device, has_card, has_simulator, is_sweep,
};
use halimede_arith::job::{DeviceError, Execute};
use halimede_device::simulator::{self, SimulatorOptions};
use halimede_device::{Device, Options};
use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::secp256k1::ecdsa::{self, Signature};
use halimede_secp256k1::secp256k1::{Message, PublicKey, SecretKey};
use halimede_secp256k1::verdict;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Seed of the random signatures.
const SEED: u64 = 20_261_122;

/// Returns the card if the simulator has been built with the engine.
fn card() -> Option<Device> {
    if !has_card() {
        return None;
    }
    let device = card_device();
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

/// A signature; every second one has a flipped bit in one of its numbers.
fn request(random: &mut ChaCha8Rng, number: usize) -> VerifyRequest {
    let mut request = signed(random);
    if number % 2 == 1 {
        let VerifyRequest { r, s, digest, x, y } = &mut request;
        let bit = random.gen_range(0..256);
        [r, s, digest, x, y][number / 2 % 5][bit / 8] ^= 1 << (bit % 8);
    }
    request
}

/// Returns libsecp256k1's verdict on a request, also for high s.
fn is_valid_to_the_library(request: &VerifyRequest) -> bool {
    let VerifyRequest { r, s, digest, x, y } = request;
    let key = PublicKey::from_slice(&[&[4], &x[..], y].concat());
    let signature = Signature::from_compact(&[*r, *s].concat());
    let (Ok(key), Ok(mut signature)) = (key, signature) else { return false };
    signature.normalize_s();
    signature.verify(Message::from_digest(*digest), &key).is_ok()
}

#[test]
fn every_known_check() {
    let Some(device) = card() else { return };
    let known = known_answers().unwrap();
    let requests: Vec<_> = known.iter().map(|answer| answer.request.clone()).collect();
    let replies = Execute::<Verify>::execute(&device, requests[..].into()).unwrap().replies;
    assert_eq!(replies.len(), known.len());
    for (answer, reply) in known.iter().zip(&replies) {
        assert_eq!(*reply, verdict(answer.mask), "{}", answer.name);
        let valid = is_valid_to_the_library(&answer.request);
        assert_eq!(reply.is_ok(), valid, "{}", answer.name);
    }
}

#[test]
fn random_signatures_and_flipped_bits_of_them() {
    let Some(device) = card() else { return };
    let mut random = ChaCha8Rng::seed_from_u64(SEED);
    let count = if is_sweep() { 500 } else { 40 };
    let requests: Vec<_> = (0..count).map(|number| request(&mut random, number)).collect();
    let batch = Execute::<Verify>::execute(&device, requests[..].into()).unwrap();
    println!("{count} requests, {:?} clocks, {:?}", batch.timing.card_clocks, batch.timing.compute);
    let replies = batch.replies;
    let expected = Execute::<Verify>::execute(&Device::cpu(), requests[..].into()).unwrap().replies;
    assert_eq!(replies.len(), count);
    for (number, (reply, expected)) in replies.iter().zip(&expected).enumerate() {
        assert_eq!(reply, expected, "request {number}: {:?}", requests[number]);
        assert_eq!(reply.is_ok(), number % 2 == 0, "request {number}: {reply:?}");
        assert_eq!(reply.is_ok(), is_valid_to_the_library(&requests[number]));
    }
}

/// A simulated card that serves a socket until it is dropped.
struct Served {
    process: Child,
    socket: PathBuf,
}

impl Served {
    fn start() -> Self {
        let name = format!("halimede-secp256k1-{}", std::process::id());
        let socket = std::env::temp_dir().join(name);
        let mut command = simulator::command(&SimulatorOptions::default(), &socket).unwrap();
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening"), "{line}");
        Self { process, socket }
    }

    /// Stops its clock, or lets it run on.
    fn signal(&self, name: &str) {
        let process = self.process.id().to_string();
        assert!(Command::new("kill").args([name, &process]).status().unwrap().success());
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_file(&self.socket);
    }
}

/// One check takes as long as a core full of checks, and the card is silent meanwhile: on a busy
/// machine, longer than a real card may be silent.
#[test]
fn a_lone_signature_is_waited_for() {
    if !has_simulator() {
        return;
    }
    let served = Served::start();
    let device = Device::open(&format!("sim:{}", served.socket.display())).unwrap();
    let requests = [signed(&mut ChaCha8Rng::seed_from_u64(SEED ^ 2))];
    std::thread::scope(|scope| {
        if is_sweep() {
            served.signal("-STOP");
            scope.spawn(|| {
                std::thread::sleep(Duration::from_secs(12));
                served.signal("-CONT");
            });
        }
        let batch = Execute::<Verify>::execute(&device, requests[..].into()).unwrap();
        assert_eq!(batch.replies, [Ok(())]);
        let clocks = batch.timing.card_clocks.unwrap();
        assert!((9_000..10_000).contains(&clocks), "{clocks} clocks");
    });
}

/// Faults that lose replies or the card. A fault that changes a reply's bytes would go unnoticed,
/// since the published frames have no checksum. All requests are out of range, so they are answered
/// soon.
#[test]
fn lost_replies_are_errors_or_work_for_the_fallback() {
    if !has_simulator() {
        return;
    }
    let known = known_answers().unwrap().into_iter();
    let requests: Vec<_> =
        known.filter(|known| known.mask.bits() & 3 != 0).map(|known| Ok(known.request)).collect();
    assert!(requests.len() > 50, "{} requests", requests.len());
    let kinds = [
        "drop:0.05",
        "corrupt:0.05",
        "duplicate:0.05",
        "reset:0.05",
        "kill:0.05",
        "request-corrupt:0.05",
        "request-cut:0.02",
    ];
    answers_rightly_or_fails_cleanly::<Verify>(&requests, &kinds);
}

#[test]
fn a_card_without_the_engine_says_so_and_its_fallback_answers() {
    if !has_simulator() {
        return;
    }
    let (requests, masks): (Vec<_>, Vec<_>) = known_answers()
        .unwrap()
        .into_iter()
        .map(|answer| (answer.request, verdict(answer.mask)))
        .unzip();
    let engines = Some(vec!["poseidon".into()]);
    let simulator = SimulatorOptions { engines, ..SimulatorOptions::default() };
    let card = Device::open_with("sim", &Options::default().simulator(simulator)).unwrap();
    assert!(!card.capabilities().has::<Verify>());
    let error = Execute::<Verify>::execute(&card, requests[..].into()).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("does not have the secp256k1 engine"), "{error}");
    let device = card.with_fallback(Device::cpu());
    let batch = Execute::<Verify>::execute(&device, requests[..].into()).unwrap();
    assert_eq!(batch.replies, masks);
    assert_eq!(batch.timing.fallback_requests, requests.len());
}
