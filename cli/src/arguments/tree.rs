// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What can be asked of trees and proofs.

use std::path::PathBuf;

use clap::Args;
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::Strength;

use super::{DeviceOptions, StrengthName};

pub const TREE_HELP: &str = "\
The leaves must fill the tree: a power of the arity in every base tree. They are streamed; memory \
does not grow with them. Sector data and labels are below 2^254; --elements takes all elements \
of the field, as a sealed replica has them.

A stored tree leaves out the leaves and, with --discard-rows N, the N rows above them, which a \
proof then hashes again.

Examples:
  halimede poseidon tree --arity 8 sector.dat
  halimede poseidon tree --arity 8 --elements --discard-rows 2 --out r-last.tree replica.dat > root
  halimede poseidon tree --arity 8 --top-arity 8,2 base-trees.dat   # 16 base trees: 8-8-2
  halimede poseidon tree --arity 8 --out c.tree --columns layer-*.dat";

pub const PROVE_HELP: &str = "\
The proof is checked before it is printed: leaves that are not the tree's, or a damaged file, are \
an error.

Examples:
  halimede poseidon prove --tree r-last.tree --leaves replica.dat --index 5 > proof.json
  halimede poseidon prove --tree c.tree --columns layer-*.dat --index 5";

pub const VERIFY_HELP: &str = "\
A node above the leaves has a shorter proof of the same kind; --leaf-count rules that out.

Examples:
  halimede poseidon verify proof.json --root $(cat root)
  halimede poseidon verify proof.json --root $(cat root) --index 5 --leaf-count 4096";

/// `halimede poseidon tree`
#[derive(Args, Debug)]
pub struct TreeOptions {
    /// Children of a node.
    #[arg(long, value_parser = parse_arity)]
    pub arity: usize,
    /// The leaves; `-` is standard input.
    #[arg(required_unless_present = "columns")]
    pub file: Option<PathBuf>,
    /// Layers of labels, 2, 4, 8 or 11: the leaves are the hashes of their columns.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "file")]
    pub columns: Vec<PathBuf>,
    /// Take all elements of the field, not only those below 2^254.
    #[arg(long)]
    pub elements: bool,
    /// Base trees, which have --arity each and are joined by a tree on top.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub subtrees: Option<u64>,
    /// Arities above the base trees, from below: 8,2 for Filecoin's 8-8-2; one arity is repeated
    /// as often as --subtrees asks for.
    #[arg(long, value_name = "ARITY", value_delimiter = ',', value_parser = parse_arity)]
    pub top_arity: Vec<usize>,
    /// Store the tree, so that leaves can be proved.
    #[arg(long, value_name = "TREE")]
    pub out: Option<PathBuf>,
    /// Rows above the leaves that are not stored.
    #[arg(long, value_name = "N", requires = "out")]
    pub discard_rows: Option<usize>,
    /// Store the leaves as well.
    #[arg(long, requires = "out", conflicts_with = "discard_rows")]
    pub keep_leaves: bool,
    /// The number of partial rounds.
    #[arg(long, value_enum)]
    pub strength: Option<StrengthName>,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede poseidon prove`
#[derive(Args, Debug)]
pub struct ProveOptions {
    /// The stored tree.
    #[arg(long, value_name = "TREE")]
    pub tree: PathBuf,
    /// The leaves; needed unless the tree stores them.
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    pub leaves: Option<PathBuf>,
    /// The layers, in the order in which the tree was made.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub columns: Vec<PathBuf>,
    /// The leaf, from 0.
    #[arg(long, value_name = "I")]
    pub index: u64,
    /// The device that hashes the rows that are not stored.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede poseidon verify`
#[derive(Args, Debug)]
pub struct VerifyOptions {
    /// The proof, as `prove` prints it; `-` is standard input.
    pub proof: PathBuf,
    /// The trusted root.
    #[arg(long, value_name = "0x...")]
    pub root: Fr,
    /// The leaf that the proof must be for.
    #[arg(long, value_name = "I")]
    pub index: Option<u64>,
    /// The number of leaves that the tree must have.
    #[arg(long, value_name = "N")]
    pub leaf_count: Option<u64>,
}

fn parse_arity(text: &str) -> Result<usize, String> {
    let arity = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    Hasher::new(arity, Strength::Standard, HashType::MerkleTree)
        .map(|hasher| hasher.arity())
        .map_err(|error| error.to_string())
}
