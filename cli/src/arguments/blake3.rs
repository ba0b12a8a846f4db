// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede blake3`: those of `b3sum`, stored trees and verified slices of files.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use halimede_blake3::blake3::Hash;

use super::DeviceOptions;

pub const HASH_HELP: &str = "\
Options, output, check files and exit codes are those of b3sum 1.8: 1 if a file cannot be read, a \
check fails, a key is not 32 bytes long or --raw has several files; 2 if an option is wrong. As in \
the other commands, 3 means that a device failed, and 4 that writing output failed. Unlike b3sum, \
a check continues after a check file that cannot be read, and accepts lines of --tag for names \
with two spaces in a row.

Write ./tree, ./slice or ./verify for files of these names. The commands `tree`, `slice` and \
`verify` must come before any option.

Examples:
  halimede blake3 *.iso > sums
  halimede blake3 --check --quiet sums
  halimede blake3 --keyed --tag message < key
  halimede blake3 --derive-key 'example.com 2026-11-22 session' --length 64 --raw material
  halimede blake3 --device sim --tag a b c
  halimede blake3 tree --out big.obao big.dat";

const TREE_HELP: &str = "\
The root is the BLAKE3 hash of the file. The stored tree is in Bao's outboard format: 64 bytes for \
each 1024 bytes of the file, without the content of the file. Files are streamed in constant \
memory.

Examples:
  halimede blake3 tree --out big.obao big.dat > root
  cat a.iso b.iso | halimede blake3 tree --out both.obao -";

const SLICE_HELP: &str = "\
The slice holds the bytes and the tree nodes that prove them, in Bao's format. The root is enough \
to verify it. Before anything is written, the slice is verified against the root of the stored \
tree: a part of the file that has changed is refused. Without --start and --count the slice holds \
the whole file.

Examples:
  halimede blake3 slice --tree big.obao big.dat --start 65536 --count 4096 > part
  halimede blake3 slice --tree big.obao big.dat --root $(cat root) --out big.bao";

const VERIFY_HELP: &str = "\
Only verified bytes are written. If a slice has been tampered with, the bytes before that place \
have been written, the error says how many, and the exit code is 1. With --out the file appears \
only if the whole slice is valid. A slice that includes the end of the file also proves the length \
of the file. Pass the same --start and --count as to `slice`. With --tree, the input is the file \
itself, which is verified against its stored tree.

Examples:
  halimede blake3 verify $(cat root) part --start 65536 --count 4096 > data
  halimede blake3 verify $(cat root) big.bao --out copy.dat
  halimede blake3 verify $(cat root) --tree big.obao big.dat > /dev/null";

/// `halimede blake3 …`
#[derive(Args, Debug)]
// clap takes `blake3 --json tree F` as two files; the error for `tree` says so.
#[command(args_conflicts_with_subcommands = true, disable_help_subcommand = true)]
pub struct Blake3Options {
    /// Trees and slices.
    #[command(subcommand)]
    pub tree: Option<Blake3TreeCommand>,
    /// Files to hash or to check.
    #[command(flatten)]
    pub hash: HashFilesOptions,
}

/// `halimede blake3 tree | slice | verify`
#[derive(Subcommand, Debug)]
pub enum Blake3TreeCommand {
    /// Compute the root of a file's tree (its hash); --out stores the tree, to prove parts.
    #[command(after_help = TREE_HELP)]
    Tree(StoreTreeOptions),
    /// Write a slice: a part of a file, with a proof that it belongs to the file.
    #[command(after_help = SLICE_HELP)]
    Slice(SliceOptions),
    /// Verify a slice against a root, and write its bytes.
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifySliceOptions),
}

/// `halimede blake3 FILE…`
#[derive(Args, Debug)]
pub struct HashFilesOptions {
    /// Files to hash, or check files for --check; standard input if absent or `-`.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Use the keyed mode; the key is 32 bytes on standard input.
    #[arg(long, requires = "files")]
    pub keyed: bool,
    /// Use the key derivation mode, with this context string.
    #[arg(long, value_name = "CONTEXT", conflicts_with = "keyed")]
    pub derive_key: Option<String>,
    /// The length of the output, in bytes before hexadecimal encoding.
    #[arg(long, short, value_name = "LEN", default_value = "32")]
    pub length: u64,
    /// The offset of the first byte of the output, in bytes before hexadecimal encoding.
    #[arg(long, value_name = "SEEK", default_value = "0")]
    pub seek: u64,
    /// The maximum number of threads; 0 means RAYON_NUM_THREADS, or one per logical core.
    #[arg(long, value_name = "NUM", default_value = "0", hide_default_value = true)]
    pub num_threads: usize,
    /// Accepted for compatibility with `b3sum`; files are never mapped into memory.
    #[arg(long)]
    pub no_mmap: bool,
    /// Print no file names.
    #[arg(long)]
    pub no_names: bool,
    /// Write the hash of a single input as raw bytes, without its name.
    #[arg(long)]
    pub raw: bool,
    /// Print lines in the BSD style: BLAKE3 (FILE) = HASH
    #[arg(long)]
    pub tag: bool,
    /// Read hashes and names from the FILEs, and check them.
    #[arg(
        long,
        short,
        conflicts_with_all = ["derive_key", "keyed", "length", "raw", "tag", "no_names"]
    )]
    pub check: bool,
    /// Do not print OK for each correct file.
    #[arg(long, requires = "check")]
    pub quiet: bool,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede blake3 tree`
#[derive(Args, Debug)]
pub struct StoreTreeOptions {
    /// The file; `-` is standard input.
    pub file: PathBuf,
    /// Store the tree, so that parts of the file can be proved.
    #[arg(long, value_name = "TREE")]
    pub out: Option<PathBuf>,
}

/// A part of a file.
#[derive(Args, Clone, Copy, Debug)]
pub struct RangeOptions {
    /// The first byte.
    #[arg(long, value_name = "N", default_value = "0")]
    pub start: u64,
    /// The number of bytes; by default, and at most, up to the end of the file.
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
}

/// `halimede blake3 slice`
#[derive(Args, Debug)]
pub struct SliceOptions {
    /// The stored tree of the file.
    #[arg(long, value_name = "TREE")]
    pub tree: PathBuf,
    /// The file.
    pub file: PathBuf,
    /// The part of the file.
    #[command(flatten)]
    pub range: RangeOptions,
    /// The expected root; without it the stored tree is trusted.
    #[arg(long, value_name = "ROOT", value_parser = parse_root)]
    pub root: Option<Hash>,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "SLICE")]
    pub out: Option<PathBuf>,
}

/// `halimede blake3 verify`
#[derive(Args, Debug)]
pub struct VerifySliceOptions {
    /// The trusted root, 64 hexadecimal digits: the BLAKE3 hash of the whole file.
    #[arg(value_parser = parse_root)]
    pub root: Hash,
    /// The slice, or with --tree the file; `-` is standard input.
    pub slice: PathBuf,
    /// Verify the file itself against its stored tree.
    #[arg(long, value_name = "TREE")]
    pub tree: Option<PathBuf>,
    /// The part of the file that the slice holds.
    #[command(flatten)]
    pub range: RangeOptions,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn parse_root(text: &str) -> Result<Hash, String> {
    Hash::from_hex(text).map_err(|error| format!("not 64 hexadecimal digits: {error}"))
}
