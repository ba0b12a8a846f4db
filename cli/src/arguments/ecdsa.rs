// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of ECDSA over secp256k1.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::BatchOptions;

const VERIFY_HELP: &str = r#"Each line is a JSON object:
  {"key": "02…", "msg": "…", "sig": "30…"}      a message, hashed as --hash says
  {"key": "02…", "digest": "…", "sig": "30…"}   a digest that was made before
All are hexadecimal, with or without 0x; other fields are passed over. The key is in SEC 1's form:
compressed, uncompressed or hybrid. Of a digest longer than 256 bits the leftmost count; a shorter
one is a number as it stands.

Each line is answered in its place by `valid`, by `invalid: ` and the reason, or where it is no such
object by `error: `, the column and what is wrong. A line may have 16 MiB. Files are streamed; memory
does not grow with them.

Exit codes: 0 all are valid; 1 some are not; 2 some lines were bad input, or there were none; 3 a device
failed or is not there; 4 output could not be written.

Examples:
  halimede ecdsa verify signatures.jsonl
  halimede ecdsa verify --format compact --hash sha3-256 --low-s < compact.jsonl
  halimede ecdsa verify --format der-lax --json old-transactions.jsonl"#;

const RECOVER_HELP: &str = r#"Each line is a JSON object, its fields hexadecimal with or without 0x:
  {"msg": "…", "sig": "…"}      a message, hashed as --hash says
  {"digest": "…", "sig": "…"}   a digest that was made before
Other fields are passed over. The signature is r and s, of 32 bytes each, and the recovery id in a
byte: 0 to 3, or with --ethereum 27 or 28.

Each line is answered in its place by the key, x and y of 32 bytes each, or with --address by the
address of Ethereum; by `invalid: ` and the reason where no key can be recovered; or where the line
is no such object by `error: `, the column and what is wrong. A line may have 16 MiB. Files are
streamed; memory does not grow with them.

Exit codes: 0 all are recovered; 1 some are not; 2 some lines were bad input, or there were none; 3 a device
failed or is not there; 4 output could not be written.

Examples:
  halimede ecdsa recover recoverable.jsonl
  halimede ecdsa recover --ethereum --hash keccak256 --address --low-s < transactions.jsonl"#;

/// `halimede ecdsa …`
#[derive(Subcommand, Debug)]
pub enum EcdsaCommand {
    /// Check signatures: a line of JSON each in, a line each out.
    #[command(after_help = VERIFY_HELP)]
    Verify(EcdsaVerifyOptions),
    /// Recover public keys or addresses: a line of JSON each in, a line each out.
    #[command(after_help = RECOVER_HELP)]
    Recover(EcdsaRecoverOptions),
}

/// `halimede ecdsa verify`
#[derive(Args, Debug)]
pub struct EcdsaVerifyOptions {
    /// Lines of JSON; standard input if absent or `-`.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The encoding of the signatures.
    #[arg(long, value_enum, default_value = "der")]
    pub format: FormatName,
    /// The hash function of a `msg`; with `none` the `msg` is the digest.
    #[arg(long, value_enum, default_value = "sha256")]
    pub hash: HashName,
    /// Reject an s above n/2, of which n - s would be as good (BIP 146).
    #[arg(long)]
    pub low_s: bool,
    /// The lines.
    #[command(flatten)]
    pub batch: BatchOptions,
}

/// `halimede ecdsa recover`
#[derive(Args, Debug)]
pub struct EcdsaRecoverOptions {
    /// Lines of JSON; standard input if absent or `-`.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The hash function of a `msg`; with `none` the `msg` is the digest.
    #[arg(long, value_enum, default_value = "sha256")]
    pub hash: HashName,
    /// Recovery ids as Ethereum has them: 27 or 28.
    #[arg(long)]
    pub ethereum: bool,
    /// Reject an s above n/2 (EIP-2).
    #[arg(long)]
    pub low_s: bool,
    /// Answer with the address of Ethereum instead of the key.
    #[arg(long)]
    pub address: bool,
    /// The lines.
    #[command(flatten)]
    pub batch: BatchOptions,
}

/// Formats by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    /// DER by the rules of BIP 66, without the hash type of a transaction.
    Der,
    /// What OpenSSL read before BIP 66, for old blocks.
    DerLax,
    /// r and s, each of 32 bytes, big-endian.
    Compact,
}

/// Hash functions by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum HashName {
    /// SHA-256
    Sha256,
    /// SHA-512
    Sha512,
    /// SHA3-256
    #[value(name = "sha3-256")]
    Sha3_256,
    /// Keccak-256, of Ethereum
    Keccak256,
    /// none
    None,
}
