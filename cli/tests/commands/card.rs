// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The command on the simulated card: the answers are the same as on the processor; failures of the
//! card are handled. Without a built simulator, the tests are skipped with a note.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests report what they measured or skipped"
)]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::halimede;
use halimede_arith::Felt;
use halimede_secp256k1::known_answers::startup_answers;
use halimede_secp256k1::operations::VerifyRequest;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};

/// See engines/zcash/vectors/README.md.
const BLOCK_346: &str = include_str!("../../../engines/zcash/vectors/zcash_block_346.hex");

/// Returns `true` if the simulator has been built. Without it, a test passes with a note, or fails
/// with `HALIMEDE_REQUIRE_RTL=1`.
fn simulator_is_here() -> bool {
    let missing = match halimede_device::simulator::Image::default().find() {
        Ok(_) => return true,
        Err(error) => error,
    };
    let required = std::env::var("HALIMEDE_REQUIRE_RTL").is_ok_and(|value| value == "1");
    assert!(!required, "{missing}");
    eprintln!("skipped: {missing}");
    false
}

/// A simulated card started by `halimede card serve`; dropping it stops the card.
struct Served {
    child: Child,
}

impl Served {
    fn start(socket: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_halimede"))
            .args(["card", "serve", "--socket"])
            .arg(socket)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        assert!(line.starts_with("listening"), "{line}");
        Self { child }
    }

    fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns lines of different pairs for `batch poseidon.starknet_hash`.
fn pairs(count: u64) -> String {
    let line = |i: u64| format!("{} {}\n", Felt::from(i).pow(&[77]), Felt::from(i * i + 1));
    (0..count).map(line).collect()
}

const HASH: [&str; 2] = ["batch", "poseidon.starknet_hash"];

#[test]
fn the_tour_and_the_startup_test_pass_on_the_simulated_card() {
    if !simulator_is_here() {
        return;
    }
    let run = halimede(&["--json", "tour", "--device", "sim"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let tour: Value = serde_json::from_str(&run.stdout).unwrap();
    let rows = tour["tour"].as_array().unwrap();
    let ok = rows.iter().filter(|row| row["check"] == "ok").count();
    assert!(ok >= 5, "{rows:?}");
    assert!(rows.iter().all(|row| row["check"] == "ok" || row["check"] == "not_on_this_device"));
    for job in ["equihash (200, 9): proof of work of Zcash block 346", "secp256k1: signatures"] {
        let is_it = |row: &&Value| row["job"].as_str().unwrap().starts_with(job);
        let row = rows.iter().find(is_it).unwrap_or_else(|| panic!("no {job}"));
        assert_eq!(row["check"], "ok", "{row}");
    }
    let run = halimede(&["--json", "card", "selftest"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let checks: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(checks["selftest"].as_array().unwrap().iter().all(|check| check["passed"] == true));
}

#[test]
fn lines_are_hashed_alike_on_both_devices() {
    if !simulator_is_here() {
        return;
    }
    let input = pairs(50) + "0x1\n" + &pairs(3);
    let cpu = halimede(&HASH, input.as_bytes());
    let sim = halimede(&[&HASH[..], &["--device", "sim"]].concat(), input.as_bytes());
    assert_eq!((cpu.code, sim.code), (Some(2), Some(2)));
    assert_eq!(cpu.stdout, sim.stdout);
}

#[test]
fn signatures_are_judged_alike_on_both_devices() {
    if !simulator_is_here() {
        return;
    }
    let line = |request: &VerifyRequest| {
        let VerifyRequest { r, s, digest, x, y } = request;
        let hex = |parts: &[&[u8]]| hex::encode(parts.concat());
        let (key, signature) = (hex(&[&[4], x, y]), hex(&[r, s]));
        format!("{}\n", json!({ "key": key, "digest": hex(&[digest]), "sig": signature }))
    };
    let known = startup_answers().unwrap();
    let mut input: String = known.iter().map(|answer| line(&answer.request)).collect();
    input.insert_str(0, "no signature\n");
    let verify = ["--json", "batch", "secp256k1.verify", "--format", "compact"];
    let cpu = halimede(&verify, input.as_bytes());
    let sim = halimede(&[&verify[..], &["--device", "sim"]].concat(), input.as_bytes());
    assert_eq!((cpu.code, sim.code), (Some(2), Some(2)), "{}", sim.stderr);
    assert_eq!(cpu.stdout, sim.stdout);
    let valid = known.iter().filter(|answer| answer.mask.is_valid()).count();
    assert_eq!(sim.stdout.matches("\"valid\":true").count(), valid, "{}", sim.stdout);
    for reason in ["r is not from 1", "s is not from 1", "at infinity", "not this key's"] {
        assert!(sim.stdout.contains(reason), "{reason}: {}", sim.stdout);
    }
}

#[test]
fn a_block_is_judged_alike_on_both_devices() {
    if !simulator_is_here() {
        return;
    }
    let verdict = |device: &str, block: &[u8]| {
        let arguments = ["--json", "zcash", "verify-block", "-", "--device", device];
        let run = halimede(&arguments, block);
        let mut json: Value = serde_json::from_str(&run.stdout).unwrap();
        (run.code, json["checks"].take(), json["proof_of_work"].take())
    };
    let block = hex::decode(BLOCK_346.trim()).unwrap();
    let valid = verdict("sim", &block);
    assert_eq!((valid.0, &valid), (Some(5), &verdict("cpu", &block)));
    let mut random = ChaCha8Rng::seed_from_u64(346);
    for place in [random.gen_range(0..140), random.gen_range(143..1487)] {
        let mut flipped = block.clone();
        flipped[place] ^= 1 << random.gen_range(0..8);
        let invalid = verdict("sim", &flipped);
        assert_eq!((invalid.0, &invalid), (Some(1), &verdict("cpu", &flipped)), "byte {place}");
    }
}

#[test]
fn a_tree_has_the_same_root_on_both_devices() {
    if !simulator_is_here() {
        return;
    }
    let leaf = |index: u64| Felt::from(index + 1).pow(&[35]).to_le_bytes();
    let leaves: Vec<u8> = (0..64).flat_map(leaf).collect();
    for arity in ["2", "8"] {
        let arguments = ["poseidon", "tree", "--arity", arity, "-"];
        let cpu = halimede(&arguments, &leaves);
        let sim = halimede(&[&arguments[..], &["--device", "sim"]].concat(), &leaves);
        assert_eq!((cpu.code, sim.code), (Some(0), Some(0)), "{}", sim.stderr);
        assert_eq!(cpu.stdout, sim.stdout);
    }
    let leaves = &leaves[..16 * 32];
    let arguments = ["poseidon", "tree", "--arity", "16", "-", "--device", "sim"];
    let missing = halimede(&arguments, leaves);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    assert!(missing.stderr.contains("filecoin-16"), "{}", missing.stderr);
    let fallback = halimede(&[&arguments[..], &["--fallback"]].concat(), leaves);
    assert_eq!(fallback.code, Some(0), "{}", fallback.stderr);
}

/// Kills the card during a batch of some seconds.
fn killed_in_mid_batch(arguments: &[&str], input: &str) -> (crate::common::Outcome, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("card");
    let mut served = Served::start(&socket);
    let device = format!("sim:{}", socket.display());
    let killer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1500));
        served.kill();
        Instant::now()
    });
    let run = halimede(&[arguments, &["--device", &device]].concat(), input.as_bytes());
    let ended = Instant::now();
    (run, ended.saturating_duration_since(killer.join().unwrap()))
}

#[test]
fn a_card_killed_in_mid_batch_is_exit_code_3_within_the_limit() {
    if !simulator_is_here() {
        return;
    }
    let (run, after) = killed_in_mid_batch(&HASH, &pairs(8_000));
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(after < Duration::from_secs(15), "ended {after:?} after the card");
    assert!(run.stderr.contains("failed at request"), "{}", run.stderr);
    assert!(run.stdout.lines().any(|line| line.starts_with("error: ")));
}

#[test]
fn with_the_fallback_a_killed_card_costs_no_answer() {
    if !simulator_is_here() {
        return;
    }
    let input = pairs(8_000);
    let expected = halimede(&HASH, input.as_bytes());
    let (run, _) = killed_in_mid_batch(&[&HASH[..], &["--fallback"]].concat(), &input);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, expected.stdout);
}

/// Returns leaves of a tree that takes the card several seconds.
fn many_leaves() -> Vec<u8> {
    (0..4096u64).flat_map(|index| Felt::from(index + 1).pow(&[33]).to_le_bytes()).collect()
}

