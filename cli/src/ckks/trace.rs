// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks trace`: the steps of an operation in the ring.

use std::io::BufWriter;
use std::path::Path;

use halimede_ckks::ring::Trace;
use halimede_ckks::{
    Ciphertext, CircuitError, Client, Complex, EvaluationKeys, Operations, Parameters, Server,
};
use serde_json::json;

use super::messages::NO_BOOTSTRAP;
use super::{bad_input, check_slots, make_keys, print, warn_insecure};
use crate::arguments::{TraceOptions, TracedOperation};
use crate::error::CommandError;
use crate::files::{create, write_error};
use crate::output::note;

/// Bytes of keys from which on it is said that there are many.
const MANY_BYTES: usize = 1_000_000_000;
/// Of the angles of a bootstrap, so that a trace is the same each time and can be repeated.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for trace";

pub fn run(options: &TraceOptions, json: bool) -> Result<(), CommandError> {
    let parameters = Parameters::preset(&options.params).map_err(bad_input)?;
    let level = level(options, &parameters)?;
    let steps = steps(options)?;
    let slots = slots(options, &parameters)?;
    warn_insecure(&parameters);
    let mut client = Client::new(&parameters).map_err(bad_input)?;
    let keys = keys(&mut client, options, &steps, slots, level);
    let server = Server::new(keys).with_angles(ANGLES);
    let values = vec![Complex::from(0.5); slots];
    let inputs = [(); 2].map(|()| client.encrypt_at(&values, level).map_err(bad_input));
    let [a, b] = inputs;
    let trace = trace(&server, options.operation, &steps, [&a?, &b?]).map_err(bad_input)?;
    if let Some(path) = &options.out {
        write(&trace, path)?;
    }
    let notes = trace.notes.iter().map(|note| format!("step {}: {}", note.step, note.text));
    let notes: Vec<String> = notes.collect();
    let (name, operation) = (parameters.name(), format!("{:?}", options.operation).to_lowercase());
    let count = trace.steps.len();
    let object = json!({
        "parameters": name, "operation": operation, "level": level, "steps": count,
        "counts": trace.counts(), "notes": notes,
        "file": options.out.as_ref().map(|path| path.display().to_string()),
    });
    let counts = trace.counts().to_string();
    let notes = notes.iter().map(|note| format!("\n{note}")).collect::<String>();
    let text = format!("{operation} with {name} at level {level}: {count} steps\n{counts}{notes}");
    print(text.trim_end(), &object, json)
}

/// The level of the ciphertexts.
fn level(options: &TraceOptions, parameters: &Parameters) -> Result<usize, CommandError> {
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

/// By how many slots the vector is turned.
fn steps(options: &TraceOptions) -> Result<Vec<i64>, CommandError> {
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
fn slots(options: &TraceOptions, parameters: &Parameters) -> Result<usize, CommandError> {
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

/// The keys of the operation, one after the other.
fn keys(
    client: &mut Client,
    options: &TraceOptions,
    steps: &[i64],
    slots: usize,
    level: usize,
) -> EvaluationKeys {
    let rotations = if options.rotations.is_empty() { steps } else { &options.rotations };
    let is_bootstrap = options.operation == TracedOperation::Bootstrap;
    let operations = Operations {
        multiply: options.operation == TracedOperation::Cmult,
        conjugate: false,
        rotations: rotations.to_vec(),
        bootstrap: false,
        bootstrap_slots: if is_bootstrap { vec![slots] } else { Vec::new() },
        few_keys: options.few_keys,
    };
    let parameters = client.parameters().clone();
    let wanted = operations.keys_to_level(&parameters, level);
    let bytes = wanted.len() * parameters.switching_key_bytes();
    if bytes > MANY_BYTES {
        let (count, gigabytes) = (wanted.len(), bytes as f64 / 1e9);
        note(format_args!("{count} keys are made, up to {gigabytes:.1} GB"));
    }
    make_keys(client, wanted)
}

fn trace(
    server: &Server,
    operation: TracedOperation,
    steps: &[i64],
    [a, b]: [&Ciphertext; 2],
) -> Result<Trace, CircuitError> {
    let record = |inputs: &[&Ciphertext], work: &dyn Fn(&Server) -> _| {
        server.record(inputs, &[], work).map(|(_, trace)| trace)
    };
    match operation {
        TracedOperation::Cmult => record(&[a, b], &|server| Ok(vec![server.mul(a, b)?])),
        TracedOperation::Rotation | TracedOperation::Hoisted => {
            record(&[a], &|server| Ok(server.rotate_many(a, steps)?))
        }
        TracedOperation::Rescale => record(&[a], &|server| Ok(vec![server.rescale(a)?])),
        TracedOperation::Bootstrap => {
            server.prepare_bootstrap_of(a.slots())?;
            record(&[a], &|server| Ok(vec![server.bootstrap(a)?]))
        }
    }
}

/// Writes all steps.
fn write(trace: &Trace, path: &Path) -> Result<(), CommandError> {
    let mut output = BufWriter::new(create(path, &[])?);
    trace.write_json(&mut output).map_err(write_error(path))?;
    let output = output.into_inner().map_err(|error| write_error(path)(error.into_error()))?;
    Ok(output.complete()?)
}
