// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks compile`: writes a network for `halimede serve`.

use std::path::Path;

use halimede_ckks_nn::onnx::MOST_BYTES;
use halimede_ckks_nn::{read_onnx, read_onnx_output, NetworkFile};
use serde_json::json;

use super::describe::{print, warn_insecure};
use super::messages::{bad_input, of_network};
use super::open::named_parameters;
use super::run::{options_of, read_inputs, report_json};
use super::write::{write_file, write_secret_file};
use crate::arguments::CompileOptions;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;
use crate::progress::spinner;

pub fn run(options: &CompileOptions, json: bool) -> Result<(), CommandError> {
    if options.interface.as_ref() == Some(&options.out) {
        return Err(bad_input("--interface and --out name the same file"));
    }
    let parameters = named_parameters(&options.network.params)?;
    let onnx = read_limited(&options.model, MOST_BYTES as u64)?;
    let graph = match options.output.as_deref() {
        None => read_onnx(&onnx),
        Some(output) => read_onnx_output(&onnx, output),
    };
    let graph =
        graph.map_err(|error| not_wanted_bytes(&options.model, &onnx, "an ONNX model", error))?;
    let samples = read_inputs(&options.calibrate, &graph)?;
    let compile = options_of(&options.network);
    let file = NetworkFile::new(onnx, options.output.clone(), samples, &parameters, compile);
    let file = file.map_err(|error| of_network(&error))?;
    let spinner = spinner();
    spinner.set_message("calibrating and compiling");
    let model = file.compile(&parameters).map_err(|error| of_network(&error))?;
    spinner.finish_and_clear();
    warn_insecure(&parameters);
    let samples = options.calibrate.iter();
    let inputs: Vec<&Path> = samples
        .chain([&options.model, &options.network.params])
        .map(|path| path.as_path())
        .collect();
    // The file has the weights and the samples.
    write_secret_file(&options.out, &inputs, |output| Ok(file.save(output)?))?;
    if let Some(path) = &options.interface {
        write_file(path, &inputs, |output| model.interface().save(output))?;
    }
    let report = model.report();
    print(&report.to_string(), &json!({ "report": report_json(&report) }), json)
}
