// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash verify-block` on whole regtest blocks with genuinely signed transactions: they
//! are valid, and for each modification, exactly its fault is reported.

use crate::chain::regtest::{solved, BITS_AT, HEADER_BYTES};
use crate::chain::sign::{pushes, script_of, spend, Key, Lock};
use crate::chain::{coinbase, Draft, DraftInput, HISTORY_ROOT};
use crate::common::{halimede, Outcome};
use halimede_zcash::{BlockTransaction, BranchId, Hash};
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{json, Value};
use tempfile::TempDir;

const HEIGHT: u32 = 40_961;
const CHECKS: [&str; 5] =
    ["header", "difficulty", "equihash", "merkle root", "signature operations"];
const MISMATCH: &str = "the signature is not this key's on this digest";

/// Transactions that spend outputs of earlier blocks.
#[derive(Clone)]
struct Sample {
    branch: BranchId,
    drafts: Vec<Draft>,
    /// The pushes of each input of each transaction.
    pushes: Vec<Vec<Vec<Vec<u8>>>>,
    /// The outputs that they spend.
    spent: Vec<DraftInput>,
    /// The lock of the first output of the first transaction.
    heir: Lock,
}

/// The usual kinds of scripts.
fn locks(random: &mut ChaCha8Rng) -> [Lock; 5] {
    let mut key = || Key::random(random);
    let two_of_three = Lock::MultiSig(vec![key(), key(), key()], vec![0, 2]);
    let one_of_two = Lock::MultiSig(vec![key(), key()], vec![1]);
    [
        Lock::PubKeyHash(key()),
        Lock::PubKey(key()),
        one_of_two,
        Lock::ScriptHash(Box::new(two_of_three)),
        Lock::ScriptHash(Box::new(Lock::PubKeyHash(key()))),
    ]
}
const KINDS: [&str; 5] = ["P2PKH", "P2PK", "1-of-2 multisig", "P2SH 2-of-3 multisig", "P2SH P2PKH"];

impl Sample {
    /// Returns one transaction per version, with signatures of these types.
    fn new(branch: BranchId, versions: &[u32], types: &[u8], random: &mut ChaCha8Rng) -> Self {
        let heir = Lock::PubKeyHash(Key::random(random));
        let mut sample = Self { branch, drafts: vec![], pushes: vec![], spent: vec![], heir };
        for version in versions {
            let locks = locks(random);
            let inputs: Vec<_> = locks.iter().map(|lock| spend(lock, random)).collect();
            let outputs = inputs
                .iter()
                .map(|_| (random.gen_range(0..1_000_000_000), Lock::random(random).script()));
            let mut outputs: Vec<_> = outputs.collect();
            outputs[0].1 = sample.heir.script();
            let expiry = [0, HEIGHT, HEIGHT + 7][random.gen_range(0..3)];
            let lock_time = random.gen_range(0..HEIGHT);
            let draft = Draft { version: *version, branch, lock_time, expiry, inputs, outputs };
            sample.spent.extend(draft.inputs.clone());
            sample.add(draft, &locks, types, random);
        }
        sample
    }

    /// Signs and adds a transaction.
    fn add(&mut self, draft: Draft, locks: &[Lock], types: &[u8], random: &mut ChaCha8Rng) {
        let types: Vec<_> = locks.iter().map(|_| *types.choose(random).unwrap()).collect();
        self.pushes.push(pushes(&draft, locks, &types));
        self.drafts.push(draft);
    }

    /// Adds a transaction that spends an output of the first one, in the same block.
    fn inherit(&mut self, types: &[u8], random: &mut ChaCha8Rng) {
        let first = BlockTransaction::parse(&self.transactions()[1]).unwrap();
        let (value, script) = self.drafts[0].outputs[0].clone();
        let input = DraftInput { txid: first.txid(), vout: 0, sequence: 5, value, script };
        let (inputs, outputs) = (vec![input], vec![(value / 2, vec![0x51])]);
        let draft = Draft { inputs, outputs, lock_time: 0, expiry: 0, ..self.drafts[0].clone() };
        let heir = self.heir.clone();
        self.add(draft, &[heir], types, random);
    }

    /// Returns the transactions, after a coinbase transaction.
    fn transactions(&self) -> Vec<Vec<u8>> {
        let version = self.drafts.iter().map(|draft| draft.version).max().unwrap();
        let pairs = self.drafts.iter().zip(&self.pushes);
        let signed = pairs.map(|(draft, inputs)| {
            let scripts: Vec<_> = inputs.iter().map(|pushes| script_of(pushes)).collect();
            draft.bytes(&scripts)
        });
        [coinbase(self.branch, version, HEIGHT)].into_iter().chain(signed).collect()
    }

