// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests the header with programs in C and C++: every available compiler compiles them without
//! warnings; they are linked with the static and the shared library, and run.
//!
//! Without a compiler, these tests report it and pass; with `HALIMEDE_REQUIRE_C=1` they fail.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "tests report what they skipped")]

mod common;
#[path = "../examples/header/main.rs"]
#[allow(dead_code, reason = "the generator of the tested functions")]
mod header;
mod operations;

use std::fmt::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{built, folder, found, readme_examples, run};
use halimede_device::call::description;
use halimede_device::flat::ecdsa::Outcome;
use halimede_equihash::interface::verdict as proof_verdict;
use halimede_equihash::{minimal_from_indices, reference, Params};
use halimede_secp256k1::{verdict, Check, Mask};
use serde_json::Value;
use tempfile::TempDir;

const C: [&str; 2] = ["gcc", "clang"];
const CPP: [&str; 2] = ["g++", "clang++"];

/// The libraries that Rust's standard library needs in a static link
/// (`rustc --print=native-static-libs`).
const NATIVE: [&str; 4] = ["-lgcc_s", "-lpthread", "-lm", "-ldl"];

/// Creates a folder with the shared library under its soname.
fn loadable() -> TempDir {
    let library = built().join("libhalimede.so");
    let folder = TempDir::new().unwrap();
    let version: Vec<&str> = env!("CARGO_PKG_VERSION").split('.').collect();
    let soname = format!("libhalimede.so.{}.{}", version[0], version[1]);
    symlink(&library, folder.path().join(soname)).unwrap();
    symlink(&library, folder.path().join("libhalimede.so")).unwrap();
    folder
}

