// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 on the simulated card: official vectors, the processor's and the crate's answers to
//! random messages, concurrent work of other engines, and injected faults.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use std::sync::Arc;
use std::time::Instant;

use crate::common::{
    answers_rightly_or_fails_cleanly, card_device, has_card, has_simulator, is_sweep,
};
use crate::fake_card::cases;
use halimede_arith::job::{Compute, DeviceError, Execute, Operation};
use halimede_blake3::known_answers::KnownAnswers;
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::{Mode, CHUNK_BYTES};
use halimede_device::simulator::SimulatorOptions;
use halimede_device::{Device, Options};
use halimede_poseidon::operations::{FilecoinHash, StarknetHash};
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

/// Seed of the random cases.
const SEED: u64 = 20_261_122;

/// The longest random message, in bytes.
const LONGEST: usize = 1 << 20;

/// Returns the card if the simulator has been built with the engine.
fn card() -> Option<Device> {
    if !has_card() {
        return None;
    }
    let device = card_device();
    assert!(device.capabilities().has::<Hash>(), "the simulated card has no BLAKE3");
    Some(device)
}

fn mode(generator: &mut ChaCha8Rng) -> Arc<Mode> {
    Arc::new(match generator.gen_range(0..3) {
        0 => Mode::Hash,
        1 => Mode::Keyed(generator.gen()),
        _ => Mode::derive_key(&format!("halimede test {}", generator.gen::<u32>())),
    })
}

/// A message of random bytes and mode; one in four requests another part of the output.
fn request(generator: &mut ChaCha8Rng, length: usize) -> HashRequest {
    let mut message = vec![0; length];
    generator.fill_bytes(&mut message);
    let request = HashRequest::digest(&mode(generator), message);
    match generator.gen_range(0..4) {
        0 => HashRequest {
            output_offset: generator.gen_range(0..5000),
            output_bytes: generator.gen_range(0..2000),
            ..request
        },
        _ => request,
    }
}

/// Mostly short lengths, sometimes near a boundary of the format; one in `long_every` is long.
fn length(generator: &mut ChaCha8Rng, index: usize, long_every: usize) -> usize {
    if index % long_every == 1 {
        return generator.gen_range(0..=LONGEST);
    }
    match generator.gen_range(0..4) {
        0 => generator.gen_range(0..200),
        1 => generator.gen_range(0..10_000),
        2 => CHUNK_BYTES * generator.gen_range(1..20) + generator.gen_range(0..3) - 1,
        _ => 64 * generator.gen_range(0..80) + generator.gen_range(0..2),
    }
}

fn random_requests(count: usize, long_every: usize, seed: u64) -> Vec<HashRequest> {
    let generator = &mut cases::generator(seed);
    let one = |index: usize| {
        let length = length(generator, index, long_every);
        request(generator, length)
    };
    (0..count).map(one).collect()
}

/// The crate's answer, without the operation.
fn by_the_crate(request: &HashRequest) -> Vec<u8> {
    use halimede_blake3::blake3::hazmat::HasherExt;
    use halimede_blake3::blake3::Hasher;
    let mut hasher = match &*request.mode {
        Mode::Hash => Hasher::new(),
        Mode::Keyed(key) => Hasher::new_keyed(key),
        Mode::DeriveKey(context_key) => Hasher::new_from_context_key(context_key),
    };
    let mut reader = hasher.update(&request.message).finalize_xof();
    reader.set_position(request.output_offset);
    let mut output = vec![0; request.output_bytes];
    reader.fill(&mut output);
    output
}

fn assert_same(device: &Device, requests: &[HashRequest]) {
    let start = Instant::now();
    let batch = Execute::<Hash>::execute(device, Hash::batch(requests)).unwrap();
    let processor = Execute::<Hash>::execute(&Device::cpu(), Hash::batch(requests)).unwrap();
    for ((request, reply), expected) in requests.iter().zip(&batch.replies).zip(&processor.replies)
    {
        let HashRequest { mode, message, output_offset, output_bytes } = request;
        let bytes = message.len();
        let what = format!("{mode:?} of {bytes} bytes, {output_bytes} at {output_offset}");
        assert!(reply == expected, "{what}: the card differs from the processor");
        assert!(*reply == by_the_crate(request), "{what}: both differ from the crate");
    }
    let bytes: usize = requests.iter().map(|request| request.message.len()).sum();
    let (count, timing, time) = (requests.len(), batch.timing, start.elapsed());
    println!(
        "{count} messages, {bytes} bytes, {:?} clocks, {:?} of them starved, {time:.2?}",
        timing.card_clocks, timing.card_starved_clocks
    );
    assert!(timing.card_starved_clocks.unwrap() < timing.card_clocks.unwrap());
}

