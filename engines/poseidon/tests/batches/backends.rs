// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares every backend of this processor with the plain permutation, on one list of cases.

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::{Backend, Felt, Field, Fr};
use halimede_poseidon::{optimized, plain, Family, Instance, PoseidonField, Strength, MAX_WIDTH};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const SEED: u64 = 0x5eed;

/// States of edge cases only (0, 1, p−1, and the largest Montgomery forms, those of −2⁻²⁵⁶), mixed
/// states and random states.
fn states<M: PoseidonField>(width: usize, random: usize) -> Vec<Vec<Field<M>>> {
    let mut generator = ChaCha8Rng::seed_from_u64(SEED + width as u64);
    let radix = Field::<M>::from(2).pow(&[256]).inverse().unwrap();
    let edges = [Field::ZERO, Field::ONE, -Field::ONE, -radix];
    let mut states: Vec<Vec<Field<M>>> = edges.map(|edge| vec![edge; width]).to_vec();
    states.push((0..width).map(|index| edges[index % 4]).collect());
    states.extend((0..random).map(|_| {
        (0..width).map(|_| Field::from(generator.gen::<u64>()).pow(&[5])).collect::<Vec<_>>()
    }));
    states
}

fn check_filecoin(strength: Strength, width: usize, states: &[Vec<Fr>]) {
    let instance = Instance::new(Family::Filecoin(strength), width).unwrap();
    let parameters = Bls12381Scalar::parameters(instance).unwrap();
    for state in states {
        let mut expected = state.clone();
        plain::permute(&parameters, &mut expected);
        for backend in Backend::available_for_fields() {
            let mut permuted = state.clone();
            optimized::permute_filecoin_with(backend, strength, &mut permuted);
            assert_eq!(permuted, expected, "{instance} {backend}, seed {SEED:#x}");
            let digest = optimized::filecoin_digest_with(backend, strength, state);
            assert_eq!(digest, Some(expected[1]), "{instance} {backend}, seed {SEED:#x}");
        }
    }
}

#[test]
fn filecoin_backends_equal_plain() {
    for strength in [Strength::Standard, Strength::Strengthened] {
        for width in [3, 5, 9, 12] {
            check_filecoin(strength, width, &states(width, 8));
        }
    }
}

#[test]
fn every_other_filecoin_width_equals_plain() {
    for width in 3..=MAX_WIDTH {
        let states = states(width, 1);
        check_filecoin(Strength::Standard, width, &states[2..]);
        check_filecoin(Strength::Strengthened, width, &states[4..]);
    }
}

#[test]
fn stark_backends_equal_plain() {
    for width in [3, 4, 5, 9] {
        let instance = Instance::new(Family::Stark, width).unwrap();
        let parameters = StarkPrime::parameters(instance).unwrap();
        for state in states::<StarkPrime>(width, 200) {
            let mut expected = state.clone();
            plain::permute(&parameters, &mut expected);
            for backend in Backend::available_for_fields() {
                let mut permuted = state.clone();
                optimized::permute_stark_with(backend, &mut permuted);
                assert_eq!(permuted, expected, "{instance} {backend}, seed {SEED:#x}");
            }
        }
    }
}

#[test]
fn widths_without_an_instance_are_left_alone() {
    for width in [0, 1, 2, MAX_WIDTH + 1] {
        let state: Vec<Fr> = (0..width as u64).map(Fr::from).collect();
        let mut permuted = state.clone();
        optimized::permute_filecoin(Strength::Standard, &mut permuted);
        assert_eq!(permuted, state);
        assert_eq!(optimized::filecoin_digest(Strength::Standard, &state), None);
    }
    for width in [0, 2, 6, 8, 10] {
        let state: Vec<Felt> = (0..width as u64).map(Felt::from).collect();
        let mut permuted = state.clone();
        optimized::permute_stark(&mut permuted);
        assert_eq!(permuted, state);
    }
}