/// Compiles a source with every compiler, linked with the shared library, in a sweep also with the
/// static one, and passes each program to `check`.
fn with_each_program(
    compilers: &[&'static str],
    standard: &str,
    source: &Path,
    check: impl Fn(&mut Command),
) {
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let libraries = loadable();
    let mut links = vec![shared(libraries.path())];
    links.extend(is_sweep.then(linked_in));
    with_each_link(compilers, standard, source, &links, check);
}

/// Like `with_each_program`, but always with both libraries; a static link takes seconds.
fn with_each_library(
    compilers: &[&'static str],
    standard: &str,
    source: &Path,
    check: impl Fn(&mut Command),
) {
    let libraries = loadable();
    let links = [shared(libraries.path()), linked_in()];
    with_each_link(compilers, standard, source, &links, check);
}

fn with_each_link(
    compilers: &[&'static str],
    standard: &str,
    source: &Path,
    links: &[Vec<String>],
    check: impl Fn(&mut Command),
) {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("program");
    for compiler in found(compilers) {
        for link in links {
            compile(compiler, standard, source, link, &program);
            check(&mut Command::new(&program));
        }
    }
}

/// Returns the arguments that link with the shared library in this folder.
fn shared(libraries: &Path) -> Vec<String> {
    let folder = libraries.display();
    let words = ["-lhalimede", "-pthread"].map(String::from);
    [&words[..], &[format!("-L{folder}"), format!("-Wl,-rpath,{folder}")]].concat()
}

/// Returns the arguments that link with the static library, without its 70 MB of debug information.
fn linked_in() -> Vec<String> {
    let library = built().join("libhalimede.a").display().to_string();
    [&[library][..], &NATIVE.map(String::from), &["-Wl,--strip-debug".into()]].concat()
}

/// More flags for the compilers, separated by spaces: `make sanitize` sets them.
const FLAGS_VARIABLE: &str = "HALIMEDE_C_FLAGS";

/// Compiles a source; warnings are errors.
fn compile(compiler: &str, standard: &str, source: &Path, link: &[String], program: &Path) {
    let mut command = Command::new(compiler);
    command.args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-O1", standard]);
    command.args(std::env::var(FLAGS_VARIABLE).unwrap_or_default().split_whitespace());
    command.arg("-I").arg(folder().join("include")).arg(source).args(link);
    run(command.arg("-o").arg(program));
}

fn c_source(name: &str) -> PathBuf {
    folder().join("tests/c").join(name)
}

#[test]
fn published_answers() {
    let cases = tempfile::NamedTempFile::new().unwrap();
    let text = cases_text();
    std::fs::write(cases.path(), &text).unwrap();
    let expected = format!("{} published answers\n", text.lines().count());
    assert!(text.lines().count() > 40, "{expected}");
    with_each_library(&C, "-std=c99", &c_source("published.c"), |program| {
        assert_eq!(run(program.arg(cases.path())), expected);
    });
}

#[test]
fn batches() {
    with_each_program(&C, "-std=c99", &c_source("batches.c"), |program| {
        assert!(run(program).starts_with("batches on this processor, backend "));
    });
}

#[test]
fn batches_on_the_portable_backend() {
    with_each_program(&C, "-std=c99", &c_source("batches.c"), |program| {
        program.env("HALIMEDE_BACKEND", "portable");
        assert_eq!(run(program), "batches on this processor, backend portable\n");
    });
}

/// Every call reports the unknown backend: no other backend answers instead.
#[test]
fn a_backend_that_is_not_here_is_refused() {
    for source in ["batches.c", "threads.c"] {
        with_each_program(&C, "-std=c99", &c_source(source), |program| {
            let output = program.env("HALIMEDE_BACKEND", "avx1024").output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{source}");
            assert!(said.contains("HALIMEDE_BACKEND") && said.contains("avx1024"), "{said}");
        });
    }
}

#[test]
fn blake3() {
    let cases = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(cases.path(), blake3_text()).unwrap();
    with_each_program(&C, "-std=c99", &c_source("blake3.c"), |program| {
        assert_eq!(run(program.arg(cases.path())), "35 published lengths on this processor\n");
    });
}

#[test]
fn equihash_ecdsa_and_blocks() {
    let cases = tempfile::NamedTempFile::new().unwrap();
    let text = verify_text();
    std::fs::write(cases.path(), &text).unwrap();
    let expected = format!("{} known answers on this processor\n", text.lines().count());
    assert!(text.lines().count() > 300, "{expected}");
    with_each_program(&C, "-std=c99", &c_source("verify.c"), |program| {
        assert_eq!(run(program.arg(cases.path())), expected);
    });
}

#[test]
fn what_equihash_ecdsa_and_blocks_refuse() {
    with_each_program(&C, "-std=c99", &c_source("refusals_verify.c"), |program| {
        assert_eq!(run(program), "refusals\n");
    });
}

#[test]
fn operations_of_the_table() {
    let folder = TempDir::new().unwrap();
    let [path, key] = ["operations.c", "key"].map(|name| folder.path().join(name));
    let (source, printed) = operations::program(folder.path());
    std::fs::write(&path, source).unwrap();
    std::fs::copy(c_source("check.h"), folder.path().join("check.h")).unwrap();
    with_each_program(&C, "-std=c99", &path, |program| assert_eq!(run(program), printed));
    let proofs = description("groth16.verify").unwrap();
    std::fs::write(&key, proofs.examples[0].objects[0].1()).unwrap();
    with_each_program(&C, "-std=c99", &c_source("refusals_operations.c"), |program| {
        assert_eq!(run(program.arg(&key)), "refusals\n");
    });
}

/// Runs a program on the simulated card, if the card and a compiler are available, and returns its
/// output.
fn on_the_simulated_card(source: &str, arguments: &[&Path]) -> Option<String> {
    if std::env::var_os("HALIMEDE_CARD_SIM").is_none() {
        println!("skipped: HALIMEDE_CARD_SIM names no simulated card");
        return None;
    }
    let compiler = found(&C).into_iter().next()?;
    let libraries = loadable();
    let program = libraries.path().join("program");
    compile(compiler, "-std=c99", &c_source(source), &shared(libraries.path()), &program);
    Some(run(Command::new(&program).args(arguments).arg("sim")))
}

#[test]
fn batches_on_the_simulated_card() {
    if let Some(printed) = on_the_simulated_card("batches.c", &[]) {
        assert!(printed.starts_with("batches on sim, backend "), "{printed}");
    }
}

#[test]
fn blake3_on_the_simulated_card() {
    let cases = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(cases.path(), blake3_text()).unwrap();
    if let Some(printed) = on_the_simulated_card("blake3.c", &[cases.path()]) {
        assert_eq!(printed, "35 published lengths on sim\n");
    }
}

#[test]
fn equihash_ecdsa_and_blocks_on_the_simulated_card() {
    let cases = tempfile::NamedTempFile::new().unwrap();
    let text = verify_text();
    std::fs::write(cases.path(), &text).unwrap();
    if let Some(printed) = on_the_simulated_card("verify.c", &[cases.path()]) {
        assert_eq!(printed, format!("{} known answers on sim\n", text.lines().count()));
    }
}

#[test]
fn windows_of_engines() {
    with_each_program(&C, "-std=c99", &c_source("engines.c"), |program| {
        assert_eq!(run(program), "windows on this processor\n");
    });
    if let Some(printed) = on_the_simulated_card("engines.c", &[]) {
        assert_eq!(printed, "windows on sim\n");
    }
}

#[test]
fn refusals() {
    with_each_program(&C, "-std=c99", &c_source("refusals.c"), |program| {
        assert_eq!(run(program), "refusals\n");
    });
}

#[test]
fn threads_and_children() {
    with_each_library(&C, "-std=c99", &c_source("threads.c"), |program| {
        assert_eq!(run(program), "8 threads and 2 generations of children\n");
    });
}

#[test]
fn the_header_in_cpp() {
    for standard in ["-std=c++11", "-std=c++20"] {
        with_each_program(&CPP, standard, &c_source("header.cpp"), |program| {
            assert_eq!(run(program), "header\n");
        });
    }
}

#[test]
fn the_examples_of_the_readme() {
    for (source, printed) in readme_examples() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("example.c");
        std::fs::write(&path, source).unwrap();
        with_each_program(&C, "-std=c99", &path, |program| assert_eq!(run(program), printed));
    }
}

/// Writes the published vectors as input of `published.c`.
fn cases_text() -> String {
    let path = folder().join("../engines/poseidon/vectors/poseidon.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut text = String::new();
    for vector in list(&vectors["stark_poseidon_permutation"]["vectors"]) {
        if vector["iterations"].as_u64().unwrap_or(1) == 1 {
            permutation(&mut text, 2, &vector["input"], &vector["output"]);
        }
    }
    for vector in list(&vectors["starknet_hash"]["vectors"]) {
        let (input, output) = (&vector["input"], &vector["output"]);
        let function = match vector["fn"].as_str().unwrap() {
            "poseidon_hash_single" => 1,
            "poseidon_hash" => 2,
            "poseidon_hash_many" => 0,
            "hades_permutation" => {
                permutation(&mut text, 2, input, output);
                continue;
            }
            other => panic!("function {other}"),
        };
        let length = list(input).len();
        writeln!(text, "starknet {function} {length} {} {}", digits(input), digits(output))
            .unwrap();
    }
    for vector in list(&vectors["filecoin_poseidon"]["vectors"]) {
        let strength = u32::from(vector["strength"] == "Strengthened");
        let hash_type = match vector["hash_type"].as_str().unwrap() {
            "MerkleTree" => 0,
            name if name.starts_with("ConstantLength") => 1,
            other => panic!("hash type {other}"),
        };
        let input = &vector["input"];
        let (arity, length) = (&vector["arity"], list(input).len());
        let elements = format!("{} {}", digits(input), digits(&vector["digest"]));
        writeln!(text, "filecoin {arity} {strength} {hash_type} {length} {elements}").unwrap();
        if let Some(tag) = vector.get("initial_element0").filter(|tag| tag.is_string()) {
            let state = [std::slice::from_ref(tag), &list(input)[..]].concat();
            permutation(&mut text, strength, &state.into(), &vector["full_output_state"]);
        }
    }
    text
}

/// Writes the published vectors of BLAKE3 as input of `blake3.c`.
fn blake3_text() -> String {
    let path = folder().join("../engines/blake3/vectors/blake3.json");
    let vectors: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let word = |value: &Value, name: &str| value[name].as_str().unwrap().to_owned();
    let mut text = format!("{}\n{}\n", word(&vectors, "key"), word(&vectors, "context_string"));
    for case in list(&vectors["cases"]) {
        let outputs = ["hash", "keyed_hash", "derive_key"].map(|mode| word(case, mode)).join(" ");
        writeln!(text, "{} {outputs}", case["input_len"]).unwrap();
    }
    text
}

/// Writes published solutions, edge cases of ECDSA and a real block as input of `verify.c`. The
/// verdicts of Equihash are from the plain specification.
fn verify_text() -> String {
    let read =
        |path: &str| std::fs::read_to_string(folder().join("../engines").join(path)).unwrap();
    let json = |path: &str| -> Value { serde_json::from_str(&read(path)).unwrap() };
    let mut text = String::new();
    for case in list(&json("equihash/vectors/equihash.json")["cases"]) {
        let number = |value: &Value| u32::try_from(value.as_u64().unwrap()).unwrap();
        let params = Params::new(number(&case["n"]), number(&case["k"])).unwrap();
        let input = bytes(case["input"].as_str().unwrap());
        let indices: Vec<u32> = list(&case["indices"]).iter().map(number).collect();
        let Ok(solution) = minimal_from_indices(params, &indices) else { continue };
        let mask = reference::mask(params, &input, &solution).unwrap();
        let verdict = halimede_arith::interface::Outcome::of(&proof_verdict(mask)) as u8;
        let (n, k, input, solution) = (params.n(), params.k(), hex(&input), hex(&solution));
        writeln!(text, "equihash {n} {k} {verdict} {input} {solution}").unwrap();
    }
    for case in list(&json("secp256k1/vectors/checks.json")["checks"]) {
        let part = |name: &str| case[name].as_str().unwrap();
        let mask = Mask::from_bits(case["mask"].as_u64().unwrap() as u8).unwrap();
        // The key is checked before the numbers.
        let verdict = match mask {
            mask if mask.has(Check::OnCurve) => Outcome::Key,
            mask => Outcome::from(&verdict(mask)),
        };
        let key = format!("04{}{}", part("x"), part("y"));
        let (digest, r, s) = (part("digest"), part("r"), part("s"));
        writeln!(text, "ecdsa {} {key} {digest} {r}{s}", verdict as u8).unwrap();
    }
    let block = read("zcash/vectors/zcash_block_346.hex");
    let mut hash = bytes("000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f");
    hash.reverse();
    writeln!(text, "block {} {}", hex(&hash), block.trim()).unwrap();
    text
}

fn bytes(digits: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn permutation(text: &mut String, family: u32, input: &Value, output: &Value) {
    let width = list(input).len();
    writeln!(text, "permute {family} {width} {} {}", digits(input), digits(output)).unwrap();
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

/// Returns 64 digits per element, of an element or a list.
fn digits(value: &Value) -> String {
    match value.as_str() {
        Some(element) => format!("{:0>64}", element.strip_prefix("0x").unwrap()),
        None => list(value).iter().map(digits).collect::<Vec<_>>().join(" "),
    }
}
