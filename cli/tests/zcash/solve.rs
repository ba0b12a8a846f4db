// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash solve`: solutions, choice of nonces, errors.

use crate::common::{halimede, Outcome};
use halimede_equihash::{meets_target, minimal_from_indices, Header, Network, Params, Solver};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::Value;

fn solve(arguments: &[&str], input: &[u8]) -> Outcome {
    halimede(&[&["zcash", "solve"], arguments].concat(), input)
}

/// Returns a header of 140 random bytes with the easiest target of regtest.
fn random_header(seed: u64) -> [u8; 140] {
    let mut header = [0; 140];
    StdRng::seed_from_u64(seed).fill(&mut header[..]);
    header[..4].copy_from_slice(&4u32.to_le_bytes());
    let bits = Network::Regtest.limit().to_compact();
    header[104..108].copy_from_slice(&bits.to_le_bytes());
    header
}

/// Returns a header with a number as its nonce.
fn with_nonce(header: &[u8; 140], nonce: u64) -> [u8; 140] {
    let mut header = *header;
    header[108..].fill(0);
    header[108..116].copy_from_slice(&nonce.to_le_bytes());
    header
}

/// Returns the expected lines for these nonces, with indices.
fn expected(header: &[u8; 140], params: Params, nonces: std::ops::Range<u64>) -> Vec<String> {
    let mut lines = Vec::new();
    for nonce in nonces {
        let header = with_nonce(header, nonce);
        for indices in Solver::new(params).solve(&header).unwrap() {
            let minimal = hex::encode(minimal_from_indices(params, &indices).unwrap());
            let indices: Vec<String> = indices.iter().map(u32::to_string).collect();
            lines.push(format!("{} {minimal} {}", hex::encode(&header[108..]), indices.join(",")));
        }
    }
    lines
}

fn lines(run: &Outcome) -> Vec<&str> {
    run.stdout.lines().collect()
}

#[test]
fn a_range_of_nonces_has_the_solvers_solutions() {
    let header = random_header(1);
    let digits = hex::encode(header);
    let all = expected(&header, Params::REGTEST, 250..262);
    assert!(all.len() > 3);
    let run = solve(&["--header", &digits, "--nonces", "250..0x106", "--indices"], b"");
    assert_eq!((run.code, lines(&run)), (Some(0), all.iter().map(String::as_str).collect()));
    // --count solutions, from a range with or without an end.
    for range in ["250..262", "250.."] {
        let run =
            solve(&["--header", &digits, "--nonces", range, "--indices", "--count", "3"], b"");
        assert_eq!(lines(&run), all[..3]);
    }
    let run = solve(&["--header", &digits, "--nonces", "250..", "--indices"], b"");
    assert_eq!(lines(&run), all[..1]);
    // More solutions than exist: prints all of them, and exits with code 1.
    let run = solve(&["--header", &digits, "--nonces", "250..262", "--count", "99"], b"");
    assert_eq!((run.code, lines(&run).len()), (Some(1), all.len()));
    let message = format!("found {} of 99 requested solutions in 12 nonces", all.len());
    assert!(run.stderr.contains(&message), "{}", run.stderr);
}

#[test]
fn a_header_comes_in_any_form_and_begins_with_its_nonce() {
    let mut header = random_header(2);
    header[108..].fill(0xff); // the next nonce is 0
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let digits = hex::encode(header);
    let (raw, text) = (path("raw", &header), path("text", format!("{digits}\n").as_bytes()));
    let common = ["--count", "6", "--json"];
    let runs = [digits.as_str(), &raw, &text].map(|form| {
        let run = solve(&[&["--header", form], &common[..]].concat(), b"");
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.stdout
    });
    let piped = solve(&[&["--header", "-"], &common[..]].concat(), &header).stdout;
    assert!(runs.iter().all(|run| *run == piped) && piped.lines().count() == 6);
    let nonces: Vec<String> = piped
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["nonce"].to_string())
        .collect();
    assert!(nonces.windows(2).any(|pair| pair[0] != pair[1]));
    assert!(nonces.iter().any(|nonce| nonce.ends_with(&("00".repeat(31) + "\""))), "{nonces:?}");
    // Without a nonce, the search starts at a random one; the other fields do not change.
    let run = solve(&["--header", &digits[..216], "--as-header"], b"");
    assert!(run.stdout.starts_with(&digits[..216]) && !run.stdout.starts_with(&digits));
}