    fn block(&self, random: &mut ChaCha8Rng) -> Vec<u8> {
        solved(&self.transactions(), |_| {}, random)
    }
}

/// Returns the lines for `--spent`.
fn lines(spent: &[DraftInput]) -> String {
    let line = |input: &DraftInput| {
        let (txid, script) = (input.txid.to_string(), hex::encode(&input.script));
        json!({ "txid": txid, "vout": input.vout, "value": input.value, "script": script })
    };
    spent.iter().map(|input| format!("{}\n", line(input))).collect()
}

/// Runs the command on a block of a branch.
fn run(block: &[u8], spent: &[DraftInput], of_branch: BranchId, options: &[&str]) -> Outcome {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("spent.jsonl");
    std::fs::write(&path, lines(spent)).unwrap();
    let branch = format!("{:08x}", u32::from(of_branch));
    let height = HEIGHT.to_string();
    let mut fixed = vec!["zcash", "verify-block", "-", "--network", "regtest"];
    if !options.contains(&"--height") {
        fixed.extend(["--height", &height]);
    }
    let root = HISTORY_ROOT.to_string();
    if matches!(of_branch, BranchId::Nu5 | BranchId::Nu6 | BranchId::Nu6_1) {
        fixed.extend(["--history-root", &root]);
    }
    let spent = ["--spent", path.to_str().unwrap(), "--branch", &branch];
    halimede(&[&fixed, &spent[..], options].concat(), block)
}

/// Runs the command with `--json`, and parses its output.
fn run_json(
    block: &[u8],
    spent: &[DraftInput],
    branch: BranchId,
    options: &[&str],
) -> (Option<i32>, Value) {
    let outcome = run(block, spent, branch, &[options, &["--json"]].concat());
    let json = serde_json::from_str(&outcome.stdout);
    (outcome.code, json.unwrap_or_else(|_| panic!("{}{}", outcome.stdout, outcome.stderr)))
}

/// Returns all complaints of a report.
fn complaints(json: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    for check in json["checks"].as_array().unwrap() {
        if check["verdict"] == "invalid" {
            complaints.push(format!("{}: {}", check["check"], check["detail"]));
        }
    }
    for (index, transaction) in json["transactions"].as_array().unwrap().iter().enumerate() {
        for fault in transaction["faults"].as_array().unwrap() {
            complaints.push(format!("{index}: {fault}"));
        }
        for input in transaction["inputs"].as_array().unwrap() {
            if input["verdict"] != "valid" {
                complaints.push(format!("{index}.{}: {}", input["input"], input["reason"]));
            }
        }
    }
    complaints.into_iter().map(|complaint| complaint.replace('"', "")).collect()
}

/// Checks that a block is invalid for exactly these reasons, given by parts of their texts.
fn refused(block: &[u8], sample: &Sample, reasons: &[(&str, &str)]) {
    refused_with(block, sample, &sample.spent, &[], reasons);
}

fn refused_with(
    block: &[u8],
    sample: &Sample,
    spent: &[DraftInput],
    options: &[&str],
    reasons: &[(&str, &str)],
) {
    let (code, json) = run_json(block, spent, sample.branch, options);
    let got = complaints(&json);
    assert_eq!(
        (code, &json["verdict"]),
        (Some(1), &"invalid".into()),
        "{got:#?}, not {reasons:#?}"
    );
    assert!(json["faults"].as_array().unwrap().len() >= reasons.len(), "{json}");
    assert_eq!(got.len(), reasons.len(), "{got:#?}, not {reasons:#?}");
    for (got, (place, reason)) in got.iter().zip(reasons) {
        assert!(got.starts_with(&format!("{place}: ")), "{got} is not {place}");
        assert!(got.contains(reason), "{got} is not {reason}");
    }
    let text = run(block, spent, sample.branch, options);
    let first = &json["faults"][0];
    let [section, place, reason] =
        ["section", "place", "reason"].map(|key| first[key].as_str().unwrap());
    let line = format!("halimede: the block is invalid: section {section}, {place}: {reason}");
    assert_eq!((text.code, text.stderr.trim()), (Some(1), line.as_str()));
    assert!(text.stdout.lines().last().unwrap().starts_with("invalid ("), "{}", text.stdout);
}

