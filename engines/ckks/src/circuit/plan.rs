// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a computation, their levels, the keys that they need, and the bootstraps between
//! them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use super::digest::Digest;
use super::error::CircuitError;
use super::expression::Expression;
use super::graph::{steps_of, GraphStep, Operation};
use super::input::Input;
use super::low_levels::{self, Levels, Limits};
use super::placement::{self, Node, Placement};
use super::transforms::{distinct, shared, Transform};
use super::unary::{Need, Unary};
use crate::bootstrap::{is_small_enough, scaling_bits};
use crate::estimate::{Bound, Estimate};
use crate::evaluator::{check_room, EvaluationError};
use crate::keys::{Gadget, KeyUse, RotationKeys, LOW_LEVEL};
use crate::operations::Operations;
use crate::params::Parameters;
use crate::polynomial::Allowance;
#[cfg(doc)]
use crate::polynomial::PolynomialError;

/// A plan: the steps that compute an expression, or several, in order.
pub struct Plan {
    pub(super) parameters: Parameters,
    pub(super) steps: Vec<Step>,
    /// The step of each expression's value.
    pub(super) results: Vec<usize>,
    pub(super) inputs: BTreeMap<String, Input>,
    pub(super) matrices: MatrixBudget,
    is_least: bool,
    depth: usize,
    digest: OnceLock<[u8; 32]>,
}

/// What a plan's levels are to be.
#[derive(Clone, Copy)]
enum Aim {
    /// As high as they can be.
    HighResult,
    /// As low as will do for a result of this level.
    LowSteps { result: usize },
}

impl Aim {
    fn levels(self, nodes: &[Node], after: &[bool], highest: usize) -> Levels {
        match self {
            Self::LowSteps { result } => {
                low_levels::levels(nodes, after, Limits { highest, result })
            }
            Self::HighResult => {
                let levels = placement::levels(nodes, after, highest).into_iter();
                let of = levels.map(|level| level.max(0) as usize).collect();
                Levels { of, from: vec![None; nodes.len()] }
            }
        }
    }
}

/// How much of the matrices is kept.
pub(super) struct MatrixBudget {
    most: usize,
    bytes: AtomicUsize,
}

impl MatrixBudget {
    fn at_most(most: usize) -> Self {
        Self { most, bytes: AtomicUsize::new(0) }
    }

