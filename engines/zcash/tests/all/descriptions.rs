// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transactions made of descriptions.

use bech32::{Bech32, Hrp};
use halimede_zcash::prover::{Description, DescriptionError};
use halimede_zcash::Hash;
use proptest::prelude::*;
use sapling_crypto::keys::PreparedIncomingViewingKey;
use sapling_crypto::note_encryption::{try_sapling_note_decryption, Zip212Enforcement};
use sapling_crypto::zip32::ExtendedSpendingKey;
use zcash_primitives::transaction::Transaction;
use zcash_protocol::consensus::BranchId;

use crate::prover::{faults, is_accepted, Generator, PROVER};

/// An address of another wallet.
fn address(prefix: &str) -> String {
    let (_, address) = ExtendedSpendingKey::master(&[9; 32]).unwrap().default_address();
    bech32::encode::<Bech32>(Hrp::parse(prefix).unwrap(), &address.to_bytes()).unwrap()
}

fn parse(text: &str) -> Result<Description, DescriptionError> {
    Description::parse(text.as_bytes())
}

#[test]
fn a_described_transaction_is_valid_and_pays_what_it_says() {
    let mut rng = Generator::new();
    let seed = [7; 32];
    let text = format!(
        r#"{{"network": "main", "height": 1687121, "seed": "{}",
            "spends": [{{"value": 0}}, {{"value": 5000}}, {{"value": 2100000000000000}}],
            "outputs": [{{"value": 2100000000000001, "memo": "for tests"}},
                        {{"value": 3999, "address": "{}"}}]}}"#,
        hex::encode(seed),
        address("zs")
    );
    // The spends are above the maximum supply.
    let error = parse(&text).unwrap_err();
    assert!(matches!(error, DescriptionError::Amounts { .. }), "{error}");
    let text = text.replace("2100000000000000", "2099999999995000");
    let text = text.replace("2100000000000001", "2099999999995001");
    let description = parse(&text).unwrap();
    assert_eq!(description.counts(), [3, 2]);
    let mut steps = Vec::new();
    let made = PROVER.make_transaction(&description, &mut |done| steps.push(done)).unwrap();
    assert_eq!((made.fee, made.counts, steps), (1000, [3, 2], vec![1, 2, 3, 4, 5]));
    assert!(is_accepted(&made.bytes, &mut rng));
    assert_eq!(faults(&made.bytes), []);

    let transaction = Transaction::read(&made.bytes[..], BranchId::Nu5).unwrap();
    assert_eq!(Hash(*transaction.txid().as_ref()), made.id);
    let bundle = transaction.sapling_bundle().unwrap();
    let [spend, ..] = bundle.shielded_spends() else { panic!("the bundle has spends") };
    assert_eq!(spend.anchor().to_bytes(), made.anchor);
    let key = ExtendedSpendingKey::master(&seed).unwrap().to_diversifiable_full_viewing_key();
    let key = PreparedIncomingViewingKey::new(&key.fvk().vk.ivk());
    let received: Vec<_> = bundle
        .shielded_outputs()
        .iter()
        .filter_map(|output| try_sapling_note_decryption(&key, output, Zip212Enforcement::On))
        .map(|(note, _, memo)| (note.value().inner(), memo))
        .collect();
    let mut memo = [0; 512];
    memo[..9].copy_from_slice(b"for tests");
    assert_eq!(received, [(2_099_999_999_995_001, memo)]);

    // One changed bit of the amount of the fee.
    let fee = made.bytes.windows(8).position(|bytes| bytes == 1000_i64.to_le_bytes()).unwrap();
    let mut bytes = made.bytes;
    bytes[fee] ^= 1;
    assert!(!is_accepted(&bytes, &mut rng));
    assert_ne!(faults(&bytes), []);
}

