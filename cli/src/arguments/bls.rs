// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of BLS12-381.

mod program;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::BatchOptions;
pub use program::{BlsAsmOptions, BlsDisasmOptions, BlsManualOptions, BlsRunOptions};
use program::{ASM_HELP, DISASM_HELP, MANUAL_HELP, RUN_HELP};

const LINES_HELP: &str = "\
Points and numbers are hexadecimal, with or without 0x, separated by spaces. Points are compressed \
or uncompressed, as Zcash and the IETF encode them; they must be in their groups. Numbers are \
big-endian. Results are compressed. A line that is bad input is answered by `error: …` in its \
place, and the exit code is 2. A line may have 16 MiB.";

const VERIFY_HELP: &str = r#"Each line is a JSON object, its fields hexadecimal with or without 0x:
  {"key": "a491…", "msg": "5656…", "sig": "8827…"}
Other fields are passed over. Keys and signatures are compressed or uncompressed; the message is
what is hashed to the curve.

The scheme is Ethereum's proof of possession unless --scheme names another. With --json each answer
names its scheme and group.

Lines are verified together, with random multipliers. Each is answered in its place by `valid`, by
`invalid: ` and the reason, or where it is no such object by `error: `, the column and what is
wrong. A line may have 16 MiB. Files are streamed; memory does not grow with them.

Exit codes: 0 all are valid; 1 some are not; 2 some lines were bad input, or there were none; 3 a device
failed or is not there; 4 output could not be written.

Examples:
  halimede bls verify attestations.jsonl
  halimede bls verify --group min-sig --scheme basic --json < beacons.jsonl"#;

const EIP2537_HELP: &str = "\
Each line is an input as hexadecimal digits, with or without 0x; an empty line is an empty input. \
It is answered by the output, or by `error: …` where the precompile fails; the exit code is then 2. \
Gas is not counted.\n\nExamples:\n  \
  halimede bls eip2537 pairing_check calls.hex\n  \
  printf '%0128x\\n' 7 | halimede bls eip2537 map_fp_to_g1";

/// `halimede bls …`
#[derive(Subcommand, Debug)]
pub enum BlsCommand {
    /// Pair points: a line of a point of G1 and one of G2 in, an element of GT of 576 bytes out.
    #[command(before_help = LINES_HELP, after_help = "Example:\n  halimede bls pairing pairs.hex")]
    Pairing(PointLinesOptions),
    /// Multiply pairings: a line of any number of pairs in, an element of GT out.
    #[command(
        before_help = LINES_HELP,
        after_help = "Examples:\n  halimede bls multi-pairing pairs.hex\n  \
                      halimede bls multi-pairing --check pairs.hex"
    )]
    MultiPairing(MultiPairingOptions),
    /// Multiply points: a line of a point and a number in.
    #[command(before_help = LINES_HELP, after_help = "Example:\n  \
                      halimede bls mul --curve g1 multiples.hex")]
    Mul(PointsOptions),
    /// Add points: a line of points in.
    #[command(before_help = LINES_HELP, after_help = "Example:\n  \
                      halimede bls add --curve g2 points.hex")]
    Add(PointsOptions),
    /// Sum up multiples: a line of points, each with a number behind it, in.
    #[command(before_help = LINES_HELP, after_help = "Example:\n  \
                      halimede bls msm --curve g1 multiples.hex")]
    Msm(PointsOptions),
    /// Map elements of the field to the group (RFC 9380): 48 bytes, or 96 with the constant first.
    #[command(before_help = LINES_HELP, after_help = "Example:\n  \
                      printf '%096x\\n' 7 | halimede bls map --curve g1")]
    Map(PointsOptions),
    /// Hash messages to G1 (RFC 9380): a line of hexadecimal digits each.
    #[command(after_help = "Example:\n  \
                      echo 616263 | halimede bls hash-to-g1 --domain EXAMPLE-V01")]
    HashToG1(HashToCurveOptions),
    /// Hash messages to G2 (RFC 9380): a line of hexadecimal digits each.
    #[command(after_help = "Example:\n  \
                      echo 616263 | halimede bls hash-to-g2 --encode --domain EXAMPLE-V01")]
    HashToG2(HashToCurveOptions),
    /// Check signatures: a line of JSON each in, a line each out.
    #[command(after_help = VERIFY_HELP)]
    Verify(BlsVerifyOptions),
    /// Run Ethereum's precompiles (EIP-2537): a line each in, a line each out.
    #[command(after_help = EIP2537_HELP)]
    Eip2537(Eip2537Options),
    /// Run programs of the coprocessor, in its instruction-set simulator or on a device.
    #[command(after_help = RUN_HELP)]
    Run(BlsRunOptions),
    /// Assemble a program of the coprocessor.
    #[command(after_help = ASM_HELP)]
    Asm(BlsAsmOptions),
    /// Disassemble instructions of the coprocessor.
    #[command(after_help = DISASM_HELP)]
    Disasm(BlsDisasmOptions),
    /// Print the coprocessor's instructions, kinds of slots, registers and errors.
    #[command(after_help = MANUAL_HELP)]
    Manual(BlsManualOptions),
}

