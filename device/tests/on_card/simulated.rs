// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card simulated from its RTL against the processor: the same bytes on both.
//!
//! If the simulator has not been built, these tests print a note and pass; with
//! `HALIMEDE_REQUIRE_RTL=1` they fail.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use std::time::{Duration, Instant};

use crate::common::{card_device, faulty, has_card, has_simulator, is_sweep};
use crate::fake_card::cases;
use halimede_arith::job::{Answered, Compute, DeviceError, Execute};
use halimede_arith::{Felt, Fr};
use halimede_card::{Card, CardOptions};
use halimede_device::simulator::{Image, SimulatorOptions};
use halimede_device::{Capability, Device, Interrupt, Options};
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash, StarknetInput};
use halimede_poseidon::{State, Strength};

/// The number of cases of each comparison: 500, or 10,000 in a sweep (`make test-all`).
fn case_count() -> usize {
    if is_sweep() {
        10_000
    } else {
        500
    }
}

/// The seed of the random cases.
const SEED: u64 = 20_261_121;

fn with_faults(faults: &[&str], seed: u64, time_limit: Duration) -> Device {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    Device::open_with("sim", &faulty(&faults, seed, time_limit)).unwrap()
}

fn executes_like_the_processor<Op>(
    device: &Device,
    requests: &[Op::Request],
) -> Answered<Op::Replies>
where
    Op: Compute,
    Op::Reply: PartialEq,
{
    let start = Instant::now();
    let batch = Execute::<Op>::execute(device, Op::batch(requests)).unwrap();
    let expected = Execute::<Op>::execute(&Device::cpu(), Op::batch(requests)).unwrap();
    let replies: Vec<_> = batch.replies.clone().into_iter().collect();
    let right = replies.iter().zip(expected.replies).filter(|(a, b)| *a == b).count();
    assert_eq!((right, replies.len()), (requests.len(), requests.len()), "{}", Op::NAME);
    let (name, count, clocks) = (Op::NAME, requests.len(), batch.timing.card_clocks);
    println!("{name}: {count} requests, {clocks:?} clocks, {:.2?}", start.elapsed());
    batch
}

/// Returns the edge cases, each at each place of the state, then random states.
fn filecoin_states() -> Vec<State> {
    let edges = [Fr::ZERO, Fr::ONE, -Fr::ONE];
    let generator = &mut cases::generator(SEED);
    let state = |index: usize| match index {
        0..27 => [edges[index % 3], edges[index / 3 % 3], edges[index / 9]],
        _ => std::array::from_fn(|_| cases::fr(generator)),
    };
    let states = (0..case_count()).map(state);
    states.map(|state| State::filecoin(Strength::Standard, &state).unwrap()).collect()
}

/// Returns the edge cases, each at each place of the state, then random states.
fn stark_states() -> Vec<State> {
    let edges = [Felt::ZERO, Felt::ONE, -Felt::ONE];
    let generator = &mut cases::generator(SEED);
    let state = |index: usize| match index {
        0..27 => [edges[index % 3], edges[index / 3 % 3], edges[index / 9]],
        _ => std::array::from_fn(|_| cases::felt(generator)),
    };
    (0..case_count()).map(state).map(|state| State::stark(&state).unwrap()).collect()
}

#[test]
fn the_same_bytes_on_the_card_and_the_processor() {
    if !has_card() {
        return;
    }
    println!("seed {SEED}");
    let device = card_device();
    executes_like_the_processor::<Permute>(&device, &filecoin_states());
    executes_like_the_processor::<Permute>(&device, &stark_states());
    executes_like_the_processor::<FilecoinHash>(&device, &cases::preimages(100, SEED));
    executes_like_the_processor::<StarknetHash>(&device, &cases::starknet_inputs(100, SEED));
    let mixed: Vec<State> =
        filecoin_states().into_iter().zip(stark_states()).flat_map(|(a, b)| [a, b]).collect();
    executes_like_the_processor::<Permute>(&device, &mixed[..200]);
    executes_like_the_processor::<Permute>(&device, &mixed[..1]);
}

/// The self-test. The command's tests also run it (`halimede card selftest`).
#[test]
fn the_startup_test_passes_in_a_sweep() {
    if !is_sweep() || !has_card() {
        return;
    }
    let device = card_device();
    for check in device.selftest().unwrap() {
        println!("{}: {} ({:?})", check.name, check.detail, check.time);
        assert!(check.passed, "{}: {}", check.name, check.detail);
    }
    let capabilities = device.capabilities();
    assert!(capabilities.has::<Permute>());
    let engines = &capabilities.engines;
    let poseidon = engines.iter().find(|engine| engine.name == "poseidon").unwrap();
    assert!(poseidon.units["cores_fr"] >= 1);
}

#[test]
fn a_card_without_engines_says_so() {
    if !has_simulator() {
        return;
    }
    let simulator = SimulatorOptions { engines: Some(vec![]), ..SimulatorOptions::default() };
    let device = Device::open_with("sim", &Options::default().simulator(simulator)).unwrap();
    assert!(device.capabilities().engines.is_empty());
    let requests = [StarknetInput::Single(Felt::ONE)];
    let error = Execute::<StarknetHash>::execute(&device, &requests).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    let device = device.with_fallback(Device::cpu());
    let batch = Execute::<StarknetHash>::execute(&device, &requests).unwrap();
    assert_eq!((batch.replies.len(), batch.timing.fallback_requests), (1, 1));
}

