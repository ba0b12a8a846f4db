// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The steps of a computation, with their levels, keys and bootstraps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;

use super::digest::Digest;
use super::error::CircuitError;
use super::expression::Expression;
use super::graph::{steps_of, GraphStep, Operation};
use super::input::Input;
use super::low_levels::{self, Levels, Limits};
use super::placement::{self, Node, Placement};
use super::step::Step;
use super::transforms::{distinct, shared};
use super::unary::{Need, Unary};
use crate::bootstrap::{is_small_enough, scaling_bits};
use crate::evaluator::{check_room, EvaluationError};
use crate::keys::{Gadget, KeyUse, RotationKeys};
use crate::operations::Operations;
use crate::params::Parameters;
use crate::polynomial::Allowance;
#[cfg(doc)]
use crate::polynomial::PolynomialError;

/// A plan: the steps that compute one or several expressions, in order.
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

/// The aim for a plan's levels.
#[derive(Clone, Copy)]
enum Aim {
    /// The highest possible levels.
    HighResult,
    /// The lowest levels that suffice for a result of this level.
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

/// The memory of the matrices that are kept.
pub(super) struct MatrixBudget {
    most: usize,
    bytes: AtomicUsize,
}

impl MatrixBudget {
    fn at_most(most: usize) -> Self {
        Self { most, bytes: AtomicUsize::new(0) }
    }

    /// Reserves room for this number of bytes. Returns `false` if there is not enough room.
    pub(super) fn take(&self, bytes: usize) -> bool {
        let after = |kept: usize| kept.checked_add(bytes).filter(|after| *after <= self.most);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, after).is_ok()
    }

