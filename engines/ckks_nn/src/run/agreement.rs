// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparison of encrypted values with those in plaintext.
//!
//! A network with two or more outputs is a classifier, whose labels are compared. A single output
//! is compared by its value and its sign. In both cases, the values must also equal those of the
//! network with its polynomials, within the error that the result claims.

use super::output::{label, Output};
use crate::compile::Model;
use crate::error::NetworkError;

/// The factor by which a value may exceed the claimed error. The error of a slot is a product of
/// two Gaussian numbers at worst, which exceeds t times its deviation with the probability
/// 2t·K₁(2t): once in 10¹⁰ times here.
const DEVIATIONS: f64 = 12.0;
/// The tolerance of a single output, relative to the samples' largest value, if none is stated.
const PART_OF_SAMPLES: f64 = 0.1;

/// A comparison of encrypted values with those in plaintext.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// The network's values in plaintext, with exact activations.
    pub plaintext: Vec<f64>,
    /// The largest absolute difference from the values in plaintext.
    pub largest_difference: f64,
    /// The largest difference that agrees; `None` if every difference agrees.
    pub tolerance: Option<f64>,
    /// The label of the encrypted values.
    pub label: Option<usize>,
    /// The label in plaintext.
    pub plaintext_label: Option<usize>,
    /// The reason for a disagreement.
    pub disagreement: Option<Disagreement>,
}

/// A disagreement of encrypted values with those in plaintext. Places count from 0.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "messages name the fields")]
pub enum Disagreement {
    /// A value is not finite.
    #[error("value {place} is {got}")]
    NotFinite { place: usize, got: f64 },
    /// A value differs by more than the result claims.
    #[error(
        "value {place} is {got:.4}, but {wanted:.4} with the same polynomials in plaintext: the \
         result claims to be within {most:.1e}"
    )]
    Claim { place: usize, got: f64, wanted: f64, most: f64 },
    /// Labels differ.
    #[error("label {got}, but {wanted} in plaintext")]
    Label { got: usize, wanted: usize },
    /// The single output has another sign.
    #[error("the value is {got:.4}, but {wanted:.4} in plaintext: another sign")]
    Sign { got: f64, wanted: f64 },
    /// A value differs by more than the tolerance.
    #[error(
        "value {place} is {got:.4}, but {wanted:.4} in plaintext: off by more than {tolerance:.1e}"
    )]
    Value { place: usize, got: f64, wanted: f64, tolerance: f64 },
}

impl Model {
    /// Compares encrypted values with those in plaintext for the same input.
    ///
    /// `tolerance` is the largest accepted difference from exact activations. Without it, a single
    /// output may differ by a tenth of the largest value in the calibration's samples, or by the
    /// claimed error if that is larger; several outputs are only compared by label.
    ///
    /// # Errors
    /// [`NetworkError::Input`] if the input has the wrong number of values,
    /// [`NetworkError::Outputs`] if the output has.
    pub fn compare(
        &self,
        input: &[f64],
        output: &Output,
        tolerance: Option<f64>,
    ) -> Result<Agreement, NetworkError> {
        let (plaintext, near) = (self.graph().evaluate(input)?, self.approximate(input)?);
        if output.values.len() != plaintext.len() {
            let (got, wanted) = (output.values.len(), plaintext.len());
            return Err(NetworkError::Outputs { got, wanted });
        }
        let claimed = DEVIATIONS * output.error;
        let default = match plaintext.len() {
            1 => Some(claimed.max(PART_OF_SAMPLES * self.calibration.output().magnitude())),
            _ => None,
        };
        let tolerance = tolerance.or(default);
        let differences =
            output.values.iter().zip(&plaintext).map(|(got, exact)| (got - exact).abs());
        // A NaN difference must not be lost.
        let largest_difference =
            differences
                .fold(0.0, |most: f64, next| if next.is_nan() { next } else { most.max(next) });
        let disagreement = not_finite(&output.values)
            .or_else(|| other_verdict(&output.values, &plaintext, claimed))
            .or_else(|| beyond_claim(&output.values, &near, claimed))
            .or_else(|| beyond(&output.values, &plaintext, tolerance?));
        let (label, plaintext_label) = (output.label(), label(&plaintext));
        Ok(Agreement {
            plaintext,
            largest_difference,
            tolerance,
            label,
            plaintext_label,
            disagreement,
        })
    }
}

fn not_finite(values: &[f64]) -> Option<Disagreement> {
    let place = values.iter().position(|value| !value.is_finite())?;
    Some(Disagreement::NotFinite { place, got: values[place] })
}

/// Returns the first place where values differ by more than the limit.
fn apart(values: &[f64], others: &[f64], limit: f64) -> Option<(usize, f64, f64)> {
    let mut pairs = values.iter().zip(others).enumerate();
    let (place, (got, wanted)) = pairs.find(|(_, (a, b))| (*a - *b).abs() > limit)?;
    Some((place, *got, *wanted))
}

fn beyond_claim(values: &[f64], near: &[f64], most: f64) -> Option<Disagreement> {
    let (place, got, wanted) = apart(values, near, most)?;
    Some(Disagreement::Claim { place, got, wanted, most })
}

fn beyond(values: &[f64], exact: &[f64], tolerance: f64) -> Option<Disagreement> {
    let (place, got, wanted) = apart(values, exact, tolerance)?;
    Some(Disagreement::Value { place, got, wanted, tolerance })
}

/// Returns a difference of labels, or of signs of a single value, if the claimed error does not
/// explain it.
fn other_verdict(values: &[f64], exact: &[f64], claimed: f64) -> Option<Disagreement> {
    match (label(values), label(exact)) {
        (Some(got), Some(wanted)) => (got != wanted).then_some(Disagreement::Label { got, wanted }),
        _ => {
            let (got, wanted) = (*values.first()?, *exact.first()?);
            let is_other = got * wanted < 0.0 && (got - wanted).abs() > claimed;
            is_other.then_some(Disagreement::Sign { got, wanted })
        }
    }
}
