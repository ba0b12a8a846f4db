// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs every parser on mutated inputs: no parser may panic, or take long. To replay a failure, set
//! `HALIMEDE_MUTATED=PARSER:SEED`.

#[path = "../tests/common/mutate.rs"]
mod mutate;
mod parsers;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use mutate::mutated;
use parsers::{parsers, Parser};

/// The number of inputs for all parsers together, by default and in a sweep.
const INPUTS: u64 = 18_000;
const SWEEP_INPUTS: u64 = 1_000_000;
/// The time limit for one input, on a machine that is busy with other tests.
const LIMIT: Duration = Duration::from_secs(10);

fn failure(parser: &Parser, seed: u64) -> Option<String> {
    let input = mutated(&parser.seeds, seed);
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (parser.takes)(&input)));
    let seconds = start.elapsed().as_secs_f64();
    let replay = format!("HALIMEDE_MUTATED={}:{seed}, {} bytes", parser.name, input.len());
    match outcome {
        Err(_) => Some(format!("{replay}: panicked")),
        Ok(_) if start.elapsed() > LIMIT => Some(format!("{replay}: took {seconds:.1} s")),
        Ok(_) => None,
    }
}

#[test]
fn no_parser_panics_or_dawdles() {
    let parsers = parsers();
    if let Some(replayed) = std::env::var_os("HALIMEDE_MUTATED") {
        let replayed = replayed.to_string_lossy();
        let (name, seed) = replayed.split_once(':').unwrap();
        let parser = parsers.iter().find(|parser| parser.name == name).unwrap();
        assert_eq!(failure(parser, seed.parse().unwrap()), None);
        return;
    }
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let inputs = if is_sweep { SWEEP_INPUTS } else { INPUTS };
    let each = inputs.div_ceil(parsers.len() as u64);
    let tried = AtomicU64::new(0);
    let failures: Vec<String> = parsers
        .par_iter()
        .flat_map(|parser| (0..each).into_par_iter().map(move |seed| (parser, seed)))
        .filter_map(|(parser, seed)| {
            tried.fetch_add(1, Ordering::Relaxed);
            failure(parser, seed)
        })
        .collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
    assert!(tried.load(Ordering::Relaxed) >= inputs);
}

/// Mutated inputs are only meaningful if the parsers accept the originals.
#[test]
fn every_parser_takes_its_seeds() {
    for parser in parsers() {
        assert!(!parser.seeds.is_empty(), "{}", parser.name);
        for seed in &parser.seeds {
            assert!(
                (parser.takes)(seed),
                "{} refuses {:?}",
                parser.name,
                String::from_utf8_lossy(seed)
            );
        }
    }
}
