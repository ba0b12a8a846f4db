// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The powers of an argument, computed when needed.

use std::collections::BTreeMap;

use super::plan::factors;
use crate::estimate::Bound;
use crate::evaluator::{Ciphertext, Degree2, EvaluationError, Evaluator};

/// The number of bits by which a power's scale may differ from a level's.
const SCALE_BITS: f64 = 0.5;

/// xᵏ or Tₖ(x), at the level of their computation and at lower ones.
///
/// Their noise is only that of the computation: the slope of the polynomial gives the effect of the
/// argument's own noise.
pub(super) struct Powers<'a> {
    evaluator: &'a Evaluator,
    is_chebyshev: bool,
    by_degree: BTreeMap<usize, Ciphertext>,
    lowered: BTreeMap<(usize, usize), Ciphertext>,
}

impl<'a> Powers<'a> {
    /// Returns the powers of an argument.
    pub fn new(evaluator: &'a Evaluator, argument: Ciphertext, is_chebyshev: bool) -> Self {
        let bound = if is_chebyshev { Bound::real(1.0) } else { argument.bound() };
        let by_degree = BTreeMap::from([(1, argument.exact().assuming(bound))]);
        Self { evaluator, is_chebyshev, by_degree, lowered: BTreeMap::new() }
    }

    /// Returns the power of degree k at a level, on any scale: coefficients and quotients
    /// compensate for it.
    pub fn at(&mut self, k: usize, level: usize) -> Result<Ciphertext, EvaluationError> {
        if let Some(lowered) = self.lowered.get(&(k, level)) {
            return Ok(lowered.clone());
        }
        let lowered = match k {
            0 => self.evaluator.one(&self.power(1)?, level),
            _ => {
                let power = self.power(k)?;
                if power.level() == level {
                    return Ok(power);
                }
                self.lowered(&power, level)?
            }
        };
        self.lowered.insert((k, level), lowered.clone());
        Ok(lowered)
    }

    /// Brings a power to a lower level, which has other primes. If the power has all primes of that
    /// level and a scale of the same size, the other primes are dropped, which costs nothing.
    /// Otherwise a division brings the power to the level's scale.
    fn lowered(&self, power: &Ciphertext, level: usize) -> Result<Ciphertext, EvaluationError> {
        let parameters = self.evaluator.parameters();
        let basis = &parameters.level(level).basis;
        let is_part = parameters.level(power.level()).basis.contains(basis);
        let bits = (power.scale() / parameters.level(level).scale).log2();
        if !is_part || bits.abs() > SCALE_BITS {
            return self.evaluator.at_level(power, level);
        }
        let parts = power.parts().map(|part| parameters.ring().restrict(part, basis));
        Ok(power.with_parts(parts, power.metadata().clone().restricted(level)))
    }

    fn power(&mut self, k: usize) -> Result<Ciphertext, EvaluationError> {
        if let Some(power) = self.by_degree.get(&k) {
            return Ok(power.clone());
        }
        let (a, b) = factors(k);
        let level = self.power(a)?.level().min(self.power(b)?.level());
        let (first, second) = (self.at(a, level)?, self.at(b, level)?);
        let power = if self.is_chebyshev {
            self.chebyshev(&first, &second, a - b)?
        } else {
            self.product(&first, &second)?
        };
        self.by_degree.insert(k, power.clone());
        Ok(power)
    }

    /// Returns T_{a+b} = 2·T_a·T_b − T_{a−b}.
    fn chebyshev(
        &mut self,
        first: &Ciphertext,
        second: &Ciphertext,
        difference: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        let doubled = self.evaluator.times(first, 2);
        let product = self.product(&doubled, second)?;
        let power = if difference == 0 {
            self.evaluator.add_number(&product, (-1.0).into())?
        } else {
            let other = self.power(difference)?;
            let other = self.evaluator.at_scale(&other, product.level(), product.scale())?;
            self.evaluator.sub(&product, &other)?
        };
        Ok(power.assuming(Bound::real(1.0)))
    }

    fn product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let product = Degree2::product(self.evaluator.parameters(), a, b);
        self.evaluator.relinearize_and_rescale(product)
    }
}
