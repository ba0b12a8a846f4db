// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps in two rounds: the second bootstraps the error of the first (Bae, Cheon, Cho, Kim,
//! Kim, "META-BTS: bootstrapping precision beyond the limit", CCS 2022).
//!
//! A first round maps a message m of the lowest level to m + e. Brought back there and subtracted
//! from the input, the result gives −e; an exact product with 2^k makes −e as large as a message,
//! and a second round maps it to −2^k·e + e'. The results of both rounds have a scale 2^k times
//! smaller than that of the user's levels: on that scale 2^k·(m + e) + (−2^k·e + e') represents m +
//! 2^−k·e', without a division or a level for it.

use super::encoded::{note, EncodedForm};
use super::error::BootstrapError;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, Evaluator};
use crate::params::size_of_error;

/// Bootstraps values of absolute value up to 1 to the level that a bootstrap gives, in the number
/// of rounds of the parameters.
///
/// # Errors
/// [`BootstrapError`] if the evaluator lacks a key.
pub(super) fn bootstrap(
    form: &EncodedForm,
    evaluator: &Evaluator,
    a: &Ciphertext,
) -> Result<Ciphertext, BootstrapError> {
    let gain_bits = form.shape().gain_bits();
    if gain_bits == 0 {
        return form.round(evaluator, a);
    }
    let gain = 1i64 << gain_bits;
    note(evaluator, "the first round");
    let whole = evaluator.at_level(a, 0)?;
    // The rounds reproduce the input with its errors.
    let (inherited, bound) = (whole.noise().clone(), whole.bound());
    let whole = whole.exact();
    let first = form.round(evaluator, &whole)?;
    note(evaluator, "the second round, on the error of the first");
    let returned = evaluator.at_level(&first.clone().exact(), 0)?;
    let size = size_of_error(first.noise().deviation());
    let off = evaluator.sub(&whole, &returned)?.assuming(Bound::complex(size));
    let second = form.round(evaluator, &evaluator.times(&off, gain))?;
    note(evaluator, "the sum of both");
    let first = evaluator.times(&first, gain).assuming(Bound::complex(0.0));
    let sum = evaluator.add(&first, &second)?;
    let noise = inherited.sum(&second.noise().scaled(1.0 / gain as f64));
    let scale = sum.scale() * form.shape().gain();
    Ok(sum.read_on(scale, 1.0 / gain as f64).with_noise(noise).assuming(bound))
}
