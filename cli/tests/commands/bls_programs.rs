// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls run`, `asm`, `disasm` and `manual`.

use std::path::{Path, PathBuf};

use halimede_bls12_381::pairing::pairing_product;
use halimede_bls12_381::{Fr, Point, G1, G2};
use serde_json::{json, Value};
use tempfile::TempDir;

use crate::common::{halimede, halimede_with, Outcome};

const SAMPLE: &str = "../engines/bls12_381/coprocessor/examples";

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLE).join(name).display().to_string()
}

fn bls(arguments: &[&str]) -> Outcome {
    halimede(&[&["bls"], arguments].concat(), b"")
}

fn answer(arguments: &[&str]) -> Value {
    let outcome = bls(&[arguments, &["--json"]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    serde_json::from_str(&outcome.stdout).unwrap()
}

/// Creates a file in a new folder.
fn file(name: &str, content: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

fn hexadecimal(bytes: &[u8]) -> String {
    format!("0x{}", hex::encode(bytes).trim_start_matches('0'))
}

#[test]
fn a_pairing_by_a_program_and_points_from_a_file() {
    let (p, q) = (Point::<G1>::generator().times(&Fr::from(5)), Point::<G2>::generator());
    let data = json!({ "start": 4, "slots": [
        { "slot": 0, "kind": "FP_AF", "point": hex::encode(p.to_compressed()) },
        { "slot": 2, "kind": "fp2_af", "point": hex::encode(q.to_uncompressed()) },
        { "slot": 30, "kind": "SCALAR", "values": [7] },
    ] });
    let (_folder, data) = file("data.json", &data.to_string());
    let program = ".org 4\nATE_PAIRING 0, 2, 6\nSEND_INTERRUPT 6, 9\nSEND_INTERRUPT 30, 10";
    let (_other, program) = file("pairing.s", program);
    let [program, data] = [&program, &data].map(|path| path.to_str().unwrap());
    let answer = answer(&["run", program, "--data", data, "--step", "--dump"]);
    let expected = pairing_product(&[(p, q)]);
    let expected: Vec<String> = expected.chunks_exact(48).map(hexadecimal).collect();
    assert_eq!(answer["interrupts"][0]["values"], json!(expected));
    assert_eq!(
        answer["interrupts"][1],
        json!({
            "program": 0, "index": 10, "kind": "SCALAR", "values": ["0x7"],
        })
    );
    let end = &answer["programs"][0];
    assert_eq!((&end["state"], &end["place"]), (&json!("waiting"), &json!(7)));
    assert_eq!(end["published_clocks"], json!({ "clocks": 126_644, "instructions": 1 }));
    assert_eq!(answer["steps"][0]["instruction"], "ATE_PAIRING 0, 2, 6");
    assert_eq!(answer["steps"][0]["written"][0]["values"], json!(expected));
    assert_eq!(end["slots"].as_array().unwrap().len(), 4);
}

/// The variable with the path of the simulator of the card with the coprocessor.
const SIMULATOR: &str = "HALIMEDE_BLS12_381_CARD_SIM";

/// Runs if the simulator has been built (`make card-sim`), which takes a minute.
#[test]
fn programs_run_on_a_simulated_card() {
    let sample_program = sample("loop.s");
    let arguments = ["bls", "run", &sample_program, "--device", "sim"];
    let missing = halimede_with(&[(SIMULATOR, "/nowhere")], &arguments, b"");
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    assert!(missing.stderr.contains("halimede-card-sim"), "{}", missing.stderr);
    let stepped = bls(&["run", &sample_program, "--device", "sim", "--step"]);
    assert_eq!(stepped.code, Some(2));
    assert!(stepped.stderr.contains("--device cpu"), "{}", stepped.stderr);
    let is_built = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../build/card-sim/halimede-card-sim-bls12_381")
        .is_file();
    if !is_built {
        return;
    }
    let (_folder, program) = file(
        "short.s",
        ".data 0 FE 5\n.data 2 SCALAR 3\nagain: ADD_ELEMENT 0, 0, 0\nSEND_INTERRUPT 0, 4\n\
         JUMP_NONZERO_SUB again, 2\nINV_ELEMENT 9, 10\n",
    );
    let program = program.to_str().unwrap();
    let run = |device: &str| {
        let outcome = bls(&["run", program, "--device", device, "--json"]);
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        (serde_json::from_str::<Value>(&outcome.stdout).unwrap(), outcome.stderr)
    };
    let ((cpu, cpu_error), (sim, sim_error)) = (run("cpu"), run("sim"));
    assert_eq!(sim["interrupts"], cpu["interrupts"]);
    assert_eq!(sim_error, cpu_error);
    for name in ["state", "place", "instructions", "error", "file"] {
        assert_eq!(sim["programs"][0][name], cpu["programs"][0][name], "{name}");
    }
    assert!(sim["programs"][0]["clocks"].as_u64().unwrap() > 18 * 12);
}

#[test]
fn programs_run_side_by_side_and_one_stops() {
    let (_folder, bad) = file("bad.s", ".data 0 FE 0\n\n INV_ELEMENT 0, 1 ; of 0");
    let bad = bad.to_str().unwrap();
    let outcome = bls(&["run", bad, &sample("loop.s")]);
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    let expected = format!("halimede: {bad}: line 3, INV_ELEMENT 0, 1: 0 has no inverse\n");
    assert_eq!(outcome.stderr, expected);
    assert!(
        outcome.stdout.starts_with("interrupt 100 of program 1: FE\n  0x5a"),
        "{}",
        outcome.stdout
    );
    assert!(outcome.stdout.contains("bad.s: stopped at 0 after 0 instructions"));
    let (_folder, endless) = file("endless.s", "again: JUMP again");
    let outcome = bls(&["run", endless.to_str().unwrap(), "--limit", "50", "--json"]);
    assert_eq!(outcome.code, Some(1));
    let end: Value = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(end["programs"][0]["error"]["name"], "limit");
    assert_eq!(end["programs"][0]["instructions"], 50);
    assert!(outcome.stderr.contains("the instruction limit is reached"), "{}", outcome.stderr);
}

#[test]
fn steps_and_breakpoints_show_what_is_written() {
    let (_folder, program) =
        file("p.s", ".data 0 FE2 2 3\nADD 0 0 2\nSQR 2 4\nNOOP\nSEND_INTERRUPT 2 1");
    let program = program.to_str().unwrap();
    let outcome = bls(&["run", program, "--step", "--break", "1", "--dump"]);
    let expected = format!(
        "0:0   ADD_ELEMENT 0, 0, 2              2: FE2 0x4 and 1 more\n{program}: paused at 1 after 1 \
         instructions\n  0: FE2 0x2 and 1 more\n  2: FE2 0x4 and 1 more\n"
    );
    assert_eq!((outcome.code, outcome.stdout), (Some(0), expected));
    let outcome = bls(&["run", program]);
    assert_eq!(outcome.stdout, format!("{program}: waiting at 2 after 2 instructions\n"));
}

#[test]
fn instructions_come_back_from_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (binary, data) = (path("p.bin"), path("p.json"));
    let text = sample("two_pairings.s");
    let outcome = bls(&["asm", &text, "--out", &binary, "--data-out", &data]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("  3  1201000d00010000  MUL_ELEMENT 1, 13, 1\n"));
    assert_eq!(std::fs::read(&binary).unwrap().len(), 6 * 8);
    let disassembled = path("again.s");
    std::fs::write(&disassembled, bls(&["disasm", &binary]).stdout).unwrap();
    let runs = [vec!["run", &text], vec!["run", &disassembled, "--data", &data]];
    let [first, second] = runs.map(|arguments| answer(&arguments)["interrupts"].clone());
    assert_eq!(first, second);
    assert_eq!(answer(&["asm", &text])["start"], 1);
}

#[test]
fn bad_inputs_are_named() {
    let (_folder, bad) = file("bad.s", "ADD 1, 2");
    let bad = bad.to_str().unwrap();
    let good = sample("loop.s");
    let outcome = bls(&["asm", bad]);
    let expected = format!("halimede: {bad}: line 1: ADD_ELEMENT has 3 operands, not 2\n");
    assert_eq!((outcome.code, outcome.stderr), (Some(2), expected));
    let (_other, data) = file("d.json", "{}");
    let data = data.to_str().unwrap();
    let says = |content: &str, expected: &str| {
        std::fs::write(data, content).unwrap();
        let outcome = bls(&["run", &good, "--data", data]);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains(expected), "{content}: {}", outcome.stderr);
    };
    says("{", "EOF while parsing");
    says(r#"{"start": 512}"#, "`start` must be below 512");
    says(r#"{"slot": []}"#, "unknown field `slot`");
    says(r#"{"slots": [{"slot": 1, "kind": "F"}]}"#, "element 0: unknown kind \"F\"");
    says(r#"{"slots": [{"slot": 1, "kind": "FE"}]}"#, "either `values` or a `point`");
    says(r#"{"slots": [{"slot": 1, "kind": "FE", "values": [1, 2]}]}"#, "FE has 1 values, not 2");
    says(r#"{"slots": [{"slot": 1, "kind": "FE", "values": ["z"]}]}"#, "'z' is not a digit");
    says(r#"{"slots": [{"slot": 255, "kind": "FE2", "values": [1, 2]}]}"#, "slot 256 is beyond");
    says(
        r#"{"slots": [{"slot": 0, "kind": "FP_AF", "point": "c0"}]}"#,
        "a point of G1 has 48 bytes",
    );
    says(r#"{"slots": [{"slot": 0, "kind": "FE", "point": "c0"}]}"#, "is FP_AF or FP2_AF");
    let outcome = bls(&["run", &good, "--data", data, "--data", data]);
    assert!(outcome.stderr.contains("2 files of data for 1 programs"));
    assert_eq!(bls(&["run", &good, "--limit", "0"]).code, Some(2));
    let many = vec![good.as_str(); 17];
    let outcome = bls(&[&["run"], &many[..]].concat());
    assert!(outcome.stderr.contains("17 programs; the maximum is 16"));
    let outcome = halimede(&["bls", "disasm", "-"], b"1234567");
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("expected a multiple of 8 bytes, got 7"));
    let outcome = halimede(&["bls", "disasm", "-"], &[0; 8 * 513]);
    assert_eq!(outcome.code, Some(2));
    // No output overwrites its input.
    let (_folder, program) = file("p.s", "NOOP");
    let program = program.to_str().unwrap();
    assert_eq!(bls(&["asm", program, "--out", program]).code, Some(2));
    assert_eq!(std::fs::read_to_string(program).unwrap(), "NOOP");
}

#[test]
fn the_manual_has_every_instruction() {
    let all = answer(&["manual"]);
    assert_eq!(all["instructions"].as_array().unwrap().len(), 27);
    assert_eq!(all["kinds"][8]["name"], "FE6");
    assert_eq!(answer(&["manual", "mul"])["code"], 0x12);
    let outcome = bls(&["manual", "MUL"]);
    assert!(outcome.stdout.contains("other name: MUL; the published text prints 0x10"));
    assert!(bls(&["manual"])
        .stdout
        .contains("MULTI_MILLER      0x27  a pairs, b count, c product"));
    assert_eq!(bls(&["manual", "DIV"]).code, Some(2));
}

#[test]
fn programs_without_an_end_are_stopped_by_time_and_by_what_they_print() {
    let (_folder, path) = file("loop.s", "again: JUMP again");
    let path = path.to_str().unwrap();
    let limit = ["--limit", "4000000000"];
    let outcome = bls(&[&["run", path, "--time", "0.2"], &limit[..]].concat());
    assert_eq!(outcome.code, Some(1), "{}", outcome.stdout);
    assert!(
        outcome.stderr.contains("stopped after 200ms: raise the limit with --time"),
        "{}",
        outcome.stderr
    );
    assert!(outcome.stdout.contains("paused at 0"), "{}", outcome.stdout);
    let text = ".data 0 SCALAR 1\nagain: SEND_INTERRUPT 0, 7\nJUMP again";
    let (_folder, path) = file("send.s", text);
    let path = path.to_str().unwrap();
    for more in [&["--json"][..], &[], &["--step"], &["--step", "--json"]] {
        let arguments = [&["run", path, "--most-output", "20K"], &limit[..], more].concat();
        let outcome = bls(&arguments);
        assert_eq!(outcome.code, Some(1), "{more:?}");
        assert!(
            outcome.stderr.contains("than 20000 bytes: raise the limit with --most-output"),
            "{}",
            outcome.stderr
        );
        assert!((5_000..60_000).contains(&outcome.stdout.len()), "{}", outcome.stdout.len());
        assert!(outcome.stdout.contains("paused"), "{more:?}");
    }
}
