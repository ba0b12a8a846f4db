// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-headers`: verdicts, places of errors, exit codes.

use crate::common::{halimede, Outcome};
use halimede_equihash::{minimal_from_indices, Header, Network, Params, Solver};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

const BLOCK_346: &str = include_str!("../../data/zcash_block_346.hex");
const HASH_346: &str = "000000eff179fb1e47b7aa8667ad4d8e1ef3dbb0d79144030482bf93b5e6339f";
const HEADER_BYTES: usize = 140 + 1 + 36;

fn header_346() -> Vec<u8> {
    hex::decode(&BLOCK_346[..2 * Header::bytes(Params::ZCASH)]).unwrap()
}

fn verify(arguments: &[&str], input: &[u8]) -> Outcome {
    halimede(&[&["zcash", "verify-headers"], arguments].concat(), input)
}

fn regtest(input: &[u8]) -> Outcome {
    verify(&["--network", "regtest", "--verbose", "-"], input)
}

/// Returns headers with random fields whose solutions and hashes are valid on regtest.
fn valid_headers(count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let solver = Solver::new(Params::REGTEST);
    let mut headers = Vec::new();
    while headers.len() < count {
        let mut fields = [0; 140];
        rng.fill(&mut fields[..]);
        fields[..4].copy_from_slice(&rng.gen_range(4..i32::MAX).to_le_bytes());
        let limit = Network::Regtest.limit();
        fields[104..108].copy_from_slice(&limit.to_compact().to_le_bytes());
        for indices in solver.solve(&fields).unwrap() {
            let minimal = minimal_from_indices(Params::REGTEST, &indices).unwrap();
            let header = Header::new(Params::REGTEST, fields, minimal).unwrap();
            if limit.is_met_by(header.hash().as_bytes()) {
                headers.push(header.to_bytes());
                break;
            }
        }
    }
    headers
}

fn hash(header: &[u8]) -> String {
    Header::parse(header, None).unwrap().hash().to_string()
}

#[test]
fn block_346_is_valid_in_each_form() {
    let raw = header_346();
    let digits = hex::encode(&raw);
    let spaced = format!("\n  {}\r\n\n{digits}\t\n", digits.to_uppercase());
    for (input, headers) in
        [(raw.clone(), 1), (raw.repeat(3), 3), (digits.clone().into(), 1), (spaced.into(), 2)]
    {
        let run = verify(&["-"], &input);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert!(run.stdout.starts_with(&format!("{headers} headers: {headers} valid, 0 invalid;")));
        let run = verify(&["-", "--verbose", "--network", "main"], &input);
        let lines: Vec<&str> = run.stdout.lines().collect();
        assert_eq!(lines.len(), headers + 2);
        for (number, line) in lines[..headers].iter().enumerate() {
            assert_eq!(*line, format!("{} {HASH_346} valid", number + 1));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("headers.bin");
    std::fs::write(&path, raw.repeat(2)).unwrap();
    let run = verify(&[path.to_str().unwrap(), "--json", "--verbose"], b"");
    let lines: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[1]["hash"], HASH_346);
    assert_eq!((&lines[1]["verdict"], &lines[1]["header"]), (&"valid".into(), &Value::from(2)));
    assert_eq!((&lines[2]["headers"], &lines[2]["valid"]), (&Value::from(2), &Value::from(2)));
    let chain = lines[2]["needs_chain_state"].as_array().unwrap();
    assert!(chain.iter().any(|rule| rule["rule"].as_str().unwrap().contains("target")));
}

/// Every possible fault is named, at its header.
#[test]
fn invalid_headers_are_named_in_their_places() {
    let valid = valid_headers(8, 0x1e6);
    let change = |number: usize, at: usize, bytes: &[u8]| {
        let mut header = valid[number].clone();
        header[at..at + bytes.len()].copy_from_slice(bytes);
        header
    };
    let bits = |bits: u32| bits.to_le_bytes();
    let cases = [
        (change(0, 0, &3i32.to_le_bytes()), "version 3: must be at least 4"),
        (change(1, 0, &(-4i32).to_le_bytes()), "version -4: must be at least 4"),
        (change(2, 104, &bits(0x207f_ffff)), "0x207fffff is above the network's limit, 0x200f0f0f"),
        (change(3, 104, &bits(0x2080_0001)), "0x20800001 is negative"),
        (change(4, 104, &bits(0x2300_0001)), "0x23000001 has more than 256 bits"),
        (change(5, 104, &bits(0x2000_0000)), "0x20000000 is zero"),
        (change(6, 104, &bits(0x1d00_ffff)), "the header's hash does not meet its target"),
        (change(7, HEADER_BYTES - 1, &[valid[7][HEADER_BYTES - 1] ^ 1]), "hashes do not"),
    ];
    let mut input = Vec::new();
    for (number, (header, _)) in cases.iter().enumerate() {
        input.extend_from_slice(&valid[number]);
        input.extend_from_slice(header);
    }
    let run = regtest(&input);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stderr.trim(), "halimede: 8 of 16 headers are invalid");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), 18);
    assert!(lines[17].starts_with("only the chain decides: the target is the required one"));
    for (number, (header, reason)) in cases.iter().enumerate() {
        let good = format!("{} {} valid", 2 * number + 1, hash(&valid[number]));
        assert_eq!(lines[2 * number], good);
        let bad = format!("{} {} invalid: ", 2 * number + 2, hash(header));
        let line = lines[2 * number + 1];
        assert!(line.starts_with(&bad) && line.contains(reason), "{line}");
    }
    // With an invalid target, the hash is not compared.
    assert!(!lines[7].contains("does not meet"), "{}", lines[7]);
    assert!(lines[16].starts_with("16 headers: 8 valid, 8 invalid;"));
    // Invalid headers are printed without --verbose too.
    let run = verify(&["--network", "regtest", "-"], &input);
    assert_eq!(run.stdout.lines().count(), 10);
    assert!(run.stdout.starts_with("2 "));
    let run = verify(&["--network", "regtest", "--json", "-"], &input);
    let first: Value = serde_json::from_str(run.stdout.lines().next().unwrap()).unwrap();
    assert_eq!((&first["header"], &first["verdict"]), (&Value::from(2), &"invalid".into()));
    assert!(first["reasons"][0].as_str().unwrap().starts_with("version 3"));
}

