// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command line: commands and options, with help and examples for each command.

mod batch;
mod blake3;
mod bls;
mod ckks;
mod filecoin;
mod groth16;
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
    AnswerOptions, BootstrapDemoOptions, BoundOption, CkksCommand, CkksParamsOptions,
    CompileOptions, DecryptOptions, EncryptOptions, EvalOptions, InspectOptions, KeygenOptions,
    NamedFile, NetworkOptions, PartyCollectOptions, PartyCommand, PartyDecryptOptions,
    PartyFinishOptions, PartyFinishRefreshOptions, PartyFinishSwitchOptions, PartyHandOverOptions,
    PartyJoinOptions, PartyKeysOptions, PartyReceiveOptions, PartyRefreshOptions,
    PartyReplyOptions, PartyReshareOptions, PartyRetireOptions, PartySessionOptions,
    PartyShareOptions, PartySwitchOptions, RunOptions, Sent, SharingOptions, TrainLogisticOptions,
};
pub use filecoin::{FilecoinCommand, Precommit2Options};
pub use groth16::{Groth16Command, Groth16ProveOptions};
#[cfg(feature = "serve")]
pub use serve::ServiceOptions;
pub use tree::{ProveOptions, TreeOptions, VerifyOptions};
pub use zcash::{
    MakeSaplingOptions, Nonce, SolveOptions, VerifyBlockOptions, VerifyBlocksOptions,
    VerifyHeadersOptions, ZcashCommand,
};

/// An accelerator for cryptography: one command set, run on the processor or on a card.
#[derive(Parser, Debug)]
#[command(name = "halimede", version, max_term_width = 100)]
#[command(after_help = "`halimede COMMAND --help` has the options of a command, and examples.\n\n\
                        Exit codes: 0 success; 1 a check failed; 2 bad input; 3 a device failed \
                        or is not available; 4 writing output failed; 5 nothing failed, but \
                        something was not checked.")]
pub struct Arguments {
    /// Print JSON: one object, or one object per line for commands that print one answer per line.
    #[arg(long, global = true)]
    pub json: bool,
    /// Before the command: log what cards and fallbacks do (-vv and -vvv: in more detail). With
    /// --version: print the details of this build.
    ///
    /// The log goes to standard error. HALIMEDE_LOG sets levels by module, and takes precedence:
    /// `warn`, or `info,halimede_card=debug`.
    #[arg(short, long, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,
    /// Before the command: show no progress and log only errors.
    #[arg(short, long)]
    pub quiet: bool,
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// List the devices of this machine: what each can do, or why it is not available.
    #[command(after_help = "Example:\n  halimede devices --json")]
    Devices,
    /// Check this machine: what is installed, what is missing, how to get it.
    ///
    /// Prints one line per part with its state: good, limited (slower or smaller than it could be),
    /// missing, or wrong (a setting makes every computation fail). If a part is wrong, the exit
    /// code is 1.
    #[command(after_help = "Example:\n  halimede doctor --json")]
    Doctor,
    /// Run bundled inputs through every engine of a device and check the results.
    #[command(after_help = "Examples:\n  halimede tour\n  halimede tour --device sim")]
    Tour(DeviceOptions),
    /// Run an operation on a batch of items: one line of JSON per item in, one line per answer out.
    ///
    /// The operations, their settings and the fields of their items are the same as in `halimede
    /// serve`.
    #[command(subcommand)]
    Batch(OperationOptions),
    /// BLAKE3: hash and check files like `b3sum`; store hash trees, and prove parts of a file.
    #[command(after_help = blake3::HASH_HELP)]
    Blake3(Blake3Options),
    /// BLS12-381: run programs of the coprocessor. For signatures, points and proofs, see `batch`.
    #[command(subcommand)]
    Bls(BlsCommand),
    /// CKKS: encrypt vectors, compute on them, and decrypt the result.
    #[command(subcommand)]
    Ckks(CkksCommand),
    /// Filecoin: seal sectors.
    #[command(subcommand)]
    Filecoin(FilecoinCommand),
    /// Groth16: make proofs over BLS12-381. To verify proofs, see `batch`.
    #[command(subcommand)]
    Groth16(Groth16Command),
    /// Poseidon: build Merkle trees of files, generate parameters. For hashes, see `batch`.
    #[command(subcommand)]
    Poseidon(PoseidonCommand),
    /// Zcash: verify blocks and headers, solve Equihash.
    #[command(subcommand)]
    Zcash(ZcashCommand),
    /// Start a simulated card; test or measure a card.
    #[command(subcommand)]
    Card(CardCommand),
    /// Serve the operations over HTTP until SIGTERM or SIGINT.
    ///
    /// Prints `listening on http://ADDRESS` when it is ready. Answers all accepted requests before
    /// it exits. The dashboard is at /, the OpenAPI document at /openapi.json, metrics for
    /// Prometheus at /metrics. HALIMEDE_LOG sets what is logged on standard error: `warn`, or
    /// `info,halimede_service::access=off`.
    #[cfg(feature = "serve")]
    #[command(
        after_help = "Examples:\n  halimede serve\n  halimede serve --store keys --listen 127.0.0.1:9000\n  \
                        halimede serve --listen 0.0.0.0 --tokens tokens.txt"
    )]
    Serve(ServiceOptions),
    /// Print a completion script for a shell.
    #[command(after_help = "Examples:\n  halimede completions bash > halimede\n  \
                            halimede completions zsh > _halimede\n  \
                            halimede completions fish > halimede.fish\n\n\
                            Put the file where the shell looks for it: in \
                            ~/.local/share/bash-completion/completions for bash, in a folder of \
                            $fpath for zsh, in ~/.config/fish/completions for fish.")]
    Completions(CompletionsOptions),
    /// Write manual pages for `man`, one per command.
    #[command(
        after_help = "Example:\n  halimede man pages\n\nThen `man -l pages/halimede-ckks-eval.1` \
                            shows a page. Copied to a folder man1 of $MANPATH, `man \
                            halimede-ckks-eval` finds it."
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
    /// The folder for the pages: a new or an empty one.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

