// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The four parts, one after the other.

use std::f64::consts::TAU;

use super::keys::BootstrapKeys;
use super::shape::BootstrapShape;
use super::{fourier, sine};
use crate::ciphertext::Ciphertext;
use crate::encoding::{Embedding, Encoder};
use crate::estimate::Estimate;
use crate::evaluator::{EvaluationError, Evaluator};
use crate::linear::{Diagonals, LinearError, LinearTransform};
use crate::params::{Parameters, Scale};
use crate::polynomial::{Polynomial, PolynomialError};

/// The matrices and the polynomial of a bootstrap, encoded.
pub struct Bootstrapper {
    shape: BootstrapShape,
    /// By what the message is multiplied before its modulus is raised.
    factor: i64,
    coeff_to_slot: Vec<LinearTransform>,
    cosine: Polynomial,
    slot_to_coeff: Vec<LinearTransform>,
}

/// Why there is no such bootstrap.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BootstrapError {
    /// The parameters have other levels.
    #[error("the parameters are not those of this bootstrap: make them from its chain")]
    Parameters,
    /// A matrix cannot be encoded.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// There is no such cosine.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
}

impl Bootstrapper {
    /// Encodes what a bootstrap needs.
    ///
    /// # Errors
    /// [`BootstrapError`] for parameters that were not made from the shape's chain.
    pub fn new(encoder: &Encoder, shape: &BootstrapShape) -> Result<Self, BootstrapError> {
        let parameters = encoder.parameters();
        if *parameters.shape() != shape.chain() {
            return Err(BootstrapError::Parameters);
        }
        let lowest = parameters.level(0);
        let ratio = (lowest.modulus / lowest.scale).log2() - f64::from(shape.ratio_bits);
        let factor = ratio.exp2().floor().max(1.0);
        // q₀ over the scale of what is raised.
        let quotient = (lowest.modulus / lowest.scale).value() / factor;
        let embedding = Embedding::new(parameters.slots().trailing_zeros());
        // Half, because a number and its conjugate are twice the real part.
        let inwards = 0.5 / (f64::from(shape.range) * quotient);
        let matrices = fourier::to_coefficients(&embedding, shape.coeff_to_slot, inwards)?;
        let raised = raised_scale(parameters, factor);
        let polynomial_level = shape.polynomial_level();
        let polynomial_scale = parameters.level(polynomial_level).scale;
        let coeff_to_slot = encode(encoder, &matrices, parameters.top(), raised, polynomial_scale)?;
        let matrices = fourier::to_slots(&embedding, shape.slot_to_coeff(), quotient / TAU)?;
        let (from, to) = (shape.slot_to_coeff_level(), parameters.level(shape.levels).scale);
        let sine_scale = sine_scale(parameters, shape);
        let slot_to_coeff = encode(encoder, &matrices, from, sine_scale, to)?;
        let cosine = sine::cosine(shape)?;
        let shape = shape.clone();
        Ok(Self { shape, factor: factor as i64, coeff_to_slot, cosine, slot_to_coeff })
    }

    /// The level of what comes out.
    pub fn level(&self) -> usize {
        self.shape.levels
    }

    /// The rotations that an evaluator needs keys for; products and conjugates as well.
    pub fn rotations(&self) -> Vec<i64> {
        let transforms = self.coeff_to_slot.iter().chain(&self.slot_to_coeff);
        let mut rotations: Vec<i64> = transforms.flat_map(LinearTransform::rotations).collect();
        rotations.sort_unstable();
        rotations.dedup();
        rotations
    }

    /// Bytes of the encoded matrices.
    pub fn bytes(&self) -> usize {
        self.coeff_to_slot.iter().chain(&self.slot_to_coeff).map(LinearTransform::bytes).sum()
    }

