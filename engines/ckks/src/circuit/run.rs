// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluation of plans.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::error::CircuitError;
use super::expression::Expression;
use super::graph::Operation;
use super::input::Input;
use super::plan::{Plan, Step};
use super::unary::{Need, Unary};
use crate::bootstrap::Bootstrapper;
use crate::estimate::Bound;
use crate::evaluator::{
    conjugation_exponent, rotation_exponent, Ciphertext, EvaluationError, Evaluator,
};
use crate::functions::FunctionEvaluator;
use crate::keys::KeyUse;
use crate::linear::{Diagonals, LinearEvaluator, LinearTransform};
use crate::polynomial::PolynomialEvaluator;

/// The values of a run.
struct Run<'a> {
    bootstrapper: &'a Bootstrapper,
    plan: &'a Plan,
    inputs: &'a [(&'a str, &'a Ciphertext)],
    values: Vec<Option<Cow<'a, Ciphertext>>>,
    /// How many steps still need each value.
    uses: Vec<usize>,
    /// The rotations of each value.
    rotations: BTreeMap<usize, Vec<usize>>,
}

/// Evaluates expressions and plans with the keys of a bootstrapper.
#[derive(Clone, Copy)]
pub struct CircuitEvaluator<'a> {
    bootstrapper: &'a Bootstrapper,
}

impl<'a> CircuitEvaluator<'a> {
    /// An evaluator of circuits with the keys of this bootstrapper.
    pub fn new(bootstrapper: &'a Bootstrapper) -> Self {
        Self { bootstrapper }
    }

    fn evaluator(&self) -> &'a Evaluator {
        self.bootstrapper.evaluator()
    }

    /// The value of an expression, for inputs by name. It is [planned](Plan::new) first, with
    /// bootstraps where levels do not suffice.
    ///
    /// # Errors
    /// [`CircuitError`] where there is no plan, and for keys that are missing, which are named
    /// before anything is computed.
    pub fn run(
        &self,
        expression: &Expression,
        inputs: &[(&str, &Ciphertext)],
    ) -> Result<Ciphertext, CircuitError> {
        let described = inputs.iter().map(|(name, a)| ((*name).to_owned(), Input::from(*a)));
        let plan = Plan::new(expression, self.evaluator().parameters(), &described.collect())?;
        self.run_plan(&plan, inputs, |_| {})
    }

    /// The value of an expression that is planned: for inputs that are at least at the planned
    /// levels, and whose values are no larger. `progress` is told each step that is done.
    ///
    /// A value is kept until the last step that needs it. The rotations of one value are done
    /// together, and share what they have in common.
    ///
    /// # Errors
    /// [`CircuitError`] for other inputs, keys that are missing and what a step cannot do.
    pub fn run_plan(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        mut progress: impl FnMut(usize),
    ) -> Result<Ciphertext, CircuitError> {
        self.run_plan_while(plan, inputs, |place| {
            progress(place);
            ControlFlow::Continue(())
        })
    }

    /// [`Self::run_plan`] that ends early where `progress` breaks after a step.
    ///
    /// # Errors
    /// As [`Self::run_plan`], and [`CircuitError::Stopped`] where `progress` breaks.
    pub fn run_plan_while(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, CircuitError> {
        self.check_plan(plan)?;
        let mut run = Run::new(self.bootstrapper, plan, inputs);
        for place in 0..plan.steps.len() {
            let step = &plan.steps[place];
            run.step(place).map_err(|reason| CircuitError::at(step.called(place + 1), reason))?;
            if progress(place).is_break() {
                let (done, steps) = (place + 1, plan.steps.len());
                return Err(CircuitError::Stopped { done, steps });
            }
        }
        let result = run.values.pop().flatten();
        result.map(Cow::into_owned).ok_or(CircuitError::NothingEncrypted)
    }

    /// Checks that a plan is for the server's parameters, and that every key it needs is present.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] within, which names all that are missing, or
    /// [`EvaluationError::KeyLevel`] for one that does not go up to the level at which it is
    /// needed.
    pub fn check_plan(&self, plan: &Plan) -> Result<(), CircuitError> {
        if !self.evaluator().parameters().is_compatible(&plan.parameters) {
            return Err(CircuitError::Parameters);
        }
        let mut missing = BTreeSet::new();
        let mut too_low = None;
        for (place, step) in plan.steps.iter().enumerate() {
            let operands = step.operands.iter().map(|operand| plan.steps[*operand].level);
            let level = operands.min().unwrap_or(step.level);
            let slots = plan.operand_length(step).next_power_of_two();
            for need in plan.needs(step) {
                let Err(error) = self.check_need(&need, level, slots) else { continue };
                match error.evaluation() {
                    Some(EvaluationError::Key { what }) => {
                        missing.insert(what.clone());
                    }
                    _ if too_low.is_none() => {
                        too_low = Some(CircuitError::at(step.called(place + 1), error));
                    }
                    _ => {}
                }
            }
        }
        if missing.is_empty() {
            return too_low.map_or(Ok(()), Err);
        }
        let what = missing.into_iter().collect::<Vec<_>>().join(", or to ");
        Err(EvaluationError::Key { what }.into())
    }

    fn check_need(&self, need: &Need, level: usize, slots: usize) -> Result<(), CircuitError> {
        let evaluator = self.evaluator();
        let automorphism = |exponent: u64, what: &str| {
            let of = KeyUse::Automorphism(exponent);
            evaluator.keys().key(of, level, || what.to_owned()).map(drop)
        };
        match need {
            Need::Multiply => drop(evaluator.relinearisation_key(level)?),
            Need::Bootstrap => self.bootstrapper.check_bootstrap_of(slots)?,
            Need::Conjugate => {
                automorphism(conjugation_exponent(evaluator.parameters()), "conjugate")?;
            }
            Need::Rotation(by) => {
                let what = format!("rotate by {by}");
                let route = evaluator.route(*by, slots)?;
                route.into_iter().try_for_each(|exponent| automorphism(exponent, &what))?;
            }
            Need::Exactly(by) => {
                let exponent = rotation_exponent(evaluator.parameters(), *by);
                automorphism(exponent, &format!("rotate by {by}"))?;
            }
        }
        Ok(())
    }
}