#[test]
fn all_official_vectors_in_every_mode() {
    let Some(device) = card() else { return };
    let answers = KnownAnswers::official().unwrap();
    let all: Vec<(HashRequest, Vec<u8>)> =
        [answers.hash, answers.keyed_hash, answers.derive_key].concat();
    assert_eq!(all.len(), 3 * 35);
    let (requests, expected): (Vec<HashRequest>, Vec<Vec<u8>>) = all.into_iter().unzip();
    let replies = Execute::<Hash>::execute(&device, Hash::batch(&requests)).unwrap().replies;
    for ((request, expected), reply) in requests.iter().zip(&expected).zip(&replies) {
        assert_eq!(reply, expected, "{:?} of {} bytes", request.mode, request.message.len());
    }
    // The digests of the default length, and the part of the output after them.
    let part = |request: &HashRequest, output_offset, output_bytes| HashRequest {
        output_offset,
        output_bytes,
        ..request.clone()
    };
    for (from, to) in [(0, 32), (32, 131), (64, 131), (127, 130)] {
        let parts: Vec<HashRequest> =
            requests.iter().map(|request| part(request, from as u64, to - from)).collect();
        let replies = Execute::<Hash>::execute(&device, Hash::batch(&parts)).unwrap().replies;
        for (reply, expected) in replies.iter().zip(&expected) {
            assert_eq!(reply, &expected[from..to]);
        }
    }
}

/// 60 messages; 2,000 in a sweep (`make test-all`).
#[test]
fn random_messages_are_the_processors_and_the_crates() {
    let Some(device) = card() else { return };
    println!("seed {SEED}");
    match is_sweep() {
        false => assert_same(&device, &random_requests(60, 20, SEED)),
        true => {
            for part in 0..20 {
                assert_same(&device, &random_requests(100, 10, SEED + part));
            }
        }
    }
}

#[test]
fn long_output_and_output_far_on() {
    let Some(device) = card() else { return };
    let generator = &mut cases::generator(SEED + 100);
    let ranges = [(0, 65_472), (0, 65_473), (1, 100_000), (1 << 37, 300), ((1 << 38) - 64, 64)];
    let requests: Vec<HashRequest> = ranges
        .into_iter()
        .flat_map(|(output_offset, output_bytes)| {
            [0, 64, 70_000].map(|length| HashRequest {
                output_offset,
                output_bytes,
                ..request(generator, length)
            })
        })
        .collect();
    assert_same(&device, &requests);
    let far = HashRequest { output_offset: 1 << 38, output_bytes: 1, ..requests[0].clone() };
    let error =
        Execute::<Hash>::execute(&device, Hash::batch(std::slice::from_ref(&far))).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    let device = device.with_fallback(Device::cpu());
    let batch = Execute::<Hash>::execute(&device, Hash::batch(std::slice::from_ref(&far))).unwrap();
    assert_eq!(batch.replies, vec![by_the_crate(&far)]);
    assert_eq!(batch.timing.fallback_requests, 1);
}

#[test]
fn beside_poseidon_on_other_threads() {
    let Some(device) = card() else { return };
    let device = &device;
    std::thread::scope(|scope| {
        for seed in 0..2 {
            scope.spawn(move || assert_same(device, &random_requests(25, 12, SEED + 200 + seed)));
        }
        scope.spawn(move || {
            let preimages = cases::preimages(200, SEED);
            let batch = Execute::<FilecoinHash>::execute(device, &preimages).unwrap();
            assert!(batch.replies == FilecoinHash::compute_batch(&preimages));
        });
        scope.spawn(move || {
            for seed in 0..5 {
                let sponges = cases::starknet_inputs(20, SEED + seed);
                let batch = Execute::<StarknetHash>::execute(device, &sponges).unwrap();
                assert!(batch.replies == StarknetHash::compute_batch(&sponges));
            }
        });
    });
}

#[test]
fn a_card_without_the_engine_says_so() {
    if !has_simulator() {
        return;
    }
    let engines = Some(vec!["poseidon".into()]);
    let simulator = SimulatorOptions { engines, ..SimulatorOptions::default() };
    let device = Device::open_with("sim", &Options::default().simulator(simulator)).unwrap();
    assert!(!device.capabilities().has::<Hash>());
    let requests = random_requests(5, 20, SEED + 300);
    let error = Execute::<Hash>::execute(&device, Hash::batch(&requests)).unwrap_err();
    assert!(error.to_string().contains("does not have the BLAKE3 engine"), "{error}");
    let device = device.with_fallback(Device::cpu());
    let batch = Execute::<Hash>::execute(&device, Hash::batch(&requests)).unwrap();
    assert!(batch.replies == Hash::compute_batch(Hash::batch(&requests)));
    assert_eq!(batch.timing.fallback_requests, 5);
}

#[test]
fn injected_faults_are_errors_or_work_for_the_fallback_and_never_wrong_answers() {
    if !has_simulator() {
        return;
    }
    let requests = random_requests(40, 15, SEED + 400);
    let kinds = [
        "drop:0.05",
        "corrupt:0.05",
        "cut:0.05",
        "delay:0.1",
        "stall:0.05",
        "reset:0.05",
        "kill:0.05",
    ];
    answers_rightly_or_fails_cleanly::<Hash>(&requests, &kinds);
}
