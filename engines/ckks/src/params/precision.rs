// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The expected precision of results, estimated from the parameters.

use std::fmt;

use super::errors::{
    bootstrap_noise, double_error, fresh_error, public_error, relinearization_error,
    rounding_error, Setting,
};
use super::parameters::{Parameters, Shape};
use crate::estimate::{Noise, Origin};

/// The expected number of correct bits after the binary point, for values of absolute value up to 1
/// in all slots: −log₂ of the standard deviation of a slot's error, as in
/// [`Ciphertext::precision_bits`].
///
/// [`Ciphertext::precision_bits`]: crate::Ciphertext::precision_bits
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedPrecision {
    /// After encryption with the secret key.
    pub fresh_bits: f64,
    /// After encryption with the public key.
    pub public_bits: f64,
    /// After a bootstrap.
    pub bootstrap_bits: Option<f64>,
    /// The number of sequential products, one on each level.
    pub products: usize,
    /// After these products, each with another ciphertext. All ciphertexts are encrypted with the
    /// public key, except that the first one comes from a bootstrap if the parameters have levels
    /// for it.
    ///
    /// Errors of different ciphertexts are independent. Squaring doubles the error: after d
    /// sequential squarings up to d bits are lost.
    pub product_bits: f64,
}

impl ExpectedPrecision {
    /// Estimates the precision for the moduli of a shape.
    pub(crate) fn of(setting: &impl Setting, shape: &Shape) -> Self {
        let products = shape.fresh_level();
        let (chain, log_degree) = setting.moduli();
        let slots = 1 << (log_degree - 1);
        let scale = chain.levels[products].scale;
        let bits = |error: f64| -(error + double_error(1.0, slots)).log2();
        let public = public(setting, products, slots, "the first");
        let bootstrapped = shape.bootstrap().map(|shape| bootstrap_noise(setting, shape));
        let first = bootstrapped.clone().unwrap_or_else(|| public.clone());
        Self {
            fresh_bits: bits(fresh_error(scale, slots)),
            public_bits: bits(public.total(slots)),
            bootstrap_bits: bootstrapped.map(|noise| bits(noise.total(slots))),
            products,
            product_bits: bits(after_products(setting, products, first, slots).total(slots)),
        }
    }
}

impl fmt::Display for ExpectedPrecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fresh_bits, public_bits, products, product_bits, .. } = self;
        write!(f, "{fresh_bits:.1} bits fresh, {public_bits:.1} by the public key, ")?;
        if let Some(bits) = self.bootstrap_bits {
            write!(f, "{bits:.1} after a bootstrap, ")?;
        }
        write!(f, "{product_bits:.1} after {products} products")
    }
}

impl Parameters {
    /// The expected precision of results.
    pub fn expected_precision(&self) -> ExpectedPrecision {
        ExpectedPrecision::of(self, self.shape())
    }
}

/// Returns the error after one product on each level with a ciphertext of the public key, as the
/// server estimates it.
fn after_products(setting: &impl Setting, level: usize, first: Noise, slots: usize) -> Noise {
    let levels = &setting.moduli().0.levels;
    (1..=level).rev().fold(first, |running, level| {
        let [below, at] = [&levels[level - 1], &levels[level]];
        let product =
            running.product(1.0, &public(setting, level, slots, "another"), 1.0, [slots, 1]);
        let of = |what| Origin::derived(what, [Origin::integer(level as i64)]);
        let switching = relinearization_error(setting, &at.basis, at.scale * at.scale, slots);
        product
            .with(of("switch"), switching)
            .with(of("rescale"), rounding_error(setting, below.scale, slots))
    })
}

/// The error of a vector that is encrypted with the public key at a level.
fn public(setting: &impl Setting, level: usize, slots: usize, which: &str) -> Noise {
    let scale = setting.moduli().0.levels[level].scale;
    let origin = Origin::derived(which, [Origin::integer(level as i64)]);
    Noise::source(origin, public_error(setting, scale, slots)).with_rest(double_error(1.0, slots))
}
