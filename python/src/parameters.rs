// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parameters of an instance of Poseidon.

use halimede_arith::field::{Bls12381Scalar, Modulus, StarkPrime};
use halimede_arith::Field;
use halimede_poseidon::{Family, Instance, PoseidonField};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::value_error;

/// Returns a dict of an instance's parameters. Elements are limbs, the least significant first:
/// `modulus` `uint64[4]`, `round_constants` `uint64[rounds·width, 4]`, `mds` `uint64[width, width,
/// 4]`.
#[pyfunction]
pub fn parameters<'py>(py: Python<'py>, instance: &str) -> PyResult<Bound<'py, PyDict>> {
    let instance: Instance = instance.parse().map_err(value_error)?;
    match instance.family() {
        Family::Filecoin(_) => numbers::<Bls12381Scalar>(py, instance),
        Family::Stark => numbers::<StarkPrime>(py, instance),
    }
}

fn numbers<M: PoseidonField>(py: Python<'_>, instance: Instance) -> PyResult<Bound<'_, PyDict>> {
    let Some(parameters) = M::parameters(instance) else {
        return Err(value_error(format!("{instance} is not over {}", M::NAME)));
    };
    let width = instance.width();
    let limbs = |elements: &[Field<M>]| {
        let limbs = elements.iter().flat_map(Field::canonical_limbs);
        PyArray1::from_iter(py, limbs)
    };
    let constants = limbs(&parameters.round_constants);
    let mds: Vec<Field<M>> = parameters.mds.rows().iter().flatten().copied().collect();
    let numbers = PyDict::new(py);
    numbers.set_item("instance", instance.to_string())?;
    numbers.set_item("field", M::NAME)?;
    numbers.set_item("modulus", PyArray1::from_slice(py, &<M as Modulus>::VALUE))?;
    numbers.set_item("width", width)?;
    numbers.set_item("alpha", instance.alpha())?;
    numbers.set_item("full_rounds", instance.full_rounds())?;
    numbers.set_item("partial_rounds", instance.partial_rounds())?;
    numbers.set_item("partial_sbox_index", instance.partial_sbox_index())?;
    numbers.set_item("digest_index", instance.digest_index())?;
    let shape = [parameters.round_constants.len(), 4];
    numbers.set_item("round_constants", constants.reshape(shape)?)?;
    numbers.set_item("mds", limbs(&mds).reshape([width, width, 4])?)?;
    Ok(numbers)
}
