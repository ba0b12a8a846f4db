// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Metadata of a ciphertext (level, scale, bound, noise), and how each operation changes it.
//!
//! All metadata is public, and depends only on declarations and operations. Only this file writes
//! its fields: an operation computes polynomials, and the method of the same name computes the
//! metadata.

use super::error::EvaluationError;
use crate::encoding::{Plaintext, MOST_BITS};
use crate::estimate::{Bound, Estimate, Noise, Origin};
use crate::keys::KeyId;
use crate::params::{
    double_error, integer_error, relinearization_error, rounding_error, switching_error,
    Parameters, Scale,
};

/// The metadata of a ciphertext of `PARTS` polynomials.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metadata<const PARTS: usize> {
    level: usize,
    scale: Scale,
    /// The number of slots, a power of two. The values are repeated in all other slots.
    slots: usize,
    /// The number of values of the vector. The other slots hold values within the bound.
    length: usize,
    /// The identity of the secret key that decrypts.
    owner: KeyId,
    /// The origin of each part: what it was computed from.
    origins: [Origin; PARTS],
    noise: Noise,
    bound: Bound,
}

/// The metadata of a plain operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlainOperand {
    /// The bound of the values.
    pub bound: Bound,
    /// The error of its encoding.
    pub error: f64,
    /// The origin of the operand.
    pub origin: Origin,
}

impl PlainOperand {
    /// The metadata of a plaintext for vectors of `slots` slots.
    pub fn of_plaintext(plaintext: &Plaintext, slots: usize) -> Self {
        let Plaintext { scale, bound, origin, .. } = *plaintext;
        let error = integer_error(scale, slots) + double_error(bound.magnitude(), slots);
        Self { bound, error, origin }
    }
}

impl<const PARTS: usize> Metadata<PARTS> {
    pub fn level(&self) -> usize {
        self.level
    }

    pub fn scale(&self) -> Scale {
        self.scale
    }

    pub fn slots(&self) -> usize {
        self.slots
    }

    pub fn length(&self) -> usize {
        self.length
    }

    pub fn owner(&self) -> KeyId {
        self.owner
    }

    /// The same metadata under another owner's key.
    pub fn with_owner(self, owner: KeyId) -> Self {
        Self { owner, ..self }
    }

    pub fn noise(&self) -> &Noise {
        &self.noise
    }

    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// The error of the decrypted values, and their bound.
    pub fn estimate(&self) -> Estimate {
        let error = self.noise.total(self.length) + self.decoding_error();
        Estimate { error, bound: self.bound }
    }

    /// The error for all values within their bounds.
    pub fn error_anywhere(&self) -> f64 {
        self.noise.total_anywhere(self.length) + self.decoding_error()
    }

    fn decoding_error(&self) -> f64 {
        double_error(self.bound.magnitude(), self.slots)
    }

    /// The metadata of a sum. A small difference of the scales adds to the error.
    pub fn sum(&self, other: &Self) -> Self {
        self.added(other, other.bound, other.origins)
    }

    /// The metadata of a difference.
    pub fn difference(&self, other: &Self) -> Self {
        self.added(other, other.bound.negative(), other.origins.map(std::ops::Neg::neg))
    }

    fn added(&self, other: &Self, bound: Bound, origins: [Origin; PARTS]) -> Self {
        let off = self.scale.deviation(other.scale).abs() * other.bound.magnitude();
        let noise = self.noise.sum(&other.noise).with_rest(off);
        let (bound, origins) = (self.bound.sum(bound), sums(self.origins, origins));
        Self { noise, bound, origins, ..*self }
    }

    /// Checks that the ciphertext is under this secret key.
    pub fn check_owner(&self, ours: KeyId) -> Result<(), EvaluationError> {
        match self.owner == ours {
            true => Ok(()),
            false => Err(EvaluationError::Owner { got: self.owner, ours }),
        }
    }

