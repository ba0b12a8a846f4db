// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the JavaScript bindings of a WebAssembly module: `halimede-bindings MODULE FOLDER`.
//!
//! The folder receives `halimede.js`, `halimede.d.ts` and `halimede_bg.wasm`. The module must have
//! been compiled with the same version of `wasm-bindgen`.

use std::process::ExitCode;

use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [module, folder] = &arguments[..] else {
        eprintln!("usage: halimede-bindings MODULE FOLDER");
        return ExitCode::from(2);
    };
    let mut bindings = Bindgen::new();
    let written = bindings.input_path(module).out_name("halimede").typescript(true).web(true);
    match written.and_then(|bindings| bindings.generate(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("halimede-bindings: {module}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
