// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `halimede poseidon tree`, `prove` and `verify`.

use std::path::PathBuf;

use clap::Args;
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::Strength;

use super::{DeviceOptions, StrengthName};

pub const TREE_HELP: &str = "\
The leaves must fill the tree: their number in every base tree is a power of the arity. They are \
streamed in constant memory. Sector data and labels are below 2^254; --elements accepts all \
elements of the field, such as those of a sealed replica.

A stored tree omits the leaves and, with --discard-rows N, the N rows above them, which `prove` \
hashes again.

Examples:
  halimede poseidon tree --arity 8 sector.dat
  halimede poseidon tree --arity 8 --elements --discard-rows 2 --out r-last.tree replica.dat > root
  halimede poseidon tree --arity 8 --top-arity 8,2 base-trees.dat   # 16 base trees: 8-8-2
  halimede poseidon tree --arity 8 --out c.tree --columns layer-*.dat";

pub const PROVE_HELP: &str = "\
The proof is checked before it is printed: leaves that do not match the tree, or a damaged file, \
are an error.

Examples:
  halimede poseidon prove --tree r-last.tree --leaves replica.dat --index 5 > proof.json
  halimede poseidon prove --tree c.tree --columns layer-*.dat --index 5";

pub const VERIFY_HELP: &str = "\
An inner node has a valid proof too, a shorter one; --leaf-count accepts only proofs of leaves.

Examples:
  halimede poseidon verify proof.json --root $(cat root)
  halimede poseidon verify proof.json --root $(cat root) --index 5 --leaf-count 4096";

/// `halimede poseidon tree`
#[derive(Args, Debug)]
pub struct TreeOptions {
    /// The number of children of a node.
    #[arg(long, value_parser = parse_arity)]
    pub arity: usize,
    /// The file of the leaves; `-` is standard input.
    #[arg(required_unless_present = "columns")]
    pub file: Option<PathBuf>,
    /// Layers of labels (2, 4, 8 or 11 files), whose columns are hashed to the leaves.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "file")]
    pub columns: Vec<PathBuf>,
    /// Accept all elements of the field, not only those below 2^254.
    #[arg(long)]
    pub elements: bool,
    /// The number of base trees of --arity, which a tree on top joins.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub subtrees: Option<u64>,
    /// Arities above the base trees, from the bottom up: 8,2 for Filecoin's 8-8-2. A single arity
    /// is repeated as often as --subtrees requires.
    #[arg(long, value_name = "ARITY", value_delimiter = ',', value_parser = parse_arity)]
    pub top_arity: Vec<usize>,
    /// Store the tree, so that leaves can be proved.
    #[arg(long, value_name = "TREE")]
    pub out: Option<PathBuf>,
    /// The number of rows above the leaves that are not stored.
    #[arg(long, value_name = "N", requires = "out")]
    pub discard_rows: Option<usize>,
    /// Store the leaves as well.
    #[arg(long, requires = "out", conflicts_with = "discard_rows")]
    pub keep_leaves: bool,
    /// The strength of the instance: how many partial rounds.
    #[arg(long, value_enum)]
    pub strength: Option<StrengthName>,
    /// The device.
    #[command(flatten)]
    pub device: DeviceOptions,
}

/// `halimede poseidon prove`
#[derive(Args, Debug)]
pub struct ProveOptions {
    /// The file of the stored tree.
    #[arg(long, value_name = "TREE")]
    pub tree: PathBuf,
    /// The file of the leaves; required unless the tree stores them.
    #[arg(long, value_name = "FILE", conflicts_with = "columns")]
    pub leaves: Option<PathBuf>,
    /// The layers, in the same order as for `tree`.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub columns: Vec<PathBuf>,
    /// The index of the leaf, from 0.
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
    /// The expected index of the leaf.
    #[arg(long, value_name = "I")]
    pub index: Option<u64>,
    /// The expected number of leaves of the tree.
    #[arg(long, value_name = "N")]
    pub leaf_count: Option<u64>,
}

fn parse_arity(text: &str) -> Result<usize, String> {
    let arity = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    Hasher::new(arity, Strength::Standard, HashType::MerkleTree)
        .map(|hasher| hasher.arity())
        .map_err(|error| error.to_string())
}
