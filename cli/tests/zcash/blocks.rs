// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-blocks`: forms of input, heights, exit codes, interrupted runs.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use crate::common::{halimede, Outcome};
use halimede_zcash::{Block, Network};
use serde_json::Value;

const BLOCKS: [(u32, &str); 3] = [
    (419_200, include_str!("../../../engines/zcash/vectors/blocks/main_0419200.hex")),
    (419_201, include_str!("../../../engines/zcash/vectors/blocks/main_0419201.hex")),
    (419_202, include_str!("../../../engines/zcash/vectors/blocks/main_0419202.hex")),
];
const SHIELDED: &str = include_str!("../../../engines/zcash/vectors/blocks/main_1687106.hex");

fn raw(index: usize) -> Vec<u8> {
    hex::decode(BLOCKS[index].1.trim()).unwrap()
}

fn verify(arguments: &[&str], input: &[u8]) -> Outcome {
    halimede(&[&["zcash", "verify-blocks"], arguments].concat(), input)
}

/// The heights and verdicts of the lines of blocks, and the last line.
fn lines(outcome: &Outcome) -> (Vec<(u64, String)>, Value) {
    let lines = outcome.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut lines: Vec<_> = lines.collect();
    let last = lines.pop().unwrap();
    let verdict = |line: &Value| {
        (line["height"].as_u64().unwrap(), line["verdict"].as_str().unwrap().to_owned())
    };
    (lines.iter().map(verdict).collect(), last)
}

#[test]
fn each_form_and_a_folder_have_the_same_verdicts() {
    let all: Vec<_> = (0..3).map(raw).collect();
    let digits: String = BLOCKS.iter().map(|(_, digits)| format!("{}\n", digits.trim())).collect();
    let framed = |bytes: &Vec<u8>| {
        [&[0x24, 0xe9, 0x27, 0x64], &(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
    };
    let framed: Vec<u8> = all.iter().flat_map(framed).collect();
    let verdicts = [
        (419_200, "valid".to_owned()),
        (419_201, "incomplete".to_owned()),
        (419_202, "incomplete".to_owned()),
    ];
    let options = ["--height", "419200", "--json"];
    for input in [&all.concat()[..], digits.as_bytes(), &framed] {
        let run = verify(&[&["-"], &options[..]].concat(), input);
        let (got, last) = lines(&run);
        assert_eq!((run.code, got), (Some(5), verdicts.to_vec()), "{}", run.stderr);
        assert_eq!((&last["blocks"], &last["valid"]), (&Value::from(3), &Value::from(1)));
        assert_eq!((&last["proofs"], &last["last_height"]), (&11.into(), &419_202.into()));
        assert_eq!(last["unchecked"][0]["count"], 53);
        let chain = last["needs_chain_state"].as_array().unwrap();
        assert!(chain.iter().any(|rule| rule["section"] == "3.9"), "{last}");
    }
    // Names are in the order of their numbers; hidden files are not read.
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("block9", &all[0]);
    write("block10", BLOCKS[1].1.as_bytes());
    write("block100", &framed[framed.len() - all[2].len() - 8..]);
    write(".hidden", b"no block");
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let path = folder.path().to_str().unwrap();
    let run = verify(&[path, "--allow-incomplete", "--height", "419200", "--json"], b"");
    assert_eq!((run.code, lines(&run).0), (Some(0), verdicts.to_vec()), "{}", run.stderr);
    let run = verify(&[path, "--height", "419200", "--from", "419202"], b"");
    assert_eq!(run.code, Some(5));
    assert!(run.stdout.starts_with("3 419202 "), "{}", run.stdout);
    let empty = tempfile::tempdir().unwrap();
    let run = verify(&[empty.path().to_str().unwrap()], b"");
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("the folder has no files"), "{}", run.stderr);
}

#[test]
fn blocks_are_printed_with_their_reasons() {
    let all = [raw(0), raw(1)].concat();
    let run = verify(&["-", "--height", "419200", "--verbose"], &all);
    let printed: Vec<_> = run.stdout.lines().collect();
    assert!(printed[0].starts_with("1 419200 00000000025a57200d898ac7f21e26bf"), "{}", run.stdout);
    assert!(printed[0].ends_with(" valid") && printed[1].contains(" incomplete: not checked: 8 "));
    assert!(printed[2].starts_with("2 blocks: 1 valid, 0 invalid, 1 incomplete; "));
    // Without the height, each block only claims one.
    let run = verify(&["-"], &raw(0));
    assert_eq!(run.code, Some(5));
    assert!(run.stdout.contains("not checked: 1 block height"), "{}", run.stdout);
    let mut damaged = all.clone();
    damaged[1_600] ^= 1;
    let run = verify(&["-", "--height", "419200"], &damaged);
    assert_eq!(run.code, Some(1));
    assert!(run.stderr.contains("1 of 2 blocks are invalid"), "{}", run.stderr);
    assert!(run.stdout.contains("section 7.6"), "{}", run.stdout);
}

#[test]
fn wrong_input_is_named_after_the_verdicts_before_it() {
    let cases: [(&[&str], Vec<u8>, &str); 6] = [
        (&["--height", "419200"], [raw(0), raw(2)].concat(), "-: block 2: the block names"),
        (&[], [raw(0), vec![1; 300]].concat(), "-: block 2 (from byte 1629"),
        (&[], b"zz".to_vec(), "-: block 1 (from byte 0)"),
        (&[], Vec::new(), "the input has no blocks"),
        (&["--from", "500000"], raw(0), "no blocks from height 500000 on"),
        (&["--network", "test"], [0x24, 0xe9, 0x27, 0x64].repeat(3), "of the main network"),
    ];
    for (options, input, reason) in cases {
        let run = verify(&[&["-"], options].concat(), &input);
        assert_eq!(run.code, Some(2), "{}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains(reason), "{reason}: {}", run.stderr);
    }
    let run = verify(&["-", "--height", "419200", "-v"], &[raw(0), raw(2)].concat());
    assert!(run.stdout.starts_with("1 419200 "), "{}", run.stdout);
    let before = "(blocks verified before: 1, of these invalid: 0; --from 419201 resumes)";
    assert!(run.stderr.contains(before), "{}", run.stderr);
    let run = verify(&["/no/such/file"], b"");
    assert_eq!(run.code, Some(2));
    let run = verify(&["-", "--spent", "-"], b"");
    assert_eq!(run.code, Some(2));
}

/// Until Heartwood, headers have the final Sapling treestate of their block.
#[test]
fn the_state_decides_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state.json");
    let root: Vec<u8> = raw(1)[68..100].iter().rev().copied().collect();
    let state = serde_json::json!({
        "hash": hex::encode(raw(2)[4..36].iter().rev().copied().collect::<Vec<_>>()),
        "height": 419_201,
        "finalsaplingroot": hex::encode(root),
        "valuePools": [{ "id": "sapling", "chainValueZat": 0 }],
    });
    std::fs::write(&path, format!("{state:#}")).unwrap();
    let path = path.to_str().unwrap();
    for command in ["verify-block", "verify-blocks"] {
        let run = halimede(&["zcash", command, "-", "--state", path, "--json"], &raw(2));
        let last: Value = serde_json::from_str(run.stdout.lines().last().unwrap()).unwrap();
        let chain = last["needs_chain_state"].to_string();
        assert!(!chain.contains("a spend's anchor"), "{command}: {chain}");
        assert!(chain.contains("no Sapling nullifier"), "{command}: {chain}");
        // The previous block gives the height.
        assert!(!last["unchecked"].to_string().contains("block height"), "{command}: {last}");
        let both = halimede(&["zcash", command, "-", "--state", "-"], &raw(2));
        assert_eq!(both.code, Some(2));
        assert!(both.stderr.contains("only one of the inputs"), "{}", both.stderr);
        std::fs::write(folder.path().join("bad"), "{}}").unwrap();
        let bad = folder.path().join("bad");
        let run = halimede(&["zcash", command, "-", "--state", bad.to_str().unwrap()], &raw(2));
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("not a state: object 2: "), "{}", run.stderr);
    }
}

