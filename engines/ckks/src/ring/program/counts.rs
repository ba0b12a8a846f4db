// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The cost of a program, counted in limbs.

use std::fmt;

use serde::Serialize;

use super::program::Program;
use super::step::{Operation, Step};

/// The number of limbs for each kind of operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Limbs transformed to values.
    pub forward_limbs: usize,
    /// Limbs transformed to coefficients.
    pub inverse_limbs: usize,
    /// Limbs that are sums or differences.
    pub add_limbs: usize,
    /// Limbs that are products of two polynomials.
    pub multiply_limbs: usize,
    /// Limbs multiplied by a number.
    pub scale_limbs: usize,
    /// Products in conversions, in limbs: sources times targets.
    pub conversion_products: usize,
    /// Limbs permuted.
    pub permute_limbs: usize,
    /// Products with keys, in limbs.
    pub key_products: usize,
    /// Bytes of keys that were read.
    pub key_bytes: usize,
}

impl Program {
    /// Counts the operations of the program.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for step in &self.steps {
            counts.add(step, self.degree);
        }
        counts
    }
}

impl Counts {
    fn add(&mut self, step: &Step, degree: usize) {
        let (limbs, products) = (step.limbs(), step.limbs() * (step.inputs.len() / 2));
        match &step.operation {
            Operation::Forward => self.forward_limbs += limbs,
            Operation::Inverse => self.inverse_limbs += limbs,
            Operation::Add
            | Operation::Subtract
            | Operation::Negate
            | Operation::AddNumber { .. } => self.add_limbs += limbs,
            Operation::Multiply | Operation::MultiplyAdd => self.multiply_limbs += limbs,
            Operation::SumOfProducts => self.multiply_limbs += products,
            Operation::Scale { .. } | Operation::SubtractScale { .. } => self.scale_limbs += limbs,
            Operation::Combine { .. } => self.scale_limbs += limbs * step.inputs.len(),
            Operation::Convert { from, .. } => self.conversion_products += from.len() * limbs,
            Operation::Permute { .. } => self.permute_limbs += limbs,
            Operation::KeyProduct => {
                self.key_products += products;
                self.key_bytes += products * degree * size_of::<u32>();
            }
            Operation::Select | Operation::Zero => (),
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = [
            ("transforms to values", self.forward_limbs, "limbs"),
            ("transforms to coefficients", self.inverse_limbs, "limbs"),
            ("sums", self.add_limbs, "limbs"),
            ("products of polynomials", self.multiply_limbs, "limbs"),
            ("products with numbers", self.scale_limbs, "limbs"),
            ("products of conversions", self.conversion_products, "limbs"),
            ("permutations", self.permute_limbs, "limbs"),
            ("products with keys", self.key_products, "limbs"),
            ("keys read", self.key_bytes, "bytes"),
        ];
        for (name, count, unit) in rows {
            writeln!(f, "{name:28}{count:>12} {unit}")?;
        }
        Ok(())
    }
}
