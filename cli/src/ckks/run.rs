// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks run`: runs a neural network on encrypted inputs, client and server on this
//! machine.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use halimede_ckks::executor::{ProgramExecutor, ProgramPlace};
use halimede_ckks::Parameters;
use halimede_ckks_nn::compile::{ExactRelu, Layer, Report};
use halimede_ckks_nn::onnx::MOST_BYTES;
use halimede_ckks_nn::run::Agreement;
use halimede_ckks_nn::{
    read_onnx, read_onnx_output, read_residual_network, Calibration, Graph, Label, Model,
    NetworkClient, NetworkError, NetworkServer, NetworkSharing, Options, Output, PostProcessing,
};
use halimede_device::DevicePrograms;
use serde_json::{json, Value};

use super::describe::{print, warn_insecure};
use super::kept::{self, Parties};
use super::messages::{bad_input, executor_error, of_network};
use super::open::named_parameters;
use super::sharing::{say_whose, whose_json, Whose};
use super::vectors::read_vector;
use crate::arguments::{DeviceOptions, NetworkOptions, RunOptions};
use crate::devices::open;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;
use crate::output::note;
use crate::progress::{spinner, steps_bar};

/// The precision of an exact ReLU: 5 bits, for arguments from 1/32 of the interval on.
const EXACT: ExactRelu = ExactRelu { threshold: 1.0 / 32.0, error: 1.0 / 32.0 };

/// The result of an input.
struct InputResult<'a> {
    path: &'a Path,
    output: Output,
    agreement: Agreement,
    /// The time of its run, which it may share with other inputs.
    seconds: f64,
}

/// The results of all inputs.
#[derive(Default)]
struct Results<'a> {
    found: Vec<InputResult<'a>>,
    /// The reasons why the other inputs have no result.
    failed: Vec<String>,
}

pub fn run(options: &RunOptions, json: bool) -> Result<(), CommandError> {
    let place = place(&options.device, options.checkpoint.as_deref())?;
    let parameters = named_parameters(&options.network.params)?;
    let graph = read_model(&options.model, options.output.as_deref())?;
    let inputs = read_inputs(&options.inputs, &graph)?;
    let model = compiled(options, &graph, &parameters, &inputs)?;
    warn_insecure(&parameters);
    let report = model.report();
    if options.report {
        return print(&report.to_string(), &report_json(&report), json);
    }
    let sharing = sharing(&model, options)?;
    let executor = place.executor(&parameters).map_err(executor_error)?;
    let results = results(&model, options, &inputs, sharing.as_ref(), executor)?;
    let Results { found, mut failed } = results;
    if !found.is_empty() {
        let whose = sharing.as_ref().map(Whose::from);
        say_whose(whose.as_ref());
        let classes = graph.post_processing().map_or(&[][..], PostProcessing::classes);
        let lines: Vec<String> = found.iter().map(|found| text(found, classes)).collect();
        let results: Vec<Value> = found.iter().map(object).collect();
        let mut object = json!({ "report": report_json(&report), "results": results });
        object["classes"] = classes.iter().map(label_json).collect();
        object["for"] = whose_json(whose.as_ref());
        print(&lines.join("\n"), &object, json)?;
    }
    let disagrees = |found: &InputResult<'_>| {
        let disagreement = found.agreement.disagreement.as_ref()?;
        Some(format!("{}: {}", found.path.display(), shown(disagreement)))
    };
    let disagreements = found.iter().filter_map(disagrees);
    match options.allow_disagreement {
        true => disagreements.for_each(note),
        false => failed.extend(disagreements),
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(CommandError::NotValid(failed.join("\n"))),
    }
}

/// Opens the device. Only the processor keeps checkpoints.
fn place(
    options: &DeviceOptions,
    checkpoint: Option<&Path>,
) -> Result<DevicePrograms, CommandError> {
    if let (Some(_), true) = (checkpoint, options.device != "cpu") {
        return Err(bad_input("--checkpoint: only runs on the processor leave checkpoints"));
    }
    Ok(Arc::new(open(options)?).programs()?)
}

/// Returns the options of the compiler.
pub fn options_of(options: &NetworkOptions) -> Options {
    Options {
        degree: options.degree,
        exact_relu: options.exact_relu.then_some(EXACT),
        guard: !options.no_guard,
        few_keys: options.few_keys,
        batch: options.batch,
        ..Options::default()
    }
}

