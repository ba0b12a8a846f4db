// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The program of an operation on ciphertexts, recorded without arithmetic and without making keys.

use halimede_ckks::ring::Program;
use halimede_ckks::{CircuitError, DryServer, Operations, Parameters};

use crate::options::{ProgramOptions, TracedOperation};
use crate::output::{note, text};

/// A program, with its parameters and the level of its inputs.
pub struct Recorded {
    pub parameters: Parameters,
    pub level: usize,
    pub program: Program,
}

/// Records the requested program without arithmetic.
pub fn recorded(options: &ProgramOptions) -> Result<Recorded, String> {
    let parameters = Parameters::dry_preset(&options.params).map_err(text)?;
    if !parameters.is_secure() {
        note(&format!("the parameters {} are INSECURE: for tests alone", parameters.name()));
    }
    recorded_with(parameters, options)
}

/// The same with other parameters than the named ones.
pub fn recorded_with(parameters: Parameters, options: &ProgramOptions) -> Result<Recorded, String> {
    let level = level(options, &parameters)?;
    let steps = steps(options)?;
    let slots = slots(options, &parameters)?;
    let keys = operations(options, &steps, slots).keys_to_level(&parameters, level);
    let server = DryServer::new(&parameters, &keys);
    let program = record(&server, options.operation, &steps, (level, slots)).map_err(text)?;
    Ok(Recorded { parameters, level, program })
}

/// The level of the ciphertexts.
fn level(options: &ProgramOptions, parameters: &Parameters) -> Result<usize, String> {
    let is_bootstrap = options.operation == TracedOperation::Bootstrap;
    if is_bootstrap && parameters.bootstrap().is_none() {
        return Err(format!("the parameters {} have no levels for a bootstrap", parameters.name()));
    }
    let default = if is_bootstrap { 0 } else { parameters.fresh_level() };
    let (level, top) = (options.level.unwrap_or(default), parameters.top());
    if level > top {
        let reason = format!("--level {level}: the highest of {} is {top}", parameters.name());
        return Err(reason);
    }
    Ok(level)
}

/// The number of slots by which the vector is rotated.
fn steps(options: &ProgramOptions) -> Result<Vec<i64>, String> {
    let refused = |reason: &str| Err(reason.to_owned());
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

/// The number of slots of vectors.
fn slots(options: &ProgramOptions, parameters: &Parameters) -> Result<usize, String> {
    if options.few_keys && options.operation != TracedOperation::Bootstrap {
        return Err("--few-keys is of bootstraps".to_owned());
    }
    match options.slots {
        None => Ok(parameters.slots()),
        Some(_) if options.operation != TracedOperation::Bootstrap => {
            let reason = "--slots is of bootstraps: other operations are the same for all vectors";
            Err(reason.to_owned())
        }
        Some(slots) if (1..=parameters.slots()).contains(&slots) => Ok(slots),
        Some(slots) => {
            let (name, limit) = (parameters.name(), parameters.slots());
            Err(format!("--slots {slots}: a vector of {name} has 1 to {limit} values"))
        }
    }
}

/// The operations with keys.
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

/// Records an operation on vectors with this number of slots at a level.
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