    /// Whether there is room for so many bytes, which are then taken.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let after = |kept: usize| kept.checked_add(bytes).filter(|after| *after <= self.most);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).is_ok()
    }

    /// Gives room back.
    pub(super) fn give(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// An operation on ciphertexts.
#[derive(Clone)]
pub struct Step {
    pub(super) operation: Operation,
    pub(super) operands: Vec<usize>,
    pub(super) label: Option<Arc<str>>,
    pub(super) level: usize,
    pub(super) length: usize,
    pub(super) estimate: Estimate,
    /// The level that operands are brought down to before it, where that is said.
    pub(super) from: Option<usize>,
    /// The keys of a matrix's rotations.
    pub(super) keys: RotationKeys,
    /// The transform, or those of a row of blocks.
    pub(super) transforms: Vec<Transform>,
}

impl Plan {
    /// Plans an expression for inputs by name. Where levels do not suffice and the parameters have
    /// those of a bootstrap, values are bootstrapped in between: as few as are found, by a search
    /// that is exhaustive for all but large circuits ([`is_least`](Self::is_least)).
    ///
    /// A value is bootstrapped for all that is made of it. Those whose estimate exceeds 4 are
    /// divided before, at level 1 or above, and multiplied after, as
    /// [`crate::Bootstrapper::bootstrap_within`] does; [`Expression::bounded`] tells where they are
    /// smaller than they could be.
    ///
    /// # Errors
    /// [`CircuitError`] for an input that is not described, for vectors of different lengths,
    /// functions that are none, and where levels do not suffice.
    pub fn new(
        expression: &Expression,
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
    ) -> Result<Self, CircuitError> {
        Self::of_all(std::slice::from_ref(expression), parameters, inputs)
    }

    /// [`Self::new`] within an allowance of work, for the expressions of strangers.
    ///
    /// # Errors
    /// As [`Self::new`], [`PolynomialError::TooMuch`] within where the functions take more, and
    /// [`PolynomialError::Stopped`] where nobody wants the plan any more.
    pub fn within(
        expression: &Expression,
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
        allowance: &Allowance,
    ) -> Result<Self, CircuitError> {
        let expressions = std::slice::from_ref(expression);
        Self::placed(expressions, parameters, inputs, Aim::HighResult, allowance)
    }

    /// Plans several expressions together: what they have in common is computed once.
    ///
    /// # Errors
    /// As [`Self::new`], and [`CircuitError::NothingEncrypted`] for none.
    pub fn of_all(
        expressions: &[Expression],
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
    ) -> Result<Self, CircuitError> {
        Self::placed(expressions, parameters, inputs, Aim::HighResult, &Allowance::unlimited())
    }

    /// The same for results that need no higher level than `result`. Steps that take keys are at the
    /// lowest levels that do, to which their operands are brought down, and inputs are planned for no
    /// higher ones. Matrices at level 1 have [keys of their
    /// own](crate::keys::KeyUse::LowAutomorphism). Of as many bootstraps, such are taken as let the steps
    /// with most keys be low: behind a matrix, and not before it. So keys and matrices take less memory,
    /// and time.
    ///
    /// Values outside of their bounds, which have room at a high level, are folded back at a low one.
    ///
    /// # Errors
    /// As [`Self::of_all`].
    pub fn at_low_levels(
        expressions: &[Expression],
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
        result: usize,
    ) -> Result<Self, CircuitError> {
        let aim = Aim::LowSteps { result };
        Self::placed(expressions, parameters, inputs, aim, &Allowance::unlimited())
    }

    fn placed(
        expressions: &[Expression],
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
        aim: Aim,
        allowance: &Allowance,
    ) -> Result<Self, CircuitError> {
        // Levels above are a bootstrap's own.
        let highest = parameters.fresh_level();
        let lowered = |input: &Input| Input { level: input.level.min(highest), ..*input };
        let mut inputs: BTreeMap<String, Input> =
            inputs.iter().map(|(name, input)| (name.clone(), lowered(input))).collect();
        let (graph, results) =
            steps_of(expressions, &inputs, parameters.default_bound(), allowance)?;
        let can_bootstrap = parameters.bootstrap().is_some();
        let length = |step: &GraphStep| {
            step.operands.first().map_or(step.length, |operand| graph[*operand].length)
        };
        let node = |step| node(step, parameters, &inputs, can_bootstrap, length(step));
        let nodes: Vec<Node> = graph.iter().map(node).collect();
        let placement = match aim {
            Aim::HighResult => placement::place(&nodes, highest),
            Aim::LowSteps { result } => low_levels::place(&nodes, Limits { highest, result }),
        };
        let placement = match placement {
            Ok(placement) => placement,
            Err(stuck) => {
                let step = &graph[stuck.at];
                let (got, needed) = (stuck.level, step.cost);
                let reason = match can_bootstrap {
                    false => EvaluationError::Level { what: "this", got, needed }.into(),
                    true if needed > highest => CircuitError::Deep { needed, highest },
                    true => CircuitError::Large,
                };
                return Err(CircuitError::at(step.called(stuck.at + 1), reason));
            }
        };
        let depth = depth(&nodes);
        let is_least = placement.is_least;
        let levels = aim.levels(&nodes, &placement.after, highest);
        let (mut steps, places) = assemble(graph, levels, &placement, highest);
        if matches!(aim, Aim::LowSteps { .. }) && Gadget::low(parameters).is_some() {
            for step in steps.iter_mut().filter(|step| step.is_low_matrix()) {
                step.keys = RotationKeys::Low;
            }
        }
        share_transforms(&mut steps);
        let results = results.into_iter().map(|result| places[result]).collect();
        check_rooms(&steps, parameters)?;
        for step in &steps {
            if let Operation::Input(name) = &step.operation {
                inputs.entry(name.to_string()).and_modify(|input| input.level = step.level);
            }
        }
        let is_used = |name: &String| {
            steps.iter().any(
                |step: &Step| matches!(&step.operation, Operation::Input(of) if **of == **name),
            )
        };
        let inputs = inputs.into_iter().filter(|(name, _)| is_used(name)).collect();
        let (parameters, matrices) = (parameters.clone(), MatrixBudget::at_most(usize::MAX));
        let digest = OnceLock::new();
        Ok(Self { parameters, steps, results, inputs, matrices, is_least, depth, digest })
    }

    /// The steps. Of one expression the last one's value is the expression's.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The step of each expression's value, a place in [`Self::steps`].
    pub fn results(&self) -> &[usize] {
        &self.results
    }

    /// The inputs that the expressions have, as they were described; of [`Self::at_low_levels`] with the
    /// levels that they must have.
    pub fn inputs(&self) -> &BTreeMap<String, Input> {
        &self.inputs
    }

    /// The parameters of the plan.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The levels that the longest path takes from an input, or from a bootstrap that is asked for,
    /// to a result: as many as the inputs must have for none to be put in.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The number of bootstraps.
    pub fn bootstraps(&self) -> usize {
        self.steps.iter().filter(|step| step.is_bootstrap()).count()
    }

    /// Whether the number of bootstraps is known to be minimal, not counting requested ones.
    pub fn is_least(&self) -> bool {
        self.is_least
    }

    /// The level of the lowest result.
    pub fn level(&self) -> usize {
        let levels = self.results.iter().map(|result| self.steps[*result].level);
        levels.min().unwrap_or(0)
    }

    /// The operations that need keys: each rotation, and bootstraps of each number of slots, have
    /// separate keys.
    pub fn operations(&self) -> Operations {
        self.operations_of(&self.steps)
    }

    /// Those of some of the steps.
    fn operations_of<'s>(&self, steps: impl IntoIterator<Item = &'s Step>) -> Operations {
        let mut operations = Operations::default();
        let (mut rotations, mut low_rotations) = (BTreeSet::new(), BTreeSet::new());
        let mut bootstrap_slots = BTreeSet::new();
        for step in steps {
            let slots = self.operand_length(step).next_power_of_two();
            for need in self.needs(step) {
                match need {
                    Need::Multiply => operations.multiply = true,
                    Need::Conjugate => operations.conjugate = true,
                    Need::Bootstrap if slots == self.parameters.slots() => {
                        operations.bootstrap = true;
                    }
                    Need::Bootstrap => {
                        bootstrap_slots.insert(slots);
                    }
                    Need::Rotation(by) => {
                        rotations.insert(by.rem_euclid(slots as i64));
                    }
                    Need::Exactly(by) => {
                        rotations.insert(by);
                    }
                    Need::Low(by) => {
                        low_rotations.insert(by);
                    }
                }
            }
        }
        operations.bootstrap_slots = bootstrap_slots.into_iter().collect();
        operations.rotations = rotations.into_iter().filter(|by| *by != 0).collect();
        operations.low_rotations = low_rotations.into_iter().filter(|by| *by != 0).collect();
        operations
    }

    /// The keys of [`Self::operations`], each with the highest level that it is used at: rotations
    /// of low levels have small keys.
    ///
    /// `few_keys` is that of [`Operations`]. Inputs must have the planned levels, and no higher ones.
    pub fn keys_by_level(&self, few_keys: bool) -> BTreeMap<KeyUse, usize> {
        let Operations { bootstrap, bootstrap_slots, .. } = self.operations();
        let bootstraps = Operations { bootstrap, bootstrap_slots, few_keys, ..Default::default() };
        let mut keys = bootstraps.keys(&self.parameters);
        for step in &self.steps {
            let levels = step.operands.iter().map(|operand| self.steps[*operand].level);
            let level = step.from.or(levels.max()).unwrap_or(step.level);
            let others = Operations {
                bootstrap: false,
                bootstrap_slots: Vec::new(),
                ..self.operations_of([step])
            };
            for (of, level) in others.keys_to_level(&self.parameters, level) {
                let highest = keys.entry(of).or_default();
                *highest = level.max(*highest);
            }
        }
        keys
    }

    /// How many bytes of matrices are kept for further runs, at most: each is encoded when it is
    /// first applied, and those that find no room are encoded in each run. Without this all are kept.
    #[must_use]
    pub fn keeping_matrices(self, bytes: usize) -> Self {
        Self { matrices: MatrixBudget::at_most(bytes), ..self }
    }

    /// The bytes of matrices that are kept now.
    pub fn matrix_bytes(&self) -> usize {
        self.matrices.bytes.load(Ordering::Relaxed)
    }

    /// The same plan for parameters without arithmetic; its matrices are not encoded yet.
    pub(crate) fn to_dry(&self, parameters: &Parameters) -> Self {
        let mut steps = self.steps.clone();
        share_transforms(&mut steps);
        let (inputs, is_least, depth) = (self.inputs.clone(), self.is_least, self.depth);
        let results = self.results.clone();
        let (parameters, matrices) =
            (parameters.clone(), MatrixBudget::at_most(self.matrices.most));
        let digest = OnceLock::new();
        Self { parameters, steps, results, inputs, matrices, is_least, depth, digest }
    }

    /// What tells the plan from others, with all numbers in it.
    pub(super) fn digest(&self) -> [u8; 32] {
        *self.digest.get_or_init(|| {
            let mut digest = Digest::new(self.parameters.hash().as_bytes());
            for step in &self.steps {
                let Step { operation, operands, level, length, estimate, from, keys, .. } = step;
                digest.step(operation, &(operands, level, length, estimate, from, keys));
            }
            digest.results(&self.results);
            digest.end()
        })
    }

    /// The keys that a step needs.
    pub(super) fn needs(&self, step: &Step) -> Vec<Need> {
        let needs = match &step.operation {
            Operation::Multiply => vec![Need::Multiply],
            Operation::Unary(of) => of.needs(self.operand_length(step)),
            Operation::Blocks { matrix, row } => {
                matrix.rotations(*row).into_iter().map(Need::Exactly).collect()
            }
            _ => Vec::new(),
        };
        let of_keys = |need: Need| match (need, step.keys) {
            (Need::Exactly(by), RotationKeys::Low) => Need::Low(by),
            (need, _) => need,
        };
        needs.into_iter().map(of_keys).collect()
    }

    /// The distinct matrices that the steps take, those of different levels counted as different ones:
    /// each is encoded once where [`Self::keeping_matrices`] has room for it.
    pub fn matrices(&self) -> usize {
        distinct(self.steps.iter().map(|step| (&step.operation, &step.transforms[..])))
    }

    /// The level of what a step works on.
    pub(super) fn working_level(&self, step: &Step) -> usize {
        working_level(&self.steps, step)
    }

    /// How many values a step's first operand has.
    pub(super) fn operand_length(&self, step: &Step) -> usize {
        step.operands.first().map_or(step.length, |operand| self.steps[*operand].length)
    }
}

