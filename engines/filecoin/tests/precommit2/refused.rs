// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Inputs that are refused before anything is changed.

use std::collections::BTreeMap;
use std::fs::{remove_file, rename, File};
use std::os::unix::fs::FileExt;

use halimede_filecoin::{Phase1, Phase1Error, PHASE1_LIMIT_BYTES};
use proptest::prelude::*;
use serde_json::{json, Value};

use crate::sectors::{read, Sandbox};

const LAYER_2: &str = "cache/sc-02-data-layer-2.dat";
const TREE_D: &str = "cache/sc-02-data-tree-d.dat";

/// The output of a first phase, as lotus passes it on.
fn phase1() -> Value {
    let layer = |number| json!({"path": "/a", "id": format!("layer-{number}"), "size": 64, "rows_to_discard": 0});
    json!({
        "registered_proof": "StackedDrg2KiBV1_1",
        "labels": {"StackedDrg2KiBV1": {"labels": [layer(1), layer(2)], "_h": null}},
        "config": {"path": "/a", "id": "tree-d", "size": 127, "rows_to_discard": 0},
        "comm_d": vec![7; 32], "_lotus_SealRandomness": "AQ=="
    })
}

fn parse(json: &Value) -> Result<Phase1, Phase1Error> {
    Phase1::parse(json.to_string().as_bytes())
}

