// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a plan, run in sequence on any runner.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::error::CircuitError;
use super::graph::Operation;
use super::plan::Plan;
use super::routine::{Matrix, Routine};
use super::step::Step;
use super::unary::Unary;
use crate::bootstrap::Bootstrapper;
use crate::estimate::Bound;
use crate::evaluator::Ciphertext;
use crate::linear::{BlockMatrix, Diagonals, LinearTransform, Split, Way};

/// A runner of operations on ciphertexts: the evaluators, or an executor of programs.
pub(crate) trait Runner {
    /// A ciphertext, in the runner's representation.
    type Value: Clone;
    /// The error of a step.
    type Error: From<CircuitError>;
    /// `true` if operations need all plaintexts of a matrix at once.
    const HOLDS_PLAINTEXTS: bool;

    /// Returns the evaluators of the keys.
    fn bootstrapper(&self) -> &Bootstrapper;

    /// Returns the metadata of a value.
    fn about<'v>(&self, value: &'v Self::Value) -> &'v Ciphertext;

    /// Checks that a value belongs to the keys and to their parameters.
    ///
    /// # Errors
    /// If it does not.
    fn check_own(&self, value: &Self::Value) -> Result<(), Self::Error>;

    /// Runs an operation on the number of operands that it needs.
    ///
    /// # Errors
    /// If it is refused or fails.
    fn apply(
        &self,
        routine: &Routine,
        operands: &[&Self::Value],
    ) -> Result<Vec<Self::Value>, Self::Error>;

    /// Returns the same value, with the promise that all values also lie in this bound.
    fn bounded(&self, value: &Self::Value, bound: Bound) -> Self::Value;

    /// Returns the error of a step, with its name.
    fn at(what: String, reason: Self::Error) -> Self::Error;
}

/// The values of a run.
pub(crate) struct Run<'a, R: Runner> {
    runner: &'a R,
    plan: &'a Plan,
    inputs: &'a [(&'a str, &'a R::Value)],
    values: Vec<Option<R::Value>>,
    /// The number of steps that still need each value.
    uses: Vec<usize>,
    /// The rotations of each value.
    rotations: BTreeMap<usize, Vec<usize>>,
}

/// The number of steps done, and the values that later steps need.
pub(crate) type Start<V> = (usize, Vec<(usize, V)>);

