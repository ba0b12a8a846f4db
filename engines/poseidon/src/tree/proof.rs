// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs that a leaf is in a tree, for a verifier that knows the root.

use halimede_arith::field::FieldError;
use halimede_arith::Fr;

use super::layout::LeafKind;
use super::MAX_LEVELS;
use crate::filecoin::{HashType, Hasher, PreimageError};
use crate::instance::Strength;

/// One level of a path: the node's siblings in order, and the position of the node among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node's position in its group, from 0.
    pub position: usize,
    /// The other nodes of the group: one fewer than the level's arity.
    pub siblings: Vec<Fr>,
}

/// A proof that a leaf is in a tree: the siblings on its way to the root.
///
/// A proof shows only that the leaf hashes to the root in this number of levels: a node above the
/// leaves has a shorter proof of the same kind. A verifier that knows the number of leaves should
/// compare it with [`Proof::leaves`], which rules that out.
///
/// With the feature `serde`, a proof is serialized as below and read back. Elements are `0x` and 64
/// lower-case digits, so a proof has only one spelling; `column` is absent if leaves are not hashes
/// of columns.
///
/// ```json
/// { "format": "halimede-poseidon-proof-1", "strength": "standard", "leaf_index": 5,
///   "leaf": "0x…", "column": ["0x…"], "path": [{ "position": 5, "siblings": ["0x…"] }],
///   "root": "0x…" }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    strength: Strength,
    leaf: Fr,
    column: Vec<Fr>,
    path: Vec<Step>,
    root: Fr,
}

/// Why the parts of a proof are rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The path is empty or too long.
    #[error("a path must have 1 to {MAX_LEVELS} levels, got {got}")]
    Levels {
        /// The number of levels given.
        got: usize,
    },
    /// No hash supports this number of siblings.
    #[error("level {level} of the path has {siblings} siblings: {source}")]
    Siblings {
        /// The index of the level, from 0 at the leaf.
        level: usize,
        /// The number of siblings given.
        siblings: usize,
        /// The reason.
        source: PreimageError,
    },
    /// A position lies outside its group.
    #[error("level {level} of the path has position {position} in a group of {arity}")]
    Position {
        /// The index of the level, from 0 at the leaf.
        level: usize,
        /// The given position.
        position: usize,
        /// The size of the group.
        arity: usize,
    },
    /// The path belongs to a tree with more than 2⁶⁴ leaves.
    #[error("the path belongs to a tree with more than 2^64 leaves")]
    TooManyLeaves,
    /// No hash supports columns of this number of labels.
    #[error("the column: {0}")]
    Column(PreimageError),
    /// The leaf index contradicts the positions of the path.
    #[error("leaf_index is {got}, but the positions are those of leaf {expected}")]
    Index {
        /// The given index.
        got: u64,
        /// The index that follows from the positions.
        expected: u64,
    },
    /// An element is not a valid field element.
    #[error("{place}: {source}")]
    Element {
        /// The location of the element in the document.
        place: String,
        /// The reason.
        source: FieldError,
    },
    /// An element is not written as `0x` and 64 lower-case digits.
    #[error("{place}: expected 0x and 64 lower-case digits, got {got:?}")]
    Spelling {
        /// The location of the element in the document.
        place: String,
        /// The text, truncated if it is long.
        got: String,
    },
    /// The document has another format or version.
    #[error("format is {got:?}, expected {expected:?}")]
    Format {
        /// The given value.
        got: String,
        /// The version that this library reads.
        expected: &'static str,
    },
    /// The strength is unknown.
    #[error("unknown strength {got:?}, expected \"standard\" or \"strengthened\"")]
    Strength {
        /// The given value.
        got: String,
    },
}

/// Why a proof is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// The proof is for another root.
    #[error("the proof is for the root {stated}, not for {wanted}")]
    OtherRoot {
        /// The root stated in the proof.
        stated: Fr,
        /// The root that was to be proved.
        wanted: Fr,
    },
    /// The leaf does not hash to the root.
    #[error("the leaf and its siblings hash to {computed}, not to the root {root}")]
    WrongPath {
        /// The root that the path hashes to.
        computed: Fr,
        /// The expected root.
        root: Fr,
    },
    /// The column does not hash to the leaf.
    #[error("the column hashes to {computed}, not to the leaf {leaf}")]
    WrongColumn {
        /// The hash of the column.
        computed: Fr,
        /// The leaf.
        leaf: Fr,
    },
}