/// Calibrates the model with the samples, or with the inputs themselves, and compiles it.
fn compiled(
    options: &RunOptions,
    graph: &Graph,
    parameters: &Parameters,
    inputs: &[Vec<f64>],
) -> Result<Model, CommandError> {
    let samples = match options.calibrate.is_empty() {
        false => read_inputs(&options.calibrate, graph)?,
        true => {
            note(
                "calibrated with the inputs themselves, which is only for trials: the declared \
                 bounds reveal something about the inputs; use --calibrate with other samples",
            );
            inputs.to_vec()
        }
    };
    let spinner = spinner();
    spinner.set_message("calibrating and compiling");
    let calibration = Calibration::new(graph, &samples).map_err(|error| of_network(&error))?;
    let compile = options_of(&options.network);
    let model = Model::compile(graph, &calibration, parameters, &compile);
    let model = model.map_err(|error| of_network(&error))?;
    spinner.finish_and_clear();
    Ok(model)
}

/// Returns the statement of security, if others may see the values. Its bound of the error follows
/// from the network, and is at least the value of the option.
fn sharing(model: &Model, options: &RunOptions) -> Result<Option<NetworkSharing>, CommandError> {
    let Some((security, queries)) = options.sharing.statement() else { return Ok(None) };
    let own = options.sharing.error_at_least;
    if let Some(wrong) = own.filter(|own| !(own.is_finite() && *own > 0.0)) {
        return Err(bad_input(format!("--error-at-least {wrong}: give a finite number above 0")));
    }
    let with_own = |sharing: NetworkSharing| match own {
        Some(own) => sharing.with_error(own),
        None => sharing,
    };
    let sharing = match model.sharing(security, queries) {
        Err(NetworkError::Unbounded { .. }) if own.is_some() => {
            NetworkSharing::new(security, queries)
        }
        known => known.map_err(|error| of_network(&error))?,
    };
    let sharing = with_own(sharing);
    let runs = options.inputs.len().div_ceil(options.network.batch);
    let needed = runs * model.interface().output_ciphertexts();
    match needed <= queries as usize {
        true => Ok(Some(sharing)),
        false => Err(bad_input(format!(
            "--queries {queries}: these inputs need {needed} decryptions, one per ciphertext of a \
             result"
        ))),
    }
}

/// Makes the keys or loads them from the folder of checkpoints; then encrypts, runs and decrypts
/// the inputs in batches. Returns the valid results, and the reasons why the others are invalid.
fn results<'a>(
    model: &Model,
    options: &'a RunOptions,
    inputs: &[Vec<f64>],
    sharing: Option<&NetworkSharing>,
    executor: Arc<dyn ProgramExecutor>,
) -> Result<Results<'a>, CommandError> {
    let (interface, folder) = (model.interface(), options.checkpoint.as_deref());
    for (path, input) in options.inputs.iter().zip(inputs) {
        interface.check(input).map_err(|error| bad_input(named(path, &error)))?;
    }
    let Parties { owner, keys, kept } = kept::parties(folder, interface)?;
    let mut client = NetworkClient::with_client(interface, owner);
    let server = NetworkServer::new(model, keys);
    let server = match folder {
        None => server,
        Some(folder) => server.and_then(|server| server.keeping_checkpoints(folder)),
    };
    let server = server.map_err(|error| of_network(&error))?.on_executor(executor);
    let mut results = Results::default();
    let runs =
        options.inputs.chunks(options.network.batch).zip(inputs.chunks(options.network.batch));
    for (paths, inputs) in runs {
        let start = Instant::now();
        let (ciphertext, file) = kept::encrypted(kept.as_ref(), &mut client, interface, inputs)?;
        let bar = steps_bar(model.plan().steps().len() as u64);
        let result = server.run(&ciphertext, |progress| {
            bar.inc(1);
            if let Some(layer) = progress.layer {
                bar.set_message(layer.to_owned());
            }
            ControlFlow::Continue(())
        });
        bar.finish_and_clear();
        let result = result.map_err(|error| of_network(&error))?;
        let outputs = match sharing {
            None => client.decrypt_all(&result),
            Some(sharing) => {
                client.decrypt_all_for_sharing(&result, sharing).map(|shared| shared.outputs)
            }
        };
        // Also if a guard refuses the result: another run would have the same result.
        kept::forget(file)?;
        let outputs = outputs.map_err(|error| of_network(&error))?;
        let seconds = start.elapsed().as_secs_f64();
        for ((path, input), output) in paths.iter().zip(inputs).zip(outputs) {
            match output {
                Ok(output) => {
                    let agreement = model.compare(input, &output, options.tolerance);
                    let agreement = agreement.map_err(bad_input)?;
                    results.found.push(InputResult { path, output, agreement, seconds });
                }
                Err(error) => results.failed.push(named(path, &error)),
            }
        }
    }
    Ok(results)
}

/// Adds the path of an input to its error.
fn named(path: &Path, error: &NetworkError) -> String {
    format!("{}: {error}", path.display())
}

