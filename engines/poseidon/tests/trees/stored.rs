// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Stored trees: their rows, errors on opening, and proofs from them.

use std::io::Cursor;

use crate::common::{elements, random_leaves, rows, Processor, Trickle};
use halimede_arith::Fr;
use halimede_poseidon::tree::{
    ByteLeaves, Layout, LeafRule, Proof, Shape, Tree, TreeBuilder, TreeError, TreeWriter,
    HEADER_BYTES,
};
use halimede_poseidon::Strength;
use proptest::prelude::*;

type Stored = Tree<Cursor<Vec<u8>>>;

fn stored(shape: &Shape, first_row: usize, leaves: &[u8], strength: Strength) -> Stored {
    let layout = Layout::new(shape.clone(), strength).first_row(first_row).unwrap();
    let writer = TreeWriter::new(Cursor::new(Vec::new()), layout);
    let mut tree = TreeBuilder::storing(&Processor, writer).unwrap();
    tree.read(Trickle(leaves, 3), |_| ()).unwrap();
    tree.finish_tree().unwrap()
}

fn byte_leaves(bytes: &[u8]) -> ByteLeaves<Cursor<&[u8]>> {
    ByteLeaves::open(Cursor::new(bytes), LeafRule::SectorBytes).unwrap()
}

/// The expected path of a leaf, from the tree hashed level by level.
fn expected_proof(rows: &[Vec<Fr>], shape: &Shape, index: u64) -> Vec<(usize, Vec<Fr>)> {
    let mut node = index as usize;
    let step = |(row, &arity): (usize, &usize)| {
        let position = node % arity;
        let mut group = rows[row][node - position..][..arity].to_vec();
        group.remove(position);
        node /= arity;
        (position, group)
    };
    shape.arities().iter().enumerate().map(step).collect()
}

fn parts(proof: &Proof) -> Vec<(usize, Vec<Fr>)> {
    proof.path().iter().map(|step| (step.position, step.siblings.clone())).collect()
}

#[test]
fn rows_and_proofs_are_those_of_the_tree_hashed_level_by_level() {
    let shapes = [
        Shape::uniform(8, 64).unwrap(),
        Shape::uniform(2, 16).unwrap(),
        Shape::uniform(11, 11).unwrap(),
        Shape::joined(8, 8, &[8, 2]).unwrap(),
        Shape::joined(2, 4, &[4, 8]).unwrap(),
    ];
    for (seed, shape) in shapes.iter().enumerate() {
        let strength = [Strength::Standard, Strength::Strengthened][seed % 2];
        let bytes = random_leaves(shape.leaves() as usize, seed as u64);
        let rows = rows(elements(&bytes), shape, strength);
        for first_row in 0..=shape.root_row() {
            let mut tree = stored(shape, first_row, &bytes, strength);
            assert_eq!(tree.root(), rows[shape.root_row()][0]);
            for (row, nodes) in rows.iter().enumerate() {
                match tree.nodes(row, 0, nodes.len()) {
                    Ok(stored) => assert_eq!(stored, *nodes),
                    Err(error) => assert!(row < first_row, "row {row}: {error}"),
                }
            }
            for index in [0, 1, shape.leaves() / 2 + 1, shape.leaves() - 1] {
                let proof = tree.proof_with(&Processor, &mut byte_leaves(&bytes), index).unwrap();
                assert_eq!(parts(&proof), expected_proof(&rows, shape, index));
                assert_eq!(proof.leaf(), rows[0][index as usize]);
                assert_eq!((proof.leaf_index(), proof.leaves()), (index, shape.leaves()));
                proof.verify(&tree.root()).unwrap();
                match tree.proof(index) {
                    Ok(without_leaves) => assert_eq!(without_leaves, proof),
                    Err(error) => {
                        assert!(matches!(error, TreeError::Row { row: 0, .. }) && first_row > 0);
                    }
                }
            }
        }
    }
}

