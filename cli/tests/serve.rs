// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede serve` as a process: its first line, its end by signals, and its objects after it was
//! killed.

#![cfg(all(unix, feature = "serve"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use halimede_service::{Client, ClientError};
use serde_json::json;

const LIMIT: Duration = Duration::from_secs(60);
const TOKEN: &str = "a-token-that-nobody-logs";

struct Service {
    child: Child,
    address: SocketAddr,
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halimede"));
    command.arg("serve").args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Service {
    fn start(arguments: &[&str]) -> Self {
        let listen = ["--listen", "127.0.0.1:0"];
        let mut child = command(&[&listen[..], arguments].concat()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening on http://").unwrap();
        Self { address: address.parse().unwrap(), child }
    }

    fn client(&self) -> Client {
        Client::new(self.address).time_limit(LIMIT)
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(status.unwrap().success());
    }

    /// Returns its exit code and its log.
    fn end(mut self) -> (Option<i32>, String) {
        let end = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                let mut log = String::new();
                self.child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
                return (status.code(), log);
            }
            assert!(Instant::now() < end, "it does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn signals_under_load_lose_no_answer() {
    for signal in ["-TERM", "-INT"] {
        let service = Service::start(&[]);
        let ready = service.client();
        let items: Vec<_> = (0..300)
            .map(|number| json!({ "elements": [format!("0x{number:x}"), "0x7"] }))
            .collect();
        let expected = ready.call("/v1/poseidon/starknet-hash", &items).unwrap();
        let answered = thread::scope(|scope| {
            let clients: Vec<_> = (0..8)
                .map(|_| {
                    let client = service.client();
                    let (items, expected) = (&items, &expected);
                    scope.spawn(move || {
                        let mut answered = 0;
                        loop {
                            match client.call("/v1/poseidon/starknet-hash", items) {
                                Ok(answers) => assert_eq!(answers, *expected),
                                // The request was not accepted: no part of an answer arrived.
                                Err(ClientError::Connection(_)) => return answered,
                                Err(other) => panic!("{other}"),
                            }
                            answered += 1;
                        }
                    })
                })
                .collect();
            // The signal arrives under load.
            for _ in 0..20 {
                ready.call("/v1/poseidon/starknet-hash", &items).unwrap();
            }
            service.signal(signal);
            clients.into_iter().map(|client| client.join().unwrap()).sum::<usize>()
        });
        assert!(answered > 8, "{answered}");
        let (code, log) = service.end();
        assert_eq!(code, Some(0), "{log}");
        assert!(log.contains("the server is shutting down") && !log.contains("panicked"), "{log}");
    }
}

#[test]
fn a_killed_server_keeps_what_was_uploaded() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    let store = store.to_str().unwrap();
    let content: Vec<u8> =
        (0..3_000_000u32).map(|number| (number.wrapping_mul(number) >> 7) as u8).collect();
    let hash = blake3::hash(&content).to_hex().to_string();
    let path = format!("/v1/objects/{hash}?kind=kzg-setup&bytes={}", content.len());
    let mut received = 0;
    for end in [700_000, 1_900_000] {
        let service = Service::start(&["--store", store]);
        let client = service.client();
        if received > 0 {
            let found = client.send("GET", &format!("/v1/objects/{hash}"), "", &[]).unwrap();
            assert_eq!(found.json().unwrap()["received"], received);
        }
        let octets = "application/octet-stream";
        let target = format!("{path}&offset={received}");
        let answer = client.send("PUT", &target, octets, &content[received..end]).unwrap();
        assert_eq!(answer.status, 202);
        received = end;
        // The kill happens in the middle of another piece.
        let target = format!("{path}&offset={received}");
        let piece = &content[received..];
        thread::scope(|scope| {
            let sent = scope.spawn(|| drop(service.client().send("PUT", &target, octets, piece)));
            service.signal("-KILL");
            sent.join().unwrap();
        });
        drop(service);
        let found = Service::start(&["--store", store]);
        let standing = found.client().send("GET", &format!("/v1/objects/{hash}"), "", &[]).unwrap();
        // That piece is complete or absent; the complete content is not a setup, and is removed.
        if standing.status == 404 {
            return;
        }
        let standing = standing.json().unwrap();
        let all = [received, content.len()].map(|bytes| json!(bytes));
        assert!(all.contains(&standing["received"]), "{standing}");
        if standing["received"] == content.len() {
            return;
        }
    }
}

/// Returns the peak memory of a process, in millions of bytes.
#[cfg(target_os = "linux")]
fn peak_mb(service: &Service) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024 / 1_000_000
}

/// Bodies that are small as text but large as values stay within the memory limit, single and
/// together.
#[cfg(target_os = "linux")]
#[test]
fn hostile_bodies_stay_within_the_memory_for_requests() {
    let service = Service::start(&["--body-memory", "64M", "--most-body", "16M"]);
    let before = peak_mb(&service);
    let bytes = 15_800_000;
    let list = |name: &str, element: &str| {
        let elements = vec![element; bytes / (element.len() + 1)].join(",");
        format!("{{\"items\":[{{\"{name}\":[{elements}]}}]}}")
    };
    let items = vec!["{\"message\":\"\"}"; 65_536].join(",");
    let bodies = [
        ("/v1/blake3/hash", list("message", "{\"a\":0}")),
        ("/v1/blake3/hash", list("message", "0")),
        ("/v1/poseidon/starknet-hash?mode=many", list("elements", "\"0x1\"")),
        ("/v1/blake3/hash?length=1024", format!("{{\"items\":[{items}]}}")),
    ];
    let send = |(path, body): &(&str, String)| {
        let answer = service.client().send("POST", path, "application/json", body.as_bytes());
        let status = answer.unwrap().status;
        assert!([200, 413, 429].contains(&status), "{path}: {status}");
    };
    bodies.iter().for_each(send);
    thread::scope(|scope| {
        bodies.iter().chain(&bodies).for_each(|body| drop(scope.spawn(|| send(body))));
    });
    let (after, slack) = (peak_mb(&service), 128);
    eprintln!("{before} MB before hostile bodies, {after} at most");
    assert!(after < before + 64 + slack, "{before} MB, then {after}");
}

/// Returns files of about 150 bytes whose rings need tens of megabytes.
#[cfg(target_os = "linux")]
#[test]
fn rings_stay_within_the_memory_for_keys() {
    use halimede_ckks::params::{ChainShape, SecretKind, SecurityLevel};
    use halimede_ckks::{EvaluationKeys, Parameters};
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().to_str().unwrap();
    let service = Service::start(&["--store", store, "--key-memory", "120M"]);
    let client = service.client();
    let before = peak_mb(&service);
    for levels in 16..26 {
        let steps = vec![8; levels];
        let shape = ChainShape { log_degree: 16, base_units: 12, steps, digits: 4 };
        let parameters = Parameters::dry(shape, SecretKind::Ternary, SecurityLevel::Bits128);
        let mut file = Vec::new();
        EvaluationKeys::new(&parameters.unwrap()).save(&mut file).unwrap();
        let keys = client.upload("ckks-keys", &file).unwrap();
        let item = json!({ "inputs": [{ "name": "x", "ciphertext": "00" }] });
        let path = format!("/v1/ckks/evaluate?keys={keys}&expression=x");
        let answers = client.call(&path, &[item]).unwrap();
        assert!(answers[0]["error"].as_str().unwrap().contains("the file ends"), "{answers:?}");
    }
    let (after, slack) = (peak_mb(&service), 64);
    eprintln!("{before} MB before ten rings, {after} at most");
    assert!(after < before + 120 + slack, "{before} MB, then {after}");
}

#[test]
fn tokens_are_not_logged() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let tokens = folder.path().join("tokens");
    std::fs::write(&tokens, format!("somebody {TOKEN}\n")).unwrap();
    std::fs::set_permissions(&tokens, std::fs::Permissions::from_mode(0o600)).unwrap();
    let service = Service::start(&["--tokens", tokens.to_str().unwrap()]);
    let items = [json!({ "message": "00" })];
    assert!(service.client().call("/v1/blake3/hash", &items).is_err());
    assert!(service.client().token(TOKEN).call("/v1/blake3/hash?length=5", &items).is_ok());
    service.signal("-TERM");
    let (code, log) = service.end();
    assert_eq!(code, Some(0));
    assert!(log.contains("somebody") && log.contains("status=401"), "{log}");
    assert!(!log.contains(TOKEN) && !log.contains("length=5"), "{log}");
}

