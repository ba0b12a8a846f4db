// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Powers by repeated products, and their exponents.

use std::collections::BTreeMap;
use std::sync::Arc;

use halimede_ckks::{Ciphertext, EvaluationError, Server};
use pyo3::prelude::*;

use crate::errors::{count, value_error};

/// The greatest exponent of a power.
const MOST_EXPONENT: usize = 4095;

/// An exponent from 1 on.
///
/// # Errors
/// `ValueError` for another one, `TypeError` for what is none.
pub fn exponent(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let exponent = count("exponent", value)?;
    if !(1..=MOST_EXPONENT).contains(&exponent) {
        let wanted = format!("wanted an integer from 1 to {MOST_EXPONENT}");
        return Err(value_error(format!("exponent: got {exponent}, {wanted}")));
    }
    Ok(exponent)
}

/// aⁿ for n from 1 on.
///
/// # Errors
/// Where there are not the levels, or not the key.
pub fn power(
    server: &Server,
    a: &Ciphertext,
    exponent: usize,
) -> Result<Ciphertext, EvaluationError> {
    let mut powers = BTreeMap::from([(1, Arc::new(a.clone()))]);
    power_among(server, exponent, &mut powers).map(Arc::unwrap_or_clone)
}

/// aⁿ = a^⌈n/2⌉ · a^⌊n/2⌋, each power once; the error of a square is known for one.
fn power_among(
    server: &Server,
    exponent: usize,
    powers: &mut BTreeMap<usize, Arc<Ciphertext>>,
) -> Result<Arc<Ciphertext>, EvaluationError> {
    if let Some(power) = powers.get(&exponent) {
        return Ok(power.clone());
    }
    let larger = power_among(server, exponent.div_ceil(2), powers)?;
    let smaller = power_among(server, exponent / 2, powers)?;
    let product = Arc::new(server.mul(&larger, &smaller)?);
    powers.insert(exponent, product.clone());
    Ok(product)
}
