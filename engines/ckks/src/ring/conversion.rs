// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Conversions of residues from some moduli to others.
//!
//! x modulo B = Πbᵢ is Σ yᵢ·(B/bᵢ) − v·B, where yᵢ = xᵢ·(B/bᵢ)⁻¹ mod bᵢ and v is the integer part
//! of Σ yᵢ/bᵢ (Halevi, Polyakov, Shoup, "An improved RNS variant of the BFV homomorphic encryption
//! scheme", CT-RSA 2019, section 2.2). Rounding Σ yᵢ/bᵢ to the nearest integer instead produces the
//! x of least absolute value. The sum is computed in fixed point with 59 fractional bits, so that
//! every device rounds identically. If x is within 2⁻²³·B of ±B/2, either sign may result, but
//! always the same one.
//! the same.

use super::modulus::{Modulus, Shoup};

/// Fractional bits of Σ yᵢ/bᵢ.
pub(super) const FRACTION_BITS: u32 = 59;
/// The maximal number of source moduli: their sum stays below 2⁶⁴.
pub const MAX_SOURCES: usize = 24;

/// A conversion of residues modulo some primes to others, with a factor on each side.
#[derive(Clone, Debug)]
pub struct Conversion {
    pub(super) sources: Vec<Source>,
    pub(super) targets: Vec<Target>,
    /// For each target, (B/bᵢ)·factor for each source, in Montgomery form.
    pub(super) factors: Vec<u32>,
    /// The factors before and after the conversion, modulo the sources and the targets.
    given: [Vec<u32>; 2],
}

/// The constants of a source modulus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    pub modulus: Modulus,
    /// (B/bᵢ)⁻¹ · factor.
    pub ready: Shoup,
    /// 30 minus the number of bits of bᵢ: yᵢ · 2^shift is below 2³⁰.
    pub shift: u32,
    /// ⌊2^59 / (bᵢ·2^shift)⌋, below 2³⁰.
    pub reciprocal: u32,
}

/// The constants of a target modulus.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub modulus: Modulus,
    /// −B·factor, in Montgomery form.
    pub overflow: u32,
}

impl Conversion {
    /// Creates a conversion with a factor on each side: a number is multiplied by `source_factor`
    /// before it is reduced to least absolute value, and by `target_factor` afterwards.
    ///
    /// # Panics
    /// Panics for no sources, or for more than [`MAX_SOURCES`].
    pub fn new(
        sources: &[Modulus],
        targets: &[Modulus],
        source_factor: impl Fn(Modulus) -> u32,
        target_factor: impl Fn(Modulus) -> u32,
    ) -> Self {
        assert!((1..=MAX_SOURCES).contains(&sources.len()), "{} sources", sources.len());
        let product = |modulus: Modulus, leave_out: Option<usize>| {
            let factors = sources.iter().enumerate().filter(|(i, _)| Some(*i) != leave_out);
            modulus.product(factors.map(|(_, by)| by))
        };
        let source = |(i, modulus): (usize, &Modulus)| {
            let cofactor = modulus.inverse(product(*modulus, Some(i)));
            let shift = 30 - modulus.barrett().0;
            let reciprocal = (1u64 << (FRACTION_BITS - shift)) / u64::from(modulus.value());
            Source {
                modulus: *modulus,
                ready: modulus.shoup(modulus.mul(cofactor, source_factor(*modulus))),
                shift,
                reciprocal: reciprocal as u32,
            }
        };
        let scaled = |modulus: Modulus, number: u32| {
            modulus.to_montgomery(modulus.mul(number, target_factor(modulus)))
        };
        let target = |modulus: &Modulus| Target {
            modulus: *modulus,
            overflow: scaled(*modulus, modulus.neg(product(*modulus, None))),
        };
        let factors = targets.iter().flat_map(|modulus| {
            (0..sources.len()).map(move |i| scaled(*modulus, product(*modulus, Some(i))))
        });
        Self {
            sources: sources.iter().enumerate().map(source).collect(),
            targets: targets.iter().map(target).collect(),
            factors: factors.collect(),
            given: [
                sources.iter().map(|modulus| source_factor(*modulus)).collect(),
                targets.iter().map(|modulus| target_factor(*modulus)).collect(),
            ],
        }
    }

    /// The number of source moduli.
    pub fn sources(&self) -> usize {
        self.sources.len()
    }

    /// The number of target moduli.
    pub fn targets(&self) -> usize {
        self.targets.len()
    }

    /// The factors before and after the conversion, modulo the sources and the targets.
    pub(super) fn given(&self) -> &[Vec<u32>; 2] {
        &self.given
    }

    /// The factors of a target, one for each source.
    pub(super) fn factors_of(&self, target: usize) -> &[u32] {
        &self.factors[target * self.sources.len()..][..self.sources.len()]
    }
}
