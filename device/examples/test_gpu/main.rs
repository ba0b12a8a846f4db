// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests a GPU without Rust or this repository: `test_gpu [--device cuda:0] [--json FILE]
//! [--requests N] [--changed N] [--seconds S] [--limit S]`.
//!
//! Runs the self-test, compares the replies of every operation with this processor's and with known
//! answers, and measures both: batches of at most `--requests`, for `--seconds` each. `--changed`
//! is the number of changed items for each example, which are compared. No operation is begun after
//! `--limit` seconds; the test then fails, since it is not complete. Exit codes: 1: an answer is
//! wrong, or the test is not complete; 2: an unknown option; 3: the device is not available.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program with a report")]

mod measure;
mod requests;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use halimede_device::{Device, Options};
use serde_json::json;

use measure::{Amounts, Measurement};

/// The settings of the command line.
struct Arguments {
    device: String,
    json: Option<String>,
    amounts: Amounts,
}

fn arguments() -> Result<Arguments, String> {
    let amounts = Amounts {
        requests: 1 << 16,
        changed: 50,
        measured: Duration::from_secs(1),
        limit: Duration::from_secs(330),
    };
    let mut found = Arguments { device: "cuda:0".into(), json: None, amounts };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
        let invalid = || format!("{word} {value}: not a valid number");
        match &word[..] {
            "--device" => found.device = value,
            "--json" => found.json = Some(value),
            "--requests" => found.amounts.requests = value.parse().map_err(|_| invalid())?,
            "--changed" => found.amounts.changed = value.parse().map_err(|_| invalid())?,
            "--seconds" => found.amounts.measured = seconds(&value).ok_or_else(invalid)?,
            "--limit" => found.amounts.limit = seconds(&value).ok_or_else(invalid)?,
            _ => return Err(format!("unknown option {word}")),
        }
    }
    Ok(found)
}

fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.parse().ok()?).ok()
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let device = match Device::open_with(&arguments.device, &Options::default()) {
        Ok(device) => device,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(3);
        }
    };
    match run(&device, &arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Tests and measures a device. Returns `true` if all answers are right.
fn run(device: &Device, arguments: &Arguments) -> Result<bool, String> {
    let start = Instant::now();
    if let Some(gpu) = &device.capabilities().gpu {
        println!("{}: {gpu}", device.name());
    }
    let checks = device.selftest().map_err(|error| error.to_string())?;
    for check in &checks {
        let word = if check.passed { "passed" } else { "FAILED" };
        println!("self-test {word}: {}: {}", check.name, check.detail);
    }
    let mut measurement = Measurement::new(device, arguments.amounts, start);
    halimede_operations::visit(&mut measurement);
    let Measurement { rows, not_run, .. } = measurement;
    if rows.is_empty() {
        println!("FAILED: the device has no operation of the table, so nothing was compared");
    }
    for name in &not_run {
        println!("NOT RUN for lack of time: {name}");
    }
    let is_right = |row: &measure::Row| row.is_right();
    let passed = checks.iter().all(|check| check.passed)
        && !rows.is_empty()
        && rows.iter().all(is_right)
        && not_run.is_empty();
    let report = json!({
        "device": device.name(),
        "gpu": device.capabilities().gpu,
        "stand_in": halimede_cuda::is_stand_in(),
        "processor": Device::cpu().capabilities().processor,
        "passed": passed,
        "selftest": checks,
        "operations": rows,
        "not_run": not_run,
        "seconds": start.elapsed().as_secs_f64(),
    });
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&report).map_err(|error| error.to_string())?;
        let partial = format!("{path}.partial");
        let written = std::fs::write(&partial, text + "\n");
        let written = written.and_then(|()| std::fs::rename(&partial, path));
        written.map_err(|error| format!("{path}: {error}"))?;
    }
    println!(
        "{} in {:.1} s",
        if passed { "passed" } else { "FAILED" },
        start.elapsed().as_secs_f64()
    );
    Ok(passed)
}
