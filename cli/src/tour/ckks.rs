// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logistic regression on encrypted patients, as a job of the tour: a server computes the
//! probability that a tumor is benign from 30 measurements, without seeing them. Measurements are
//! clipped, and the bound of the logit is folded into the weights, which saves the level of an
//! interval.

use std::time::Instant;

use halimede_ckks::evaluator::inner_sum_rotations;
use halimede_ckks::{Accuracy, Bound, Ciphertext, CircuitError, Client, Complex, Operations};
use halimede_ckks::{Parameters, Polynomial, Server, Values};
use serde::Deserialize;

use super::{JobOutcome, Tour};
use crate::error::CommandError;

/// Patients and a model (see `cli/data/README.md`).
const DATA: &str = include_str!("../../data/breast_cancer.json");
/// 128 bits of security and five levels: one for the weights, four for a sigmoid of degree 15.
const PRESET: &str = "n14";
const DEGREE: usize = 15;
/// The number of measurements of a patient, padded to a power of two.
const BLOCKS: usize = 32;
/// The bound of the errors, in standard deviations of the estimate, for this number of values.
const WORST: f64 = 8.0;

#[derive(Deserialize)]
struct Data {
    mean: Vec<f64>,
    deviation: Vec<f64>,
    /// The limit at which measurements are clipped, in standard deviations.
    cut: f64,
    weights: Vec<f64>,
    bias: f64,
    patients: Vec<Vec<f64>>,
    /// The true classes.
    benign: Vec<bool>,
}

pub fn visit(tour: &mut Tour<'_>) -> Result<(), CommandError> {
    let data: Data = serde_json::from_str(DATA).map_err(broken)?;
    let count = data.patients.len();
    let name = format!("ckks {PRESET}: logistic regression on {count} encrypted patients");
    if tour.device.capabilities().processor.is_none() {
        tour.push(name, count, 0.0, JobOutcome::NotOnThisDevice, 0);
        return Ok(());
    }
    tour.progress.set_message(name.clone());
    let parameters = Parameters::preset(PRESET).map_err(broken)?;
    let mut client = Client::new(&parameters).map_err(broken)?;
    let rotations = inner_sum_rotations(BLOCKS, count);
    let operations = Operations { multiply: true, rotations, ..Operations::default() };
    let server = client.server(&operations);
    let sigmoid = data.sigmoid()?;
    let start = Instant::now();
    let packed = data.packed();
    let sealed = client.encrypt(Values::from(&packed).within(data.cut)).map_err(broken)?;
    let answer = data.infer(&server, &sealed, &sigmoid).map_err(broken)?;
    let found = client.decrypt(&answer).map_err(broken)?;
    let seconds = start.elapsed().as_secs_f64();
    // The estimate includes the distance of the polynomial from the sigmoid, which is measured at
    // points, so that the true maximum is slightly larger.
    let distance = sigmoid.approximation_error();
    let added = (answer.estimate().error.powi(2) - distance.powi(2)).max(0.0).sqrt();
    let bound = 1.02 * distance + WORST * added;
    let is_right = |(probability, found): (f64, &Complex)| {
        (probability - found.re).abs() <= bound && (probability > 0.5) == (found.re > 0.5)
    };
    let right = data.probabilities().zip(&found).filter(|pair| is_right(*pair)).count();
    let check = if right == count { JobOutcome::Ok } else { JobOutcome::Wrong(count - right) };
    let told =
        found.iter().zip(&data.benign).filter(|(found, benign)| (found.re > 0.5) == **benign);
    let name = format!("{name}, {} classified correctly", told.count());
    tour.push(name, count, seconds, check, 0);
    Ok(())
}

fn broken(error: impl std::fmt::Display) -> CommandError {
    CommandError::BadInput(format!("the bundled data of patients failed: {error}"))
}

impl Data {
    /// Returns the measurements of a patient, standardized and clipped.
    fn standardized<'d>(&'d self, patient: &'d [f64]) -> impl Iterator<Item = f64> + 'd {
        let scales = self.mean.iter().zip(&self.deviation);
        let of = |(value, (mean, deviation)): (&f64, (&f64, &f64))| (value - mean) / deviation;
        patient.iter().zip(scales).map(of).map(|value| value.clamp(-self.cut, self.cut))
    }

    /// Returns the slots: measurement j of patient i in slot j·patients + i.
    fn packed(&self) -> Vec<f64> {
        let count = self.patients.len();
        let mut slots = vec![0.0; BLOCKS * count];
        for (index, patient) in self.patients.iter().enumerate() {
            for (feature, value) in self.standardized(patient).take(BLOCKS).enumerate() {
                slots[feature * count + index] = value;
            }
        }
        slots
    }

    /// Returns the bound of a logit for any measurements.
    fn bound(&self) -> f64 {
        self.bias.abs() + self.cut * self.weights.iter().map(|weight| weight.abs()).sum::<f64>()
    }

    /// Returns the sigmoid as a function of logits divided by their bound.
    fn sigmoid(&self) -> Result<Polynomial, CommandError> {
        let bound = self.bound();
        let function = |y: f64| logistic(bound * y);
        Polynomial::approximation(function, (-1.0, 1.0), Accuracy::Degree(DEGREE)).map_err(broken)
    }

    /// Computes the server's part: the probabilities, in the first slots.
    fn infer(
        &self,
        server: &Server,
        sealed: &Ciphertext,
        sigmoid: &Polynomial,
    ) -> Result<Ciphertext, CircuitError> {
        let (count, bound) = (self.patients.len(), self.bound());
        let of_block = |block: usize| self.weights.get(block).map_or(0.0, |weight| weight / bound);
        let weights: Vec<f64> = (0..BLOCKS * count).map(|slot| of_block(slot / count)).collect();
        let terms = server.mul_plain(sealed, &weights)?;
        let logits = server.inner_sum(&terms, BLOCKS, count)?;
        let logits = server.add_number(&logits, (self.bias / bound).into())?;
        // The weights bound the logits more tightly than a sum of arbitrary values.
        Ok(server.evaluate(&logits.bounded(Bound::real(1.0)), sigmoid)?)
    }

    /// Computes the probabilities without encryption.
    fn probabilities(&self) -> impl Iterator<Item = f64> + '_ {
        self.patients.iter().map(|patient| {
            let terms = self.standardized(patient).zip(&self.weights);
            logistic(terms.map(|(value, weight)| value * weight).sum::<f64>() + self.bias)
        })
    }
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_tells_most_of_the_patients_rightly() {
        let data: Data = serde_json::from_str(DATA).unwrap();
        assert!(data.patients.len().is_power_of_two() && data.patients.len() == data.benign.len());
        assert!(data.patients.iter().all(|patient| patient.len() == data.weights.len()));
        assert!(data.weights.len() <= BLOCKS);
        let told = data.probabilities().zip(&data.benign);
        let right = told.filter(|(probability, benign)| (*probability > 0.5) == **benign).count();
        assert!(right * 100 >= 90 * data.patients.len(), "{right} of {}", data.patients.len());
        // Both classes occur.
        assert!((10..54).contains(&data.benign.iter().filter(|benign| **benign).count()));
        let largest = data.probabilities().map(|p| (p / (1.0 - p)).ln().abs()).fold(0.0, f64::max);
        assert!(largest < data.bound(), "{largest}");
        assert!(data.sigmoid().unwrap().approximation_error() < 0.01);
    }
}
