// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of BLAKE3: the options of `b3sum`, and verified slices of files.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use halimede_blake3::blake3::Hash;

use super::DeviceOptions;

pub const HASH_HELP: &str = "\
Options, output, check files and exit codes are those of b3sum 1.8: 1 where a file cannot be read, \
a check fails, a key is not 32 bytes or --raw has several files; 2 for options that are wrong. A \
device that fails is 3, and output that cannot be written 4, as everywhere. Beyond b3sum, a check \
goes on after a check file that cannot be read, and it takes lines of --tag for names with two \
spaces in a row.

A file called tree, slice or verify is given as ./tree, ./slice or ./verify; the commands of these \
names come before any option.

Examples:
  halimede blake3 *.iso > sums
  halimede blake3 --check --quiet sums
  halimede blake3 --keyed --tag message < key
  halimede blake3 --derive-key 'example.com 2026-11-22 session' --length 64 --raw material
  halimede blake3 --device sim --tag a b c
  halimede blake3 tree --out big.obao big.dat";

const TREE_HELP: &str = "\
The root is the file's BLAKE3 hash. The stored tree has 64 bytes for each 1024 of the file, in \
Bao's outboard format, and none of the file itself. Files are streamed; memory does not grow with \
them.

Examples:
  halimede blake3 tree --out big.obao big.dat > root
  cat a.iso b.iso | halimede blake3 tree --out both.obao -";

const SLICE_HELP: &str = "\
The slice has the bytes and the nodes of the tree beside them, in Bao's format: who has the root \
alone can verify it. It is verified before anything is written, against the root of the stored \
tree: a part that has changed since is refused. Without --start and --count it has the whole file.

Examples:
  halimede blake3 slice --tree big.obao big.dat --start 65536 --count 4096 > part
  halimede blake3 slice --tree big.obao big.dat --root $(cat root) --out big.bao";

const VERIFY_HELP: &str = "\
Bytes are written once they are verified, and no other: where a slice has been tampered with, \
those before that place have been written, the message says how many, and the exit code is 1. With \
--out the file appears only where everything holds. A slice proves the length of the file where it \
has the file's end. --start and --count are those that the slice was made with. With --tree it is \
no slice that is verified but the file itself, against its stored tree.

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
    /// The root of a file's tree, which is its hash; stored with --out, to prove parts of the file.
    #[command(after_help = TREE_HELP)]
    Tree(StoreTreeOptions),
    /// Write a part of a file with the proof that it is part of it.
    #[command(after_help = SLICE_HELP)]
    Slice(SliceOptions),
    /// Verify a slice against a root, and write its bytes.
    #[command(after_help = VERIFY_HELP)]
    Verify(VerifySliceOptions),
}

/// `halimede blake3 FILE…`
#[derive(Args, Debug)]
pub struct HashFilesOptions {
    /// Files to hash, or check files to check; `-`, or none at all, is standard input.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Use the keyed mode, with the 32 bytes of the key from standard input.
    #[arg(long, requires = "files")]
    pub keyed: bool,
    /// Use the key derivation mode, with this context string.
    #[arg(long, value_name = "CONTEXT", conflicts_with = "keyed")]
    pub derive_key: Option<String>,
    /// Bytes of output, before they are hexadecimal.
    #[arg(long, short, value_name = "LEN", default_value = "32")]
    pub length: u64,
    /// The byte of the output, before it is hexadecimal, with which to begin.
    #[arg(long, value_name = "SEEK", default_value = "0")]
    pub seek: u64,
    /// Most threads to use; 0 is RAYON_NUM_THREADS, or as many as there are logical cores.
    #[arg(long, value_name = "NUM", default_value = "0", hide_default_value = true)]
    pub num_threads: usize,
    /// Taken as `b3sum` takes it: files are always read, never mapped into memory.
    #[arg(long)]
    pub no_mmap: bool,
    /// Leave names out of the output.
    #[arg(long)]
    pub no_names: bool,
    /// Write bytes, not hexadecimal digits, of one input, without its name.
    #[arg(long)]
    pub raw: bool,
    /// Write lines as BSD has them: BLAKE3 (FILE) = HASH
    #[arg(long)]
    pub tag: bool,
    /// Read hashes and names from the FILEs, and check them.
    #[arg(
        long,
        short,
        conflicts_with_all = ["derive_key", "keyed", "length", "raw", "tag", "no_names"]
    )]
    pub check: bool,
    /// Leave out the OK of each correct file.
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
    /// The number of bytes; by default, and at most, all to the end of the file.
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
    /// Which part.
    #[command(flatten)]
    pub range: RangeOptions,
    /// The root that the tree must have; without it the stored tree is trusted.
    #[arg(long, value_name = "ROOT", value_parser = parse_root)]
    pub root: Option<Hash>,
    /// Write to this file, and not to standard output.
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
    /// Which part it is.
    #[command(flatten)]
    pub range: RangeOptions,
    /// Write to this file, and not to standard output.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

fn parse_root(text: &str) -> Result<Hash, String> {
    Hash::from_hex(text).map_err(|error| format!("not 64 hexadecimal digits: {error}"))
}