impl Command {
    /// Returns `true` if the command computes on this processor, with the backend that the
    /// environment selects. The others report on backends, or only start another program.
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

    /// Returns `true` for a server, which runs until it is stopped.
    #[cfg(feature = "serve")]
    pub fn serves(&self) -> bool {
        matches!(self, Self::Serve(_))
    }

    /// Returns `false`: this build has no server.
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
        help = "cpu | sim | sim:SOCKET | xdma:PREFIX | f2:ADDRESS | uart:PATH[@BAUD] | \
                cuda:NUMBER[,NUMBER…] | cuda:all"
    )]
    pub device: String,
    /// Run on the processor whatever the device lacks or fails at; everything, if the device cannot
    /// be opened.
    #[arg(long)]
    pub fallback: bool,
    /// Seconds without progress after which a device counts as failed [default: 10; sim: 60; sim in
    /// the BLS12-381 commands: 1800]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time_limit: Option<Duration>,
    /// How many times in a row a failed device is reset and tried again before it is given up.
    #[arg(long, default_value = "1", value_name = "N")]
    pub retries: usize,
}

/// A batch of lines.
#[derive(Args, Clone, Debug)]
pub struct BatchOptions {
    /// Accept an empty input. By default it is an error, because a broken pipe looks the same.
    #[arg(long)]
    pub allow_empty: bool,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err("expected 0.001 to 86400 seconds".into());
    }
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

/// Parses a number of bytes, with an optional suffix K (10^3), M (10^6) or G (10^9).
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
        .ok_or_else(|| "expected a number of bytes, such as 5000, 16M or 4G".into())
}

/// `halimede poseidon …`
#[derive(Subcommand, Debug)]
pub enum PoseidonCommand {
    /// Compute the Merkle root of a file of 32-byte little-endian leaves, or of layers of labels.
    #[command(after_help = tree::TREE_HELP)]
    Tree(TreeOptions),
    /// Prove that a leaf is in a tree stored by `tree --out`. Prints the proof as JSON.
    #[command(after_help = tree::PROVE_HELP)]
    Prove(ProveOptions),
    /// Check a proof against a root. The exit code is 0 if the proof is valid, 1 if not.
    #[command(after_help = tree::VERIFY_HELP)]
    Verify(VerifyOptions),
    /// Print the parameters of an instance, or generate them for any prime field, as JSON: rounds,
    /// constants, matrix.
    #[command(
        after_help = "Generated numbers of rounds follow from the published security bounds; \
        constants and matrix come from the Grain LFSR. The matrix is checked against subspace \
        trails.\n\nExamples:\n  halimede poseidon params --instance filecoin-8\n  halimede \
        poseidon params --field pallas --width 3\n  halimede poseidon params --prime 0x78000001 \
        --width 16 --alpha 7 --security 120"
    )]
    Params(ParamsOptions),
}

/// `halimede poseidon params`
#[derive(Args, Debug)]
#[command(group(clap::ArgGroup::new("of").required(true).args(["instance", "field", "prime"])))]
pub struct ParamsOptions {
    /// filecoin-ARITY (2 to 36) | stark-3 | 4 | 5 | 9 | starknet (an alias of stark-3)
    #[arg(long, value_name = "INSTANCE")]
    pub instance: Option<String>,
    /// The strength of Filecoin's instances: how many partial rounds.
    #[arg(long, value_enum, conflicts_with_all = ["field", "prime"])]
    pub strength: Option<StrengthName>,
    /// The parameters to generate.
    #[command(flatten)]
    pub generated: GeneratedOptions,
}

