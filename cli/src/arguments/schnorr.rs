// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of Schnorr signatures over secp256k1.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::BatchOptions;

const VERIFY_HELP: &str = r#"Each line is a JSON object, its fields hexadecimal with or without 0x:
  {"key": "f930…", "msg": "0000…", "sig": "e907…"}
Other fields are passed over. The key is x, of 32 bytes; the signature is r and s, of 32 bytes each.
The message is of any length, and is hashed as BIP 340 says; nothing is hashed before.

Each line is answered in its place by `valid`, by `invalid: ` and the reason, or where it is no such
object by `error: `, the column and what is wrong. A line may have 16 MiB. Files are streamed; memory
does not grow with them.

Exit codes: 0 all are valid; 1 some are not; 2 some lines were bad input, or there were none; 3 a device
failed or is not there; 4 output could not be written.

Examples:
  halimede schnorr verify taproot.jsonl
  halimede schnorr verify --json < taproot.jsonl"#;

/// `halimede schnorr …`
#[derive(Subcommand, Debug)]
pub enum SchnorrCommand {
    /// Verify signatures: a line of JSON each in, a line each out.
    #[command(after_help = VERIFY_HELP)]
    Verify(SchnorrVerifyOptions),
}

/// `halimede schnorr verify`
#[derive(Args, Debug)]
pub struct SchnorrVerifyOptions {
    /// Lines of JSON; standard input if absent or `-`.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The lines.
    #[command(flatten)]
    pub batch: BatchOptions,
}
