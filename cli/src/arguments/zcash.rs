// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked about Zcash's blocks and headers.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use halimede_zcash::{BranchId, Network};

use super::DeviceOptions;

const VERIFY_BLOCK_HELP: &str = "\
The block is raw or in hexadecimal, as `getblock HASH 0` of a node prints it. Checked are the \
header's version, target, hash and Equihash solution; the root of the transactions; and of each \
transaction its version, and the scripts and signatures of its transparent inputs. Not checked are \
shielded proofs and signatures, amounts, and what only the chain tells: whether the target is the \
one that is due, and whether outputs are still unspent.

A signature holds or not by what it spends. Outputs that the block itself makes are known; others \
come by --spent, a JSON object a line:
  {\"txid\": \"…\", \"vout\": 0, \"value\": 1250000000, \"script\": \"76a914…88ac\"}
An input whose output is not known is reported as not checked; from version 5 on, a signature may \
commit to what the other inputs spend as well.

Exit codes: 0 valid; 1 invalid, or with --require-spent not wholly checked; 2 this is no block, and \
at which byte; 3 a device failed or is not there.

Examples:
  zcash-cli getblock 346 0 | halimede zcash verify-block -
  halimede zcash verify-block block.bin --spent spent.jsonl --require-spent --json";

/// `halimede zcash …`
#[derive(Subcommand, Debug)]
pub enum ZcashCommand {
    /// Verify a block: proof of work, transactions' root, transparent signatures.
    #[command(after_help = VERIFY_BLOCK_HELP)]
    VerifyBlock(VerifyBlockOptions),
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
    /// Take inputs that cannot be checked for a failure.
    #[arg(long)]
    pub require_spent: bool,
    /// The block's height; where absent, what its first transaction claims.
    #[arg(long, value_name = "N")]
    pub height: Option<u32>,
    /// The consensus branch in hexadecimal, e.g. 4dec4df0; where absent, that of the height, and on
    /// regtest the one that a transaction of version 5 is made for.
    #[arg(long, value_name = "HEX", value_parser = parse_branch)]
    pub branch: Option<BranchId>,
    /// Where it runs.
    #[command(flatten)]
    pub device: DeviceOptions,
}

fn parse_branch(text: &str) -> Result<BranchId, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let number = u32::from_str_radix(digits, 16);
    let number = number.map_err(|_| format!("{text:?} is no hexadecimal number of 32 bits"))?;
    BranchId::try_from(number).map_err(|_| format!("there is no branch {number:08x}"))
}
