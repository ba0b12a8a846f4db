// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede-bench`: Halimede side by side with its peers, interleaved in one process.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "benchmarks print what they measure")]

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};

use halimede_bench::document::{self, Run};
use halimede_bench::record::{self, Record};
use halimede_bench::report::BenchReport;
use halimede_bench::{
    blake3, bls12_381, ckks, ecdsa, equihash, groth16, kzg, poseidon, zcash, Comparison, Settings,
};
use indicatif::ProgressBar;

/// Runs an engine and its peers in turns on the same inputs and prints medians and ratios.
#[derive(Parser, Debug)]
#[command(name = "halimede-bench", version, max_term_width = 100)]
#[command(
    after_help = "A ratio above 1 means that Halimede is better by that factor. Answers are \
    compared before anything is timed.\n\nExamples:\n  halimede-bench poseidon --json\n  \
    halimede-bench all --markdown docs/benchmarks.md"
)]
struct Arguments {
    /// The engine to measure.
    engine: Engine,
    /// Measure only the cases whose names contain this, e.g. `filecoin-8` or `batch`.
    #[arg(long, default_value = "")]
    only: String,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
    /// Also write the tables into this Markdown file, each into the block of its engine and
    /// machine.
    // A block with all cases must not be replaced by some of them.
    #[arg(long, value_name = "FILE", conflicts_with = "only")]
    markdown: Option<PathBuf>,
    /// The machine's name in that file [default: the processor's name and the number of cores]
    #[arg(long, value_name = "NAME", requires = "markdown")]
    machine: Option<String>,
    /// Number of rounds, in which ours and the peer's take turns; the results are medians.
    #[arg(long, default_value_t = 21, value_parser = clap::value_parser!(u32).range(3..10_000))]
    rounds: u32,
    /// Duration of each side in each round in milliseconds.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..60_000))]
    round_ms: u32,
    /// Threads for batches.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..1024))]
    threads: u32,
    /// With `ckks`: measure bootstraps instead, each side in separate processes (minutes; Lattigo
    /// needs 18.5 GB of memory).
    #[arg(long)]
    bootstrap: bool,
    /// Number of processes of each side for `--bootstrap`, in turns.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..100))]
    turns: u32,
    /// With `ckks`: measure several parties with one secret key instead, at N = 2^15.
    #[arg(long, conflicts_with = "bootstrap")]
    parties: bool,
    /// With `bls12-381`: the card's coprocessor instead, its clocks next to published ones.
    #[arg(long)]
    card: bool,
    /// With `zcash`: the largest blocks of ZIP 218's draft instead. Their 600 proofs are made first
    /// (minutes).
    #[arg(long, conflicts_with = "markdown")]
    blocks: bool,
    /// Serve as our side of `--bootstrap`, with these parameters.
    #[arg(long, hide = true, value_name = "PRESET")]
    serve_bootstraps: Option<String>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Engine {
    /// All engines.
    All,
    /// BLAKE3: many small messages against a loop over the crate `blake3`, and streams against the
    /// published times of an FPGA.
    Blake3,
    /// Pairings over BLS12-381 in batches, and their parts, against blst one at a time; signatures
    /// against blst's batches.
    #[value(name = "bls12-381")]
    Bls12381,
    /// CKKS at N = 2^16 against Lattigo, which is built where Go is installed.
    Ckks,
    /// ECDSA and Schnorr signatures over secp256k1, and recovered keys: batches against a loop over
    /// libsecp256k1.
    Ecdsa,
    /// Equihash solutions, valid and early rejected, against the crate `equihash`.
    Equihash,
    /// Groth16 proofs over BLS12-381, against bellman's crate and blst.
    Groth16,
    /// KZG openings of EIP-4844 against c-kzg.
    Kzg,
    /// Poseidon against neptune, starknet-types-core and lambdaworks.
    Poseidon,
    /// Shielded parts of Zcash's transactions, against redjubjub, sapling-crypto and orchard.
    Zcash,
}

impl Engine {
    /// The engines to measure.
    fn each(self) -> Vec<Self> {
        match self {
            Self::All => {
                vec![
                    Self::Poseidon,
                    Self::Blake3,
                    Self::Equihash,
                    Self::Ecdsa,
                    Self::Bls12381,
                    Self::Kzg,
                    Self::Groth16,
                    Self::Zcash,
                    Self::Ckks,
                ]
            }
            engine => vec![engine],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Blake3 => "blake3",
            Self::Bls12381 => "bls12-381",
            Self::Ckks => "ckks",
            Self::Ecdsa => "ecdsa",
            Self::Equihash => "equihash",
            Self::Groth16 => "groth16",
            Self::Kzg => "kzg",
            Self::Poseidon => "poseidon",
            Self::Zcash => "zcash",
        }
    }

