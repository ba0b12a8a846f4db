// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An encoded form of bootstraps, and the steps of a bootstrap.

use std::f64::consts::TAU;

use super::error::BootstrapError;
use super::form::BootstrapForm;
use super::slot_randomizer::SlotRandomizer;
use super::{fourier, sine};
use crate::encoding::Encoder;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, EvaluationError, Evaluator};
use crate::keys::{KeyUse, SwitchingKey};
use crate::linear::{Diagonals, LinearError, LinearTransform, RotationStrategy};
use crate::params::{rounding_error, switching_error, BootstrapShape, Parameters, Scale};
use crate::polynomial::Polynomial;
use crate::ring::{Basis, Finish, Named};
use crate::sampling::Seed;

/// The encoded matrices and the polynomial of a form of bootstraps.
pub(crate) struct EncodedForm {
    form: BootstrapForm,
    randomizer: SlotRandomizer,
    coeff_to_slot: Vec<LinearTransform>,
    cosine: Polynomial,
    slot_to_coeff: Vec<LinearTransform>,
}

impl EncodedForm {
    /// Encodes what a bootstrap needs, with the angles of a seed.
    ///
    /// # Errors
    /// [`BootstrapError`] for matrices that cannot be encoded.
    pub fn new(
        encoder: &Encoder,
        form: BootstrapForm,
        angles: &Seed,
    ) -> Result<Self, BootstrapError> {
        let (parameters, shape) = (encoder.parameters(), form.shape());
        let randomizer = SlotRandomizer::new(encoder, &form, angles)?;
        let scale = randomizer.scale() * copies(&form);
        let matrices = form.fourier().to_coefficients(&inwards(parameters, &form, scale))?;
        let polynomial_scale = parameters.level(shape.polynomial_level()).scale;
        let scales = [scale, polynomial_scale];
        let coeff_to_slot = encode(encoder, &matrices, form.top(), scales, form.strategy())?;
        // The first matrix has all of the factor: the factor is large, and in a later matrix it
        // would magnify the errors of the matrices before.
        let mut outwards = vec![1.0; shape.slot_to_coeff()];
        outwards[0] = form.ratio() / TAU;
        let mut matrices = form.fourier().to_slots(&outwards)?;
        if let Some(last) = matrices.last_mut() {
            last.scale_rows(randomizer.inverses());
        }
        let (from, to) = (shape.slot_to_coeff_level(), round_scale(parameters, shape));
        let sine_scale = sine_scale(parameters, shape);
        let slot_to_coeff = encode(encoder, &matrices, from, [sine_scale, to], form.strategy())?;
        let cosine = sine::cosine(shape)?;
        Ok(Self { randomizer, coeff_to_slot, cosine, slot_to_coeff, form })
    }

    /// Returns the size of the encoded matrices in bytes.
    pub fn bytes(&self) -> usize {
        self.coeff_to_slot.iter().chain(&self.slot_to_coeff).map(LinearTransform::bytes).sum()
    }

