// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `ckks-card`.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

const TRACE_HELP: &str = "\
Records the operation without arithmetic, and counts its steps in the ring, in limbs of N residues. \
--out writes all steps as JSON, in a valid order, with primes, factors and the names of the keys \
that they read: the input of a card's compiler. A rotation by --steps without a key in --rotations \
is composed of rotations with keys, and a note names them.

Examples:
  ckks-card trace --operation cmult --params n16
  ckks-card trace --operation rotation --params n14 --steps 5 --rotations 1,4
  ckks-card trace --operation bootstrap --params n10-boot-insecure --out bootstrap.json --json";

const COMPILE_HELP: &str = "\
Records the operation without arithmetic, as `trace` does, and compiles it for a card of the \
requested size: instructions in the order in which they begin, limbs in slots of the scratchpad and \
regions of the memory. Proves that the instructions compute the program. The cycle model gives the \
cost: clocks, the share of each unit, the bytes that are moved.

Examples:
  ckks-card compile --operation cmult --params n13-insecure --lanes 16 --out program.bin
  ckks-card compile --operation rotation --params n16 --timeline t.svg --trace t.json
  ckks-card compile --operation rescale --params n10-insecure --lanes 8 --listing l.txt --json";

const RATES_HELP: &str = "\
Prints the operations of the published accelerator at its size: N = 2^16, 44 residues, 512 lanes \
(which do not fit a U280), 450 MHz, 460 GB/s, with scratchpads of 8.4 and 31.5 MB, and keys that are loaded or made from seeds \
on the card. Each cell is marked as a formula or a result of the cycle model.

Examples:
  ckks-card rates
  ckks-card rates --basic --format csv";

const TABLES_HELP: &str = "\
The published accelerator is Poseidon (HPCA 2023). The tables compare the paper's tables and figures \
with ours, as far as their cells are known from secondary sources; the last table lists the missing \
ones. Each figure has a source: published, formula, model, synthesis or estimate. In Markdown a \
heading has the source of most figures of its column, and rows and columns without a figure are \
omitted. Notes below the tables list inconsistencies of the publication. With --operations and \
--bootstrap, the operations are compiled and simulated by the model, which takes a minute or two \
each.

Examples:
  ckks-card tables
  ckks-card tables --format csv
  ckks-card tables --svg tables.svg --json
  ckks-card tables --operations --bootstrap --svg all.svg";

const EXPLORE_HELP: &str = "\
Compiles and simulates the operation for each card, clock by clock. Marks the cards that no other \
card beats in time, multipliers and UltraRAM at once; multipliers and UltraRAM are formulas. The \
self-contained page shows time against size, the roofline, and the use of the units.

Examples:
  ckks-card explore --operation cmult --params n16 --html cmult.html --csv cmult.csv
  ckks-card explore --operation rotation --params n16 --lanes 512 --digits 4,5,6 --expand 0,256";

/// Research on cards for CKKS: programs, rates, cards of other sizes, published tables.
#[derive(Parser, Debug)]
#[command(name = "ckks-card", version, max_term_width = 100)]
pub struct Arguments {
    /// Print one JSON object.
    #[arg(long, global = true)]
    pub json: bool,
    #[command(subcommand)]
    pub command: Command,
}

/// The command.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Count the steps of an operation in the ring, and write them for a card's compiler.
    #[command(after_help = TRACE_HELP)]
    Trace(TraceOptions),
    /// Compile an operation for a card, and print its cost there.
    #[command(after_help = COMPILE_HELP)]
    Compile(CompileOptions),
    /// Print the operations per second of a card of the published size, by the cycle model.
    #[command(after_help = RATES_HELP)]
    Rates(RatesOptions),
    /// Print the published figures of an accelerator of that size next to ours.
    #[command(after_help = TABLES_HELP)]
    Tables(TablesOptions),
    /// Compile an operation for cards of many sizes, and draw their performance and bottlenecks.
    #[command(after_help = EXPLORE_HELP)]
    Explore(ExploreOptions),
}

/// `ckks-card trace`
#[derive(Args, Debug)]
pub struct TraceOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// The file of all steps, as JSON, or as a trace if its name ends in .fhetch.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// The program: an operation, its parameters and its inputs.
#[derive(Args, Debug)]
pub struct ProgramOptions {
    /// The operation.
    #[arg(long, value_enum)]
    pub operation: TracedOperation,
    /// The parameter set, as `halimede ckks params` lists them.
    #[arg(long, value_name = "NAME")]
    pub params: String,
    /// The level of the ciphertext; by default the highest of fresh ones, the lowest for a
    /// bootstrap.
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<usize>,
    /// Slots by which vectors are rotated; by default 1, or 1 to 8 hoisted.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', allow_negative_numbers = true)]
    pub steps: Vec<i64>,
    /// The rotations that have keys; by default those of --steps.
    #[arg(long, value_name = "STEPS", value_delimiter = ',', allow_negative_numbers = true)]
    pub rotations: Vec<i64>,
    /// For a bootstrap: the number of values of the vector; by default the largest possible.
    #[arg(long, value_name = "N")]
    pub slots: Option<usize>,
    /// For a bootstrap: the form with few keys.
    #[arg(long)]
    pub few_keys: bool,
}