#[test]
fn whole_headers_are_valid_wherever_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("headers.bin");
    let (out, seed) = (out.to_str().unwrap(), hex::encode(random_header(3)));
    let arguments = ["--header", &seed, "--count", "9", "--until-target", "--out", out];
    let run = solve(&[&arguments[..], &["--as-header"]].concat(), b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let headers: Vec<Vec<u8>> = run.stdout.lines().map(|line| hex::decode(line).unwrap()).collect();
    assert_eq!(std::fs::read(out).unwrap(), headers.concat());
    assert!(headers.len() == 9 && headers.iter().all(|header| meets_target(header)));
    for (file, input) in [("-", run.stdout.as_bytes()), (out, b"")] {
        let run = halimede(&["zcash", "verify-headers", "--network", "regtest", file], input);
        assert!(run.stdout.starts_with("9 headers: 9 valid, 0 invalid;"), "{}", run.stdout);
    }
    let run = solve(&[&arguments[..], &["--json", "--indices"]].concat(), b"");
    for (line, header) in run.stdout.lines().zip(&headers) {
        let object: Value = serde_json::from_str(line).unwrap();
        let header = Header::parse(header, None).unwrap();
        assert_eq!(object["header"], hex::encode(header.to_bytes()));
        assert_eq!(object["hash"], header.hash().to_string());
        assert_eq!(object["solution"], hex::encode(header.solution()));
        assert_eq!((&object["meets_target"], &object["k"]), (&true.into(), &5.into()));
        let indices: Vec<u32> = serde_json::from_value(object["indices"].clone()).unwrap();
        assert_eq!(minimal_from_indices(Params::REGTEST, &indices).unwrap(), header.solution());
    }
}

#[test]
fn a_header_is_made_where_none_is_given() {
    let run = solve(&["--n", "96", "--k", "5", "--nonces", "0..5"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let made = run.stderr.trim().strip_prefix("halimede: generated a header: ").unwrap();
    let mut header = [0; 140];
    header[..108].copy_from_slice(&hex::decode(made).unwrap());
    let all = expected(&header, Params::N96_K5, 0..5);
    let found = lines(&run);
    assert_eq!(found.len(), all.len());
    for (line, expected) in found.iter().zip(&all) {
        assert!(expected.starts_with(*line));
    }
    let again = solve(&["--n", "96", "--k", "5", "--nonces", "0..5"], b"");
    assert_ne!(run.stdout, again.stdout);
}

#[test]
fn a_nonce_may_have_no_solution() {
    let header = random_header(4);
    let nonces = |found: fn(usize) -> bool| {
        let is_wanted =
            |nonce: &u64| found(expected(&header, Params::REGTEST, *nonce..nonce + 1).len());
        hex::encode(&with_nonce(&header, (0..).find(is_wanted).unwrap())[108..])
    };
    let header = hex::encode(header);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("none");
    let arguments = ["--header", &header, "--out", out.to_str().unwrap()];
    let run = solve(&[&arguments[..], &["--nonce", &nonces(|found| found == 0)]].concat(), b"");
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""));
    assert!(run.stderr.contains("found 0 of 1 requested solutions in 1 nonces"));
    assert!(!out.exists() && std::fs::read_dir(folder.path()).unwrap().count() == 0);
    let run = solve(&["--header", &header, "--nonce", &nonces(|found| found == 2)], b"");
    assert_eq!((run.code, lines(&run).len()), (Some(0), 2));
}

#[test]
fn what_cannot_be_solved_is_refused() {
    let header = hex::encode(random_header(5));
    let mut negative = random_header(6);
    negative[104..108].copy_from_slice(&0x2080_0001u32.to_le_bytes());
    let negative = hex::encode(negative);
    let cases: [(&[&str], &str); 12] = [
        (&["--n", "47", "--k", "5"], "n is 47"),
        (&["--n", "48"], "--k"),
        (&["--n", "48", "--k", "6"], "n must be a multiple of k + 1"),
        (&["--header", &header[..214]], "No such file"),
        (&["--header", "-"], "expected 108 bytes, or 140 with the nonce"),
        (&["--header", "/"], "is a directory"),
        (&["--header", &header, "--nonce", "00"], "not 64 hexadecimal digits"),
        (&["--nonces", "5..5"], "is an empty range"),
        (&["--count", "0"], "0 is not in"),
        (&["--n", "144", "--k", "5", "--memory", "1G"], "bytes of memory; the limit is 1000000000"),
        (&["--n", "24", "--k", "5"], "give the nonces to try with --nonces FROM..TO"),
        (&["--until-target", "--header", &negative], "0x20800001 is negative"),
    ];
    for (arguments, reason) in cases {
        let run = solve(arguments, b"");
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(run.stderr.contains(reason), "{arguments:?}: {}", run.stderr);
    }
    let run = solve(&["--header", "-"], &random_header(7)[..139]);
    assert!(run.stderr.contains("got 139"), "{}", run.stderr);
}
