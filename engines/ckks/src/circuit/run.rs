// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Evaluation of plans.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use super::checkpoint::Checkpoint;
use super::error::CircuitError;
use super::expression::Expression;
use super::input::Input;
use super::plan::Plan;
use super::routine::Routine;
use super::run_id::RunId;
use super::steps::{only, run_steps, Runner};
use super::unary::Need;
use crate::bootstrap::Bootstrapper;
use crate::estimate::Bound;
use crate::evaluator::{conjugation_exponent, rotation_exponent, Ciphertext, EvaluationError};
use crate::keys::{KeyUse, RotationKeys};

/// Expressions and plans.
impl Bootstrapper {
    /// Computes an expression, for inputs by name. The expression is [planned](Plan::new) first,
    /// with bootstraps where levels do not suffice.
    ///
    /// # Errors
    /// [`CircuitError`] if no plan exists or keys are missing. Missing keys are reported before
    /// anything is computed.
    pub fn run(
        &self,
        expression: &Expression,
        inputs: &[(&str, &Ciphertext)],
    ) -> Result<Ciphertext, CircuitError> {
        let described = inputs.iter().map(|(name, a)| ((*name).to_owned(), Input::from(*a)));
        let plan = Plan::new(expression, self.parameters(), &described.collect())?;
        self.run_plan(&plan, inputs, |_| {})
    }

    /// Computes a planned expression, for inputs that are at least at the planned levels and within
    /// the planned bounds. `progress` is called after each step. With several expressions, this
    /// returns the first; [`Self::run_plan_all`] returns all.
    ///
    /// A value is kept until the last step that needs it. All rotations of one value run together
    /// and share work.
    ///
    /// # Errors
    /// [`CircuitError`] for inputs that do not match, missing keys and errors of steps.
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

