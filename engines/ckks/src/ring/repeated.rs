// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Repeated factors, and sums of products with them.
//!
//! A polynomial in Y = X^r, where r is a power of two, has at ψ^(2·rev(i) + 1) its value as a
//! polynomial in Y at that power of ψ^r. This value depends only on the first bits of rev(i), not
//! on the last bits of i: in bit-reversed order, each value is repeated r times consecutively. A
//! vector with the period p slots is such a polynomial, with r = N/2p. Most diagonals of the
//! factors of a Fourier transform are such vectors, so that they need only a small part of the
//! memory and of the memory bandwidth.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;
use zeroize::Zeroize;

use super::basis::Basis;
use super::form::Form;
use super::limits::MIN_VALUES;
use super::polynomial::Polynomial;
use super::program::Operation;
use super::ring::{limb_at, limbs_by_prime, Ring, PRODUCT_BLOCK};

/// The values of a factor in Montgomery form. Each stored value represents `run` consecutive ones.
#[derive(Clone)]
pub struct Repeated {
    /// The stored values, as a polynomial of a smaller degree.
    values: Polynomial,
    run: usize,
}

impl Repeated {
    /// Creates a factor from its stored values.
    pub(super) fn new(values: Polynomial, run: usize) -> Self {
        Self { values, run }
    }

    /// The size of the stored values in bytes.
    pub fn bytes(&self) -> usize {
        self.values.basis().len() * self.values.degree() * size_of::<u32>()
    }

    /// The stored values.
    pub fn values(&self) -> &Polynomial {
        &self.values
    }

    /// Returns the stored values.
    pub(crate) fn into_values(self) -> Polynomial {
        self.values
    }

    /// The number of consecutive repetitions of each value.
    pub fn run(&self) -> usize {
        self.run
    }

    /// Returns `len` values of a prime from `start` on.
    fn block(&self, place: u16, start: usize, len: usize) -> Cow<'_, [u32]> {
        block(limb_at(&self.values, place), self.run, start, len)
    }
}

/// Returns `len` values from `start` on, where each stored value is repeated `run` times.
fn block(values: &[u32], run: usize, start: usize, len: usize) -> Cow<'_, [u32]> {
    if run == 1 {
        return Cow::Borrowed(&values[start..start + len]);
    }
    let mut block = vec![0; len];
    if run >= len {
        block.fill(values[start / run]);
    } else {
        let runs = block.chunks_exact_mut(run);
        runs.zip(&values[start / run..]).for_each(|(run, value)| run.fill(*value));
    }
    Cow::Owned(block)
}

/// Overwrites blocks of secret values that are copies.
fn wipe_blocks<'a>(blocks: impl IntoIterator<Item = Cow<'a, [u32]>>, are_secret: bool) {
    for block in blocks {
        if let (Cow::Owned(mut words), true) = (block, are_secret) {
            words.zeroize();
        }
    }
}

/// The size in bytes of a [`Repeated`] for a polynomial of this degree in X^`run`, modulo `limbs`
/// primes.
pub fn repeated_bytes(degree: usize, run: usize, limbs: usize) -> usize {
    limbs * (degree / held_run(degree, run)) * size_of::<u32>()
}

/// The number of values that each stored value represents.
pub(super) fn held_run(degree: usize, run: usize) -> usize {
    run.min((degree / MIN_VALUES).max(1))
}

impl Ring {
    /// Returns the values of a polynomial in X^`run` times 2³², as a factor for
    /// [`Self::sums_of_products`].
    ///
    /// # Panics
    /// Panics for coefficients, and if `run` is not a power of two up to N.
    pub fn repeated(&self, mut a: Polynomial, run: usize) -> Repeated {
        assert_eq!(a.form(), Form::Values, "a factor of coefficients");
        assert!(run.is_power_of_two() && run <= self.degree(), "{run} is not a valid run");
        self.scale(&mut a, |modulus| modulus.reduce(1 << 32));
        let run = held_run(self.degree(), run);
        if run == 1 {
            return Repeated { values: a, run };
        }
        let mut values = self.fresh_of(self.degree() / run, a.basis(), Form::Values);
        values.taint(a.is_secret());
        for (values, limb) in values.limbs_mut().zip(a.limbs()) {
            values.iter_mut().zip(limb.iter().step_by(run)).for_each(|(to, from)| *to = *from);
        }
        Repeated { values, run }
    }

