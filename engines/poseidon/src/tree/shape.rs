// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shape of a full tree: the number of children of the nodes of each level.

use super::{TreeError, LEAF_BYTES, MAX_LEVELS};
use crate::filecoin::{HashType, Hasher};
use crate::instance::Strength;

/// The arities of a full tree's levels, from the leaves up.
///
/// Row 0 is the leaves; row k holds the hashes of groups of `arities()[k − 1]` nodes of row k − 1;
/// the last row is the root. Filecoin's compound trees are base trees of one arity whose roots are
/// joined by levels of other arities: 8-8-2 is [`Shape::joined`]`(8, n, &[8, 2])`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    arities: Vec<usize>,
    leaves: u64,
}

impl Shape {
    /// Creates the shape with these arities from the leaves up; Filecoin's hash must support each
    /// of them.
    ///
    /// # Errors
    /// [`TreeError::Levels`], [`TreeError::Arity`], or [`TreeError::TooLarge`] if the tree has more
    /// than 2⁶⁴ bytes.
    pub fn new(arities: Vec<usize>) -> Result<Self, TreeError> {
        if !(1..=MAX_LEVELS).contains(&arities.len()) {
            return Err(TreeError::Levels { got: arities.len() });
        }
        let mut leaves = 1u64;
        for &arity in &arities {
            Hasher::new(arity, Strength::Standard, HashType::MerkleTree)?;
            // All rows above the leaves together have fewer nodes than the leaves.
            leaves = leaves
                .checked_mul(arity as u64)
                .filter(|leaves| *leaves <= u64::MAX / (4 * LEAF_BYTES as u64))
                .ok_or_else(|| TreeError::TooLarge { arities: arities.clone() })?;
        }
        Ok(Self { arities, leaves })
    }

    /// Creates the shape of one arity over `leaves` leaves.
    ///
    /// # Errors
    /// [`TreeError::NotFull`] if the number of leaves is not a positive power of the arity; others
    /// as for [`Self::new`].
    pub fn uniform(arity: usize, leaves: u64) -> Result<Self, TreeError> {
        Self::new(vec![arity; full_depth(arity, leaves)?])
    }

    /// Creates the shape of a compound tree: base trees of `base_arity` over `base_leaves` leaves
    /// each, whose roots are joined by levels of the arities `top`. The product of `top` is the
    /// number of base trees.
    ///
    /// # Errors
    /// As for [`Self::uniform`].
    pub fn joined(base_arity: usize, base_leaves: u64, top: &[usize]) -> Result<Self, TreeError> {
        let mut arities = vec![base_arity; full_depth(base_arity, base_leaves)?];
        arities.extend(top);
        Self::new(arities)
    }

    /// The arities, from the leaves up.
    pub fn arities(&self) -> &[usize] {
        &self.arities
    }

    /// The number of leaves.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The row of the root: the number of levels of hashes.
    pub fn root_row(&self) -> usize {
        self.arities.len()
    }

    /// The number of leaves below one node of a row, which is at most the row of the root.
    pub fn leaves_below(&self, row: usize) -> u64 {
        self.arities.iter().take(row).map(|&arity| arity as u64).product()
    }

    /// The number of nodes of a row, which is at most the row of the root.
    pub fn row_nodes(&self, row: usize) -> u64 {
        self.leaves / self.leaves_below(row)
    }
}

/// Returns the depth of the full tree of this arity over `leaves` leaves, at least 1.
pub(super) fn full_depth(arity: usize, leaves: u64) -> Result<usize, TreeError> {
    // Also rejects the arities 0 and 1, which have no hasher.
    let step = Hasher::new(arity, Strength::Standard, HashType::MerkleTree)?.arity() as u64;
    let (mut rest, mut depth) = (leaves, 0);
    while rest > 1 && rest.is_multiple_of(step) {
        rest /= step;
        depth += 1;
    }
    if rest == 1 && depth > 0 {
        return Ok(depth);
    }
    Err(TreeError::NotFull { leaves, arity })
}

/// Rejects a number of leaves that is not a positive power of the arity.
///
/// # Errors
/// [`TreeError::NotFull`] or [`TreeError::Arity`].
pub fn require_full(leaves: u64, arity: usize) -> Result<(), TreeError> {
    full_depth(arity, leaves).map(drop)
}

/// Returns the number of leaves in `bytes` bytes.
///
/// # Errors
/// [`TreeError::PartialLeaf`].
pub fn leaves_of_length(bytes: u64) -> Result<u64, TreeError> {
    if bytes.is_multiple_of(LEAF_BYTES as u64) {
        return Ok(bytes / LEAF_BYTES as u64);
    }
    Err(TreeError::PartialLeaf { bytes })
}

/// Rejects a length that does not fit the leaves of a full tree.
///
/// # Errors
/// [`TreeError::PartialLeaf`], [`TreeError::NotFull`] or [`TreeError::Arity`].
pub fn require_full_length(bytes: u64, arity: usize) -> Result<(), TreeError> {
    require_full(leaves_of_length(bytes)?, arity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_follow_from_the_arities() {
        let shape = Shape::joined(8, 512, &[8, 2]).unwrap();
        assert_eq!((shape.arities(), shape.leaves()), (&[8, 8, 8, 8, 2][..], 8192));
        let nodes: Vec<u64> = (0..=shape.root_row()).map(|row| shape.row_nodes(row)).collect();
        assert_eq!(nodes, [8192, 1024, 128, 16, 2, 1]);
        assert_eq!((shape.leaves_below(0), shape.leaves_below(4)), (1, 4096));
        assert_eq!(Shape::uniform(11, 121).unwrap(), Shape::new(vec![11, 11]).unwrap());
    }

    #[test]
    fn shapes_that_are_none_are_refused() {
        assert!(matches!(Shape::new(vec![]), Err(TreeError::Levels { got: 0 })));
        assert!(matches!(Shape::new(vec![2; 65]), Err(TreeError::Levels { got: 65 })));
        assert!(matches!(Shape::new(vec![2; 57]), Err(TreeError::TooLarge { .. })));
        assert_eq!(Shape::new(vec![2; 56]).unwrap().leaves(), 1 << 56);
        for arity in [0, 1, 1000, usize::MAX] {
            assert!(matches!(Shape::new(vec![arity]), Err(TreeError::Arity(_))));
            assert!(matches!(require_full(64, arity), Err(TreeError::Arity(_))));
        }
        for leaves in [0, 1, 7, 9, 63, u64::MAX] {
            assert!(matches!(Shape::uniform(8, leaves), Err(TreeError::NotFull { .. })));
            assert!(matches!(Shape::joined(8, leaves, &[2]), Err(TreeError::NotFull { .. })));
        }
        assert!(matches!(leaves_of_length(65), Err(TreeError::PartialLeaf { bytes: 65 })));
    }
}
