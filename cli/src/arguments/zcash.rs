// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The commands and options of `halimede zcash`.

mod make_sapling;

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use halimede_equihash::Network;
use halimede_zcash::{parse_branch, BranchId, Hash};

use super::DeviceOptions;
pub use make_sapling::MakeSaplingOptions;
use make_sapling::MAKE_SAPLING_HELP;

const VERIFY_BLOCK_HELP: &str = "\
The block is raw or in hexadecimal, as `getblock HASH 0` of a node prints it. The command checks \
the version, target, hash and Equihash solution of the header; that the root of the transactions \
is correct and unambiguous; the number of signature operations; the payments of the first \
transaction; for each transaction its version, parts, length, expiry height, lock time and amounts, the \
scripts and signatures of its transparent inputs, and the proofs and signatures of its shielded \
parts; and the commitment of the header. It does not check JoinSplit proofs from before Sapling. \
engines/zcash/RULES.md lists every rule of consensus.

There are three verdicts:
  valid       every rule that the block and the options can decide was checked and holds
  invalid     a rule does not hold; the report names its place, and the section of the protocol \
specification
  incomplete  nothing failed, but something was not checked; the report names and counts each of \
these checks, with the option that provides the missing data
--allow-incomplete changes the exit code of `incomplete` to 0. The report also lists the rules \
that only the chain can decide.