    /// Releases room.
    pub(super) fn give(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Plan {
    /// Plans an expression for inputs by name. If levels do not suffice and the parameters have
    /// levels for a bootstrap, values are bootstrapped in between. A search keeps the number of
    /// bootstraps small; it is exhaustive except for large circuits ([`is_least`](Self::is_least)).
    ///
    /// A bootstrapped value serves all its users. Values whose estimate exceeds 4 are divided
    /// before the bootstrap, at level 1 or above, and multiplied after it, as in
    /// [`crate::Bootstrapper::bootstrap_within`]. [`Expression::bounded`] declares that values are
    /// smaller than estimated.
    ///
    /// # Errors
    /// [`CircuitError`] for an input without a description, for vectors of different lengths, for
    /// invalid functions, and if levels do not suffice.
    pub fn new(
        expression: &Expression,
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
    ) -> Result<Self, CircuitError> {
        Self::of_all(std::slice::from_ref(expression), parameters, inputs)
    }

    /// As [`Self::new`] within an allowance of work, for untrusted expressions.
    ///
    /// # Errors
    /// As [`Self::new`], with [`PolynomialError::TooMuch`] inside if the functions need more work,
    /// and [`PolynomialError::Stopped`] if the plan is no longer needed.
    pub fn within(
        expression: &Expression,
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
        allowance: &Allowance,
    ) -> Result<Self, CircuitError> {
        let expressions = std::slice::from_ref(expression);
        Self::placed(expressions, parameters, inputs, Aim::HighResult, allowance)
    }

    /// Plans several expressions together: shared parts are computed once.
    ///
    /// # Errors
    /// As [`Self::new`], and [`CircuitError::NothingEncrypted`] for an empty list.
    pub fn of_all(
        expressions: &[Expression],
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
    ) -> Result<Self, CircuitError> {
        Self::placed(expressions, parameters, inputs, Aim::HighResult, &Allowance::unlimited())
    }

    /// As [`Self::of_all`], for results that need no higher level than `result`. Steps that need
    /// keys run at the lowest sufficient levels, to which their operands are brought down, and
    /// inputs are planned for no higher levels. Matrices at level 1 have [separate
    /// keys](crate::keys::KeyUse::LowAutomorphism). Of placements with equally few bootstraps, one
    /// is chosen that keeps the steps with most keys low: bootstraps come after a matrix, not
    /// before it. Keys and matrices therefore need less memory and time.
    ///
    /// Values outside of their bounds, which have room at a high level, wrap around at a low one.
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
        // Levels above are only for bootstraps.
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

    /// Returns the steps. With one expression, the last step computes its value.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Returns the step of each expression's value, as a place in [`Self::steps`].
    pub fn results(&self) -> &[usize] {
        &self.results
    }

    /// Returns the inputs of the expressions, as described. For [`Self::at_low_levels`] they have
    /// the levels that are needed.
    pub fn inputs(&self) -> &BTreeMap<String, Input> {
        &self.inputs
    }

    /// Returns the parameters of the plan.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the number of levels of the longest path from an input, or from a requested
    /// bootstrap, to a result. Inputs of this level need no further bootstraps.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Returns the number of bootstraps.
    pub fn bootstraps(&self) -> usize {
        self.steps.iter().filter(|step| step.is_bootstrap()).count()
    }

    /// Returns `true` if the number of bootstraps is known to be minimal, not counting requested
    /// ones.
    pub fn is_least(&self) -> bool {
        self.is_least
    }

    /// Returns the level of the lowest result.
    pub fn level(&self) -> usize {
        let levels = self.results.iter().map(|result| self.steps[*result].level);
        levels.min().unwrap_or(0)
    }

    /// Returns the operations that need keys: each rotation, and bootstraps of each number of
    /// slots, have separate keys.
    pub fn operations(&self) -> Operations {
        self.operations_of(&self.steps)
    }

    /// Returns the operations of some of the steps that need keys.
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

    /// Returns the keys of [`Self::operations`], each with the highest level at which it is used:
    /// rotations at low levels have small keys.
    ///
    /// `few_keys` is that of [`Operations`]. Inputs must have exactly the planned levels.
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

    /// Limits the memory of matrices that are kept for further runs. Each matrix is encoded when it
    /// is first applied; matrices without room are encoded in each run. By default all are kept.
    #[must_use]
    pub fn keeping_matrices(self, bytes: usize) -> Self {
        Self { matrices: MatrixBudget::at_most(bytes), ..self }
    }

    /// Returns the size in bytes of the matrices that are currently kept.
    pub fn matrix_bytes(&self) -> usize {
        self.matrices.bytes.load(Ordering::Relaxed)
    }

    /// Returns the same plan for parameters without arithmetic. Its matrices are not encoded yet.
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

    /// Returns the hash of the plan, including all its numbers.
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

    /// Returns the keys that a step needs.
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

    /// Returns the number of distinct matrices of the steps; a matrix at two levels counts twice.
    /// Each is encoded once if [`Self::keeping_matrices`] has room for it.
    pub fn matrices(&self) -> usize {
        distinct(self.steps.iter().map(|step| (&step.operation, &step.transforms[..])))
    }

    /// Returns the level at which a step works.
    pub(super) fn working_level(&self, step: &Step) -> usize {
        working_level(&self.steps, step)
    }

    /// Returns the number of values of a step's first operand.
    pub(super) fn operand_length(&self, step: &Step) -> usize {
        step.operands.first().map_or(step.length, |operand| self.steps[*operand].length)
    }
}

/// Returns a step as the placement of bootstraps sees it.
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

/// Returns the number of levels of the longest path.
fn depth(nodes: &[Node]) -> usize {
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let before = node.operands.iter().map(|operand| depths[*operand]).max().unwrap_or(0);
        depths.push(if node.start.is_some() { 0 } else { before + node.cost });
    }
    depths.into_iter().max().unwrap_or(0)
}

/// Returns the steps with bootstraps between them, and the new place of each step of the graph.
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

/// Assigns each step the shared transforms that it needs.
fn share_transforms(steps: &mut [Step]) {
    let levels = steps.iter().map(|step| (&step.operation, working_level(steps, step)));
    let transforms = shared(levels);
    steps.iter_mut().zip(transforms).for_each(|(step, of)| step.transforms = of);
}

/// Returns the level at which a step works.
fn working_level(steps: &[Step], step: &Step) -> usize {
    let operands = step.operands.iter().map(|operand| steps[*operand].level);
    step.from.or(operands.min()).unwrap_or(step.level)
}

/// Checks that each step's level has room for its values and its operands.
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