/// Options of generated parameters.
#[derive(Args, Debug)]
pub struct GeneratedOptions {
    /// The name of a field: bn254 | bls12-381 | pallas | vesta | stark | goldilocks | babybear |
    /// koalabear | mersenne31
    #[arg(long, value_name = "NAME", requires = "width")]
    pub field: Option<String>,
    /// The prime of a field, 31 to 768 bits, in hexadecimal.
    #[arg(long, value_name = "0x…", requires = "width")]
    pub prime: Option<String>,
    /// The width of the state, 2 to 64 elements.
    #[arg(long, value_name = "T", conflicts_with = "instance")]
    pub width: Option<usize>,
    /// The exponent of the S-box, or `inverse`; by default the smallest possible exponent.
    #[arg(long, value_name = "A", conflicts_with = "instance")]
    pub alpha: Option<String>,
    /// Bits of security, 64 to 512.
    #[arg(long, value_name = "M", default_value = "128", conflicts_with = "instance")]
    pub security: usize,
    /// How the number of partial rounds is chosen; by default as in the published instances over
    /// the field: `multiple` for bn254 and bls12-381, `fewest` otherwise.
    #[arg(long, value_enum, conflicts_with_all = ["instance", "rounds"])]
    pub partial: Option<PartialRule>,
    /// The numbers of full and partial rounds, instead of the fewest that are secure with the usual
    /// margin.
    #[arg(long, value_name = "RF,RP", conflicts_with = "instance")]
    pub rounds: Option<String>,
    /// The generator of constants and matrix: the reference by Poseidon's authors, or Filecoin's.
    #[arg(long, value_enum, default_value = "reference", conflicts_with = "instance")]
    pub convention: ConventionName,
}

/// How the number of partial rounds is chosen.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialRule {
    /// The fewest that are secure.
    Fewest,
    /// The next multiple of the width of the state.
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
    /// A quarter more partial rounds.
    Strengthened,
}

/// `halimede card …`
#[derive(Subcommand, Debug)]
pub enum CardCommand {
    /// List the images of the simulated card, with their engines and simulators.
    #[command(after_help = "Example:\n  halimede card sim")]
    Sim,
    /// Start a simulated card that listens on a Unix socket until the command is stopped.
    #[command(after_help = "Example:\n  halimede card serve --socket card.sock &\n  \
        halimede card selftest --device sim:card.sock")]
    Serve(ServeOptions),
    /// Run the startup test: reset, status, capabilities, known answers, an undecodable frame.
    #[command(after_help = "Example:\n  halimede card selftest --device sim")]
    Selftest(SelftestOptions),
    /// Measure latency and bandwidth of the link to a card, with its loopback, and check the
    /// echoes.
    #[command(after_help = "Example:\n  halimede card bench --device sim --seconds 0.2")]
    Bench(BenchOptions),
    /// List the engines of a card, with their counters since the last reset.
    #[command(after_help = "Example:\n  halimede card report --device sim")]
    Report(SelftestOptions),
}

/// `halimede card serve`
#[derive(Args, Debug)]
pub struct ServeOptions {
    /// The socket to listen on.
    #[arg(long, value_name = "PATH")]
    pub socket: PathBuf,
    /// The engines of the card, separated by commas; by default all.
    #[arg(long, value_name = "LIST")]
    pub engines: Option<String>,
    /// Write a waveform to this file.
    #[arg(long, value_name = "FILE.fst")]
    pub trace: Option<PathBuf>,
    /// The image of the card: default, memory (CKKS) or bls12_381. `halimede card sim` lists them.
    #[arg(long, default_value = "default", value_name = "NAME", value_parser = image)]
    pub image: Image,
}

fn image(name: &str) -> Result<Image, String> {
    Image::named(name).ok_or_else(|| {
        let names = Image::all().into_iter().map(Image::name).collect::<Vec<_>>().join(", ");
        format!("unknown image {name:?}; the images are {names}")
    })
}

/// `halimede card bench`
#[derive(Args, Debug)]
pub struct BenchOptions {
    #[command(flatten)]
    pub device: SelftestOptions,
    /// Seconds for each measurement: one of latency and one of bandwidth per size.
    #[arg(long, default_value = "1", value_name = "SECONDS", value_parser = parse_seconds)]
    pub seconds: Duration,
    /// Numbers of bytes per request, separated by commas.
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
        help = "sim | sim:SOCKET | xdma:PREFIX | f2:ADDRESS | uart:PATH[@BAUD] | cpu"
    )]
    pub device: String,
    /// Seconds without progress after which a device counts as failed [default: 10; sim: 60]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub time_limit: Option<Duration>,
}