/// Lines of points.
#[derive(Args, Debug)]
pub struct PointLinesOptions {
    /// Lines; standard input if absent or `-`.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// The lines.
    #[command(flatten)]
    pub batch: BatchOptions,
}

/// `halimede bls multi-pairing`
#[derive(Args, Debug)]
pub struct MultiPairingOptions {
    /// Answer `true` where the product is 1, and `false` elsewhere.
    #[arg(long)]
    pub check: bool,
    /// The lines.
    #[command(flatten)]
    pub lines: PointLinesOptions,
}

/// Lines of points of one group.
#[derive(Args, Debug)]
pub struct PointsOptions {
    /// The group.
    #[arg(long, value_enum)]
    pub curve: CurveName,
    /// The lines.
    #[command(flatten)]
    pub lines: PointLinesOptions,
}

/// `halimede bls hash-to-g1` and `hash-to-g2`
#[derive(Args, Debug)]
pub struct HashToCurveOptions {
    /// The domain separation tag.
    #[arg(long, value_name = "TAG")]
    pub domain: String,
    /// `encode_to_curve` in place of `hash_to_curve`: one map, to half of the points.
    #[arg(long)]
    pub encode: bool,
    /// The lines.
    #[command(flatten)]
    pub lines: PointLinesOptions,
}

/// `halimede bls verify`
#[derive(Args, Debug)]
pub struct BlsVerifyOptions {
    /// Which of keys and signatures are in G1, and short.
    #[arg(long, value_enum, default_value = "min-pk")]
    pub group: GroupName,
    /// How signers are kept from cancelling the keys of others. A signature is valid under its own scheme
    /// alone.
    #[arg(long, value_enum, default_value = "pop")]
    pub scheme: SchemeName,
    /// The lines.
    #[command(flatten)]
    pub lines: PointLinesOptions,
}

/// `halimede bls eip2537`
#[derive(Args, Debug)]
pub struct Eip2537Options {
    /// The precompile.
    #[arg(value_enum)]
    pub precompile: PrecompileName,
    /// The lines.
    #[command(flatten)]
    pub lines: PointLinesOptions,
}

/// Groups by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveName {
    /// Coordinates in Fp.
    G1,
    /// Coordinates in Fp2.
    G2,
}

/// Variants of the signature by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupName {
    /// Keys of 48 bytes, signatures of 96.
    MinPk,
    /// Keys of 96 bytes, signatures of 48.
    MinSig,
}

/// Schemes by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemeName {
    /// The basic scheme.
    Basic,
    /// Message augmentation: the key is signed before the message.
    Aug,
    /// Proof of possession, as Ethereum has it.
    Pop,
}

/// Precompiles by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
#[value(rename_all = "snake_case")]
pub enum PrecompileName {
    /// Adds points of G1's curve.
    #[value(name = "g1add")]
    G1Add,
    /// Sums up multiples in G1.
    #[value(name = "g1msm")]
    G1Msm,
    /// Adds points of G2's curve.
    #[value(name = "g2add")]
    G2Add,
    /// Sums up multiples in G2.
    #[value(name = "g2msm")]
    G2Msm,
    /// Tells whether a product of pairings is 1.
    PairingCheck,
    /// Maps an element of Fp to G1.
    #[value(name = "map_fp_to_g1")]
    MapFpToG1,
    /// Maps an element of Fp2 to G2.
    #[value(name = "map_fp2_to_g2")]
    MapFp2ToG2,
}
