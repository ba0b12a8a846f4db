// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks eval`: an expression over ciphertexts.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use halimede_ckks::circuit::Input;
use halimede_ckks::evaluator::conjugation_exponent;
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{Ciphertext, EvaluationError, EvaluationKeys, Parameters, Plan, Server};
use serde_json::{json, Value};

use super::expression::{expression_of, parse, Action, ExpressionError, Step};
use super::{bad_input, of_file, open_ciphertext, open_with_parameters, print, warn_insecure};
use super::{write_ciphertext, CommandError};
use crate::arguments::{EvalOptions, NamedFile};
use crate::progress::steps_bar;

pub fn run(options: &EvalOptions, json: bool) -> Result<(), CommandError> {
    let steps = parse(&options.expression).map_err(bad_input)?;
    check_names(&steps, &options.inputs)?;
    let expression = expression_of(&steps, options.error).map_err(bad_input)?;
    let first = options.inputs.first().map(|input| &input.path);
    let Some(described) = options.keys.as_ref().or(first) else {
        return Err(bad_input("there is no ciphertext: give NAME=FILE"));
    };
    let (_, parameters) = open_with_parameters(described)?;
    warn_insecure(&parameters);
    let mut inputs: Vec<(&str, Ciphertext)> = Vec::new();
    for NamedFile { name, path } in &options.inputs {
        inputs.push((name, open_ciphertext(path, &parameters)?));
    }
    let described: BTreeMap<String, Input> =
        inputs.iter().map(|(name, a)| ((*name).to_owned(), a.into())).collect();
    let plan = Plan::new(&expression, &parameters, &described).map_err(bad_input)?;
    if options.plan {
        print(&plan.to_string(), &plan_json(&plan), json)?;
    }
    let Some(keys) = &options.keys else { return Ok(()) };
    let server = server_for(&plan, keys)?;
    let Some(out) = options.out.as_ref().filter(|_| !options.plan) else { return Ok(()) };
    let bar = steps_bar(plan.steps().len() as u64);
    let given: Vec<(&str, &Ciphertext)> = inputs.iter().map(|(name, a)| (*name, a)).collect();
    let result = server.run_plan(&plan, &given, |_| bar.inc(1));
    bar.finish_and_clear();
    write_ciphertext(out, &result.map_err(bad_input)?, &parameters, json)
}

/// That each name of the expression is a file's, and each file's is in it, once.
fn check_names(steps: &[Step], inputs: &[NamedFile]) -> Result<(), CommandError> {
    let mut given = HashSet::new();
    for NamedFile { name, .. } in inputs {
        if !given.insert(name.as_str()) {
            return Err(bad_input(format!("there are two files called {name}")));
        }
    }
    for step in steps {
        let Action::Name(name) = &step.action else { continue };
        if !inputs.iter().any(|input| input.name == *name) {
            let reason = format!("there is no ciphertext called {name}: give {name}=FILE");
            return Err(bad_input(ExpressionError { column: step.column, reason }));
        }
        given.remove(name.as_str());
    }
    match given.into_iter().min() {
        Some(name) => Err(bad_input(format!("{name} does not stand in the expression"))),
        None => Ok(()),
    }
}

/// A server with the keys of a file that a plan needs: rotations are composed of all that there are, but
/// only where one has no key of its own.
fn server_for(plan: &Plan, path: &Path) -> Result<Server, CommandError> {
    let needed = plan.operations().keys(plan.parameters());
    let server = Server::new(load(path, plan.parameters(), |of| needed.contains_key(&of))?);
    match server.check_plan(plan) {
        Err(EvaluationError::Key { .. }) => {}
        checked => return checked.map(|()| server).map_err(bad_input),
    }
    drop(server);
    let conjugation = KeyUse::Automorphism(conjugation_exponent(plan.parameters()));
    let may_turn = |of| matches!(of, KeyUse::Automorphism(_)) && of != conjugation;
    let is_wanted = |of| needed.contains_key(&of) || may_turn(of);
    let server = Server::new(load(path, plan.parameters(), is_wanted)?);
    server.check_plan(plan).map_err(bad_input)?;
    Ok(server)
}

fn load(
    path: &Path,
    parameters: &Parameters,
    is_wanted: impl Fn(KeyUse) -> bool,
) -> Result<EvaluationKeys, CommandError> {
    let (reader, _) = open_with_parameters(path)?;
    let mut keys = EvaluationKeys::new(parameters);
    for key in reader.keys(parameters).map_err(of_file(path))? {
        let (of, key) = key.map_err(of_file(path))?;
        if is_wanted(of) {
            keys.insert(of, key);
        }
    }
    Ok(keys)
}

/// A plan for programs.
fn plan_json(plan: &Plan) -> Value {
    let step = |step: &halimede_ckks::circuit::Step| {
        json!({
            "operation": step.description(), "operands": step.operands(), "level": step.level(),
            "slots": step.slots(), "magnitude": step.magnitude(), "label": step.label(),
        })
    };
    let operations = plan.operations();
    json!({
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
