// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the built libraries and the available C compilers, and runs programs.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report what they measured or skipped"
)]

pub mod replacement;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Returns the folder of this crate.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The variable with the folder of libraries that are already built. `make test-rust` sets it: it
/// builds the whole workspace at once, so that dependencies are compiled only once.
const BUILT_VARIABLE: &str = "HALIMEDE_C_LIBRARIES";

/// Returns the folder with this crate's shared and static library, built with the settings of this
/// test: cargo does not build them for an integration test.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        if let Some(folder) = std::env::var_os(BUILT_VARIABLE) {
            return folder.into();
        }
        // …/target/PROFILE/deps/test
        let test = std::env::current_exe().unwrap();
        let output = test.parent().unwrap().parent().unwrap();
        let profile = match output.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let mut build = Command::new(env!("CARGO"));
        let package = env!("CARGO_PKG_NAME");
        build.args(["build", "--quiet", "--lib", "-p", package, "--profile", profile]);
        build.arg("--target-dir").arg(output.parent().unwrap());
        run(build.arg("--locked").arg("--manifest-path").arg(folder().join("Cargo.toml")));
        output.to_path_buf()
    })
}

/// Runs a command that must succeed, and returns its output.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (printed, errors) = (&output.stdout[..], &output.stderr[..]);
    let (printed, errors) = (String::from_utf8_lossy(printed), String::from_utf8_lossy(errors));
    assert!(output.status.success(), "{command:?}: {}\n{printed}{errors}", output.status);
    printed.into_owned()
}

/// Returns `true` if a program is installed.
pub fn is_here(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Returns the installed ones of these programs. Without any, reports it, or fails with
/// `HALIMEDE_REQUIRE_C=1`.
pub fn found(programs: &[&'static str]) -> Vec<&'static str> {
    let found: Vec<&str> = programs.iter().copied().filter(|program| is_here(program)).collect();
    if found.is_empty() {
        let required = std::env::var_os("HALIMEDE_REQUIRE_C").is_some_and(|value| value == "1");
        assert!(!required, "none of {programs:?} is installed");
        println!("skipped: none of {programs:?} is installed");
    }
    found
}

/// Returns the programs in the README, with their expected outputs.
pub fn readme_examples() -> Vec<(String, String)> {
    let readme = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let blocks = |language: &str| {
        let beginning = format!("```{language}\n");
        let parts: Vec<String> = readme.split(&beginning).skip(1).map(str::to_owned).collect();
        let block = |part: String| part.split_once("```\n").unwrap().0.to_owned();
        parts.into_iter().map(block).collect::<Vec<String>>()
    };
    let (sources, printed) = (blocks("c"), blocks("text"));
    assert!(sources.len() == printed.len() && sources.len() > 1);
    sources.into_iter().zip(printed).collect()
}
