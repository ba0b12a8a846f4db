// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Consumers of the rows of a tree while it is built.

use halimede_arith::Fr;

/// Receives the nodes of every row, in order within the row; rows interleave.
pub trait Keep {
    /// Receives the next nodes of a row; row 0 is the leaves.
    ///
    /// # Errors
    /// Any error of storing the nodes; building the tree then fails.
    fn keep(&mut self, row: usize, nodes: &[Fr]) -> std::io::Result<()>;
}

/// Keeps nothing, for a tree of which only the root is needed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nothing;

impl Keep for Nothing {
    fn keep(&mut self, _row: usize, _nodes: &[Fr]) -> std::io::Result<()> {
        Ok(())
    }
}

/// Keeps the groups of siblings on the path from one leaf to the root.
pub(super) struct Path {
    /// For each row below the root: the index of the group's first node, and the path's position in
    /// it.
    wanted: Vec<(u64, usize)>,
    /// The nodes of the groups received so far.
    groups: Vec<Vec<Fr>>,
    /// The number of nodes of each row received so far.
    seen: Vec<u64>,
    arities: Vec<usize>,
}

impl Path {
    /// The path of leaf `index` in a tree of these arities.
    pub(super) fn new(arities: &[usize], index: u64) -> Self {
        let mut node = index;
        let place = |&arity: &usize| {
            let position = (node % arity as u64) as usize;
            let group = node - position as u64;
            node /= arity as u64;
            (group, position)
        };
        Self {
            wanted: arities.iter().map(place).collect(),
            groups: vec![Vec::new(); arities.len()],
            seen: vec![0; arities.len()],
            arities: arities.to_vec(),
        }
    }

    /// Returns each row's group of siblings, including the node of the path, and the position of
    /// that node.
    pub(super) fn into_groups(self) -> impl Iterator<Item = (Vec<Fr>, usize)> {
        self.groups.into_iter().zip(self.wanted).map(|(group, (_, position))| (group, position))
    }
}

impl Keep for Path {
    fn keep(&mut self, row: usize, nodes: &[Fr]) -> std::io::Result<()> {
        let Some(&(group, _)) = self.wanted.get(row) else { return Ok(()) };
        let first = self.seen[row];
        let end = first + nodes.len() as u64;
        let from = group.clamp(first, end) - first;
        let to = (group + self.arities[row] as u64).clamp(first, end) - first;
        self.groups[row].extend(&nodes[from as usize..to as usize]);
        self.seen[row] = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_gathered_from_pieces_of_any_size() {
        let nodes: Vec<Fr> = (0..128).map(Fr::from).collect();
        for (index, piece) in [(0, 1), (77, 3), (127, 128), (64, 5)] {
            let mut path = Path::new(&[8, 2, 8], index);
            for (row, count) in [(0, 128), (1, 16), (2, 8), (3, 1)] {
                nodes[..count].chunks(piece).for_each(|nodes| path.keep(row, nodes).unwrap());
            }
            let at = [index, index / 8, index / 16];
            for ((group, position), (node, arity)) in
                path.into_groups().zip(at.iter().zip([8, 2, 8]))
            {
                assert_eq!(group.len(), arity);
                assert_eq!(group[position], Fr::from(*node));
                assert_eq!(group[0], Fr::from(node / arity as u64 * arity as u64));
            }
        }
    }
}
