// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the kernels, on emulated registers, with the plain permutation.

use halimede_arith::field::{Bls12381Scalar, StarkPrime};
use halimede_arith::lanes::{emulate, run, Kernel};
use halimede_arith::{Backend, Felt, Field, Fr};

use super::one_state::{self, OneState, Sums};
use super::quintic::{self, QuinticLanes};
use super::stark::{self, StarkLanes};
use super::stark_state::{self, FullRounds};
use crate::optimized::recurrence::Recurrence;
use crate::optimized::serial::stark::StarkPermutation;
use crate::{plain, Family, Instance, PoseidonField, Strength};

/// Backends with lanes; both are emulated on any machine.
const BACKENDS: [Backend; 3] = [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma];

/// Distinct states whose elements include the edge cases 0, 1, p−1 and beyond.
fn states<M: PoseidonField>(width: usize, count: usize) -> Vec<Field<M>> {
    let element = |index: usize| match index % 7 {
        0 => Field::from(index as u64 % 2),
        1 => -Field::ONE,
        2 => -Field::from(index as u64),
        _ => Field::from(index as u64 + 2).pow(&[index as u64 | 1, 3, 0, 1]),
    };
    (0..width * count).map(element).collect()
}

/// Permutes each state by the plain rounds.
fn plainly<M: PoseidonField>(instance: Instance, states: &[Field<M>]) -> Vec<Field<M>> {
    let parameters = M::parameters(instance).unwrap();
    let mut permuted = states.to_vec();
    for state in permuted.chunks_exact_mut(instance.width()) {
        plain::permute(&parameters, state);
    }
    permuted
}

/// Runs `kernel` on a copy of the buffer on both emulations.
fn check<M: PoseidonField>(
    expected: &[Field<M>],
    initial: &[Field<M>],
    what: &str,
    run: impl Fn(Backend, &mut [Field<M>]),
) {
    for backend in BACKENDS {
        let mut buffer = initial.to_vec();
        run(backend, &mut buffer);
        assert_eq!(buffer, expected, "{what} with {backend}");
    }
}

fn every_nth<M: PoseidonField>(states: &[Field<M>], width: usize, index: usize) -> Vec<Field<M>> {
    states.chunks_exact(width).map(|state| state[index]).collect()
}

fn emulated<K: Kernel<Output = ()>>(backend: Backend, kernel: K) {
    emulate(backend, kernel);
}

fn check_filecoin(strength: Strength, width: usize, count: usize) {
    let instance = Instance::new(Family::Filecoin(strength), width).unwrap();
    let parameters = Bls12381Scalar::parameters(instance).unwrap();
    let tables = &QuinticLanes::new(&Recurrence::new(&parameters).unwrap()).unwrap();
    let states: Vec<Fr> = states::<Bls12381Scalar>(width, count);
    let expected = plainly(instance, &states);
    let what = format!("{instance}, {count} states");
    check(&expected, &states, &what, |backend, states| {
        emulated(backend, quintic::Permutation { tables, job: quintic::Job::Permute(states) });
    });
    let digests = every_nth(&expected, width, 1);
    check(&digests, &vec![Fr::ZERO; count], &what, |backend, digests| {
        emulated(
            backend,
            quintic::Permutation { tables, job: quintic::Job::Digest(&states, digests, 1) },
        );
    });
}

fn check_stark<const T: usize>(count: usize) {
    let instance = Instance::new(Family::Stark, T).unwrap();
    let tables = &StarkLanes::<T>::new(&StarkPrime::parameters(instance).unwrap()).unwrap();
    let states: Vec<Felt> = states::<StarkPrime>(T, count);
    let expected = plainly(instance, &states);
    let what = format!("{instance}, {count} states");
    check(&expected, &states, &what, |backend, states| {
        emulated(
            backend,
            stark::Permutation { tables, job: stark::Job::Permute(states.as_chunks_mut().0) },
        );
    });
    let digests = every_nth(&expected, T, 0);
    check(&digests, &vec![Felt::ZERO; count], &what, |backend, digests| {
        emulated(
            backend,
            stark::Permutation { tables, job: stark::Job::Digest(states.as_chunks().0, digests) },
        );
    });
}

