// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The common part of the tests on the simulated card.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests print measurements and skips")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use halimede_arith::job::{Compute, DeviceError, Execute};
use halimede_arith::Fr;
use halimede_device::simulator::{Image, SimulatorOptions};
use halimede_device::{Capability, Device, Options};

/// The variable with the name of the card on which the tests run that inject no fault, such as
/// `f2:0000:34:00.0`, one test at a time (`--test-threads 1`). By default it is a simulated card.
const CARD_VARIABLE: &str = "HALIMEDE_TEST_CARD";

/// The time limit of that card, which may be simulated on a busy machine.
const CARD_TIME_LIMIT: Duration = Duration::from_secs(60);

/// Opens the card of the tests that inject no fault.
pub fn card_device() -> Device {
    let name = std::env::var(CARD_VARIABLE).unwrap_or_else(|_| "sim".into());
    Device::open_with(&name, &Options::default().time_limit(CARD_TIME_LIMIT)).unwrap()
}

/// Returns true if there is a card for [`card_device`]. Without it, a test prints a note and
/// passes, unless `HALIMEDE_REQUIRE_RTL=1` requires it.
pub fn has_card() -> bool {
    std::env::var_os(CARD_VARIABLE).is_some() || has_simulator()
}

/// Returns the path of the simulator of a board: that of a variable, or that which `make board-sim`
/// built. `None`: as for [`has_simulator`].
pub fn board_simulator(variable: &str, name: &str) -> Option<PathBuf> {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../build/card-sim/");
    let program =
        std::env::var_os(variable).map_or_else(|| format!("{built}{name}").into(), PathBuf::from);
    if program.is_file() {
        return Some(program);
    }
    let words = format!("no simulated board at {}: `make board-sim`", program.display());
    assert!(!is_set("HALIMEDE_REQUIRE_RTL"), "{words}");
    println!("skipped: {words}");
    None
}

/// Returns true if the simulator has been built. Without it, a test prints a note and passes,
/// unless `HALIMEDE_REQUIRE_RTL=1` requires it.
pub fn has_simulator() -> bool {
    match Image::default().find() {
        Ok(_) => true,
        Err(error) if is_set("HALIMEDE_REQUIRE_RTL") => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            false
        }
    }
}

/// Returns the options of a simulated card with a memory; `None` if it has not been built, as for
/// [`has_simulator`].
pub fn memory_simulator() -> Option<SimulatorOptions> {
    simulator_of(Capability::Ckks, true)
}

/// Returns the options of the simulated card with the BLS12-381 coprocessor; `None` if it has not
/// been built. Building takes a minute, so only a sweep requires it as [`has_simulator`] does.
pub fn coprocessor_simulator() -> Option<SimulatorOptions> {
    simulator_of(Capability::Bls12381, is_sweep())
}

/// Returns the options of the simulated card with an engine; `None` if it has not been built. Fails
/// instead if it is required and `HALIMEDE_REQUIRE_RTL=1`.
fn simulator_of(engine: Capability, is_required: bool) -> Option<SimulatorOptions> {
    let image = Image::of(engine);
    match image.find() {
        Ok(_) => Some(SimulatorOptions { image, ..SimulatorOptions::default() }),
        Err(error) if is_required && is_set("HALIMEDE_REQUIRE_RTL") => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            None
        }
    }
}

/// True in a sweep (`make test-all`): more cases.
pub fn is_sweep() -> bool {
    is_set("HALIMEDE_SWEEP")
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| value == "1")
}

/// Options of a simulated card with these faults.
pub fn faulty(faults: &[String], seed: u64, time_limit: Duration) -> Options {
    let simulator =
        SimulatorOptions { faults: faults.to_vec(), seed: Some(seed), ..Default::default() };
    Options::default().time_limit(time_limit).simulator(simulator)
}

/// Executes the requests on simulated cards with each kind of fault, with and without a fallback,
/// and checks for right answers or a clean error within the limit.
pub fn answers_rightly_or_fails_cleanly<Op>(requests: &[Op::Request], kinds: &[&str])
where
    Op: Compute,
    Op::Reply: PartialEq,
{
    const TIME_LIMIT: Duration = Duration::from_secs(2);
    const RUN_LIMIT: Duration = Duration::from_secs(60);
    let expected = Op::compute_batch(Op::batch(requests));
    let mut by_fallback = 0;
    for (number, kind) in kinds.iter().enumerate() {
        for has_fallback in [true, false] {
            let start = Instant::now();
            let options = faulty(&[(*kind).to_owned()], number as u64, TIME_LIMIT).retries(1);
            let opened = match has_fallback {
                true => Device::open_with_fallback("sim", &options, Device::cpu()),
                false => Device::open_with("sim", &options),
            };
            let device = match opened {
                Ok(device) => device,
                // The fault hit a reply during the opening.
                Err(error) => {
                    assert!(!has_fallback, "{kind}: {error} in spite of the fallback");
                    assert!(error.to_string().contains("is not available"), "{kind}: {error}");
                    continue;
                }
            };
            let outcome = Execute::<Op>::execute(&device, Op::batch(requests));
            let time = start.elapsed();
            assert!(time < RUN_LIMIT, "{kind} took {time:?}");
            match outcome {
                Ok(batch) => {
                    assert!(batch.replies == expected, "{kind}: a wrong answer");
                    by_fallback += batch.timing.fallback_requests;
                }
                Err(error) => {
                    assert!(!has_fallback, "{kind}: {error} in spite of the fallback");
                    assert!(matches!(error, DeviceError::Failed { .. }), "{kind}: {error}");
                }
            }
        }
    }
    println!("{by_fallback} by the fallback");
    assert!(by_fallback > 0, "no fault struck");
}

/// Different leaves from a seed.
pub fn leaves(count: usize, seed: u64) -> Vec<Fr> {
    let leaf = |index: usize| Fr::from(seed << 32 | index as u64).pow(&[41]);
    (1..=count).map(leaf).collect()
}
