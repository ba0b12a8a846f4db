// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The exact change of modulus and scale of the masked polynomial of a refresh. It is public.

use super::masking::Mask;
use crate::ring::{Basis, Form, Modulus, Polynomial, Ring};

/// An integer of least absolute value modulo Q, in mixed radix (Garner): x = d₀ + q₀·(d₁ + q₁·(d₂ +
/// …)), less Q if `is_negative`.
struct Integers<'m> {
    moduli: &'m [Modulus],
    /// The digits of each integer, one after another.
    digits: Vec<u32>,
    are_negative: Vec<bool>,
}

impl<'m> Integers<'m> {
    fn of(moduli: &'m [Modulus], a: &Polynomial) -> Self {
        let count = moduli.len();
        let products = |index: usize| moduli[index].product(&moduli[..index]);
        let inverses: Vec<u32> =
            (0..count).map(|index| moduli[index].inverse(products(index))).collect();
        let to_digits = |residue: &dyn Fn(usize) -> u32, digits: &mut [u32]| {
            for (index, modulus) in moduli.iter().enumerate() {
                let below = horner(&digits[..index], moduli, *modulus);
                let digit = modulus.sub(residue(index), below);
                digits[index] = modulus.mul(digit, inverses[index]);
            }
        };
        // (Q − 1)/2, the largest positive number.
        let mut half = vec![0; count];
        let of_half = |index: usize| {
            let modulus: Modulus = moduli[index];
            modulus.mul(modulus.neg(1), modulus.inverse(2))
        };
        to_digits(&of_half, &mut half);
        let mut digits = vec![0; count * a.degree()];
        for (place, digits) in digits.chunks_exact_mut(count).enumerate() {
            to_digits(&|index| a.limb(index)[place], digits);
        }
        let is_negative = |digits: &[u32]| digits.iter().rev().gt(half.iter().rev());
        let are_negative = digits.chunks_exact(count).map(is_negative).collect();
        Self { moduli, digits, are_negative }
    }

    fn each(&self) -> impl Iterator<Item = (&[u32], bool)> {
        self.digits.chunks_exact(self.moduli.len()).zip(self.are_negative.iter().copied())
    }

    /// The integers modulo 2^`bits`, at most 2⁶³.
    fn low_bits(&self, bits: u32) -> Vec<u64> {
        let word = |(digit, modulus): (u32, u32), more: u64| {
            more.wrapping_mul(modulus.into()).wrapping_add(digit.into())
        };
        let values: Vec<u32> = self.moduli.iter().map(|modulus| modulus.value()).collect();
        let whole = values.iter().fold(1u64, |product, by| product.wrapping_mul((*by).into()));
        let low = |(digits, is_negative): (&[u32], bool)| {
            let pairs = digits.iter().copied().zip(values.iter().copied());
            let number = pairs.rev().fold(0, |more, pair| word(pair, more));
            let number = if is_negative { number.wrapping_sub(whole) } else { number };
            number & ((1 << bits) - 1)
        };
        self.each().map(low).collect()
    }
}

/// Evaluates the digits of a number in mixed radix modulo another prime.
fn horner(digits: &[u32], moduli: &[Modulus], modulus: Modulus) -> u32 {
    digits.iter().zip(moduli).rev().fold(0, |more, (digit, by)| {
        let shifted = modulus.mul(more, modulus.reduce(by.value().into()));
        modulus.add(shifted, modulus.reduce((*digit).into()))
    })
}

/// Returns f(u) modulo the primes of `basis` for the coefficients u of least absolute value, where
/// f is the change of scale of a mask.
pub(super) fn lift(ring: &Ring, masked: &Polynomial, basis: &Basis, mask: &Mask) -> Polynomial {
    let moduli = ring.moduli(masked.basis());
    let integers = Integers::of(&moduli, masked);
    let lower = integers.low_bits(mask.shift);
    ring.from_places(basis, Form::Coefficients, |_, modulus, limb| {
        let whole = modulus.product(&moduli);
        let (inverse, factor) =
            (modulus.inverse(modulus.pow(2, mask.shift.into())), modulus.reduce(mask.factor));
        let by = modulus.mul(inverse, factor);
        for ((residue, (digits, is_negative)), lower) in
            limb.iter_mut().zip(integers.each()).zip(&lower)
        {
            let number = horner(digits, &moduli, modulus);
            let number = if is_negative { modulus.sub(number, whole) } else { number };
            // u = h·2ˢ + l, and f(u) = p·h + ⌊p·l/2ˢ + ½⌋.
            let high = modulus.sub(number, modulus.reduce(*lower));
            let rounded = modulus.reduce(mask.rounded(*lower));
            *residue = modulus.add(modulus.mul(high, by), rounded);
        }
    })
}
