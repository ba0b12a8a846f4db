// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks compile`: writes a network for `halimede serve`.

use std::path::Path;

use halimede_ckks_nn::onnx::MOST_BYTES;
use halimede_ckks_nn::{read_onnx, read_onnx_output, NetworkFile, Options};
use serde_json::json;

use super::messages::of_network;
use super::run::{read_inputs, report_json, EXACT};
use super::{bad_input, named_parameters, print, warn_insecure, write_file, write_secret_file};
use crate::arguments::CompileOptions;
use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;
use crate::progress::spinner;

pub fn run(options: &CompileOptions, json: bool) -> Result<(), CommandError> {
    let parameters = named_parameters(&options.params)?;
    let onnx = read_limited(&options.model, MOST_BYTES as u64)?;
    let graph = match options.output.as_deref() {
        None => read_onnx(&onnx),
        Some(output) => read_onnx_output(&onnx, output),
    };
    let graph =
        graph.map_err(|error| not_wanted_bytes(&options.model, &onnx, "an ONNX model", error))?;
    let samples = read_inputs(&options.calibrate, &graph)?;
    let compile = Options {
        degree: options.degree,
        exact_relu: options.exact_relu.then_some(EXACT),
        guard: !options.no_guard,
        few_keys: options.few_keys,
        batch: options.batch,
        ..Options::default()
    };
    let file = NetworkFile::new(onnx, options.output.clone(), samples, &parameters, compile);
    let file = file.map_err(|error| of_network(&error))?;
    let spinner = spinner();
    spinner.set_message("calibrating and compiling");
    let model = file.compile(&parameters).map_err(|error| of_network(&error))?;
    spinner.finish_and_clear();
    warn_insecure(&parameters);
    let samples = options.calibrate.iter();
    let inputs: Vec<&Path> =
        samples.chain([&options.model, &options.params]).map(|path| path.as_path()).collect();
    // The file has the weights and the samples.
    write_secret_file(&options.out, &inputs, |output| Ok(file.save(output)?))?;
    if let Some(path) = &options.interface {
        if *path == options.out {
            return Err(bad_input("--interface and --out name the same file"));
        }
        write_file(path, &inputs, |output| model.interface().save(output))?;
    }
    let report = model.report();
    print(&report.to_string(), &json!({ "report": report_json(&report) }), json)
}