/// Returns a sample of version 4 or 5, whose signatures commit to all outputs.
fn sample(version: u32, random: &mut ChaCha8Rng) -> Sample {
    let branch = if version < 5 { BranchId::Sapling } else { BranchId::Nu6 };
    Sample::new(branch, &[version], &[1], random)
}

#[test]
fn blocks_of_all_versions_are_valid() {
    let mut random = ChaCha8Rng::seed_from_u64(0x4e60);
    let types = [0x01, 0x02, 0x03, 0x81, 0x82, 0x83];
    for (branch, versions) in [
        (BranchId::Sprout, &[1, 2][..]),
        (BranchId::Overwinter, &[3]),
        (BranchId::Sapling, &[4, 4]),
        (BranchId::Canopy, &[4]),
        (BranchId::Nu5, &[4, 5]),
        (BranchId::Nu6_1, &[5]),
    ] {
        let mut sample = Sample::new(branch, versions, &types, &mut random);
        sample.inherit(&types, &mut random);
        let block = sample.block(&mut random);
        let (code, json) = run_json(&block, &sample.spent, branch, &[]);
        assert_eq!((code, complaints(&json)), (Some(0), vec![]), "{branch:?}");
        let height = (&json["height"], &json["network"], &json["verdict"]);
        assert_eq!(height, (&HEIGHT.into(), &"regtest".into(), &"valid".into()));
        assert_eq!((&json["faults"], &json["unchecked"]), (&json!([]), &json!([])));
        let checks: Vec<_> = json["checks"].as_array().unwrap().iter().collect();
        let names: Vec<_> = checks.iter().map(|check| check["check"].as_str().unwrap()).collect();
        assert_eq!(names, CHECKS);
        assert!(checks.iter().all(|check| check["verdict"] == "valid"));
        let inputs = sample.spent.len() + 1;
        let counts = json!({ "valid": inputs, "invalid": 0, "incomplete": 0 });
        assert_eq!(json["inputs"], counts);
        // Scripts with 1 and 3 keys are run; scripts of outputs count too.
        assert!(json["signature_operations"].as_u64().unwrap() >= versions.len() as u64);
        let transactions = json["transactions"].as_array().unwrap();
        assert_eq!(transactions.len(), versions.len() + 2);
        assert_eq!(transactions[0]["coinbase"], true);
        for transaction in &transactions[1..=versions.len()] {
            let inputs = transaction["inputs"].as_array().unwrap();
            let kinds: Vec<_> =
                inputs.iter().map(|input| input["kind"].as_str().unwrap()).collect();
            assert_eq!((kinds, &transaction["faults"]), (KINDS.to_vec(), &json!([])));
        }
        let text = run(&block, &sample.spent, branch, &[]);
        assert_eq!((text.code, text.stderr.as_str()), (Some(0), ""));
        assert!(text.stdout.lines().last().unwrap().starts_with("valid ("), "{}", text.stdout);
    }
}

