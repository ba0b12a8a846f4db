// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of networks for sharing with others than the owner of the key: noise hides the error.
//!
//! A raw result contains values and an error, which reveals something about the key to anyone who
//! has the encrypted result (IND-CPA-D). [`Client::decrypt_for_sharing`] adds noise. The security
//! holds only if the bound of the error is true. The bound never comes from the result's own
//! estimate, which the server writes, but from the owner of the key, who has [the
//! network](Model::sharing) or knows a bound.
//!
//! The guard is read from the values with noise. A rejected result therefore reveals no more than
//! these values, as long as errors are within their bound.

use halimede_ckks::params::Scale;
use halimede_ckks::{Ciphertext, Client, Complex, DryServer, Sharing, SharingError};

use super::ciphertexts::Ciphertexts;
use super::output::{Limits, Output};
use crate::compile::{Interface, Model};
use crate::error::NetworkError;

/// log₂ of the factor by which an estimate may be too small.
const ESTIMATE_BITS: f64 = 0.5;
/// The relative difference of scales that are equal up to rounding.
const SAME_SCALE: f64 = 1e-9;
/// The number of standard deviations of the noise by which a guard may be off.
const DEVIATIONS: f64 = 8.0;
/// The largest effect of the noise on a guard, whose limit is 1.
const MOST_NOISE: f64 = 0.5;

/// The security statement of shared results, and the owner's knowledge of their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSharing {
    /// Bits of security.
    pub security_bits: u32,
    /// The number of decryptions under the key that others may see in total. Each ciphertext is
    /// one.
    pub queries: u32,
    /// A bound, above 0, of the error of a value that the owner of the key knows: the root mean
    /// square over all slots of a ciphertext.
    pub error_at_least: Option<f64>,
    /// The expected ciphertexts of a result, if the owner of the key has the network.
    expected: Option<Vec<Expected>>,
}

/// A ciphertext of a result, as the network gives it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Expected {
    level: usize,
    scale: Scale,
    error: f64,
}

/// A batch of results that others may see.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedOutputs {
    /// The output of each input, or the error. [`Output::error`] is the noise.
    pub outputs: Vec<Result<Output, NetworkError>>,
    /// −log₂ of the standard deviation of the noise of a ciphertext's value; the smallest of all
    /// ciphertexts.
    pub precision_bits: f64,
    /// The bits by which the noise exceeds the bound of the error.
    pub flooding_bits: f64,
    /// The number of decryptions, one for each ciphertext.
    pub decryptions: u32,
}

impl NetworkSharing {
    /// Returns a statement without a bound of the error. [`Model::sharing`] returns one with a
    /// bound, and [`Self::with_error`] adds one.
    pub fn new(security_bits: u32, queries: u32) -> Self {
        Self { security_bits, queries, error_at_least: None, expected: None }
    }

    /// Returns the statement with a bound of the error that the owner of the key knows.
    #[must_use]
    pub fn with_error(self, error_at_least: f64) -> Self {
        Self { error_at_least: Some(error_at_least), ..self }
    }

    /// Returns the bound that determines the noise: the largest error of the network's results, for
    /// all inputs in their range, with the margin for estimates that are too small. `None` if the
    /// owner of the key does not have the network.
    pub fn known_error(&self) -> Option<f64> {
        let errors = self.expected.iter().flatten().map(|expected| expected.error);
        errors.reduce(f64::max)
    }

    /// Returns the statement for a ciphertext of a result.
    fn of_part(&self, part: usize, ciphertext: &Ciphertext) -> Result<Sharing, NetworkError> {
        let known = match &self.expected {
            None => None,
            Some(expected) => {
                let expected = expected.get(part).filter(|expected| expected.is(ciphertext));
                let reason = "its level or its scale is not that of the network's result";
                let wrong =
                    || NetworkError::Ciphertexts { what: "a result", reason: reason.to_owned() };
                Some(expected.ok_or_else(wrong)?.error)
            }
        };
        let own = self.own_error()?;
        let Some(error_at_least) = known.map_or(own, |known| Some(known.max(own.unwrap_or(known))))
        else {
            let reason = "the interface and the result are not trusted to bound it".to_owned();
            return Err(NetworkError::Unbounded { reason });
        };
        Ok(self.for_error(error_at_least))
    }

    /// Returns the bound that the owner of the key knows.
    ///
    /// # Errors
    /// [`NetworkError::Sharing`] for a bound that is not a finite number above 0.
    pub(crate) fn own_error(&self) -> Result<Option<f64>, NetworkError> {
        match self.error_at_least.filter(|own| !(own.is_finite() && *own > 0.0)) {
            Some(got) => Err(SharingError::ErrorAtLeast { got }.into()),
            None => Ok(self.error_at_least),
        }
    }

    /// Returns the statement for an error with this bound.
    pub(crate) fn for_error(&self, error_at_least: f64) -> Sharing {
        Sharing::new(self.security_bits, self.queries).with_error(error_at_least)
    }
}

impl Expected {
    /// Returns the expected properties of a result, from one without residues.
    fn of(result: &Ciphertext) -> Self {
        let error = result.error_anywhere() * ESTIMATE_BITS.exp2();
        Self { level: result.level(), scale: result.scale(), error }
    }

    fn is(&self, ciphertext: &Ciphertext) -> bool {
        let is_same = self.scale.deviation(ciphertext.scale()).abs() <= SAME_SCALE;
        is_same && self.level == ciphertext.level()
    }
}

