// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms between the values and the coefficients of a blob's polynomial.
//!
//! The values of the extended blob, at the 8,192 roots in bit-reversed order, are those modulo
//! x⁴⁰⁹⁶ − 1, which are the blob, and those modulo x⁴⁰⁹⁶ + 1.

use std::sync::LazyLock;

use halimede_arith::transform::{Domain, Generator, Ring, MOST_LOG_SIZE};
use halimede_arith::Fr;

use super::BLOB_ELEMENTS;

/// The domains of 1, 2, 4, … points, up to those of the extended blob.
static DOMAINS: LazyLock<Vec<Domain>> = LazyLock::new(|| {
    let sizes = 0..=EXTENDED_LOG_SIZE;
    sizes.filter_map(|log_size| Domain::new(Generator::Seven, log_size)).collect()
});

const EXTENDED_LOG_SIZE: u32 = BLOB_ELEMENTS.ilog2() + 1;
const _: () = assert!(EXTENDED_LOG_SIZE <= MOST_LOG_SIZE);

/// Returns the domain of a number of points: a power of two, at most 8,192.
pub(super) fn domain(size: usize) -> &'static Domain {
    &DOMAINS[size.ilog2() as usize]
}

/// Replaces values at the roots, in bit-reversed order, by the coefficients.
pub(super) fn coefficients(mut values: Vec<Fr>) -> Vec<Fr> {
    let domain = domain(values.len());
    domain.interpolate_reversed(Ring::Cyclic, &mut values);
    scale(&mut values, domain.size_inverse());
    values
}

/// Returns the values of the second half of the extended blob.
pub(super) fn extension(coefficients: &[Fr]) -> Vec<Fr> {
    let mut values = coefficients.to_vec();
    domain(values.len()).evaluate_reversed(Ring::Negacyclic, &mut values);
    values
}

/// Returns the values of a polynomial at the roots of a domain, in bit-reversed order; it may have
/// more coefficients than there are roots.
pub(super) fn values_at_roots(coefficients: &[Fr], size: usize) -> Vec<Fr> {
    let mut values = vec![Fr::ZERO; size];
    for part in coefficients.chunks(size) {
        values.iter_mut().zip(part).for_each(|(value, part)| *value += *part);
    }
    domain(size).evaluate_reversed(Ring::Cyclic, &mut values);
    values
}

/// Multiplies all elements by a factor.
pub(super) fn scale(elements: &mut [Fr], factor: Fr) {
    elements.iter_mut().for_each(|element| *element *= factor);
}

/// Multiplies element i by gⁱ.
pub(super) fn scale_by_powers(elements: &mut [Fr], g: Fr) {
    let mut power = Fr::ONE;
    for element in elements {
        *element *= power;
        power *= g;
    }
}
