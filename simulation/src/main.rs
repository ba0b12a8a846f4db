// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs seeds of the simulation on all cores until so many faults have struck.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a test harness")]

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
use std::time::Instant;

use clap::Parser;
use halimede_simulation::run::{run, Outcome};

/// Simulates hosts over faulty links to a card; ends with code 1 at the first wrong, lost or doubled answer.
#[derive(Parser)]
struct Arguments {
    /// Faults to inject.
    #[arg(long, default_value_t = 1_000_000)]
    faults: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Runs this seed alone, to look at a failure again.
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
    let (next, total) = (AtomicU64::new(arguments.seed), Mutex::new(Outcome::default()));
    let work = || loop {
        if total.lock().is_ok_and(|total| total.faults >= arguments.faults) {
            return;
        }
        match run(next.fetch_add(1, Ordering::Relaxed)) {
            Ok(outcome) => total.lock().unwrap().add(outcome),
            Err(failure) => {
                // At once: another run may be one that does not end.
                println!("{failure}");
                std::process::exit(1);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    println!("{:.1} s", start.elapsed().as_secs_f64());
    println!("{:#?}", total.into_inner().unwrap());
    ExitCode::SUCCESS
}
