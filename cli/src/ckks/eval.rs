// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks eval`: evaluates an expression on ciphertexts.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use halimede_ckks::circuit::Input;
use halimede_ckks::evaluator::conjugation_exponent;
use halimede_ckks::executor::{ProgramPlace, ProgramServer};
use halimede_ckks::files::expect_end;
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{
    Ciphertext, CircuitError, EvaluationError, EvaluationKeys, Parameters, Plan, Server,
};

use super::describe::{print, warn_insecure};
use super::messages::{bad_input, circuit_text, executor_error, of_file};
use super::open::{open_ciphertext, parameters_of, reader_and_parameters};
use super::plan::{plan_json, plan_of, plan_text};
use super::program::{self, Program};
use super::write::write_ciphertext;
use super::CommandError;
use crate::arguments::{EvalOptions, NamedFile};
use crate::devices::open;
use crate::files::open_file;
use crate::progress::steps_bar;
use halimede_ckks::circuit::text::{parse, Action, ExpressionError, Step};

pub fn run(options: &EvalOptions, json: bool) -> Result<(), CommandError> {
    let device = Arc::new(open(&options.device)?);
    let place = device.programs()?;
    let computation = Computation::read(options)?;
    let files = computation.ciphertexts(options)?;
    let first = files.first().map(|input| &input.path);
    let Some(described) = options.keys.as_ref().or(first) else {
        return Err(bad_input("no ciphertext is given: expected NAME=FILE"));
    };
    let parameters = parameters_of(described)?;
    warn_insecure(&parameters);
    let mut inputs: Vec<(&NamedFile, Ciphertext)> = Vec::new();
    for input in files {
        inputs.push((input, open_ciphertext(&input.path, &parameters)?));
    }
    check_owners(options.keys.as_deref(), &inputs, &parameters)?;
    let described: BTreeMap<String, Input> =
        inputs.iter().map(|(input, a)| (input.name.clone(), a.into())).collect();
    let plan = match &computation {
        Computation::Text(steps) => plan_of(steps, options.error, &parameters, &described)?,
        Computation::Program(program) => program.plan(&parameters, &described)?,
    };
    if options.plan {
        print(&plan_text(&plan), &plan_json(&plan), json)?;
    }
    let Some(keys) = &options.keys else { return Ok(()) };
    let server = server_for(&plan, keys)?;
    let Some(out) = options.out.as_ref().filter(|_| !options.plan) else { return Ok(()) };
    let bar = steps_bar(plan.steps().len() as u64);
    let given: Vec<(&str, &Ciphertext)> =
        inputs.iter().map(|(input, a)| (input.name.as_str(), a)).collect();
    let executor = place.executor(&parameters).map_err(executor_error)?;
    let server = ProgramServer::new(Arc::new(server), executor);
    let result = server.compute_plan(&plan, &given, |_| {
        bar.inc(1);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let result = result.map_err(executor_error)?;
    let files = options.inputs.iter().map(|input| input.path.as_path());
    let files: Vec<&Path> = files.chain([keys.as_path()]).collect();
    write_ciphertext(out, &files, &result, &parameters, json)
}

/// The computation: an expression, or a function of a program of MLIR.
enum Computation {
    Text(Vec<Step>),
    Program(Program),
}

impl Computation {
    fn read(options: &EvalOptions) -> Result<Self, CommandError> {
        if program::is_path(&options.expression) {
            return Program::read(options).map(Self::Program);
        }
        for (option, is_given) in
            [("--function", options.function.is_some()), ("--result", options.result.is_some())]
        {
            if is_given {
                return Err(bad_input(format!("{option} is for programs, files named *.mlir")));
            }
        }
        parse(&options.expression).map(Self::Text).map_err(bad_input)
    }

    /// Returns the files of the ciphertexts, after a check of all names.
    fn ciphertexts<'o>(
        &self,
        options: &'o EvalOptions,
    ) -> Result<Vec<&'o NamedFile>, CommandError> {
        match self {
            Self::Text(steps) => {
                check_names(steps, &options.inputs)?;
                Ok(options.inputs.iter().collect())
            }
            Self::Program(program) => Ok(program.ciphertexts(&options.inputs)),
        }
    }
}