impl Proof {
    /// Assembles a proof from its parts; `column` is empty if leaves are not hashes of columns. Use
    /// [`Self::verify`] to check the proof.
    ///
    /// # Errors
    /// Any [`ProofError`] except those of its text form.
    pub fn new(
        strength: Strength,
        leaf: Fr,
        column: Vec<Fr>,
        path: Vec<Step>,
        root: Fr,
    ) -> Result<Self, ProofError> {
        if !(1..=MAX_LEVELS).contains(&path.len()) {
            return Err(ProofError::Levels { got: path.len() });
        }
        let mut leaves = 1u64;
        for (level, step) in path.iter().enumerate() {
            let siblings = step.siblings.len();
            let hasher = step_hasher(step, strength).map_err(|source| ProofError::Siblings {
                level,
                siblings,
                source,
            })?;
            let (position, arity) = (step.position, hasher.arity());
            if position >= arity {
                return Err(ProofError::Position { level, position, arity });
            }
            leaves = leaves.checked_mul(arity as u64).ok_or(ProofError::TooManyLeaves)?;
        }
        if !column.is_empty() {
            LeafKind::Columns(column.len()).hasher(strength).map_err(ProofError::Column)?;
        }
        Ok(Self { strength, leaf, column, path, root })
    }

    /// Verifies that the leaf is in the tree with this root, and that the column, if present,
    /// hashes to the leaf.
    ///
    /// # Errors
    /// [`Invalid`] if the proof does not hold.
    pub fn verify(&self, root: &Fr) -> Result<(), Invalid> {
        if self.root != *root {
            return Err(Invalid::OtherRoot { stated: self.root, wanted: *root });
        }
        if !self.column.is_empty() {
            let computed = self.hash(&self.column);
            if computed != self.leaf {
                return Err(Invalid::WrongColumn { computed, leaf: self.leaf });
            }
        }
        let computed = self.path.iter().fold(self.leaf, |node, step| {
            let (before, after) = step.siblings.split_at(step.position);
            self.hash(&[before, &[node], after].concat())
        });
        if computed != *root {
            return Err(Invalid::WrongPath { computed, root: *root });
        }
        Ok(())
    }

    /// Hashes these elements; [`Self::new`] has checked that a hasher exists.
    fn hash(&self, elements: &[Fr]) -> Fr {
        let hasher = Hasher::new(elements.len(), self.strength, HashType::MerkleTree);
        let digest = hasher.and_then(|hasher| hasher.hash(elements));
        assert!(digest.is_ok(), "a proof of parts without a hash: {digest:?}");
        digest.unwrap_or_default()
    }

    /// The strength of the hash.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// The leaf.
    pub fn leaf(&self) -> Fr {
        self.leaf
    }

    /// The labels whose hash is the leaf; empty if leaves are not hashes of columns.
    pub fn column(&self) -> &[Fr] {
        &self.column
    }

    /// The path, from the leaf up.
    pub fn path(&self) -> &[Step] {
        &self.path
    }

    /// The root that the proof is for.
    pub fn root(&self) -> Fr {
        self.root
    }

    /// The index of the leaf, from 0, computed from the positions of the path.
    pub fn leaf_index(&self) -> u64 {
        let place = |(index, nodes): (u64, u64), step: &Step| {
            (index + nodes * step.position as u64, nodes * (step.siblings.len() as u64 + 1))
        };
        self.path.iter().fold((0, 1), place).0
    }

    /// The number of leaves of a tree with paths of this shape.
    pub fn leaves(&self) -> u64 {
        self.path.iter().map(|step| step.siblings.len() as u64 + 1).product()
    }
}

fn step_hasher(step: &Step, strength: Strength) -> Result<Hasher, PreimageError> {
    Hasher::new(step.siblings.len() + 1, strength, HashType::MerkleTree)
}