#[test]
fn filecoin_kernels_are_the_plain_permutation() {
    for strength in [Strength::Standard, Strength::Strengthened] {
        for width in [3, 5, 9, 12] {
            check_filecoin(strength, width, 9);
        }
    }
    for count in [0, 1, 7, 8, 31, 32, 33, 41] {
        check_filecoin(Strength::Standard, 3, count);
    }
}

#[test]
fn filecoin_kernels_of_other_widths_are_the_plain_permutation() {
    // 17 and 18 lie on either side of the longest history without a product with 1.
    for width in [4, 6, 17, 18, 25, 37] {
        check_filecoin(Strength::Standard, width, 9);
    }
    check_filecoin(Strength::Strengthened, 37, 2);
}

#[test]
fn stark_kernels_are_the_plain_permutation() {
    for count in [0, 1, 7, 8, 31, 32, 33, 41] {
        check_stark::<3>(count);
    }
    check_stark::<4>(9);
    check_stark::<5>(9);
    check_stark::<9>(9);
}

fn check_stark_state<const T: usize>() {
    let instance = Instance::new(Family::Stark, T).unwrap();
    let parameters = StarkPrime::parameters(instance).unwrap();
    let (full, partial) = (&FullRounds::new(&parameters), &StarkPermutation::new(&parameters));
    let states: Vec<Felt> = states::<StarkPrime>(T, 20);
    let expected = plainly(instance, &states);
    let (mut emulated, mut here) = (states.clone(), states);
    for state in emulated.as_chunks_mut().0 {
        emulate(Backend::Avx512Ifma, stark_state::Permutation::<T> { full, partial, state });
    }
    assert_eq!(emulated, expected, "{instance}");
    let permute = |state| stark_state::Permutation::<T> { full, partial, state };
    let mut states = here.as_chunks_mut().0.iter_mut();
    if states.all(|state| run(Backend::Avx512Ifma, permute(state)).is_some()) {
        assert_eq!(here, expected, "{instance}, here");
    }
}

#[test]
fn a_stark_state_by_itself_is_the_plain_permutation() {
    check_stark_state::<5>();
    check_stark_state::<9>();
}

#[test]
fn a_state_by_itself_is_the_plain_permutation() {
    // 8, 9, 10 and 16 are the limits of groups of elements and of groups of sums.
    for (strength, widths) in [
        (Strength::Standard, &[3, 4, 5, 8, 9, 10, 12, 16][..]),
        (Strength::Strengthened, &[3, 5, 9, 12, 16]),
    ] {
        for &width in widths {
            let instance = Instance::new(Family::Filecoin(strength), width).unwrap();
            let parameters = Bls12381Scalar::parameters(instance).unwrap();
            let tables = &OneState::new(&Recurrence::new(&parameters).unwrap()).unwrap();
            let states: Vec<Fr> = states::<Bls12381Scalar>(width, 6);
            let expected = plainly(instance, &states);
            for (state, expected) in states.chunks(width).zip(expected.chunks(width)) {
                for sums in [Sums::ALaneEach, Sums::InLimbs] {
                    let permutation = one_state::Permutation { tables, state, sums };
                    let permuted = emulate(Backend::Avx512Ifma, permutation);
                    assert_eq!(&permuted[..width], expected, "{instance}, {sums:?}");
                    let permutation = one_state::Permutation { tables, state, sums };
                    if let Some(permuted) = run(Backend::Avx512Ifma, permutation) {
                        assert_eq!(&permuted[..width], expected, "{instance}, {sums:?}, here");
                    }
                }
            }
        }
    }
}

#[test]
fn a_state_that_does_not_fit_is_not_prepared() {
    let instance = Instance::new(Family::Filecoin(Strength::Standard), 17).unwrap();
    let parameters = Bls12381Scalar::parameters(instance).unwrap();
    assert!(OneState::new(&Recurrence::new(&parameters).unwrap()).is_none());
}
