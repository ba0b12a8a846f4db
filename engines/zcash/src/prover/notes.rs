// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tree of note commitments that has only given notes.

use incrementalmerkletree::{Hashable, Level, Position};
use sapling_crypto::{Anchor, MerklePath, Node, Note, NOTE_COMMITMENT_TREE_DEPTH};

/// A tree whose first leaves are given notes. The other leaves are empty.
pub struct NoteTree {
    /// The nodes that are not empty: the leaves first, the root last.
    rows: Vec<Vec<Node>>,
}

/// The node of a tree without notes at this level.
fn empty_root(level: usize) -> Node {
    Node::empty_root(Level::from(level as u8))
}

impl NoteTree {
    /// Computes the tree.
    pub fn new(notes: &[Note]) -> Self {
        let mut rows: Vec<Vec<Node>> =
            vec![notes.iter().map(|note| Node::from_cmu(&note.cmu())).collect()];
        for level in 0..usize::from(NOTE_COMMITMENT_TREE_DEPTH) {
            let pairs = rows[level].chunks(2);
            let combine = |pair: &[Node]| {
                let right = pair.get(1).copied().unwrap_or_else(|| empty_root(level));
                Node::combine(Level::from(level as u8), &pair[0], &right)
            };
            let row = pairs.map(combine).collect();
            rows.push(row);
        }
        Self { rows }
    }

    /// The root. It is that of an empty tree if the tree has no notes.
    pub fn anchor(&self) -> Anchor {
        let root = self.rows.last().and_then(|row| row.first()).copied();
        root.unwrap_or_else(|| empty_root(self.rows.len() - 1)).into()
    }

    /// The path of a note by its index; `None` if the tree does not have it.
    pub fn path(&self, index: usize) -> Option<MerklePath> {
        self.rows[0].get(index)?;
        let sibling = |level: usize| {
            let row = &self.rows[level];
            row.get((index >> level) ^ 1).copied().unwrap_or_else(|| empty_root(level))
        };
        let path = (0..usize::from(NOTE_COMMITMENT_TREE_DEPTH)).map(sibling).collect();
        MerklePath::from_parts(path, Position::from(index as u64)).ok()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use sapling_crypto::value::NoteValue;
    use sapling_crypto::zip32::ExtendedSpendingKey;
    use sapling_crypto::{CommitmentTree, IncrementalWitness, Rseed};

    use super::*;

    #[test]
    fn roots_and_paths_are_those_of_the_incremental_tree() {
        let mut random = ChaCha8Rng::seed_from_u64(0x7ee);
        let address = ExtendedSpendingKey::master(&[1; 32]).unwrap().default_address().1;
        assert_eq!(NoteTree::new(&[]).anchor(), Anchor::empty_tree());
        for count in [1, 2, 3, 5, 8] {
            let notes: Vec<_> = (0..count)
                .map(|value| {
                    let seed = Rseed::AfterZip212(random.gen());
                    address.create_note(NoteValue::from_raw(value), seed)
                })
                .collect();
            let tree = NoteTree::new(&notes);
            for index in 0..notes.len() {
                let mut peer = CommitmentTree::empty();
                for note in &notes[..=index] {
                    peer.append(Node::from_cmu(&note.cmu())).unwrap();
                }
                let mut witness = IncrementalWitness::from_tree(peer).unwrap();
                for note in &notes[index + 1..] {
                    witness.append(Node::from_cmu(&note.cmu())).unwrap();
                }
                assert_eq!(tree.path(index), witness.path());
                assert_eq!(tree.anchor(), Anchor::from(witness.root()));
            }
            assert_eq!(tree.path(notes.len()), None);
        }
    }
}