To verify a signature, the command needs the output that the input spends. It knows the outputs of \
the block itself. Give the others by --spent, one JSON object per line:
  {\"txid\": \"…\", \"vout\": 0, \"value\": 1250000000, \"script\": \"76a914…88ac\"}
An input whose output is unknown is incomplete. From version 5 on, a signature may also commit to \
the outputs that the other inputs spend. Without --height, the rules of the height that the block \
claims apply, and the verdict is incomplete. From NU5 on identifiers do not cover signatures and \
proofs. The header commits to them together with the history of the chain, which --history-root \
gives.

--state gives what a node knows about the chain: the objects that `getblock HASH 1` of zcashd prints \
for this block, the previous block and the blocks whose treestates the block refers to, one after \
another. The command takes from them heights, final treestates (anchor, finalsaplingroot, \
finalorchardroot), the history root (chainhistoryroot) and the balances of the shielded pools \
(valuePools). An object {\"nullifiers\": {\"sapling\": [\"…\"]}} lists nullifiers that earlier \
blocks revealed. Rules that the state decides are checked; the report lists the others.

--json prints one object:
  hash, network, height (or null), bytes, verdict
  faults                rules that do not hold, each {section, place, reason}
  unchecked             skipped checks, each {name, count, option, needs}; option is null if no \
option helps
  needs_chain_state     rules that only the chain can decide, each {section, rule, needs}
  proof_of_work         mask, the bits of the failed checks, and first, the first of them or null
  checks                checks of the block, each {check, verdict, detail}
  signature_operations  the number of signature operations in known scripts
  transactions          each {txid, begins_at, coinbase, verdict, faults, unchecked, inputs}; \
begins_at is an offset in the block, and inputs are {input, kind, verdict, reason}
  inputs                the numbers of valid, invalid and incomplete inputs
  signatures, proofs    the numbers of transparent signatures and Groth16 proofs that were verified
  seconds               the time of each step
An error is an object on standard error: {error, exit}.

Exit codes: 0 valid; 1 invalid; 2 not a block (the error says at which byte); 3 a device failed or \
is not available; 4 writing output failed; 5 incomplete.

Examples:
  zcash-cli getblock 346 0 | halimede zcash verify-block - --height 346
  halimede zcash verify-block block.bin --height 346 --spent spent.jsonl --json
  halimede zcash verify-block block.bin --height 346 --allow-incomplete";

const VERIFY_BLOCKS_HELP: &str = "\
The input is a file, a folder of files, or standard input. It holds blocks one after another: raw, \
one per line in hexadecimal, as `getblock HASH 0` of a node prints them, or the block files of \
zcashd (blk00000.dat). The files of a folder are read in the order of their names, and numbers in \
names are compared by value. The input is streamed in bounded memory. Signatures and proofs of many \
blocks are verified in one batch; if a batch fails, its invalid parts are searched for and named. \
`halimede zcash verify-block --help` describes the checks and the three verdicts.

With --height, the blocks must follow each other from that height on. The heights are then known. \
Without --height, each block claims its height, and is incomplete, unless --state has the block or \
the one before. The command knows the outputs that the last blocks of the input created, 262,144 at \
most, and those of --spent.

--from continues an interrupted run: blocks of lower heights are read, for their outputs and to \
follow the chain, but not verified. The verdicts on a batch are printed together, and blocks that \
arrive slowly do not wait for others.

The command prints the blocks that are not valid, with --verbose the valid ones too. --json prints \
one object per line: for blocks {block, height, hash, bytes, verdict, faults, unchecked}, numbered \
from 1, and at the end {blocks, valid, invalid, incomplete, last_height, unchecked, \
needs_chain_state, signatures, proofs, seconds}.

Exit codes: 0 all blocks are valid; 1 some are invalid; 2 the input is not blocks from some place \
on (those before it have been verified); 3 a device failed or is not available; 4 writing output \
failed; 5 none is invalid, but some are incomplete (0 with --allow-incomplete).

Examples:
  halimede zcash verify-blocks blk00000.dat --allow-incomplete
  halimede zcash verify-blocks blocks/ --height 419200 --from 419201 --allow-incomplete --json
  zcash-cli getblock 346 0 | halimede zcash verify-blocks - --height 346";

const VERIFY_HEADERS_HELP: &str = "\
The file holds concatenated raw headers with their solutions, or one header per line in \
hexadecimal, as `getblockheader HASH false` of a node prints it. The file is streamed in constant \
memory. The command checks the version, the target against the limit of the network, the hash \
against the target, and the solution. It does not check that the headers form a chain. It prints \
invalid headers, with --verbose the valid ones too. `valid` means that every rule that a header \
can decide by itself holds; the rules that only the chain can decide are listed at the end.

--json prints one object per line: for headers {header, hash, verdict, reasons}, numbered from 1, \
and at the end {headers, valid, invalid, needs_chain_state, seconds}.

Exit codes: 0 all headers are valid; 1 some are invalid; 2 the input is not headers from some \
place on (those before it have been verified); 3 a device failed or is not available; 4 writing \
output failed.

Examples:
  halimede zcash verify-headers headers.bin
  halimede zcash verify-headers headers.bin --device sim
  halimede zcash solve --network regtest --until-target --count 100 --as-header > made.hex
  halimede zcash verify-headers --network regtest made.hex";

const SOLVE_HELP: &str = "\
Prints one line per solution: the nonce, then the solution as in a header, both in hexadecimal; \
with --indices also its indices. Without --nonce or --nonces, successive nonces are tried, from \
the nonce of the header or from a random one, until --count solutions are found. The input of \
Equihash is a header without its nonce (108 bytes) or with it (140 bytes). Without --header, one \
is generated with the easiest target of the network.

(48, 5) and (96, 5) need milliseconds, (200, 9) seconds and 0.23 GB of memory, (144, 5) half a \
minute and 1.9 GB. A nonce has two solutions on average; with (48, 5), 0.74.

--json prints one object per line: {n, k, nonce, solution, header, hash, meets_target}, with \
--indices also indices.

Exit codes: 0 the requested number of solutions was found; 1 the nonces have fewer solutions; 2 \
bad input, or more memory is needed than allowed; 4 writing output failed.

Examples:
  halimede zcash solve --n 48 --k 5
  halimede zcash solve --n 96 --k 5 --nonces 0..10 --indices
  halimede zcash solve --network regtest --header header.hex --until-target --as-header
  halimede zcash solve --n 144 --k 5 --memory 4G --json";

/// `halimede zcash …`
#[derive(Subcommand, Debug)]
pub enum ZcashCommand {
    /// Verify a block: proof of work, transactions, payments, signatures, shielded proofs.
    #[command(after_help = VERIFY_BLOCK_HELP)]
    VerifyBlock(VerifyBlockOptions),
    /// Verify a stream of blocks in batches, resumable.
    #[command(after_help = VERIFY_BLOCKS_HELP)]
    VerifyBlocks(VerifyBlocksOptions),
    /// Find Equihash solutions of a header.
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveOptions),
    /// Make a transaction with Sapling parts from a description, for tests.
    #[command(after_help = MAKE_SAPLING_HELP)]
    MakeSapling(MakeSaplingOptions),
    /// Verify the proof of work of headers: targets, hashes and Equihash solutions.
    #[command(after_help = VERIFY_HEADERS_HELP)]
    VerifyHeaders(VerifyHeadersOptions),
}

/// `halimede zcash verify-block`
#[derive(Args, Debug)]
pub struct VerifyBlockOptions {
    /// The block; `-` is standard input.
    pub file: PathBuf,
    /// The height of the block. Without it, the height that the first transaction claims is used,
    /// and the verdict is incomplete.
    #[arg(long, value_name = "N")]
    pub height: Option<u32>,
    /// The consensus branch in hexadecimal, e.g. 4dec4df0; by default the branch of the height, and
    /// on regtest the branch that a transaction of version 5 names.
    #[arg(long, value_name = "HEX", value_parser = parse_branch)]
    pub branch: Option<BranchId>,
    /// The root of the chain's history before the block, in hexadecimal as nodes print it. From NU5
    /// on the header commits to it, and without it the verdict is incomplete.
    #[arg(long, value_name = "HEX")]
    pub history_root: Option<Hash>,
    /// The options of both commands.
    #[command(flatten)]
    pub chain: ChainOptions,
}

/// `halimede zcash verify-blocks`
#[derive(Args, Debug)]
pub struct VerifyBlocksOptions {
    /// The blocks: a file, a folder of files, or `-` for standard input.
    pub path: PathBuf,
    /// The height of the first block. The blocks must follow each other then.
    #[arg(long, value_name = "N")]
    pub height: Option<u32>,
    /// Verify the blocks from this height on, to continue an interrupted run.
    #[arg(long, value_name = "HEIGHT")]
    pub from: Option<u32>,
    /// Print a line for every block, also for valid ones.
    #[arg(long, short)]
    pub verbose: bool,
    /// The options of both commands.
    #[command(flatten)]
    pub chain: ChainOptions,
}

/// The options of `verify-block` and `verify-blocks`.
#[derive(Args, Debug)]
pub struct ChainOptions {
    /// main | test | regtest: sets the parameters, the limits and the heights of upgrades.
    #[arg(long, value_name = "NETWORK", default_value = "main")]
    pub network: Network,
    /// The outputs of earlier blocks that are spent, one JSON object per line.
    #[arg(long, value_name = "FILE")]
    pub spent: Option<PathBuf>,
    /// The state of the chain: JSON objects as `getblock HASH 1` of a node prints them.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Exit with code 0 if nothing failed but something was not checked.
    #[arg(long)]
    pub allow_incomplete: bool,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede zcash verify-headers`
#[derive(Args, Debug)]
pub struct VerifyHeadersOptions {
    /// The headers; `-` is standard input.
    pub file: PathBuf,
    /// main | test | regtest: sets the Equihash parameters, and the limit of targets.
    #[arg(long, value_name = "NETWORK", default_value = "main")]
    pub network: Network,
    /// Print a line for every header, not only for invalid ones.
    #[arg(long, short)]
    pub verbose: bool,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede zcash solve`
#[derive(Args, Debug)]
pub struct SolveOptions {
    /// Equihash's n, the number of bits of a leaf; by default the network's.
    #[arg(long, value_name = "N", requires = "k")]
    pub n: Option<u32>,
    /// Equihash's k, the number of levels of the tree.
    #[arg(long, value_name = "K", requires = "n")]
    pub k: Option<u32>,
    /// main | test | regtest: sets the default n and k, and the target of a generated header.
    #[arg(long, value_name = "NETWORK", default_value = "regtest")]
    pub network: Network,
    /// The header, 108 bytes or with its nonce 140 bytes: in hexadecimal, a raw or hexadecimal
    /// file, or `-` for standard input.
    #[arg(long, value_name = "HEX|FILE|-")]
    pub header: Option<String>,
    /// Try only this nonce: 32 bytes in hexadecimal, in the order of a header.
    #[arg(long, value_name = "HEX", conflicts_with = "nonces")]
    pub nonce: Option<Nonce>,
    /// Try these nonces: numbers, encoded with the least significant byte first. FROM.. continues
    /// until enough solutions are found.
    #[arg(long, value_name = "FROM..[TO]")]
    pub nonces: Option<NonceRange>,
    /// The number of solutions to find; by default 1 if the nonces have no end, otherwise all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Count only solutions whose header hash meets the target of the header.
    #[arg(long)]
    pub until_target: bool,
    /// Print the indices of each solution as well.
    #[arg(long)]
    pub indices: bool,
    /// Print each solution as a whole header in hexadecimal, for `verify-headers`.
    #[arg(long, conflicts_with = "indices")]
    pub as_header: bool,
    /// Also write the raw headers with their solutions to this file.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The maximum memory to use, e.g. 500M or 4G.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory: Option<u64>,
}

/// The nonce of a header. As a number, it is little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce(pub [u8; 32]);

impl Nonce {
    /// Returns the next nonce, modulo 2^256.
    pub fn next(mut self) -> Self {
        for byte in &mut self.0 {
            *byte = byte.wrapping_add(1);
            if *byte != 0 {
                break;
            }
        }
        self
    }
}

impl From<u64> for Nonce {
    fn from(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self(bytes)
    }
}

impl FromStr for Nonce {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)
            .map_err(|error| format!("not 64 hexadecimal digits: {error}"))?;
        Ok(Self(bytes))
    }
}

