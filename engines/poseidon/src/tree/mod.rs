// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Full Merkle trees over Filecoin's hash, on any device.
//!
//! - [`TreeBuilder`] streams leaves to a root; a [`Keep`] next to it takes the rows as they arrive:
//!   a [`TreeWriter`] stores them in memory or in a file.
//! - [`ColumnTreeBuilder`]: the leaves are hashes of columns, cut from layers of labels.
//! - [`Shape`]: the arities of the levels, for compound trees such as Filecoin's 8-8-2.
//! - [`Tree`] opens a stored tree and proves that a leaf is in it; anyone who knows the root can
//!   check the [`Proof`].
//!
//! Each level keeps only nodes that are not hashed yet, at most the children of one batch, so
//! memory grows with the depth of the tree and not with the input.

mod builder;
mod columns;
mod error;
mod hashing;
mod keep;
mod layout;
mod leaf;
mod leaves;
mod proof;
#[cfg(feature = "serde")]
mod proof_text;
mod prove;
mod read_ahead;
mod shape;
mod stored;
mod writer;

pub use builder::TreeBuilder;
pub use columns::ColumnTreeBuilder;
pub use error::{Progress, TreeError};
pub use keep::{Keep, Nothing};
pub use layout::{Layout, LeafKind, HEADER_BYTES, MAGIC};
pub use leaf::{LeafRule, LEAF_BYTES};
pub use leaves::{ByteLeaves, ColumnLeaves, Leaves};
pub use proof::{Invalid, Proof, ProofError, Step};
pub use shape::{leaves_of_length, require_full, require_full_length, Shape};
pub use stored::Tree;
pub use writer::TreeWriter;

use std::io::Read;

use halimede_arith::job::Execute;
use halimede_arith::Fr;

use crate::operations::FilecoinHash;

/// The largest number of levels of hashes: 2⁶⁴ leaves of arity 2.
pub const MAX_LEVELS: usize = 64;
/// The number of nodes per batch: enough to fill the device, few enough to fit in its cache.
const BATCH_NODES: usize = 8192;

/// Returns the root of the leaves that a reader supplies; `progress` is called with the number of
/// bytes read so far.
///
/// # Errors
/// Any [`TreeError`].
pub fn root<D: Execute<FilecoinHash>, K: Keep>(
    mut tree: TreeBuilder<'_, D, K>,
    input: impl Read + Send,
    progress: impl FnMut(u64),
) -> Result<Fr, TreeError> {
    tree.read(input, progress)?;
    tree.finish()
}