/// Copies of a block, each linked to the one before, one per line.
fn chain(count: usize) -> Vec<String> {
    let mut bytes = hex::decode(SHIELDED.trim()).unwrap();
    let mut chain = Vec::new();
    for _ in 0..count {
        chain.push(format!("{}\n", hex::encode(&bytes)));
        let hash = *Block::parse(&bytes, Network::Main).unwrap().hash().as_bytes();
        bytes[4..36].copy_from_slice(&hash);
    }
    chain
}

/// Gives the command the blocks of a chain whose end does not come, and kills it after the verdicts
/// on those from this height on. Returns their lines.
fn killed(blocks: &[String], from: usize) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_halimede"))
        .args(["zcash", "verify-blocks", "-", "--height", "1", "--json"])
        .args(["--from", &from.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = blocks.concat();
    // The thread returns the pipe, which stays open.
    let writer = std::thread::spawn(move || {
        input.write_all(text.as_bytes()).unwrap();
        input
    });
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let lines = (from..=blocks.len()).map(|_| {
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        line
    });
    let lines = lines.collect();
    child.kill().unwrap();
    child.wait().unwrap();
    drop(writer.join().unwrap());
    lines
}

#[test]
fn a_killed_run_is_resumed_without_a_gap() {
    let count = if std::env::var_os("HALIMEDE_SWEEP").is_some() { 1_000 } else { 60 };
    let chain = chain(count);
    let run = verify(&["-", "--height", "1", "--json"], chain.concat().as_bytes());
    let whole: Vec<_> = run.stdout.lines().map(|line| format!("{line}\n")).collect();
    assert_eq!(whole.len(), count + 1);
    let mut lines: Vec<String> = Vec::new();
    for part in 1..=5 {
        let next = lines.last().map_or(1, |line| {
            let height = serde_json::from_str::<Value>(line).unwrap()["height"].as_u64().unwrap();
            height as usize + 1
        });
        assert_eq!(next, lines.len() + 1);
        lines.extend(killed(&chain[..part * count / 5], next));
    }
    assert_eq!(lines, whole[..count]);
}
