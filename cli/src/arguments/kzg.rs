// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of KZG openings.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::BatchOptions;

const VERIFY_HELP: &str = r#"Each line is a JSON object, its fields hexadecimal with or without 0x:
  {"commitment": "0x…", "z": "0x…", "y": "0x…", "proof": "0x…"}   a value of the polynomial
  {"blob": "0x…", "commitment": "0x…", "proof": "0x…"}            the polynomial itself
Other fields are passed over. The setup is the text of the public ceremony, trusted_setup.txt.

Lines are verified together, with random multipliers. Each is answered in its place by `valid`, by
`invalid: ` and the reason, or where it cannot be decoded by `error: ` and what is wrong. A line may
have 16 MiB. Files are streamed; memory does not grow with them.

Exit codes: 0 all are valid; 1 some are not; 2 some lines were bad input, or there were none; 3 a device
failed or is not there; 4 output could not be written.

Example:
  halimede kzg verify --setup trusted_setup.txt openings.jsonl"#;

/// `halimede kzg …`
#[derive(Subcommand, Debug)]
pub enum KzgCommand {
    /// Check openings: a line of JSON each in, a line each out.
    #[command(after_help = VERIFY_HELP)]
    Verify(KzgVerifyOptions),
}

/// `halimede kzg verify`
#[derive(Args, Debug)]
pub struct KzgVerifyOptions {
    /// The trusted setup, of 2 MiB at most.
    #[arg(long, value_name = "FILE")]
    pub setup: PathBuf,
    /// Lines of JSON; standard input if absent or `-`.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The lines.
    #[command(flatten)]
    pub batch: BatchOptions,
}
