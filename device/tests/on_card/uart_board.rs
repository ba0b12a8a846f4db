// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The ULX3S, simulated at its pins and connected by a serial line: the self-test, hashes against
//! the processor, and lines that lose bytes.
//!
//! If the simulator has not been built (`make board-sim`), these tests print a note and pass; with
//! `HALIMEDE_REQUIRE_RTL=1` they fail.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::board_simulator;
use crate::fake_card::cases;
use halimede_arith::job::{Answered, Compute, Execute};
use halimede_device::{Device, Options};
use halimede_poseidon::operations::{Permute, StarknetHash, StarknetInput};
use halimede_poseidon::State;

/// Seed of the random cases.
const SEED: u64 = 20_261_122;

/// A baud rate below the effective one, from which the host derives its time limits. The simulated
/// line has the board's rate in simulated time, which passes hundreds of times more slowly on a
/// busy machine.
const SEEN_BAUD: u32 = 2400;

/// Longer than the simulated line needs to become idle.
const TIME_LIMIT: Duration = Duration::from_secs(30);

/// A simulated board, which ends when this is dropped.
struct Board {
    process: Child,
    path: String,
}

impl Board {
    /// Starts the simulator with these arguments; `None` without a simulator.
    fn start(arguments: &[&str]) -> Option<Self> {
        let program = board_simulator("HALIMEDE_ULX3S_SIM", "halimede-ulx3s-sim")?;
        let mut process =
            Command::new(program).args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let path = line.strip_prefix("listening ").unwrap_or_else(|| panic!("{line}")).trim();
        Some(Self { path: path.to_owned(), process })
    }

    fn device(&self) -> Device {
        let name = format!("uart:{}@{SEEN_BAUD}", self.path);
        Device::open_with(&name, &Options::default().time_limit(TIME_LIMIT)).unwrap()
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn hashes_like_the_processor(
    device: &Device,
    requests: &[StarknetInput],
) -> Answered<<StarknetHash as halimede_arith::job::Operation>::Replies> {
    let start = Instant::now();
    let batch = Execute::<StarknetHash>::execute(device, requests).unwrap();
    assert!(batch.replies == StarknetHash::compute_batch(requests));
    println!(
        "{} hashes, {} by the fallback, {:?}",
        requests.len(),
        batch.timing.fallback_requests,
        start.elapsed()
    );
    batch
}

/// Hashes of pairs. Each is one permutation: one request and one reply.
fn pairs(count: usize, seed: u64) -> Vec<StarknetInput> {
    let generator = &mut cases::generator(seed);
    (0..count)
        .map(|_| StarknetInput::Pair(cases::felt(generator), cases::felt(generator)))
        .collect()
}

#[test]
fn the_startup_test_passes_and_hashes_are_those_of_the_processor() {
    // The rates of the two ends differ by ±1.5 %.
    for rate_error in ["15000", "-15000"] {
        let Some(board) = Board::start(&["--rate-error", rate_error]) else { return };
        let device = board.device();
        for check in device.selftest().unwrap() {
            println!("{}: {} ({:?})", check.name, check.detail, check.time);
            assert!(check.passed, "{}: {}", check.name, check.detail);
        }
        hashes_like_the_processor(&device, &cases::starknet_inputs(30, SEED));
        let generator = &mut cases::generator(SEED);
        let states: Vec<State> = (0..20)
            .map(|_| State::stark(&std::array::from_fn::<_, 3, _>(|_| cases::felt(generator))))
            .collect::<Result<_, _>>()
            .unwrap();
        let batch = Execute::<Permute>::execute(&device, &states).unwrap();
        assert!(batch.replies == Permute::compute_batch(&states));
    }
}

#[test]
fn a_reply_that_loses_a_byte_is_work_for_the_fallback_and_the_board_goes_on() {
    // The opening has some 100 bytes of replies, each hash 56 bytes.
    let Some(board) = Board::start(&["--lose-reply", "400"]) else { return };
    let device = board.device().with_fallback(Device::cpu());
    let batch = hashes_like_the_processor(&device, &pairs(12, 1));
    assert!(batch.timing.fallback_requests > 0, "the byte was not missed");
    let batch = hashes_like_the_processor(&device, &pairs(12, 2));
    assert_eq!(batch.timing.fallback_requests, 0);
}

#[test]
fn a_request_that_loses_a_byte_is_work_for_the_fallback_and_the_board_goes_on() {
    for fault in ["--lose-request", "--break-request"] {
        let Some(board) = Board::start(&[fault, "500"]) else { return };
        let device = board.device().with_fallback(Device::cpu());
        let batch = hashes_like_the_processor(&device, &pairs(12, 3));
        assert!(batch.timing.fallback_requests > 0, "the byte was not missed");
        let batch = hashes_like_the_processor(&device, &pairs(12, 4));
        assert_eq!(batch.timing.fallback_requests, 0);
    }
}

#[test]
fn a_board_left_in_mid_beat_and_mid_frame_serves_the_next_client() {
    let Some(board) = Board::start(&[]) else { return };
    // 43 of the 120 bytes of a permutation.
    let header = [120u32.to_le_bytes(), 0x110u32.to_le_bytes()].concat();
    let mut client = OpenOptions::new().write(true).open(&board.path).unwrap();
    client.write_all(&[header, vec![3; 35]].concat()).unwrap();
    drop(client);
    hashes_like_the_processor(&board.device(), &pairs(5, 5));
}
