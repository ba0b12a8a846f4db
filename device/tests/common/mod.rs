// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the tests on the simulated card share.

#![allow(dead_code, reason = "each test binary uses a part")]

use std::time::Duration;

use halimede_arith::Fr;
use halimede_device::simulator::{self, SimulatorOptions};
use halimede_device::{Device, Options};

/// True where there is a simulator; without it a test passes with a note, unless
/// `HALIMEDE_REQUIRE_RTL=1` says that it must be.
pub fn has_simulator() -> bool {
    match simulator::find() {
        Ok(_) => true,
        Err(error) if is_set("HALIMEDE_REQUIRE_RTL") => panic!("{error}"),
        Err(error) => {
            println!("skipped: {error}");
            false
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

/// A simulated card with these faults; none where they strike before it is open.
pub fn try_faulty(options: &Options) -> Option<Device> {
    Device::open_with("sim", options).ok()
}

/// Leaves that all differ, of a seed.
pub fn leaves(count: usize, seed: u64) -> Vec<Fr> {
    let leaf = |index: usize| Fr::from(seed << 32 | index as u64).pow(&[41]);
    (1..=count).map(leaf).collect()
}