impl Step {
    /// Whether it is a matrix at the level of keys with few primes.
    fn is_low_matrix(&self) -> bool {
        let is_matrix = matches!(
            self.operation,
            Operation::Blocks { .. } | Operation::Unary(Unary::Transform(_))
        );
        is_matrix && self.from == Some(LOW_LEVEL)
    }

    /// The operation in words.
    pub fn description(&self) -> String {
        match &self.operation {
            Operation::Input(name) => format!("input {name}"),
            Operation::Unary(of) => of.description(),
            Operation::Blocks { matrix, row } => {
                let blocks: Vec<_> = matrix.rows()[*row].iter().flatten().collect();
                let diagonals: usize = blocks.iter().map(|block| block.steps().count()).sum();
                let name = self.operation.name();
                format!("{name} of {} blocks, {diagonals} diagonals", blocks.len())
            }
            Operation::MultiplyInteger { integer, is_imaginary } => {
                format!(
                    "{} {integer}{}",
                    self.operation.name(),
                    if *is_imaginary { "i" } else { "" }
                )
            }
            operation => operation.name().to_owned(),
        }
    }

    /// The operands: places in [`Plan::steps`].
    pub fn operands(&self) -> &[usize] {
        &self.operands
    }

    /// The label from [`Expression::labeled`].
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The level of the result.
    pub fn level(&self) -> usize {
        self.level
    }

