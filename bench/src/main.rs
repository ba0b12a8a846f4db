// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede-bench`: Halimede side by side with its peers, interleaved in one process.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "benchmarks print what they measure")]

use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use halimede_bench::record::{self, Record};
use halimede_bench::{blake3, ckks, ecdsa, equihash, poseidon, Comparison, Settings};
use indicatif::ProgressBar;

/// Runs an engine and its peers in turns on the same inputs and prints medians and ratios.
#[derive(Parser, Debug)]
#[command(name = "halimede-bench", version, max_term_width = 100)]
#[command(
    after_help = "A ratio above 1 means that Halimede is better by that factor. Answers are \
    compared before anything is timed.\n\nExample:\n  halimede-bench poseidon --json"
)]
struct Arguments {
    /// What to measure.
    engine: Engine,
    /// Measure only the cases whose names contain this, e.g. `filecoin-8` or `batch`.
    #[arg(long, default_value = "")]
    only: String,
    /// Print one JSON object a line.
    #[arg(long)]
    json: bool,
    /// Rounds of ours and theirs in turns; the median of each is taken.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(3..10_000))]
    rounds: u32,
    /// Milliseconds of each side in each round.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..60_000))]
    round_ms: u32,
    /// Threads for batches.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..1024))]
    threads: u32,
    /// With `ckks`: bootstraps instead, each side in processes of its own (minutes; Lattigo takes
    /// 18.5 GB of memory).
    #[arg(long)]
    bootstrap: bool,
    /// Processes of either side for `--bootstrap`, in turns.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..100))]
    turns: u32,
    /// Answers lines as our side of `--bootstrap`, with these parameters.
    #[arg(long, hide = true, value_name = "PRESET")]
    serve_bootstraps: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    /// BLAKE3: many small messages against a loop over the crate `blake3`, and streams beside the
    /// published times of an FPGA.
    Blake3,
    /// CKKS at N = 2^16 against Lattigo, which is built where Go is there.
    Ckks,
    /// ECDSA over secp256k1: batches against a loop over libsecp256k1.
    Ecdsa,
    /// Equihash solutions, valid and early rejected, against the crate `equihash`.
    Equihash,
    /// Poseidon against neptune, starknet-types-core and lambdaworks.
    Poseidon,
}

impl Engine {
    /// Published figures and the card's, which stand below the table.
    fn note(self) -> Option<String> {
        match self {
            Self::Ckks => Some(ckks::note()),
            Self::Ecdsa => Some(ecdsa::note()),
            Self::Equihash => Some(equihash::note()),
            Self::Blake3 | Self::Poseidon => None,
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.engine != Engine::Ckks
        && (arguments.bootstrap || arguments.serve_bootstraps.is_some())
    {
        eprintln!("halimede-bench: --bootstrap is of ckks");
        return ExitCode::from(2);
    }
    let settings = Settings::new(arguments.rounds, arguments.round_ms);
    let threads = arguments.threads as usize;
    let pool = match rayon::ThreadPoolBuilder::new().num_threads(threads).build() {
        Ok(pool) => pool,
        Err(error) => {
            eprintln!("halimede-bench: no pool of {threads} threads: {error}");
            return ExitCode::from(3);
        }
    };
    if let Some(preset) = &arguments.serve_bootstraps {
        return code(pool.install(|| {
            #[expect(clippy::disallowed_methods, reason = "its failures are returned")]
            let (input, output) = (std::io::stdin().lock(), std::io::stdout());
            ckks::bootstrap::serve(preset, input, output)
        }));
    }
    if arguments.bootstrap {
        let compared = ckks::bootstrap::compare(threads, arguments.turns as usize);
        return code(compared.map(|record| ckks::bootstrap::print(&record, arguments.json)));
    }
    let streams = match arguments.engine {
        Engine::Blake3 => blake3::streams::measure(&settings, &arguments.only),
        Engine::Ckks | Engine::Ecdsa | Engine::Equihash | Engine::Poseidon => Ok(Vec::new()),
    };
    let result = pool.install(|| {
        let streams = streams?;
        let comparisons = match arguments.engine {
            Engine::Blake3 => blake3::comparisons(threads)?,
            Engine::Ckks => ckks::comparisons(threads)?,
            Engine::Ecdsa => ecdsa::comparisons(threads)?,
            Engine::Equihash => equihash::comparisons(threads)?,
            Engine::Poseidon => poseidon::comparisons(threads)?,
        };
        let asked = |comparison: &Comparison| comparison.case.contains(&arguments.only);
        let asked: Vec<Comparison> = comparisons.into_iter().filter(asked).collect();
        if asked.is_empty() && streams.is_empty() {
            return Err(format!("no case's name contains {:?}", arguments.only));
        }
        Ok((streams, measure(asked, &settings)))
    });
    code(result.map(|(streams, records)| {
        if !streams.is_empty() {
            blake3::streams::print(&streams, arguments.json);
        }
        if !records.is_empty() {
            record::print(&records, arguments.json);
            if let Some(note) = arguments.engine.note().filter(|_| !arguments.json) {
                println!("{note}");
            }
        }
    }))
}

/// Says what went wrong, where something did.
fn code(result: Result<(), String>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("halimede-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures one after the other, with a bar on the terminal: a few seconds each.
fn measure(comparisons: Vec<Comparison>, settings: &Settings) -> Vec<Record> {
    let bar = ProgressBar::new(comparisons.len() as u64);
    let measure = |mut comparison: Comparison| {
        bar.println(format!("measuring {} against {}", comparison.case, comparison.peer));
        let record = comparison.measure(settings);
        bar.inc(1);
        record
    };
    let records = comparisons.into_iter().map(measure).collect();
    bar.finish_and_clear();
    records
}