#[test]
fn any_flipped_bit_makes_a_header_invalid() {
    let valid = valid_headers(1, 0xf11b).remove(0);
    let mut rng = StdRng::seed_from_u64(0xb17);
    let mut input = Vec::new();
    let (mut flipped, mut is_lucky) = (0, 0);
    for bit in (0..valid.len() * 8).filter(|_| rng.gen_ratio(1, 3)) {
        if (104 * 8..108 * 8).contains(&bit) || (140 * 8..141 * 8).contains(&bit) {
            continue; // another target, or no header
        }
        let mut header = valid.clone();
        header[bit / 8] ^= 1 << (bit % 8);
        input.extend(header);
        flipped += 1;
    }
    let run = regtest(&input);
    assert_eq!(run.code, Some(1));
    assert_eq!(run.stdout.lines().count(), flipped + 2);
    for line in run.stdout.lines().take(flipped) {
        assert!(line.contains(" invalid: "), "{line}");
        is_lucky += usize::from(!line.contains("does not meet its target"));
    }
    // One hash in 17 meets the easy target by chance: then only the solution reveals the change.
    assert!((1..flipped / 5).contains(&is_lucky), "{is_lucky} of {flipped}");
}

/// More headers than a batch, from a pipe and in both forms.
#[test]
fn batches_keep_their_order() {
    let some = valid_headers(5, 0xba7c);
    let invalid = [1, 2_047, 2_048, 2_049, 4_096, 5_000];
    let mut headers: Vec<Vec<u8>> = some.iter().cycle().take(5_000).cloned().collect();
    for number in invalid {
        headers[number - 1][150] ^= 0x10;
    }
    let lines: Vec<String> = headers.iter().map(hex::encode).collect();
    for input in [headers.concat(), lines.join("\n").into_bytes()] {
        let run = verify(&["--network", "regtest", "-"], &input);
        let numbers: Vec<usize> = run
            .stdout
            .lines()
            .filter_map(|line| line.split_once(' ')?.0.parse().ok())
            .take(invalid.len())
            .collect();
        assert_eq!((run.code, numbers), (Some(1), invalid.to_vec()), "{}", run.stderr);
        assert!(run.stdout.contains("5000 headers: 4994 valid, 6 invalid;"));
    }
}

