// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks run`: a neural network on encrypted inputs, client and server on this machine.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use halimede_ckks_nn::compile::{ExactRelu, Layer, Report};
use halimede_ckks_nn::onnx::MOST_BYTES;
use halimede_ckks_nn::run::label;
use halimede_ckks_nn::{
    read_onnx, read_residual_network, Calibration, Graph, Model, NetworkClient, NetworkError,
    NetworkServer, Options, Output,
};
use serde_json::{json, Value};

use super::messages::of_network;
use super::vectors::read_vector;
use super::{bad_input, kept, named_parameters, print, warn_insecure};
use crate::arguments::RunOptions;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;
use crate::output::note;
use crate::progress::{spinner, steps_bar};

/// The precision of an exact ReLU: arguments from 1/32 of the interval on, to 5 bits.
const EXACT: ExactRelu = ExactRelu { threshold: 1.0 / 32.0, error: 1.0 / 32.0 };

/// The values for an input.
struct Found<'a> {
    path: &'a Path,
    output: Output,
    plaintext: Vec<f64>,
    /// Those of its run, which other inputs may share.
    seconds: f64,
}

pub fn run(options: &RunOptions, json: bool) -> Result<(), CommandError> {
    let parameters = named_parameters(&options.params)?;
    let graph = read_model(&options.model)?;
    let inputs = read_inputs(&options.inputs, &graph)?;
    let samples = match options.calibrate.is_empty() {
        false => read_inputs(&options.calibrate, &graph)?,
        true => {
            note(
                "calibrated with the inputs themselves, for a trial alone: what is declared of \
                 ciphertexts tells of them; --calibrate takes other samples",
            );
            inputs.clone()
        }
    };
    let spinner = spinner();
    spinner.set_message("calibrating and compiling");
    let calibration = Calibration::new(&graph, &samples).map_err(|error| of_network(&error))?;
    let compile = Options {
        degree: options.degree,
        exact_relu: options.exact_relu.then_some(EXACT),
        guard: !options.no_guard,
        few_keys: options.few_keys,
        batch: options.batch,
        ..Options::default()
    };
    let model = Model::compile(&graph, &calibration, &parameters, &compile);
    let model = model.map_err(|error| of_network(&error))?;
    spinner.finish_and_clear();
    warn_insecure(&parameters);
    let report = model.report();
    if options.report {
        return print(&report.to_string(), &report_json(&report), json);
    }
    let (found, failed) = results(&model, options, &inputs)?;
    if !found.is_empty() {
        let lines: Vec<String> = found.iter().map(text).collect();
        let results: Vec<Value> = found.iter().map(object).collect();
        let object = json!({ "report": report_json(&report), "results": results });
        print(&lines.join("\n"), &object, json)?;
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(CommandError::NotValid(failed.join("\n"))),
    }
}

/// Keys are made once, or are those of the folder of checkpoints; inputs are encrypted, run and decrypted, as
/// many at once as a batch has. The values of those whose results are valid, and why others are not.
fn results<'a>(
    model: &Model,
    options: &'a RunOptions,
    inputs: &[Vec<f64>],
) -> Result<(Vec<Found<'a>>, Vec<String>), CommandError> {
    let (interface, folder) = (model.interface(), options.checkpoint.as_deref());
    for (path, input) in options.inputs.iter().zip(inputs) {
        interface.check(input).map_err(|error| bad_input(named(path, &error)))?;
    }
    let (owner, keys) = kept::parties(folder, interface)?;
    let mut client = NetworkClient::with_client(interface, owner);
    let server = NetworkServer::new(model, keys);
    let server = match folder {
        None => server,
        Some(folder) => server.and_then(|server| server.keeping_checkpoints(folder)),
    };
    let server = server.map_err(|error| of_network(&error))?;
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    let runs = options.inputs.chunks(options.batch).zip(inputs.chunks(options.batch));
    for (paths, inputs) in runs {
        let start = Instant::now();
        let (sealed, file) = kept::encrypted(folder, &mut client, interface, inputs)?;
        let bar = steps_bar(model.plan().steps().len() as u64);
        let result = server.run(&sealed, |progress| {
            bar.inc(1);
            if let Some(layer) = progress.layer {
                bar.set_message(layer.to_owned());
            }
            ControlFlow::Continue(())
        });
        bar.finish_and_clear();
        let outputs = client.decrypt_all(&result.map_err(|error| of_network(&error))?);
        // Also where a guard refuses a result: another run would come to the same one.
        kept::forget(file)?;
        let outputs = outputs.map_err(|error| of_network(&error))?;
        let seconds = start.elapsed().as_secs_f64();
        for ((path, input), output) in paths.iter().zip(inputs).zip(outputs) {
            match output {
                Ok(output) => {
                    let plaintext = model.graph().evaluate(input).map_err(bad_input)?;
                    found.push(Found { path, output, plaintext, seconds });
                }
                Err(error) => failed.push(named(path, &error)),
            }
        }
    }
    Ok((found, failed))
}

