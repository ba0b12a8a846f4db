// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs every command of the READMEs and every example of `--help` as written, in order, in a
//! folder with the files that the examples name.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "tests report what they measured or skipped")]

mod curves;
mod extract;
mod inputs;
#[path = "../../../engines/ckks_nn/tests/all/model_file.rs"]
#[allow(dead_code, reason = "the engine's tests use all of it")]
mod model_file;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use extract::{commands, examples_of_document, examples_of_help};

/// The README first.
const READMES: [&str; 9] = [
    include_str!("../../../README.md"),
    include_str!("../../../engines/poseidon/README.md"),
    include_str!("../../../engines/blake3/README.md"),
    include_str!("../../../engines/ckks_nn/README.md"),
    include_str!("../../../engines/equihash/README.md"),
    include_str!("../../../engines/secp256k1/README.md"),
    include_str!("../../../engines/bls12_381/README.md"),
    include_str!("../../../engines/zcash/README.md"),
    include_str!("../../../engines/filecoin/README.md"),
];

/// Examples that need gigabytes or a third of a minute, by the words after `halimede `, with their
/// cost. They run only with `HALIMEDE_SWEEP=1`.
const HEAVY: [(&str, &str); 10] = [
    ("tour --device sim ", "most of a minute; the tests of the card do the same jobs"),
    ("card bench --device sim ", "a third of a minute; the command's own test measures the link"),
    (
        "card selftest --device sim ",
        "the same; the command's own test runs it, and the example behind it",
    ),
    ("ckks bootstrap-demo --params n16-boot-precise", "7 GB and two minutes"),
    ("ckks bootstrap-demo --repeat 3", "7 GB and a minute"),
    ("ckks bootstrap-demo --slots 8 --few-keys", "3 GB and a minute"),
    ("ckks bootstrap-demo --in x.npy", "7 GB and a minute"),
    (
        "ckks train-logistic samples.csv --rows 1024",
        "5 GB and minutes; its test takes a small ring",
    ),
    ("ckks train-logistic samples.csv --test others.csv", "5 GB and minutes"),
    ("zcash solve --n 144 --k 5", "1.9 GB and half a minute"),
];

/// The time limit of an example.
const LIMIT: Duration = Duration::from_secs(600);

/// How an example is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Runs,
    /// Starts a server, which is stopped after the examples that follow.
    Serves,
    /// Serves over HTTP until it is stopped.
    Answers,
    /// Runs only in sweeps.
    Heavy,
}

fn fate(command: &str) -> Fate {
    let is_heavy = |(start, _): &(&str, &str)| {
        let rest = command.split_once("halimede ").map_or("", |(_, rest)| rest);
        format!("{rest} ").starts_with(start)
    };
    if command.contains("card serve ") {
        Fate::Serves
    } else if command.contains("halimede serve") {
        Fate::Answers
    } else if HEAVY.iter().any(is_heavy) {
        Fate::Heavy
    } else {
        Fate::Runs
    }
}

/// Returns a search path that begins with the folders of the command and of substitutes for
/// programs.
fn search_path(folder: &Path) -> std::ffi::OsString {
    let built = Path::new(env!("CARGO_BIN_EXE_halimede")).parent().unwrap().to_path_buf();
    let others = std::env::var_os("PATH").unwrap();
    let first = [built, folder.join("bin")];
    std::env::join_paths(first.into_iter().chain(std::env::split_paths(&others))).unwrap()
}

fn needs_card(command: &str) -> bool {
    command.contains("--device sim") || command.contains("card serve ")
}

fn shell(command: &str, folder: &Path) -> Command {
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", command]).current_dir(folder);
    shell.env("PATH", search_path(folder)).stdin(Stdio::null());
    shell
}

/// A server that an example starts; dropping it stops the server.
struct Server(Child);

