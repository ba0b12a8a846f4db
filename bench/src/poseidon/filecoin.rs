// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's hashes against `neptune` on its default field, `blstrs`.

use std::hint::black_box;
use std::sync::Arc;

use blstrs::Scalar;
use ff::PrimeField;
use halimede_arith::job::Compute;
use halimede_arith::Fr;
use halimede_poseidon::filecoin::{HashType, Hasher, Preimage};
use halimede_poseidon::operations::FilecoinHash;
use halimede_poseidon::Strength;
use neptune::poseidon::{Arity, HashMode, Poseidon, PoseidonConstants};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use super::{batch, one_at_a_time, BATCH};
use crate::Comparison;

const NEPTUNE: &str = "neptune 13";

/// Random preimages of one arity, for both libraries.
struct Case<A: Arity<Scalar>> {
    ours: Vec<Vec<Fr>>,
    preimages: Vec<Preimage>,
    hasher: Hasher,
    theirs: Vec<Vec<Scalar>>,
    constants: PoseidonConstants<Scalar, A>,
}

impl<A: Arity<Scalar>> Case<A> {
    fn new() -> Result<Self, String> {
        let arity = A::to_usize();
        let mut random = ChaCha8Rng::seed_from_u64(arity as u64);
        let hasher = Hasher::new(arity, Strength::Standard, HashType::MerkleTree)
            .map_err(|error| error.to_string())?;
        let constants = PoseidonConstants::new();
        let mut case = Self { ours: vec![], preimages: vec![], hasher, theirs: vec![], constants };
        for _ in 0..BATCH {
            let mut bytes: Vec<[u8; 32]> = (0..arity).map(|_| random.gen()).collect();
            bytes.iter_mut().for_each(|element| element[31] &= 0x3f);
            let ours: Result<Vec<Fr>, _> = bytes.iter().map(Fr::from_le_bytes).collect();
            let ours = ours.map_err(|error| error.to_string())?;
            case.preimages.push(hasher.preimage(&ours).map_err(|error| error.to_string())?);
            case.ours.push(ours);
            let theirs: Option<Vec<Scalar>> =
                bytes.iter().map(|element| Scalar::from_repr_vartime(*element)).collect();
            case.theirs.push(theirs.ok_or("the peer refuses a reduced element")?);
        }
        case.check()?;
        Ok(case)
    }

    fn check(&self) -> Result<(), String> {
        let batch = FilecoinHash::compute_batch(&self.preimages);
        for (index, digest) in batch.iter().enumerate() {
            let single = self.hasher.hash(&self.ours[index]);
            if single.as_ref() != Ok(digest)
                || digest.to_le_bytes() != self.hash_theirs(index).to_repr()
            {
                return Err(format!("filecoin-{}: the digests differ", A::to_usize()));
            }
        }
        Ok(())
    }

    fn hash_theirs(&self, index: usize) -> Scalar {
        Poseidon::new_with_preimage(&self.theirs[index], &self.constants)
            .hash_in_mode(HashMode::OptimizedStatic)
    }
}

/// Single hashes and a batch, with the target ratios.
pub fn comparisons<A: Arity<Scalar> + Send + Sync + 'static>(
    threads: usize,
    [single_aim, batch_aim]: [f64; 2],
) -> Result<[Comparison; 2], String> {
    let case = Arc::new(Case::<A>::new()?);
    let name = format!("filecoin-{}", A::to_usize());
    let (ours, theirs) = (case.clone(), case.clone());
    let single = one_at_a_time(
        &name,
        NEPTUNE,
        Some(single_aim),
        move |turn| ours.hasher.hash(&ours.ours[turn]),
        move |turn| theirs.hash_theirs(turn),
    );
    let theirs = case.clone();
    let batch = batch(
        &name,
        threads,
        NEPTUNE,
        Some(batch_aim),
        move || FilecoinHash::compute_batch(black_box(&case.preimages)),
        move || -> Vec<Scalar> {
            (0..BATCH).into_par_iter().map(|index| theirs.hash_theirs(index)).collect()
        },
    );
    Ok([single, batch])
}
