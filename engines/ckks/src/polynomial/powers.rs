// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The powers of an argument, computed when they are needed.

use std::collections::BTreeMap;

use super::plan::factors;
use crate::ciphertext::Ciphertext;
use crate::estimate::Estimate;
use crate::evaluator::{EvaluationError, Server};

/// By how many bits a power's scale may differ from a level's.
const SCALE_BITS: f64 = 0.5;

/// xᵏ or Tₖ(x), at the level where they arise and at lower ones.
///
/// Their estimates are of the errors of the computation alone: what becomes of the argument's own is
/// known from the slope of the polynomial. Errors of powers come from those of others, and are summed
/// as if they were of one sign.
pub(super) struct Powers<'a> {
    server: &'a Server,
    is_chebyshev: bool,
    /// A bound of the argument.
    magnitude: f64,
    by_degree: BTreeMap<usize, Ciphertext>,
    lowered: BTreeMap<(usize, usize), Ciphertext>,
}

impl<'a> Powers<'a> {
    /// Those of an argument.
    pub fn new(server: &'a Server, argument: Ciphertext, is_chebyshev: bool) -> Self {
        let magnitude = if is_chebyshev { 1.0 } else { argument.estimate.magnitude };
        let estimate = Estimate { error: 0.0, magnitude };
        let by_degree = BTreeMap::from([(1, Ciphertext { estimate, ..argument })]);
        Self { server, is_chebyshev, magnitude, by_degree, lowered: BTreeMap::new() }
    }

    /// The slots of the argument.
    pub fn slots(&self) -> usize {
        self.by_degree.values().map(|power| power.slots).next().unwrap_or_default()
    }

    /// The power of degree k at a level, on whatever scale: numbers and quotients make up for it.
    pub fn at(&mut self, k: usize, level: usize) -> Result<Ciphertext, EvaluationError> {
        if let Some(lowered) = self.lowered.get(&(k, level)) {
            return Ok(lowered.clone());
        }
        let power = self.power(k)?;
        if power.level == level {
            return Ok(power);
        }
        let lowered = self.lowered(&power, level)?;
        self.lowered.insert((k, level), lowered.clone());
        Ok(lowered)
    }

    /// A lower level has other primes: where the power has all of them, and a scale of the same size,
    /// the others are left out, which costs nothing; else it is brought to the level's scale by a
    /// division.
    fn lowered(&self, power: &Ciphertext, level: usize) -> Result<Ciphertext, EvaluationError> {
        let parameters = self.server.parameters();
        let basis = &parameters.level(level).basis;
        let is_part = parameters.level(power.level).basis.contains(basis);
        let bits = (power.scale / parameters.level(level).scale).log2();
        if !is_part || bits.abs() > SCALE_BITS {
            return self.server.at_level(power, level);
        }
        let parts = power.parts().map(|part| parameters.ring().restrict(part, basis));
        Ok(Ciphertext { parts, level, ..power.clone() })
    }

    fn power(&mut self, k: usize) -> Result<Ciphertext, EvaluationError> {
        if let Some(power) = self.by_degree.get(&k) {
            return Ok(power.clone());
        }
        let (a, b) = factors(k);
        let level = self.power(a)?.level.min(self.power(b)?.level);
        let (first, second) = (self.at(a, level)?, self.at(b, level)?);
        let power = if self.is_chebyshev {
            self.chebyshev(&first, &second, a - b)?
        } else {
            let product = self.fresh_product(&first, &second)?;
            let size = |k: usize| self.magnitude.powi(k as i32);
            let error = first.estimate.error * size(b) + second.estimate.error * size(a);
            estimated(product, error, size(k))
        };
        self.by_degree.insert(k, power.clone());
        Ok(power)
    }

    /// T_{a+b} = 2·T_a·T_b − T_{a−b}.
    fn chebyshev(
        &mut self,
        first: &Ciphertext,
        second: &Ciphertext,
        difference: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        let doubled = self.server.mul_integer(first, 2)?;
        let product = self.fresh_product(&doubled, second)?;
        let mut error = 2.0 * (first.estimate.error + second.estimate.error);
        let power = if difference == 0 {
            self.server.add_number(&product, (-1.0).into())?
        } else {
            let other = self.power(difference)?;
            let other = self.server.at_scale(&other, product.level, product.scale)?;
            error += other.estimate.error;
            let quiet = Estimate { error: 0.0, ..other.estimate };
            self.server.sub(&product, &Ciphertext { estimate: quiet, ..other })?
        };
        Ok(estimated(power, error, 1.0))
    }

    /// A product with an estimate of the errors that it adds.
    fn fresh_product(&self, a: &Ciphertext, b: &Ciphertext) -> Result<Ciphertext, EvaluationError> {
        let quiet = |of: &Ciphertext| {
            let estimate = Estimate { error: 0.0, ..of.estimate };
            Ciphertext { estimate, ..of.clone() }
        };
        self.server.narrow(self.server.mul_wide(&quiet(a), &quiet(b)))
    }
}

/// With errors of its factors beside its own, and a bound that is known.
fn estimated(power: Ciphertext, error: f64, magnitude: f64) -> Ciphertext {
    let estimate = Estimate { magnitude, ..power.estimate.with_error(error) };
    Ciphertext { estimate, ..power }
}
