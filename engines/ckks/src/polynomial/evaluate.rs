// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluation of polynomials on ciphertexts.

use super::basis::PolynomialBasis;
use super::blocks::BlockPolynomials;
use super::bounds::Bounds;
use super::coefficient::Coefficient;
use super::error::PolynomialError;
use super::interpolate::Accuracy;
use super::plan::{Node, Plan};
use super::polynomial::Polynomial;
use super::powers::Powers;
use super::terms::Terms;
use crate::complex::Complex;
use crate::evaluator::{Ciphertext, Degree2, EvaluationError, Evaluator};
use crate::params::Scale;
use crate::pool::in_pool;

/// Polynomials of encrypted vectors.
impl Evaluator {
    /// Evaluates p(a). The result is [`Polynomial::levels`] levels lower and has the scale of that
    /// level.
    ///
    /// # Errors
    /// [`PolynomialError`] if the level is too low or the key for products is missing.
    pub fn evaluate(&self, a: &Ciphertext, p: &Polynomial) -> Result<Ciphertext, PolynomialError> {
        self.check_own(a)?;
        let level = check_levels(a, p.levels())?;
        self.evaluate_to(a, p, level, self.parameters().level(level).scale)
    }

    /// Evaluates p(a) at a level, which must be at least [`Polynomial::levels`] lower, on any
    /// scale.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn evaluate_to(
        &self,
        a: &Ciphertext,
        p: &Polynomial,
        level: usize,
        scale: Scale,
    ) -> Result<Ciphertext, PolynomialError> {
        let bounds = p.bounds(a.bound())?;
        in_pool(|| self.evaluate_within(a, p, level, scale, bounds))
    }

    /// Evaluates the polynomial of each slot's block. The result is [`BlockPolynomials::levels`]
    /// levels lower and has the scale of that level. The evaluation needs the products and levels
    /// of one polynomial of the largest degree.
    ///
    /// # Errors
    /// As [`Self::evaluate`]; [`EvaluationError::Ragged`] for a vector that does not fill its
    /// slots; and [`PolynomialError::Slots`] for more blocks than the slots have room for.
    pub fn evaluate_blocks(
        &self,
        a: &Ciphertext,
        p: &BlockPolynomials,
    ) -> Result<Ciphertext, PolynomialError> {
        self.check_own(a)?;
        p.check_length(a.length())?;
        let level = check_levels(a, p.levels())?;
        let scale = self.parameters().level(level).scale;
        let bounds = p.bounds(a.bound())?;
        let all = Polynomials { all: p.polynomials(), block: p.block() };
        in_pool(|| self.evaluate_all(a, all, level, scale, bounds))
    }

    /// As [`Self::evaluate_to`], with known bounds of p and its slope for the arguments.
    pub(crate) fn evaluate_within(
        &self,
        a: &Ciphertext,
        p: &Polynomial,
        level: usize,
        scale: Scale,
        bounds: Bounds,
    ) -> Result<Ciphertext, PolynomialError> {
        self.check_own(a)?;
        let one = Polynomials { all: std::slice::from_ref(p), block: 1 };
        self.evaluate_all(a, one, level, scale, bounds)
    }

    /// Evaluates the polynomial of each slot's block, with known bounds of all polynomials.
    fn evaluate_all(
        &self,
        a: &Ciphertext,
        Polynomials { all, block }: Polynomials<'_>,
        level: usize,
        scale: Scale,
        bounds: Bounds,
    ) -> Result<Ciphertext, PolynomialError> {
        let (plan, p) = (Plan::of_all(all), &all[0]);
        let needed = level.saturating_add(plan.cost.levels);
        if a.level() < needed {
            let what = "this polynomial";
            return Err(EvaluationError::Level { what, got: a.level(), needed }.into());
        }
        if plan.depth == 0 {
            let number = Coefficient::of_degree(all, 0);
            return Ok(constant(self, a, &number, block, level, scale)?);
        }
        if plan.cost.products > 0 {
            self.relinearization_key(needed)?;
        }
        let argument = self.mapped(a, p, needed)?;
        // The slope gives the effect of the argument's errors.
        let inherited = argument.noise().through_slopes(bounds.slope, bounds.slope_anywhere);
        let is_chebyshev = p.kind() != PolynomialBasis::Monomial;
        let powers = Powers::new(self, argument, is_chebyshev);
        let result =
            Evaluation { evaluator: self, powers, block }.node(&plan.root, level, scale)?;
        let missed = all.iter().map(Polynomial::approximation_error).fold(0.0, f64::max);
        let noise = result.noise().sum(&inherited).with_rest(missed);
        Ok(self.fitting(result.with_noise(noise).assuming(bounds.value))?)
    }

    /// Evaluates f(a) by a Chebyshev polynomial on an interval that contains all values.
    ///
    /// # Errors
    /// [`PolynomialError`] if the function has no such polynomial, if the level is too low (the
    /// error says how many levels are needed) or if the key for products is missing.
    pub fn evaluate_function<C: Into<Complex>>(
        &self,
        a: &Ciphertext,
        function: impl Fn(f64) -> C,
        interval: (f64, f64),
        accuracy: Accuracy,
    ) -> Result<Ciphertext, PolynomialError> {
        self.evaluate(a, &Polynomial::approximation(function, interval, accuracy)?)
    }

    /// Returns the argument mapped to [−1, 1], at a level.
    fn mapped(
        &self,
        a: &Ciphertext,
        p: &Polynomial,
        level: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        let a = if a.level() == level { a.clone() } else { self.at_level(a, level)? };
        if !p.has_map() {
            return Ok(a);
        }
        let (factor, summand) = p.map();
        let a = self.mul_number(&a, factor.into())?;
        if summand == 0.0 {
            return Ok(a);
        }
        self.add_number(&a, summand.into())
    }
}