#[test]
fn spoilt_transactions_are_named() {
    let mut random = ChaCha8Rng::seed_from_u64(0x5b01);
    for version in [4, 5] {
        let good = sample(version, &mut random);
        let all: Vec<_> = (0..KINDS.len()).map(|input| format!("1.{input}")).collect();
        let all: Vec<_> = all.iter().map(|place| (&place[..], MISMATCH)).collect();
        let block = |sample: &Sample, random: &mut ChaCha8Rng| sample.block(random);

        // Flips a bit of a signature, for each kind of script.
        for input in 0..KINDS.len() {
            let mut spoilt = good.clone();
            let pushed = &mut spoilt.pushes[0][input];
            // A key, a redeem script or both follow the last signature.
            let last = pushed.len() - [2, 1, 1, 2, 3][input];
            let at = pushed[last].len() - 2 - random.gen_range(0..20); // within s
            pushed[last][at] ^= 1 << random.gen_range(0..8);
            refused(&block(&spoilt, &mut random), &spoilt, &[all[input]]);
        }

        // Changes the amount and the script of an output, to which all signatures commit.
        let mut spoilt = good.clone();
        spoilt.drafts[0].outputs[3].0 ^= 1;
        refused(&block(&spoilt, &mut random), &spoilt, &all);
        let mut spoilt = good.clone();
        spoilt.drafts[0].outputs[2].1.push(0x61);
        refused(&block(&spoilt, &mut random), &spoilt, &all);

        // The outputs exceed the inputs, with valid signatures.
        let mut spoilt = sample(version, &mut random);
        let locks = locks(&mut random);
        let mut draft = spoilt.drafts.remove(0);
        draft.inputs = locks.iter().map(|lock| spend(lock, &mut random)).collect();
        (spoilt.pushes, spoilt.spent) = (vec![], draft.inputs.clone());
        let all_values: u64 = draft.inputs.iter().map(|input| input.value).sum();
        draft.outputs = vec![(all_values - 7, vec![0x51]), (8, vec![0x52])];
        spoilt.add(draft, &locks, &[1], &mut random);
        let reason = "its outputs exceed its inputs: its transparent outputs are";
        let reason = format!("{reason} {} zatoshi", all_values + 1);
        refused(&block(&spoilt, &mut random), &spoilt, &[("1", &reason)]);

        // A lock time in the future and an expired height, with valid signatures.
        for (lock_time, expiry, reason) in [
            (HEIGHT, 0, "its lock time, 40961, has not passed"),
            (0, HEIGHT - 1, "it expired at height 40960, before 40961"),
        ] {
            let mut spoilt = good.clone();
            let mut draft = spoilt.drafts.remove(0);
            (spoilt.pushes, draft.lock_time, draft.expiry) = (vec![], lock_time, expiry);
            draft.inputs.truncate(1);
            let lock = Lock::PubKey(Key::random(&mut random));
            draft.inputs[0] = DraftInput { sequence: 0, ..spend(&lock, &mut random) };
            spoilt.spent = draft.inputs.clone();
            spoilt.add(draft, &[lock], &[1], &mut random);
            refused(&block(&spoilt, &mut random), &spoilt, &[("1", reason)]);
        }

        // A transaction, followed by a copy of it.
        let mut spoilt = good.clone();
        spoilt.drafts.push(spoilt.drafts[0].clone());
        spoilt.pushes.push(spoilt.pushes[0].clone());
        let places: Vec<_> = (0..KINDS.len()).map(|input| format!("2.{input}")).collect();
        let twice = places.iter().map(|place| (&place[..], "is already spent by input"));
        refused(&block(&spoilt, &mut random), &spoilt, &twice.collect::<Vec<_>>());

        // Two coinbase transactions.
        let mut transactions = good.transactions();
        transactions.push(transactions[0].clone());
        let late = solved(&transactions, |_| {}, &mut random);
        refused(&late, &good, &[("2", "a coinbase transaction that is not the first")]);
    }
}

#[test]
fn wrong_and_missing_spent_outputs_are_named() {
    let mut random = ChaCha8Rng::seed_from_u64(0x5e17);
    for version in [4, 5] {
        let good = sample(version, &mut random);
        let block = good.block(&mut random);
        // From version 5 on, all signatures commit to all spent outputs.
        let others = |input: usize, reason: &'static str| -> Vec<(String, &'static str)> {
            let places = (0..KINDS.len()).filter(|other| version >= 5 || *other == input);
            places
                .map(|at| (format!("1.{at}"), if at == input { reason } else { MISMATCH }))
                .collect()
        };
        let refuse = |spent: &[DraftInput], reasons: &[(String, &str)]| {
            let reasons: Vec<_> =
                reasons.iter().map(|(place, reason)| (&place[..], *reason)).collect();
            refused_with(&block, &good, spent, &[], &reasons);
        };
        for (input, script_reason) in [
            (0, "script of the output: during interpretation: verify operation failed"),
            (1, MISMATCH),
            (3, "the script ends with false"),
        ] {
            let mut value = good.spent.clone();
            value[input].value ^= 1 << random.gen_range(0..34);
            refuse(&value, &others(input, MISMATCH));
            let mut script = good.spent.clone();
            script[input].script = locks(&mut random)[input].script();
            refuse(&script, &others(input, script_reason));
        }
        // Exchanges the outputs of two inputs.
        let mut swapped = good.spent.clone();
        let (one, other) = (swapped[0].script.clone(), swapped[4].script.clone());
        (swapped[0].script, swapped[4].script) = (other, one);
        let (code, json) = run_json(&block, &swapped, good.branch, &[]);
        let wrong = if version >= 5 { 5 } else { 2 };
        assert_eq!((code, complaints(&json).len()), (Some(1), wrong));

        // Omits an output: nothing is invalid, but something is not checked.
        let missing = random.gen_range(0..KINDS.len());
        let mut spent = good.spent.clone();
        spent.remove(missing);
        let (code, json) = run_json(&block, &spent, good.branch, &[]);
        let open = if version >= 5 { 5 } else { 1 };
        assert_eq!((code, &json["verdict"]), (Some(5), &"incomplete".into()));
        assert_eq!(json["inputs"]["incomplete"], open);
        let name = "inputs whose spent outputs are unknown";
        assert_eq!(
            (&json["unchecked"][0]["name"], &json["unchecked"][0]["count"]),
            (&name.into(), &open.into())
        );
        let reason = format!("the spent output of input {missing} is unknown");
        assert!(complaints(&json).iter().all(|complaint| complaint.ends_with(&reason)));
        let detail = json["checks"][4]["detail"].as_str().unwrap();
        assert!(detail.contains(" at least: redeem scripts"), "{detail}");
        let text = run(&block, &spent, good.branch, &[]);
        let words = format!("some were not possible: {open} {name}; --allow-incomplete");
        assert!(text.stderr.contains(&words), "{}", text.stderr);
        let allowed = run(&block, &spent, good.branch, &["--allow-incomplete"]);
        assert_eq!((text.code, allowed.code), (Some(5), Some(0)));
        assert!(allowed.stdout.contains(&format!("{open} {name}: --spent: give the outputs")));
    }
}

