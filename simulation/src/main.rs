// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs seeds of the simulation on all cores until enough faults have struck.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test harness")]

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use halimede_simulation::run::run;
use halimede_simulation::sweep::sweep;

/// Simulates hosts with faulty links to a card; exits with code 1 at the first wrong, lost or
/// duplicated answer.
#[derive(Parser)]
struct Arguments {
    /// The number of faults to inject.
    #[arg(long, default_value_t = 1_000_000)]
    faults: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Run only this seed, to reproduce a failure.
    #[arg(long)]
    only: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(seed) = arguments.only {
        return match run(seed) {
            Ok(outcome) => {
                println!("{outcome:#?}");
                ExitCode::SUCCESS
            }
            Err(failure) => {
                println!("{failure}");
                ExitCode::FAILURE
            }
        };
    }
    let start = Instant::now();
    let outcome = sweep(arguments.seed, arguments.faults, |failure| {
        // Exits at once, since another run may not end.
        println!("{failure}");
        std::process::exit(1);
    });
    println!("{:.1} s", start.elapsed().as_secs_f64());
    println!("{:#?}", outcome.unwrap());
    ExitCode::SUCCESS
}
