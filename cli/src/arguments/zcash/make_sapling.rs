// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede zcash make-sapling`.

use std::path::PathBuf;

use clap::Args;

pub const MAKE_SAPLING_HELP: &str = "\
The transaction is for tests of verifiers. It has version 5 and only Sapling parts, with genuine \
proofs and signatures. Its notes are invented: no chain knows their anchor. The description is a \
JSON object:
  network, height  the network and height whose rules apply, from NU5 on
  branch           the consensus branch in hexadecimal, only needed on regtest
  seed             32 bytes in hexadecimal that determine the spending key; random without. Never \
use the seed of a wallet
  spends           a list of {value}, in zatoshi
  outputs          a list of {value, address, memo}. An output without an address pays the spender
The fee is the sum of the spends without the outputs. A bundle is padded to two outputs.

A proof needs a second or less. The command prints the transaction in hexadecimal. --json prints one \
object: {txid, anchor, fee, spends, outputs, transaction}. The anchor is printed in the order of \
`finalsaplingroot`.

Exit codes: 0 the transaction was made; 2 bad input; 4 writing output failed.

Example:
  halimede zcash make-sapling described.json --parameters zcash-params --json";

/// `halimede zcash make-sapling`
#[derive(Args, Debug)]
pub struct MakeSaplingOptions {
    /// The description; `-` is standard input.
    pub description: PathBuf,
    /// The folder with sapling-spend.params and sapling-output.params of the ceremony.
    #[arg(long, value_name = "DIR")]
    pub parameters: PathBuf,
    /// Write the bytes of the transaction to this file, and nothing to standard output except with
    /// --json.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}