    /// Checks that the ciphertexts have equally many values.
    pub fn check_length<const OTHERS: usize>(
        &self,
        right: &Metadata<OTHERS>,
    ) -> Result<(), EvaluationError> {
        if self.length != right.length {
            return Err(EvaluationError::Length { left: self.length, right: right.length });
        }
        if self.slots != right.slots {
            return Err(EvaluationError::Slots { left: self.slots, right: right.slots });
        }
        Ok(())
    }

    /// Checks that the values fill the slots.
    pub fn check_full(&self, what: &'static str) -> Result<(), EvaluationError> {
        let (length, slots) = (self.length, self.slots);
        match length == slots {
            true => Ok(()),
            false => Err(EvaluationError::Ragged { what, length, slots }),
        }
    }

    /// Checks that the modulus of the level has room for the values.
    pub fn check_room(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        check_room(parameters, self.level, self.scale, self.bound)
    }

    /// Checks that the values can be decoded.
    pub fn check_decodable(&self, parameters: &Parameters) -> Result<(), EvaluationError> {
        let limit = parameters.level(self.level).modulus.log2().min(MOST_BITS);
        check_room_of(limit, self.level, self.scale, self.bound)
    }
}

/// Constructors and properties.
impl Metadata<2> {
    /// The metadata of a vector at a level, of unknown origin.
    pub fn declared(level: usize, scale: Scale, length: usize, owner: KeyId, bound: Bound) -> Self {
        let (slots, origins) = (length.next_power_of_two(), [Origin::ZERO; 2]);
        Self { level, scale, slots, length, owner, origins, noise: Noise::default(), bound }
    }

    /// The same metadata with these origins and this error.
    #[must_use]
    pub fn computed_from(self, origins: [Origin; 2], noise: Noise) -> Self {
        Self { origins, noise, ..self }
    }

    /// Sets the number of slots: a power of two of at least the length.
    #[must_use]
    pub fn standing_in(self, slots: usize) -> Self {
        Self { slots, ..self }
    }

    /// The origins of both parts.
    pub fn origins(&self) -> [Origin; 2] {
        self.origins
    }

    /// The metadata of an encryption of a plaintext with this error. `second` is the new origin of
    /// the second part.
    pub fn fresh(
        plaintext: &Plaintext,
        level: usize,
        owner: KeyId,
        second: Origin,
        error: f64,
    ) -> Self {
        let Plaintext { scale, slots, length, bound, .. } = *plaintext;
        let origins = [Origin::derived("the first part", [second]), second];
        let noise = Noise::source(Origin::derived("fresh", [second]), error)
            .with_rest(double_error(bound.magnitude(), slots));
        Self { slots, ..Self::declared(level, scale, length, owner, bound) }
            .computed_from(origins, noise)
    }

    /// The metadata of a trivial encryption of 0 for the same owner and slots, at a level and on a
    /// scale.
    pub fn zero(&self, level: usize, scale: Scale) -> Self {
        let (bound, origins) = (Bound::real(0.0), [Origin::ZERO; 2]);
        Self { level, scale, noise: Noise::default(), bound, origins, ..*self }
    }

    /// The origin of an error that an operation adds. It depends on the second part, since nearly
    /// all of the error is the rounding of that part times the secret.
    pub fn error_origin(&self, what: &str) -> Origin {
        self.origins[1].error(what)
    }

    /// The origin of an error that a product with a matrix adds.
    pub fn error_origin_after(&self, rounding: &str, by: Origin, what: &str) -> Origin {
        self.origins[1].rounded(rounding, by).error(what)
    }
}

/// Arithmetic.
impl Metadata<2> {
    /// The metadata of −a.
    pub fn negative(self) -> Self {
        let origins = self.origins.map(std::ops::Neg::neg);
        Self { bound: self.bound.negative(), origins, ..self }
    }

    /// The metadata of i·a.
    pub fn times_i(self) -> Self {
        Self { bound: self.bound.by_i(), origins: self.origins.map(Origin::by_i), ..self }
    }