/// The bundle is padded to two outputs. Regtest takes its branch from the description.
#[test]
fn a_transaction_without_outputs_is_padded() {
    let text =
        r#"{"network": "regtest", "height": 1, "branch": "c2d6d0b4", "spends": [{"value": 9}]}"#;
    let made = PROVER.make_transaction(&parse(text).unwrap(), &mut |_| ()).unwrap();
    assert_eq!((made.fee, made.counts), (9, [1, 2]));
    assert!(is_accepted(&made.bytes, &mut Generator::new()));
}

#[test]
fn bad_descriptions_are_refused_by_name() {
    let spends = |count: usize| vec![r#"{"value": 1}"#; count].join(",");
    let with = |members: &str| format!(r#"{{"network": "main", "height": 1687121, {members}}}"#);
    let paid = |output: &str| with(&format!(r#""spends": [{}], "outputs": [{output}]"#, spends(2)));
    let other = address("ztestsapling");
    let damaged = address("zs").replace("zs1", "zs1q");
    let cases = [
        ("7".to_owned(), "expected an object with network, height and spends"),
        (String::new(), "EOF"),
        (with(r#""spends": [], "surplus": 1"#), "unknown field `surplus`"),
        (with(r#""outputs": []"#), "missing field `spends`"),
        (with(r#""spends": []"#), "0 spends and 0 outputs"),
        (with(&format!(r#""spends": [{}]"#, spends(1001))), "1001 spends"),
        (with(r#""spends": [{"value": -1}]"#), "invalid value"),
        (with(r#""spends": [{"value": 2100000000000001}]"#), "2100000000000001 zatoshi"),
        (with(&format!(r#""spends": [{0}, {0}]"#, r#"{"value": 18446744073709551615}"#)), "36893"),
        (paid(r#"{"value": 3}"#), "the spends are 2 zatoshi, the outputs 3"),
        (paid(r#"{"value": 1, "address": "x"}"#), "output 0:"),
        (paid(&format!(r#"{{"value": 1, "address": "{other}"}}"#)), "output 0:"),
        (paid(&format!(r#"{{"value": 1, "address": "{damaged}"}}"#)), "begins with zs1"),
        (paid(&format!(r#"{{"value": 1, "memo": "{}"}}"#, "é".repeat(257))), "has 514 bytes"),
        (with(r#""seed": "00", "spends": [{"value": 1}]"#), "expected 32 bytes in hexadecimal"),
        (with(r#""branch": "1", "spends": [{"value": 1}]"#), "unknown branch 00000001"),
        (with(r#""branch": "e9ff75a6", "spends": [{"value": 1}]"#), "before NU5"),
        (with("").replace("main", "regtest").replace(", }", r#", "spends": []}"#), "\"branch\""),
        (with("").replace("main", "moon").replace(", }", r#", "spends": []}"#), "network:"),
        (format!("{}{}", " ".repeat(1 << 20), "{}"), "1048578 bytes"),
    ];
    for (text, expected) in cases {
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text:.200}: {error}");
    }
    let before = r#"{"network": "test", "height": 100, "spends": [{"value": 1}]}"#;
    let error = parse(before).unwrap_err();
    assert!(matches!(error, DescriptionError::BeforeNu5 { height: 100, .. }), "{error}");
    parse(&paid(&format!(r#"{{"value": 1, "memo": "{}"}}"#, "é".repeat(256)))).unwrap();
    parse(&with(&format!(r#""spends": [{}]"#, spends(1000)))).unwrap();
}

proptest! {
    /// Bytes that replace some of a description never end the program.
    #[test]
    fn changed_descriptions_are_read_or_refused(at: prop::sample::Index, bytes: [u8; 3]) {
        let text = format!(
            r#"{{"network": "main", "height": 1687121, "seed": "{}", "spends": [{{"value": 1}}],
                "outputs": [{{"value": 1, "address": "{}", "memo": "a"}}]}}"#,
            "00".repeat(32),
            address("zs")
        );
        let mut text = text.into_bytes();
        let at = at.index(text.len() - bytes.len());
        text[at..at + bytes.len()].copy_from_slice(&bytes);
        let _ = Description::parse(&text);
    }
}
