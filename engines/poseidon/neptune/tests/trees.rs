// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Builders of trees, and hashers of batches, compared with single hashes.

#![allow(deprecated, reason = "neptune's interface has types of generic-array 0.14")]

use blstrs::Scalar;
use ff::{Field, PrimeField};
use generic_array::typenum::{U11, U2, U4, U8};
use generic_array::GenericArray;
use neptune::batch_hasher::Batcher;
use neptune::column_tree_builder::{ColumnTreeBuilder, ColumnTreeBuilderTrait};
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::tree_builder::{TreeBuilder, TreeBuilderTrait};
use neptune::{Arity, BatchHasher, Strength};
use pasta_curves::Fp;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn random<F: Field>(count: usize, seed: u64) -> Vec<F> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    (0..count).map(|_| F::random(&mut generator)).collect()
}

fn parents<F: PrimeField, A: Arity<F>>(row: &[F], strength: Strength) -> Vec<F> {
    let constants = PoseidonConstants::<F, A>::new_with_strength(strength);
    let nodes = row.chunks_exact(A::to_usize());
    nodes.map(|node| Poseidon::new_with_preimage(node, &constants).hash()).collect()
}

/// The rows above the leaves, lowest first.
fn rows<F: PrimeField, A: Arity<F>>(leaves: &[F]) -> Vec<Vec<F>> {
    let mut rows = vec![parents::<F, A>(leaves, Strength::Standard)];
    while rows[rows.len() - 1].len() > 1 {
        rows.push(parents::<F, A>(&rows[rows.len() - 1], Strength::Standard));
    }
    rows
}

fn check_batches<F: PrimeField, A: Arity<F>>(counts: &[usize]) {
    for strength in [Strength::Standard, Strength::Strengthened] {
        let mut batcher = Batcher::<F, A>::with_strength_cpu(strength, 1000);
        assert_eq!(batcher.max_batch_size(), 1000);
        for &count in counts {
            let elements = random::<F>(count * A::to_usize(), count as u64);
            let preimages = elements.chunks_exact(A::to_usize());
            let preimages: Vec<_> = preimages.map(GenericArray::clone_from_slice).collect();
            let expected = parents::<F, A>(&elements, strength);
            assert_eq!(batcher.hash(&preimages).unwrap(), expected, "{count}");
            let mut slice = vec![F::ZERO; count];
            batcher.hash_into_slice(&mut slice, &preimages).unwrap();
            assert_eq!(slice, expected, "{count}");
        }
    }
}

#[test]
fn batches_are_single_hashes() {
    check_batches::<Scalar, U2>(&[0, 1, 7, 8, 9, 255, 256, 257]);
    check_batches::<Scalar, U8>(&[1, 17]);
    check_batches::<Scalar, U11>(&[1, 17]);
    check_batches::<Fp, U4>(&[0, 1, 9]);
}

fn check_trees<F: PrimeField, A: Arity<F>>(leaf_count: usize, batch: Option<usize>) {
    let leaves = random::<F>(leaf_count, 1);
    let rows = rows::<F, A>(&leaves);
    for discarded in 0..rows.len() {
        let batcher = batch.map(|size| Batcher::<F, A>::pick_gpu(size).unwrap());
        let mut builder = TreeBuilder::<F, A>::new(batcher, leaf_count, discarded).unwrap();
        assert_eq!(builder.tree_height(), rows.len());
        let (first, last) = leaves.split_at(leaf_count / 3);
        // The second tree shows that the builder is empty after the first.
        for _ in 0..2 {
            builder.add_leaves(first).unwrap();
            assert!(builder.add_leaves(&leaves).is_err(), "too many leaves");
            let (base, tree) = builder.add_final_leaves(last).unwrap();
            assert_eq!(base, leaves);
            assert_eq!(tree, rows[discarded..].concat(), "{discarded} rows are discarded");
            assert_eq!(builder.tree_size(discarded), tree.len());
        }
    }
}

#[test]
fn trees_have_the_rows_of_single_hashes() {
    check_trees::<Scalar, U8>(512, None);
    check_trees::<Scalar, U8>(64, Some(3));
    check_trees::<Scalar, U2>(16, Some(700_000));
    check_trees::<Fp, U4>(64, Some(5));
}

#[test]
fn column_trees_have_hashes_of_columns_as_leaves() {
    let elements = random::<Scalar>(11 * 64, 2);
    let columns: Vec<_> = elements.chunks_exact(11).map(GenericArray::clone_from_slice).collect();
    let leaves = parents::<Scalar, U11>(&elements, Strength::Standard);
    let expected = rows::<Scalar, U8>(&leaves).concat();
    for batch in [None, Some(5), Some(1000)] {
        let columns_batcher = batch.map(|size| Batcher::<Scalar, U11>::pick_gpu(size).unwrap());
        let tree_batcher = batch.map(|size| Batcher::<Scalar, U8>::pick_gpu(size).unwrap());
        let builder = ColumnTreeBuilder::<Scalar, U11, U8>::new(columns_batcher, tree_batcher, 64);
        let mut builder = builder.unwrap();
        builder.add_columns(&columns[..20]).unwrap();
        let (base, tree) = builder.add_final_columns(&columns[20..]).unwrap();
        assert_eq!((&base, &tree), (&leaves, &expected));
        assert_eq!(builder.tree_size(), tree.len());
        assert!(builder.add_columns(&[&columns[..], &columns[..1]].concat()).is_err());
        let root = builder.compute_uniform_tree_root(&columns[0]).unwrap();
        let equal = vec![columns[0]; 64];
        assert_eq!(builder.add_final_columns(&equal).unwrap().1.last(), Some(&root));
    }
}

#[test]
#[should_panic(expected = "not a power of the arity")]
fn a_tree_of_nine_leaves_is_refused() {
    let _ = TreeBuilder::<Scalar, U8>::new(None, 9, 0);
}

#[test]
#[should_panic(expected = "2 of 2 rows are discarded")]
fn the_root_is_not_discarded() {
    let _ = TreeBuilder::<Scalar, U8>::new(None, 64, 2);
}

#[test]
#[should_panic(expected = "expected 8 elements, got 7")]
fn a_short_preimage_is_refused() {
    let constants = PoseidonConstants::<Scalar, U8>::new();
    let _ = Poseidon::new_with_preimage(&[Scalar::ZERO; 7], &constants);
}