    fn comparisons(self, threads: usize) -> Result<Vec<Comparison>, String> {
        match self {
            Self::All => Ok(Vec::new()),
            Self::Blake3 => blake3::comparisons(threads),
            Self::Bls12381 => bls12_381::comparisons(threads),
            Self::Ckks => ckks::comparisons(threads),
            Self::Ecdsa => ecdsa::comparisons(threads),
            Self::Equihash => equihash::comparisons(threads),
            Self::Groth16 => groth16::comparisons(threads),
            Self::Kzg => kzg::comparisons(threads),
            Self::Poseidon => poseidon::comparisons(threads),
            Self::Zcash => zcash::comparisons(threads),
        }
    }

    /// The published figures and the card's figures for the note below the table.
    fn note(self) -> Option<String> {
        match self {
            Self::Ckks => Some(ckks::note()),
            Self::Ecdsa => Some(ecdsa::note()),
            Self::Equihash => Some(equihash::note()),
            Self::All
            | Self::Blake3
            | Self::Bls12381
            | Self::Groth16
            | Self::Kzg
            | Self::Poseidon
            | Self::Zcash => None,
        }
    }

    /// Measures the cases with the requested names, possibly none.
    fn reports(self, arguments: &Arguments) -> Result<Vec<BenchReport>, String> {
        let settings = Settings::new(arguments.rounds, arguments.round_ms);
        let mut reports = Vec::new();
        if self == Self::Blake3 {
            let streams = blake3::streams::measure(&settings, &arguments.only)?;
            if !streams.is_empty() {
                reports.push(blake3::streams::report(&streams)?);
            }
        }
        let asked = |comparison: &Comparison| comparison.case.contains(&arguments.only);
        let records = pool(arguments)?.install(|| {
            let threads = arguments.threads as usize;
            let comparisons = match arguments.blocks {
                true => zcash::blocks(threads)?,
                false => self.comparisons(threads)?,
            };
            Ok::<_, String>(measure(comparisons.into_iter().filter(asked).collect(), &settings))
        })?;
        if !records.is_empty() {
            reports.push(record::report(self.name(), &records, self.note())?);
        }
        Ok(reports)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.engine != Engine::Ckks
        && (arguments.bootstrap || arguments.serve_bootstraps.is_some())
    {
        eprintln!("halimede-bench: --bootstrap belongs to ckks");
        return ExitCode::from(2);
    }
    if arguments.parties && arguments.engine != Engine::Ckks {
        eprintln!("halimede-bench: --parties belongs to ckks");
        return ExitCode::from(2);
    }
    if arguments.blocks && arguments.engine != Engine::Zcash {
        eprintln!("halimede-bench: --blocks belongs to zcash");
        return ExitCode::from(2);
    }
    if arguments.card && arguments.engine != Engine::Bls12381 {
        eprintln!("halimede-bench: --card belongs to bls12-381");
        return ExitCode::from(2);
    }
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("halimede-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures the engines, and prints each report as soon as it is complete.
fn run(arguments: &Arguments) -> Result<(), String> {
    let threads = arguments.threads as usize;
    if let Some(preset) = &arguments.serve_bootstraps {
        return pool(arguments)?.install(|| {
            #[expect(clippy::disallowed_methods, reason = "its failures are returned")]
            let (input, output) = (std::io::stdin().lock(), std::io::stdout());
            ckks::bootstrap::serve(preset, input, output)
        });
    }
    if arguments.bootstrap {
        let record = ckks::bootstrap::compare(threads, arguments.turns as usize)?;
        return publish(&[ckks::bootstrap::report(&record)?], arguments);
    }
    if arguments.parties {
        let settings = Settings::new(arguments.rounds, arguments.round_ms);
        let records = pool(arguments)?
            .install(|| ckks::parties::compare(threads, &settings, &arguments.only))?;
        if records.is_empty() {
            return Err(format!("no case's name contains {:?}", arguments.only));
        }
        return publish(&[ckks::parties::report(&records)?], arguments);
    }
    if arguments.card {
        let settings = Settings::new(arguments.rounds, arguments.round_ms);
        let records = bls12_381::card::measure(&settings, &arguments.only)?;
        if records.is_empty() {
            return Err(format!("no case's name contains {:?}", arguments.only));
        }
        return publish(&[bls12_381::card::report(&records)?], arguments);
    }
    let mut is_empty = true;
    for engine in arguments.engine.each() {
        let reports = engine.reports(arguments)?;
        is_empty &= reports.is_empty();
        publish(&reports, arguments)?;
    }
    if is_empty {
        return Err(format!("no case's name contains {:?}", arguments.only));
    }
    Ok(())
}

fn pool(arguments: &Arguments) -> Result<rayon::ThreadPool, String> {
    let threads = arguments.threads as usize;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| format!("no pool of {threads} threads: {error}"))
}

/// Prints reports, and writes them into the document, if any.
fn publish(reports: &[BenchReport], arguments: &Arguments) -> Result<(), String> {
    for report in reports {
        if arguments.json {
            report.json.iter().for_each(|line| println!("{line}"));
        } else {
            println!("{}", report.text());
        }
    }
    match &arguments.markdown {
        Some(path) => document::write(path, reports, &Run::here(arguments.machine.clone())),
        None => Ok(()),
    }
}

/// Measures the comparisons sequentially, a few seconds each, with a progress bar.
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
