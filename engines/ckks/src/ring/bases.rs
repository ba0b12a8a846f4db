// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Changes of a polynomial's basis: conversion, and division by some of its primes.

use std::sync::Arc;

use halimede_arith::processor::{Maker, Processor};
use rayon::prelude::*;

use super::basis::Basis;
use super::conversion::Conversion;
use super::division::Division;
use super::finish::Finish;
use super::form::Form;
use super::polynomial::{Polynomial, Value};
use super::program::Operation;
use super::ring::{cached, limb_at, limbs_by_prime, Ring};

/// Words that a thread converts at a time: with twelve sources they fit the L1 cache of a core.
const CONVERSION_BLOCK: usize = 512;

/// The minimal size of converted limbs that are written past the caches, in words (4 MiB): their
/// first words would leave a core's share of the caches before the last ones are written.
const FAR: usize = 1 << 20;

/// The AMD family of Zen 3 and Zen 4. Of these, Zen 4 has AVX-512.
const ZEN_3_AND_4: u32 = 0x19;

/// Returns `true` if whole polynomials should be written past the caches. On Zen 4 a core writes 85
/// GB/s this way and reads 30 GB/s, and a rotation takes 6 % less time. On Zen 5 it takes longer,
/// since some of the words are still in the cache when they are read. Other processors have not
/// been measured.
fn writes_fast_past_caches(processor: &Processor) -> bool {
    let Processor { maker, family, instructions } = processor;
    *maker == Maker::Amd && *family == ZEN_3_AND_4 && instructions.avx512
}

impl Ring {
    /// Converts coefficients to another basis.
    ///
    /// # Panics
    /// Panics for values, and if `conversion` is not from the basis of `a` to `basis`.
    pub fn convert(&self, a: &Polynomial, conversion: &Conversion, basis: &Basis) -> Polynomial {
        assert_eq!(a.form, Form::Coefficients, "a conversion of values");
        let mut converted = self.fresh_from(&[a], basis, Form::Coefficients);
        self.convert_to(conversion, (a, &a.basis), &mut converted, basis);
        self.record(&converted, || {
            (Operation::of_conversion(conversion, &a.basis), vec![a.value()])
        });
        converted
    }