impl<'a> Run<'a> {
    fn evaluator(&self) -> &'a Evaluator {
        self.bootstrapper.evaluator()
    }

    fn new(
        bootstrapper: &'a Bootstrapper,
        plan: &'a Plan,
        inputs: &'a [(&'a str, &'a Ciphertext)],
    ) -> Self {
        let count = plan.steps.len();
        let mut uses = vec![0; count];
        let mut rotations: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, step) in plan.steps.iter().enumerate() {
            step.operands.iter().for_each(|operand| uses[*operand] += 1);
            if let (Operation::Unary(Unary::Rotate(_)), [of]) =
                (&step.operation, &step.operands[..])
            {
                rotations.entry(*of).or_default().push(place);
            }
        }
        // The result.
        uses[count - 1] += 1;
        Self { bootstrapper, plan, inputs, values: vec![None; count], uses, rotations }
    }

    fn step(&mut self, place: usize) -> Result<(), CircuitError> {
        let step = &self.plan.steps[place];
        if self.values[place].is_none() {
            match &step.operation {
                Operation::Input(name) => {
                    self.values[place] = Some(self.input(name, step)?);
                }
                Operation::Unary(Unary::Rotate(_)) => self.rotate(step.operands[0])?,
                _ => self.values[place] = Some(Cow::Owned(self.value(step)?)),
            }
        }
        for operand in &step.operands {
            self.uses[*operand] -= 1;
            if self.uses[*operand] == 0 {
                self.values[*operand] = None;
            }
        }
        Ok(())
    }

    /// An input at its planned level.
    fn input(&self, name: &str, step: &Step) -> Result<Cow<'a, Ciphertext>, CircuitError> {
        let Some((_, a)) = self.inputs.iter().find(|(given, _)| *given == name) else {
            let given: Vec<&str> = self.inputs.iter().map(|(given, _)| *given).collect();
            let (name, given) = (name.to_owned(), given.join(", "));
            return Err(CircuitError::NoInput { name, given });
        };
        self.evaluator().check_own(a)?;
        let planned = step.estimate.bound;
        let fits = planned.contains_all(a.bound()) && a.level() >= step.level;
        if a.length() != step.length || !fits {
            let text = |length: usize, level: usize, bound: Bound| {
                format!("{length} values, level {level} and {bound}")
            };
            let got = text(a.length(), a.level(), a.bound());
            let planned = text(step.length, step.level, planned);
            return Err(CircuitError::OtherInput { name: name.to_owned(), got, planned });
        }
        if a.level() == step.level {
            return Ok(Cow::Borrowed(a));
        }
        Ok(Cow::Owned(self.evaluator().at_level(a, step.level)?))
    }

    /// All rotations of a value.
    fn rotate(&mut self, of: usize) -> Result<(), CircuitError> {
        let places = self.rotations.remove(&of).unwrap_or_default();
        let by = |place: &usize| match &self.plan.steps[*place].operation {
            Operation::Unary(Unary::Rotate(by)) => *by,
            _ => 0,
        };
        let steps: Vec<i64> = places.iter().map(by).collect();
        let images = self.evaluator().rotate_many(self.operand(of)?, &steps)?;
        for (place, image) in places.into_iter().zip(images) {
            self.values[place] = Some(Cow::Owned(image));
        }
        Ok(())
    }

    fn operand(&self, place: usize) -> Result<&Ciphertext, CircuitError> {
        // Operands stand before and are kept as long as they are needed.
        self.values[place].as_deref().ok_or(CircuitError::NothingEncrypted)
    }

    fn value(&self, step: &Step) -> Result<Ciphertext, CircuitError> {
        let evaluator = self.evaluator();
        let a = self.operand(step.operands[0])?;
        let b = || self.operand(step.operands[step.operands.len() - 1]);
        Ok(match &step.operation {
            Operation::Add => evaluator.add(a, b()?)?,
            Operation::Subtract => evaluator.sub(a, b()?)?,
            Operation::Multiply => evaluator.mul(a, b()?)?,
            Operation::AddPlain(values) => evaluator.add_plain(a, values.declared())?,
            Operation::MultiplyPlain(values) => evaluator.mul_plain(a, values.declared())?,
            Operation::MultiplyInteger { integer, is_imaginary } => {
                let product = evaluator.mul_integer(a, *integer)?;
                match is_imaginary {
                    true => evaluator.mul_by_i(&product)?,
                    false => product,
                }
            }
            Operation::Unary(of) => self.unary(step, of, a)?,
            Operation::Input(_) => a.clone(),
        })
    }

    fn unary(&self, step: &Step, of: &Unary, a: &Ciphertext) -> Result<Ciphertext, CircuitError> {
        let evaluator = self.evaluator();
        let functions = FunctionEvaluator::new(evaluator);
        Ok(match of {
            Unary::Negate => evaluator.neg(a)?,
            Unary::Rotate(by) => evaluator.rotate(a, *by)?,
            Unary::Conjugate => evaluator.conjugate(a)?,
            Unary::Sum => evaluator.sum(a)?,
            Unary::Mean => evaluator.mean(a)?,
            Unary::Slice { from, to } => evaluator.slice(a, *from, *to)?,
            Unary::InnerSum { count, batch } => evaluator.inner_sum(a, *count, *batch)?,
            Unary::Replicate { count, batch } => evaluator.replicate(a, *count, *batch)?,
            Unary::Polynomial(p) => PolynomialEvaluator::new(evaluator).evaluate(a, p)?,
            Unary::Transform(matrix) => {
                let transform = self.transform(step, matrix, a.level())?;
                LinearEvaluator::new(evaluator).transform(a, &transform)?
            }
            Unary::Sign(sign) => functions.sign(a, sign)?,
            Unary::IsPositive(sign) => functions.is_positive(a, sign)?,
            Unary::Relu(sign) => functions.relu(a, sign)?,
            Unary::Inverse { interval, error } => functions.inverse(a, *interval, *error)?,
            Unary::SquareRoot { interval, error } => functions.square_root(a, *interval, *error)?,
            Unary::InverseSquareRoot { interval, error } => {
                functions.inverse_square_root(a, *interval, *error)?
            }
            Unary::Bounded(bound) => a.bounded(*bound),
            Unary::Bootstrap => self.bootstrapper.bootstrap_within(a, step.estimate.magnitude())?,
        })
    }

    /// A matrix, encoded for a level when it is applied for the first time.
    fn transform(
        &self,
        step: &Step,
        matrix: &Diagonals,
        level: usize,
    ) -> Result<Arc<LinearTransform>, CircuitError> {
        if let Some(made) = step.transform.get() {
            return Ok(made.clone());
        }
        let made = Arc::new(LinearTransform::new(self.evaluator().encoder(), matrix, level)?);
        Ok(step.transform.get_or_init(|| made).clone())
    }
}
