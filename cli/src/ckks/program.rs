// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of MLIR as the computation of `halimede ckks eval`.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use halimede_ckks::circuit::mlir::{Argument, ArgumentKind, MlirError, Module, MAX_BYTES};
use halimede_ckks::circuit::Input;
use halimede_ckks::{Expression, Operations, Parameters, Plan};

use super::messages::{bad_input, circuit_text};
use super::vectors::read_vector;
use crate::arguments::{EvalOptions, NamedFile};
use crate::error::CommandError;
use crate::files::read_limited;

/// A function of a program, and one of its results.
pub struct Program {
    path: String,
    arguments: Vec<Argument>,
    result: Expression,
}

/// Returns `true` if an expression is the name of a program. No expression ends like that.
pub fn is_path(expression: &str) -> bool {
    Path::new(expression).extension().is_some_and(|end| end.eq_ignore_ascii_case("mlir"))
}

/// Reads the text of a program.
pub fn read_text(path: &str) -> Result<String, CommandError> {
    let bytes = read_limited(Path::new(path), MAX_BYTES as u64)?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        bad_input(format!("{path}: byte {at} is not UTF-8 text"))
    })
}

/// Adds the path of a program to its error.
pub fn of_program(path: &str) -> impl Fn(MlirError) -> CommandError + '_ {
    move |error| bad_input(format!("{path}, {error}"))
}

impl Program {
    /// Reads the program, and the vectors of its unencrypted arguments.
    pub fn read(options: &EvalOptions) -> Result<Self, CommandError> {
        let path = &options.expression;
        let text = read_text(path)?;
        let module = Module::parse(&text).map_err(of_program(path))?;
        let function = module.function(options.function.as_deref()).map_err(of_program(path))?;
        let arguments = function.arguments().to_vec();
        check_names(path, &arguments, &options.inputs)?;
        let mut plain = BTreeMap::new();
        for NamedFile { name, path } in &options.inputs {
            if arguments.iter().any(|of| of.name == *name && of.kind == ArgumentKind::Plain) {
                plain.insert(name.clone(), real_vector(path)?);
            }
        }
        let mut results = function.results(&plain).map_err(of_program(path))?;
        let count = results.len();
        let index = match (options.result, count) {
            (None, 1) => 0,
            (Some(index), _) if index < count => index,
            _ => {
                return Err(bad_input(format!(
                    "{path}: the function has {count} results: give one with --result, from 0"
                )))
            }
        };
        Ok(Self { path: path.clone(), arguments, result: results.swap_remove(index) })
    }

    /// Returns the files of the encrypted arguments.
    pub fn ciphertexts<'o>(&self, inputs: &'o [NamedFile]) -> Vec<&'o NamedFile> {
        let is_encrypted = |name: &str| {
            self.arguments.iter().any(|of| of.name == name && of.kind == ArgumentKind::Encrypted)
        };
        inputs.iter().filter(|input| is_encrypted(&input.name)).collect()
    }

    /// Plans the result, for ciphertexts of the lengths that the types say.
    pub fn plan(
        &self,
        parameters: &Parameters,
        inputs: &BTreeMap<String, Input>,
    ) -> Result<Plan, CommandError> {
        for Argument { name, length, .. } in &self.arguments {
            let (Some(input), Some(length)) = (inputs.get(name), length) else { continue };
            if input.length != *length {
                return Err(bad_input(format!(
                    "the ciphertext {name} has {} values, but the type of %{name} in {} has {length}",
                    input.length, self.path
                )));
            }
        }
        Plan::new(&self.result, parameters, inputs)
            .map_err(|error| bad_input(format!("{}, {}", self.path, circuit_text(&error))))
    }
}

/// Returns the operations that each result of the only public function needs, for ciphertexts as
/// `each`, or of the lengths that the types say. Unencrypted arguments may be up to 1.
pub fn operations(
    path: &str,
    parameters: &Parameters,
    each: &Input,
) -> Result<Vec<Operations>, CommandError> {
    let text = read_text(path)?;
    let module = Module::parse(&text).map_err(of_program(path))?;
    let function = module.function(None).map_err(of_program(path))?;
    let (mut plain, mut inputs) = (BTreeMap::new(), BTreeMap::new());
    for Argument { name, kind, length } in function.arguments() {
        let length = length.unwrap_or(each.length);
        match kind {
            ArgumentKind::Plain => drop(plain.insert(name.clone(), vec![1.0; length])),
            _ => drop(inputs.insert(name.clone(), Input { length, ..*each })),
        }
    }
    let results = function.results(&plain).map_err(of_program(path))?;
    let needed = |result: &Expression| {
        let plan = Plan::new(result, parameters, &inputs);
        plan.map(|plan| plan.operations())
            .map_err(|error| bad_input(format!("{path}, {}", circuit_text(&error))))
    };
    results.iter().map(needed).collect()
}

/// Checks that every argument has one file, and that every file belongs to an argument.
fn check_names(
    path: &str,
    arguments: &[Argument],
    inputs: &[NamedFile],
) -> Result<(), CommandError> {
    let mut given = HashSet::new();
    for NamedFile { name, .. } in inputs {
        let found = arguments.iter().find(|argument| argument.name == *name);
        if !found.is_some_and(|argument| argument.kind != ArgumentKind::Key) {
            return Err(bad_input(format!("{path}: the function has no argument %{name} to give")));
        }
        if !given.insert(name.as_str()) {
            return Err(bad_input(format!("two files have the name {name}")));
        }
    }
    for Argument { name, kind, .. } in arguments {
        let wanted = match kind {
            ArgumentKind::Encrypted => "a ciphertext",
            ArgumentKind::Plain => "a vector as CSV or NPY",
            ArgumentKind::Key => continue,
        };
        if !given.contains(name.as_str()) {
            return Err(bad_input(format!("{path}: give {name}=FILE with {wanted}")));
        }
    }
    Ok(())
}

/// Reads a vector of real numbers.
fn real_vector(path: &Path) -> Result<Vec<f64>, CommandError> {
    let values = read_vector(path)?.values;
    match values.iter().all(|value| value.im == 0.0) {
        true => Ok(values.iter().map(|value| value.re).collect()),
        false => Err(bad_input(format!("{}: a program needs real numbers", path.display()))),
    }
}

/// Returns `true` if every result of the only public function can be lowered.
#[cfg(test)]
pub fn accepts(text: &str) -> bool {
    let results = Module::parse(text).and_then(|module| {
        let function = module.function(None)?;
        let values = |of: &Argument| (of.name.clone(), vec![0.5; of.length.unwrap_or(8)]);
        let plain = function.arguments().iter().map(values).collect();
        function.results(&plain).map(drop)
    });
    results.is_ok()
}
