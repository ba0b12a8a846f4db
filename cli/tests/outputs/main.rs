// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Output files of real processes: at unusual places, raced, interrupted and killed; and inputs
//! that are truncated, have additional data, or change while they are read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod inputs;
mod interrupts;
mod places;
mod races;

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// The outcome of a run.
#[derive(Debug)]
struct Run {
    code: Option<i32>,
    signal: Option<i32>,
    stdout: Vec<u8>,
    stderr: String,
}

/// A folder in which `halimede` runs.
struct Sandbox(TempDir);

impl Sandbox {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// Writes a file of random bytes, which depend on the seed.
    fn random(&self, name: &str, length: usize, seed: u64) -> Vec<u8> {
        let mut bytes = vec![0; length];
        ChaCha8Rng::seed_from_u64(seed).fill_bytes(&mut bytes);
        self.write(name, &bytes);
        bytes
    }

    /// Returns the names in the folder, including hidden ones.
    fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<std::fs::DirEntry>| {
            entry.unwrap().file_name().into_string().unwrap()
        };
        let mut names: Vec<String> = self.0.path().read_dir().unwrap().map(name).collect();
        names.sort();
        names
    }

    fn command(&self, arguments: &[&str]) -> Command {
        // Tests that run in the background may ignore interrupts: restore the default.
        let mut command = Command::new("env");
        command.arg("--default-signal=INT,TERM,HUP").arg(env!("CARGO_BIN_EXE_halimede"));
        command.args(arguments).current_dir(self.0.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, b"")
    }

    fn run_with(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self.command(arguments).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that refuses its options does not read its input.
        let _ = stdin.write_all(input);
        drop(stdin);
        finish(child)
    }

    /// Runs the command, which must succeed.
    fn ok(&self, arguments: &[&str]) -> Run {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(0), "{arguments:?}: {}", run.stderr);
        run
    }

    /// Runs the command, which must fail with this exit code and these words.
    fn fails(&self, arguments: &[&str], code: i32, words: &str) {
        let run = self.run(arguments);
        assert_eq!(run.code, Some(code), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{arguments:?}: {}", run.stderr);
    }

    /// Returns `true` if a stored tree is the complete tree of a file.
    fn is_tree_of(&self, tree: &str, file: &str) -> bool {
        let root = self.ok(&["blake3", "--no-names", file]).stdout;
        let root = String::from_utf8(root).unwrap();
        let arguments =
            ["blake3", "verify", root.trim(), file, "--tree", tree, "--out", "/dev/null"];
        self.run(&arguments).code == Some(0)
    }
}

fn finish(child: Child) -> Run {
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code(),
        signal: output.status.signal(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Waits until a condition holds, for at most a minute.
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < end, "still not: {what}");
        std::thread::yield_now();
    }
}

/// Returns `true` if a process has a file open whose path contains these words.
fn has_open(child: &Child, words: &str) -> bool {
    let Ok(files) = std::fs::read_dir(format!("/proc/{}/fd", child.id())) else { return false };
    files.flatten().any(|file| {
        std::fs::read_link(file.path()).is_ok_and(|path| path.to_string_lossy().contains(words))
    })
}

/// Sends a signal with the program `kill`.
fn send(child: &Child, signal: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
}