    /// Returns several sums Σ aᵢ·bᵢ of values in a basis, each for the first and for the second
    /// polynomials of the pairs aᵢ. The aᵢ and bᵢ may have more primes. Common operands of several
    /// sums are read once.
    ///
    /// # Panics
    /// Panics for coefficients, and if a polynomial lacks one of these primes.
    pub fn sums_of_products(
        &self,
        basis: &Basis,
        all: &[Vec<([&Polynomial; 2], &Repeated)>],
    ) -> Vec<[Polynomial; 2]> {
        let is_values = |of: &&Polynomial| of.form() == Form::Values;
        let mut factors = all.iter().flatten().flat_map(|(pair, _)| pair);
        assert!(factors.all(is_values), "products of coefficients");
        let sums: Vec<SumOfProducts> = all.iter().map(|terms| SumOfProducts::new(terms)).collect();
        let results = sums.iter().map(|sum| {
            let mut result = [0, 1].map(|_| self.fresh(basis, Form::Values));
            result.iter_mut().for_each(|part| part.taint(sum.is_secret));
            result
        });
        let mut results: Vec<[Polynomial; 2]> = results.collect();
        let limbs = limbs_by_prime(results.as_flattened_mut()).into_par_iter();
        limbs.zip(basis.places()).for_each(|(mut limbs, place)| {
            for start in (0..self.degree()).step_by(PRODUCT_BLOCK) {
                let end = self.degree().min(start + PRODUCT_BLOCK);
                for (sum, limbs) in sums.iter().zip(limbs.chunks_exact_mut(2)) {
                    sum.add_up(self, *place, start..end, limbs);
                }
            }
        });
        for (terms, results) in all.iter().zip(&results) {
            for (part, result) in results.iter().enumerate() {
                let inputs = terms.iter().flat_map(|(pair, by)| [pair[part], &by.values]);
                let inputs = inputs.map(Polynomial::value);
                self.record(result, || (Operation::SumOfProducts, inputs.collect()));
            }
        }
        results
    }

    /// Returns one such sum. The second factors are in Montgomery form, with N values or with fewer
    /// values that are repeated.
    pub(super) fn sum_of_products(
        &self,
        basis: &Basis,
        pairs: &[(&Polynomial, &Polynomial)],
    ) -> Polynomial {
        let mut sum = self.fresh(basis, Form::Values);
        let are_secret = pairs.iter().any(|(a, by)| a.is_secret() || by.is_secret());
        sum.taint(are_secret);
        self.each_limb(&mut sum, |place, twiddles, limb| {
            for (index, part) in limb.chunks_mut(PRODUCT_BLOCK).enumerate() {
                let (start, len) = (index * PRODUCT_BLOCK, part.len());
                let factor = |by: &Polynomial| self.degree() / by.degree();
                let blocks = pairs.iter().map(|(a, by)| {
                    let by = block(limb_at(by, place), factor(by), start, len);
                    (&limb_at(a, place)[start..start + len], by)
                });
                let blocks: Vec<(&[u32], Cow<[u32]>)> = blocks.collect();
                let pairs: Vec<(&[u32], &[u32])> =
                    blocks.iter().map(|(a, by)| (*a, &**by)).collect();
                self.in_chunks(twiddles.modulus(), part, &pairs, are_secret, |sum, some| {
                    self.kernels.inner_product(twiddles.modulus(), sum, some);
                });
                wipe_blocks(blocks.into_iter().map(|(_, by)| by), are_secret);
            }
        });
        self.record(&sum, || {
            let inputs = pairs.iter().flat_map(|(a, by)| [a.value(), by.value()]);
            (Operation::SumOfProducts, inputs.collect())
        });
        sum
    }
}

/// The terms of a sum of products.
struct SumOfProducts<'a> {
    terms: &'a [([&'a Polynomial; 2], &'a Repeated)],
    /// The number of consecutive repetitions of a value, if it is the same for all factors.
    /// Otherwise 1, which is rare for a matrix.
    run: usize,
    is_secret: bool,
}

impl<'a> SumOfProducts<'a> {
    fn new(terms: &'a [([&'a Polynomial; 2], &'a Repeated)]) -> Self {
        let run = terms.first().map_or(1, |(_, first)| first.run);
        let is_secret = terms.iter().any(|(pair, by)| {
            by.values.is_secret() || pair.iter().any(|factor| factor.is_secret())
        });
        let run = if terms.iter().all(|(_, factor)| factor.run == run) { run } else { 1 };
        Self { terms, run, is_secret }
    }

    /// Computes the sum for some indices of the limbs of a prime: with the first polynomials of the
    /// pairs, and with the second ones.
    fn add_up(&self, ring: &Ring, place: u16, range: Range<usize>, limbs: &mut [&mut [u32]]) {
        let (run, start, len) = (self.run, range.start, range.len());
        let factors = self.terms.iter().map(|(_, factor)| match run {
            1 => factor.block(place, start, len),
            run => {
                let held = &limb_at(&factor.values, place)[start / run..];
                Cow::Borrowed(&held[..len.div_ceil(run)])
            }
        });
        let factors: Vec<Cow<[u32]>> = factors.collect();
        let modulus = ring.modulus(place);
        for (part, limb) in limbs.iter_mut().enumerate() {
            let pairs = self.terms.iter().zip(&factors);
            let pairs =
                pairs.map(|((pair, _), by)| (&limb_at(pair[part], place)[range.clone()], &**by));
            let pairs: Vec<(&[u32], &[u32])> = pairs.collect();
            let sum = &mut limb[range.clone()];
            ring.in_chunks(modulus, sum, &pairs, self.is_secret, |sum, some| match run {
                1 => ring.kernels.inner_product(modulus, sum, some),
                run => ring.kernels.inner_product_in_runs(modulus, sum, some, run),
            });
        }
        wipe_blocks(factors, self.is_secret);
    }
}
