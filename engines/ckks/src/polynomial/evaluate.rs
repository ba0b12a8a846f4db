// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluation of polynomials on ciphertexts.

use super::bounds::Bounds;
use super::error::PolynomialError;
use super::interpolate::Accuracy;
use super::plan::{Node, Plan};
use super::polynomial::{Polynomial, PolynomialBasis};
use super::powers::Powers;
use crate::complex::Complex;
use crate::evaluator::{Ciphertext, Degree2, EvaluationError, Evaluator, Number};
use crate::params::Scale;
use crate::pool::in_pool;

/// Evaluates polynomials on ciphertexts with an evaluator's keys.
#[derive(Clone, Copy)]
pub struct PolynomialEvaluator<'a> {
    evaluator: &'a Evaluator,
}

impl<'a> PolynomialEvaluator<'a> {
    /// An evaluator of polynomials with these keys.
    pub fn new(evaluator: &'a Evaluator) -> Self {
        Self { evaluator }
    }

    /// p(a), [`Polynomial::levels`] lower and on that level's scale.
    ///
    /// # Errors
    /// [`PolynomialError`] for too low a level and without the key for products.
    pub fn evaluate(&self, a: &Ciphertext, p: &Polynomial) -> Result<Ciphertext, PolynomialError> {
        self.evaluator.check_own(a)?;
        let level = check_levels(a, p.levels())?;
        self.evaluate_to(a, p, level, self.evaluator.parameters().level(level).scale)
    }

    /// p(a) at a level, which must be at least [`Polynomial::levels`] lower, and on any scale.
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

    /// As [`Self::evaluate_to`], where bounds of p and its slope are known for the arguments that
    /// occur.
    pub(crate) fn evaluate_within(
        &self,
        a: &Ciphertext,
        p: &Polynomial,
        level: usize,
        scale: Scale,
        bounds: Bounds,
    ) -> Result<Ciphertext, PolynomialError> {
        self.evaluator.check_own(a)?;
        let plan = Plan::new(p);
        let needed = level.saturating_add(plan.cost.levels);
        if a.level() < needed {
            let what = "this polynomial";
            return Err(EvaluationError::Level { what, got: a.level(), needed }.into());
        }
        if plan.depth == 0 {
            return Ok(constant(self.evaluator, a, p.coefficients()[0], level, scale)?);
        }
        if plan.cost.products > 0 {
            self.evaluator.relinearisation_key(needed)?;
        }
        let argument = self.mapped(a, p, needed)?;
        // What becomes of the argument's errors is known from the slope.
        let inherited = argument.noise().scaled(bounds.slope);
        let is_chebyshev = p.kind() != PolynomialBasis::Monomial;
        let powers = Powers::new(self.evaluator, argument, is_chebyshev);
        let result =
            Evaluation { evaluator: self.evaluator, powers }.node(&plan.root, level, scale)?;
        let noise = result.noise().sum(&inherited).with_rest(p.approximation_error());
        Ok(self.evaluator.fitting(result.with_noise(noise).assuming(bounds.value))?)
    }

    /// f(a) by a Chebyshev polynomial on an interval in which all values lie.
    ///
    /// # Errors
    /// [`PolynomialError`] where the function has no such polynomial, for too low a level, which
    /// says how many levels it takes, and without the key for products.
    pub fn evaluate_function<C: Into<Complex>>(
        &self,
        a: &Ciphertext,
        function: impl Fn(f64) -> C,
        interval: (f64, f64),
        accuracy: Accuracy,
    ) -> Result<Ciphertext, PolynomialError> {
        self.evaluate(a, &Polynomial::approximation(function, interval, accuracy)?)
    }

    /// The argument in [−1, 1], at a level.
    fn mapped(
        &self,
        a: &Ciphertext,
        p: &Polynomial,
        level: usize,
    ) -> Result<Ciphertext, EvaluationError> {
        let a = if a.level() == level { a.clone() } else { self.evaluator.at_level(a, level)? };
        if !p.has_map() {
            return Ok(a);
        }
        let (factor, summand) = p.map();
        let a = self.evaluator.mul_number(&a, factor.into())?;
        if summand == 0.0 {
            return Ok(a);
        }
        self.evaluator.add_number(&a, summand.into())
    }
}

/// A number that is as good as encrypted.
fn constant(
    evaluator: &Evaluator,
    a: &Ciphertext,
    number: Complex,
    level: usize,
    scale: Scale,
) -> Result<Ciphertext, EvaluationError> {
    let ring = evaluator.parameters().ring();
    let basis = &evaluator.parameters().level(level).basis;
    let parts = [0, 1].map(|_| ring.zero(basis, crate::ring::Form::Values));
    let zero = Ciphertext::new(parts, a.metadata().zero(level, scale));
    evaluator.add_number(&zero, number)
}

/// The level that is `needed` levels below a ciphertext's.
pub(crate) fn check_levels(a: &Ciphertext, needed: usize) -> Result<usize, EvaluationError> {
    let what = "this polynomial";
    a.level().checked_sub(needed).ok_or(EvaluationError::Level { what, got: a.level(), needed })
}

/// An evaluation in progress.
struct Evaluation<'a> {
    evaluator: &'a Evaluator,
    powers: Powers<'a>,
}

impl Evaluation<'_> {
    /// A node at a level, on a scale: the sum of its products and of its other terms, one level
    /// higher and on the scale that the division leaves the wanted one of.
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
                self.evaluator.relinearise_and_rescale(sum)
            }
            (Some(sum), None) => self.evaluator.relinearise_and_rescale(sum),
            (None, Some(linear)) => self.evaluator.rescale(&linear),
            (None, None) => constant(
                self.evaluator,
                &self.powers.at(1, above)?,
                Complex::default(),
                level,
                scale,
            ),
        }
    }

    /// Σ cₖ·Pₖ at a level, on a scale.
    fn linear(
        &mut self,
        node: &Node,
        level: usize,
        scale: Scale,
    ) -> Result<Option<Ciphertext>, EvaluationError> {
        if node.linear.is_empty() {
            return Ok(None);
        }
        let parameters = self.evaluator.parameters();
        let (ring, basis) = (parameters.ring(), &parameters.level(level).basis);
        let mut terms: Vec<(Ciphertext, Number)> = Vec::new();
        for (power, c) in node.linear.iter().filter(|(power, _)| *power > 0) {
            let power = self.powers.at(*power, level)?;
            let number = self.evaluator.number(*c, scale / power.scale(), basis)?;
            terms.push((power, number));
        }
        let parts = [0, 1].map(|part| {
            let powers: Vec<_> = terms.iter().map(|(power, _)| power.parts()[part]).collect();
            ring.combine(basis, &powers, |term, modulus| terms[term].1.modulo(modulus))
        });
        let argument = self.powers.at(1, level)?;
        let known = terms.iter().map(|(power, number)| (power.metadata(), number.operand()));
        let sum = Ciphertext::new(parts, argument.metadata().combination(known, scale));
        match node.linear.iter().find(|(power, _)| *power == 0) {
            Some((_, number)) => self.evaluator.add_number(&sum, *number).map(Some),
            None => Ok(Some(sum)),
        }
    }
}
