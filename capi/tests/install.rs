// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `make install` into an empty folder: checks the installed files, that the README's example
//! compiles against them with pkg-config, and that `make uninstall` leaves nothing.
//!
//! If a tool is missing, these tests report it and pass; with `HALIMEDE_REQUIRE_C=1` they fail
//! without a compiler or make.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{built, folder, found, is_here, readme_examples, run};
use tempfile::TempDir;

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn make(target: &str, variables: &[String]) {
    let mut make = Command::new("make");
    make.arg("-C").arg(folder().join("..")).args(["--silent", target]).args(variables);
    run(make.arg(format!("BUILT={}", built().display())));
}

/// Returns the files and links below a folder, relative to it.
fn files(root: &Path) -> Vec<String> {
    let mut found = vec![];
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(root).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

fn soname() -> String {
    let version: Vec<&str> = VERSION.split('.').collect();
    format!("libhalimede.so.{}.{}", version[0], version[1])
}

/// Writes the README's first program into a folder. Returns its path and its expected output.
fn example(folder: &Path) -> (PathBuf, String) {
    let (text, printed) = readme_examples().swap_remove(0);
    let source = folder.join("example.c");
    std::fs::write(&source, text).unwrap();
    (source, printed)
}

#[test]
fn an_installed_library_is_found_by_pkg_config() {
    let compilers = found(&["gcc", "clang"]);
    if compilers.is_empty() || found(&["make"]).is_empty() {
        return;
    }
    let (prefix, work) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let variables = [format!("PREFIX={}", prefix.path().display())];
    make("install-built", &variables);
    let mut expected = vec![
        "include/halimede.h".to_owned(),
        "lib/libhalimede.a".into(),
        "lib/libhalimede.so".into(),
        format!("lib/{}", soname()),
        format!("lib/libhalimede.so.{VERSION}"),
        "lib/pkgconfig/halimede.pc".into(),
    ];
    expected.sort();
    assert_eq!(files(prefix.path()), expected);

    if !is_here("pkg-config") {
        println!("skipped: pkg-config is not installed");
    } else {
        let (source, printed) = example(work.path());
        for (compiler, link) in compilers.iter().flat_map(|one| [(one, ""), (one, "--static")]) {
            let mut flags = Command::new("pkg-config");
            flags.env("PKG_CONFIG_PATH", prefix.path().join("lib/pkgconfig"));
            flags.args(["--cflags", "--libs", "halimede"]).args(link.split_whitespace());
            let flags = run(&mut flags);
            let program = work.path().join("example");
            let mut compile = Command::new(compiler);
            compile.args(["-std=c99", "-Wall", "-Werror"]).arg(&source);
            run(compile.args(flags.split_whitespace()).arg("-o").arg(&program));
            let mut example = Command::new(&program);
            example.env("LD_LIBRARY_PATH", prefix.path().join("lib"));
            assert_eq!(run(&mut example), printed);
            // The loader looks for the versioned name, so that a later interface is not loaded.
            std::fs::rename(prefix.path().join("lib").join(soname()), work.path().join("away"))
                .unwrap();
            let missing = example.output().unwrap();
            assert!(String::from_utf8_lossy(&missing.stderr).contains(&soname()), "{missing:?}");
            std::fs::rename(work.path().join("away"), prefix.path().join("lib").join(soname()))
                .unwrap();
        }
    }
    make("uninstall", &variables);
    assert_eq!(files(prefix.path()), Vec::<String>::new());
}

#[test]
fn a_package_is_staged_under_destdir() {
    if found(&["make"]).is_empty() {
        return;
    }
    let staging = TempDir::new().unwrap();
    let destination = format!("DESTDIR={}", staging.path().display());
    let variables = [destination, "PREFIX=/usr".into(), "LIBDIR=/usr/lib64".into()];
    make("install-built", &variables);
    let description =
        std::fs::read_to_string(staging.path().join("usr/lib64/pkgconfig/halimede.pc")).unwrap();
    let lines: Vec<&str> = description.lines().take(3).collect();
    let (library, header) = ("libdir=${prefix}/lib64", "includedir=${prefix}/include");
    assert_eq!(lines, ["prefix=/usr", library, header]);
    assert!(description.contains(&format!("Version: {VERSION}\n")), "{description}");
    assert!(!description.contains('@') && !description.contains("DESTDIR"), "{description}");
    assert!(staging.path().join("usr/include/halimede.h").is_file());
    make("uninstall", &variables);
    assert_eq!(files(staging.path()), Vec::<String>::new());
}

/// The libraries with the interface of another one.
#[test]
fn the_other_libraries_are_installed_apart() {
    if found(&["make"]).is_empty() {
        return;
    }
    let prefix = TempDir::new().unwrap();
    let variables = [format!("PREFIX={}", prefix.path().display())];
    let parts = ["", "_extrakeys", "_recovery", "_schnorrsig"];
    let mut headers = vec!["halimede_secp256k1.h".to_owned()];
    headers.extend(parts.map(|part| format!("secp256k1{part}.h")));
    for (name, headers) in [("ckzg", vec!["ckzg.h".to_owned()]), ("secp256k1", headers)] {
        make(&format!("install-built-{name}"), &variables);
        let library = format!("lib/libhalimede_{name}");
        let mut expected = vec![
            format!("{library}.a"),
            format!("{library}.so"),
            soname().replace("libhalimede", &library),
            format!("{library}.so.{VERSION}"),
        ];
        expected.extend(headers.iter().map(|header| format!("include/{header}")));
        expected.sort();
        assert_eq!(files(prefix.path()), expected);
        make(&format!("uninstall-{name}"), &variables);
        assert_eq!(files(prefix.path()), Vec::<String>::new());
    }
}

#[test]
fn a_relative_prefix_is_refused() {
    if found(&["make"]).is_empty() {
        return;
    }
    let mut make = Command::new("make");
    make.arg("-C").arg(folder().join("..")).args(["--silent", "install-built", "PREFIX=here"]);
    let output = make.output().unwrap();
    assert!(!output.status.success());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(errors.contains("PREFIX must be an absolute path, got here"), "{errors}");
}
