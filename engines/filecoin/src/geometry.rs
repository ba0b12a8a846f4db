// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The shapes of the trees of a sector, which follow from its size.

use halimede_poseidon::tree::{Shape, TreeError, LEAF_BYTES};

/// The number of children of a node in the base trees of tree C and tree R.
pub const BASE_ARITY: usize = 8;
/// The numbers of labels of a column.
const COLUMN_WIDTHS: [usize; 2] = [2, 11];
/// The most rows above the leaves of tree R that are not stored.
const MOST_DISCARDED_ROWS: usize = 2;

/// The layers and trees of a sector of one size.
///
/// Tree C and tree R are compound trees: base trees of arity 8, one file each, whose roots are
/// joined by levels of other arities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Geometry {
    sector_bytes: u64,
    layers: usize,
    top: &'static [usize],
}

/// Size in bytes, number of layers and arities above the base trees (`filecoin-proofs` 19,
/// `constants`).
const GEOMETRIES: [(u64, usize, &[usize]); 10] = [
    (2 << 10, 2, &[]),
    (4 << 10, 2, &[2]),
    (16 << 10, 2, &[8]),
    (32 << 10, 2, &[8, 2]),
    (8 << 20, 2, &[]),
    (16 << 20, 2, &[2]),
    (512 << 20, 2, &[]),
    (1 << 30, 2, &[2]),
    (32 << 30, 11, &[8]),
    (64 << 30, 11, &[8, 2]),
];

impl Geometry {
    /// Returns the geometry of sectors of this many bytes; `None` if no such sectors exist. Besides
    /// the five sizes of seal proofs, the sizes of tests exist: 4, 16 and 32 KiB, 16 MiB and 1 GiB.
    pub fn of_bytes(sector_bytes: u64) -> Option<Self> {
        let found = GEOMETRIES.iter().find(|(bytes, ..)| *bytes == sector_bytes);
        found.map(|&(sector_bytes, layers, top)| Self { sector_bytes, layers, top })
    }

    /// Returns the geometry with another number of layers, 2 or 11, which are the widths of columns
    /// that the second phase hashes; `None` for other numbers. Sectors of tests can have 11 layers
    /// like those of the network.
    pub fn with_layers(self, layers: usize) -> Option<Self> {
        COLUMN_WIDTHS.contains(&layers).then_some(Self { layers, ..self })
    }

    /// The length of the sector in bytes.
    pub fn sector_bytes(&self) -> u64 {
        self.sector_bytes
    }

    /// The number of layers of labels: 2 or 11.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// The number of nodes of 32 bytes of the sector, and of labels of a layer.
    pub fn nodes(&self) -> u64 {
        self.sector_bytes / LEAF_BYTES as u64
    }

    /// The number of nodes of tree D, a binary tree whose leaves are the data.
    pub fn tree_d_nodes(&self) -> u64 {
        2 * self.nodes() - 1
    }

    /// The number of base trees of tree C and of tree R: 1, 2, 8 or 16.
    pub fn base_trees(&self) -> usize {
        self.top.iter().product()
    }

    /// The arities above the base trees, from the bottom up.
    pub fn top_arities(&self) -> &'static [usize] {
        self.top
    }

    /// The number of leaves of a base tree.
    pub fn base_leaves(&self) -> u64 {
        self.nodes() / self.base_trees() as u64
    }

    /// The length of the leaves of a base tree in bytes.
    pub fn base_bytes(&self) -> u64 {
        self.base_leaves() * LEAF_BYTES as u64
    }

    /// The number of nodes of a base tree, including its leaves.
    pub fn base_nodes(&self) -> u64 {
        (BASE_ARITY as u64 * self.base_leaves() - 1) / (BASE_ARITY as u64 - 1)
    }

    /// The number of rows above the leaves of tree R that are not stored.
    pub fn discarded_rows(&self) -> usize {
        // The leaves and the root are not counted: the root is always stored.
        let inner_rows = self.base_leaves().ilog(BASE_ARITY as u64) as usize - 1;
        inner_rows.min(MOST_DISCARDED_ROWS)
    }

    /// The lowest row of tree R that is stored; row 0 are the leaves, the nodes of the replica.
    pub fn first_row_of_tree_r(&self) -> usize {
        self.discarded_rows() + 1
    }

    /// The shape of a base tree.
    ///
    /// # Errors
    /// None for the geometries of this crate.
    pub fn base_shape(&self) -> Result<Shape, TreeError> {
        Shape::uniform(BASE_ARITY, self.base_leaves())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_base_tree_is_full_and_the_sizes_are_those_of_the_network() {
        for (bytes, layers, top) in GEOMETRIES {
            let geometry = Geometry::of_bytes(bytes).unwrap();
            assert_eq!((geometry.layers(), geometry.top_arities()), (layers, top));
            let shape = geometry.base_shape().unwrap();
            let nodes: u64 = (0..=shape.root_row()).map(|row| shape.row_nodes(row)).sum();
            assert_eq!(nodes, geometry.base_nodes(), "{bytes}");
            assert_eq!(shape.leaves() * geometry.base_trees() as u64 * 32, bytes);
        }
        let large = Geometry::of_bytes(32 << 30).unwrap();
        assert_eq!((large.base_trees(), large.base_nodes()), (8, 153_391_689));
        assert_eq!((large.discarded_rows(), large.tree_d_nodes()), (2, (1 << 31) - 1));
        assert_eq!(Geometry::of_bytes(2 << 10).unwrap().discarded_rows(), 1);
        for bytes in [0, 32, 2047, 2049, 8 << 10, 1 << 36 << 1, u64::MAX] {
            assert_eq!(Geometry::of_bytes(bytes), None);
        }
    }
}