    /// A ciphertext of values of absolute value up to 1, at the level that a bootstrap gives.
    ///
    /// # Errors
    /// [`EvaluationError`] where the evaluator lacks a key.
    pub fn bootstrap(
        &self,
        evaluator: &Evaluator,
        keys: &BootstrapKeys,
        a: &Ciphertext,
    ) -> Result<Ciphertext, EvaluationError> {
        let raised = self.raise(evaluator, keys, a)?;
        let mut slots = raised;
        for matrix in &self.coeff_to_slot {
            slots = evaluator.linear_transform(&slots, matrix)?;
        }
        let conjugate = evaluator.conjugate(&slots)?;
        let real = evaluator.add(&slots, &conjugate)?;
        let imaginary = evaluator.mul_by_i(&evaluator.sub(&conjugate, &slots)?);
        let [real, imaginary] = [real, imaginary].map(|mut part| {
            part.estimate.magnitude = 1.0;
            sine::sine(evaluator, &self.shape, &self.cosine, &part)
        });
        let mut result = evaluator.add(&real?, &evaluator.mul_by_i(&imaginary?))?;
        for matrix in &self.slot_to_coeff {
            result = evaluator.linear_transform(&result, matrix)?;
        }
        let error = result.estimate.error.hypot(a.estimate.error);
        let estimate = Estimate { error, magnitude: a.estimate.magnitude };
        Ok(Ciphertext { slots: a.slots, estimate, ..result })
    }

    /// The ciphertext, multiplied, modulo the primes of the highest level.
    fn raise(
        &self,
        evaluator: &Evaluator,
        keys: &BootstrapKeys,
        a: &Ciphertext,
    ) -> Result<Ciphertext, EvaluationError> {
        let parameters = evaluator.parameters();
        let (ring, top) = (parameters.ring(), parameters.top());
        let lowest = evaluator.mul_integer(&evaluator.at_level(a, 0)?, self.factor);
        let sparse = keys.to_sparse.switch_parts(lowest.parts());
        let (base, basis) = (&parameters.level(0).basis, &parameters.level(top).basis);
        let raised = sparse.map(|values| {
            let mut coefficients = values.clone();
            ring.inverse(&mut coefficients);
            ring.extend(&coefficients, &values, base, basis)
        });
        let parts = keys.from_sparse.switch_parts([&raised[0], &raised[1]]);
        let scale = raised_scale(parameters, self.factor as f64);
        // The same numbers, times the factor; values of fewer slots stand there several times.
        let error = a.estimate.error;
        let quotient = (parameters.level(0).modulus / scale).value();
        let estimate = Estimate { error, magnitude: quotient * f64::from(self.shape.range) };
        Ok(Ciphertext { parts, level: top, scale, slots: parameters.slots(), estimate, seed: None })
    }
}

/// The scale of what is raised.
fn raised_scale(parameters: &Parameters, factor: f64) -> Scale {
    parameters.level(0).scale * Scale::exp2(factor.log2())
}

/// The scale that the sine comes out on: that of a square of the level above.
fn sine_scale(parameters: &Parameters, shape: &BootstrapShape) -> Scale {
    let mut scale = parameters.level(shape.doubling_level()).scale;
    for level in (shape.slot_to_coeff_level() + 1..=shape.doubling_level()).rev() {
        let step = parameters.level(level).modulus / parameters.level(level - 1).modulus;
        scale = scale * scale / step;
    }
    scale
}

/// Matrices applied one after the other from a level down, from one scale to another. In between, vectors
/// have the scale of the level above: where scales become smaller, errors stay small for longer.
fn encode(
    encoder: &Encoder,
    matrices: &[Diagonals],
    top: usize,
    from: Scale,
    to: Scale,
) -> Result<Vec<LinearTransform>, LinearError> {
    let count = matrices.len();
    let scale = |index: usize| match index {
        0 => from,
        _ if index == count => to,
        _ => encoder.parameters().level(top + 1 - index).scale,
    };
    let encode = |(index, matrix): (usize, &Diagonals)| {
        let (from, to) = (scale(index), scale(index + 1));
        LinearTransform::with_scales(encoder, matrix, top - index, from, to)
    };
    matrices.iter().enumerate().map(encode).collect()
}