    /// The metadata of a product with an integer.
    pub fn times_integer(self, integer: i64) -> Self {
        let noise = self.noise.scaled(integer.unsigned_abs() as f64);
        let origins = self.origins.map(|origin| origin * Origin::integer(integer));
        Self { noise, bound: self.bound.times(integer as f64), origins, ..self }
    }

    /// The metadata of a sum with a plain operand.
    pub fn plus_plain(self, operand: &PlainOperand) -> Self {
        let [first, second] = self.origins;
        let (noise, bound) = (self.noise.with_rest(operand.error), self.bound.sum(operand.bound));
        Self { noise, bound, origins: [first + operand.origin, second], ..self }
    }

    /// The metadata of a product with a plain operand, on a scale.
    pub fn times_plain(&self, operand: &PlainOperand, scale: Scale) -> Self {
        let (noise, bound) = self.noise_times(operand);
        let origins = self.origins.map(|origin| origin * operand.origin);
        Self { noise, bound, origins, scale: self.scale * scale, ..*self }
    }

    fn noise_times(&self, operand: &PlainOperand) -> (Noise, Bound) {
        let rounding = operand.error * self.bound.magnitude();
        let noise = self.noise.scaled(operand.bound.magnitude()).with_rest(rounding);
        (noise, self.bound.product(operand.bound))
    }

    /// The metadata of a linear combination with numbers, on a scale and at the level and for the
    /// slots of this one.
    pub fn combination<'a>(
        &self,
        terms: impl Iterator<Item = (&'a Self, PlainOperand)>,
        scale: Scale,
    ) -> Self {
        terms.fold(self.zero(self.level, scale), |sum, (term, by)| {
            let (more, bound) = term.noise_times(&by);
            let origins = sums(sum.origins, term.origins.map(|origin| origin * by.origin));
            Self { noise: sum.noise.sum(&more), bound: sum.bound.sum(bound), origins, ..sum }
        })
    }

    /// The metadata of a product of degree 2, before relinearization.
    pub fn product(&self, other: &Self, parameters: &Parameters) -> Metadata<3> {
        let shape = [self.slots, parameters.slots() / self.slots];
        let (bound, other_bound) = (self.bound.magnitude(), other.bound.magnitude());
        let noise = self.noise.product(bound, &other.noise, other_bound, shape);
        let ([a0, a1], [b0, b1]) = (self.origins, other.origins);
        Metadata {
            level: self.level,
            scale: self.scale * other.scale,
            slots: self.slots,
            length: self.length,
            owner: self.owner,
            origins: [a0 * b0, a0 * b1 + a1 * b0, a1 * b1],
            noise,
            bound: self.bound.product(other.bound),
        }
    }
}

/// Sums of products, whose third part is a factor of the squared secret.
impl Metadata<3> {
    /// The metadata after a further product is added.
    pub fn with_product(&self, product: &Self) -> Self {
        let off = self.scale.deviation(product.scale).abs() * product.bound.magnitude();
        let noise = self.noise.sum(&product.noise.clone().with_rest(off));
        let (bound, origins) = (self.bound.sum(product.bound), sums(self.origins, product.origins));
        Self { noise, bound, origins, ..*self }
    }

    /// The metadata after a ciphertext is added.
    pub fn with_ciphertext(&self, a: &Metadata<2>) -> Self {
        let off = self.scale.deviation(a.scale).abs() * a.bound.magnitude();
        let noise = self.noise.sum(&a.noise).with_rest(off);
        let [first, second, square] = self.origins;
        let origins = [first + a.origins[0], second + a.origins[1], square];
        Self { noise, bound: self.bound.sum(a.bound), origins, ..*self }
    }