/// Polynomials of one basis and interval. A single polynomial applies to all slots.
#[derive(Clone, Copy)]
struct Polynomials<'a> {
    all: &'a [Polynomial],
    /// The number of slots in a block.
    block: usize,
}

/// Returns the level that is `needed` levels below a ciphertext's.
pub(crate) fn check_levels(a: &Ciphertext, needed: usize) -> Result<usize, EvaluationError> {
    let what = "this polynomial";
    a.level().checked_sub(needed).ok_or(EvaluationError::Level { what, got: a.level(), needed })
}

/// Returns a coefficient as a ciphertext.
fn constant(
    evaluator: &Evaluator,
    a: &Ciphertext,
    c: &Coefficient,
    block: usize,
    level: usize,
    scale: Scale,
) -> Result<Ciphertext, EvaluationError> {
    let Some(number) = c.number() else {
        let (one, mut term) = (evaluator.one(a, level), Terms::new(evaluator, level, block));
        term.push(one.clone(), c, scale)?;
        let constant = Ciphertext::new(term.parts(), term.metadata(&one, scale));
        return evaluator.fitting(constant);
    };
    let ring = evaluator.parameters().ring();
    let basis = &evaluator.parameters().level(level).basis;
    let parts = [0, 1].map(|_| ring.zero(basis, crate::ring::Form::Values));
    let zero = Ciphertext::new(parts, a.metadata().zero(level, scale));
    evaluator.add_number(&zero, number)
}

/// An evaluation in progress.
struct Evaluation<'a> {
    evaluator: &'a Evaluator,
    powers: Powers<'a>,
    /// The number of slots in a block.
    block: usize,
}

impl Evaluation<'_> {
    /// Evaluates a node at a level, on a scale: the sum of its products and its other terms, one
    /// level higher and on the scale from which the division gives the requested one.
    fn node(
        &mut self,
        node: &Node,
        level: usize,
        scale: Scale,
    ) -> Result<Ciphertext, EvaluationError> {
        let (parameters, above) = (self.evaluator.parameters(), level + 1);
        let whole = scale * self.evaluator.step(above);
        let mut sum: Option<Degree2> = None;
        for (power, quotient) in &node.products {
            let power = self.powers.at(*power, above)?;
            let quotient = self.node(quotient, above, whole / power.scale())?;
            match &mut sum {
                None => sum = Some(Degree2::product(parameters, &power, &quotient)),
                Some(sum) => sum.add_product(parameters, &power, &quotient),
            }
        }
        let linear = self.linear(node, above, whole)?;
        match (sum, linear) {
            (Some(mut sum), Some(linear)) => {
                sum.add_ciphertext(parameters.ring(), &linear);
                self.evaluator.relinearize_and_rescale(sum)
            }
            (Some(sum), None) => self.evaluator.relinearize_and_rescale(sum),
            (None, Some(linear)) => self.evaluator.rescale(&linear),
            (None, None) => {
                let (argument, zero) = (self.powers.at(1, above)?, Complex::default().into());
                constant(self.evaluator, &argument, &zero, self.block, level, scale)
            }
        }
    }

    /// Returns Σ cₖ·Pₖ at a level, on a scale.
    fn linear(
        &mut self,
        node: &Node,
        level: usize,
        scale: Scale,
    ) -> Result<Option<Ciphertext>, EvaluationError> {
        if node.linear.is_empty() {
            return Ok(None);
        }
        let mut terms = Terms::new(self.evaluator, level, self.block);
        let mut number = None;
        for (power, c) in &node.linear {
            match c.number() {
                Some(of_all) if *power == 0 => number = Some(of_all),
                _ => terms.push(self.powers.at(*power, level)?, c, scale)?,
            }
        }
        let parts = terms.parts();
        let argument = self.powers.at(1, level)?;
        let sum = Ciphertext::new(parts, terms.metadata(&argument, scale));
        match number {
            Some(number) => self.evaluator.add_number(&sum, number).map(Some),
            None => Ok(Some(sum)),
        }
    }
}
