// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash make-sapling`: the transaction, its report, and bad input.

use crate::common::halimede;
use halimede_zcash::BlockTransaction;
use serde_json::Value;

const DESCRIPTION: &str = r#"{"network": "main", "height": 1687121, "spends": [{"value": 70}], "outputs": [{"value": 5}]}"#;

#[test]
fn a_transaction_is_made_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let parameters = folder.path().to_str().unwrap();
    let path = |name: &str| folder.path().join(name);
    let run = |arguments: &[&str], description: &str| {
        let all = [&["zcash", "make-sapling", "-", "--parameters", parameters], arguments].concat();
        halimede(&all, description.as_bytes())
    };
    let (spend, output) = wagyu_zcash_parameters::load_sapling_parameters();
    let absent = run(&[], DESCRIPTION);
    assert_eq!((absent.code, absent.stdout.as_str()), (Some(2), ""));
    assert!(absent.stderr.contains("sapling-spend.params"), "{}", absent.stderr);
    // The wrong files are recognized by their digests.
    std::fs::write(path("sapling-spend.params"), &output).unwrap();
    std::fs::write(path("sapling-output.params"), &output).unwrap();
    let swapped = run(&[], DESCRIPTION);
    assert_eq!(swapped.code, Some(2));
    assert!(swapped.stderr.contains("not `sapling-spend.params` of the ceremony"));
    std::fs::write(path("sapling-spend.params"), &spend).unwrap();
    let bad = run(&[], &DESCRIPTION.replace("\"value\": 5", "\"value\": 71"));
    assert_eq!((bad.code, bad.stdout.as_str()), (Some(2), ""));
    assert!(bad.stderr.contains("the spends are 70 zatoshi, the outputs 71"), "{}", bad.stderr);
    // A parameter file is not overwritten.
    let input = path("sapling-output.params");
    let refused = run(&["--out", input.to_str().unwrap()], DESCRIPTION);
    assert!(refused.code != Some(0) && std::fs::read(&input).unwrap() == output);

    let out = path("transaction.bin");
    let made = run(&["--json", "--out", out.to_str().unwrap()], DESCRIPTION);
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let report: Value = serde_json::from_str(&made.stdout).unwrap();
    let bytes = std::fs::read(out).unwrap();
    assert_eq!(report["transaction"], hex::encode(&bytes));
    assert_eq!(
        (&report["fee"], &report["spends"], &report["outputs"]),
        (&65.into(), &1.into(), &2.into())
    );
    let transaction = BlockTransaction::parse(&bytes).unwrap();
    assert_eq!(report["txid"], transaction.txid().to_string());
    let bundle = transaction.transaction().sapling_bundle().unwrap();
    let mut anchor = bundle.shielded_spends()[0].anchor().to_bytes();
    anchor.reverse();
    assert_eq!(report["anchor"], hex::encode(anchor));
}
