// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The factors of a division by some primes and a multiplication by others: ⌊a · T / D⌉.

use std::collections::HashMap;

use super::conversion::Conversion;
use super::modulus::{Modulus, Shoup};

/// A division by D and a multiplication by T.
pub(super) struct Division {
    /// Converts the remainder to all primes of the quotient.
    pub conversion: Conversion,
    /// −T/D modulo the kept primes, by their positions.
    pub factors: HashMap<u16, Shoup>,
}

impl Division {
    /// Creates the division by `removed` and multiplication by `added` of residues modulo `removed`
    /// and `kept`, which also has the positions of its primes. `targets` are `kept` and `added` in
    /// the order of the quotient.
    pub fn new(
        removed: &[Modulus],
        kept: &[(u16, Modulus)],
        added: &[Modulus],
        targets: &[Modulus],
    ) -> Self {
        let conversion = Conversion::new(
            removed,
            targets,
            |modulus| modulus.product(added),
            |modulus| {
                if added.contains(&modulus) {
                    modulus.neg(modulus.inverse(modulus.product(removed)))
                } else {
                    modulus.inverse(modulus.product(added))
                }
            },
        );
        let negated = |(place, modulus): &(u16, Modulus)| {
            let inverse = modulus.inverse(modulus.product(removed));
            let quotient = modulus.mul(modulus.product(added), inverse);
            (*place, modulus.shoup(modulus.neg(quotient)))
        };
        let factors = kept.iter().map(negated).collect();
        Self { conversion, factors }
    }
}
