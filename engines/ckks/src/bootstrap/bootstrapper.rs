// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The four parts, one after the other.

use std::f64::consts::TAU;

use super::spread::Spread;
use super::{fourier, sine};
use crate::ciphertext::Ciphertext;
use crate::encoding::{Embedding, Encoder};
use crate::estimate::{switching_error, Estimate};
use crate::evaluator::{EvaluationError, Server};
use crate::keys::{KeyUse, SwitchingKey};
use crate::linear::{Diagonals, LinearError, LinearTransform};
use crate::params::{BootstrapShape, Parameters, Scale};
use crate::polynomial::{Polynomial, PolynomialError};
use crate::pool::in_pool;
use crate::ring::Named;

/// The matrices and the polynomial of a bootstrap, encoded.
pub(crate) struct Bootstrapper {
    shape: BootstrapShape,
    spread: Spread,
    coeff_to_slot: Vec<LinearTransform>,
    cosine: Polynomial,
    slot_to_coeff: Vec<LinearTransform>,
}

/// Why there is no such bootstrap.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BootstrapError {
    /// The parameters have no levels for it.
    #[error(
        "the parameters have no levels for a bootstrap: take those whose names have \"boot\", or make \
         them from a BootstrapShape"
    )]
    Parameters,
    /// A matrix cannot be encoded.
    #[error(transparent)]
    Linear(#[from] LinearError),
    /// Values are too large.
    #[error(
        "a bootstrap takes values up to {most}, and these may be up to {got}: divide them before, or say \
         how large they are at most"
    )]
    Magnitude {
        /// Their bound.
        got: f64,
        /// The most that there may be.
        most: f64,
    },
    /// There is no such cosine.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
}

impl Server {
    /// Whether the parameters have levels for a bootstrap, and all keys that it needs are there.
    pub fn can_bootstrap(&self) -> bool {
        self.check_bootstrap().is_ok()
    }

    /// That a bootstrap can be done.
    ///
    /// # Errors
    /// [`EvaluationError`] which says what is missing.
    pub fn check_bootstrap(&self) -> Result<(), EvaluationError> {
        let shape = self.parameters().bootstrap().ok_or(BootstrapError::Parameters)?;
        let is_there = |(of, level): (KeyUse, usize)| {
            self.keys().get(of).is_some_and(|key| key.level() >= level)
        };
        match super::keys(self.parameters(), shape).into_iter().all(is_there) {
            true => Ok(()),
            false => Err(EvaluationError::Key { what: "bootstrap".to_owned() }),
        }
    }

    /// A ciphertext of values of absolute value up to 1, at [the level that a bootstrap
    /// gives](crate::Parameters::fresh_level).
    ///
    /// The first one encodes the matrices that all have in common, which takes as long as several
    /// bootstraps; [`Self::prepare_bootstrap`] does so beforehand.
    ///
    /// # Errors
    /// [`EvaluationError`] where the parameters have no levels for it, and where a key is missing.
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let bootstrapper = self.prepared_bootstrap()?;
        in_pool(|| bootstrapper.bootstrap(self, a))
    }

    /// Encodes the matrices of bootstraps, and gives their bytes.
    ///
    /// # Errors
    /// As [`Self::bootstrap`].
    pub fn prepare_bootstrap(&self) -> Result<usize, EvaluationError> {
        Ok(self.prepared_bootstrap()?.bytes())
    }

    fn prepared_bootstrap(&self) -> Result<&Bootstrapper, EvaluationError> {
        self.check_bootstrap()?;
        let made = self.bootstrapper.get_or_init(|| Bootstrapper::new(&self.encoder));
        made.as_ref().map_err(|error| error.clone().into())
    }
}

impl Bootstrapper {
    /// Encodes what a bootstrap needs.
    ///
    /// # Errors
    /// [`BootstrapError`] for parameters without levels for it.
    pub fn new(encoder: &Encoder) -> Result<Self, BootstrapError> {
        let parameters = encoder.parameters();
        let shape = parameters.bootstrap().ok_or(BootstrapError::Parameters)?;
        let spread = Spread::new(encoder, shape)?;
        let embedding = Embedding::new(parameters.slots().trailing_zeros());
        // Half, because a number and its conjugate are twice the real part.
        let inwards = 0.5 / (f64::from(shape.range) * shape.ratio());
        let matrices = fourier::to_coefficients(&embedding, shape.coeff_to_slot, inwards)?;
        let polynomial_scale = parameters.level(shape.polynomial_level()).scale;
        let top = parameters.top();
        let coeff_to_slot = encode(encoder, &matrices, top, spread.scale(), polynomial_scale)?;
        let mut matrices =
            fourier::to_slots(&embedding, shape.slot_to_coeff(), shape.ratio() / TAU)?;
        if let Some(last) = matrices.last_mut() {
            last.scale_rows(spread.inverses());
        }
        let (from, to) = (shape.slot_to_coeff_level(), parameters.level(shape.levels).scale);
        let sine_scale = sine_scale(parameters, shape);
        let slot_to_coeff = encode(encoder, &matrices, from, sine_scale, to)?;
        let cosine = sine::cosine(shape)?;
        Ok(Self { shape: shape.clone(), spread, coeff_to_slot, cosine, slot_to_coeff })
    }

