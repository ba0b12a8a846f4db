// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Outputs on a virtual disk, crashed at every operation and raced in every order, and faulty
//! procedures, all of which the same checks detect.
//!
//! `HALIMEDE_SEED=N` runs only the scenario of this seed; `HALIMEDE_SWEEP=1` runs ten times the
//! usual number.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod mutants;
mod scenario;
mod sweep;

use scenario::{by_the_crate, Scenario};
use sweep::{crash_everywhere, race, Count};

/// Returns the number of runs: the usual one, or ten times that in a sweep.
fn wanted(usual: u64) -> u64 {
    match std::env::var_os("HALIMEDE_SWEEP").is_some_and(|it| it == "1") {
        true => 10 * usual,
        false => usual,
    }
}

/// Returns the seeds to run: consecutive ones from a random seed, or only the given seed.
fn seeds() -> Box<dyn Iterator<Item = u64>> {
    match std::env::var("HALIMEDE_SEED") {
        Ok(seed) => Box::new(std::iter::once(seed.parse().unwrap())),
        Err(_) => Box::new((rand::random::<u32>() as u64) << 16..),
    }
}

#[test]
fn an_output_is_old_or_new_after_any_crash() {
    let (mut count, mut first) = (Count::default(), None);
    for seed in seeds() {
        first.get_or_insert(seed);
        crash_everywhere(by_the_crate, &Scenario::new(seed), &mut count).unwrap();
        if count.crashes >= wanted(10_000) {
            break;
        }
    }
    let Count { scenarios, crashes } = count;
    println!("{crashes} crash points in {scenarios} scenarios from seed {}", first.unwrap());
}

#[test]
fn of_two_processes_one_s_output_is_there() {
    let (mut pairs, mut first) = (0, None);
    for seed in seeds().take(wanted(1_000) as usize) {
        first.get_or_insert(seed);
        race(by_the_crate, &Scenario::new(seed)).unwrap();
        pairs += 1;
    }
    println!("{pairs} pairs of processes from seed {}", first.unwrap());
}
