// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The division of tree C and tree R into subtrees.

use halimede_poseidon::tree::{Shape, TreeError, LEAF_BYTES};

use crate::aux_files::{TREE_C, TREE_R};
use crate::base_tree::StoredRows;
use crate::geometry::{Geometry, BASE_ARITY};
use crate::journal::MOST_PARTS;

/// The steps whose parts can be computed in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Columns and tree C.
    TreeC,
    /// The replica and tree R.
    Replica,
}

impl Stage {
    /// The identifier of the tree in names of files.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::TreeC => TREE_C,
            Self::Replica => TREE_R,
        }
    }

    /// The rows that the files of the tree have.
    pub(super) fn rows(self, geometry: &Geometry) -> Result<StoredRows, TreeError> {
        let first_row = match self {
            Self::TreeC => 0,
            Self::Replica => geometry.first_row_of_tree_r(),
        };
        Ok(StoredRows::new(&geometry.base_shape()?, first_row))
    }
}

/// Subtrees of equally many leaves, numbered from the first leaf of the sector on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    geometry: Geometry,
    height: usize,
}

impl Parts {
    /// Chooses the largest subtrees that have at most `most_bytes` of leaves, and at least one row
    /// above them. They have more if there would be too many parts.
    pub fn of(geometry: Geometry, most_bytes: u64) -> Self {
        let mut parts = Self { geometry, height: 1 };
        while parts.height < parts.most_height()
            && (parts.leaf_bytes() * BASE_ARITY as u64 <= most_bytes || parts.count() > MOST_PARTS)
        {
            parts.height += 1;
        }
        parts
    }

    /// The subtrees of this height; `None` for a height outside of the tree, or too many subtrees.
    pub fn of_height(geometry: Geometry, height: usize) -> Option<Self> {
        let parts = Self { geometry, height };
        let is_one = (1..=parts.most_height()).contains(&height) && parts.count() <= MOST_PARTS;
        is_one.then_some(parts)
    }

    fn most_height(&self) -> usize {
        self.geometry.base_leaves().ilog(BASE_ARITY as u64) as usize
    }

    /// The row of the roots in a base tree.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The length of the leaves of a part in bytes.
    pub fn leaf_bytes(&self) -> u64 {
        (BASE_ARITY as u64).pow(self.height as u32) * LEAF_BYTES as u64
    }

    /// The number of parts.
    pub fn count(&self) -> u64 {
        self.geometry.sector_bytes() / self.leaf_bytes()
    }

    /// The number of parts of a base tree.
    pub fn per_base_tree(&self) -> u64 {
        self.geometry.base_bytes() / self.leaf_bytes()
    }

    /// The base tree of a part, and its number in this tree.
    pub fn place(&self, part: u64) -> (usize, u64) {
        ((part / self.per_base_tree()) as usize, part % self.per_base_tree())
    }

    /// The shape of a part.
    pub fn shape(&self) -> Result<Shape, TreeError> {
        Shape::uniform(BASE_ARITY, self.leaf_bytes() / LEAF_BYTES as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_sector_within_their_bounds() {
        for bytes in [2 << 10, 4 << 10, 16 << 10, 8 << 20, 512 << 20, 32 << 30, 64u64 << 30] {
            let geometry = Geometry::of_bytes(bytes).unwrap();
            for most_bytes in [0, 256, 2048, 1 << 20, 64 << 20, u64::MAX / 16] {
                let parts = Parts::of(geometry, most_bytes);
                assert_eq!(Parts::of_height(geometry, parts.height()), Some(parts));
                assert_eq!(parts.count() * parts.leaf_bytes(), bytes);
                assert!(parts.count() <= MOST_PARTS);
                let last = parts.place(parts.count() - 1);
                assert_eq!(last, (geometry.base_trees() - 1, parts.per_base_tree() - 1));
                let is_smallest = parts.height() == 1 || bytes >> 12 >= parts.leaf_bytes() / 8;
                assert!(parts.leaf_bytes() <= most_bytes || is_smallest, "{bytes} {most_bytes}");
            }
            assert_eq!(Parts::of_height(geometry, 0), None);
            assert_eq!(Parts::of_height(geometry, 12), None);
        }
        let large = Parts::of(Geometry::of_bytes(32 << 30).unwrap(), 64 << 20);
        assert_eq!((large.height(), large.count(), large.per_base_tree()), (7, 512, 64));
        assert_eq!(Parts::of_height(Geometry::of_bytes(32 << 30).unwrap(), 2), None);
    }
}