    /// The number of values of the result.
    pub fn length(&self) -> usize {
        self.length
    }

    /// The largest absolute value that the result may have.
    pub fn magnitude(&self) -> f64 {
        self.estimate.magnitude()
    }

    /// The bound of the result's values.
    pub fn bound(&self) -> Bound {
        self.estimate.bound
    }

    /// Whether it is a bootstrap.
    pub fn is_bootstrap(&self) -> bool {
        self.operation == Operation::Unary(Unary::Bootstrap)
    }

    /// What errors call it, which stands in some place, counted from 1.
    pub(super) fn called(&self, place: usize) -> String {
        called(&self.operation, self.label.as_ref(), place)
    }
}

impl GraphStep {
    fn called(&self, place: usize) -> String {
        called(&self.operation, self.label.as_ref(), place)
    }
}

fn called(operation: &Operation, label: Option<&Arc<str>>, place: usize) -> String {
    match label {
        Some(label) => label.to_string(),
        None => format!("step {place}, {}", operation.name()),
    }
}

impl Operation {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Input(_) => "input",
            Self::Add => "sum",
            Self::Subtract => "difference",
            Self::Multiply => "product",
            Self::AddPlain(values) if values.is_number() => "sum with a number",
            Self::AddPlain(_) => "sum with a vector",
            Self::MultiplyPlain(values) if values.is_number() => "product with a number",
            Self::MultiplyPlain(_) => "product with a vector",
            Self::MultiplyInteger { .. } => "product with",
            Self::Unary(of) => of.name(),
            Self::Blocks { .. } => "linear transform",
        }
    }
}

