// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inverses: one by Fermat's little theorem, many by Montgomery's trick.

use super::limbs::sub_limbs;
use super::{Field, Modulus};

impl<M: Modulus> Field<M> {
    /// self⁻¹ = self^(p−2), or `None` for zero.
    #[must_use]
    pub fn inverse(&self) -> Option<Self> {
        if self.is_zero() {
            return None;
        }
        let (exponent, _) = sub_limbs(M::VALUE, [2, 0, 0, 0]);
        Some(self.pow(&exponent))
    }
}

/// Replaces each element by its inverse with one inversion and 3(n−1) multiplications; zeros stay
/// zero (Montgomery, "Speeding the Pollard and elliptic curve methods", 1987, §10.3.1).
pub fn batch_inverse<M: Modulus>(elements: &mut [Field<M>]) {
    let mut prefixes = Vec::with_capacity(elements.len());
    let mut product = Field::ONE;
    for element in elements.iter().filter(|element| !element.is_zero()) {
        prefixes.push(product);
        product *= *element;
    }
    let Some(mut inverse) = product.inverse() else {
        return; // a product of non-zero elements of a field is never zero
    };
    for element in elements.iter_mut().rev().filter(|element| !element.is_zero()) {
        let Some(prefix) = prefixes.pop() else { return };
        let next = inverse * *element;
        *element = inverse * prefix;
        inverse = next;
    }
}
