// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All rungs of the ladder in one place, each by the same keys.

use std::ops::{ControlFlow, Deref};

use crate::bootstrap::{BootstrapError, Bootstrapper};
use crate::circuit::{Checkpoint, CircuitError, CircuitEvaluator, Expression, Moment, Plan, RunId};
use crate::complex::Complex;
use crate::evaluator::{Ciphertext, EvaluationKeys, Evaluator};
use crate::functions::{FunctionEvaluator, Sign};
use crate::linear::{LinearError, LinearEvaluator, LinearTransform};
use crate::params::Scale;
use crate::polynomial::{
    Accuracy, BlockPolynomials, Polynomial, PolynomialError, PolynomialEvaluator,
};
use crate::sampling::Seed;

/// Computes on ciphertexts. It holds evaluation keys, and no secret key.
///
/// Sums, products and rotations are those of its [`Evaluator`]; matrices, polynomials, functions,
/// bootstraps and circuits stand here beside them. Each has the error of its rung, which becomes a
/// [`CircuitError`] by `?`.
pub struct Server {
    bootstrapper: Bootstrapper,
}

/// A server is an evaluator with more rungs on top: what the evaluator does is not written down
/// twice.
impl Deref for Server {
    type Target = Evaluator;

    fn deref(&self) -> &Evaluator {
        self.bootstrapper.evaluator()
    }
}

impl Server {
    /// A server with these keys.
    pub fn new(keys: EvaluationKeys) -> Self {
        Self { bootstrapper: Bootstrapper::new(Evaluator::new(keys)) }
    }

    /// The same with bootstraps by the angles of a seed: [`Bootstrapper::with_angles`].
    #[must_use]
    pub fn with_angles(self, seed: Seed) -> Self {
        Self { bootstrapper: self.bootstrapper.with_angles(seed) }
    }

    /// The bootstrapper of these keys.
    pub fn bootstrapper(&self) -> &Bootstrapper {
        &self.bootstrapper
    }

