// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command line: what can be asked, with help and examples for each command.

mod batch;
mod blake3;
mod bls;
mod ckks;
#[cfg(feature = "serve")]
mod serve;
mod tree;
mod zcash;

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use halimede_device::simulator::Image;

pub use self::batch::OperationOptions;
pub use self::blake3::{
    Blake3Options, Blake3TreeCommand, HashFilesOptions, RangeOptions, SliceOptions,
    StoreTreeOptions, VerifySliceOptions,
};
pub use bls::{BlsAsmOptions, BlsCommand, BlsDisasmOptions, BlsManualOptions, BlsRunOptions};
pub use ckks::{
    BootstrapDemoOptions, BoundOption, CkksCommand, CkksParamsOptions, DecryptOptions,
    EncryptOptions, EvalOptions, InspectOptions, KeygenOptions, NamedFile, RunOptions,
    SharingOptions, TrainLogisticOptions,
};
#[cfg(feature = "serve")]
pub use serve::ServiceOptions;
pub use tree::{ProveOptions, TreeOptions, VerifyOptions};
pub use zcash::{Nonce, SolveOptions, VerifyBlockOptions, VerifyHeadersOptions, ZcashCommand};

/// An accelerator for cryptography: one command set, run on the processor or on a card.
#[derive(Parser, Debug)]
#[command(name = "halimede", version, max_term_width = 100)]
#[command(after_help = "`halimede COMMAND --help` has the options of a command, and examples.\n\n\
                        Exit codes: 0 done; 1 a check failed; 2 bad input; 3 a device failed or \
                        is not there; 4 an output failed: a file, or standard output but for a \
                        reader that has seen enough; 5 nothing failed, and something was not \
                        checked.")]
pub struct Arguments {
    /// Print JSON: one object, or one object a line where there is one answer a line.
    #[arg(long, global = true)]
    pub json: bool,
    /// Before the command: log what cards and fallbacks do, twice or thrice more of it; with
    /// --version, say what this build is.
    ///
    /// HALIMEDE_LOG says it in detail: `warn`, or `info,halimede_card=debug`. What is logged goes to
    /// standard error.
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Before the command: show no progress, log errors alone.
    #[arg(short, long)]
    pub quiet: bool,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the devices found here, what each can do, and why others are not.
    #[command(after_help = "Example:\n  halimede devices --json")]
    Devices,
    /// Say what this machine has for Halimede, what it lacks, and how to get it.
    ///
    /// A line for each part, with its state: good, limited (slower or smaller than it could be), missing, or
    /// wrong, where a setting would make every computation fail; the exit code is then 1.
    #[command(after_help = "Example:\n  halimede doctor --json")]
    Doctor,
    /// Run bundled inputs through every engine of a device and check the answers.
    #[command(after_help = "Examples:\n  halimede tour\n  halimede tour --device sim")]
    Tour(DeviceOptions),
    /// Any operation that takes a batch of items: a line of JSON each in, a line each out.
    ///
    /// The operations, the fields of their items and their settings are those of `halimede serve`.
    #[command(subcommand)]
    Batch(OperationOptions),
    /// BLAKE3 of files: hashes and checks them as `b3sum` does; trees that prove parts of a file.
    #[command(after_help = blake3::HASH_HELP)]
    Blake3(Blake3Options),
    /// BLS12-381: programs of the coprocessor. `batch` has signatures, points, openings and proofs.
    #[command(subcommand)]
    Bls(BlsCommand),
    /// CKKS: encrypt vectors, compute on them, and decrypt the result.
    #[command(subcommand)]
    Ckks(CkksCommand),
    /// Poseidon: Merkle trees of files, and parameters. `batch` has hashes and permutations.
    #[command(subcommand)]
    Poseidon(PoseidonCommand),
    /// Zcash: verify blocks and headers, solve puzzles.
    #[command(subcommand)]
    Zcash(ZcashCommand),
    /// Start a simulated card, or test a card.
    #[command(subcommand)]
    Card(CardCommand),
    /// Answer batches of operations over HTTP, until SIGTERM or SIGINT.
    ///
    /// Prints `listening on http://ADDRESS` once it answers. What was accepted is answered before it ends.
    /// The dashboard is at /, the OpenAPI document at /openapi.json, counters for Prometheus at /metrics.
    /// HALIMEDE_LOG says what is logged on standard error: `warn`, or `info,halimede_service::access=off`.
    #[cfg(feature = "serve")]
    #[command(
        after_help = "Examples:\n  halimede serve\n  halimede serve --store keys --listen 127.0.0.1:9000\n  \
                        halimede serve --listen 0.0.0.0 --tokens tokens.txt"
    )]
    Serve(ServiceOptions),
    /// Print what makes a shell complete the commands and options.
    #[command(after_help = "Examples:\n  halimede completions bash > halimede\n  \
                            halimede completions zsh > _halimede\n  \
                            halimede completions fish > halimede.fish\n\n\
                            Shells look for the file in ~/.local/share/bash-completion/completions, \
                            a folder of zsh's $fpath, or ~/.config/fish/completions.")]
    Completions(CompletionsOptions),
    /// Write the pages for `man`, one a command.
    #[command(
        after_help = "Example:\n  halimede man pages\n\nThen `man -l pages/halimede-ckks-eval.1` shows \
                            one, and in a folder man1 of $MANPATH `man halimede-ckks-eval`."
    )]
    Man(ManOptions),
}

