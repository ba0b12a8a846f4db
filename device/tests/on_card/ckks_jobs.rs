// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CKKS jobs on a simulated card with a memory: written, run and read back by a device, against the
//! instruction simulator; wrong programs; devices without such a memory.
//!
//! If the simulator has not been built (`make card-sim`), these tests print a note and pass; with
//! `HALIMEDE_REQUIRE_RTL=1` they fail.

#![allow(clippy::print_stdout, reason = "tests print measurements and skips")]

use std::time::{Duration, Instant};

use crate::common::memory_simulator;
use halimede_arith::job::{DeviceError, Execute};
use halimede_ckks::card::isa::Fault;
use halimede_ckks::card::{basic, compile, simulate, Basic, Card, CardError, CardMemory};
use halimede_ckks::card::{CompileOptions, Compiled, JobError, MemoryPlace, ReadMemory, RunJob};
use halimede_ckks::card::{WriteBatch, WriteMemory, MOST_DATA_BYTES};
use halimede_ckks::ring::{Basis, Program};
use halimede_ckks::{DryServer, Operations, Parameters};
use halimede_device::{Device, Options};
use rand::{Rng, RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The simulated card has this shape (engines/ckks/engine.toml): lanes, and slots of N = 2¹⁰.
const LOG_LANES: u32 = 3;
const SLOTS: usize = 64;
const MEMORY_BYTES: u64 = 1 << 23;

const LEVEL: usize = 3;
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn device() -> Option<Device> {
    let options = Options::default().time_limit(TIME_LIMIT).simulator(memory_simulator()?);
    Some(Device::open_with("sim", &options).unwrap())
}

/// An operation for the simulated card, and a memory in which its values are random residues.
fn job(operation: &str) -> (Compiled, CardMemory) {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let degree = 2 * parameters.slots();
    let program = program(operation, &parameters);
    let card = Card {
        log_radix: LOG_LANES,
        columns: 3,
        scratchpad_bytes: SLOTS * 4 * degree,
        ..Card::small(LOG_LANES)
    };
    let options = CompileOptions { expand: false, ..Default::default() };
    let compiled = compile(&program, &card, &options).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(20_261_124);
    let externals = program.externals.iter();
    let limbs: Vec<Vec<Vec<u32>>> = externals
        .map(|external| {
            let modulus = |place: &u16| program.primes[usize::from(*place)].modulus;
            let count = degree / external.run;
            let limb = |q| (0..count).map(|_| random.gen_range(0..q)).collect();
            external.basis.places().iter().map(modulus).map(limb).collect()
        })
        .collect();
    let limb = |external: usize, place| {
        let number = program.externals[external].basis.limb_of(place)?;
        Some(limbs[external][number].as_slice())
    };
    let memory = CardMemory::new(&program, &compiled, limb, |_| None).unwrap();
    (compiled, memory)
}

fn program(operation: &str, parameters: &Parameters) -> Program {
    let operations = Operations { rotations: vec![1], ..Operations::default() };
    let dry = DryServer::new(parameters, &operations.keys_to_level(parameters, LEVEL));
    let a = dry.input(LEVEL, parameters.slots());
    let rotation = dry.record(&[&a], &[], |server| Ok(server.rotate_many(&a, &[1])?)).unwrap().1;
    if operation == "rotation" {
        return rotation;
    }
    let limbs = rotation.externals[0].basis.places().len();
    basic(Basic::Add, rotation.degree, &rotation.primes, &Basis::new(0..limbs as u16), 2)
}

/// The outputs of a job as the instruction simulator computes them.
fn expected(compiled: &Compiled, memory: &CardMemory) -> Vec<Vec<Vec<u32>>> {
    let mut simulated = memory.clone();
    simulate(&mut simulated, |_, _, _| {}).unwrap();
    outputs(compiled, &simulated)
}

fn outputs(compiled: &Compiled, memory: &CardMemory) -> Vec<Vec<Vec<u32>>> {
    (0..compiled.outputs.len()).map(|index| memory.output(compiled, index).unwrap()).collect()
}

#[test]
fn ckks_jobs_give_the_instruction_simulators_bits() {
    let Some(device) = device() else { return };
    for operation in ["hadd", "rotation"] {
        let (compiled, mut memory) = job(operation);
        let expected = expected(&compiled, &memory);
        assert_ne!(outputs(&compiled, &memory), expected);
        let start = Instant::now();
        let clocks = memory.run_on(&compiled, &device).unwrap();
        println!("{operation}: {clocks} clocks, {:?}", start.elapsed());
        assert_eq!(outputs(&compiled, &memory), expected, "{operation}");
        assert!(clocks > 1000);
    }
}

/// A fault is reported with its word, and does not affect the next job.
#[test]
fn a_wrong_ckks_program_is_an_error_and_the_next_one_runs() {
    let Some(device) = device() else { return };
    let (compiled, memory) = job("hadd");
    let expected = expected(&compiled, &memory);
    // A job of zeros has no program.
    let job_bytes = WriteBatch::Region(MEMORY_BYTES - 64, &[0; 64]);
    Execute::<WriteMemory>::execute(&device, job_bytes).unwrap();
    let ended = Execute::<RunJob>::execute(&device, &[MEMORY_BYTES - 64]).unwrap().replies;
    assert_eq!(ended[0].fault, Some(Fault::Magic));
    // A memory without the program's values: the simulator and the card stop at the first use of
    // one.
    let absent = CardMemory::new(&program("hadd", &preset()), &compiled, |_, _| None, |_| None);
    let mut absent = absent.unwrap();
    let simulated = simulate(&mut absent.clone(), |_, _, _| {}).unwrap_err();
    assert!(matches!(&simulated, CardError::Fault(fault) if fault.fault == Fault::Absent));
    let error = absent.run_on(&compiled, &device).unwrap_err();
    assert!(matches!(&error, JobError::Fault(fault) if fault.fault == Fault::Absent), "{error}");
    let mut memory = memory;
    memory.run_on(&compiled, &device).unwrap();
    assert_eq!(outputs(&compiled, &memory), expected);
}

fn preset() -> Parameters {
    Parameters::preset("n10-insecure").unwrap()
}

#[test]
fn ckks_memory_keeps_what_is_written_and_refuses_what_is_not_there() {
    let Some(device) = device() else { return };
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut bytes = vec![0; 3 * MOST_DATA_BYTES + 96];
    random.fill_bytes(&mut bytes);
    let address = MEMORY_BYTES - bytes.len() as u64;
    Execute::<WriteMemory>::execute(&device, WriteBatch::Region(address, &bytes)).unwrap();
    let places = MemoryPlace::of_region(address, bytes.len());
    let read = Execute::<ReadMemory>::execute(&device, &places).unwrap().replies;
    assert_eq!(read.concat(), bytes);
    let ask = |address, bytes| {
        let place = MemoryPlace { address, bytes };
        Execute::<ReadMemory>::execute(&device, &[place]).unwrap_err()
    };
    // The host refuses all of these except the last, which the card refuses.
    for (address, bytes) in [(8, 32), (0, 0), (0, 8), (0, MOST_DATA_BYTES + 32)] {
        let error = ask(address, bytes);
        assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    }
    let error = ask(MEMORY_BYTES - 32, 64);
    assert!(
        matches!(&error, DeviceError::Failed { reason, .. } if reason.contains("beyond")),
        "{error}"
    );
    let again = Execute::<ReadMemory>::execute(&device, &places[..1]).unwrap().replies;
    assert_eq!(again[0], bytes[..MOST_DATA_BYTES]);
}

#[test]
fn a_processor_has_no_ckks_memory() {
    let error = Execute::<RunJob>::execute(&Device::cpu(), &[0]).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
}