#[test]
fn spoilt_headers_are_named() {
    let mut random = ChaCha8Rng::seed_from_u64(0x4ead);
    let good = sample(4, &mut random);
    let transactions = good.transactions();
    let mut changed = |at: usize, bytes: &[u8]| {
        let change = |fields: &mut [u8; 140]| fields[at..at + bytes.len()].copy_from_slice(bytes);
        solved(&transactions, change, &mut random)
    };
    let old = changed(0, &3i32.to_le_bytes());
    refused(&old, &good, &[("header", "version 3: must be at least 4")]);
    let root = changed(36, &Hash([0x5a; 32]).0[..7]);
    refused(&root, &good, &[("merkle root", "5a5a5a5a5a5a5a, but the transactions have ")]);
    let bits = |bits: u32| bits.to_le_bytes();
    let hard = changed(BITS_AT, &bits(0x1d00_ffff));
    refused(&hard, &good, &[("difficulty", "the header's hash does not meet its target")]);
    let easy = changed(BITS_AT, &bits(0x207f_ffff));
    refused(&easy, &good, &[("difficulty", "is above the network's limit")]);
    // The header's commitments to the chain and its time are not checked without the chain.
    let commitment = changed(68, &[0x77; 32]);
    let time = changed(100, &bits(1));
    for block in [commitment, time] {
        let (code, json) = run_json(&block, &good.spent, good.branch, &[]);
        assert_eq!((code, complaints(&json)), (Some(0), vec![]));
    }
    // A block time before lock times.
    let mut late = good.clone();
    late.drafts[0].inputs.iter_mut().for_each(|input| input.sequence = 3);
    late.drafts[0].lock_time = 1_700_000_000;
    for (time, over) in [(1_700_000_001, true), (1_700_000_000, false)] {
        let change = |fields: &mut [u8; 140]| fields[100..104].copy_from_slice(&bits(time));
        let block = solved(&late.transactions(), change, &mut random);
        let (_, json) = run_json(&block, &late.spent, late.branch, &[]);
        let named = complaints(&json).iter().any(|complaint| complaint.contains("has not passed"));
        assert_eq!(named, !over);
    }
    let block = good.block(&mut random);
    for _ in 0..20 {
        // Changes in the solution and its input, except in the root and the target.
        let ranges = [4..36, 68..104, 108..140, 141..HEADER_BYTES];
        let mut spoilt = block.clone();
        let range = ranges.choose(&mut random).unwrap().clone();
        spoilt[random.gen_range(range)] ^= 1 << random.gen_range(0..8);
        let (code, json) = run_json(&spoilt, &good.spent, good.branch, &[]);
        let complaints = complaints(&json);
        assert_eq!(code, Some(1));
        assert!(complaints.iter().any(|complaint| complaint.starts_with("equihash: ")));
        let of_proof = |complaint: &String| {
            ["equihash", "difficulty"].iter().any(|of| complaint.starts_with(of))
        };
        assert!(complaints.iter().all(of_proof), "{complaints:?}");
    }
}

