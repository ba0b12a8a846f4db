// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares every backend, with single permutations and with batches, with the plain rounds on
//! random states of each instance, ten thousand of them in a sweep.

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::{Backend, Felt, Field, Fr};
use halimede_poseidon::{optimized, plain, Family, Instance, PoseidonField};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

const SEED: u64 = 0x7e57;
/// The number of states of a batch: not a multiple of eight, so some are left at the end.
const BATCH: usize = 999;

/// The number of states of an instance.
fn count() -> usize {
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    if is_sweep {
        10_000
    } else {
        2_000
    }
}

fn check<M: PoseidonField>(
    instance: Instance,
    permute: impl Fn(Backend, &mut [Field<M>]) + Sync,
    permute_batch: impl Fn(Backend, &mut [Field<M>]) + Sync,
) {
    let width = instance.width();
    let parameters = M::parameters(instance).unwrap();
    let mut generator = ChaCha8Rng::seed_from_u64(SEED);
    let states: Vec<Field<M>> = (0..count() * width)
        .map(|_| Field::from(generator.gen::<u64>()) * Field::from(2).pow(&[generator.gen()]))
        .collect();
    states.par_chunks(BATCH * width).for_each(|states| {
        let mut expected = states.to_vec();
        expected.chunks_mut(width).for_each(|state| plain::permute(&parameters, state));
        for backend in Backend::available_for_fields() {
            let mut batch = states.to_vec();
            permute_batch(backend, &mut batch);
            assert!(batch == expected, "{instance} {backend} in a batch, seed {SEED:#x}");
            let mut singles = states.to_vec();
            singles.chunks_mut(width).for_each(|state| permute(backend, state));
            assert!(singles == expected, "{instance} {backend}, seed {SEED:#x}");
        }
    });
}

#[test]
fn every_backend_agrees_with_the_plain_rounds() {
    for instance in Instance::published() {
        let width = instance.width();
        match instance.family() {
            Family::Filecoin(strength) => check::<Bls12381Scalar>(
                instance,
                |backend, state: &mut [Fr]| {
                    optimized::permute_filecoin_with(backend, strength, state);
                },
                |backend, states| {
                    optimized::permute_filecoin_batch_with(backend, strength, width, states);
                },
            ),
            Family::Stark => check::<StarkPrime>(
                instance,
                |backend, state: &mut [Felt]| optimized::permute_stark_with(backend, state),
                |backend, states| optimized::permute_stark_batch_with(backend, width, states),
            ),
        }
    }
}
