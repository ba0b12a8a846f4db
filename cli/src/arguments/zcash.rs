// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked about Zcash's blocks and headers.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use halimede_equihash::Network;
use halimede_zcash::{parse_branch, BranchId};

use super::DeviceOptions;

const VERIFY_BLOCK_HELP: &str = "\
The block is raw or in hexadecimal, as `getblock HASH 0` of a node prints it. Checked are the \
header's version, target, hash and Equihash solution; the root of the transactions, and that it \
stands for no others; the number of signature operations; and of each transaction its version, \
parts, length, expiry height, lock time and amounts, and the scripts and signatures of its \
transparent inputs. Not checked are shielded proofs and signatures, and the payments of the first \
transaction. engines/zcash/RULES.md lists every rule of consensus.

There are three verdicts. `valid`: each rule that the block and what is given can decide was \
checked and holds. `invalid`: a rule does not hold; it is named by its section of the protocol's \
specification, with its place. `incomplete`: nothing failed, and something was not checked; each is \
named and counted, with the option that gives what is missing. --allow-incomplete makes its exit \
code 0. Rules that only the chain decides are listed beside the verdict.

A signature holds or not by what it spends. Outputs that the block itself makes are known; others \
come by --spent, a JSON object a line:
  {\"txid\": \"…\", \"vout\": 0, \"value\": 1250000000, \"script\": \"76a914…88ac\"}
An input whose output is not known is incomplete; from version 5 on, a signature may commit to what \
the other inputs spend as well. Without --height, rules are those of the height that the block \
claims, and the verdict is incomplete.

--json prints one object:
  hash, network, height (or null), bytes, verdict
  faults                rules that do not hold, each {section, place, reason}
  unchecked             what was not checked, each {name, count, option, needs}; option is null where \
none helps
  needs_chain_state     rules that only the chain decides, each {section, rule, needs}
  proof_of_work         mask, the bits of checks that failed, and first, which failed first, or null
  checks                of the block, each {check, verdict, detail}
  signature_operations  how many, of scripts that are known
  transactions          each {txid, begins_at, coinbase, verdict, faults, unchecked, inputs}; \
begins_at is a byte of the block, and inputs are {input, kind, verdict, reason}
  inputs                how many are valid, invalid, incomplete
  signatures, seconds   how many were verified, and the time of each step
An error is an object on standard error: {error, exit}.

Exit codes: 0 valid; 1 invalid; 2 this is not a block, and at which byte; 3 a device failed or is \
not there; 4 output could not be written; 5 incomplete.

Examples:
  zcash-cli getblock 346 0 | halimede zcash verify-block - --height 346
  halimede zcash verify-block block.bin --height 346 --spent spent.jsonl --json
  halimede zcash verify-block block.bin --height 346 --allow-incomplete";

const VERIFY_HEADERS_HELP: &str = "\
The file has raw headers, solutions included, one behind the other, or one a line in hexadecimal, \
as `getblockheader HASH false` of a node prints them. It is streamed; memory does not grow with \
it. Checked are the version, the target against the network's limit, the hash against the target, \
and the solution; not whether headers follow each other. Invalid headers are printed, with \
--verbose the valid ones too. `valid` says that each rule which a header alone decides holds; what \
only the chain tells is listed in the end.

--json prints an object a line: for headers {header, hash, verdict, reasons}, numbered from 1, and \
in the end {headers, valid, invalid, needs_chain_state, seconds}.

Exit codes: 0 all headers are valid; 1 some are not; 2 these are not headers, after those before \
have been verified; 3 a device failed or is not there; 4 output could not be written.

Examples:
  halimede zcash verify-headers headers.bin
  halimede zcash verify-headers headers.bin --device sim
  halimede zcash solve --network regtest --until-target --count 100 --as-header > made.hex
  halimede zcash verify-headers --network regtest made.hex";

const SOLVE_HELP: &str = "\
A line for each solution: the nonce, then the solution as a header has it, both in hexadecimal; \
with --indices its indices too. Without --nonce or --nonces, nonces are tried one after the other, \
from the header's own or from a random one, until there are --count solutions. A header without \
its nonce, 108 bytes, or with it, 140, is Equihash's input; where none is given one is made, with \
the easiest target of the network.

(48, 5) and (96, 5) take milliseconds, (200, 9) seconds and 0.23 GB of memory, (144, 5) half a \
minute and 1.9 GB. A nonce has two solutions on average, with (48, 5) 0.74.

--json prints an object a line: {n, k, nonce, solution, header, hash, meets_target}, and with \
--indices indices.

Exit codes: 0 as many solutions as were asked for; 1 these nonces have fewer; 2 bad \
input, or more memory than is allowed; 4 an output failed.

Examples:
  halimede zcash solve --n 48 --k 5
  halimede zcash solve --n 96 --k 5 --nonces 0..10 --indices
  halimede zcash solve --network regtest --header header.hex --until-target --as-header
  halimede zcash solve --n 144 --k 5 --memory 4G --json";

/// `halimede zcash …`
#[derive(Subcommand, Debug)]
pub enum ZcashCommand {
    /// Verify a block: proof of work, transactions' root, transparent signatures.
    #[command(after_help = VERIFY_BLOCK_HELP)]
    VerifyBlock(VerifyBlockOptions),
    /// Find Equihash solutions of a header, given or generated.
    #[command(after_help = SOLVE_HELP)]
    Solve(SolveOptions),
    /// Verify the proof of work of many headers: targets, hashes and Equihash solutions.
    #[command(after_help = VERIFY_HEADERS_HELP)]
    VerifyHeaders(VerifyHeadersOptions),
}

/// `halimede zcash verify-block`
#[derive(Args, Debug)]
pub struct VerifyBlockOptions {
    /// The block; `-` is standard input.
    pub file: PathBuf,
    /// main | test | regtest: parameters, limits and the heights of upgrades.
    #[arg(long, value_name = "NETWORK", default_value = "main")]
    pub network: Network,
    /// Outputs of earlier blocks that this one spends, a JSON object a line.
    #[arg(long, value_name = "FILE")]
    pub spent: Option<PathBuf>,
    /// Exit with code 0 where nothing failed and something was not checked.
    #[arg(long)]
    pub allow_incomplete: bool,
    /// The block's height; where absent, what its first transaction claims is taken, and the
    /// verdict is incomplete.
    #[arg(long, value_name = "N")]
    pub height: Option<u32>,
    /// The consensus branch in hexadecimal, e.g. 4dec4df0; where absent, that of the height, and on
    /// regtest the one that a transaction of version 5 is made for.
    #[arg(long, value_name = "HEX", value_parser = parse_branch)]
    pub branch: Option<BranchId>,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede zcash verify-headers`
#[derive(Args, Debug)]
pub struct VerifyHeadersOptions {
    /// The headers; `-` is standard input.
    pub file: PathBuf,
    /// main | test | regtest: parameters of solutions, and the limit of targets.
    #[arg(long, value_name = "NETWORK", default_value = "main")]
    pub network: Network,
    /// Print a line for each header, not only for invalid ones.
    #[arg(long, short)]
    pub verbose: bool,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede zcash solve`
#[derive(Args, Debug)]
pub struct SolveOptions {
    /// Bits of a leaf; by default the network's.
    #[arg(long, value_name = "N", requires = "k")]
    pub n: Option<u32>,
    /// Levels of the tree.
    #[arg(long, value_name = "K", requires = "n")]
    pub k: Option<u32>,
    /// main | test | regtest: default n and k, and the target of a generated header.
    #[arg(long, value_name = "NETWORK", default_value = "regtest")]
    pub network: Network,
    /// The header, of 108 bytes or with its nonce 140: hexadecimal, a file of either, or `-`.
    #[arg(long, value_name = "HEX|FILE|-")]
    pub header: Option<String>,
    /// This nonce alone, 32 bytes in hexadecimal as a header has them.
    #[arg(long, value_name = "HEX", conflicts_with = "nonces")]
    pub nonce: Option<Nonce>,
    /// These nonces, as numbers with the least significant byte first; FROM.. goes on until there
    /// are enough solutions.
    #[arg(long, value_name = "FROM..[TO]")]
    pub nonces: Option<NonceRange>,
    /// Solutions to find; by default 1 if the nonces have no end, else all.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub count: Option<u64>,
    /// Take only solutions whose header hash meets the header's target.
    #[arg(long)]
    pub until_target: bool,
    /// Print the indices of each solution as well.
    #[arg(long)]
    pub indices: bool,
    /// Print each solution as a whole header in hexadecimal, as `verify-headers` reads it.
    #[arg(long, conflicts_with = "indices")]
    pub as_header: bool,
    /// Write the raw headers with their solutions to this file as well.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Most memory to use, e.g. 500M or 4G.
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory: Option<u64>,
}

/// A nonce of a header; as a number, its first byte is the least significant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonce(pub [u8; 32]);

impl Nonce {
    /// The next one.
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

/// Nonces that follow each other.
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
        let (from, to) = text.split_once("..").ok_or("nonces are FROM.. or FROM..TO")?;
        let from = number(from)?;
        let to = if to.is_empty() { None } else { Some(number(to)?) };
        match to {
            Some(to) if to <= from => Err(format!("from {from} to before {to} there is no nonce")),
            to => Ok(Self { from, to }),
        }
    }
}

/// A number of bytes, with a suffix K, M, G or T for thousands, millions and so on.
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
