// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of Groth16.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::BatchOptions;

const VERIFY_HELP: &str = r#"Each line is a JSON object, its fields hexadecimal with or without 0x:
  {"proof": "a1b2…", "inputs": ["2a", "0x07"]}
The proof has 192 bytes, as bellman writes it: A, B and C compressed. Inputs are numbers,
big-endian, below the order of the groups. Other fields are passed over. The key is what bellman's
`VerifyingKey::write` writes.

Lines are verified together, with random multipliers. Each is answered in its place by `valid`, by
`invalid: ` and the reason, or where it is no such object by `error: ` and what is wrong. A line may
have 16 MiB. Files are streamed; memory does not grow with them.

Exit codes: 0 all are valid; 1 some are not; 2 some lines were bad input, or there were none; 3 a device
failed or is not there; 4 output could not be written.

Example:
  halimede groth16 verify --vk circuit.vk --proofs proofs.jsonl"#;

/// `halimede groth16 …`
#[derive(Subcommand, Debug)]
pub enum Groth16Command {
    /// Check proofs under one key: a line of JSON each in, a line each out.
    #[command(after_help = VERIFY_HELP)]
    Verify(Groth16VerifyOptions),
}

/// `halimede groth16 verify`
#[derive(Args, Debug)]
pub struct Groth16VerifyOptions {
    /// The verifying key, of 64 MiB at most.
    #[arg(long, value_name = "FILE")]
    pub vk: PathBuf,
    /// Lines of JSON; standard input if absent or `-`.
    #[arg(long, value_name = "FILE")]
    pub proofs: Option<PathBuf>,
    /// The lines.
    #[command(flatten)]
    pub batch: BatchOptions,
}
