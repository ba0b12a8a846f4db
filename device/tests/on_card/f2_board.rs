// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The design for AWS F2, simulated from the ports of Amazon's shell, by mapped memory: every
//! engine against the processor, several clients, and a card that goes away or does not move.
//!
//! If the simulator has not been built (`make board-sim`), these tests print a note and pass; with
//! `HALIMEDE_REQUIRE_RTL=1` they fail.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use halimede_arith::job::{Compute, DeviceError, Execute, Operation};
use halimede_blake3::known_answers::KnownAnswers;
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_device::{Device, Options};
use halimede_poseidon::operations::{Permute, StarknetHash};
use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::Verify;
use rustix::process::{kill_process, Pid, Signal};

use crate::common::{board_simulator, is_sweep};
use crate::fake_card::cases;

/// Seed of the random cases.
const SEED: u64 = 20_261_130;

/// The simulated card is slower than the real one by some thousands.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// A simulated function, which ends when this is dropped.
struct Function {
    process: Child,
    folder: PathBuf,
}

impl Function {
    /// Starts the simulator; `None` without a simulator.
    fn start(seed: u64) -> Option<Self> {
        let program = board_simulator("HALIMEDE_F2_SIM", "halimede-f2-sim")?;
        let name = format!("halimede-f2-{}-{seed}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut process = Command::new(program)
            .args(["--seed", &seed.to_string()])
            .arg(&folder)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut reader = BufReader::new(process.stderr.take().unwrap());
        reader.read_line(&mut line).unwrap();
        assert!(line.starts_with("listening "), "{line}");
        // Otherwise a later message would end the simulator.
        std::thread::spawn(move || reader.lines().map_while(Result::ok).for_each(drop));
        Some(Self { process, folder })
    }

    fn open(&self, limit: Duration) -> Result<Device, DeviceError> {
        let name = format!("f2:{}", self.folder.display());
        Device::open_with(&name, &Options::default().time_limit(limit))
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).unwrap();
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn every_engine_is_the_processor_by_mapped_memory() {
    let Some(function) = Function::start(SEED) else { return };
    println!("seed {SEED}");
    let answers = KnownAnswers::official().unwrap();
    let messages: Vec<HashRequest> = answers.hash.into_iter().map(|(request, _)| request).collect();
    let checks: Vec<_> = known_answers().unwrap().into_iter().map(|known| known.request).collect();
    let signatures = if is_sweep() { checks.len() } else { 8 };
    // The second client finds the positions of the first.
    for client in 0..2 {
        let start = Instant::now();
        let device = function.open(TIME_LIMIT).unwrap();
        let states = cases::states(150, SEED + client);
        let batch = Execute::<Permute>::execute(&device, &states).unwrap();
        assert!(batch.replies == Permute::compute_batch(&states));
        let inputs = cases::starknet_inputs(20, SEED + client);
        let batch = Execute::<StarknetHash>::execute(&device, &inputs).unwrap();
        assert!(batch.replies == StarknetHash::compute_batch(&inputs));
        // More than both rings hold.
        let batch = Execute::<Hash>::execute(&device, Hash::batch(&messages)).unwrap();
        assert!(batch.replies == Hash::compute_batch(Hash::batch(&messages)));
        let batch = Execute::<Verify>::execute(&device, checks[..signatures].into()).unwrap();
        assert!(batch.replies == Verify::compute_batch(checks[..signatures].into()));
        println!("client {client}: {:.2?}", start.elapsed());
    }
    if is_sweep() {
        for check in function.open(TIME_LIMIT).unwrap().selftest().unwrap() {
            println!("{}: {} ({:?})", check.name, check.detail, check.time);
            assert!(check.passed, "{}: {}", check.name, check.detail);
        }
    }
}

#[test]
fn a_card_has_one_user_at_a_time() {
    let Some(function) = Function::start(SEED + 1) else { return };
    let first = function.open(TIME_LIMIT).unwrap();
    let error = function.open(Duration::from_millis(100)).unwrap_err().to_string();
    assert!(error.contains("another process or device uses the card"), "{error}");
    drop(first);
    drop(function.open(TIME_LIMIT).unwrap());
}

#[test]
fn a_card_that_goes_away_or_stands_still_is_an_error_or_work_for_the_fallback() {
    const LIMIT: Duration = Duration::from_secs(4);
    let states = cases::states(2000, SEED + 2);
    for (signal, said) in
        [(Signal::TERM, "nothing answers on its bus"), (Signal::STOP, "within 4.0 s")]
    {
        let Some(function) = Function::start(SEED + 2) else { return };
        let device = function.open(LIMIT).unwrap();
        let start = Instant::now();
        let error = std::thread::scope(|scope| {
            let work = scope.spawn(|| Execute::<Permute>::execute(&device, &states));
            std::thread::sleep(Duration::from_millis(100));
            function.signal(signal);
            work.join().unwrap().unwrap_err().to_string()
        });
        assert!(error.contains(said), "{error}");
        assert!(start.elapsed() < 4 * LIMIT, "{:?}", start.elapsed());
        let device = device.with_fallback(Device::cpu());
        let batch = Execute::<Permute>::execute(&device, &states[..50]).unwrap();
        assert!(batch.replies == Permute::compute_batch(&states[..50]));
        assert_eq!(batch.timing.fallback_requests, 50);
    }
}