impl Server {
    /// Starts the server, and waits for its socket.
    fn start(command: &str, folder: &Path) -> Self {
        let command = format!("exec {}", command.trim_end_matches('&'));
        let mut server = shell(&command, folder);
        server.stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut server = Self(server.spawn().unwrap());
        let end = Instant::now() + Duration::from_secs(60);
        while std::os::unix::net::UnixStream::connect(folder.join("card.sock")).is_err() {
            assert!(Instant::now() < end && server.0.try_wait().unwrap().is_none(), "{command}");
            std::thread::yield_now();
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts an HTTP server at a free port, checks that it answers, and stops it.
fn answers_over_http(command: &str, folder: &Path) {
    let words = command.split(' ').collect::<Vec<_>>();
    let at = words.iter().position(|word| *word == "--listen").map(|flag| words[flag + 1]);
    let host = at.map_or("127.0.0.1", |address| address.split(':').next().unwrap());
    let command = match at {
        Some(address) => command.replacen(address, &format!("{host}:0"), 1),
        None => format!("{command} --listen {host}:0"),
    };
    let mut server = shell(&format!("exec {command}"), folder);
    let mut server = server.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().rsplit_once(':').unwrap_or_else(|| panic!("{command}: {line}")).1;
    let mut stream = TcpStream::connect(("127.0.0.1", port.parse().unwrap())).unwrap();
    stream
        .write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{command}: {answer}");
    Command::new("kill").arg(server.id().to_string()).status().unwrap();
    let ended = server.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(0), "{command}: {said}");
}

/// Returns `true` if the simulator has been built; fails without it if `HALIMEDE_REQUIRE_RTL=1`.
fn simulator_is_here() -> bool {
    let found = halimede_device::simulator::Image::default().find();
    let required = std::env::var("HALIMEDE_REQUIRE_RTL").is_ok_and(|value| value == "1");
    assert!(!required || found.is_ok(), "{found:?}");
    found.is_ok()
}

fn run_all(examples: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    inputs::write(folder.path());
    let has_card = simulator_is_here();
    let is_sweep = std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1");
    let mut server = None;
    for example in examples {
        let start = Instant::now();
        match fate(example) {
            Fate::Serves if has_card => {
                server = Some(Server::start(example, folder.path()));
                continue;
            }
            _ if !has_card && needs_card(example) => {
                println!("skipped, for want of a simulated card: {example}");
                continue;
            }
            Fate::Answers => {
                answers_over_http(example, folder.path());
                continue;
            }
            Fate::Heavy if !is_sweep => {
                println!("skipped, HALIMEDE_SWEEP=1 runs it: {example}");
                continue;
            }
            _ => {}
        }
        let Output { status, stdout, stderr } = shell(example, folder.path()).output().unwrap();
        let [printed, said] =
            [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(status.code(), Some(0), "{example}\n{printed}\n{said}");
        assert!(!said.contains("panicked"), "{example}\n{said}");
        assert!(start.elapsed() < LIMIT, "{example} takes too long");
        println!("{:6.2} s  {example}", start.elapsed().as_secs_f64());
    }
    drop(server);
}

#[test]
fn the_examples_of_the_readmes_run() {
    let documents = READMES.map(examples_of_document);
    for (number, examples) in documents.iter().enumerate() {
        assert!(examples.len() >= 2, "document {number}: {examples:#?}");
    }
    run_all(&documents.concat());
}

#[test]
fn the_examples_of_the_help_run() {
    let examples = examples_of_help(&mut Vec::new());
    assert!(examples.len() > 50, "{examples:#?}");
    run_all(&examples);
}

/// The page of the command names every command, so that a search in the book finds it.
#[test]
fn every_command_is_on_its_page() {
    let page = include_str!("../../../docs/command.md");
    let all = commands(&mut Vec::new());
    assert!(all.len() > 30, "{all:?}");
    for command in all.iter().filter(|command| !command.starts_with("batch ")) {
        assert!(page.contains(&format!("`halimede {command}`")), "{command}");
    }
}

/// Every entry of the list of heavy examples is an example.
#[test]
fn every_heavy_example_is_there() {
    let mut all = READMES.map(examples_of_document).concat();
    all.extend(examples_of_help(&mut Vec::new()));
    for (start, why) in HEAVY {
        let is_there =
            |example: &String| format!("{example} ").contains(&format!("halimede {start}"));
        assert!(all.iter().any(is_there), "no example begins with {start:?} ({why})");
    }
    assert!(all.iter().all(|example| !example.contains('…')), "{all:#?}");
}
