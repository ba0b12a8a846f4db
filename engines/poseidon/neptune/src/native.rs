// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes by halimede-poseidon, for states whose field is BLS12-381's scalar field.
//!
//! The generic code does not know the field. `Any` compares its type at run time, which the
//! compiler resolves.

use std::any::{Any, TypeId};

use blstrs::Scalar;
use ff::PrimeField;
use halimede_arith::Fr;
use halimede_poseidon::{optimized, Family, Instance};
use rayon::prelude::*;

use crate::Strength;

/// The preimages that one thread hashes at a time: enough for all lanes, few enough for its caches.
const BATCH: usize = 256;

/// Returns `true` if halimede-poseidon has the permutation of this field and width.
pub fn has<F: PrimeField>(width: usize) -> bool {
    let family = Family::Filecoin(halimede_poseidon::Strength::Standard);
    TypeId::of::<F>() == TypeId::of::<Scalar>() && Instance::new(family, width).is_ok()
}

/// Permutes a state of scalars; the caller has checked the field and the width ([`has`]).
pub fn permute<F: PrimeField>(strength: Strength, state: &mut [F]) {
    let mut elements: Vec<Fr> = state.iter().map(element).collect();
    optimized::permute_filecoin(strength.into(), &mut elements);
    state.iter_mut().zip(elements).for_each(|(place, value)| *place = scalar(value));
}

/// Returns the digests of preimages of `arity` scalars each, which are contiguous, on all threads
/// of the pool.
pub fn digests<F: PrimeField>(strength: Strength, tag: F, arity: usize, preimages: &[F]) -> Vec<F> {
    let hash = |preimages: &[F]| {
        let mut states = Vec::with_capacity(preimages.len() / arity * (arity + 1));
        for preimage in preimages.chunks_exact(arity) {
            states.push(element(&tag));
            states.extend(preimage.iter().map(element));
        }
        let digests = optimized::filecoin_digests(strength.into(), arity + 1, &states);
        digests.into_iter().map(scalar).collect::<Vec<F>>()
    };
    preimages.par_chunks(BATCH * arity).flat_map_iter(hash).collect()
}

fn element<F: PrimeField>(scalar: &F) -> Fr {
    let scalar: &dyn Any = scalar;
    scalar.downcast_ref::<Scalar>().copied().map(Fr::from).expect(FIELD)
}

fn scalar<F: PrimeField>(element: Fr) -> F {
    let scalar = Scalar::from(element);
    let scalar: &dyn Any = &scalar;
    *scalar.downcast_ref::<F>().expect(FIELD)
}

const FIELD: &str = "the field was compared when the constants were made";
