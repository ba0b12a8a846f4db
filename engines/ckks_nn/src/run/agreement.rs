// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Comparison of encrypted values with those in plaintext.
//!
//! A network that states labels, or has two or more values, is a classifier, whose labels are
//! compared. A single value is compared by its score and the sign of that. In both cases, the
//! scores, which are the values before post-processing, must also equal those of the network with
//! its polynomials, within the error that the result claims.

use super::output::{class, Output};
use crate::compile::Model;
use crate::error::NetworkError;
use crate::post_processing::Label;

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
    /// The largest absolute difference of a score from that in plaintext. Without post-processing,
    /// scores are the values.
    pub largest_difference: f64,
    /// The largest difference that agrees; `None` if every difference agrees.
    pub tolerance: Option<f64>,
    /// The class of the encrypted values.
    pub label: Option<Label>,
    /// The class in plaintext.
    pub plaintext_label: Option<Label>,
    /// The reason for a disagreement.
    pub disagreement: Option<Disagreement>,
}

/// A disagreement of encrypted values with those in plaintext. Places count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    Label { got: Label, wanted: Label },
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
    /// `tolerance` is the largest accepted difference of a score from exact activations. Without
    /// it, a single score may differ by a tenth of the largest score of the calibration's samples,
    /// or by the claimed error if that is larger; several scores are only compared by label.
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
        let exact = self.graph().scores(input)?;
        let near = self.approximate_scores(input)?;
        if output.scores.len() != exact.len() {
            let (got, wanted) = (output.scores.len(), exact.len());
            return Err(NetworkError::Outputs { got, wanted });
        }
        let answer = self.graph().answer_of(exact.clone());
        let (label, plaintext_label) = (output.class(), class(&answer.labels, &answer.values));
        let claimed = DEVIATIONS * output.error;
        let default = match exact.len() {
            1 => Some(claimed.max(PART_OF_SAMPLES * self.calibration.output().magnitude())),
            _ => None,
        };
        let tolerance = tolerance.or(default);
        let differences = output.scores.iter().zip(&exact).map(|(got, exact)| (got - exact).abs());
        // A NaN difference must not be lost.
        let largest_difference =
            differences
                .fold(0.0, |most: f64, next| if next.is_nan() { next } else { most.max(next) });
        let disagreement = not_finite(&output.scores)
            .or_else(|| match (&label, &plaintext_label) {
                (Some(got), Some(wanted)) => other_label(got, wanted),
                _ => other_sign(&output.scores, &exact, claimed),
            })
            .or_else(|| beyond_claim(&output.scores, &near, claimed))
            .or_else(|| beyond(&output.scores, &exact, tolerance?));
        Ok(Agreement {
            plaintext: answer.values,
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

fn other_label(got: &Label, wanted: &Label) -> Option<Disagreement> {
    let (got, wanted) = (got.clone(), wanted.clone());
    (got != wanted).then_some(Disagreement::Label { got, wanted })
}

/// Returns a difference of signs of a single score, if the claimed error does not explain it.
fn other_sign(scores: &[f64], exact: &[f64], claimed: f64) -> Option<Disagreement> {
    let (got, wanted) = (*scores.first()?, *exact.first()?);
    let is_other = got * wanted < 0.0 && (got - wanted).abs() > claimed;
    is_other.then_some(Disagreement::Sign { got, wanted })
}
