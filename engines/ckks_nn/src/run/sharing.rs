// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Results of networks for others than the owner of the key: with noise that hides the error.
//!
//! A raw result is values and an error, which tells something of the key to whoever has the
//! encrypted result (IND-CPA-D). [`Client::decrypt_for_sharing`] adds the noise. What a bound of the
//! error is taken from decides whether its promise holds: never from the result's own estimate, which
//! is what the server writes, but from the owner of the key, who has [the
//! network](Model::sharing) or knows a bound.
//!
//! The guard is read in the values with noise. So whether a result is refused tells no more than those
//! do, as long as errors are within their bound.

use halimede_ckks::params::Scale;
use halimede_ckks::{Ciphertext, Client, Complex, DryServer, Sharing, SharingError};

use super::ciphertexts::Ciphertexts;
use super::output::{Limits, Output};
use crate::compile::{Interface, Model};
use crate::error::NetworkError;

/// log₂ of the factor by which an estimate may be too small.
const ESTIMATE_BITS: f64 = 0.5;
/// By what part scales may differ that are the same but for rounding.
const SAME_SCALE: f64 = 1e-9;
/// By how many standard deviations of the noise a guard may be off.
const DEVIATIONS: f64 = 8.0;
/// The most of what the noise may make of a guard, whose limit is 1.
const MOST_NOISE: f64 = 0.5;

/// The security statement of results for others, and what the owner of the key knows of their errors.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSharing {
    /// Bits of security.
    pub security_bits: u32,
    /// How many decryptions under the key others may see altogether; each ciphertext is one.
    pub queries: u32,
    /// A bound, above 0, of the error of a value that the owner of the key knows: the root of the mean
    /// square over all slots of a ciphertext.
    pub error_at_least: Option<f64>,
    /// What the ciphertexts of a result must be, where the owner of the key has the network.
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
    /// Those of each input, or why there are none. [`Output::error`] is the noise.
    pub outputs: Vec<Result<Output, NetworkError>>,
    /// −log₂ of the standard deviation of the noise of a ciphertext's value; the least of all
    /// ciphertexts.
    pub precision_bits: f64,
    /// The bits by which the noise exceeds the bound of the error.
    pub flooding_bits: f64,
    /// The decryptions that were made, one for each ciphertext.
    pub decryptions: u32,
}

impl NetworkSharing {
    /// Returns a statement without a bound of the error: [`Model::sharing`] has one, or
    /// [`Self::with_error`].
    pub fn new(security_bits: u32, queries: u32) -> Self {
        Self { security_bits, queries, error_at_least: None, expected: None }
    }

    /// The same for errors that the owner of the key knows to be at most this.
    #[must_use]
    pub fn with_error(self, error_at_least: f64) -> Self {
        Self { error_at_least: Some(error_at_least), ..self }
    }

    /// Returns the bound by which noise is measured: the largest error of the network's results,
    /// for all inputs in their range, with the margin for estimates that are too small. `None`
    /// where the owner of the key does not have the network.
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
            let reason = "an interface and a result tell what others wrote there".to_owned();
            return Err(NetworkError::Unbounded { reason });
        };
        Ok(self.for_error(error_at_least))
    }

    /// Returns the bound that the owner of the key knows.
    ///
    /// # Errors
    /// [`NetworkError::Sharing`] for one that is not a finite number above 0.
    pub(crate) fn own_error(&self) -> Result<Option<f64>, NetworkError> {
        match self.error_at_least.filter(|own| !(own.is_finite() && *own > 0.0)) {
            Some(got) => Err(SharingError::ErrorAtLeast { got }.into()),
            None => Ok(self.error_at_least),
        }
    }

    /// Returns the engine's statement for an error that is bounded by this.
    pub(crate) fn for_error(&self, error_at_least: f64) -> Sharing {
        Sharing::new(self.security_bits, self.queries).with_error(error_at_least)
    }
}

impl Expected {
    /// What a result must be, from one without residues.
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
    /// A statement whose bound of the error is this network's: what estimates promise of the error of
    /// its results for all inputs in their range, by a run without arithmetic. It does not depend on what
    /// a server says of a result.
    ///
    /// # Errors
    /// [`NetworkError::Unbounded`] if nothing bounds the error: for activations without a guard,
    /// and where bounds multiply so that the estimate is no number, as in long recurrent layers.
    pub fn sharing(
        &self,
        security_bits: u32,
        queries: u32,
    ) -> Result<NetworkSharing, NetworkError> {
        let unbounded = |reason: String| Err(NetworkError::Unbounded { reason });
        let has_activations = !self.graph().activations().is_empty();
        if has_activations && !self.interface().has_guard() {
            return unbounded(
                "the network has activations and no guard, and beyond an activation's interval errors \
                 exceed every estimate"
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
    /// The network's values of one input for others, from a result whose guard is checked. In a batch
    /// it is the first one.
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

    /// Returns the network's values of all inputs of a batch for others: with noise that hides the
    /// errors, with as many bits of security as is stated, for as many decryptions. Each ciphertext
    /// of a result is one decryption. An input whose guard fails has that error, which tells
    /// nothing of the guard's value.
    ///
    /// The statement's bound of the error is the owner's: [`Model::sharing`] has that of a network, and
    /// who has the interface alone states one.
    ///
    /// # Errors
    /// [`NetworkError::Unbounded`] for a statement without a bound of the error,
    /// [`NetworkError::Sharing`] where the noise has no room or leaves nothing, and for more decryptions
    /// than were stated, [`NetworkError::Ciphertexts`] for another number of ciphertexts.
    pub fn decrypt_all_for_sharing(
        &self,
        client: &mut Client,
        result: &Ciphertexts,
        sharing: &NetworkSharing,
    ) -> Result<SharedOutputs, NetworkError> {
        result.check_count("a result", self.output_ciphertexts())?;
        if result.parts().iter().any(|part| part.length() != self.slots()) {
            let reason = format!("one has not {} values", self.slots());
            return Err(NetworkError::Ciphertexts { what: "a result", reason });
        }
        let count = u32::try_from(result.parts().len()).unwrap_or(u32::MAX);
        if count > sharing.queries {
            return Err(NetworkError::Decryptions { wanted: count, queries: sharing.queries });
        }
        let statement = |(part, encrypted)| Ok((encrypted, sharing.of_part(part, encrypted)?));
        let parts = result.parts().iter().enumerate().map(statement);
        let parts = parts.collect::<Result<Vec<(&Ciphertext, Sharing)>, NetworkError>>()?;
        // Nothing is counted where one of them does not fit.
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

    /// Returns the noise of a network's value, where that of a ciphertext's is known: the guard of
    /// one input alone, which is taken off, has as much.
    fn shared_error(&self, noise: f64) -> f64 {
        match self.has_guard() && self.batch() == 1 {
            true => noise * std::f64::consts::SQRT_2,
            false => noise,
        }
    }
}
