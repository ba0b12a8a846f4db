// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Proofs that a leaf is in a tree, for whoever knows the root.

use halimede_arith::field::FieldError;
use halimede_arith::Fr;

use super::layout::LeafKind;
use super::MAX_LEVELS;
use crate::filecoin::{HashType, Hasher, PreimageError};
use crate::instance::Strength;

/// One level of a path: the node's siblings in their order, and where it stands among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The node's position in its group, from 0.
    pub position: usize,
    /// The other nodes of the group: one fewer than the level's arity.
    pub siblings: Vec<Fr>,
}

/// A proof that a leaf is in a tree: the siblings on its way to the root.
///
/// It proves no more than that the leaf hashes to the root in this many levels: a node above the
/// leaves has a shorter proof of the same kind. Whoever knows the number of leaves should compare
/// it with [`Proof::leaves`], which rules that out.
///
/// With the feature `serde` a proof is written as below and read back. Elements are `0x` and 64
/// lower-case digits, so that a proof has one spelling only; `column` is absent where leaves are
/// not hashes of columns.
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

/// Why these parts are not a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProofError {
    /// The path is empty or too long.
    #[error("a path has 1 to {MAX_LEVELS} levels, got {got}")]
    Levels {
        /// Levels given.
        got: usize,
    },
    /// A group of this many siblings has no hash.
    #[error("level {level} of the path has {siblings} siblings: {source}")]
    Siblings {
        /// Which, from 0 at the leaf.
        level: usize,
        /// Siblings given.
        siblings: usize,
        /// The fault.
        source: PreimageError,
    },
    /// A position lies outside its group.
    #[error("level {level} of the path has position {position} in a group of {arity}")]
    Position {
        /// Which, from 0 at the leaf.
        level: usize,
        /// The position given.
        position: usize,
        /// The group's size.
        arity: usize,
    },
    /// The path is that of a tree with more than 2⁶⁴ leaves.
    #[error("the path is that of a tree with more than 2^64 leaves")]
    TooManyLeaves,
    /// A column of this many labels has no hash.
    #[error("the column: {0}")]
    Column(PreimageError),
    /// The leaf's number is not that of its positions.
    #[error("leaf_index is {got}, the positions are those of leaf {expected}")]
    Index {
        /// The number given.
        got: u64,
        /// The number that the positions give.
        expected: u64,
    },
    /// Not a valid element.
    #[error("{place}: {source}")]
    Element {
        /// Where it stands.
        place: String,
        /// The fault.
        source: FieldError,
    },
    /// An element is not written as `0x` and 64 lower-case digits.
    #[error("{place}: elements are written as 0x and 64 lower-case digits, got {got:?}")]
    Spelling {
        /// Where it stands.
        place: String,
        /// The text (its beginning, where it is long).
        got: String,
    },
    /// Another format, or another version of this one.
    #[error("format is {got:?}, this is {expected:?}")]
    Format {
        /// The given value.
        got: String,
        /// The version that this library reads.
        expected: &'static str,
    },
    /// No such strength.
    #[error("unknown strength {got:?}; there are \"standard\" and \"strengthened\"")]
    Strength {
        /// The given value.
        got: String,
    },
}

/// Why a proof does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Invalid {
    /// It is made for another root.
    #[error("the proof is for the root {stated}, not for {wanted}")]
    OtherRoot {
        /// The root that stands in it.
        stated: Fr,
        /// The root it was to be for.
        wanted: Fr,
    },
    /// The leaf does not hash to the root.
    #[error("the leaf and its siblings hash to {computed}, not to the root {root}")]
    WrongPath {
        /// Where the path leads.
        computed: Fr,
        /// The root.
        root: Fr,
    },
    /// The column does not hash to the leaf.
    #[error("the column hashes to {computed}, not to the leaf {leaf}")]
    WrongColumn {
        /// The column's hash.
        computed: Fr,
        /// The leaf.
        leaf: Fr,
    },
}

impl Proof {
    /// A proof of these parts; `column` is empty where leaves are not hashes of columns. Whether
    /// it holds is for [`Self::verify`] to say.
    ///
    /// # Errors
    /// Any [`ProofError`] but those of text.
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

    /// Whether the leaf is in the tree of this root (and the column hashes to the leaf, where
    /// there is one).
    ///
    /// # Errors
    /// [`Invalid`] where it does not hold.
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

    /// The digest of this many elements; [`Self::new`] has checked that a hasher exists.
    fn hash(&self, elements: &[Fr]) -> Fr {
        let hasher = Hasher::new(elements.len(), self.strength, HashType::MerkleTree);
        let digest = hasher.and_then(|hasher| hasher.hash(elements));
        assert!(digest.is_ok(), "a proof of parts without a hash: {digest:?}");
        digest.unwrap_or_default()
    }

    /// The hash's strength.
    pub fn strength(&self) -> Strength {
        self.strength
    }

    /// The leaf.
    pub fn leaf(&self) -> Fr {
        self.leaf
    }

    /// The labels that the leaf is the hash of; none where leaves are not hashes of columns.
    pub fn column(&self) -> &[Fr] {
        &self.column
    }

    /// The path, from the leaf up.
    pub fn path(&self) -> &[Step] {
        &self.path
    }

    /// The root it is for.
    pub fn root(&self) -> Fr {
        self.root
    }

    /// The leaf's number, from 0, which its positions give.
    pub fn leaf_index(&self) -> u64 {
        let place = |(index, nodes): (u64, u64), step: &Step| {
            (index + nodes * step.position as u64, nodes * (step.siblings.len() as u64 + 1))
        };
        self.path.iter().fold((0, 1), place).0
    }

    /// Leaves of a tree of such paths.
    pub fn leaves(&self) -> u64 {
        self.path.iter().map(|step| step.siblings.len() as u64 + 1).product()
    }
}

fn step_hasher(step: &Step, strength: Strength) -> Result<Hasher, PreimageError> {
    Hasher::new(step.siblings.len() + 1, strength, HashType::MerkleTree)
}
