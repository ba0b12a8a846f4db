// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks trace`: the program of an operation on ciphertexts.

use std::io::BufWriter;
use std::path::Path;

use halimede_ckks::ring::Program;
use halimede_ckks::{CircuitError, DryServer, Operations, Parameters};
use serde_json::json;

use super::messages::NO_BOOTSTRAP;
use super::{bad_input, check_slots, print, warn_insecure};
use crate::arguments::{ProgramOptions, TraceOptions, TracedOperation};
use crate::error::CommandError;
use crate::files::{create, write_error};

/// Records the program without arithmetic, by keys that are not made.
pub fn run(options: &TraceOptions, json: bool) -> Result<(), CommandError> {
    let Recorded { parameters, level, program } = recorded(&options.program)?;
    if let Some(path) = &options.out {
        write(&program, path)?;
    }
    let notes = program.notes.iter().map(|note| format!("step {}: {}", note.step, note.text));
    let notes: Vec<String> = notes.collect();
    let (name, operation) = (parameters.name(), options.program.operation.name());
    let count = program.steps.len();
    let object = json!({
        "parameters": name, "operation": operation, "level": level, "steps": count,
        "counts": program.counts(), "notes": notes,
        "file": options.out.as_ref().map(|path| path.display().to_string()),
    });
    let counts = program.counts().to_string();
    let notes = notes.iter().map(|note| format!("\n{note}")).collect::<String>();
    let text = format!("{operation} with {name} at level {level}: {count} steps\n{counts}{notes}");
    print(text.trim_end(), &object, json)
}

/// A program, with its parameters and the level of its inputs.
pub struct Recorded {
    pub parameters: Parameters,
    pub level: usize,
    pub program: Program,
}

/// The program that options ask for, recorded without arithmetic.
pub fn recorded(options: &ProgramOptions) -> Result<Recorded, CommandError> {
    let parameters = Parameters::dry_preset(&options.params).map_err(bad_input)?;
    warn_insecure(&parameters);
    recorded_with(parameters, options)
}

/// The same with parameters that are not the named ones.
pub fn recorded_with(
    parameters: Parameters,
    options: &ProgramOptions,
) -> Result<Recorded, CommandError> {
    let level = level(options, &parameters)?;
    let steps = steps(options)?;
    let slots = slots(options, &parameters)?;
    let keys = operations(options, &steps, slots).keys_to_level(&parameters, level);
    let server = DryServer::new(&parameters, &keys);
    let program = record(&server, options.operation, &steps, (level, slots)).map_err(bad_input)?;
    Ok(Recorded { parameters, level, program })
}

/// The level of the ciphertexts.
fn level(options: &ProgramOptions, parameters: &Parameters) -> Result<usize, CommandError> {
    let is_bootstrap = options.operation == TracedOperation::Bootstrap;
    if is_bootstrap && parameters.bootstrap().is_none() {
        return Err(bad_input(NO_BOOTSTRAP));
    }
    let default = if is_bootstrap { 0 } else { parameters.fresh_level() };
    let (level, top) = (options.level.unwrap_or(default), parameters.top());
    if level > top {
        let reason = format!("--level {level}: the highest of {} is {top}", parameters.name());
        return Err(CommandError::BadInput(reason));
    }
    Ok(level)
}

/// The number of slots by which the vector is rotated.
fn steps(options: &ProgramOptions) -> Result<Vec<i64>, CommandError> {
    let refused = |reason: &str| Err(CommandError::BadInput(reason.to_owned()));
    let are_given = !options.steps.is_empty() || !options.rotations.is_empty();
    match options.operation {
        TracedOperation::Rotation if options.steps.len() > 1 => {
            refused("a rotation is by one number of --steps: several are --operation hoisted")
        }
        TracedOperation::Rotation if options.steps.is_empty() => Ok(vec![1]),
        TracedOperation::Hoisted if options.steps.is_empty() => Ok((1..=8).collect()),
        TracedOperation::Rotation | TracedOperation::Hoisted => Ok(options.steps.clone()),
        _ if are_given => refused("--steps and --rotations are of rotations"),
        _ => Ok(Vec::new()),
    }
}

/// The values of vectors.
fn slots(options: &ProgramOptions, parameters: &Parameters) -> Result<usize, CommandError> {
    if options.few_keys && options.operation != TracedOperation::Bootstrap {
        return Err(CommandError::BadInput("--few-keys is of bootstraps".to_owned()));
    }
    match options.slots {
        None => Ok(parameters.slots()),
        Some(_) if options.operation != TracedOperation::Bootstrap => {
            let reason = "--slots is of bootstraps: other operations are the same for all vectors";
            Err(CommandError::BadInput(reason.to_owned()))
        }
        Some(slots) => check_slots("--slots", slots, parameters),
    }
}

/// What there are keys for.
fn operations(options: &ProgramOptions, steps: &[i64], slots: usize) -> Operations {
    let rotations = if options.rotations.is_empty() { steps } else { &options.rotations };
    let is_bootstrap = options.operation == TracedOperation::Bootstrap;
    Operations {
        multiply: options.operation == TracedOperation::Cmult,
        rotations: rotations.to_vec(),
        bootstrap_slots: if is_bootstrap { vec![slots] } else { Vec::new() },
        few_keys: options.few_keys,
        ..Operations::default()
    }
}

/// The program of an operation on vectors of this many slots at a level.
fn record(
    dry: &DryServer,
    operation: TracedOperation,
    steps: &[i64],
    (level, slots): (usize, usize),
) -> Result<Program, CircuitError> {
    let inputs = [(); 2].map(|()| dry.input(level, slots));
    let (a, b) = (&inputs[0], &inputs[1]);
    let recorded = match operation {
        TracedOperation::Cmult => dry.record(&[a, b], &[], |server| Ok(vec![server.mul(a, b)?])),
        TracedOperation::Rotation | TracedOperation::Hoisted => {
            dry.record(&[a], &[], |server| Ok(server.rotate_many(a, steps)?))
        }
        TracedOperation::Rescale => dry.record(&[a], &[], |server| Ok(vec![server.rescale(a)?])),
        TracedOperation::Bootstrap => {
            dry.server().prepare_bootstrap_of(slots)?;
            dry.record(&[a], &[], |server| Ok(vec![server.bootstrap(a)?]))
        }
    };
    recorded.map(|(_, program)| program)
}

/// Writes all steps.
fn write(program: &Program, path: &Path) -> Result<(), CommandError> {
    let mut output = BufWriter::new(create(path, &[])?);
    program.write_json(&mut output).map_err(write_error(path))?;
    let output = output.into_inner().map_err(|error| write_error(path)(error.into_error()))?;
    Ok(output.complete()?)
}
