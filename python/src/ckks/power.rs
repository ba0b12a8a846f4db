// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Powers by repeated products.

use std::collections::BTreeMap;

use halimede_ckks::{Ciphertext, EvaluationError, Server};

/// aⁿ = a^⌈n/2⌉ · a^⌊n/2⌋, each power once.
pub fn power(
    server: &Server,
    a: &Ciphertext,
    exponent: usize,
    powers: &mut BTreeMap<usize, Ciphertext>,
) -> Result<Ciphertext, EvaluationError> {
    if exponent == 1 {
        return Ok(a.clone());
    }
    if let Some(power) = powers.get(&exponent) {
        return Ok(power.clone());
    }
    let larger = power(server, a, exponent.div_ceil(2), powers)?;
    let smaller = power(server, a, exponent / 2, powers)?;
    let product = server.mul(&larger, &smaller)?;
    powers.insert(exponent, product.clone());
    Ok(product)
}