/// Opens a simulated card and ends its process after a while.
fn dying_device(delay: Duration) -> Device {
    use halimede_card::transport::Simulated;
    let simulated = Simulated::start(&SimulatorOptions::default(), Duration::from_secs(5)).unwrap();
    let process = simulated.process_id().to_string();
    let card = Card::open("sim", Box::new(simulated), CardOptions::default()).unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(delay);
        std::process::Command::new("kill").args(["-9", &process]).status().unwrap();
    });
    Device::from_card(card, &Options::default())
}

#[test]
fn a_simulator_killed_in_mid_batch_is_an_error_at_once_or_work_for_the_fallback() {
    if !has_simulator() {
        return;
    }
    // Seconds of work for the card, which is killed after half a second.
    let requests = cases::preimages(3000, SEED);
    let delay = Duration::from_millis(500);

    let device = dying_device(delay);
    let start = Instant::now();
    let error = Execute::<FilecoinHash>::execute(&device, &requests).unwrap_err();
    assert!(start.elapsed() < CardOptions::default().time_limit, "{:?}", start.elapsed());
    assert!(matches!(error, DeviceError::Failed { .. }), "{error}");
    assert!(error.to_string().contains("ended with signal: 9"), "{error}");

    let device = dying_device(delay).with_fallback(Device::cpu());
    let batch = Execute::<FilecoinHash>::execute(&device, &requests).unwrap();
    assert!(batch.replies == FilecoinHash::compute_batch(&requests));
    assert!(batch.timing.fallback_requests > 0);
    println!("{} of {} by the fallback", batch.timing.fallback_requests, requests.len());
}

#[test]
fn injected_faults_are_errors_or_work_for_the_fallback_and_never_wrong_answers() {
    if !has_simulator() {
        return;
    }
    let requests = cases::starknet_inputs(300, SEED);
    for (seed, fault) in
        ["drop:0.02", "corrupt:0.02", "cut:0.02", "delay:0.05", "stall:0.02"].iter().enumerate()
    {
        let device = with_faults(&[fault], seed as u64, Duration::from_secs(2));
        let device = device.with_fallback(Device::cpu());
        for _ in 0..2 {
            let batch = executes_like_the_processor::<StarknetHash>(&device, &requests);
            println!("{fault}: {} by the fallback", batch.timing.fallback_requests);
        }
    }
}

#[test]
fn flipped_bits_of_the_cards_memories_never_give_wrong_answers() {
    if !has_simulator() {
        return;
    }
    let requests = cases::starknet_inputs(300, SEED);
    let device = with_faults(&["flip:0.2"], 11, Duration::from_secs(10));
    let device = device.with_fallback(Device::cpu());
    let mut by_fallback = 0;
    for _ in 0..2 {
        let batch = executes_like_the_processor::<StarknetHash>(&device, &requests);
        by_fallback += batch.timing.fallback_requests;
    }
    let report = device.windows().unwrap().report(Capability::Poseidon).unwrap();
    println!("{} memory errors, {by_fallback} by the fallback", report.memory_errors);
    assert!(report.memory_errors > 0, "no flip was noticed");
    assert!(report.interrupts_pending.contains(&Interrupt::MemoryError));
}

#[test]
fn a_corrupted_reply_is_always_noticed() {
    if !has_simulator() {
        return;
    }
    let requests = stark_states();
    let expected = Permute::compute_batch(&requests);
    let device = with_faults(&["corrupt:0.01"], 5, Duration::from_secs(2));
    let device = device.with_fallback(Device::cpu());
    let batch = Execute::<Permute>::execute(&device, &requests).unwrap();
    println!("{} of {} by the fallback", batch.timing.fallback_requests, requests.len());
    assert!(batch.timing.fallback_requests > 0);
    for (index, (reply, right)) in batch.replies.iter().zip(&expected).enumerate() {
        assert_eq!(reply, right, "request {index}");
    }
}

#[test]
fn a_card_left_in_mid_frame_by_its_last_client_serves_the_next() {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixStream;
    use std::process::{Command, Stdio};
    if !has_simulator() {
        return;
    }
    let path = std::env::temp_dir().join(format!("halimede-test-{}", std::process::id()));
    let mut process = Command::new(Image::default().find().unwrap())
        .arg("--socket")
        .arg(&path)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("listening "), "{line}");

    // 75 of 120 bytes of a permutation: a beat of the widest stream, and half a beat.
    let mut client = UnixStream::connect(&path).unwrap();
    let header = [120u32.to_le_bytes(), 0x110u32.to_le_bytes()].concat();
    client.write_all(&[header, vec![3; 67]].concat()).unwrap();
    drop(client);

    let name = format!("sim:{}", path.display());
    for _ in 0..2 {
        let device = Device::open(&name).unwrap();
        executes_like_the_processor::<Permute>(&device, &stark_states()[..50]);
    }
    process.kill().unwrap();
    process.wait().unwrap();
    std::fs::remove_file(path).unwrap();
}

#[test]
fn two_simulated_cards_at_once() {
    if !has_simulator() {
        return;
    }
    let devices = [Device::open("sim").unwrap(), Device::open("sim").unwrap()];
    let requests = stark_states();
    std::thread::scope(|scope| {
        for (device, requests) in devices.iter().zip(requests.chunks(100)) {
            scope.spawn(move || executes_like_the_processor::<Permute>(device, requests));
        }
    });
}