    /// Converts the limbs `sources` of one polynomial to the limbs `targets` of another.
    pub(super) fn convert_to(
        &self,
        conversion: &Conversion,
        (a, sources): (&Polynomial, &Basis),
        to: &mut Polynomial,
        targets: &Basis,
    ) {
        if self.is_dry() {
            return;
        }
        let from = sources.places().iter().map(|place| limb_at(a, *place));
        let from: Vec<&[u32]> = from.collect();
        let basis = to.basis.clone();
        let is_large = conversion.targets() * self.degree() >= FAR;
        let are_far = is_large && writes_fast_past_caches(&Processor::here());
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
            self.kernels.convert(conversion, &from, &mut to, are_far);
        });
    }

    /// Returns ⌊a · T / D⌉ of values, where D = Π`removed` and T = Π`added`. The result has the
    /// primes of `a` without `removed`, and those of `added`. This is rescaling, and ModDown at the
    /// end of a key switch.
    ///
    /// # Panics
    /// Panics if `a` lacks a prime of `removed` or has one of `added`.
    pub fn divide(&self, a: &Polynomial, removed: &Basis, added: &Basis) -> Polynomial {
        let [quotient] = self.divide_all([a], removed, added, &Finish::NOTHING);
        quotient
    }

    /// Like [`Self::divide`], for several polynomials with the same primes. Each prime is processed
    /// for all of them before the next. Then applies `finish` to the first two results.
    ///
    /// # Panics
    /// As in [`Self::divide`], and if the primes differ.
    pub fn divide_all<const COUNT: usize>(
        &self,
        all: [&Polynomial; COUNT],
        removed: &Basis,
        added: &Basis,
        finish: &Finish,
    ) -> [Polynomial; COUNT] {
        let from = &all[0].basis;
        assert!(all.iter().all(|a| a.basis == *from), "the polynomials have different primes");
        assert!(all.iter().all(|a| a.form == Form::Values), "a division of coefficients");
        assert!(from.contains(removed), "the polynomial lacks a prime of the divisor");
        assert!(from.common(added).is_empty(), "the polynomial already has an added prime");
        let kept = from.without(removed);
        let basis = kept.union(added);
        let division = self.division(removed, &kept, added);
        // The remainder of a·T modulo D, divided by T. Modulo an added prime: −remainder/D.
        let mut quotients = all.map(|a| {
            let rest = self.coefficients(a, removed);
            self.convert(&rest, &division.conversion, &basis)
        });
        let converted = quotients.each_ref().map(Polynomial::value);
        let finisher = self.finisher(finish);
        let mut permuted: Vec<Polynomial> = Vec::new();
        if finisher.permutes() {
            permuted.resize_with(COUNT, || self.fresh(&basis, Form::Values));
        }
        let mut targets = limbs_by_prime(&mut permuted);
        targets.resize_with(basis.len(), Vec::new);
        let limbs = limbs_by_prime(&mut quotients).into_par_iter().zip(targets);
        limbs.zip(basis.places()).for_each(|((limbs, targets), place)| {
            let mut targets = targets.into_iter();
            for (index, limb) in limbs.into_iter().enumerate() {
                self.kernels.forward(self.twiddles(*place), limb);
                if let Some(factor) = division.factors.get(place) {
                    let a = limb_at(all[index], *place);
                    self.kernels.sub_scale(self.modulus(*place), limb, a, *factor);
                }
                finisher.add(index, *place, limb);
                targets.next().into_iter().for_each(|target| finisher.permute(target, limb));
            }
        });
        for (index, quotient) in quotients.iter_mut().enumerate() {
            quotient.taint(finisher.adds_secret(index));
        }
        for (quotient, mut permuted) in quotients.iter_mut().zip(permuted) {
            permuted.taint(quotient.is_secret());
            *quotient = permuted;
        }
        for (index, (quotient, converted)) in quotients.iter_mut().zip(converted).enumerate() {
            quotient.form = Form::Values;
            if self.recorder.is_on() {
                let begun = finisher.begun(index, quotient);
                self.record_quotient(all[index], converted, &begun, &kept, &division);
                finisher.record(index, begun, quotient);
            }
        }
        quotients
    }

    /// Records the steps of a division after the conversion.
    fn record_quotient(
        &self,
        a: &Polynomial,
        converted: Value,
        quotient: &Value,
        kept: &Basis,
        division: &Division,
    ) {
        if kept.is_empty() {
            return self.recorder.push(Operation::Forward, vec![converted], quotient.clone());
        }
        let rest = self.value_in(&quotient.basis, Form::Values);
        self.recorder.push(Operation::Forward, vec![converted], rest.clone());
        let factor = |place: &u16| division.factors.get(place).map(|factor| factor.factor);
        let factors = kept.places().iter().filter_map(factor).collect();
        let operation = Operation::SubtractScale { factors };
        let inputs = vec![rest.clone(), a.value()];
        if *kept == quotient.basis {
            return self.recorder.push(operation, inputs, quotient.clone());
        }
        // There is nothing to subtract from modulo the added primes.
        let difference = self.value_in(kept, Form::Values);
        self.recorder.push(operation, inputs, difference.clone());
        self.recorder.push(Operation::Select, vec![difference, rest], quotient.clone());
    }

    /// Returns the factors of a division by some primes and a multiplication by others.
    fn division(&self, removed: &Basis, kept: &Basis, added: &Basis) -> Arc<Division> {
        let key = (removed.clone(), kept.clone(), added.clone());
        cached(&self.divisions, key, || {
            let places = kept.places().iter().map(|place| (*place, self.modulus(*place)));
            let targets = self.moduli(&kept.union(added));
            let [removed, added] = [removed, added].map(|basis| self.moduli(basis));
            Division::new(&removed, &places.collect::<Vec<_>>(), &added, &targets)
        })
    }
}

#[cfg(test)]
mod tests {
    use halimede_arith::processor::known;

    use super::writes_fast_past_caches;

    #[test]
    fn zen_4_writes_past_its_caches() {
        for processor in known::ALL_OF_THEM {
            let expected = processor == known::ZEN_4;
            assert_eq!(writes_fast_past_caches(&processor), expected, "{processor:?}");
        }
    }
}