/// Checks that all ciphertexts, and the evaluation keys if given, belong to the same secret key.
fn check_owners(
    keys: Option<&Path>,
    inputs: &[(&NamedFile, Ciphertext)],
    parameters: &Parameters,
) -> Result<(), CommandError> {
    let mut owners = Vec::new();
    if let Some(path) = keys {
        let (file, _) = open_file(path)?;
        let reader = reader_and_parameters(&file, path)?.0.keys(parameters);
        owners.push((path, reader.map_err(of_file(path))?.owner()));
    }
    owners.extend(inputs.iter().map(|(input, a)| (input.path.as_path(), a.owner())));
    let Some((first, ours)) = owners.first() else { return Ok(()) };
    match owners.iter().find(|(_, owner)| owner != ours) {
        None => Ok(()),
        Some((path, got)) => Err(bad_input(format!(
            "{} is under the secret key {got}, but {} belongs to {ours}: a computation needs \
             ciphertexts and keys of the same secret key",
            path.display(),
            first.display()
        ))),
    }
}

/// Checks that every name of the expression has a file, and that every file has its own name, which
/// is in the expression.
pub(super) fn check_names(steps: &[Step], inputs: &[NamedFile]) -> Result<(), CommandError> {
    let mut given = HashSet::new();
    for NamedFile { name, .. } in inputs {
        if !given.insert(name.as_str()) {
            return Err(bad_input(format!("two files have the name {name}")));
        }
    }
    for step in steps {
        let Action::Name(name) = &step.action else { continue };
        if !inputs.iter().any(|input| input.name == *name) {
            let reason = format!("unknown ciphertext {name}: give {name}=FILE");
            return Err(bad_input(ExpressionError { column: step.column, reason }));
        }
        given.remove(name.as_str());
    }
    match given.into_iter().min() {
        Some(name) => Err(bad_input(format!("{name} is not in the expression"))),
        None => Ok(()),
    }
}

/// Returns a server with those keys of a file that a plan needs. If a rotation has no key, all
/// rotation keys are loaded, and the rotation is composed of others.
fn server_for(plan: &Plan, path: &Path) -> Result<Server, CommandError> {
    let needed = plan.operations().keys(plan.parameters());
    let server = Server::new(load(path, plan.parameters(), |of| needed.contains_key(&of))?);
    match server.check_plan(plan) {
        Err(CircuitError::Evaluation(EvaluationError::Key { .. })) => {}
        checked => {
            return checked.map(|()| server).map_err(|error| bad_input(circuit_text(&error)))
        }
    }
    drop(server);
    let conjugation = KeyUse::Automorphism(conjugation_exponent(plan.parameters()));
    let may_turn = |of| matches!(of, KeyUse::Automorphism(_)) && of != conjugation;
    let is_wanted = |of| needed.contains_key(&of) || may_turn(of);
    let server = Server::new(load(path, plan.parameters(), is_wanted)?);
    server.check_plan(plan).map_err(|error| bad_input(circuit_text(&error)))?;
    Ok(server)
}

fn load(
    path: &Path,
    parameters: &Parameters,
    is_wanted: impl Fn(KeyUse) -> bool,
) -> Result<EvaluationKeys, CommandError> {
    let (file, _) = open_file(path)?;
    let (reader, _) = reader_and_parameters(&file, path)?;
    let mut keys = EvaluationKeys::new(parameters);
    for key in reader.keys(parameters).map_err(of_file(path))? {
        let (of, key) = key.map_err(of_file(path))?;
        if is_wanted(of) {
            keys.insert(of, key);
        }
    }
    expect_end(&file).map_err(of_file(path))?;
    Ok(keys)
}