#[test]
fn what_is_truncated_says_where_after_what_came_before() {
    let valid = valid_headers(3, 0x7a11).concat();
    let mut rng = StdRng::seed_from_u64(0x77);
    let part = |at: usize| match at {
        0..140 => "the header's 140 bytes",
        140 => "the solution's length",
        _ => "the solution",
    };
    for _ in 0..12 {
        let (before, at) = (rng.gen_range(0..3), rng.gen_range(1..HEADER_BYTES));
        let start = before * HEADER_BYTES;
        let raw = &valid[..start + at];
        let run = regtest(raw);
        assert_eq!(run.code, Some(2));
        assert_eq!(run.stdout.lines().count(), before);
        let number = before + 1;
        let place =
            format!("-: header {number} (from byte {start}): at byte {at}: unexpected end within");
        assert!(run.stderr.contains(&place), "{}", run.stderr);
        assert!(run.stderr.contains(part(at)), "{}", run.stderr);
        let verified = format!("({before} headers were verified before, 0 of them invalid)");
        assert_eq!(run.stderr.contains(&verified), before > 0);
        // As lines, with empty lines between them.
        let lines: Vec<String> = raw.chunks(HEADER_BYTES).map(hex::encode).collect();
        let run = regtest(lines.join("\n\n").as_bytes());
        let line = 2 * before + 1;
        let place = format!("header {number} (line {line}): at byte {at}: unexpected end within");
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains(&place), "{}", run.stderr);
    }
}

#[test]
fn what_is_no_header_is_refused_with_its_place() {
    let valid = valid_headers(2, 0x6a5b);
    let digits = hex::encode(&valid[0]);
    let with = |at: usize, text: &str| {
        let mut line = digits.clone();
        line.replace_range(at..at + text.len(), text);
        format!("{digits}\n{line}\n").into_bytes()
    };
    let long = format!("{digits}\n{digits}00\n{digits}\n").into_bytes();
    let endless = format!("{digits}\n{}", "0".repeat(100_000)).into_bytes();
    let length = |prefix: &[u8]| [&valid[0], &valid[1][..140], prefix, &valid[1][141..]].concat();
    let cases: [(Vec<u8>, &str); 8] = [
        (with(17, "g"), "header 2 (line 2): character 18: 'g' is not a hexadecimal digit"),
        (digits.as_bytes()[1..].to_vec(), "header 1 (line 1): expected an even number of"),
        (long, "header 2 (line 2): at byte 177: 1 bytes follow the header"),
        (endless, "header 2 (line 2): the line is longer than"),
        (
            length(&[35]),
            "header 2 (from byte 177): at byte 140: a solution of 35 bytes, but (48, 5)",
        ),
        (length(&[0xfd, 36, 0]), "the solution's length 36 is encoded in 3 bytes instead of 1"),
        (length(&[0xff; 9]), "a solution of 18446744073709551615 bytes, but"),
        (header_346(), "at byte 140: a solution of 1344 bytes, but (48, 5) needs 36"),
    ];
    for (input, reason) in cases {
        let run = regtest(&input);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(reason), "{} is not {reason}", run.stderr);
    }
    let run = verify(&["-"], &valid.concat());
    assert!(run.stderr.contains("but (200, 9) needs 1344"), "{}", run.stderr);
    for empty in ["", "\n\n \n"] {
        let run = verify(&["-"], empty.as_bytes());
        assert_eq!(run.code, Some(2));
        assert!(run.stderr.contains("the input has no headers"));
    }
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    for path in [folder.path(), &missing] {
        let run = verify(&[path.to_str().unwrap()], b"");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""));
        assert!(run.stderr.contains(path.to_str().unwrap()));
    }
    assert_eq!(verify(&["--network", "mainnet", "-"], b"").code, Some(2));
    assert_eq!(verify(&["--device", "nowhere", "-"], &valid[0]).code, Some(3));
}

#[test]
fn random_bytes_are_refused() {
    let mut rng = StdRng::seed_from_u64(0x9a5);
    for _ in 0..10 {
        let bytes: Vec<u8> = (0..rng.gen_range(1..2_000)).map(|_| rng.gen()).collect();
        assert_eq!(regtest(&bytes).code, Some(2));
    }
}
