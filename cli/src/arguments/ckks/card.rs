// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of CKKS about cards: programs compiled for one, its rates, cards of other
//! sizes.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ProgramOptions;

pub(super) const COMPILE_HELP: &str = "\
The operation is recorded without arithmetic, as `trace` does, and compiled for a card of the size \
that is asked for: instructions in the order in which they begin, limbs in slots of the scratchpad \
and regions of the memory. The stream is proved to compute the program. What it takes is said by \
the cycle model: clocks, the share of each unit, bytes that are moved.

Examples:
  halimede ckks compile --operation cmult --params n13-insecure --lanes 16 --out program.bin
  halimede ckks compile --operation rotation --params n16 --timeline t.svg --trace t.json
  halimede ckks compile --operation rescale --params n10-insecure --lanes 8 --listing l.txt --json";

pub(super) const CARD_RATES_HELP: &str = "\
The operations of the published accelerator at its size: N = 2^16, 44 residues, 512 lanes, 450 MHz, \
460 GB/s, with scratchpads of 8.4 and 31.5 MB, keys loaded whole or made from seeds on the card. \
Each cell says whether it is a formula or comes from the cycle model.

Examples:
  halimede ckks card-rates
  halimede ckks card-rates --basic --format csv";

pub(super) const CARD_TABLES_HELP: &str = "\
The published accelerator is Poseidon (HPCA 2023). Tables and figures of the paper stand beside \
ours as far as their cells are known from secondary sources, and the last table says which are \
missing. Each cell says where it is from: published, formula, model, synthesis or estimate; \
inconsistencies of what is published stand below the tables. Operations are compiled and followed \
by the model where --operations and --bootstrap ask for it, which takes a minute or two each.

Examples:
  halimede ckks card-tables
  halimede ckks card-tables --format csv
  halimede ckks card-tables --svg tables.svg --json
  halimede ckks card-tables --operations --bootstrap --svg all.svg";

pub(super) const EXPLORE_HELP: &str = "\
Each point is compiled and followed clock by clock. The points that no other one beats in time, \
multipliers and UltraRAM at once are marked; multipliers and UltraRAM are formulas. The page needs \
nothing but itself: time against size, the roofline, and what the units do in that time.

Examples:
  halimede ckks explore --operation cmult --params n16 --html cmult.html --csv cmult.csv
  halimede ckks explore --operation rotation --params n16 --lanes 512 --digits 4,5,6 --expand 0,256";

/// The size of a card.
#[derive(Args, Clone, Debug)]
pub struct CardSizeOptions {
    /// Lanes, a power of two: residues of a row, a row a clock.
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
    /// Partitions of the scratchpad, a power of two up to 64: each reads and writes a row a clock.
    #[arg(long, value_name = "N", default_value = "4")]
    pub partitions: usize,
    /// Gigabytes a second of the memory.
    #[arg(long, value_name = "GB", default_value = "460")]
    pub bandwidth: f64,
    /// MHz.
    #[arg(long, value_name = "MHZ", default_value = "450")]
    pub clock: f64,
    /// Words a clock of the generator that makes the uniform halves of keys from their seeds; 0:
    /// the card has none, and loads them.
    #[arg(long, value_name = "WORDS", default_value = "0")]
    pub expand: usize,
}

/// `halimede ckks compile`
#[derive(Args, Debug)]
pub struct CompileOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    #[command(flatten)]
    pub card: CardSizeOptions,
    /// The file of the card's program, as it lies in the card's memory.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The file of the instructions for readers, a line each.
    #[arg(long, value_name = "FILE")]
    pub listing: Option<PathBuf>,
    /// The file of the timeline, as SVG.
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// The file of the timeline, as JSON that chrome://tracing and Perfetto show.
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The file of the memory map, as JSON: what lies in which region.
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,
}

/// `halimede ckks explore`
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
    /// Gigabytes a second of the memory.
    #[arg(long, value_name = "GB,...", value_delimiter = ',', default_value = "460")]
    pub bandwidth: Vec<f64>,
    /// Digits of the keys; by default those of the parameter set.
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    pub digits: Vec<usize>,
    /// Words a clock of the generator that makes halves of keys from seeds; 0: keys are loaded.
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

/// `halimede ckks card-rates`
#[derive(Args, Debug)]
pub struct CardRatesOptions {
    /// How the table is printed.
    #[arg(long, value_enum, default_value = "markdown")]
    pub format: TableFormat,
    /// Leave out the bootstraps.
    #[arg(long)]
    pub basic: bool,
    /// Tables of factors that the transform unit holds: 2 or 4.
    #[arg(long, value_name = "N", default_value = "2")]
    pub tables: usize,
    /// Words a clock of the generator in the columns with keys from seeds.
    #[arg(long, value_name = "WORDS", default_value = "256")]
    pub expand: usize,
}

/// `halimede ckks card-tables`
#[derive(Args, Debug)]
pub struct CardTablesOptions {
    /// How the tables are printed.
    #[arg(long, value_enum, default_value = "markdown")]
    pub format: TableFormat,
    /// The file of the tables as bars, as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Compile the operations, and have them followed by the model.
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

/// How a table is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A table of Markdown.
    Markdown,
    /// Comma-separated values.
    Csv,
}