/// A range of successive nonces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceRange {
    /// The first.
    pub from: u64,
    /// The one after the last.
    pub to: Option<u64>,
}

impl FromStr for NonceRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let value = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            value.map_err(|_| format!("{text:?} is not a number below 2^64"))
        };
        let (from, to) = text.split_once("..").ok_or("expected FROM.. or FROM..TO")?;
        let from = number(from)?;
        let to = if to.is_empty() { None } else { Some(number(to)?) };
        match to {
            Some(to) if to <= from => Err(format!("{from}..{to} is an empty range")),
            to => Ok(Self { from, to }),
        }
    }
}

/// Parses a number of bytes, with an optional suffix K (10^3), M (10^6), G (10^9) or T (10^12).
fn parse_bytes(text: &str) -> Result<u64, String> {
    let scales = [('K', 1_000), ('M', 1_000_000), ('G', 1_000_000_000), ('T', 1_000_000_000_000)];
    let upper = text.to_ascii_uppercase();
    let scaled = scales.iter().find_map(|(name, scale)| Some((upper.strip_suffix(*name)?, *scale)));
    let (number, scale) = scaled.unwrap_or((&upper, 1u64));
    let wrong = || format!("{text:?} is not a number of bytes such as 500M or 4G");
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(scale)).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonces_are_counted_from_their_first_byte() {
        let mut nonce = Nonce::from(0xfffe);
        nonce = nonce.next();
        assert_eq!(nonce, Nonce::from(0xffff));
        assert_eq!(nonce.next(), Nonce::from(0x1_0000));
        assert_eq!(Nonce([0xff; 32]).next(), Nonce([0; 32]));
        let text = "01".to_owned() + &"00".repeat(31);
        assert_eq!(text.parse(), Ok(Nonce::from(1)));
        for text in ["", "01", &"0g".repeat(32), &"00".repeat(33)] {
            assert!(text.parse::<Nonce>().is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_of_nonces() {
        let range = |from, to| Ok(NonceRange { from, to });
        assert_eq!("0..".parse(), range(0, None));
        assert_eq!("0x10..20".parse(), range(16, Some(20)));
        for text in ["", "5", "..5", "5..5", "6..5", "a..b", "1..2..3", "-1..", "1...3"] {
            assert!(text.parse::<NonceRange>().is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_of_bytes() {
        assert_eq!(parse_bytes("17"), Ok(17));
        assert_eq!(parse_bytes("500m"), Ok(500_000_000));
        assert_eq!(parse_bytes("4G"), Ok(4_000_000_000));
        for text in ["", "G", "4.5G", "-1", "4GB", "99999999999T"] {
            assert!(parse_bytes(text).is_err(), "{text}");
        }
    }
}