#[test]
fn a_first_phase_that_contradicts_itself_is_refused_with_a_reason() {
    assert!(parse(&phase1()).is_ok());
    let labels = "/labels/StackedDrg2KiBV1/labels";
    let cases: [(&str, Value, &str); 10] = [
        ("/registered_proof", "StackedDrg8MiBV1".into(), "expected the single entry"),
        ("/registered_proof", "StackedDrg3KiBV1".into(), "unknown seal proof"),
        ("/registered_proof", 5.into(), "not the JSON of a first phase"),
        ("/labels", json!({}), "expected the single entry StackedDrg2KiBV1"),
        (labels, json!([]), "0 layers, but StackedDrg2KiBV1_1 has 2"),
        (&format!("{labels}/1/id"), "layer-1".into(), "expected the file \"layer-2\""),
        (&format!("{labels}/0/id"), "../../etc/passwd".into(), "expected the file \"layer-1\""),
        (&format!("{labels}/0/size"), Value::Null, "expected a size of 64 nodes, got none"),
        ("/config/size", 128.into(), "tree-d: expected a size of 127 nodes, got 128"),
        ("/comm_d", json!(vec![255; 32]), "not below the modulus"),
    ];
    for (place, value, reason) in cases {
        let mut changed = phase1();
        *changed.pointer_mut(place).unwrap() = value;
        let error = parse(&changed).unwrap_err().to_string();
        assert!(error.contains(reason), "{place}: {error}");
    }
    for (text, reason) in [("", "EOF"), ("e30=", "missing field"), ("%%", "not base64")] {
        let error = Phase1::decode(text).unwrap_err().to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    let long = "A".repeat(PHASE1_LIMIT_BYTES + 4);
    assert!(matches!(Phase1::decode(&long), Err(Phase1Error::TooLong { .. })));
}

proptest! {
    #[test]
    fn any_change_of_a_first_phase_is_refused_or_read(at in 0usize..400, byte in any::<u8>()) {
        let mut bytes = phase1().to_string().into_bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(parsed) = Phase1::parse(&bytes) {
            prop_assert_eq!(parsed.labels.len(), 2);
            prop_assert_eq!(parsed.labels[0].size, Some(64));
        }
    }

    #[test]
    fn any_text_is_refused(text in ".{0,200}") {
        prop_assert!(Phase1::decode(&text).is_err());
        prop_assert!(Phase1::parse(text.as_bytes()).is_err());
    }
}

/// Runs the phase, which must fail with the reason and leave all files as they are, except whole
/// files of tree C and the journal.
fn refused(sandbox: &Sandbox, reason: &str) {
    let before = sandbox.files();
    let error = sandbox.run().unwrap_err().to_string();
    assert!(error.contains(reason), "{error}");
    let mut after = sandbox.files();
    after.retain(|name, _| {
        before.contains_key(name) || !(name.contains("tree-c") || name.ends_with(".journal"))
    });
    assert_eq!(names(&after), names(&before), "{reason}");
    assert!(after == before, "{reason}: a file has changed");
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&String> {
    files.keys().collect()
}

fn change(sandbox: &Sandbox, name: &str, at: u64, bytes: &[u8]) {
    let file = File::options().write(true).open(sandbox.path(name)).unwrap();
    file.write_all_at(bytes, at).unwrap();
}

#[test]
fn missing_and_truncated_files_are_refused() {
    for name in [LAYER_2, TREE_D, "sealed"] {
        let sandbox = Sandbox::of_streams(16 << 10, 2);
        let file = File::options().write(true).open(sandbox.path(name)).unwrap();
        let length = file.metadata().unwrap().len();
        for wrong in [0, length - 1, length + 1] {
            file.set_len(wrong).unwrap();
            refused(&sandbox, &format!("of {length} bytes, got {wrong} bytes"));
        }
        rename(sandbox.path(name), sandbox.path("moved")).unwrap();
        if name != "sealed" {
            refused(&sandbox, "No such file");
            std::fs::create_dir(sandbox.path(name)).unwrap();
            let error = sandbox.run().unwrap_err().to_string();
            assert!(error.contains("not a regular file"), "{error}");
        }
    }
    let sandbox = Sandbox::of_streams(2 << 10, 2);
    let mut job = sandbox.job();
    job.cache = sandbox.path("sealed");
    assert!(job.run(&mut |_| true).unwrap_err().to_string().contains("ot a directory"));
}

#[test]
fn data_that_differ_from_tree_d_are_refused_wherever_they_differ() {
    // 1 MiB and more have nodes between the samples that are compared first.
    for (bytes, at) in [(2 << 10, 77), (16 << 10, 0), (8 << 20, 5_000_000), (8 << 20, 8_388_607)] {
        let sandbox = Sandbox::of_streams(bytes, 2);
        let byte = read(&sandbox.path("sealed"))[at as usize];
        change(&sandbox, "sealed", at, &[byte ^ 1]);
        refused(&sandbox, &format!("at byte offset {at}: the sealed file must contain"));
    }
    // Both files agree on a node that is too large.
    let sandbox = Sandbox::of_streams(2 << 10, 2);
    for name in ["sealed", TREE_D] {
        change(&sandbox, name, 95, &[0x40]);
    }
    refused(&sandbox, "the node at byte offset 64 is not below 2^254");
}

#[test]
fn a_layer_with_a_label_that_is_too_large_is_named() {
    let sandbox = Sandbox::of_streams(16 << 10, 2);
    change(&sandbox, LAYER_2, 2048 + 63, &[0x80]);
    refused(&sandbox, "layer-2.dat, from byte offset 2048 on: the leaf at byte offset 32 is not");
}

#[test]
fn the_root_of_another_tree_d_is_refused() {
    let sandbox = Sandbox::of_streams(2 << 10, 2);
    change(&sandbox, TREE_D, 126 * 32, &[9]);
    refused(&sandbox, "tree D has the root 0x09");
}

#[test]
fn a_sector_that_is_sealed_is_not_sealed_twice() {
    let sandbox = Sandbox::of_streams(2 << 10, 2);
    sandbox.run().unwrap();
    refused(&sandbox, "this sector has probably been sealed already");
}

#[test]
fn a_sealed_file_that_is_an_input_or_in_use_is_refused() {
    let sandbox = Sandbox::of_streams(2 << 10, 2);
    let sealed = File::options().write(true).open(sandbox.path("sealed")).unwrap();
    sealed.lock().unwrap();
    refused(&sandbox, "locked by another process");
    sealed.unlock().unwrap();
    remove_file(sandbox.path("sealed")).unwrap();
    std::fs::hard_link(sandbox.path(LAYER_2), sandbox.path("sealed")).unwrap();
    refused(&sandbox, "are the same file");
}

#[test]
fn a_damaged_journal_is_refused() {
    let sandbox = Sandbox::of_streams(2 << 10, 2);
    std::fs::write(sandbox.cached(halimede_filecoin::journal::NAME), "{").unwrap();
    refused(&sandbox, "not a journal of this command (EOF");
}