#[test]
fn batches_land_in_their_rows() {
    // More than one batch of arity 2, so that rows are written in pieces.
    let shape = Shape::uniform(2, 1 << 16).unwrap();
    let bytes = random_leaves(1 << 16, 20);
    let mut tree = stored(&shape, 0, &bytes, Strength::Standard);
    assert_eq!(tree.nodes(0, 0, 1 << 16).unwrap(), elements(&bytes));
    for index in [0, 1 << 14, 54_321, (1 << 16) - 1] {
        tree.proof(index).unwrap().verify(&tree.root()).unwrap();
    }
    // Everything except the root is recomputed.
    let mut top = stored(&shape, 16, &bytes, Strength::Standard);
    let again = top.proof_with(&Processor, &mut byte_leaves(&bytes), 54_321).unwrap();
    assert_eq!(again, tree.proof(54_321).unwrap());
}

#[test]
fn a_file_holds_what_memory_holds() {
    let shape = Shape::joined(4, 16, &[2]).unwrap();
    let bytes = random_leaves(32, 21);
    let layout = Layout::new(shape.clone(), Strength::Standard);
    let file = tempfile::tempfile().unwrap();
    let mut tree = TreeBuilder::storing(&Processor, TreeWriter::new(file, layout)).unwrap();
    tree.push_bytes(&bytes).unwrap();
    let mut on_disk = tree.finish_tree().unwrap();
    let mut in_memory = stored(&shape, 1, &bytes, Strength::Standard);
    let mut leaves = byte_leaves(&bytes);
    assert_eq!(
        on_disk.proof_with(&Processor, &mut leaves, 9).unwrap(),
        in_memory.proof_with(&Processor, &mut leaves, 9).unwrap()
    );
    let mut file = on_disk.into_inner();
    std::io::Seek::rewind(&mut file).unwrap();
    let mut content = Vec::new();
    std::io::Read::read_to_end(&mut file, &mut content).unwrap();
    assert_eq!(content, in_memory.into_inner().into_inner());
}

#[test]
fn a_tree_without_its_header_is_unfinished() {
    let shape = Shape::uniform(8, 64).unwrap();
    let bytes = random_leaves(64, 22);
    let mut content = Vec::new();
    let layout = Layout::new(shape, Strength::Standard);
    let writer = TreeWriter::new(Cursor::new(&mut content), layout.clone());
    let keeper =
        TreeBuilder::shaped(&Processor, layout.shape().clone(), Strength::Standard, writer);
    let mut tree = keeper.unwrap();
    tree.push_bytes(&bytes).unwrap();
    let (_, writer) = tree.finish_kept().unwrap();
    drop(writer); // all rows are written, but `finish` was not called
    assert_eq!(content.len() as u64, layout.bytes());
    let error = Tree::open(Cursor::new(content)).unwrap_err();
    assert!(error.to_string().contains("was interrupted"), "{error}");
    let empty = TreeWriter::new(Cursor::new(Vec::new()), layout);
    assert!(empty.finish().unwrap_err().to_string().contains("row 1 is not complete"));
}

#[test]
fn truncated_lengthened_and_foreign_files_are_refused() {
    let shape = Shape::uniform(2, 8).unwrap();
    let bytes = random_leaves(8, 23);
    let content = stored(&shape, 1, &bytes, Strength::Standard).into_inner().into_inner();
    for length in 0..content.len() {
        let error = Tree::open(Cursor::new(&content[..length])).unwrap_err();
        match error {
            TreeError::Header { .. } => assert!(length < HEADER_BYTES, "{length}: {error}"),
            TreeError::Length { got, expected } => {
                assert_eq!((got, expected), (length as u64, content.len() as u64));
            }
            other => panic!("{length}: {other}"),
        }
    }
    let longer = [&content[..], &[0]].concat();
    assert!(matches!(Tree::open(Cursor::new(longer)), Err(TreeError::Length { .. })));
    for foreign in [&bytes[..], &[0; 4096], b"not a tree"] {
        assert!(matches!(Tree::open(Cursor::new(foreign)), Err(TreeError::Header { .. })));
    }
}

