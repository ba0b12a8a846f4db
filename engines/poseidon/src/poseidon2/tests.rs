// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares the kernels, on emulated registers and on the registers of this processor, with the
//! plain permutation.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, PallasBase, VestaBase};
use halimede_arith::lanes::emulate;
use halimede_arith::{Backend, Field};

use super::batch::Widths;
use super::field::Poseidon2Field;
use super::lanes::{Permutation, Tables};
use super::*;

/// Distinct elements, among them the edge cases 0, 1 and p−1.
fn elements<M: Poseidon2Field>(count: usize) -> Vec<Field<M>> {
    let element = |index: usize| match index % 7 {
        0 => Field::from(index as u64 % 2),
        1 => -Field::ONE,
        2 => -Field::from(index as u64),
        _ => Field::from(index as u64 + 2).pow(&[index as u64 | 1, 3, 0, 1]),
    };
    (0..count).map(element).collect()
}

fn plainly<M: Poseidon2Field>(instance: Instance, states: &[Field<M>]) -> Vec<Field<M>> {
    let parameters = Parameters::new(instance).unwrap();
    let mut permuted = states.to_vec();
    for state in permuted.chunks_exact_mut(instance.width()) {
        permute_plainly(&parameters, state);
    }
    permuted
}

fn check_emulated<M: Poseidon2Field, const T: usize>(instance: Instance) {
    let parameters = Parameters::<M>::new(instance).unwrap();
    let tables = &Tables::<T>::new(&parameters).unwrap();
    let states = elements::<M>(9 * T);
    let expected = plainly(instance, &states);
    for backend in [Backend::Avx2, Backend::Avx512, Backend::Avx512Ifma] {
        let mut permuted = states.clone();
        emulate(backend, Permutation { tables, states: permuted.as_chunks_mut::<T>().0 });
        assert_eq!(permuted, expected, "{instance} on {backend}");
    }
}

fn check<M: Widths>(instance: Instance) {
    for count in [0, 1, 2, 7, 8, 9, 10, 33, 71] {
        let states = elements::<M>(count * instance.width());
        let expected = plainly(instance, &states);
        for backend in Backend::ALL {
            let mut permuted = states.clone();
            permute_with(backend, instance, &mut permuted);
            assert_eq!(permuted, expected, "{count} states of {instance} on {backend}");
        }
    }
}

#[test]
fn every_backend_permutes_as_the_reference() {
    for instance in Instance::all() {
        match instance.field() {
            PrimeField::Bls12381 => check::<Bls12381Scalar>(instance),
            PrimeField::Bn254 => check::<Bn254Scalar>(instance),
            PrimeField::Pallas => check::<PallasBase>(instance),
            PrimeField::Vesta => check::<VestaBase>(instance),
        }
    }
}

/// Each field and each width once: the compiler takes seconds for an emulated kernel.
#[test]
fn emulated_registers_permute_as_the_reference() {
    let mut seen = 0;
    for instance in Instance::all() {
        seen += 1;
        match (instance.field(), instance.width()) {
            (PrimeField::Bls12381, 2) => check_emulated::<Bls12381Scalar, 2>(instance),
            (PrimeField::Bn254, 4) => check_emulated::<Bn254Scalar, 4>(instance),
            (PrimeField::Pallas, 3) => check_emulated::<PallasBase, 3>(instance),
            (PrimeField::Vesta, 3) => check_emulated::<VestaBase, 3>(instance),
            _ => seen -= 1,
        }
    }
    assert!(seen >= 4);
}

#[test]
fn states_of_another_field_or_width_are_left_unchanged() {
    let instance: Instance = "bn254-3".parse().unwrap();
    let mut states = elements::<Bls12381Scalar>(24);
    permute(instance, &mut states);
    assert_eq!(states, elements::<Bls12381Scalar>(24));
    let mut states = elements::<Bn254Scalar>(5);
    permute(instance, &mut states);
    assert_eq!(states[3..], elements::<Bn254Scalar>(5)[3..]);
    assert_ne!(states[..3], elements::<Bn254Scalar>(5)[..3]);
    assert!(Parameters::<VestaBase>::new(instance).is_none());
}

#[test]
fn instances_are_named() {
    for instance in Instance::all() {
        assert_eq!(instance.name().parse(), Ok(instance));
        assert!(instance.width() <= MAX_WIDTH);
    }
    assert_eq!(Instance::NOIR.name(), "bn254-4");
    let error = "stark-3".parse::<Instance>().unwrap_err().to_string();
    assert!(error.contains("\"stark-3\"") && error.contains("vesta-3"), "{error}");
}
