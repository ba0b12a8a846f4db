// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command `halimede`.
//!
//! Exit codes: 0 success; 1 a check failed; 2 bad input; 3 a device failed or is not available; 4
//! writing output failed; 5 nothing failed, but something was not checked.

#![forbid(unsafe_code)]

mod arguments;
mod batch;
mod blake3;
mod bls;
mod card;
mod ckks;
mod devices;
mod doctor;
mod error;
mod failure;
mod file_kind;
mod filecoin;
mod files;
mod groth16;
mod lines;
mod logging;
mod manual;
#[cfg(test)]
mod mutated;
mod output;
mod poseidon;
mod progress;
#[cfg(feature = "serve")]
mod serve;
mod tour;
mod usage;
mod version;
mod zcash;

use std::process::ExitCode;

use clap::Parser;
use halimede_arith::job::DeviceError;
use halimede_arith::Backend;

use arguments::{Arguments, Command};
use error::CommandError;

fn main() -> ExitCode {
    let (json, outcome) = match Arguments::try_parse() {
        Ok(arguments) => (arguments.json, run(&arguments)),
        Err(error) => {
            let loose = usage::Loose::of(std::env::args_os().skip(1));
            (loose.json, usage::answer(error, loose))
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            failure::tell(&error, json);
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let json = arguments.json;
    logging::start(arguments)?;
    if arguments.quiet {
        progress::hide();
    }
    if arguments.command.computes() {
        Backend::chosen().map_err(|error| DeviceError::of_backend("cpu", &error))?;
    }
    match &arguments.command {
        Command::Devices => devices::run(json),
        Command::Doctor => doctor::run(json),
        Command::Tour(options) => tour::run(options, json),
        Command::Batch(options) => batch::run(options, json),
        Command::Blake3(options) => blake3::run(options, json),
        Command::Bls(command) => bls::run(command, json),
        Command::Ckks(command) => ckks::run(command, json),
        Command::Filecoin(command) => filecoin::run(command, json),
        Command::Groth16(command) => groth16::run(command),
        Command::Poseidon(command) => poseidon::run(command, json),
        Command::Zcash(command) => zcash::run(command, json),
        Command::Card(command) => card::run(command, json),
        #[cfg(feature = "serve")]
        Command::Serve(options) => serve::run(options, json),
        Command::Completions(options) => manual::completions(options),
        Command::Man(options) => manual::pages(options, json),
    }
}