    fn linear(&self) -> LinearEvaluator<'_> {
        LinearEvaluator::new(self)
    }

    fn polynomials(&self) -> PolynomialEvaluator<'_> {
        PolynomialEvaluator::new(self)
    }

    fn functions(&self) -> FunctionEvaluator<'_> {
        FunctionEvaluator::new(self)
    }

    fn circuits(&self) -> CircuitEvaluator<'_> {
        CircuitEvaluator::new(&self.bootstrapper)
    }

    /// A matrix times a vector: [`LinearEvaluator::transform`].
    ///
    /// # Errors
    /// As [`LinearEvaluator::transform`].
    pub fn linear_transform(
        &self,
        a: &Ciphertext,
        transform: &LinearTransform,
    ) -> Result<Ciphertext, LinearError> {
        self.linear().transform(a, transform)
    }

    /// p(a): [`PolynomialEvaluator::evaluate`].
    ///
    /// # Errors
    /// As [`PolynomialEvaluator::evaluate`].
    pub fn evaluate(&self, a: &Ciphertext, p: &Polynomial) -> Result<Ciphertext, PolynomialError> {
        self.polynomials().evaluate(a, p)
    }

    /// p(a) at a level and on a scale: [`PolynomialEvaluator::evaluate_to`].
    ///
    /// # Errors
    /// As [`PolynomialEvaluator::evaluate_to`].
    pub fn evaluate_to(
        &self,
        a: &Ciphertext,
        p: &Polynomial,
        level: usize,
        scale: Scale,
    ) -> Result<Ciphertext, PolynomialError> {
        self.polynomials().evaluate_to(a, p, level, scale)
    }

    /// Each slot by the polynomial of its block: [`PolynomialEvaluator::evaluate_blocks`].
    ///
    /// # Errors
    /// As [`PolynomialEvaluator::evaluate_blocks`].
    pub fn evaluate_blocks(
        &self,
        a: &Ciphertext,
        p: &BlockPolynomials,
    ) -> Result<Ciphertext, PolynomialError> {
        self.polynomials().evaluate_blocks(a, p)
    }

    /// f(a) by a polynomial on an interval: [`PolynomialEvaluator::evaluate_function`].
    ///
    /// # Errors
    /// As [`PolynomialEvaluator::evaluate_function`].
    pub fn evaluate_function<C: Into<Complex>>(
        &self,
        a: &Ciphertext,
        function: impl Fn(f64) -> C,
        interval: (f64, f64),
        accuracy: Accuracy,
    ) -> Result<Ciphertext, PolynomialError> {
        self.polynomials().evaluate_function(a, function, interval, accuracy)
    }

    /// 1/a: [`FunctionEvaluator::inverse`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::inverse`].
    pub fn inverse(
        &self,
        a: &Ciphertext,
        interval: (f64, f64),
        error: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        self.functions().inverse(a, interval, error)
    }

    /// √a: [`FunctionEvaluator::square_root`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::square_root`].
    pub fn square_root(
        &self,
        a: &Ciphertext,
        interval: (f64, f64),
        error: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        self.functions().square_root(a, interval, error)
    }

    /// 1/√a: [`FunctionEvaluator::inverse_square_root`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::inverse_square_root`].
    pub fn inverse_square_root(
        &self,
        a: &Ciphertext,
        interval: (f64, f64),
        error: f64,
    ) -> Result<Ciphertext, PolynomialError> {
        self.functions().inverse_square_root(a, interval, error)
    }

    /// The signs of values: [`FunctionEvaluator::sign`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::sign`].
    pub fn sign(&self, a: &Ciphertext, sign: &Sign) -> Result<Ciphertext, PolynomialError> {
        self.functions().sign(a, sign)
    }

    /// 1 for positive values and 0 for negative ones: [`FunctionEvaluator::is_positive`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::is_positive`].
    pub fn is_positive(&self, a: &Ciphertext, sign: &Sign) -> Result<Ciphertext, PolynomialError> {
        self.functions().is_positive(a, sign)
    }

    /// 1 where a > b, and 0 where a < b: [`FunctionEvaluator::greater`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::greater`].
    pub fn greater(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: &Sign,
    ) -> Result<Ciphertext, PolynomialError> {
        self.functions().greater(a, b, sign)
    }

    /// max(0, a) in any place: [`FunctionEvaluator::relu`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::relu`].
    pub fn relu(&self, a: &Ciphertext, sign: &Sign) -> Result<Ciphertext, PolynomialError> {
        self.functions().relu(a, sign)
    }

    /// The larger of two values in each place: [`FunctionEvaluator::max`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::max`].
    pub fn max(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: &Sign,
    ) -> Result<Ciphertext, PolynomialError> {
        self.functions().max(a, b, sign)
    }

    /// The smaller of two values in each place: [`FunctionEvaluator::min`].
    ///
    /// # Errors
    /// As [`FunctionEvaluator::min`].
    pub fn min(
        &self,
        a: &Ciphertext,
        b: &Ciphertext,
        sign: &Sign,
    ) -> Result<Ciphertext, PolynomialError> {
        self.functions().min(a, b, sign)
    }

    /// The same values at a higher level: [`Bootstrapper::bootstrap`].
    ///
    /// # Errors
    /// As [`Bootstrapper::bootstrap`].
    pub fn bootstrap(&self, a: &Ciphertext) -> Result<Ciphertext, BootstrapError> {
        self.bootstrapper.bootstrap(a)
    }

    /// [`Self::bootstrap`] of values up to `magnitude`: [`Bootstrapper::bootstrap_within`].
    ///
    /// # Errors
    /// As [`Self::bootstrap`].
    pub fn bootstrap_within(
        &self,
        a: &Ciphertext,
        magnitude: f64,
    ) -> Result<Ciphertext, BootstrapError> {
        self.bootstrapper.bootstrap_within(a, magnitude)
    }

    /// Checks that vectors in all slots can be bootstrapped: [`Bootstrapper::check_bootstrap`].
    ///
    /// # Errors
    /// As [`Bootstrapper::check_bootstrap`].
    pub fn check_bootstrap(&self) -> Result<(), BootstrapError> {
        self.bootstrapper.check_bootstrap()
    }

    /// Checks that vectors of `slots` slots can be bootstrapped:
    /// [`Bootstrapper::check_bootstrap_of`].
    ///
    /// # Errors
    /// As [`Bootstrapper::check_bootstrap_of`].
    pub fn check_bootstrap_of(&self, slots: usize) -> Result<(), BootstrapError> {
        self.bootstrapper.check_bootstrap_of(slots)
    }

    /// Encodes the matrices of bootstraps of any vector, and gives their bytes:
    /// [`Bootstrapper::prepare_bootstrap`].
    ///
    /// # Errors
    /// As [`Bootstrapper::prepare_bootstrap`].
    pub fn prepare_bootstrap(&self) -> Result<usize, BootstrapError> {
        self.bootstrapper.prepare_bootstrap()
    }

    /// Encodes the matrices of bootstraps of vectors of `slots` slots, and gives their bytes:
    /// [`Bootstrapper::prepare_bootstrap_of`].
    ///
    /// # Errors
    /// As [`Bootstrapper::prepare_bootstrap_of`].
    pub fn prepare_bootstrap_of(&self, slots: usize) -> Result<usize, BootstrapError> {
        self.bootstrapper.prepare_bootstrap_of(slots)
    }

    /// Whether any vector can be bootstrapped: [`Bootstrapper::can_bootstrap`].
    pub fn can_bootstrap(&self) -> bool {
        self.bootstrapper.can_bootstrap()
    }

    /// The value of an expression, for inputs by name: [`CircuitEvaluator::run`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::run`].
    pub fn run(
        &self,
        expression: &Expression,
        inputs: &[(&str, &Ciphertext)],
    ) -> Result<Ciphertext, CircuitError> {
        self.circuits().run(expression, inputs)
    }

    /// The value of an expression that is planned: [`CircuitEvaluator::run_plan`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::run_plan`].
    pub fn run_plan(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        progress: impl FnMut(usize),
    ) -> Result<Ciphertext, CircuitError> {
        self.circuits().run_plan(plan, inputs, progress)
    }

    /// The same, as long as `progress` says so: [`CircuitEvaluator::run_plan_while`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::run_plan_while`].
    pub fn run_plan_while(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, CircuitError> {
        self.circuits().run_plan_while(plan, inputs, progress)
    }

    /// The same, from a checkpoint on where there is one: [`CircuitEvaluator::run_plan_from`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::run_plan_from`].
    pub fn run_plan_from(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        checkpoint: Option<Checkpoint>,
        progress: impl FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<Ciphertext, CircuitError> {
        self.circuits().run_plan_from(plan, inputs, checkpoint, progress)
    }

    /// The values of all expressions of a plan: [`CircuitEvaluator::run_plan_all`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::run_plan_all`].
    pub fn run_plan_all(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        checkpoint: Option<Checkpoint>,
        progress: impl FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<Vec<Ciphertext>, CircuitError> {
        self.circuits().run_plan_all(plan, inputs, checkpoint, progress)
    }

    /// Takes the angles of the bootstraps of a checkpoint: [`CircuitEvaluator::take_angles`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::take_angles`].
    pub fn take_angles(&self, checkpoint: &Checkpoint) -> Result<(), CircuitError> {
        self.circuits().take_angles(checkpoint)
    }

    /// What tells a run from others: [`CircuitEvaluator::run_id`].
    pub fn run_id(&self, plan: &Plan, inputs: &[(&str, &Ciphertext)]) -> RunId {
        self.circuits().run_id(plan, inputs)
    }

    /// Checks that the server has every key that a plan needs: [`CircuitEvaluator::check_plan`].
    ///
    /// # Errors
    /// As [`CircuitEvaluator::check_plan`].
    pub fn check_plan(&self, plan: &Plan) -> Result<(), CircuitError> {
        self.circuits().check_plan(plan)
    }
}