/// What is wrong with a file.
fn named(path: &Path, error: &NetworkError) -> String {
    format!("{}: {error}", path.display())
}

/// A network from an ONNX file, or a residual one from a folder of its parameters.
fn read_model(path: &Path) -> Result<Graph, CommandError> {
    if path.is_dir() {
        return read_residual_network(path).map_err(bad_input);
    }
    let bytes = read_limited(path, MOST_BYTES as u64)?;
    read_onnx(&bytes).map_err(|error| not_wanted_bytes(path, &bytes, "an ONNX model", error))
}

/// Inputs, value after value in the order of the model's axes.
fn read_inputs(paths: &[PathBuf], graph: &Graph) -> Result<Vec<Vec<f64>>, CommandError> {
    let read = |path: &PathBuf| {
        let vector = read_vector(path)?;
        let wrong = |reason: String| bad_input(format!("{}: {reason}", path.display()));
        if !vector.is_real {
            return Err(wrong("complex values, where a network takes real ones".to_owned()));
        }
        let (got, shape) = (vector.values.len(), graph.input_shape());
        if got != shape.size() {
            let wanted = shape.size();
            return Err(wrong(format!("{got} values, where the model takes {shape}: {wanted}")));
        }
        Ok(vector.values.iter().map(|value| value.re).collect())
    };
    paths.iter().map(read).collect()
}

fn largest_difference(found: &Found<'_>) -> f64 {
    let pairs = found.output.values.iter().zip(&found.plaintext);
    pairs.map(|(got, wanted)| (got - wanted).abs()).fold(0.0, f64::max)
}

fn text(found: &Found<'_>) -> String {
    let values: Vec<String> =
        found.output.values.iter().take(10).map(|value| format!("{value:.4}")).collect();
    let more = if found.output.values.len() > 10 { " …" } else { "" };
    format!(
        "{}: label {}, in plaintext {}; off by at most {:.1e}; {:.1} s; {}{more}",
        found.path.display(),
        found.output.label(),
        label(&found.plaintext),
        largest_difference(found),
        found.seconds,
        values.join(" ")
    )
}

fn object(found: &Found<'_>) -> Value {
    json!({
        "file": found.path.display().to_string(), "label": found.output.label(),
        "values": found.output.values, "error": found.output.error, "guard": found.output.guard,
        "plaintext_label": label(&found.plaintext), "plaintext": found.plaintext,
        "largest_difference": largest_difference(found), "seconds": found.seconds,
    })
}

fn report_json(report: &Report) -> Value {
    let layer = |of: &Layer| {
        json!({
            "name": of.name, "layers": of.layers, "activation": of.activation,
            "ciphertexts": of.ciphertexts, "level_after_matrix": of.levels.0,
            "level": of.levels.1, "diagonals": of.diagonals, "rotations": of.rotations,
            "products": of.products, "bootstraps": of.bootstraps,
            "gap": of.gap, "range_used": of.used, "mean_error": of.mean_error,
            "largest_error": of.largest_error,
        })
    };
    json!({
        "layers": report.layers.iter().map(layer).collect::<Vec<_>>(), "slots": report.slots,
        "depth": report.depth, "bootstraps": report.bootstraps, "keys": report.keys,
        "guard": report.has_guard, "key_bytes": report.key_bytes,
    })
}
