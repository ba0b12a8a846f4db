// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked about Zcash's blocks and headers.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use halimede_equihash::Network;

use super::DeviceOptions;

const VERIFY_HEADERS_HELP: &str = "\
The file has raw headers, solutions included, one behind the other, or one a line in hexadecimal, as \
`getblockheader HASH false` of a node prints them. It is streamed; memory does not grow with it. Checked \
are the version, the target against the network's limit, the hash against the target, and the \
solution; not whether headers follow each other. Invalid headers are printed, with --verbose the \
valid ones too.

Exit codes: 0 all headers are valid; 1 some are not; 2 these are not headers, after those before \
have been verified; 3 a device failed or is not there.

Examples:
  halimede zcash verify-headers headers.bin
  halimede zcash solve --count 100 --as-header | halimede zcash verify-headers --network regtest -";

/// `halimede zcash …`
#[derive(Subcommand, Debug)]
pub enum ZcashCommand {
    /// Verify the proof of work of many headers: targets, hashes and Equihash solutions.
    #[command(after_help = VERIFY_HEADERS_HELP)]
    VerifyHeaders(VerifyHeadersOptions),
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
    /// Where it runs.
    #[command(flatten)]
    pub device: DeviceOptions,
}