    /// As [`Self::run_plan`], but ends early if `progress` breaks after a step.
    ///
    /// # Errors
    /// As [`Self::run_plan`], and [`CircuitError::Stopped`] if `progress` breaks.
    pub fn run_plan_while(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        mut progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Ciphertext, CircuitError> {
        self.check_plan(plan)?;
        only(run_steps(self, plan, inputs, None, |_, place| progress(place))?)
    }

    /// As [`Self::run_plan_while`], and continues from a checkpoint if one is given. `progress`
    /// receives a moment that [returns a checkpoint](Moment::checkpoint), after any step. The
    /// result has the same bits with and without checkpoints.
    ///
    /// # Errors
    /// As [`Self::run_plan_while`], [`CircuitError::OtherRun`] for a checkpoint of another plan or
    /// of other inputs, and the errors of [`Self::take_angles`].
    pub fn run_plan_from(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        checkpoint: Option<Checkpoint>,
        progress: impl FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<Ciphertext, CircuitError> {
        only(self.run_plan_all(plan, inputs, checkpoint, progress)?)
    }

    /// As [`Self::run_plan_from`], with the values of all planned expressions, in their order.
    ///
    /// # Errors
    /// As [`Self::run_plan_from`].
    pub fn run_plan_all(
        &self,
        plan: &Plan,
        inputs: &[(&str, &Ciphertext)],
        checkpoint: Option<Checkpoint>,
        mut progress: impl FnMut(&Moment<'_>) -> ControlFlow<()>,
    ) -> Result<Vec<Ciphertext>, CircuitError> {
        self.check_plan(plan)?;
        // The identifier needs a hash of all numbers.
        let id = LazyCell::new(|| self.run_id(plan, inputs));
        let steps = plan.steps().len();
        let is_own = |of: &Checkpoint| of.run == *id && of.steps == steps;
        if let Some(other) = checkpoint.as_ref().filter(|checkpoint| !is_own(checkpoint)) {
            return Err(CircuitError::OtherRun { got: other.run, ours: *id });
        }
        checkpoint.as_ref().map_or(Ok(()), |checkpoint| self.take_angles(checkpoint))?;
        let start = checkpoint.map(|checkpoint| (checkpoint.done, checkpoint.values));
        run_steps(self, plan, inputs, start, |run, place| {
            let owned = |(place, value): (usize, &Ciphertext)| (place, value.clone());
            let checkpoint = || {
                let values = run.values().map(owned).collect();
                let angles = self.drawn_angles().copied();
                Checkpoint { run: *id, done: place + 1, steps, angles, values }
            };
            progress(&Moment { place, checkpoint: &checkpoint })
        })
    }

    /// Takes over the angles of a checkpoint's bootstraps, in another process, before any bootstrap
    /// here. Runs then continue to the same bits.
    ///
    /// # Errors
    /// [`CircuitError::OtherAngles`] if other angles are already drawn.
    pub fn take_angles(&self, checkpoint: &Checkpoint) -> Result<(), CircuitError> {
        match checkpoint.angles {
            Some(seed) if !self.set_angles(seed) => Err(CircuitError::OtherAngles),
            _ => Ok(()),
        }
    }

    /// Returns the identifier of a run, to which a checkpoint belongs: a hash of its plan and
    /// inputs.
    pub fn run_id(&self, plan: &Plan, inputs: &[(&str, &Ciphertext)]) -> RunId {
        let digest = |name: &String| {
            let input = inputs.iter().find(|(given, _)| *given == name.as_str());
            input.map_or([0; 32], |(_, input)| input.digest(plan.parameters()))
        };
        RunId::of(plan.digest(), plan.inputs().keys().map(|name| (name.as_str(), digest(name))))
    }

    /// Checks that a plan is for the server's parameters, and that every key that it needs is
    /// present.
    ///
    /// # Errors
    /// [`EvaluationError::Key`] inside, which names all missing keys, or
    /// [`EvaluationError::KeyLevel`] for a key that does not reach the level at which it is needed.
    pub fn check_plan(&self, plan: &Plan) -> Result<(), CircuitError> {
        if !self.parameters().is_compatible(&plan.parameters) {
            return Err(CircuitError::Parameters);
        }
        let mut missing = BTreeSet::new();
        let mut too_low = None;
        for (place, step) in plan.steps.iter().enumerate() {
            let level = plan.working_level(step);
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
        let key =
            |of: KeyUse, what: &str| evaluator.keys().key(of, level, || what.to_owned()).map(drop);
        let automorphism = |exponent: u64, what: &str| key(KeyUse::Automorphism(exponent), what);
        match need {
            Need::Multiply => drop(evaluator.relinearization_key(level)?),
            Need::Bootstrap => self.check_bootstrap_of(slots)?,
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
            Need::Low(by) => {
                let exponent = rotation_exponent(evaluator.parameters(), *by);
                let what = format!("rotate by {by}{}", RotationKeys::Low.when());
                key(RotationKeys::Low.of(exponent), &what)?;
            }
        }
        Ok(())
    }
}

/// A moment of a run, after a step.
pub struct Moment<'r> {
    place: usize,
    checkpoint: &'r dyn Fn() -> Checkpoint,
}

impl Moment<'_> {
    /// Returns the completed step, as a place in [`Plan::steps`].
    pub fn place(&self) -> usize {
        self.place
    }

    /// Returns the values that the rest of the run needs.
    pub fn checkpoint(&self) -> Checkpoint {
        (self.checkpoint)()
    }
}

/// Runs steps with the evaluators' code.
impl Runner for Bootstrapper {
    type Value = Ciphertext;
    type Error = CircuitError;
    const HOLDS_PLAINTEXTS: bool = false;

    fn bootstrapper(&self) -> &Bootstrapper {
        self
    }

    fn about<'v>(&self, value: &'v Ciphertext) -> &'v Ciphertext {
        value
    }

    fn check_own(&self, value: &Ciphertext) -> Result<(), CircuitError> {
        Ok(self.evaluator().check_own(value)?)
    }

    fn apply(
        &self,
        routine: &Routine,
        operands: &[&Ciphertext],
    ) -> Result<Vec<Ciphertext>, CircuitError> {
        routine.apply(self, operands)
    }

    fn bounded(&self, value: &Ciphertext, bound: Bound) -> Ciphertext {
        value.bounded(bound)
    }

    fn at(what: String, reason: CircuitError) -> CircuitError {
        CircuitError::at(what, reason)
    }
}
