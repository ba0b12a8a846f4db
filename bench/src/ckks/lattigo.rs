// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lattigo: a program in Go, built where Go is there.

use std::path::Path;
use std::process::Command;

use super::process::Process;

/// The program's source, and where it is built.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/lattigo");
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../build/benches/lattigo");

/// The peer, as it is called in tables.
pub const NAME: &str = "lattigo 6.1.1";

/// Starts the program, which [`build`] made, on this number of threads; gives its first line.
///
/// # Errors
/// Where it does not start or has no use for the arguments.
pub fn start(threads: usize, arguments: &[&str]) -> Result<(Process, String), String> {
    let mut command = Command::new(PROGRAM);
    Process::start("Lattigo", command.args(arguments).env("GOMAXPROCS", threads.to_string()))
}

/// Builds the program.
///
/// # Errors
/// Why it cannot be: Go is not there, or its modules are not.
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