/// Runs a plan, whose keys are already checked, from a start until `progress` breaks after a step,
/// and returns the value of each result.
///
/// A value is kept until the last step that needs it. All rotations of one value run together.
///
/// # Errors
/// The error of a step with its name, and [`CircuitError::Stopped`] if `progress` breaks.
pub(crate) fn run_steps<R: Runner>(
    runner: &R,
    plan: &Plan,
    inputs: &[(&str, &R::Value)],
    start: Option<Start<R::Value>>,
    mut progress: impl FnMut(&Run<'_, R>, usize) -> ControlFlow<()>,
) -> Result<Vec<R::Value>, R::Error> {
    let (done, values) = start.unwrap_or_default();
    let mut run = Run::new(runner, plan, inputs);
    run.go_on(done, values)?;
    for place in done..plan.steps.len() {
        let step = &plan.steps[place];
        run.step(place).map_err(|reason| R::at(step.called(place + 1), reason))?;
        if progress(&run, place).is_break() {
            let (done, steps) = (place + 1, plan.steps.len());
            return Err(CircuitError::Stopped { done, steps }.into());
        }
    }
    plan.results.iter().map(|result| run.operand(*result).cloned()).collect()
}

/// Returns the only value of a plan of one expression, or the first of several.
pub(crate) fn only<V>(values: Vec<V>) -> Result<V, CircuitError> {
    values.into_iter().next().ok_or(CircuitError::NothingEncrypted)
}

impl<'a, R: Runner> Run<'a, R> {
    fn new(runner: &'a R, plan: &'a Plan, inputs: &'a [(&'a str, &'a R::Value)]) -> Self {
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
        plan.results.iter().for_each(|result| uses[*result] += 1);
        Self { runner, plan, inputs, values: vec![None; count], uses, rotations }
    }

    /// Returns the current values, with the steps that computed them.
    pub fn values(&self) -> impl Iterator<Item = (usize, &R::Value)> {
        let values = self.values.iter().enumerate();
        values.filter_map(|(place, value)| Some((place, value.as_ref()?)))
    }

    /// Restores the values of a run after `done` steps.
    ///
    /// # Errors
    /// For a value of another secret key.
    fn go_on(&mut self, done: usize, values: Vec<(usize, R::Value)>) -> Result<(), R::Error> {
        for (place, value) in values {
            self.runner.check_own(&value)?;
            self.values[place] = Some(value);
        }
        for operand in self.plan.steps[..done].iter().flat_map(|step| &step.operands) {
            self.uses[*operand] -= 1;
        }
        Ok(())
    }

    fn step(&mut self, place: usize) -> Result<(), R::Error> {
        let step = &self.plan.steps[place];
        if self.values[place].is_none() {
            match &step.operation {
                Operation::Input(name) => self.values[place] = Some(self.input(name, step)?),
                Operation::Unary(Unary::Rotate(_)) => self.rotate(step.operands[0])?,
                Operation::Blocks { matrix, .. } => self.blocks(place, matrix)?,
                _ => self.values[place] = Some(self.value(step)?),
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

    /// Returns an input at its planned level.
    fn input(&self, name: &str, step: &Step) -> Result<R::Value, R::Error> {
        let Some((_, input)) = self.inputs.iter().find(|(given, _)| *given == name) else {
            let given: Vec<&str> = self.inputs.iter().map(|(given, _)| *given).collect();
            let (name, given) = (name.to_owned(), given.join(", "));
            return Err(CircuitError::NoInput { name, given }.into());
        };
        self.runner.check_own(input)?;
        let a = self.runner.about(input);
        let planned = step.estimate.bound;
        let fits = planned.contains_all(a.bound()) && a.level() >= step.level;
        if a.length() != step.length || !fits {
            let text = |length: usize, level: usize, bound: Bound| {
                format!("{length} values, level {level} and {bound}")
            };
            let got = text(a.length(), a.level(), a.bound());
            let planned = text(step.length, step.level, planned);
            return Err(CircuitError::OtherInput { name: name.to_owned(), got, planned }.into());
        }
        if a.level() == step.level {
            return Ok((*input).clone());
        }
        self.one(&Routine::ToLevel(step.level), &[input])
    }

    /// Computes all rotations of a value.
    fn rotate(&mut self, of: usize) -> Result<(), R::Error> {
        let places = self.rotations.remove(&of).unwrap_or_default();
        let by = |place: &usize| match &self.plan.steps[*place].operation {
            Operation::Unary(Unary::Rotate(by)) => *by,
            _ => 0,
        };
        let steps = Routine::Rotate(places.iter().map(by).collect());
        let from = places.first().and_then(|place| self.plan.steps[*place].from);
        let a = self.brought_down(self.operand(of)?, from)?;
        let images = self.runner.apply(&steps, &[&a])?;
        for (place, image) in places.into_iter().zip(images) {
            self.values[place] = Some(image);
        }
        Ok(())
    }

    /// Computes all rows of a matrix of blocks times the same vectors.
    fn blocks(&mut self, first: usize, matrix: &Arc<BlockMatrix>) -> Result<(), R::Error> {
        let vectors = &self.plan.steps[first].operands;
        let row_of = |step: &Step| match &step.operation {
            Operation::Blocks { matrix: of, row } if Arc::ptr_eq(of, matrix) => Some(*row),
            _ => None,
        };
        // Other rows come later: the first one computes all.
        let steps = self.plan.steps.iter().enumerate().skip(first);
        let rows: Vec<(usize, usize)> = steps
            .filter(|(_, step)| step.operands == *vectors)
            .filter_map(|(place, step)| Some((place, row_of(step)?)))
            .collect();
        let from = self.plan.steps[first].from;
        let vectors: Vec<Cow<'_, R::Value>> = vectors
            .iter()
            .map(|vector| self.brought_down(self.operand(*vector)?, from))
            .collect::<Result<_, _>>()?;
        let vectors: Vec<&R::Value> = vectors.iter().map(|vector| &**vector).collect();
        let levels = vectors.iter().map(|vector| self.runner.about(vector).level());
        let level = levels.min().unwrap_or(0);
        let encoded = |(place, row): &(usize, usize)| {
            let blocks = matrix.rows()[*row].iter().enumerate();
            let encoded = blocks.map(|(column, block)| {
                let transform = |block| {
                    let step = &self.plan.steps[*place];
                    self.transform(step, column, block, level, Some(matrix.split()))
                };
                Ok(block.as_ref().map(transform).transpose()?.map(Matrix))
            });
            encoded.collect::<Result<Vec<_>, CircuitError>>()
        };
        let blocks = rows.iter().map(encoded).collect::<Result<Vec<_>, _>>()?;
        let products = self.runner.apply(&Routine::TransformBlocks(blocks), &vectors)?;
        for ((place, _), product) in rows.into_iter().zip(products) {
            self.values[place] = Some(product);
        }
        Ok(())
    }

    fn operand(&self, place: usize) -> Result<&R::Value, R::Error> {
        // Operands come first and are kept as long as they are needed.
        self.values[place].as_ref().ok_or_else(|| CircuitError::NothingEncrypted.into())
    }

    /// Returns a value brought down to a level, if it is above that level.
    fn brought_down<'v>(
        &self,
        value: &'v R::Value,
        level: Option<usize>,
    ) -> Result<Cow<'v, R::Value>, R::Error> {
        match level.filter(|level| *level < self.runner.about(value).level()) {
            Some(level) => Ok(Cow::Owned(self.one(&Routine::ToLevel(level), &[value])?)),
            None => Ok(Cow::Borrowed(value)),
        }
    }

    fn one(&self, routine: &Routine, operands: &[&R::Value]) -> Result<R::Value, R::Error> {
        let result = self.runner.apply(routine, operands)?.into_iter().next();
        result.ok_or_else(|| CircuitError::NothingEncrypted.into())
    }

    fn value(&self, step: &Step) -> Result<R::Value, R::Error> {
        let (first, last) = (step.operands[0], step.operands[step.operands.len() - 1]);
        let a = &*self.brought_down(self.operand(first)?, step.from)?;
        let both = |routine: Routine| {
            if first == last {
                return self.one(&routine, &[a, a]);
            }
            self.one(&routine, &[a, &*self.brought_down(self.operand(last)?, step.from)?])
        };
        match &step.operation {
            Operation::Add => both(Routine::Add),
            Operation::Subtract => both(Routine::Subtract),
            Operation::Multiply => both(Routine::Multiply),
            Operation::AddPlain(values) => self.one(&Routine::AddPlain(values.clone()), &[a]),
            Operation::MultiplyPlain(values) => {
                self.one(&Routine::MultiplyPlain(values.clone()), &[a])
            }
            Operation::MultiplyInteger { integer, is_imaginary } => {
                let product = self.one(&Routine::MultiplyInteger(*integer), &[a])?;
                match is_imaginary {
                    true => self.one(&Routine::MultiplyByI, &[&product]),
                    false => Ok(product),
                }
            }
            Operation::Unary(of) => self.unary(step, of, a),
            // Both are computed elsewhere.
            Operation::Input(_) | Operation::Blocks { .. } => Ok(a.clone()),
        }
    }

    /// Computes a step on one vector.
    fn unary(&self, step: &Step, of: &Unary, a: &R::Value) -> Result<R::Value, R::Error> {
        let routine = match of {
            Unary::Negate => Routine::Negate,
            Unary::Rotate(by) => Routine::Rotate(vec![*by]),
            Unary::Conjugate => Routine::Conjugate,
            Unary::Sum => Routine::Sum,
            Unary::Mean => Routine::Mean,
            Unary::Slice { from, to } => Routine::Slice { from: *from, to: *to },
            Unary::InnerSum { count, batch } => Routine::InnerSum { count: *count, batch: *batch },
            Unary::Replicate { count, batch } => {
                Routine::Replicate { count: *count, batch: *batch }
            }
            Unary::Polynomial(p) => Routine::Evaluate(Arc::clone(p)),
            Unary::BlockPolynomials(p) => Routine::EvaluateBlocks(Arc::clone(p)),
            Unary::Transform(matrix) => {
                let level = self.runner.about(a).level();
                Routine::Transform(Matrix(self.transform(step, 0, matrix, level, None)?))
            }
            Unary::Sign(sign) => Routine::Sign(Arc::clone(sign)),
            Unary::IsPositive(sign) => Routine::IsPositive(Arc::clone(sign)),
            Unary::Relu(sign) => Routine::Relu(Arc::clone(sign)),
            Unary::Inverse { interval, error } => {
                Routine::Inverse { interval: *interval, error: *error }
            }
            Unary::SquareRoot { interval, error } => {
                Routine::SquareRoot { interval: *interval, error: *error }
            }
            Unary::InverseSquareRoot { interval, error } => {
                Routine::InverseSquareRoot { interval: *interval, error: *error }
            }
            Unary::Bounded(bound) => return Ok(self.runner.bounded(a, *bound)),
            Unary::Bootstrap => Routine::BootstrapWithin(step.estimate.magnitude()),
        };
        self.one(&routine, &[a])
    }

    /// Returns a matrix, encoded for a level when it is first applied, and kept if there is room.
    /// Without room, it is encoded piece by piece while it is applied, if possible. A runner whose
    /// ring differs from the plan's in arithmetic (dry or not) encodes it without keeping it.
    /// `place` is that of a block in its row, which has the split of all blocks.
    fn transform(
        &self,
        step: &Step,
        place: usize,
        matrix: &Arc<Diagonals>,
        level: usize,
        split: Option<Split>,
    ) -> Result<Arc<LinearTransform>, CircuitError> {
        let kept = step.transforms.get(place);
        if let Some(made) = kept.and_then(|kept| kept.get()) {
            return Ok(made.clone());
        }
        let encoder = self.runner.bootstrapper().evaluator().encoder();
        let way = Way { level, split, keys: step.keys };
        let encoded = |is_on_demand: bool| -> Result<_, CircuitError> {
            Ok(Arc::new(LinearTransform::for_way(encoder, matrix, way, is_on_demand)?))
        };
        let whole = || encoded(false);
        if encoder.parameters().ring().is_dry() != self.plan.parameters.ring().is_dry() {
            return whole();
        }
        let bytes = LinearTransform::bytes_of(encoder.parameters(), matrix, way);
        if !self.plan.matrices.take(bytes) {
            return match R::HOLDS_PLAINTEXTS {
                true => whole(),
                false => encoded(true),
            };
        }
        let made = whole().inspect_err(|_| self.plan.matrices.give(bytes))?;
        // Only one of two matrices encoded at once is kept.
        if kept.is_none_or(|kept| kept.set(made.clone()).is_err()) {
            self.plan.matrices.give(bytes);
        }
        Ok(made)
    }
}
