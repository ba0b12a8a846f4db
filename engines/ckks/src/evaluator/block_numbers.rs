// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products with numbers that are constant on blocks of slots.
//!
//! Numbers of n slots, repeated to fill the slots, are encoded with transforms of 2n values and
//! stored as 2n residues per prime.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::PlainOperand;
use crate::complex::Complex;
use crate::encoding::Encoder;
use crate::estimate::{Bound, Origin};
use crate::params::{double_error, integer_error, Scale};
use crate::ring::{Basis, Form, Polynomial, Repeated};

/// Public numbers for blocks of slots, on a scale.
pub(crate) struct BlockNumbers {
    factor: Repeated,
    operand: PlainOperand,
}

impl BlockNumbers {
    /// The numbers as a plain operand.
    pub fn operand(&self) -> PlainOperand {
        self.operand
    }
}

impl Evaluator {
    /// Encodes numbers on a scale: slot s has the number with index s / `block`, modulo the number
    /// of numbers. `block` and the number of numbers are powers of two, and their product is at
    /// most the number of slots.
    ///
    /// # Errors
    /// [`EvaluationError`] if numbers are not finite or too large.
    pub(crate) fn block_numbers(
        &self,
        numbers: &[Complex],
        block: usize,
        scale: Scale,
        basis: &Basis,
    ) -> Result<BlockNumbers, EvaluationError> {
        let mut bound: Option<Bound> = None;
        for number in numbers {
            let one = self.number(*number, scale, basis)?.operand().bound;
            bound = Some(bound.map_or(one, |bound| bound.union(one)));
        }
        let bound = bound.unwrap_or(Bound::real(0.0));
        let values: Vec<Complex> =
            numbers.iter().flat_map(|number| std::iter::repeat_n(*number, block)).collect();
        let factor = self.encoder.encode_constant(&values, basis, scale)?;
        // With few coefficients, all may have an error of 1/2, which is √3 times the usual
        // deviation.
        let rounding = integer_error(scale, values.len()) * 3f64.sqrt();
        let error = rounding + double_error(bound.magnitude(), values.len());
        let from = [Encoder::origin_of_public(numbers), Origin::integer(block as i64)];
        let origin = Origin::derived("numbers of blocks", from);
        Ok(BlockNumbers { factor, operand: PlainOperand { bound, error, origin } })
    }

    /// Returns the parts of Σ aₖ·bₖ modulo the primes of a basis, which all aₖ must have.
    pub(crate) fn sum_of_block_products(
        &self,
        basis: &Basis,
        terms: &[(Ciphertext, BlockNumbers)],
    ) -> [Polynomial; 2] {
        let ring = self.parameters.ring();
        let pairs = terms.iter().map(|(a, by)| (a.parts(), &by.factor)).collect();
        let mut sums = ring.sums_of_products(basis, &[pairs]);
        sums.pop().unwrap_or_else(|| [0, 1].map(|_| ring.zero(basis, Form::Values)))
    }

    /// Returns an exact encryption of 1 in all slots, at `level`, on the scale 1, with the owner
    /// and slots of `like`.
    pub(crate) fn one(&self, like: &Ciphertext, level: usize) -> Ciphertext {
        let (ring, basis) = (self.parameters.ring(), &self.parameters.level(level).basis);
        let mut parts = [0, 1].map(|_| ring.zero(basis, Form::Values));
        ring.add_number(&mut parts[0], |_| [1, 0]);
        let bound = Bound::between(1.0, 1.0);
        let one = PlainOperand { bound, error: 0.0, origin: Origin::integer(1) };
        Ciphertext::new(parts, like.metadata().zero(level, Scale::ONE).plus_plain(&one))
    }
}
