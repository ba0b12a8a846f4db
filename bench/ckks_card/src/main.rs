// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `ckks-card`: research on cards for CKKS. It records operations, compiles them for a card,
//! simulates them clock by clock, varies the card, and prints published figures next to ours.

#![forbid(unsafe_code)]

mod compile;
mod explore;
mod operations;
mod options;
mod output;
mod program;
mod published;
mod rates;
mod tables;
mod trace;

use std::process::ExitCode;

use clap::Parser;

use self::options::{Arguments, Command};
use self::output::note;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            note(&reason);
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let json = arguments.json;
    match &arguments.command {
        Command::Trace(options) => trace::run(options, json),
        Command::Compile(options) => compile::run(options, json),
        Command::Rates(options) => rates::run(options, json),
        Command::Tables(options) => tables::run(options, json),
        Command::Explore(options) => explore::run(options, json),
    }
}
