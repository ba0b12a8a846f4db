// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A folder with files, in which `halimede blake3` and `b3sum` run.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report what they measured or skipped"
)]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use halimede_blake3::blake3::Hasher;
use tempfile::TempDir;

/// The outcome of a run.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    pub fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }
}

/// A separate folder for a test.
pub struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: impl AsRef<Path>, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    /// Returns the hidden files in the folder.
    pub fn hidden(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| PathBuf::from(entry.unwrap().file_name()));
        names.filter(|name| name.to_string_lossy().starts_with('.')).collect()
    }

    /// Writes a file of this many random bytes and returns them.
    pub fn random(&self, name: impl AsRef<Path>, length: usize, seed: u64) -> Vec<u8> {
        let bytes = random(length, seed);
        self.write(name, &bytes);
        bytes
    }

    /// Runs `halimede blake3 …` in the folder.
    pub fn halimede<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Run {
        let mut command = Command::new(env!("CARGO_BIN_EXE_halimede"));
        self.run(command.arg("blake3").args(arguments), input)
    }

    /// Runs a command in the folder, with this standard input.
    pub fn run(&self, command: &mut Command, input: &[u8]) -> Run {
        let mut child = command
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A command that refuses its options does not read its input: ignore the broken pipe.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Run {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Returns this many random bytes.
pub fn random(length: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; length];
    Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

/// The real `b3sum`, in a folder in which `halimede blake3` runs too.
pub struct Peer {
    pub sandbox: Sandbox,
    program: PathBuf,
}

impl Peer {
    /// Finds `b3sum` by `HALIMEDE_B3SUM`. Without the variable, returns `None` with a note, or
    /// fails with `HALIMEDE_REQUIRE_PEERS=1`.
    pub fn find() -> Option<Self> {
        let Some(program) = std::env::var_os("HALIMEDE_B3SUM") else {
            let required = std::env::var_os("HALIMEDE_REQUIRE_PEERS").is_some_and(|it| it == "1");
            assert!(!required, "HALIMEDE_B3SUM does not name b3sum");
            eprintln!("skipped: HALIMEDE_B3SUM does not name b3sum; `make test-rust` installs it");
            return None;
        };
        Some(Self { sandbox: Sandbox::new(), program: program.into() })
    }

    pub fn b3sum<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Run {
        self.sandbox.run(Command::new(&self.program).args(arguments), input)
    }

    /// Runs both programs. Checks that standard output and exit codes are the same, and that each
    /// program writes to standard error only if it fails. Returns the run of ours.
    pub fn agree<S: AsRef<OsStr>>(&self, arguments: &[S], input: &[u8]) -> Run {
        let ours = self.sandbox.halimede(arguments, input);
        let theirs = self.b3sum(arguments, input);
        let asked: Vec<_> = arguments.iter().map(AsRef::as_ref).collect();
        assert_eq!(
            (ours.stdout.escape_ascii().to_string(), ours.code),
            (theirs.stdout.escape_ascii().to_string(), theirs.code),
            "{asked:?}: ours said {}, b3sum {}",
            ours.stderr,
            theirs.stderr
        );
        assert_eq!(ours.stderr.is_empty(), theirs.stderr.is_empty(), "{asked:?}: {}", ours.stderr);
        assert_eq!(ours.stderr.is_empty(), ours.code == Some(0), "{asked:?}");
        ours
    }
}
