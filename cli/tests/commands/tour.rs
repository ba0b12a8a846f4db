// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede tour` and `halimede devices` on the processor.

use crate::common::halimede;
use serde_json::Value;

#[test]
fn the_tour_is_right_on_the_processor() {
    let run = halimede(&["--json", "tour"], b"");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let tour: Value = serde_json::from_str(&run.stdout).unwrap();
    let rows = tour["tour"].as_array().unwrap();
    assert!(rows.len() >= 12, "{} rows", rows.len());
    assert!(rows.iter().all(|row| row["check"] == "ok"), "{rows:?}");
    assert!(rows.iter().all(|row| row["items"].as_u64().unwrap() > 0));
    let text = halimede(&["tour"], b"").stdout;
    for mode in ["hash", "keyed_hash", "derive_key"] {
        let name = format!("blake3 {mode}: official vectors");
        let row = rows.iter().find(|row| row["job"] == name.as_str()).unwrap();
        assert_eq!(row["items"], 35);
    }
    let name = "ckks n14: logistic regression on 64 encrypted patients, ";
    let is_it = |row: &&Value| row["job"].as_str().unwrap().starts_with(name);
    let row = rows.iter().find(is_it).unwrap();
    assert_eq!((row["items"].as_u64(), row["check"].as_str()), (Some(64), Some("ok")));
    assert!(text.contains(name) && text.contains("secp256k1: signatures at every edge"));
    assert!(text.contains("equihash (200, 9): proof of work of Zcash block 346"));
    assert!(text.contains("Zcash block 346") && text.lines().count() == rows.len() + 1);
}

#[test]
fn devices_lists_the_processor_and_says_why_others_are_not_here() {
    let run = halimede(&["--json", "devices"], b"");
    assert_eq!(run.code, Some(0));
    let devices: Value = serde_json::from_str(&run.stdout).unwrap();
    let list = devices["devices"].as_array().unwrap();
    let cpu = list.iter().find(|entry| entry["spec"] == "cpu").unwrap();
    assert_eq!(cpu["available"], true);
    for entry in list.iter().filter(|entry| entry["available"] == false) {
        assert!(!entry["description"].as_str().unwrap().is_empty());
    }
    assert!(halimede(&["devices"], b"").stdout.starts_with("device"));
}