/// A step as the placement of bootstraps sees it.
fn node(
    step: &GraphStep,
    parameters: &Parameters,
    inputs: &BTreeMap<String, Input>,
    can_bootstrap: bool,
    operand_length: usize,
) -> Node {
    let start = match &step.operation {
        Operation::Input(name) => inputs.get(&**name).map(|input| input.level),
        Operation::Unary(Unary::Bootstrap) => Some(parameters.fresh_level()),
        _ => None,
    };
    let magnitude = step.estimate.magnitude();
    let bits = scaling_bits(magnitude);
    // Larger values are divided on the way down from level 1.
    let least = usize::from(bits > 0);
    let is_bootstrap = step.operation == Operation::Unary(Unary::Bootstrap);
    let cost = if is_bootstrap { least } else { step.cost };
    let can = can_bootstrap && is_small_enough(magnitude);
    let keys = match &step.operation {
        _ if is_bootstrap => 0,
        Operation::Multiply => 1,
        Operation::Unary(of) => of.needs(operand_length).len(),
        Operation::Blocks { matrix, row } => matrix.rotations(*row).len(),
        _ => 0,
    };
    let has_room = |level: &usize| {
        let scale = parameters.level(*level).scale;
        check_room(parameters, *level, scale, step.estimate.bound).is_ok()
    };
    let highest = parameters.fresh_level();
    let room = (0..highest).find(has_room).unwrap_or(highest);
    let is_joint =
        matches!(step.operation, Operation::Unary(Unary::Rotate(_)) | Operation::Blocks { .. });
    let operands = step.operands.clone();
    Node { operands, cost, start, can, least, bits, keys, room, is_joint }
}

/// The levels of the longest path.
fn depth(nodes: &[Node]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let before = node.operands.iter().map(|operand| depths[*operand]).max().unwrap_or(0);
        depths.push(if node.start.is_some() { 0 } else { before + node.cost });
    }
    depths.into_iter().max().unwrap_or(0)
}

/// The steps with bootstraps between them, and where the value of each step of the graph is then.
fn assemble(
    graph: Vec<GraphStep>,
    levels: Levels,
    placement: &Placement,
    highest: usize,
) -> (Vec<Step>, Vec<usize>) {
    let levels = levels.of.into_iter().zip(levels.from);
    let mut places = Vec::with_capacity(graph.len());
    let mut steps: Vec<Step> = Vec::new();
    for ((step, (level, from)), after) in graph.into_iter().zip(levels).zip(&placement.after) {
        let GraphStep { operation, operands, label, length, estimate, .. } = step;
        let operands = operands.iter().map(|operand| places[*operand]).collect();
        let transforms = Vec::new();
        let keys = RotationKeys::Usual;
        steps.push(Step {
            operation,
            operands,
            label,
            level,
            length,
            estimate,
            from,
            keys,
            transforms,
        });
        if *after {
            steps.push(Step {
                operation: Operation::Unary(Unary::Bootstrap),
                operands: vec![steps.len() - 1],
                label: None,
                level: highest,
                length,
                estimate,
                from: None,
                keys: RotationKeys::Usual,
                transforms: Vec::new(),
            });
        }
        places.push(steps.len() - 1);
    }
    (steps, places)
}

/// Gives steps room for the transforms that they take.
fn share_transforms(steps: &mut [Step]) {
    let levels = steps.iter().map(|step| (&step.operation, working_level(steps, step)));
    let transforms = shared(levels);
    steps.iter_mut().zip(transforms).for_each(|(step, of)| step.transforms = of);
}

/// The level of what a step works on.
fn working_level(steps: &[Step], step: &Step) -> usize {
    let operands = step.operands.iter().map(|operand| steps[*operand].level);
    step.from.or(operands.min()).unwrap_or(step.level)
}

/// That each step's level has room for its values, and for those that it is made of.
fn check_rooms(steps: &[Step], parameters: &Parameters) -> Result<(), CircuitError> {
    for (place, step) in steps.iter().enumerate() {
        let operands = step.operands.iter().map(|operand| &steps[*operand]);
        // Operands are brought to the level of the lowest.
        let lowest = step.from.or(operands.clone().map(|operand| operand.level).min());
        let bootstrapped = if step.is_bootstrap() { None } else { lowest };
        let all = operands.filter_map(|operand| Some((bootstrapped?, operand.estimate.bound)));
        for (level, bound) in all.chain([(step.level, step.estimate.bound)]) {
            let scale = parameters.level(level).scale;
            check_room(parameters, level, scale, bound)
                .map_err(|reason| CircuitError::at(step.called(place + 1), reason))?;
        }
    }
    Ok(())
}
