// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The references of rows to pairs of rows of the level below, down to the leaves.

/// For each level above the leaves, the two rows below each row.
#[derive(Default)]
pub(super) struct References {
    levels: Vec<Vec<[u32; 2]>>,
}

impl References {
    /// Appends the references of the next level.
    pub(super) fn push(&mut self, level: Vec<[u32; 2]>) {
        self.levels.push(level);
    }

    /// Returns the leaves below these rows of the highest level, in the order of the tree.
    pub(super) fn leaves(&self, rows: &[u32]) -> Vec<u32> {
        let mut leaves = Vec::with_capacity(rows.len() << self.levels.len());
        leaves.extend_from_slice(rows);
        for level in self.levels.iter().rev() {
            let rows = leaves.len();
            leaves.resize(2 * rows, 0);
            // From the end, so that no entry is overwritten before it is read.
            for row in (0..rows).rev() {
                let pair = level[leaves[row] as usize];
                leaves[2 * row..2 * row + 2].copy_from_slice(&pair);
            }
        }
        leaves
    }

    /// Returns `true` if no leaf is below both of these rows of the highest level, or twice below
    /// one.
    pub(super) fn are_distinct(&self, rows: [u32; 2]) -> bool {
        let mut leaves = self.leaves(&rows);
        leaves.sort_unstable();
        leaves.windows(2).all(|pair| pair[0] != pair[1])
    }
}

/// Orders a tree's leaves so that at each node the left subtree has the smaller first leaf, which
/// is the only valid order of a solution.
pub(super) fn put_in_order(leaves: &mut [u32]) {
    let mut half = 1;
    while half < leaves.len() {
        for node in leaves.chunks_exact_mut(2 * half) {
            let (left, right) = node.split_at_mut(half);
            if left[0] > right[0] {
                left.swap_with_slice(right);
            }
        }
        half *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_come_in_the_order_of_the_tree() {
        let mut references = References::default();
        assert_eq!(references.leaves(&[3, 1]), [3, 1]);
        references.push(vec![[0, 1], [2, 3], [4, 7], [0, 5]]);
        references.push(vec![[1, 0], [2, 3], [0, 3]]);
        assert_eq!(references.leaves(&[1, 0]), [4, 7, 0, 5, 2, 3, 0, 1]);
        assert!(!references.are_distinct([0, 1]) && !references.are_distinct([2, 2]));
        references.push(vec![[1, 2]]);
        assert_eq!(references.leaves(&[0]), [4, 7, 0, 5, 0, 1, 0, 5]);
    }

    #[test]
    fn disjoint_rows_are_told_from_others() {
        let mut references = References::default();
        assert!(references.are_distinct([0, 1]) && !references.are_distinct([1, 1]));
        references.push(vec![[0, 1], [2, 3], [1, 4]]);
        assert!(references.are_distinct([0, 1]) && references.are_distinct([1, 2]));
        assert!(!references.are_distinct([0, 2]));
    }

    #[test]
    fn trees_are_turned_at_every_node() {
        let mut leaves = [7, 2, 9, 3, 8, 1, 6, 5];
        put_in_order(&mut leaves);
        assert_eq!(leaves, [1, 8, 5, 6, 2, 7, 3, 9]);
        let before = leaves;
        put_in_order(&mut leaves);
        assert_eq!(leaves, before);
    }
}