const TREE: [&str; 4] = ["poseidon", "tree", "--arity", "2"];

#[test]
fn a_card_killed_in_mid_tree_is_exit_code_3_and_says_how_far_it_came() {
    if !simulator_is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("leaves");
    std::fs::write(&path, many_leaves()).unwrap();
    let arguments = [&TREE[..], &[path.to_str().unwrap()]].concat();
    let expected = halimede(&arguments, b"");
    assert_eq!(expected.code, Some(0), "{}", expected.stderr);

    let (run, after) = killed_in_mid_batch(&arguments, "");
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(after < Duration::from_secs(15), "ended {after:?} after the card");
    assert!(run.stderr.contains(" of 4095 nodes were hashed"), "{}", run.stderr);
    assert!(run.stderr.contains(" leaves were read"), "{}", run.stderr);

    let (run, _) = killed_in_mid_batch(&[&arguments[..], &["--fallback"]].concat(), "");
    assert_eq!((run.code, &run.stdout), (Some(0), &expected.stdout), "{}", run.stderr);
}

#[test]
fn a_tree_reports_the_clocks_in_which_the_card_waited() {
    if !simulator_is_here() {
        return;
    }
    let leaves: Vec<u8> =
        (0..512u64).flat_map(|index| Felt::from(index + 1).pow(&[31]).to_le_bytes()).collect();
    let tree = |device: &str| {
        let run = halimede(&[&["--json"], &TREE[..], &["-", "--device", device]].concat(), &leaves);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        serde_json::from_str::<Value>(&run.stdout).unwrap()
    };
    let (cpu, sim) = (tree("cpu"), tree("sim"));
    assert_eq!(cpu["root"], sim["root"]);
    assert!(cpu["card"].is_null());
    let clocks = |report: &Value| report["clocks"].as_u64().unwrap();
    let (whole, of_leaves) = (&sim["card"], &sim["card"]["while_leaves_came"]);
    assert!(clocks(whole) > clocks(of_leaves) && clocks(whole) > 511 * 500);
    let share = whole["starved_share"].as_f64().unwrap();
    let starved = whole["starved_clocks"].as_u64().unwrap() as f64;
    assert!((share - starved / clocks(whole) as f64).abs() < 1e-9, "{whole}");
    assert_eq!(sim["fallback_hashes"], 0);
}

/// The link of a simulated card returns data unchanged, its windows count the frames, and invalid
/// data is refused.
#[test]
fn the_link_is_measured_and_its_frames_are_counted() {
    if !simulator_is_here() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("card.sock");
    let _served = Served::start(&socket);
    let device = format!("sim:{}", socket.display());
    let run = |arguments: &[&str]| {
        let arguments = [arguments, &["--device", &device, "--json"]].concat();
        let outcome = halimede(&arguments, b"");
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        serde_json::from_str::<Value>(&outcome.stdout).unwrap()
    };
    let bench = run(&["card", "bench", "--seconds", "0.001", "--sizes", "0,8,4064"]);
    let rows = bench["echoes"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    let (mut sent, mut words) = (0, 0);
    for (row, size) in rows.iter().zip([0, 8, 4064]) {
        assert_eq!((&row["data_bytes"], &row["wrong"]), (&json!(size), &json!(0)));
        let echoes = row["echoes"].as_u64().unwrap() + row["round_trips"].as_u64().unwrap();
        (sent, words) = (sent + echoes, words + echoes * size / 8);
    }
    let report = run(&["card", "report"]);
    let loopback = &report["engines"]["loopback"];
    assert_eq!(loopback["requests"], json!(sent));
    assert_eq!(loopback["replies"], json!(sent));
    assert_eq!(loopback["counters"]["words"], json!(words));
    assert_eq!(loopback["errors"], json!(0));
    assert_eq!(report["engines"]["poseidon"]["requests"], json!(0));
    for refused in [["--sizes", "7"], ["--sizes", "4072"], ["--sizes", "eight"]] {
        let arguments = [&["card", "bench", "--device", &device], &refused[..]].concat();
        let outcome = halimede(&arguments, b"");
        assert!(matches!(outcome.code, Some(2 | 3)), "{refused:?}: {:?}", outcome.code);
        assert!(!outcome.stderr.is_empty());
    }
}
