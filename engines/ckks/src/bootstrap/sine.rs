// SPDX-License-Identifier: Apache-2.0 OR MIT
//! EvalMod: sin(2π·range·x) of x in [−1, 1].

use std::f64::consts::{FRAC_1_SQRT_2, TAU};

use crate::complex::Complex;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, Evaluator};
use crate::params::BootstrapShape;
use crate::polynomial::{Accuracy, Polynomial, PolynomialError};

/// Returns cos(2π(range·x − 1/4)/2^doublings) on [−1, 1].
pub(super) fn cosine(shape: &BootstrapShape) -> Result<Polynomial, PolynomialError> {
    let divisor = (1u64 << shape.doublings) as f64;
    let range = f64::from(shape.range);
    let cosine = |x: f64| (TAU * (range * x - 0.25) / divisor).cos();
    Polynomial::approximation(cosine, (-1.0, 1.0), Accuracy::Degree(shape.degree))
}

/// Returns the sine of 2π·range·x, at the level at which SlotToCoeff begins.
pub(super) fn sine(
    evaluator: &Evaluator,
    shape: &BootstrapShape,
    cosine: &Polynomial,
    x: &Ciphertext,
) -> Result<Ciphertext, PolynomialError> {
    let level = shape.doubling_level();
    let scale = evaluator.parameters().level(level).scale;
    let mut result = evaluator.evaluate_to(x, cosine, level, scale)?;
    for _ in 0..shape.doublings {
        // The average factor of errors: the root mean square of a cosine.
        let cosine = result.assuming(Bound::real(FRAC_1_SQRT_2));
        // cos 2φ = 2·cos² φ − 1.
        let square = evaluator.mul(&cosine, &cosine)?;
        let twice = evaluator.mul_integer(&square, 2)?;
        result = evaluator.add_number(&twice, Complex::from(-1.0))?;
    }
    Ok(result.assuming(Bound::real(1.0)))
}