impl Model {
    /// Returns a statement with this network's bound of the error: the estimate for all inputs in
    /// their range, from a run without arithmetic. It does not depend on the server's claims about
    /// a result.
    ///
    /// # Errors
    /// [`NetworkError::Unbounded`] if the error has no bound: for activations without a guard, and
    /// if bounds multiply so that the estimate is not finite, as in long recurrent layers.
    pub fn sharing(
        &self,
        security_bits: u32,
        queries: u32,
    ) -> Result<NetworkSharing, NetworkError> {
        let unbounded = |reason: String| Err(NetworkError::Unbounded { reason });
        let has_activations = !self.graph().activations().is_empty();
        if has_activations && !self.interface().has_guard() {
            return unbounded(
                "the network has activations but no guard, and beyond an activation's interval \
                 errors exceed every estimate"
                    .to_owned(),
            );
        }
        let (plan, keys) = (self.plan(), self.interface().keys());
        let results = DryServer::new(plan.parameters(), keys).results_of_fresh(plan)?;
        let expected: Vec<Expected> = results.iter().map(Expected::of).collect();
        if let Some(Expected { error, .. }) = expected.iter().find(|of| !of.error.is_finite()) {
            return unbounded(format!("the network's estimate of its error is {error}"));
        }
        let expected = Some(expected);
        Ok(NetworkSharing { expected, ..NetworkSharing::new(security_bits, queries) })
    }
}

impl Interface {
    /// Decrypts the values of one input for sharing, from a result whose guard is checked. In a
    /// batch, it is the first input.
    ///
    /// # Errors
    /// As [`Self::decrypt_all_for_sharing`], and [`NetworkError::SharedGuard`].
    pub fn decrypt_for_sharing(
        &self,
        client: &mut Client,
        result: &Ciphertexts,
        sharing: &NetworkSharing,
    ) -> Result<Output, NetworkError> {
        let shared = self.decrypt_all_for_sharing(client, result, sharing)?;
        let first = shared.outputs.into_iter().next();
        first.unwrap_or(Err(NetworkError::Batch { got: 0, most: self.batch() }))
    }

    /// Decrypts the values of all inputs of a batch for sharing, with noise that hides the errors
    /// for the stated bits of security and number of decryptions. Each ciphertext of a result is
    /// one decryption. An input whose guard fails has that error, which reveals nothing of the
    /// guard's value.
    ///
    /// The bound of the error in the statement comes from the owner of the key: [`Model::sharing`]
    /// returns the bound of a network. An owner who only has the interface states one.
    ///
    /// # Errors
    /// [`NetworkError::Unbounded`] for a statement without a bound of the error;
    /// [`NetworkError::Sharing`] if the noise has no room or leaves no value, and for more
    /// decryptions than stated; [`NetworkError::Ciphertexts`] if the number of ciphertexts is
    /// wrong.
    pub fn decrypt_all_for_sharing(
        &self,
        client: &mut Client,
        result: &Ciphertexts,
        sharing: &NetworkSharing,
    ) -> Result<SharedOutputs, NetworkError> {
        result.check_count("a result", self.output_ciphertexts())?;
        if result.parts().iter().any(|part| part.length() != self.slots()) {
            let reason = format!("a ciphertext does not have {} values", self.slots());
            return Err(NetworkError::Ciphertexts { what: "a result", reason });
        }
        let count = u32::try_from(result.parts().len()).unwrap_or(u32::MAX);
        if count > sharing.queries {
            return Err(NetworkError::Decryptions { wanted: count, queries: sharing.queries });
        }
        let statement = |(part, encrypted)| Ok((encrypted, sharing.of_part(part, encrypted)?));
        let parts = result.parts().iter().enumerate().map(statement);
        let parts = parts.collect::<Result<Vec<(&Ciphertext, Sharing)>, NetworkError>>()?;
        // Nothing is counted unless all of them fit.
        let mut precision_bits = f64::INFINITY;
        for (part, sharing) in &parts {
            precision_bits = client.precision_for_sharing(part, sharing)?.min(precision_bits);
        }
        let noise = (-precision_bits).exp2();
        let slack = DEVIATIONS * noise;
        if self.has_guard() && slack > MOST_NOISE {
            return Err(NetworkError::NoisyGuard { noise });
        }
        let flooding_bits =
            Sharing::new(sharing.security_bits, sharing.queries).flooding_bits(client.parameters());
        let share = |(part, sharing): &(&Ciphertext, Sharing)| {
            Ok(client.decrypt_for_sharing(part, sharing)?.values)
        };
        let slots = parts.iter().map(share).collect::<Result<Vec<Vec<Complex>>, SharingError>>()?;
        let limits = Limits { error: self.shared_error(noise), slack };
        let hidden = |output: Result<Output, NetworkError>| match output {
            Err(NetworkError::Guard { .. }) => Err(NetworkError::SharedGuard),
            output => output,
        };
        let outputs = (0..self.batch()).map(|input| hidden(self.output_of(&slots, input, limits)));
        let outputs = outputs.collect();
        Ok(SharedOutputs { outputs, precision_bits, flooding_bits, decryptions: count })
    }

    /// Returns the noise of a network's value from that of a ciphertext's value. The guard of a
    /// single input, which is subtracted, has the same noise.
    fn shared_error(&self, noise: f64) -> f64 {
        match self.has_guard() && self.batch() == 1 {
            true => noise * std::f64::consts::SQRT_2,
            false => noise,
        }
    }
}