/// `halimede completions`
#[derive(Args, Debug)]
pub struct CompletionsOptions {
    /// The shell.
    pub shell: clap_complete::Shell,
}

/// `halimede man`
#[derive(Args, Debug)]
pub struct ManOptions {
    /// The folder for the pages, new or empty.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

impl Command {
    /// Whether this processor's arithmetic takes part, with the backend that the environment asks
    /// for: in all but what tells of such a backend and what only starts another program.
    pub fn computes(&self) -> bool {
        !matches!(
            self,
            Self::Devices
                | Self::Doctor
                | Self::Card(CardCommand::Serve(_))
                | Self::Completions(_)
                | Self::Man(_)
        )
    }

    /// Whether it answers others until it is stopped.
    #[cfg(feature = "serve")]
    pub fn serves(&self) -> bool {
        matches!(self, Self::Serve(_))
    }

    /// Nothing does, in a build without the server.
    #[cfg(not(feature = "serve"))]
    pub fn serves(&self) -> bool {
        false
    }
}

/// Where a job runs.
#[derive(Args, Clone, Debug)]
pub struct DeviceOptions {
    #[arg(
        long,
        default_value = "cpu",
        value_name = "DEVICE",
        help = "cpu | sim | sim:SOCKET | xdma:PREFIX | f2:PREFIX | uart:PATH[@BAUD]"
    )]
    pub device: String,
    /// Let the processor answer what the device lacks or fails at, and everything if the device
    /// cannot be opened.
    #[arg(long)]
    pub fallback: bool,
    /// Seconds without any progress after which a device has failed [default: 10, sim: 60, sim of
    /// the BLS12-381 commands: 1800]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time_limit: Option<Duration>,
    /// How often in a row a failed device is reset and tried again without an answer in between.
    #[arg(long, default_value = "1", value_name = "N")]
    pub retries: usize,
}

/// A batch of lines.
#[derive(Args, Clone, Debug)]
pub struct BatchOptions {
    /// Accept an input without any line. Otherwise it is an error, since a broken pipe gives one too.
    #[arg(long)]
    pub allow_empty: bool,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err("a time limit lies between 0.001 and 86400 seconds".into());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// A number of bytes, of thousands (K), millions (M) or thousands of millions (G).
fn parse_bytes(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'K' | b'k') => (&text[..text.len() - 1], 1_000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        Some(b'G') => (&text[..text.len() - 1], 1_000_000_000),
        _ => (text, 1),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number
        .filter(|number| *number > 0)
        .ok_or_else(|| "a number of bytes is expected, as in 5000, 16M or 4G".into())
}

/// `halimede poseidon …`
#[derive(Subcommand, Debug)]
pub enum PoseidonCommand {
    /// The Merkle root of a file cut into 32-byte little-endian leaves, or of layers of labels.
    #[command(after_help = tree::TREE_HELP)]
    Tree(TreeOptions),
    /// Prove that a leaf is in a tree that `tree --out` has stored; the proof is JSON.
    #[command(after_help = tree::PROVE_HELP)]
    Prove(ProveOptions),
    /// Check a proof against a root: exit code 0 where it holds, 1 where it does not.
    #[command(after_help = tree::VERIFY_HELP)]
    Verify(VerifyOptions),
    /// The numbers of an instance, or generated ones for any prime field, as JSON: rounds,
    /// constants, matrix.
    #[command(
        after_help = "Generated rounds follow from the published security bounds, constants and \
        matrix from the Grain LFSR; the matrix is checked against subspace trails.\n\nExamples:\n  \
        halimede poseidon params --instance filecoin-8\n  \
        halimede poseidon params --field pallas --width 3\n  \
        halimede poseidon params --prime 0x78000001 --width 16 --alpha 7 --security 120"
    )]
    Params(ParamsOptions),
}

/// `halimede poseidon params`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("of").required(true).args(["instance", "field", "prime"])))]
pub struct ParamsOptions {
    /// filecoin-ARITY (2 to 36) | stark-3 | 4 | 5 | 9 | starknet (which is stark-3)
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,
    /// Filecoin's number of partial rounds.
    #[arg(long, value_enum, conflicts_with_all = ["field", "prime"])]
    pub strength: Option<StrengthName>,
    /// The parameters to generate.
    #[command(flatten)]
    pub generated: GeneratedOptions,
}

