// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command `halimede`.
//!
//! Exit codes: 0 done; 1 a check failed; 2 bad input; 3 a device failed or is not there; 4 an
//! output failed.

mod arguments;
mod blake3;
mod card;
mod ckks;
mod devices;
mod ecdsa;
mod error;
mod files;
mod lines;
mod output;
mod poseidon;
mod progress;
mod tour;
mod zcash;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};
use error::CommandError;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error.report(arguments.json);
            ExitCode::from(error.exit_code())
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), CommandError> {
    let json = arguments.json;
    match &arguments.command {
        Command::Devices => devices::run(json),
        Command::Tour(options) => tour::run(options, json),
        Command::Blake3(options) => blake3::run(options, json),
        Command::Ckks(command) => ckks::run(command, json),
        Command::Ecdsa(command) => ecdsa::run(command, json),
        Command::Poseidon(command) => poseidon::run(command, json),
        Command::Zcash(command) => zcash::run(command, json),
        Command::Card(command) => card::run(command, json),
    }
}
