// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Linear combinations of powers.

use super::coefficient::Coefficient;
use crate::evaluator::{BlockNumbers, Ciphertext, EvaluationError, Evaluator, Metadata, Number};
use crate::params::Scale;
use crate::ring::{Basis, Polynomial};

/// The terms of a sum at a level.
pub(super) struct Terms<'a> {
    evaluator: &'a Evaluator,
    basis: &'a Basis,
    /// The number of slots in a block.
    block: usize,
    /// Powers with the same coefficient in all blocks.
    equal: Vec<(Ciphertext, Number)>,
    /// Powers with coefficients that differ between blocks.
    differing: Vec<(Ciphertext, BlockNumbers)>,
}

impl<'a> Terms<'a> {
    /// Returns a sum without terms.
    pub fn new(evaluator: &'a Evaluator, level: usize, block: usize) -> Self {
        let basis = &evaluator.parameters().level(level).basis;
        Self { evaluator, basis, block, equal: Vec::new(), differing: Vec::new() }
    }

    /// Adds a power times a coefficient, on the scale of the sum.
    pub fn push(
        &mut self,
        power: Ciphertext,
        c: &Coefficient,
        scale: Scale,
    ) -> Result<(), EvaluationError> {
        let by = scale / power.scale();
        match c.number() {
            Some(number) => {
                self.equal.push((power, self.evaluator.number(number, by, self.basis)?));
            }
            None => {
                let numbers =
                    self.evaluator.block_numbers(c.numbers(), self.block, by, self.basis)?;
                self.differing.push((power, numbers));
            }
        }
        Ok(())
    }

    /// Returns the metadata of the sum, with the slots and the owner of a ciphertext of its level.
    pub fn metadata(&self, like: &Ciphertext, scale: Scale) -> Metadata<2> {
        let equal = self.equal.iter().map(|(power, number)| (power.metadata(), number.operand()));
        let differing = self.differing.iter();
        let differing = differing.map(|(power, numbers)| (power.metadata(), numbers.operand()));
        like.metadata().combination(equal.chain(differing), scale)
    }

    /// Returns the parts of the sum.
    pub fn parts(&self) -> [Polynomial; 2] {
        let ring = self.evaluator.parameters().ring();
        let equal = || {
            [0, 1].map(|part| {
                let powers: Vec<_> =
                    self.equal.iter().map(|(power, _)| power.parts()[part]).collect();
                ring.combine(self.basis, &powers, |term, modulus| {
                    self.equal[term].1.modulo(modulus)
                })
            })
        };
        if self.differing.is_empty() {
            return equal();
        }
        let mut sum = self.evaluator.sum_of_block_products(self.basis, &self.differing);
        if !self.equal.is_empty() {
            sum.iter_mut().zip(&equal()).for_each(|(sum, part)| ring.add(sum, part));
        }
        sum
    }
}
