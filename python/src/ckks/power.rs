// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Powers by repeated products, and their exponents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halimede_ckks::keys::KeyUse;
use halimede_ckks::{Bound as Range, Ciphertext, EvaluationError, Server};
use pyo3::prelude::*;

use super::errors::evaluation_error;
use crate::errors::{count, value_error};

/// The largest exponent of a power.
const MOST_EXPONENT: usize = 4095;

/// Converts an exponent, an integer from 1.
///
/// # Errors
/// `ValueError` for another exponent, `TypeError` for another type.
pub fn exponent(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let exponent = count("exponent", value)?;
    if !(1..=MOST_EXPONENT).contains(&exponent) {
        let wanted = format!("wanted an integer from 1 to {MOST_EXPONENT}");
        return Err(value_error(format!("exponent: got {exponent}, {wanted}")));
    }
    Ok(exponent)
}

/// Checks before work begins that aⁿ can be computed: the levels, the key, and the size of each
/// intermediate power.
///
/// # Errors
/// `ValueError` with the missing requirement.
pub fn check_power(server: &Server, a: &Ciphertext, exponent: usize) -> PyResult<()> {
    let (got, needed) = (a.level(), levels(exponent));
    if needed > got {
        let what = format!("x ** {exponent} takes {needed} levels, and the ciphertext has {got}");
        return Err(value_error(format!(
            "{what}: take parameters with more levels, or bootstrap it before"
        )));
    }
    if exponent > 1 {
        let what = || "multiply ciphertexts".to_owned();
        server.keys().key(KeyUse::Multiply, got, what).map_err(evaluation_error)?;
    }
    let mut powers = BTreeSet::new();
    powers_among(exponent, &mut powers);
    for power in powers {
        let level = got - levels(power);
        let at = server.parameters().level(level);
        let bound = Range::complex(a.bound().magnitude().powf(power as f64));
        let (scale, limit) = (at.scale, at.modulus.log2());
        // One bit for the sign.
        let got = power as f64 * a.bound().magnitude().log2() + scale.log2() + 1.0;
        if got > limit {
            let room = EvaluationError::Room { bound, scale, got, limit, level };
            return Err(evaluation_error(room));
        }
    }
    Ok(())
}

/// ⌈log₂ n⌉.
fn levels(exponent: usize) -> usize {
    (usize::BITS - (exponent - 1).leading_zeros()) as usize
}

/// Collects the powers that a power is composed of, including itself.
fn powers_among(exponent: usize, powers: &mut BTreeSet<usize>) {
    if powers.insert(exponent) && exponent > 1 {
        powers_among(exponent.div_ceil(2), powers);
        powers_among(exponent / 2, powers);
    }
}

/// Computes aⁿ for n ≥ 1.
///
/// # Errors
/// If levels or the key are missing.
pub fn power(
    server: &Server,
    a: &Ciphertext,
    exponent: usize,
) -> Result<Ciphertext, EvaluationError> {
    let mut powers = BTreeMap::from([(1, Arc::new(a.clone()))]);
    power_among(server, exponent, &mut powers).map(Arc::unwrap_or_clone)
}

/// Computes aⁿ = a^⌈n/2⌉ · a^⌊n/2⌋, each power once. Squares have their own estimate of the error.
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
