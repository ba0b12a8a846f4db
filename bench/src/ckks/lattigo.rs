// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lattigo in a process of its own: a program in Go, built where Go is there.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// The program's source, and where it is built.
const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/lattigo");
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../build/benches/lattigo");

/// Lattigo with keys and ciphertexts at hand.
pub struct Lattigo {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Lattigo {
    /// Builds the program and starts it on so many threads.
    ///
    /// # Errors
    /// Why it cannot be: Go is not there, or its modules are not.
    pub fn start(threads: usize) -> Result<Self, String> {
        build()?;
        let mut child = Command::new(PROGRAM)
            .env("GOMAXPROCS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{PROGRAM}: {error}"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or("Lattigo's process has no pipes")?;
        let mut lattigo = Self { child, input, output: BufReader::new(output) };
        let ready = lattigo.line()?;
        if !ready.starts_with("ready ") {
            return Err(format!("Lattigo said {ready:?} instead of that it is ready"));
        }
        Ok(lattigo)
    }

    /// Does an operation once.
    ///
    /// # Errors
    /// Where the process ended or does not know the operation.
    pub fn run(&mut self, operation: &str) -> Result<(), String> {
        writeln!(self.input, "{operation} 1").map_err(|error| format!("Lattigo: {error}"))?;
        let answer = self.line()?;
        answer.trim().parse::<u64>().map(|_| ()).map_err(|_| format!("Lattigo said {answer:?}"))
    }

    fn line(&mut self) -> Result<String, String> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(0) => Err("Lattigo's process ended".to_owned()),
            Ok(_) => Ok(line),
            Err(error) => Err(format!("Lattigo: {error}")),
        }
    }
}

impl Drop for Lattigo {
    fn drop(&mut self) {
        // It ends with its input, too; nothing is lost that way.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn build() -> Result<(), String> {
    let program = PathBuf::from(PROGRAM);
    let built = Command::new("go")
        .args(["build", "-mod=readonly", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(Path::new(SOURCE))
        .output()
        .map_err(|error| format!("go: {error}"))?;
    if built.status.success() {
        return Ok(());
    }
    Err(format!("go build: {}", String::from_utf8_lossy(&built.stderr).trim()))
}