    /// The metadata after relinearization.
    pub fn relinearized(&self, parameters: &Parameters) -> Metadata<2> {
        let &Self { level, scale, slots, length, owner, bound, .. } = self;
        let [first, second, square] = self.origins;
        let at = Origin::integer(level as i64);
        let switched = ["the first part", "the second part"].map(|what| square.rounded(what, at));
        let origins = [first + switched[0], second + switched[1]];
        let basis = &parameters.level(level).basis;
        let error = relinearization_error(parameters, basis, scale, slots);
        let noise = self.noise.with(square.error("product"), error);
        Metadata { level, scale, slots, length, owner, origins, noise, bound }
    }
}

/// Changes of level, scale and positions.
impl Metadata<2> {
    /// The metadata after a rescaling: one level lower, the scale divided by the level's factor.
    pub fn rescaled(self, parameters: &Parameters) -> Self {
        let [above, below] = [self.level, self.level - 1].map(|level| parameters.level(level));
        let by = Origin::integer(self.level as i64);
        let origins = self.origins.map(|origin| origin.rounded("rescale", by));
        let scale = self.scale / (above.modulus / below.modulus);
        Self { level: self.level - 1, scale, origins, ..self }.rounded(parameters)
    }

    /// The metadata with the rounding error of the division that produced it.
    pub fn rounded(self, parameters: &Parameters) -> Self {
        let error = rounding_error(parameters, self.scale, self.slots);
        Self { noise: self.noise.with(self.error_origin("rounding"), error), ..self }
    }

    /// The metadata at a level and on a scale, by a product with a rounded factor and a division.
    pub fn on_scale(
        self,
        level: usize,
        scale: Scale,
        factor: i128,
        parameters: &Parameters,
    ) -> Self {
        let noise = self.noise.with_rest(self.bound.magnitude() / factor as f64 / 2.0);
        let by = Origin::of_words([level as u64, factor as u64, (factor >> 64) as u64]);
        let origins = self.origins.map(|origin| origin.rounded("a change of scale", by));
        Self { level, scale, noise, origins, ..self }.rounded(parameters)
    }

    /// The metadata at a lower level whose primes are a subset of the present ones.
    pub fn restricted(self, level: usize) -> Self {
        Self { level, ..self }
    }

    /// The metadata at a lower level with new origins, so that later errors count as independent.
    pub fn dropped(self, level: usize) -> Self {
        let at = Origin::integer(level as i64);
        let origins = self.origins.map(|origin| origin.rounded("left out", at));
        Self { origins, ..self.restricted(level) }
    }

    /// The metadata of the image under X → X^`exponent`, including the key switch. Slots are
    /// polynomials in X^(N/2n).
    pub fn automorphism(&self, exponent: u64, parameters: &Parameters) -> Self {
        let by = Origin::of_words([exponent, self.level as u64]);
        let origins = self.origins.map(|origin| origin.rounded("automorphism", by));
        let basis = &parameters.level(self.level).basis;
        let error = switching_error(parameters, basis, self.scale, self.slots);
        let noise = self.noise.automorphism(exponent, 4 * self.slots as u64);
        let noise = noise.with(origins[1].error("automorphism"), error);
        Self { origins, noise, ..*self }
    }

    /// The metadata of the sum of `count` vectors, each of which is the previous one rotated by
    /// `step`. The vectors must look random, as in a bootstrap.
    pub fn sum_of_rotations(&self, step: usize, count: usize, switching: f64) -> Self {
        let by = Origin::of_words([step as u64, count as u64]);
        let origins = self.origins.map(|origin| origin.rounded("sum of turned", by));
        let terms = count as f64;
        let spread = self.noise.spread(self.error_origin("sum of turned"), terms.sqrt());
        let noise = spread.with(origins[1].error("turns"), switching);
        Self { noise, bound: self.bound.times(terms), origins, ..*self }
    }