    /// Returns all plaintexts. Their names in traces begin with the name of the form.
    pub fn named(&self) -> Vec<Named<'_>> {
        let form = self.form.prefix();
        let stages = [("CoeffToSlot", &self.coeff_to_slot), ("SlotToCoeff", &self.slot_to_coeff)];
        let matrices = stages.into_iter().flat_map(|(name, matrices)| {
            matrices.iter().enumerate().map(move |(k, matrix)| (name, k, matrix))
        });
        let angles = (format!("{form}angles of slots"), self.randomizer.plaintext().polynomial());
        let matrices =
            matrices.flat_map(|(name, k, matrix)| matrix.named(&format!("{form}{name} {k}")));
        matrices.chain([angles]).collect()
    }

    /// Returns the bootstrap numbers of the parameters.
    pub fn shape(&self) -> &BootstrapShape {
        self.form.shape()
    }

    /// Bootstraps values of absolute value up to 1 once. The result has the level that a bootstrap
    /// gives and [the scale of a round](round_scale).
    ///
    /// # Errors
    /// [`BootstrapError`] if the evaluator lacks a key.
    pub fn round(
        &self,
        evaluator: &Evaluator,
        a: &Ciphertext,
    ) -> Result<Ciphertext, BootstrapError> {
        note(evaluator, "ModRaise");
        let a = &evaluator.at_level(a, 0)?;
        let mut slots = self.raise(evaluator, a)?;
        if !self.form.is_full() {
            note(evaluator, "SubSum");
            slots = self.sub_sum(evaluator, slots)?;
        }
        for matrix in &self.coeff_to_slot {
            note(evaluator, "CoeffToSlot, a matrix");
            slots = evaluator.linear_transform(&slots.with_slots(matrix.slots()), matrix)?;
        }
        let mut result = self.sines(evaluator, slots)?;
        let magnitude = a.bound().magnitude();
        for (matrix, size) in self.slot_to_coeff.iter().zip(self.sizes_on_the_way(magnitude)) {
            note(evaluator, "SlotToCoeff, a matrix");
            result = evaluator.linear_transform(&result.assuming(Bound::complex(size)), matrix)?;
            let slots = self.form.slots();
            if matrix.slots() > slots {
                note(evaluator, "SlotToCoeff, both parts of coefficients");
                let noise = result.noise().spread(result.error_origin("both parts"), 2f64.sqrt());
                let sum = evaluator.inner_sum(&result, 2, slots)?;
                result = sum.with_slots(slots).with_noise(noise);
            }
        }
        let of_sine = self.form.shape().sine_error(self.form.slots(), magnitude);
        Ok(result.with_metadata(|known| known.bootstrapped(a.metadata(), of_sine)))
    }

    /// Returns the sines of the coefficients, which are twice the real parts of slots. In the full
    /// form, slots are w/2 for coefficients w, and the real and the imaginary part each pass
    /// through a sine. In a form of few slots, one ciphertext holds all coefficients, and one sine
    /// is enough.
    fn sines(
        &self,
        evaluator: &Evaluator,
        slots: Ciphertext,
    ) -> Result<Ciphertext, BootstrapError> {
        let sine = |part: Ciphertext| {
            note(evaluator, "EvalMod, a sine");
            let part = part.assuming(Bound::real(1.0));
            sine::sine(evaluator, self.form.shape(), &self.cosine, &part)
        };
        if !self.form.is_full() {
            note(evaluator, "EvalMod, both parts");
            return Ok(sine(evaluator.add(&slots, &evaluator.conjugate(&slots)?)?)?);
        }
        note(evaluator, "EvalMod, the real and the imaginary part");
        let conjugate = evaluator.conjugate(&slots)?;
        let real = evaluator.add(&slots, &conjugate)?;
        let imaginary = evaluator.mul_by_i(&evaluator.sub(&conjugate, &slots)?)?;
        let ring = evaluator.parameters().ring();
        let (real, imaginary) = ring.both(|| sine(real), || sine(imaginary));
        Ok(evaluator.add(&real?, &evaluator.mul_by_i(&imaginary?)?)?)
    }

    /// Returns the average size of vectors before each matrix of SlotToCoeff. Its stages are
    /// unitary up to a factor √2 each. Values before the first matrix are angles.
    fn sizes_on_the_way(&self, magnitude: f64) -> Vec<f64> {
        let stages = self.form.slots().trailing_zeros() as usize;
        let groups = fourier::parts(stages, self.slot_to_coeff.len());
        let size = |done: usize| magnitude / ((stages - done) as f64 / 2.0).exp2();
        let mut sizes: Vec<f64> = groups.map(|group| size(group.start)).collect();
        sizes.iter_mut().take(1).for_each(|size| *size *= TAU / self.form.ratio());
        sizes
    }

    /// Multiplies the ciphertext by the angles and raises it to the primes of the form's highest
    /// level.
    fn raise(&self, evaluator: &Evaluator, a: &Ciphertext) -> Result<Ciphertext, BootstrapError> {
        let parameters = evaluator.parameters();
        let (ring, top) = (parameters.ring(), self.form.top());
        // Vectors of fewer slots than the form are repeated in its slots.
        let whole = a.clone().with_slots(self.form.slots());
        let lowest = evaluator.mul_encoded(&whole, self.randomizer.plaintext())?;
        let base = &parameters.raised_basis();
        let removed = parameters.level(0).basis.without(base);
        let parts = match removed.is_empty() {
            true => lowest.clone().into_parts(),
            false => ring.divide_all(lowest.parts(), &removed, &Basis::new([]), &Finish::NOTHING),
        };
        let sparse = key(evaluator, KeyUse::ToSparse, 0)?.switch_parts(parts.each_ref(), 1);
        let basis = &parameters.level(top).basis;
        let raised =
            sparse.map(|values| ring.extend(&values, std::slice::from_ref(base), basis).remove(0));
        let parts =
            key(evaluator, KeyUse::FromSparse, top)?.switch_parts([&raised[0], &raised[1]], 1);
        // The errors of the message are part of the message, and pass through the sine unchanged.
        let scale = self.randomizer.scale();
        let rounding = match removed.is_empty() {
            true => 0.0,
            false => rounding_error(parameters, scale, parameters.slots()),
        };
        // All coefficients have an error, including those that a vector of few slots does not have.
        let slots = parameters.slots();
        let error = switching_error(parameters, base, scale, slots).hypot(rounding);
        let bound = Bound::complex(self.form.ratio() * f64::from(self.form.shape().range));
        let metadata = lowest.metadata().clone().raised(top, scale, slots, error, bound);
        Ok(Ciphertext::new(parts, metadata))
    }

    /// Removes the coefficients that a polynomial of few slots does not have: sums all rotations by
    /// the length of the vector. The result is the vector times the number of rotations, a factor
    /// of the scale.
    fn sub_sum(&self, evaluator: &Evaluator, a: Ciphertext) -> Result<Ciphertext, BootstrapError> {
        let (slots, bound) = (self.form.slots(), a.bound());
        let mut sum = a;
        for (step, terms) in self.form.sums() {
            sum = evaluator.rotate_and_sum(&sum, step, terms, self.form.strategy())?;
        }
        let scale = sum.scale() * copies(&self.form);
        let vector = sum.read_on(scale, 1.0 / self.form.copies() as f64);
        Ok(vector.assuming(bound).with_slots(slots))
    }
}

