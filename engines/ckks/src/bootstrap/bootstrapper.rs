// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a bootstrap, one after the other.

use std::f64::consts::TAU;

use super::form::Form;
use super::spread::Spread;
use super::{fourier, sine};
use crate::encoding::Encoder;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, EvaluationError, Server};
use crate::keys::{KeyUse, SwitchingKey};
use crate::linear::{Diagonals, LinearError, LinearTransform, Turns};
use crate::params::{rounding_error, switching_error, BootstrapShape, Parameters, Scale};
use crate::polynomial::{Polynomial, PolynomialError};
use crate::ring::{Basis, Finish, Named};
use crate::sampling::{RandomError, Seed};

/// The matrices and the polynomial of a form of bootstraps, encoded.
pub(crate) struct Bootstrapper {
    form: Form,
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
        "the parameters have no levels for a bootstrap: take those whose names have \"boot\", or build \
         some with bootstraps"
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
    /// There are no random angles.
    #[error(transparent)]
    Random(#[from] RandomError),
    /// There is no such cosine.
    #[error(transparent)]
    Polynomial(#[from] PolynomialError),
}

impl Bootstrapper {
    /// Encodes what a bootstrap needs, with angles of a seed.
    ///
    /// # Errors
    /// [`BootstrapError`] for matrices that cannot be encoded.
    pub fn new(encoder: &Encoder, form: Form, angles: &Seed) -> Result<Self, BootstrapError> {
        let (parameters, shape) = (encoder.parameters(), form.shape());
        let spread = Spread::new(encoder, &form, angles)?;
        let scale = spread.scale() * copies(&form);
        let matrices = form.fourier().to_coefficients(&inwards(parameters, &form, scale))?;
        let polynomial_scale = parameters.level(shape.polynomial_level()).scale;
        let scales = [scale, polynomial_scale];
        let coeff_to_slot = encode(encoder, &matrices, form.top(), scales, form.turns())?;
        // The first has all of the factor: it is large, and would magnify the errors of all before.
        let mut outwards = vec![1.0; shape.slot_to_coeff()];
        outwards[0] = form.ratio() / TAU;
        let mut matrices = form.fourier().to_slots(&outwards)?;
        if let Some(last) = matrices.last_mut() {
            last.scale_rows(spread.inverses());
        }
        let (from, to) = (shape.slot_to_coeff_level(), round_scale(parameters, shape));
        let sine_scale = sine_scale(parameters, shape);
        let slot_to_coeff = encode(encoder, &matrices, from, [sine_scale, to], form.turns())?;
        let cosine = sine::cosine(shape)?;
        Ok(Self { spread, coeff_to_slot, cosine, slot_to_coeff, form })
    }

    /// Bytes of the encoded matrices.
    pub fn bytes(&self) -> usize {
        self.coeff_to_slot.iter().chain(&self.slot_to_coeff).map(LinearTransform::bytes).sum()
    }

    /// All plaintexts, with names in traces that begin with that of the form.
    pub fn named(&self) -> Vec<Named<'_>> {
        let form = self.form.prefix();
        let stages = [("CoeffToSlot", &self.coeff_to_slot), ("SlotToCoeff", &self.slot_to_coeff)];
        let matrices = stages.into_iter().flat_map(|(name, matrices)| {
            matrices.iter().enumerate().map(move |(k, matrix)| (name, k, matrix))
        });
        let spread = (format!("{form}angles of slots"), self.spread.plaintext().polynomial());
        let matrices =
            matrices.flat_map(|(name, k, matrix)| matrix.named(&format!("{form}{name} {k}")));
        matrices.chain([spread]).collect()
    }

    /// The numbers of the parameters' bootstraps.
    pub fn shape(&self) -> &BootstrapShape {
        self.form.shape()
    }

    /// A ciphertext of values of absolute value up to 1, at the level that a bootstrap gives and on
    /// [the scale of a round](round_scale).
    ///
    /// # Errors
    /// [`EvaluationError`] where the server lacks a key.
    pub fn round(&self, server: &Server, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        note(server, "ModRaise");
        let a = &server.at_level(a, 0)?;
        let mut slots = self.raise(server, a)?;
        if !self.form.is_full() {
            note(server, "SubSum");
            slots = self.without_others(server, slots)?;
        }
        for matrix in &self.coeff_to_slot {
            note(server, "CoeffToSlot, a matrix");
            slots = server.linear_transform(&slots.with_slots(matrix.slots()), matrix)?;
        }
        let mut result = self.sines(server, slots)?;
        let magnitude = a.bound().magnitude();
        for (matrix, size) in self.slot_to_coeff.iter().zip(self.sizes_on_the_way(magnitude)) {
            note(server, "SlotToCoeff, a matrix");
            result = server.linear_transform(&result.assuming(Bound::complex(size)), matrix)?;
            let slots = self.form.slots();
            if matrix.slots() > slots {
                note(server, "SlotToCoeff, both parts of coefficients");
                let noise = result.noise().spread(result.error_origin("both parts"), 2f64.sqrt());
                let sum = server.inner_sum(&result, 2, slots)?;
                result = sum.with_slots(slots).with_noise(noise);
            }
        }
        let of_sine = self.form.shape().sine_error(self.form.slots(), magnitude);
        Ok(result.with_metadata(|known| known.bootstrapped(a.metadata(), of_sine)))
    }

    /// The sines of the coefficients, which are twice the real parts of slots. Of the full form slots are w/2
    /// for coefficients w, and both parts go through a sine; of few slots, one has all of them.
    fn sines(&self, server: &Server, slots: Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let sine = |part: Ciphertext| {
            note(server, "EvalMod, a sine");
            let part = part.assuming(Bound::real(1.0));
            sine::sine(server, self.form.shape(), &self.cosine, &part)
        };
        if !self.form.is_full() {
            note(server, "EvalMod, both parts");
            return sine(server.add(&slots, &server.conjugate(&slots)?)?);
        }
        note(server, "EvalMod, the real and the imaginary part");
        let conjugate = server.conjugate(&slots)?;
        let real = server.add(&slots, &conjugate)?;
        let imaginary = server.mul_by_i(&server.sub(&conjugate, &slots)?)?;
        let ring = server.parameters().ring();
        let (real, imaginary) = ring.both(|| sine(real), || sine(imaginary));
        server.add(&real?, &server.mul_by_i(&imaginary?)?)
    }

    /// How large vectors are before each matrix of SlotToCoeff, in the mean. Its stages are unitary but for
    /// a factor √2 each; before the first, values are angles.
    fn sizes_on_the_way(&self, magnitude: f64) -> Vec<f64> {
        let stages = self.form.slots().trailing_zeros() as usize;
        let groups = fourier::parts(stages, self.slot_to_coeff.len());
        let size = |done: usize| magnitude / ((stages - done) as f64 / 2.0).exp2();
        let mut sizes: Vec<f64> = groups.map(|group| size(group.start)).collect();
        sizes.iter_mut().take(1).for_each(|size| *size *= TAU / self.form.ratio());
        sizes
    }

    /// The ciphertext, multiplied, modulo the primes of the form's highest level.
    fn raise(&self, server: &Server, a: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let parameters = server.parameters();
        let (ring, top) = (parameters.ring(), self.form.top());
        // Vectors of fewer slots than the form's stand there several times.
        let whole = a.clone().with_slots(self.form.slots());
        let lowest = server.mul_encoded(&whole, self.spread.plaintext())?;
        let base = &parameters.raised_basis();
        let removed = parameters.level(0).basis.without(base);
        let parts = match removed.is_empty() {
            true => lowest.clone().into_parts(),
            false => ring.divide_all(lowest.parts(), &removed, &Basis::new([]), &Finish::NOTHING),
        };
        let sparse = key(server, KeyUse::ToSparse, 0)?.switch_parts(parts.each_ref(), 1);
        let basis = &parameters.level(top).basis;
        let raised =
            sparse.map(|values| ring.extend(&values, std::slice::from_ref(base), basis).remove(0));
        let parts = key(server, KeyUse::FromSparse, top)?.switch_parts([&raised[0], &raised[1]], 1);
        // What is wrong with the message is part of it, and goes through the sine as it is.
        let scale = self.spread.scale();
        let rounding = match removed.is_empty() {
            true => 0.0,
            false => rounding_error(parameters, scale, parameters.slots()),
        };
        // All coefficients have an error, those with them that few slots do not have.
        let slots = parameters.slots();
        let error = switching_error(parameters, base, scale, slots).hypot(rounding);
        let bound = Bound::complex(self.form.ratio() * f64::from(self.form.shape().range));
        let metadata = lowest.metadata().clone().raised(top, scale, slots, error, bound);
        Ok(Ciphertext::new(parts, metadata))
    }

    /// Without the coefficients that a polynomial of so few slots does not have: the sum of all turns by a
    /// vector's length. It is so many times the vector as there are turns, a factor of the scale.
    fn without_others(
        &self,
        server: &Server,
        a: Ciphertext,
    ) -> Result<Ciphertext, EvaluationError> {
        let (slots, bound) = (self.form.slots(), a.bound());
        let mut sum = a;
        for (step, terms) in self.form.sums() {
            sum = server.sum_of_turned(&sum, step, terms, self.form.turns())?;
        }
        let scale = sum.scale() * copies(&self.form);
        let vector = sum.read_on(scale, 1.0 / self.form.copies() as f64);
        Ok(vector.assuming(bound).with_slots(slots))
    }
}

/// The factors of the matrices of CoeffToSlot, of vectors on a scale. They are small: values become small
/// soon enough for the rounding of later matrices, and errors do later. The first matrix is encoded
/// on a larger scale than the others, by as much as vectors' is smaller, and has as much more of the factor.
fn inwards(parameters: &Parameters, form: &Form, scale: Scale) -> Vec<f64> {
    let count = form.coeff_to_slot();
    // Half, because a number and its conjugate are twice the real part.
    let all = 0.5 / (f64::from(form.shape().range) * form.ratio());
    let more = (parameters.level(form.top()).scale / scale).value();
    let others = (all * more).powf(1.0 / count as f64);
    let mut factors = vec![others; count];
    factors[0] = others / more;
    factors
}

/// The scale that a round comes out on: by what the second one multiplies smaller than that of the level.
pub(super) fn round_scale(parameters: &Parameters, shape: &BootstrapShape) -> Scale {
    parameters.level(shape.levels).scale / shape.gain()
}

/// How often a vector stands in the slots, as a scale.
fn copies(form: &Form) -> Scale {
    Scale::power_of_two(form.copies().ilog2() as i32)
}

/// Says in a trace what comes.
pub(super) fn note(server: &Server, text: &str) {
    server.parameters().ring().note(|| text.to_owned());
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
    [from, to]: [Scale; 2],
    turns: Turns,
) -> Result<Vec<LinearTransform>, LinearError> {
    let count = matrices.len();
    let scale = |index: usize| match index {
        0 => from,
        _ if index == count => to,
        _ => encoder.parameters().level(top + 1 - index).scale,
    };
    let encode = |(index, matrix): (usize, &Diagonals)| {
        let scales = [scale(index), scale(index + 1)];
        let transform = LinearTransform::with_turns(encoder, matrix, top - index, scales, turns)?;
        Ok(transform.spreading())
    };
    matrices.iter().enumerate().map(encode).collect()
}
