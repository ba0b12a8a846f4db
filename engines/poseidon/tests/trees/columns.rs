// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trees over columns: leaves hashed column by column from layers of any kind, stored and proved.

use std::io::Cursor;

use crate::common::{elements, random_leaves, rows, Processor, Trickle};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher};
use halimede_poseidon::tree::{
    ColumnLeaves, ColumnTreeBuilder, Layout, LeafKind, LeafRule, Leaves, Shape, TreeBuilder,
    TreeError, TreeWriter,
};
use halimede_poseidon::Strength;

fn layers(count: usize, labels: usize, seed: u64) -> Vec<Vec<u8>> {
    (0..count as u64).map(|layer| random_leaves(labels, seed * 1000 + layer)).collect()
}

/// The columns, stored contiguously.
fn columns(layers: &[Vec<u8>]) -> Vec<Fr> {
    let layers: Vec<Vec<Fr>> = layers.iter().map(|layer| elements(layer)).collect();
    (0..layers[0].len())
        .flat_map(|index| layers.iter().map(move |layer| layer[index]).collect::<Vec<_>>())
        .collect()
}

fn column_hashes(layers: &[Vec<u8>], strength: Strength) -> Vec<Fr> {
    let hasher = Hasher::new(layers.len(), strength, HashType::MerkleTree).unwrap();
    columns(layers).chunks(layers.len()).map(|column| hasher.hash(column).unwrap()).collect()
}

fn builder(
    labels: usize,
    shape: &Shape,
    strength: Strength,
) -> ColumnTreeBuilder<'static, Processor> {
    let tree = TreeBuilder::shaped(&Processor, shape.clone(), strength, Default::default());
    ColumnTreeBuilder::new(tree.unwrap(), labels, strength).unwrap()
}

#[test]
fn roots_are_those_of_the_columns_hashes() {
    for (labels, shape, seed) in [
        (2, Shape::uniform(8, 64).unwrap(), 1),
        (4, Shape::uniform(2, 8).unwrap(), 2),
        (8, Shape::joined(8, 8, &[8, 2]).unwrap(), 3),
        (11, Shape::uniform(8, 512).unwrap(), 4),
        // More than one batch.
        (2, Shape::uniform(2, 1 << 14).unwrap(), 5),
    ] {
        for strength in [Strength::Standard, Strength::Strengthened] {
            let layers = layers(labels, shape.leaves() as usize, seed);
            let expected = rows(column_hashes(&layers, strength), &shape, strength);
            let expected = expected.last().unwrap()[0];

            let mut tree = builder(labels, &shape, strength);
            let mut last = 0;
            let readers = layers.iter().enumerate().map(|(index, layer)| Trickle(layer, index));
            tree.read_layers(readers.collect(), |done| last = done).unwrap();
            assert_eq!(tree.finish().unwrap(), expected);
            assert_eq!(last, shape.leaves() * 32 * labels as u64);

            let mut tree = builder(labels, &shape, strength);
            for piece in columns(&layers).chunks(labels * 37) {
                tree.push_columns(piece).unwrap();
            }
            assert_eq!(tree.finish().unwrap(), expected);
        }
    }
}