#[test]
fn what_cannot_be_served_is_bad_input() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "a 0123456789abcdef\n").unwrap();
    let file = file.to_str().unwrap();
    for (arguments, reason) in [
        (&["--listen", "0.0.0.0:0"][..], "--allow-anyone"),
        (&["--listen", "somewhere"], "expected an address"),
        (&["--tokens", file], "chmod 600"),
        (&["--store", file], "file"),
        (&["--quota", "many"], "a number of bytes"),
        (&["--allow-anyone", "--tokens", file], "cannot be used with"),
    ] {
        let output = command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
    let output = command(&[]).env("HALIMEDE_LOG", "=loud").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Runs the soak of `make soak` for half a minute.
#[test]
fn honest_clients_are_answered_beside_hostile_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut soak = Command::new("python3");
    soak.arg(root.join("service/tests/soak")).args([
        "--minutes",
        "0.3",
        "--untimed",
        "--rate",
        "10",
    ]);
    soak.args(["--command", env!("CARGO_BIN_EXE_halimede")]).stdin(Stdio::null());
    match soak.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let log = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}{log}");
        }
        Err(error) => {
            let is_required = std::env::var_os("HALIMEDE_REQUIRE_PEERS").is_some();
            assert!(!is_required, "python3: {error}");
        }
    }
}
