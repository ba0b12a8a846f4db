// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The quotient h of a proof: A·B − C = h·(x^n − 1), where A, B and C are the polynomials of the
//! values of constraints at the n powers of ω.
//!
//! Modulo x^n + 1, A·B is C − 2h. So h takes the coefficients of A, B and C, the values of A and B
//! modulo x^n + 1, and the coefficients of their product: six transforms. No element is permuted
//! but the values at the beginning.

use halimede_arith::transform::{bit_reverse, Domain, Ring};
use halimede_arith::Fr;
use rayon::prelude::*;

use super::Secrets;

/// The number of elements that a thread multiplies at a time.
const PART: usize = 1 << 12;

/// Returns n times the coefficients of the polynomial with these values at 1, ω, ω², …
fn coefficients(domain: &Domain, mut values: Secrets) -> Secrets {
    values.resize(domain.size());
    bit_reverse(&mut values);
    domain.interpolate_reversed(Ring::Cyclic, &mut values);
    values
}

/// Replaces each element by a function of it and the element at the same index of another list.
fn combine(to: &mut [Fr], from: &[Fr], function: impl Fn(Fr, Fr) -> Fr + Sync) {
    to.par_chunks_mut(PART).zip(from.par_chunks(PART)).for_each(|(to, from)| {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = function(*to, *from));
    });
}

/// Returns the n − 1 lower coefficients of h; the last one is 0 if the constraints hold.
///
/// # Panics
/// If there are more than n constraints.
pub fn of_powers(domain: &Domain, [a, b, c]: [Secrets; 3]) -> Secrets {
    let mut product = product_modulo_plus_one(domain, a, b);
    domain.interpolate_reversed(Ring::Negacyclic, &mut product);
    let c = coefficients(domain, c);
    // `product` is n³ times A·B modulo x^n + 1, and `c` n times C.
    let inverse = domain.size_inverse();
    let half = Domain::half();
    let (of_c, of_product) = (half * inverse, half * inverse * inverse * inverse);
    combine(&mut product, &c, |product, c| c * of_c - product * of_product);
    product.resize(domain.size() - 1);
    product
}

/// Returns the values of A·B − C at the points of x^n + 1, in bit-reversed order.
///
/// # Panics
/// If there are more than n constraints.
pub fn on_coset(domain: &Domain, [a, b, c]: [Secrets; 3]) -> Secrets {
    let mut product = product_modulo_plus_one(domain, a, b);
    let mut c = coefficients(domain, c);
    domain.evaluate_reversed(Ring::Negacyclic, &mut c);
    let inverse = domain.size_inverse();
    let square = inverse.square();
    combine(&mut product, &c, |product, c| product * square - c * inverse);
    product
}

/// Returns n² times the values of A·B at the points of x^n + 1, in bit-reversed order.
fn product_modulo_plus_one(domain: &Domain, a: Secrets, b: Secrets) -> Secrets {
    let mut a = coefficients(domain, a);
    domain.evaluate_reversed(Ring::Negacyclic, &mut a);
    let mut b = coefficients(domain, b);
    domain.evaluate_reversed(Ring::Negacyclic, &mut b);
    combine(&mut a, &b, |a, b| a * b);
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use halimede_arith::transform::Generator;

    fn value_at(coefficients: &[Fr], x: Fr) -> Fr {
        coefficients.iter().rev().fold(Fr::ZERO, |value, coefficient| value * x + *coefficient)
    }

    fn interpolated(domain: &Domain, values: &[Fr]) -> Vec<Fr> {
        let mut values = values.to_vec();
        values.resize(domain.size(), Fr::ZERO);
        domain.interpolate(&mut values);
        values
    }

    /// The defining equation at a point outside the domain, and the same value from the coset.
    #[test]
    fn the_quotient_satisfies_its_equation() {
        for (log_size, missing) in [(0, 0), (1, 0), (1, 1), (3, 0), (5, 9), (10, 100), (13, 1)] {
            let domain = Domain::new(Generator::Seven, log_size).unwrap();
            let count = domain.size() - missing;
            let mut x = Fr::from(u64::from(log_size) + 3);
            let mut next = || {
                x = x.square() + Fr::from(5);
                x
            };
            let a: Vec<Fr> = (0..count).map(|_| next()).collect();
            let b: Vec<Fr> = (0..count).map(|_| next()).collect();
            let c: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| *a * *b).collect();
            let lists = || [&a, &b, &c].map(|list| Secrets::from(list.clone()));
            let h = of_powers(&domain, lists());
            assert_eq!(h.len(), domain.size() - 1);
            let point = Fr::from(0x1234_5678_9abc);
            let at = |list: &[Fr], point| value_at(&interpolated(&domain, list), point);
            let vanishing = |x: Fr| x.pow(&[domain.size() as u64]) - Fr::ONE;
            let left = at(&a, point) * at(&b, point) - at(&c, point);
            assert_eq!(left, value_at(&h, point) * vanishing(point), "{log_size} {missing}");

            let mut coset = on_coset(&domain, lists());
            bit_reverse(&mut coset);
            let mut point = Generator::Seven.root_of_order(log_size + 1);
            for value in coset.iter().take(50) {
                assert_eq!(*value, value_at(&h, point) * vanishing(point));
                point *= domain.root();
            }
        }
    }
}
