// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lattigo: a program in Go, built if Go is installed.

use std::path::Path;
use std::process::Command;

use super::process::Process;

/// The folder of the program's source and build.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/lattigo");
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../build/benches/lattigo");

/// The name of the peer in tables.
pub const NAME: &str = "lattigo 6.1.1";

/// Starts the program, which [`build`] has built, on this number of threads; returns its first
/// line.
///
/// # Errors
/// If it does not start or refuses the arguments.
pub fn start(threads: usize, arguments: &[&str]) -> Result<(Process, String), String> {
    let mut command = Command::new(PROGRAM);
    Process::start("Lattigo", command.args(arguments).env("GOMAXPROCS", threads.to_string()))
}

/// Builds the program.
///
/// # Errors
/// The reason: Go or its modules are missing.
pub fn build() -> Result<(), String> {
    let built = Command::new("go")
        .args(["build", "-mod=readonly", "-o", PROGRAM, "."])
        .current_dir(Path::new(SOURCE))
        .output()
        .map_err(|error| format!("go: {error}"))?;
    if built.status.success() {
        return Ok(());
    }
    Err(format!("go build: {}", String::from_utf8_lossy(&built.stderr).trim()))
}