/// An operation to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TracedOperation {
    /// The product of two ciphertexts, relinearized and rescaled.
    Cmult,
    /// A rotation.
    Rotation,
    /// Rotations of one ciphertext.
    Hoisted,
    /// One level down.
    Rescale,
    /// A bootstrap.
    Bootstrap,
}

impl TracedOperation {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cmult => "cmult",
            Self::Rotation => "rotation",
            Self::Hoisted => "hoisted",
            Self::Rescale => "rescale",
            Self::Bootstrap => "bootstrap",
        }
    }
}

/// The size of a card.
#[derive(Args, Clone, Debug)]
pub struct CardSizeOptions {
    /// Lanes, a power of two: the residues of a row; a unit processes one row per clock.
    #[arg(long, value_name = "N", default_value = "512")]
    pub lanes: usize,
    /// Radix of the transforms: 2, 4, 8 or 16, at most the lanes; otherwise the largest of these.
    #[arg(long, value_name = "N")]
    pub radix: Option<usize>,
    /// Sums that share their first factors: 1 to 4.
    #[arg(long, value_name = "N", default_value = "3")]
    pub columns: usize,
    /// Tables of factors that the transform unit holds: 2 or 4.
    #[arg(long, value_name = "N", default_value = "2")]
    pub tables: usize,
    /// Megabytes of the scratchpad.
    #[arg(long, value_name = "MB", default_value = "8.4")]
    pub scratchpad: f64,
    /// Partitions of the scratchpad, a power of two up to 64: each reads and writes one row per
    /// clock.
    #[arg(long, value_name = "N", default_value = "4")]
    pub partitions: usize,
    /// Bandwidth of the memory in gigabytes per second.
    #[arg(long, value_name = "GB", default_value = "460")]
    pub bandwidth: f64,
    /// MHz.
    #[arg(long, value_name = "MHZ", default_value = "450")]
    pub clock: f64,
    /// Words per clock of the generator that makes the uniform halves of keys from their seeds; 0:
    /// the card has no generator, and loads whole keys.
    #[arg(long, value_name = "WORDS", default_value = "0")]
    pub expand: usize,
}

/// `ckks-card compile`
#[derive(Args, Debug)]
pub struct CompileOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    #[command(flatten)]
    pub card: CardSizeOptions,
    /// The file of the card's program, as in the card's memory.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The file of the instructions as text, one per line.
    #[arg(long, value_name = "FILE")]
    pub listing: Option<PathBuf>,
    /// The file of the timeline, as SVG.
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// The file of the timeline, as JSON for chrome://tracing and Perfetto.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The file of the memory map, as JSON: the content of each region.
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
}

/// `ckks-card explore`
#[derive(Args, Debug)]
pub struct ExploreOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Lanes: powers of two.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "64,128,256,512")]
    pub lanes: Vec<usize>,
    /// Radices of the transforms: 2, 4, 8 or 16.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "16")]
    pub radix: Vec<usize>,
    /// Sums that share their first factors: 1 to 4.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "2,3,4")]
    pub columns: Vec<usize>,
    /// Megabytes of the scratchpad.
    #[arg(long, value_name = "MB,...", value_delimiter = ',', default_value = "8.4,31.5")]
    pub scratchpad: Vec<f64>,
    /// Partitions of the scratchpad: powers of two up to 64.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "4")]
    pub partitions: Vec<usize>,
    /// Bandwidths of the memory in gigabytes per second.
    #[arg(long, value_name = "GB,...", value_delimiter = ',', default_value = "460")]
    pub bandwidth: Vec<f64>,
    /// Digits of the keys; by default those of the parameter set.
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub digits: Vec<usize>,
    /// Words per clock of the generator that makes halves of keys from seeds; 0: keys are loaded.
    #[arg(long, value_name = "WORDS,...", value_delimiter = ',', default_value = "0")]
    pub expand: Vec<usize>,
    /// MHz.
    #[arg(long, value_name = "MHZ", default_value = "450")]
    pub clock: f64,
    /// The file of all points, as comma-separated values.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// The file of the page.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `ckks-card rates`
#[derive(Args, Debug)]
pub struct RatesOptions {
    /// The format of the table.
    #[arg(long, value_enum, default_value = "markdown")]
    pub format: TableFormat,
    /// Omit the bootstraps.
    #[arg(long)]
    pub basic: bool,
    /// Tables of factors that the transform unit holds: 2 or 4.
    #[arg(long, value_name = "N", default_value = "2")]
    pub tables: usize,
    /// Words a clock of the generator in the columns with keys from seeds.
    #[arg(long, value_name = "WORDS", default_value = "256")]
    pub expand: usize,
}

/// `ckks-card tables`
#[derive(Args, Debug)]
pub struct TablesOptions {
    /// The format of the tables.
    #[arg(long, value_enum, default_value = "markdown")]
    pub format: TableFormat,
    /// The file of the tables as bars, as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Compile the operations, and simulate them by the model.
    #[arg(long)]
    pub operations: bool,
    /// The same for the bootstrap.
    #[arg(long)]
    pub bootstrap: bool,
    /// Tables of factors that the transform unit holds: 2 or 4.
    #[arg(long, value_name = "N", default_value = "2")]
    pub tables: usize,
    /// Words a clock of the generator in the columns with keys from seeds.
    #[arg(long, value_name = "WORDS", default_value = "256")]
    pub expand: usize,
}

/// The format of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A table of Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
}
