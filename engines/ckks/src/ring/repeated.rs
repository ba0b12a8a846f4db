// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Factors that repeat themselves, and sums of products with them.
//!
//! A polynomial in Y = X^r, r a power of two, has at ψ^(2·rev(i) + 1) the value that it has as one
//! in Y at ψ^r to that power, which only the first bits of rev(i) matter for, the last ones of i
//! not: in bit-reversed order each value stands r times in a row. A vector that repeats itself
//! after p slots is such a polynomial, r = N/2p: most diagonals of the factors of a Fourier
//! transform are, and take a small part of the memory and of the reading.

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

/// The values of a factor in Montgomery form, each of which stands for `run` in a row.
#[derive(Clone)]
pub struct Repeated {
    /// Of a smaller degree: the values that are held.
    values: Polynomial,
    run: usize,
}

impl Repeated {
    /// A factor of such values.
    pub(super) fn new(values: Polynomial, run: usize) -> Self {
        Self { values, run }
    }

    /// Bytes of the values that are held.
    pub fn bytes(&self) -> usize {
        self.values.basis().len() * self.values.degree() * size_of::<u32>()
    }

    /// The values that are held.
    pub fn values(&self) -> &Polynomial {
        &self.values
    }

    /// The values that are held, by themselves.
    pub(crate) fn into_values(self) -> Polynomial {
        self.values
    }

    /// How often each value stands in a row.
    pub fn run(&self) -> usize {
        self.run
    }

    /// The values of a prime from `start` on, as many as there are in a block.
    fn block(&self, place: u16, start: usize, len: usize) -> Cow<'_, [u32]> {
        block(limb_at(&self.values, place), self.run, start, len)
    }
}

/// The values from `start` on, as many as there are in a block, of which each stands `run` times.
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

/// Overwrites blocks of secret values, where they are copies.
fn wipe_blocks<'a>(blocks: impl IntoIterator<Item = Cow<'a, [u32]>>, are_secret: bool) {
    for block in blocks {
        if let (Cow::Owned(mut words), true) = (block, are_secret) {
            words.zeroize();
        }
    }
}

/// The bytes that [`Repeated`] takes of a polynomial in X^`run` of a degree, modulo `limbs` primes.
pub fn repeated_bytes(degree: usize, run: usize, limbs: usize) -> usize {
    limbs * (degree / held_run(degree, run)) * size_of::<u32>()
}

/// For how many values one is held.
pub(super) fn held_run(degree: usize, run: usize) -> usize {
    run.min((degree / MIN_VALUES).max(1))
}

impl Ring {
    /// The values of a polynomial in X^`run` times 2³², to be multiplied by
    /// ([`Self::sums_of_products`]).
    ///
    /// # Panics
    /// For coefficients, and for a run that is no power of two up to N.
    pub fn repeated(&self, mut a: Polynomial, run: usize) -> Repeated {
        assert_eq!(a.form(), Form::Values, "a factor of coefficients");
        assert!(run.is_power_of_two() && run <= self.degree(), "runs of {run} values");
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

    /// Several sums Σ aᵢ·bᵢ of values in a basis, each for the first and for the second of each pair
    /// of aᵢ, which may have more primes, as may the bᵢ. What several sums have in common is read once.
    ///
    /// # Panics
    /// For coefficients and for polynomials without those primes.
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

    /// One such sum; the second factors are in Montgomery form, of N values or of fewer that repeat
    /// themselves.
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
    /// How often a value of every factor stands in a row; 1 where factors differ in it, which those
    /// of a matrix seldom do.
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

    /// The sum for some places of the limbs of a prime: those of the first of each pair, and those of
    /// the second.
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
