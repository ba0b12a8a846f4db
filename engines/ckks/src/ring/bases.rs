// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Changes of a polynomial's basis: conversion, and division by some primes.

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

/// Words that a thread converts at a time: with twelve sources they fit in a core's first cache.
const CONVERSION_BLOCK: usize = 512;

/// From how many words on converted limbs are written past the caches, 4 MiB: the first would not
/// be in a core's share of them any more when all have been written.
const FAR: usize = 1 << 20;

/// AMD's family of Zen 3 and Zen 4, of which Zen 4 has AVX-512.
const ZEN_3_AND_4: u32 = 0x19;

/// Whether words of whole polynomials are written faster past the caches. A core of Zen 4 writes
/// 85 GB/s so and reads 30 GB/s: a rotation takes 6 % less. On Zen 5 it took longer, since a part
/// of the words is still in the cache when it is read; elsewhere it has not been measured.
fn writes_fast_past_caches(processor: &Processor) -> bool {
    let Processor { maker, family, instructions } = processor;
    *maker == Maker::Amd && *family == ZEN_3_AND_4 && instructions.avx512
}

impl Ring {
    /// The coefficients converted to another basis.
    ///
    /// # Panics
    /// For values, and where the conversion is not from a's basis to `basis`.
    pub fn convert(&self, a: &Polynomial, conversion: &Conversion, basis: &Basis) -> Polynomial {
        assert_eq!(a.form, Form::Coefficients, "a conversion of values");
        let mut converted = self.fresh_from(&[a], basis, Form::Coefficients);
        self.convert_to(conversion, (a, &a.basis), &mut converted, basis);
        self.record(&converted, || {
            (Operation::of_conversion(conversion, &a.basis), vec![a.value()])
        });
        converted
    }

    /// Converts a polynomial's limbs of `sources` to another's of `targets`.
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

    /// ⌊a · T / D⌉ of values, modulo a's primes without those of D = Π`removed` and with those of
    /// T = Π`added`: rescaling, and the division that ends a key switch.
    ///
    /// # Panics
    /// Where not all of `removed` are primes of a, or some of `added` are.
    pub fn divide(&self, a: &Polynomial, removed: &Basis, added: &Basis) -> Polynomial {
        let [quotient] = self.divide_all([a], removed, added, &Finish::NOTHING);
        quotient
    }

    /// [`Self::divide`] of several polynomials of the same primes, each of which is worked on for
    /// all of them before the next, and what a finish makes of the first two.
    ///
    /// # Panics
    /// As there, and where one has other primes.
    pub fn divide_all<const COUNT: usize>(
        &self,
        all: [&Polynomial; COUNT],
        removed: &Basis,
        added: &Basis,
        finish: &Finish,
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

    /// Records what a division does after the conversion.
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
        // Modulo the primes that are added there is nothing to subtract from.
        let difference = self.value_in(kept, Form::Values);
        self.recorder.push(operation, inputs, difference.clone());
        self.recorder.push(Operation::Select, vec![difference, rest], quotient.clone());
    }

    /// What a division by some primes and multiplication by others needs.
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
