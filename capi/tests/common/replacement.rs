// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests of the libraries with the interface of another one: a C program reads cases from lines.

use std::ffi::OsStr;
use std::fmt::Write;
use std::process::Command;

use tempfile::TempDir;

use super::{built, folder, found, run};

/// The libraries that Rust's standard library needs in a static link.
const NATIVE: [&str; 4] = ["-lgcc_s", "-lpthread", "-lm", "-ldl"];

/// Returns a line: its start, and fields of hexadecimal digits, `-` for an empty one.
pub fn line(start: &str, fields: &[&[u8]]) -> String {
    let mut line = start.to_owned();
    for field in fields {
        line.push(' ');
        match field.is_empty() {
            true => line.push('-'),
            false => field.iter().for_each(|byte| write!(line, "{byte:02x}").unwrap()),
        }
    }
    line + "\n"
}

/// Compiles a program in `tests/c` as C and as C++, with additional options for C++, links it with
/// the library in every way, and checks its output.
pub fn check(
    library: &str,
    source: &str,
    options_of_cpp: &[&str],
    arguments: &[impl AsRef<OsStr>],
    expected: &str,
) {
    let temporary = TempDir::new().unwrap();
    let program = temporary.path().join("program");
    let libraries = built();
    let version: Vec<&str> = env!("CARGO_PKG_VERSION").split('.').collect();
    let shared_library = format!("lib{library}.so");
    for name in [&format!("{shared_library}.{}.{}", version[0], version[1]), &shared_library] {
        let library = libraries.join(&shared_library);
        std::os::unix::fs::symlink(library, temporary.path().join(name)).unwrap();
    }
    let place = temporary.path().display();
    let shared = [
        format!("-l{library}"),
        "-pthread".into(),
        format!("-L{place}"),
        format!("-Wl,-rpath,{place}"),
    ];
    let linked_in = libraries.join(format!("lib{library}.a")).display().to_string();
    let linked_in =
        [&[linked_in, "-Wl,--strip-debug".into()][..], &NATIVE.map(String::from)].concat();
    let all = [&shared[..], &linked_in];
    for (compilers, language, standard, options, links) in [
        (["gcc", "clang"], "c", "-std=c99", &[][..], &all[..]),
        (["g++", "clang++"], "c++", "-std=c++17", options_of_cpp, &all[..1]),
    ] {
        for compiler in found(&compilers) {
            for link in links {
                let mut command = Command::new(compiler);
                command.args(["-Wall", "-Wextra", "-Werror", "-O1", standard]).args(options);
                command.arg("-I").arg(folder().join("include")).args(["-x", language]);
                command.arg(folder().join("tests/c").join(source)).args(["-x", "none"]).args(*link);
                run(command.arg("-o").arg(&program));
                assert_eq!(run(Command::new(&program).args(arguments)), expected, "{compiler}");
            }
        }
    }
}
