// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Small trees, level by level, and single hashes against `neptune`'s, by way of the conversions
//! of elements.

use std::io::Cursor;

use blstrs::Scalar;
use generic_array::typenum::{U11, U2, U4, U8};
use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::{Felt, Fr};
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{
    ColumnTreeBuilder, Layout, LeafKind, Shape, Tree, TreeBuilder, TreeWriter,
};
use halimede_poseidon::{starknet, Strength};
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::Arity;
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use starknet_types_core::felt::Felt as StarknetFelt;
use starknet_types_core::hash::{Poseidon as StarknetPoseidon, StarkHash};

struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

/// Random elements below 2²⁵⁴.
fn random_elements(count: usize, seed: u64) -> Vec<Fr> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = [0u8; 32];
    let mut element = || {
        random.fill_bytes(&mut bytes);
        bytes[31] &= 0x3f;
        Fr::from_le_bytes(&bytes).unwrap()
    };
    (0..count).map(|_| element()).collect()
}

fn bytes_of(elements: &[Fr]) -> Vec<u8> {
    elements.iter().flat_map(Fr::to_le_bytes).collect()
}

/// Neptune's digests of groups of elements.
fn neptune_level<A: Arity<Scalar>>(elements: &[Fr], strength: Strength) -> Vec<Fr> {
    let strength = match strength {
        Strength::Standard => neptune::Strength::Standard,
        Strength::Strengthened => neptune::Strength::Strengthened,
    };
    let constants = PoseidonConstants::<Scalar, A>::new_with_strength(strength);
    let digest = |group: &[Fr]| {
        let group: Vec<Scalar> = group.iter().copied().map(Scalar::from).collect();
        Fr::from(Poseidon::new_with_preimage(&group, &constants).hash())
    };
    elements.chunks(A::to_usize()).map(digest).collect()
}

fn neptune_groups(arity: usize, elements: &[Fr], strength: Strength) -> Vec<Fr> {
    match arity {
        2 => neptune_level::<U2>(elements, strength),
        4 => neptune_level::<U4>(elements, strength),
        8 => neptune_level::<U8>(elements, strength),
        11 => neptune_level::<U11>(elements, strength),
        other => panic!("no arity {other} here"),
    }
}

fn writer(layout: Layout) -> TreeWriter<Cursor<Vec<u8>>> {
    TreeWriter::new(Cursor::new(Vec::new()), layout.first_row(0).unwrap())
}

/// Checks that every stored row consists of neptune's hashes of the row below, starting with these
/// leaves.
fn assert_rows_are_neptunes(tree: &mut Tree<Cursor<Vec<u8>>>, leaves: Vec<Fr>) {
    let (shape, strength) = (tree.layout().shape().clone(), tree.layout().strength());
    let mut row = leaves;
    for level in 0..=shape.root_row() {
        assert_eq!(tree.nodes(level, 0, row.len()).unwrap(), row, "{shape:?}, row {level}");
        if let Some(&arity) = shape.arities().get(level) {
            row = neptune_groups(arity, &row, strength);
        }
    }
}

#[test]
fn trees_are_neptunes_level_by_level() {
    for (shape, seed) in [
        (Shape::uniform(8, 512).unwrap(), 1),
        (Shape::uniform(2, 64).unwrap(), 2),
        (Shape::joined(8, 64, &[8, 2]).unwrap(), 3),
        (Shape::joined(4, 16, &[11, 2]).unwrap(), 4),
    ] {
        for strength in [Strength::Standard, Strength::Strengthened] {
            let leaves = random_elements(shape.leaves() as usize, seed);
            let layout = Layout::new(shape.clone(), strength);
            let mut tree = TreeBuilder::storing(&Processor, writer(layout)).unwrap();
            tree.read(&bytes_of(&leaves)[..], |_| ()).unwrap();
            assert_rows_are_neptunes(&mut tree.finish_tree().unwrap(), leaves);
        }
    }
}

#[test]
fn column_trees_are_neptunes_level_by_level() {
    for (labels, strength) in [
        (2, Strength::Standard),
        (4, Strength::Standard),
        (8, Strength::Strengthened),
        (11, Strength::Standard),
        (11, Strength::Strengthened),
    ] {
        let shape = Shape::joined(8, 64, &[2]).unwrap();
        let count = shape.leaves() as usize;
        let layers: Vec<Vec<Fr>> =
            (0..labels as u64).map(|layer| random_elements(count, 100 + layer)).collect();
        let columns: Vec<Fr> =
            (0..count * labels).map(|place| layers[place % labels][place / labels]).collect();
        let layout = Layout::new(shape, strength).leaf_kind(LeafKind::Columns(labels)).unwrap();
        let mut tree = ColumnTreeBuilder::storing(&Processor, writer(layout)).unwrap();
        let layers: Vec<Vec<u8>> = layers.iter().map(|layer| bytes_of(layer)).collect();
        tree.read_layers(layers.iter().map(|layer| &layer[..]).collect(), |_| ()).unwrap();
        let leaves = neptune_groups(labels, &columns, strength);
        assert_rows_are_neptunes(&mut tree.into_tree().finish_tree().unwrap(), leaves);
    }
}

#[test]
fn hashes_of_converted_elements_are_the_peers() {
    for arity in [2, 4, 8, 11] {
        let elements = random_elements(arity * 5, arity as u64);
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree).unwrap();
        let ours: Vec<Fr> =
            elements.chunks(arity).map(|group| hasher.hash(group).unwrap()).collect();
        assert_eq!(ours, neptune_groups(arity, &elements, Strength::Standard));
    }
    for length in [0u64, 1, 2, 7, 8] {
        let felts: Vec<Felt> = (0..length).map(|index| Felt::from(index + 3).pow(&[53])).collect();
        let theirs: Vec<StarknetFelt> = felts.iter().copied().map(StarknetFelt::from).collect();
        let mut hasher = starknet::Hasher::new();
        hasher.extend(theirs.iter().copied().map(Felt::from));
        let digest = StarknetPoseidon::hash_array(&theirs);
        assert_eq!(StarknetFelt::from(hasher.finalize()), digest);
    }
}
