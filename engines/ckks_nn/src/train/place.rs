// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The places of a training: a server of this process, or an executor of programs.

use halimede_ckks::executor::{CiphertextHandle, ProgramServer, Routine};
use halimede_ckks::{Bound, Ciphertext, CircuitError, Server};

use super::iteration::{IterationScales, RotatedBatch};
use super::logistic::Logistic;
use crate::error::NetworkError;

/// A place that computes the parts of a training.
pub(super) trait Place {
    /// A ciphertext.
    type Value;

    /// Returns the samples of a batch for an iteration.
    fn placed(
        &self,
        training: &Logistic,
        samples: &[Self::Value],
        scales: IterationScales,
    ) -> Result<RotatedBatch<Self::Value>, NetworkError>;

    /// Returns the weights after an iteration.
    fn iterated(
        &self,
        training: &Logistic,
        batch: &RotatedBatch<Self::Value>,
        scales: IterationScales,
        weights: &Self::Value,
        momentum: f64,
    ) -> Result<Self::Value, NetworkError>;

    /// Returns the same values at the output level of a bootstrap.
    fn bootstrapped(&self, of: &Self::Value, largest: f64) -> Result<Self::Value, NetworkError>;

    /// Returns the same value, with the promise that all values also lie in this bound.
    fn bounded(&self, of: &Self::Value, bound: Bound) -> Self::Value;
}

impl Place for Server {
    type Value = Ciphertext;

    fn placed(
        &self,
        training: &Logistic,
        samples: &[Ciphertext],
        scales: IterationScales,
    ) -> Result<RotatedBatch<Ciphertext>, NetworkError> {
        Ok(training.placed(self, &samples.iter().collect::<Vec<_>>(), scales)?)
    }

    fn iterated(
        &self,
        training: &Logistic,
        batch: &RotatedBatch<Ciphertext>,
        scales: IterationScales,
        weights: &Ciphertext,
        momentum: f64,
    ) -> Result<Ciphertext, NetworkError> {
        let RotatedBatch { rotated, samples } = batch;
        let batch =
            RotatedBatch { rotated: rotated.iter().collect(), samples: samples.iter().collect() };
        Ok(training.iteration(self, &batch, scales, weights, momentum)?)
    }

    fn bootstrapped(&self, of: &Ciphertext, largest: f64) -> Result<Ciphertext, NetworkError> {
        Ok(self.bootstrap_within(of, largest).map_err(CircuitError::from)?)
    }

    fn bounded(&self, of: &Ciphertext, bound: Bound) -> Ciphertext {
        of.bounded(bound)
    }
}

impl Place for ProgramServer {
    type Value = CiphertextHandle;

    fn placed(
        &self,
        training: &Logistic,
        samples: &[CiphertextHandle],
        scales: IterationScales,
    ) -> Result<RotatedBatch<CiphertextHandle>, NetworkError> {
        let inputs: Vec<&CiphertextHandle> = samples.iter().collect();
        let mut rotated = self.run_work(&inputs, |server, samples| {
            let RotatedBatch { mut rotated, samples } = training.placed(server, samples, scales)?;
            rotated.extend(samples);
            Ok(rotated)
        })?;
        let samples = rotated.split_off(samples.len());
        Ok(RotatedBatch { rotated, samples })
    }

    fn iterated(
        &self,
        training: &Logistic,
        RotatedBatch { rotated, samples }: &RotatedBatch<CiphertextHandle>,
        scales: IterationScales,
        weights: &CiphertextHandle,
        momentum: f64,
    ) -> Result<CiphertextHandle, NetworkError> {
        let inputs: Vec<&CiphertextHandle> =
            rotated.iter().chain(samples).chain([weights]).collect();
        let results = self.run_work(&inputs, |server, inputs| {
            let (rotated, rest) = inputs.split_at(rotated.len());
            let (samples, weights) = rest.split_at(samples.len());
            let batch = RotatedBatch { rotated: rotated.to_vec(), samples: samples.to_vec() };
            let weights = weights.first().ok_or(CircuitError::NothingEncrypted)?;
            Ok(vec![training.iteration(server, &batch, scales, weights, momentum)?])
        })?;
        only(results)
    }

    fn bootstrapped(
        &self,
        of: &CiphertextHandle,
        largest: f64,
    ) -> Result<CiphertextHandle, NetworkError> {
        only(self.call(&Routine::BootstrapWithin(largest), &[of])?)
    }

    fn bounded(&self, of: &CiphertextHandle, bound: Bound) -> CiphertextHandle {
        of.bounded(bound)
    }
}

fn only(results: Vec<CiphertextHandle>) -> Result<CiphertextHandle, NetworkError> {
    let none = || NetworkError::from(CircuitError::NothingEncrypted);
    results.into_iter().next().ok_or_else(none)
}