/// Parameters to be generated.
#[derive(Args, Debug)]
pub struct GeneratedOptions {
    /// A field by name: bn254 | bls12-381 | pallas | vesta | stark | goldilocks | babybear |
    /// koalabear | mersenne31
    #[arg(long, value_name = "NAME", requires = "width")]
    pub field: Option<String>,
    /// A field by its prime of 31 to 768 bits, hexadecimal.
    #[arg(long, value_name = "0x…", requires = "width")]
    pub prime: Option<String>,
    /// Elements of the state, from 2 to 64.
    #[arg(long, value_name = "T", conflicts_with = "instance")]
    pub width: Option<usize>,
    /// The S-box's exponent, or `inverse`; by default the smallest one.
    #[arg(long, value_name = "A", conflicts_with = "instance")]
    pub alpha: Option<String>,
    /// Bits of security, from 64 to 512.
    #[arg(long, value_name = "M", default_value = "128", conflicts_with = "instance")]
    pub security: usize,
    /// As few partial rounds as are secure, or the next multiple of the width; as the published
    /// instances over the field have it where absent: `multiple` for bn254 and bls12-381.
    #[arg(long, value_enum, conflicts_with_all = ["instance", "rounds"])]
    pub partial: Option<PartialRule>,
    /// Full and partial rounds, in place of the fewest that are secure with the usual margin.
    #[arg(long, value_name = "RF,RP", conflicts_with = "instance")]
    pub rounds: Option<String>,
    /// The generator: that of Poseidon's authors, or Filecoin's.
    #[arg(long, value_enum, default_value = "reference", conflicts_with = "instance")]
    pub convention: ConventionName,
}

/// How the number of partial rounds is chosen.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialRule {
    /// As few as are secure.
    Fewest,
    /// The next multiple of the width.
    Multiple,
}

/// Generators by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConventionName {
    /// Constants and matrix from the LFSR.
    Reference,
    /// Constants from the LFSR with another code for the S-box, the matrix 1/(i + j + t).
    Filecoin,
}

/// Filecoin's strengths by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrengthName {
    /// 55 to 60 partial rounds.
    Standard,
    /// A quarter more.
    Strengthened,
}

/// `halimede card …`
#[derive(Subcommand, Debug)]
pub enum CardCommand {
    /// List the images of the simulated card, with their engines and simulators.
    #[command(after_help = "Example:\n  halimede card sim")]
    Sim,
    /// Start a simulated card that listens on a Unix socket until it is stopped.
    #[command(after_help = "Example:\n  halimede card serve --socket card.sock &\n  \
        halimede card selftest --device sim:card.sock")]
    Serve(ServeOptions),
    /// The startup test: reset, status, capabilities, known answers, an undecodable frame.
    #[command(after_help = "Example:\n  halimede card selftest --device sim")]
    Selftest(SelftestOptions),
    /// Measure the link to a card: send data to its loopback, and check what comes back.
    #[command(after_help = "Example:\n  halimede card bench --device sim --seconds 0.2")]
    Bench(BenchOptions),
    /// What each engine of a card is, and what it has done since the card was reset.
    #[command(after_help = "Example:\n  halimede card report --device sim")]
    Report(SelftestOptions),
}

/// `halimede card serve`
#[derive(Args, Debug)]
pub struct ServeOptions {
    /// The socket to listen on.
    #[arg(long, value_name = "PATH")]
    pub socket: PathBuf,
    /// The card's engines, separated by commas; by default all.
    #[arg(long, value_name = "LIST")]
    pub engines: Option<String>,
    /// Write a waveform.
    #[arg(long, value_name = "FILE.fst")]
    pub trace: Option<PathBuf>,
    /// The image of the card: default, memory (CKKS) or bls12_381. `halimede card sim` lists them.
    #[arg(long, default_value = "default", value_name = "NAME", value_parser = image)]
    pub image: Image,
}

fn image(name: &str) -> Result<Image, String> {
    Image::named(name).ok_or_else(|| {
        let names = Image::all().into_iter().map(Image::name).collect::<Vec<_>>().join(", ");
        format!("there is no image {name:?}; there are {names}")
    })
}

/// `halimede card bench`
#[derive(Args, Debug)]
pub struct BenchOptions {
    #[command(flatten)]
    pub device: SelftestOptions,
    /// Seconds for each size, and for each of latency and bandwidth.
    #[arg(long, default_value = "1", value_name = "SECONDS", value_parser = parse_seconds)]
    pub seconds: Duration,
    /// Bytes of data in a request: numbers, separated by commas.
    #[arg(long, default_value = "0,64,512,4064", value_name = "LIST", value_delimiter = ',')]
    pub sizes: Vec<usize>,
}

/// `halimede card selftest` and `halimede card report`
#[derive(Args, Debug)]
pub struct SelftestOptions {
    #[arg(
        long,
        default_value = "sim",
        value_name = "DEVICE",
        help = "sim | sim:SOCKET | xdma:PREFIX | f2:PREFIX | uart:PATH[@BAUD] | cpu"
    )]
    pub device: String,
    /// Seconds without any progress after which a device has failed [default: 10, sim: 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time_limit: Option<Duration>,
}
