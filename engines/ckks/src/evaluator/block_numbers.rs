// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products with numbers that differ from block to block of the slots.
//!
//! The numbers of n slots that repeat themselves are encoded by transforms of 2n values, and held as
//! that many residues a prime.

use super::ciphertext::Ciphertext;
use super::error::EvaluationError;
use super::evaluator::Evaluator;
use super::metadata::PlainOperand;
use crate::complex::Complex;
use crate::encoding::Encoder;
use crate::estimate::{Bound, Origin};
use crate::params::{double_error, integer_error, Scale};
use crate::ring::{Basis, Form, Polynomial, Repeated};

/// Numbers for blocks of slots, on a scale. Everybody may know them.
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
    /// Numbers on a scale: slot s has the number of place s / `block`, modulo the number of places.
    /// Both are powers of two, and their product is at most the number of slots.
    ///
    /// # Errors
    /// [`EvaluationError`] for numbers that are not finite or too large.
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
        // Of few coefficients all may be off by 1/2, which is √3 times the usual deviation.
        let rounding = integer_error(scale, values.len()) * 3f64.sqrt();
        let error = rounding + double_error(bound.magnitude(), values.len());
        let from = [Encoder::origin_of_public(numbers), Origin::integer(block as i64)];
        let origin = Origin::derived("numbers of blocks", from);
        Ok(BlockNumbers { factor, operand: PlainOperand { bound, error, origin } })
    }

    /// The parts of Σ aₖ·bₖ modulo the primes of a basis, which all aₖ have.
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

    /// 1 in all slots like a ciphertext's, at a level and on the scale 1: it is exact.
    pub(crate) fn one(&self, like: &Ciphertext, level: usize) -> Ciphertext {
        let (ring, basis) = (self.parameters.ring(), &self.parameters.level(level).basis);
        let mut parts = [0, 1].map(|_| ring.zero(basis, Form::Values));
        ring.add_number(&mut parts[0], |_| [1, 0]);
        let bound = Bound::between(1.0, 1.0);
        let one = PlainOperand { bound, error: 0.0, origin: Origin::integer(1) };
        Ciphertext::new(parts, like.metadata().zero(level, Scale::ONE).plus_plain(&one))
    }
}
