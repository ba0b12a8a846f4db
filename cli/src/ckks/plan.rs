// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The plan of an expression, or why it has none, with columns of the text.

use std::collections::BTreeMap;

use halimede_ckks::circuit::{CircuitError, Input, Step as PlanStep};
use halimede_ckks::{EvaluationError, Parameters, Plan};
use serde_json::{json, Value};

use super::messages::circuit_text;
use super::{bad_input, bound_json, bound_text};
use crate::error::CommandError;
use halimede_ckks::circuit::text::{expression_of, Action, ExpressionError, Step};

/// The plan of an expression for inputs by name, functions within an error.
pub fn plan_of(
    steps: &[Step],
    error: f64,
    parameters: &Parameters,
    inputs: &BTreeMap<String, Input>,
) -> Result<Plan, CommandError> {
    let expression = expression_of(steps, error).map_err(bad_input)?;
    Plan::new(&expression, parameters, inputs).map_err(|reason| {
        let plan = |part: &[Step]| {
            let part = expression_of(part, error).ok()?;
            Some(Plan::new(&part, parameters, inputs))
        };
        match in_power(steps, plan) {
            Some(power) => bad_input(power),
            None => bad_input(circuit_text(&reason)),
        }
    })
}

/// Why a power cannot be computed, where it is one of which all that stands before can: its own
/// steps have no columns.
fn in_power(
    steps: &[Step],
    plan: impl Fn(&[Step]) -> Option<Result<Plan, CircuitError>>,
) -> Option<ExpressionError> {
    steps.iter().enumerate().find_map(|(place, Step { action, column })| {
        let Action::Power(n) = action else { return None };
        // What stands before a power ends with its base.
        let base = plan(&steps[..place])?.ok()?;
        let mut error = plan(&steps[..=place])?.err()?;
        while let CircuitError::Step { reason, .. } = error {
            error = *reason;
        }
        let reason = match error {
            CircuitError::Evaluation(EvaluationError::Level { .. }) => {
                let (levels, left) = (u32::BITS - (n - 1).leading_zeros(), base.level());
                let plural = if levels == 1 { "" } else { "s" };
                format!(
                    "a power by {n} takes {levels} level{plural}, and what it is of has {left} \
                     left: take parameters with more levels, or a lower power"
                )
            }
            other => circuit_text(&other),
        };
        Some(ExpressionError { column: *column, reason })
    })
}

/// A plan with its inputs and its result. Nothing in it depends on values, but for what was
/// declared of them.
pub fn plan_text(plan: &Plan) -> String {
    let input = |(name, input): (&String, &Input)| {
        let Input { length, level, estimate } = input;
        format!(
            "input       {name}: {length} values at level {level}, {}\n",
            bound_text(estimate.bound)
        )
    };
    let result = plan.steps().last().map(|step| {
        let (length, level) = (step.length(), step.level());
        format!("\nresult      {length} values at level {level}, {}", bound_text(step.bound()))
    });
    let inputs: String = plan.inputs().iter().map(input).collect();
    format!("{inputs}{plan}{}", result.unwrap_or_default())
}

/// The same for programs.
pub fn plan_json(plan: &Plan) -> Value {
    let input = |(name, input): (&String, &Input)| {
        let Input { length, level, estimate } = input;
        let bound = bound_json(estimate.bound);
        (name.clone(), json!({ "length": length, "level": level, "bound": bound }))
    };
    let step = |step: &PlanStep| {
        json!({
            "operation": step.description(), "operands": step.operands(), "level": step.level(),
            "length": step.length(), "bound": bound_json(step.bound()), "label": step.label(),
        })
    };
    let operations = plan.operations();
    json!({
        "inputs": plan.inputs().iter().map(input).collect::<serde_json::Map<_, _>>(),
        "steps": plan.steps().iter().map(step).collect::<Vec<_>>(), "depth": plan.depth(),
        "level": plan.level(), "bootstraps": plan.bootstraps(),
        "bootstraps_are_least": plan.is_least(),
        "keys": {
            "multiply": operations.multiply, "conjugate": operations.conjugate,
            "rotations": operations.rotations, "bootstrap": operations.bootstrap,
            "bootstrap_slots": operations.bootstrap_slots,
        },
    })
}
