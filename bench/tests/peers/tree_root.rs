// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The root of a tree of arity 8 against one hashed by `neptune`: 8 MiB (2¹⁸ leaves, depth 6), in a
//! sweep 64 MiB (2²¹ leaves, depth 7).

use blstrs::Scalar;
use ff::PrimeField;
use generic_array::typenum::U8;
use halimede_arith::job::{Answered, Compute, DeviceError, Execute, Timing};
use halimede_arith::Fr;
use halimede_poseidon::filecoin::Preimage;
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::tree::{root, TreeBuilder};
use halimede_poseidon::Strength;
use neptune::poseidon::{Poseidon, PoseidonConstants};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

struct Processor;

impl Execute<FilecoinHash> for Processor {
    fn execute(&self, requests: &[Preimage]) -> Result<Answered<Vec<Fr>>, DeviceError> {
        let replies = FilecoinHash::compute_batch(requests);
        Ok(Answered { replies, timing: Timing::default() })
    }
}

fn neptune_root(leaves: &[u8]) -> [u8; 32] {
    let constants = PoseidonConstants::<Scalar, U8>::new();
    let leaf = |bytes: &[u8]| Scalar::from_repr_vartime(bytes.try_into().unwrap()).unwrap();
    let mut level: Vec<Scalar> = leaves.par_chunks(32).map(leaf).collect();
    while level.len() > 1 {
        let parent = |children: &[Scalar]| Poseidon::new_with_preimage(children, &constants).hash();
        level = level.par_chunks(8).map(parent).collect();
    }
    level[0].to_repr()
}

#[test]
fn a_large_tree_has_the_root_that_neptune_gives() {
    let is_sweep = std::env::var_os("HALIMEDE_SWEEP").is_some();
    let mut leaves = vec![0u8; 32 << if is_sweep { 21 } else { 18 }];
    ChaCha8Rng::seed_from_u64(20_240_801).fill_bytes(&mut leaves);
    leaves.iter_mut().skip(31).step_by(32).for_each(|top| *top &= 0x3f);
    let tree = TreeBuilder::new(&Processor, 8, Strength::Standard).unwrap();
    let ours = root(tree, &leaves[..], |_| ()).unwrap();
    assert_eq!(ours.to_le_bytes(), neptune_root(&leaves));
}