/// Returns `true` if every leaf's proof from this file proves that leaf under the true root.
fn all_leaves_proved(content: &[u8], leaves: &[u8], root: &Fr) -> bool {
    let Ok(mut tree) = Tree::open(Cursor::new(content)) else { return false };
    let elements = elements(leaves);
    (0..elements.len()).all(|index| {
        let proof = tree.proof_with(&Processor, &mut byte_leaves(leaves), index as u64);
        proof.is_ok_and(|proof| {
            proof.verify(root).is_ok()
                && proof.leaf() == elements[index]
                && proof.leaves() == elements.len() as u64
        })
    })
}

#[test]
fn a_changed_byte_of_a_stored_tree_is_seen_by_some_proof() {
    let shape = Shape::joined(2, 2, &[4]).unwrap();
    let leaves = random_leaves(8, 24);
    for first_row in [0, 1, 2] {
        let tree = stored(&shape, first_row, &leaves, Strength::Standard);
        let root = tree.root();
        let content = tree.into_inner().into_inner();
        assert!(all_leaves_proved(&content, &leaves, &root));
        for place in 0..content.len() {
            let mut changed = content.clone();
            changed[place] ^= 1 << (place % 8);
            assert!(!all_leaves_proved(&changed, &leaves, &root), "byte {place}");
        }
    }
}

#[test]
fn changed_leaves_are_not_proved() {
    let shape = Shape::uniform(2, 8).unwrap();
    let leaves = random_leaves(8, 25);
    for first_row in 0..=3 {
        let mut tree = stored(&shape, first_row, &leaves, Strength::Standard);
        for place in 0..leaves.len() {
            let mut changed = leaves.clone();
            changed[place] ^= 1;
            let index = (place / 32) as u64;
            let error = tree.proof_with(&Processor, &mut byte_leaves(&changed), index).unwrap_err();
            assert!(matches!(error, TreeError::OtherLeaves { .. }), "{error}");
        }
    }
}

#[test]
fn leaves_of_another_number_or_rule_are_refused() {
    let shape = Shape::uniform(2, 8).unwrap();
    let leaves = random_leaves(9, 26);
    let mut tree = stored(&shape, 1, &leaves[..256], Strength::Standard);
    for count in [0, 7, 9] {
        let mut other = byte_leaves(&leaves[..count * 32]);
        let error = tree.proof_with(&Processor, &mut other, 0).unwrap_err();
        assert!(matches!(error, TreeError::LeafCount { expected: 8, .. }), "{error}");
    }
    for index in [8, 9, u64::MAX] {
        let mut same = byte_leaves(&leaves[..256]);
        let error = tree.proof_with(&Processor, &mut same, index).unwrap_err();
        assert!(matches!(error, TreeError::LeafIndex { leaves: 8, .. }), "{error}");
    }
    let mut bad = leaves[..256].to_vec();
    bad[5 * 32 + 31] = 0xff;
    let error = tree.proof_with(&Processor, &mut byte_leaves(&bad), 4).unwrap_err();
    assert!(matches!(error, TreeError::Leaf { offset: 160, .. }), "{error}");
    let partial = ByteLeaves::open(Cursor::new(&leaves[..33]), LeafRule::SectorBytes);
    assert!(matches!(partial, Err(TreeError::PartialLeaf { bytes: 33 })));
    assert!(matches!(tree.nodes(1, 3, 2), Err(TreeError::NodeIndex { index: 4, nodes: 4, .. })));
    assert!(Layout::new(shape, Strength::Standard).first_row(4).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Opening a file with any content ends in a tree or in an error.
    #[test]
    fn any_bytes_open_or_are_refused(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        start in any::<bool>(),
    ) {
        let shape = Shape::uniform(2, 2).unwrap();
        let mut content = Layout::new(shape, Strength::Standard).encode().to_vec();
        if !start {
            content.truncate(8);
        }
        content.extend(bytes);
        if let Ok(tree) = Tree::open(Cursor::new(&content)) {
            prop_assert_eq!(content.len() as u64, tree.layout().bytes());
        }
    }
}