#[test]
fn layers_that_do_not_fit_are_named() {
    let shape = Shape::uniform(8, 64).unwrap();
    let read = |layers: &[Vec<u8>]| {
        let mut tree = builder(11, &shape, Strength::Standard);
        tree.read_layers(layers.iter().map(|layer| &layer[..]).collect(), |_| ())?;
        tree.finish()
    };
    let good = layers(11, 64, 6);
    read(&good).unwrap();
    let error = read(&good[..10]).unwrap_err();
    assert!(matches!(error, TreeError::LayerCount { got: 10, expected: 11 }), "{error}");
    for (layer, bytes) in [(0, 0), (3, 63 * 32), (10, 32)] {
        let mut short = good.clone();
        short[layer].truncate(bytes);
        let error = read(&short).unwrap_err();
        let expected = (layer + 1, bytes as u64);
        assert!(
            matches!(error, TreeError::LayerLength { layer, bytes } if (layer, bytes) == expected),
            "{error}"
        );
    }
    let mut cut = good.clone();
    cut[7].truncate(2047);
    assert!(read(&cut).unwrap_err().to_string().starts_with("layer 8: the input has 2047 bytes"));
    let mut high = good.clone();
    high[4][33 * 32 + 31] |= 0x80;
    assert!(read(&high)
        .unwrap_err()
        .to_string()
        .starts_with("layer 5: the leaf at byte offset 1056"));
    let few: Vec<Vec<u8>> = good.iter().map(|layer| layer[..56 * 32].to_vec()).collect();
    assert!(matches!(read(&few), Err(TreeError::LeafCount { got: 56, expected: 64 })));
    let mut tree = builder(11, &shape, Strength::Standard);
    let error = tree.push_columns(&[Fr::ONE; 23]).unwrap_err();
    assert!(matches!(error, TreeError::LayerCount { got: 1, expected: 11 }));
    for labels in [0, 1, 3, 9, 12, 100] {
        let tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
        assert!(ColumnTreeBuilder::new(tree, labels, Strength::Standard).is_err(), "{labels}");
    }
    let mut tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
    tree.push(Fr::ONE).unwrap();
    assert!(ColumnTreeBuilder::new(tree, 2, Strength::Standard).is_err());
}

#[test]
fn stored_trees_prove_columns() {
    let shape = Shape::joined(2, 4, &[8]).unwrap();
    let layers = layers(11, 32, 7);
    let readers = || layers.iter().map(|layer| Cursor::new(&layer[..])).collect::<Vec<_>>();
    for first_row in 0..=shape.root_row() {
        let layout = Layout::new(shape.clone(), Strength::Standard).first_row(first_row).unwrap();
        let layout = layout.leaf_kind(LeafKind::Columns(11)).unwrap();
        let writer = TreeWriter::new(Cursor::new(Vec::new()), layout);
        let mut tree = ColumnTreeBuilder::storing(&Processor, writer).unwrap();
        tree.read_layers(readers(), |_| ()).unwrap();
        let mut tree = tree.into_tree().finish_tree().unwrap();
        assert_eq!(tree.layout().kind(), LeafKind::Columns(11));
        let mut leaves =
            ColumnLeaves::open(&Processor, Strength::Standard, readers(), LeafRule::SectorBytes)
                .unwrap();
        assert_eq!(leaves.count(), 32);
        for index in [0, 13, 31] {
            let proof = tree.proof_with(&Processor, &mut leaves, index).unwrap();
            let column = &columns(&layers)[index as usize * 11..][..11];
            assert_eq!(proof.column(), column);
            assert_eq!(proof.leaf(), column_hashes(&layers, Strength::Standard)[index as usize]);
            proof.verify(&tree.root()).unwrap();
        }
        // A label of the column itself, and a label of a neighbor below the same stored node.
        for (index, place) in [(13u64, 13), (13, 12)] {
            let mut changed = layers.clone();
            changed[6][place * 32] ^= 4;
            let readers = changed.iter().map(|layer| Cursor::new(&layer[..])).collect();
            let mut leaves =
                ColumnLeaves::open(&Processor, Strength::Standard, readers, LeafRule::SectorBytes)
                    .unwrap();
            let outcome = tree.proof_with(&Processor, &mut leaves, index);
            let reaches = place as u64 == index || first_row > 0;
            assert_eq!(outcome.is_err(), reaches, "row {first_row}, label {place}");
        }
    }
}

#[test]
fn layers_below_a_stored_tree_must_be_equally_long() {
    let mut layers = layers(4, 8, 8);
    layers[2].truncate(7 * 32);
    let readers = layers.iter().map(|layer| Cursor::new(&layer[..])).collect();
    let error = ColumnLeaves::open(&Processor, Strength::Standard, readers, LeafRule::SectorBytes)
        .err()
        .unwrap();
    assert!(matches!(error, TreeError::LayerLength { layer: 3, bytes: 224 }), "{error}");
}