/// Returns the factors of the matrices of CoeffToSlot, for vectors on a scale. The total factor is
/// small and is spread over all matrices: values become small early enough for the rounding of the
/// later matrices. The first matrix is encoded on a larger scale than the others, by the ratio by
/// which the scale of vectors is smaller, and its factor is smaller by the same ratio.
fn inwards(parameters: &Parameters, form: &BootstrapForm, scale: Scale) -> Vec<f64> {
    let count = form.coeff_to_slot();
    // Half, because the sum of a number and its conjugate is twice the real part.
    let all = 0.5 / (f64::from(form.shape().range) * form.ratio());
    let more = (parameters.level(form.top()).scale / scale).value();
    let others = (all * more).powf(1.0 / count as f64);
    let mut factors = vec![others; count];
    factors[0] = others / more;
    factors
}

/// Returns the scale of a round's result: that of the level, divided by the factor with which the
/// second round multiplies the error.
pub(super) fn round_scale(parameters: &Parameters, shape: &BootstrapShape) -> Scale {
    parameters.level(shape.levels).scale / shape.gain()
}

/// Returns the number of copies of a vector in the slots, as a scale.
fn copies(form: &BootstrapForm) -> Scale {
    Scale::power_of_two(form.copies().ilog2() as i32)
}

/// Adds a note to a trace about the operations that follow.
pub(super) fn note(evaluator: &Evaluator, text: &str) {
    evaluator.parameters().ring().note(|| text.to_owned());
}

/// Returns a key that only the bootstrap uses.
fn key(evaluator: &Evaluator, of: KeyUse, level: usize) -> Result<&SwitchingKey, EvaluationError> {
    evaluator.keys().key(of, level, || "bootstrap".to_owned())
}

/// Returns the scale of the sine's result: that of a square of the level above.
fn sine_scale(parameters: &Parameters, shape: &BootstrapShape) -> Scale {
    let mut scale = parameters.level(shape.doubling_level()).scale;
    for level in (shape.slot_to_coeff_level() + 1..=shape.doubling_level()).rev() {
        let step = parameters.level(level).modulus / parameters.level(level - 1).modulus;
        scale = scale * scale / step;
    }
    scale
}

/// Encodes matrices that are applied in sequence, from a level down, from one scale to another.
/// Vectors in between have the scale of the level above: where scales decrease, errors stay small
/// for longer.
fn encode(
    encoder: &Encoder,
    matrices: &[Diagonals],
    top: usize,
    [from, to]: [Scale; 2],
    strategy: RotationStrategy,
) -> Result<Vec<LinearTransform>, LinearError> {
    let count = matrices.len();
    let scale = |index: usize| match index {
        0 => from,
        _ if index == count => to,
        _ => encoder.parameters().level(top + 1 - index).scale,
    };
    let encode = |(index, matrix): (usize, &Diagonals)| {
        let scales = [scale(index), scale(index + 1)];
        let transform =
            LinearTransform::with_strategy(encoder, matrix, top - index, scales, strategy)?;
        Ok(transform.spreading())
    };
    matrices.iter().enumerate().map(encode).collect()
}