/// Reads a network from an ONNX file, up to a named output, or a residual network from a folder of
/// its parameters.
fn read_model(path: &Path, output: Option<&str>) -> Result<Graph, CommandError> {
    if path.is_dir() {
        return match output {
            None => read_residual_network(path).map_err(bad_input),
            Some(_) => Err(bad_input("--output: a folder of parameters has no named values")),
        };
    }
    let bytes = read_limited(path, MOST_BYTES as u64)?;
    let graph = match output {
        None => read_onnx(&bytes),
        Some(output) => read_onnx_output(&bytes, output),
    };
    graph.map_err(|error| not_wanted_bytes(path, &bytes, "an ONNX model", error))
}

/// Reads inputs, whose values are in the order of the model's axes.
pub(super) fn read_inputs(paths: &[PathBuf], graph: &Graph) -> Result<Vec<Vec<f64>>, CommandError> {
    let read = |path: &PathBuf| {
        let vector = read_vector(path)?;
        let wrong = |reason: String| bad_input(format!("{}: {reason}", path.display()));
        if !vector.is_real {
            return Err(wrong("the values are complex, but a network needs real ones".to_owned()));
        }
        let (got, shape) = (vector.values.len(), graph.input_shape());
        if got != shape.size() {
            let wanted = shape.size();
            return Err(wrong(format!("expected {wanted} values ({shape}), got {got}")));
        }
        Ok(vector.values.iter().map(|value| value.re).collect())
    };
    paths.iter().map(read).collect()
}

fn text(found: &InputResult<'_>, classes: &[Label]) -> String {
    let InputResult { path, output, agreement, seconds } = found;
    let difference = agreement.largest_difference;
    let disagrees = if agreement.disagreement.is_some() { "; DISAGREES" } else { "" };
    if let ([value], [plain]) = (&output.values[..], &agreement.plaintext[..]) {
        let most =
            agreement.tolerance.map_or(String::new(), |most| format!(", tolerance {most:.1e}"));
        return format!(
            "{}: value {value:.4}, in plaintext {plain:.4}; off by {difference:.1e}{most}; \
             {seconds:.1} s{disagrees}",
            path.display()
        );
    }
    let label = |label: &Option<Label>| label.as_ref().map_or("none".to_owned(), shown);
    let value = |(place, value): (usize, &f64)| match classes.get(place) {
        Some(class @ Label::Text(_)) => format!("{} {value:.4}", shown(class)),
        _ => format!("{value:.4}"),
    };
    let values: Vec<String> = output.values.iter().take(10).enumerate().map(value).collect();
    let more = if output.values.len() > 10 { " …" } else { "" };
    format!(
        "{}: label {}, in plaintext {}; off by at most {difference:.1e}; {seconds:.1} s; \
         {}{more}{disagrees}",
        path.display(),
        label(&agreement.label),
        label(&agreement.plaintext_label),
        values.join(" ")
    )
}

/// Returns a text with labels without characters that would change the terminal: labels are from a
/// file.
fn shown(text: &impl Display) -> String {
    text.to_string().replace(char::is_control, "?")
}

fn label_json(label: &Label) -> Value {
    match label {
        Label::Integer(number) => json!(number),
        Label::Text(text) => json!(text),
    }
}

fn object(found: &InputResult<'_>) -> Value {
    let InputResult { path, output, agreement, seconds } = found;
    let disagreement = agreement.disagreement.as_ref().map(|of| of.to_string());
    json!({
        "file": path.display().to_string(), "label": agreement.label.as_ref().map(label_json),
        "values": output.values, "scores": output.scores, "error": output.error,
        "guard": output.guard,
        "plaintext_label": agreement.plaintext_label.as_ref().map(label_json),
        "plaintext": agreement.plaintext,
        "largest_difference": agreement.largest_difference, "tolerance": agreement.tolerance,
        "agrees": disagreement.is_none(), "disagreement": disagreement, "seconds": seconds,
    })
}

pub(super) fn report_json(report: &Report) -> Value {
    let layer = |of: &Layer| {
        json!({
            "name": of.name, "layers": of.layers, "activation": of.activation,
            "ciphertexts": of.ciphertexts, "level_after_matrix": of.levels.0,
            "level": of.levels.1, "diagonals": of.diagonals, "rotations": of.rotations,
            "products": of.products, "key_switches": of.key_switches,
            "bootstraps": of.bootstraps, "share": of.share,
            "gap": of.gap, "range_used": of.used, "mean_error": of.mean_error,
            "largest_error": of.largest_error,
        })
    };
    json!({
        "layers": report.layers.iter().map(layer).collect::<Vec<_>>(), "slots": report.slots,
        "depth": report.depth, "bootstraps": report.bootstraps, "keys": report.keys,
        "guard": report.has_guard, "key_bytes": report.key_bytes,
        "post_processing": report.post_processing,
    })
}