#[test]
fn too_many_signature_operations_are_named() {
    let mut random = ChaCha8Rng::seed_from_u64(0x519);
    let good = sample(4, &mut random);
    let count = |block: &[u8]| {
        let (_, json) = run_json(block, &good.spent, good.branch, &[]);
        json["signature_operations"].as_u64().unwrap()
    };
    let mut transactions = good.transactions();
    let before = count(&solved(&transactions, |_| {}, &mut random));
    for (more, over) in [(20_000 - before, false), (20_001 - before, true)] {
        let mut first = crate::chain::coinbase_draft(good.branch, 4, HEIGHT);
        let script = [vec![0xae; more as usize / 20], vec![0xad; more as usize % 20]].concat();
        first.outputs.push((0, script));
        transactions[0] = first.bytes(&[crate::chain::height_script(HEIGHT)]);
        let block = solved(&transactions, |_| {}, &mut random);
        if over {
            let reason = "20001 signature operations, but a block has at most 20000";
            refused(&block, &good, &[("signature operations", reason)]);
        } else {
            let (code, json) = run_json(&block, &good.spent, good.branch, &[]);
            assert_eq!((code, &json["signature_operations"]), (Some(0), &20_000.into()));
        }
    }
}

#[test]
fn other_rules_and_heights_are_named() {
    let mut random = ChaCha8Rng::seed_from_u64(0x0e1);
    let four = sample(4, &mut random);
    let all: Vec<_> = (0..KINDS.len()).map(|input| format!("1.{input}")).collect();
    let all: Vec<_> = all.iter().map(|place| (&place[..], MISMATCH)).collect();
    let block = four.block(&mut random);
    refused(&block, &Sample { branch: BranchId::Blossom, ..four.clone() }, &all);
    let height = (HEIGHT + 1).to_string();
    let reason = [("header", "the block claims height 40961, not 40962")];
    refused_with(&block, &four, &four.spent, &["--height", &height], &reason);

    let five = sample(5, &mut random);
    let block = five.block(&mut random);
    let other = "it is made for NU6, but NU6.1 is in force";
    let both = [("0", other), ("1", other)];
    refused(&block, &Sample { branch: BranchId::Nu6_1, ..five.clone() }, &both);
    let reasons = [
        ("header", "the block claims height 40961, not 40962"),
        ("0", "the coinbase transaction expires at height 40961: must be the block's, 40962"),
    ];
    let (code, json) = run_json(&block, &five.spent, five.branch, &["--height", &height]);
    let got = complaints(&json);
    assert_eq!(code, Some(1));
    for (place, reason) in reasons {
        assert!(got.iter().any(|got| got.starts_with(place) && got.contains(reason)), "{got:?}");
    }
}

#[test]
fn what_is_cut_ends_with_its_place() {
    let mut random = ChaCha8Rng::seed_from_u64(0xc07);
    let good = sample(5, &mut random);
    let block = good.block(&mut random);
    for _ in 0..15 {
        let end = random.gen_range(HEADER_BYTES..block.len());
        let outcome = run(&block[..end], &good.spent, good.branch, &[]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
        let place = format!("halimede: -: not a block: at byte {end}: ");
        assert!(outcome.stderr.starts_with(&place), "{}", outcome.stderr);
    }
}

/// The simulated card has the same verdicts; the processor does what the card does not support.
#[test]
fn the_simulated_card_agrees() {
    if let Err(missing) = halimede_device::simulator::Image::default().find() {
        let required = std::env::var("HALIMEDE_REQUIRE_RTL").is_ok_and(|value| value == "1");
        assert!(!required, "{missing}");
        eprintln!("skipped: {missing}");
        return;
    }
    let mut random = ChaCha8Rng::seed_from_u64(0x51b);
    let good = sample(5, &mut random);
    let block = good.block(&mut random);
    let mut of_solution = block.clone();
    of_solution[HEADER_BYTES - random.gen_range(1..36)] ^= 1 << random.gen_range(0..8);
    let mut spoilt = good.clone();
    let signature = &mut spoilt.pushes[0][1][0];
    let at = signature.len() - random.gen_range(2..20);
    signature[at] ^= 1 << random.gen_range(0..8);
    for (block, code) in [(block, 0), (of_solution, 1), (spoilt.block(&mut random), 1)] {
        let card = ["--device", "sim", "--fallback", "--time-limit", "300"];
        let (card_code, on_card) = run_json(&block, &good.spent, good.branch, &card);
        let (here_code, here) = run_json(&block, &good.spent, good.branch, &[]);
        assert_eq!((card_code, here_code), (Some(code), Some(code)));
        for member in ["proof_of_work", "checks", "inputs", "transactions", "signatures"] {
            assert_eq!(on_card[member], here[member], "{member}");
        }
    }
}