    /// The metadata of a matrix times the vector, one level lower. `by` is the growth of the
    /// values.
    pub fn times_matrix(self, matrix: Origin, noise: Noise, by: Bound, scale: Scale) -> Self {
        let origins = self.origins.map(|origin| origin.rounded("matrix", matrix));
        Self { level: self.level - 1, scale, noise, bound: self.bound.product(by), origins, ..self }
    }

    /// The metadata after ModRaise: all slots are used, and the values are not yet those of the
    /// message.
    pub fn raised(
        self,
        level: usize,
        scale: Scale,
        slots: usize,
        error: f64,
        bound: Bound,
    ) -> Self {
        let by = Origin::integer(level as i64);
        let origins = self.origins.map(|origin| origin.rounded("ModRaise", by));
        let noise = Noise::source(origins[1].error("ModRaise"), error);
        Self { level, scale, noise, bound, origins, ..self.with_slots(slots) }
    }

    /// The metadata of a bootstrap of `a`: it has the values and errors of `a`, the errors of the
    /// bootstrap as one source, and the error of the sine.
    pub fn bootstrapped(self, a: &Self, of_sine: f64) -> Self {
        // The error of the sine depends on the values, and is the same for equal values.
        let own = self.noise.as_one(self.error_origin("bootstrap"));
        let noise = own.sum(&a.noise).with_rest(of_sine);
        Self { slots: a.slots, length: a.length, noise, bound: a.bound, ..self }
    }
}

/// Changes by callers that know more than follows from the operations.
impl Metadata<2> {
    /// The metadata without an error: the caller tracks it.
    pub fn exact(self) -> Self {
        Self { noise: Noise::default(), ..self }
    }

    /// The metadata with an error that the caller tracked.
    pub fn with_noise(self, noise: Noise) -> Self {
        Self { noise, ..self }
    }

    /// The metadata with a further error that may be correlated with any other.
    pub fn with_rest(self, rest: f64) -> Self {
        Self { noise: self.noise.with_rest(rest), ..self }
    }

    /// The metadata with the intersection of both bounds.
    pub fn bounded(self, bound: Bound) -> Self {
        Self { bound: self.bound.intersection(bound), ..self }
    }

    /// The metadata with this bound instead of the derived one.
    pub fn assuming(self, bound: Bound) -> Self {
        Self { bound, ..self }
    }

    /// The same polynomials read on another scale: values and errors are `times` times as large.
    pub fn read_on(self, scale: Scale, times: f64) -> Self {
        let (noise, bound) = (self.noise.scaled(times), self.bound.times(times));
        Self { scale, noise, bound, ..self }
    }

    /// The metadata with another number of values in the same slots.
    pub fn with_length(self, length: usize) -> Self {
        Self { length, ..self }
    }

    /// The metadata of the same ciphertext as a vector that fills `slots` slots.
    pub fn with_slots(self, slots: usize) -> Self {
        Self { slots, length: slots, ..self }
    }

    /// The metadata of the same values in another number of slots, repeated to fill them.
    pub fn seen_as(self, slots: usize) -> Self {
        Self { noise: self.noise.of_slots(self.slots, slots), slots, ..self }
    }
}

fn sums<const PARTS: usize>(a: [Origin; PARTS], b: [Origin; PARTS]) -> [Origin; PARTS] {
    std::array::from_fn(|part| a[part] + b[part])
}

/// Checks that the modulus of a level has room for values on a scale.
pub(crate) fn check_room(
    parameters: &Parameters,
    level: usize,
    scale: Scale,
    bound: Bound,
) -> Result<(), EvaluationError> {
    check_room_of(parameters.level(level).modulus.log2(), level, scale, bound)
}

fn check_room_of(
    limit: f64,
    level: usize,
    scale: Scale,
    bound: Bound,
) -> Result<(), EvaluationError> {
    // One bit is for the sign.
    let got = bound.magnitude().log2() + scale.log2() + 1.0;
    match got <= limit {
        true => Ok(()),
        false => Err(EvaluationError::Room { bound, scale, got, limit, level }),
    }
}
