// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Polynomials taken from one basis to another: extended to more primes, divided by some.

use std::collections::HashMap;
use std::sync::Arc;

use rayon::prelude::*;

use super::basis::Basis;
use super::conversion::Conversion;
use super::modulus::Shoup;
use super::polynomial::{Form, Polynomial};
use super::ring::{cached, limb_at, Ring};
use super::trace::Operation;

/// Words that a thread converts at a time: with twelve sources they fit in a core's first cache.
const CONVERSION_BLOCK: usize = 512;

/// A division by some primes and multiplication by others.
pub(super) struct Division {
    /// The remainder to all primes of the quotient.
    conversion: Conversion,
    /// −T/D modulo the primes that stay, by their places.
    factors: HashMap<u16, Shoup>,
}

impl Ring {
    /// The coefficients converted to another basis.
    ///
    /// # Panics
    /// For values, and where the conversion is not from a's basis to `basis`.
    pub fn convert(&self, a: &Polynomial, conversion: &Conversion, basis: &Basis) -> Polynomial {
        assert_eq!(a.form, Form::Coefficients, "a conversion of values");
        let mut converted = self.fresh(basis, Form::Coefficients);
        let from: Vec<&[u32]> = a.limbs().collect();
        self.convert_to(conversion, &from, &mut converted, basis);
        let operation = Operation::Convert { sources: a.basis.len() as u16 };
        self.record(operation, basis.len(), &[a], &converted);
        converted
    }

    /// Writes what a conversion gives into the limbs of `targets`.
    fn convert_to(
        &self,
        conversion: &Conversion,
        from: &[&[u32]],
        to: &mut Polynomial,
        targets: &Basis,
    ) {
        let basis = to.basis.clone();
        let mut blocks: Vec<Vec<&mut [u32]>> = Vec::new();
        blocks.resize_with(self.degree().div_ceil(CONVERSION_BLOCK), Vec::new);
        for (limb, place) in to.limbs_mut().zip(basis.places()) {
            if targets.limb_of(*place).is_some() {
                for (block, part) in blocks.iter_mut().zip(limb.chunks_mut(CONVERSION_BLOCK)) {
                    block.push(part);
                }
            }
        }
        blocks.into_par_iter().enumerate().for_each(|(block, mut to)| {
            let start = block * CONVERSION_BLOCK;
            let end = self.degree().min(start + CONVERSION_BLOCK);
            let from: Vec<&[u32]> = from.iter().map(|limb| &limb[start..end]).collect();
            self.kernels.convert(conversion, &from, &mut to);
        });
    }

    /// The number of least absolute value that a polynomial is modulo the primes of `part`, as
    /// values modulo those of `basis`.
    ///
    /// # Panics
    /// Where the polynomial, whose coefficients and values are given, does not have those primes, or
    /// `basis` has them not.
    pub fn extend(
        &self,
        coefficients: &Polynomial,
        values: &Polynomial,
        part: &Basis,
        basis: &Basis,
    ) -> Polynomial {
        assert_eq!((coefficients.form, values.form), (Form::Coefficients, Form::Values));
        assert!(basis.contains(part), "a part of other primes");
        let others = basis.without(part);
        let key = (part.clone(), others.clone(), Basis::new([]));
        let conversion = cached(&self.conversions, key, || {
            Conversion::new(&self.moduli(part), &self.moduli(&others), |_| 1, |_| 1)
        });
        let mut extended = self.fresh(basis, Form::Values);
        let from: Vec<&[u32]> =
            part.places().iter().map(|place| limb_at(coefficients, *place)).collect();
        self.convert_to(&conversion, &from, &mut extended, &others);
        self.each_limb(&mut extended, |place, twiddles, limb| match part.limb_of(place) {
            Some(_) => limb.copy_from_slice(limb_at(values, place)),
            None => self.kernels.forward(twiddles, limb),
        });
        let operation = Operation::Convert { sources: part.len() as u16 };
        self.record(operation, others.len(), &[coefficients], &extended);
        self.record(Operation::Forward, others.len(), &[&extended], &extended);
        extended
    }

    /// ⌊a · T / D⌉ of values, modulo a's primes without those of D = Π`removed` and with those of
    /// T = Π`added`: rescaling, and the division that ends a key switch.
    ///
    /// # Panics
    /// Where not all of `removed` are primes of a, or some of `added` are.
    pub fn divide(&self, a: &Polynomial, removed: &Basis, added: &Basis) -> Polynomial {
        let [quotient] = self.divide_all([a], removed, added);
        quotient
    }

    /// [`Self::divide`] of several polynomials of the same primes, each of which is worked on for all
    /// of them before the next.
    ///
    /// # Panics
    /// As there, and where one has other primes.
    pub fn divide_all<const COUNT: usize>(
        &self,
        all: [&Polynomial; COUNT],
        removed: &Basis,
        added: &Basis,
    ) -> [Polynomial; COUNT] {
        let from = &all[0].basis;
        assert!(all.iter().all(|a| a.basis == *from), "polynomials of different primes");
        assert!(all.iter().all(|a| a.form == Form::Values), "a division of coefficients");
        assert!(from.contains(removed), "division by a prime that is not there");
        assert!(from.common(added).is_empty(), "a prime is added that is there");
        let kept = from.without(removed);
        let basis = kept.union(added);
        let division = self.division(removed, &kept, added);
        // The remainder of a·T modulo D, divided by T; modulo an added prime, −remainder/D.
        let mut quotients = all.map(|a| {
            let mut rest = self.restrict(a, removed);
            self.inverse(&mut rest);
            self.convert(&rest, &division.conversion, &basis)
        });
        self.each_limb_of(&mut quotients, |index, place, twiddles, limb| {
            self.kernels.forward(twiddles, limb);
            if let Some(factor) = division.factors.get(&place) {
                let modulus = twiddles.modulus();
                self.kernels.sub_scale(modulus, limb, limb_at(all[index], place), *factor);
            }
        });
        for (quotient, a) in quotients.iter_mut().zip(all) {
            quotient.form = Form::Values;
            self.record(Operation::Forward, basis.len(), &[quotient], quotient);
            self.record(Operation::Scale, kept.len(), &[a, quotient], quotient);
        }
        quotients
    }

    /// What a division by some primes and multiplication by others needs.
    fn division(&self, removed: &Basis, kept: &Basis, added: &Basis) -> Arc<Division> {
        let key = (removed.clone(), kept.clone(), added.clone());
        cached(&self.divisions, key, || {
            let (divisors, factors) = (self.moduli(removed), self.moduli(added));
            let conversion = Conversion::new(
                &divisors,
                &self.moduli(&kept.union(added)),
                |modulus| modulus.product(&factors),
                |modulus| {
                    if factors.contains(&modulus) {
                        modulus.neg(modulus.inverse(modulus.product(&divisors)))
                    } else {
                        modulus.inverse(modulus.product(&factors))
                    }
                },
            );
            let negated = |place: &u16| {
                let modulus = self.modulus(*place);
                let inverse = modulus.inverse(modulus.product(&divisors));
                let quotient = modulus.mul(modulus.product(&factors), inverse);
                (*place, modulus.shoup(modulus.neg(quotient)))
            };
            let factors = kept.places().iter().map(negated).collect();
            Division { conversion, factors }
        })
    }
}