    /// Bytes of the encoded matrices.
    pub fn bytes(&self) -> usize {
        self.coeff_to_slot.iter().chain(&self.slot_to_coeff).map(LinearTransform::bytes).sum()
    }

    /// All plaintexts, with names in traces.
    pub fn named(&self) -> Vec<Named<'_>> {
        let stages = [("CoeffToSlot", &self.coeff_to_slot), ("SlotToCoeff", &self.slot_to_coeff)];
        let matrices = stages.into_iter().flat_map(|(name, matrices)| {
            matrices.iter().enumerate().map(move |(k, matrix)| (format!("{name} {k}"), matrix))
        });
        let spread = ("angles of slots".to_owned(), self.spread.plaintext().polynomial());
        let matrices = matrices.flat_map(|(name, matrix)| matrix.named(&name));
        matrices.chain([spread]).collect()
    }

    /// A ciphertext of values of absolute value up to 1, at the level that a bootstrap gives.
    ///
    /// # Errors
    /// [`EvaluationError`] where the server lacks a key.
    pub fn bootstrap(
        &self,
        server: &Server,
        a: &Ciphertext,
    ) -> Result<Ciphertext, EvaluationError> {
        let note = |text: &str| server.parameters().ring().note(|| text.to_owned());
        note("ModRaise");
        let mut slots = self.raise(server, a)?;
        for matrix in &self.coeff_to_slot {
            note("CoeffToSlot, a matrix");
            slots = server.linear_transform(&slots, matrix)?;
        }
        note("EvalMod, the real and the imaginary part");
        let conjugate = server.conjugate(&slots)?;
        let real = server.add(&slots, &conjugate)?;
        let imaginary = server.mul_by_i(&server.sub(&conjugate, &slots)?)?;
        let sine = |mut part: Ciphertext| {
            note("EvalMod, a sine");
            part.estimate.magnitude = 1.0;
            sine::sine(server, &self.shape, &self.cosine, &part)
        };
        let ring = server.parameters().ring();
        let (real, imaginary) = ring.both(|| sine(real), || sine(imaginary));
        let mut result = server.add(&real?, &server.mul_by_i(&imaginary?)?)?;
        let magnitude = a.estimate.magnitude;
        let sizes = self.sizes_on_the_way(magnitude, server.parameters().slots());
        for (matrix, size) in self.slot_to_coeff.iter().zip(sizes) {
            note("SlotToCoeff, a matrix");
            result.estimate.magnitude = size;
            result = server.linear_transform(&result, matrix)?;
        }
        let of_sine = self.shape.sine_error(magnitude);
        let error = result.estimate.error.hypot(a.estimate.error).hypot(of_sine);
        Ok(Ciphertext { slots: a.slots, estimate: Estimate { error, magnitude }, ..result })
    }

    /// How large vectors are before each matrix of SlotToCoeff, in the mean. Its stages are unitary but for
    /// a factor √2 each; before the first, values are angles.
    fn sizes_on_the_way(&self, magnitude: f64, slots: usize) -> Vec<f64> {
        let stages = slots.trailing_zeros() as usize;
        let groups = fourier::parts(stages, self.slot_to_coeff.len());
        let size = |done: usize| magnitude / ((stages - done) as f64 / 2.0).exp2();
        let mut sizes: Vec<f64> = groups.map(|group| size(group.start)).collect();
        sizes.iter_mut().take(1).for_each(|size| *size *= TAU / self.shape.ratio());
        sizes
    }

    /// The ciphertext, multiplied, modulo the primes of the highest level.
    fn raise(&self, server: &Server, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let parameters = server.parameters();
        let (ring, top) = (parameters.ring(), parameters.top());
        let lowest = server.mul_encoded(&self.whole(server, a)?, self.spread.plaintext())?;
        let sparse = key(server, KeyUse::ToSparse, 0)?.switch_parts(lowest.parts(), 1);
        let (base, basis) = (&parameters.level(0).basis, &parameters.level(top).basis);
        let raised =
            sparse.map(|values| ring.extend(&values, std::slice::from_ref(base), basis).remove(0));
        let parts = key(server, KeyUse::FromSparse, top)?.switch_parts([&raised[0], &raised[1]], 1);
        // What is wrong with the message is part of it, and goes through the sine as it is.
        let scale = lowest.scale;
        let error = switching_error(parameters, base, scale);
        let magnitude = self.shape.ratio() * f64::from(self.shape.range);
        let estimate = Estimate { error, magnitude };
        Ok(Ciphertext { parts, level: top, scale, slots: lowest.slots, estimate, seed: None })
    }

    /// The ciphertext at the lowest level; values of fewer slots stand there several times.
    fn whole(&self, server: &Server, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let lowest = server.at_level(a, 0)?;
        Ok(Ciphertext { slots: server.parameters().slots(), ..lowest })
    }
}

/// A key of the bootstrap alone.
fn key(server: &Server, of: KeyUse, level: usize) -> Result<&SwitchingKey, EvaluationError> {
    server.keys().key(of, level, || "bootstrap".to_owned())
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
