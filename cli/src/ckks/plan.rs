// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plans expressions; errors give the column of the text.

use std::collections::BTreeMap;

use halimede_ckks::circuit::{CircuitError, Input, Step as PlanStep};
use halimede_ckks::{EvaluationError, Parameters, Plan};
use serde_json::{json, Value};

use super::describe::{bound_json, bound_text};
use super::messages::{bad_input, circuit_text};
use crate::error::CommandError;
use halimede_ckks::circuit::text::{expression_of, Action, ExpressionError, Step};

/// Plans an expression for named inputs. Polynomials differ from their functions by at most
/// `error`.
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

/// Finds the first power that cannot be planned although its base can, and explains why: the error
/// of a step inside a power has no column.
fn in_power(
    steps: &[Step],
    plan: impl Fn(&[Step]) -> Option<Result<Plan, CircuitError>>,
) -> Option<ExpressionError> {
    steps.iter().enumerate().find_map(|(place, Step { action, column })| {
        let Action::Power(n) = action else { return None };
        // The steps before a power end with its base.
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
                    "a power by {n} consumes {levels} level{plural}, and its base has {left} left: \
                     use parameters with more levels, or a lower power"
                )
            }
            other => circuit_text(&other),
        };
        Some(ExpressionError { column: *column, reason })
    })
}

/// Describes a plan with its inputs and its result. It depends on the declared bounds, not on the
/// values.
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

/// Describes a plan as JSON.
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
