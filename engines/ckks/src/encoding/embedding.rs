// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The canonical embedding: the values of a real polynomial at half of the odd powers of a
//! primitive root of unity (Cheon, Kim, Kim, Song, ASIACRYPT 2017, section 3.2).
//!
//! Slot j of a polynomial of degree below 2n is its value at ζ^(5^j), where ζ = e^(iπ/2n) and j is
//! in [0, n). X → X^5 then rotates the slots by one position. With Y = Xⁿ → i the polynomial is a
//! complex one of degree below n, whose coefficient k is aₖ + i·aₖ₊ₙ, since ζ^(5^j·n) = i.

use rayon::prelude::*;

use crate::complex::Complex;

/// The minimal number of values for each thread.
const SERIAL_LEN: usize = 1 << 13;

/// The embedding of n slots, and its inverse.
pub struct Embedding {
    log_slots: u32,
    /// Factor h + j, for the stage of blocks of 2h values: e^(2πi·5^j/8h).
    roots: Vec<Complex>,
}

impl Embedding {
    /// The embedding of 2^`log_slots` slots.
    pub fn new(log_slots: u32) -> Self {
        let slots = 1usize << log_slots;
        let mut roots = vec![Complex::default(); slots.max(2)];
        let mut half = 1;
        while half < slots {
            let order = 8 * half as u64;
            let mut power = 1;
            for root in &mut roots[half..2 * half] {
                *root = Complex::root(power, order);
                power = power * 5 % order;
            }
            half *= 2;
        }
        Self { log_slots, roots }
    }

    /// The number of slots n.
    pub fn slots(&self) -> usize {
        1 << self.log_slots
    }

    /// The factors of the stage with blocks of 2·`half` values. [`Self::to_slots`] first permutes
    /// the coefficients to bit-reversed order and begins with `half` = 1. The inverse ends with
    /// that stage, and uses the conjugates of the factors.
    pub(crate) fn stage(&self, half: usize) -> &[Complex] {
        &self.roots[half..2 * half]
    }

    /// Transforms coefficients aₖ + i·aₖ₊ₙ to the values of the slots, in place.
    ///
    /// # Panics
    /// Panics if the number of coefficients is not n.
    pub fn to_slots(&self, values: &mut [Complex]) {
        assert_eq!(values.len(), self.slots(), "the number of coefficients is not n");
        self.reverse(values);
        let mut half = 1;
        while half < values.len() {
            let roots = &self.roots[half..2 * half];
            each_block(values, half, &|low, high, start| {
                let roots = &roots[start..start + low.len()];
                for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                    let product = *high * *root;
                    (*low, *high) = (*low + product, *low - product);
                }
            });
            half *= 2;
        }
    }

    /// Transforms the values of the slots to coefficients aₖ + i·aₖ₊ₙ, in place.
    ///
    /// # Panics
    /// Panics if the number of values is not n.
    pub fn to_coefficients(&self, values: &mut [Complex]) {
        assert_eq!(values.len(), self.slots(), "the number of values is not n");
        let mut half = values.len() / 2;
        while half > 0 {
            let roots = &self.roots[half..2 * half];
            each_block(values, half, &|low, high, start| {
                let roots = &roots[start..start + low.len()];
                for ((low, high), root) in low.iter_mut().zip(high).zip(roots) {
                    let difference = *low - *high;
                    *low = *low + *high;
                    *high = difference * root.conjugate();
                }
            });
            half /= 2;
        }
        self.reverse(values);
        let factor = 1.0 / values.len() as f64;
        values.iter_mut().for_each(|value| *value = *value * factor);
    }

    fn reverse(&self, values: &mut [Complex]) {
        if self.log_slots == 0 {
            return;
        }
        for place in 0..values.len() {
            let other = place.reverse_bits() >> (usize::BITS - self.log_slots);
            if place < other {
                values.swap(place, other);
            }
        }
    }
}

/// Work on the two halves of a block, or on parts of them. The last argument is the index at which
/// the parts begin.
type BlockWork<'a> = dyn Fn(&mut [Complex], &mut [Complex], usize) + Sync + 'a;

/// Calls `work` with the halves of each block of 2·`half` values, or with parts of them that begin
/// at the same index, on all cores.
fn each_block(values: &mut [Complex], half: usize, work: &BlockWork) {
    if values.len() <= SERIAL_LEN {
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            work(low, high, 0);
        }
    } else if 2 * half <= SERIAL_LEN {
        values.par_chunks_mut(SERIAL_LEN).for_each(|values| each_block(values, half, work));
    } else {
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            let parts = low.par_chunks_mut(SERIAL_LEN).zip(high.par_chunks_mut(SERIAL_LEN));
            parts.enumerate().for_each(|(part, (low, high))| work(low, high, part * SERIAL_LEN));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn random(count: usize, random: &mut ChaCha8Rng) -> Vec<Complex> {
        let mut part = || random.gen_range(-1.0..1.0);
        (0..count).map(|_| Complex::new(part(), part())).collect()
    }

    #[test]
    fn slots_are_values_at_powers_of_five_of_the_root() {
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        for log_slots in 0..8 {
            let embedding = Embedding::new(log_slots);
            let slots = embedding.slots();
            let coefficients = random(slots, &mut rng);
            let mut values = coefficients.clone();
            embedding.to_slots(&mut values);
            let mut power = 1u64;
            for value in &values {
                let mut expected = Complex::default();
                for (k, coefficient) in coefficients.iter().enumerate() {
                    let order = 4 * slots as u64;
                    let monomial = |k: usize| Complex::root(power * k as u64 % order, order);
                    expected = expected + monomial(k) * coefficient.re;
                    expected = expected + monomial(k + slots) * coefficient.im;
                }
                assert!((expected - *value).abs() < 1e-12, "{slots} slots");
                power = power * 5 % (4 * slots as u64);
            }
        }
    }

    #[test]
    fn large_ones_are_inverse_to_each_other() {
        let mut rng = ChaCha8Rng::seed_from_u64(6);
        for log_slots in [10, 13, 15] {
            let embedding = Embedding::new(log_slots);
            let values = random(embedding.slots(), &mut rng);
            let mut there = values.clone();
            embedding.to_coefficients(&mut there);
            let largest = there.iter().map(|value| value.abs()).fold(0.0, f64::max);
            assert!(largest < 0.5, "coefficients of random slots are small: {largest}");
            embedding.to_slots(&mut there);
            let error = there.iter().zip(&values).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
            assert!(error < 2f64.powi(-46), "{error}");
        }
    }

    #[test]
    fn roots_are_as_precise_as_doubles() {
        for denominator in [4, 8, 64, 1 << 17] {
            for numerator in [0, 1, 3, denominator / 8, denominator / 4, denominator - 1] {
                let root = Complex::root(numerator, denominator);
                assert!((root.abs() - 1.0).abs() < 3e-16);
                let angle = 2.0 * std::f64::consts::PI * numerator as f64 / denominator as f64;
                assert!((root - Complex::new(angle.cos(), angle.sin())).abs() < 1e-15);
            }
        }
    }
}
