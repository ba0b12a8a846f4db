// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations of the table by name: columns of bytes against the engines' own types, in one piece
//! and in many; bad items among good ones.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use halimede_arith::interface::{Answer, Outcome, Settings};
use halimede_bls12_381::{Fr, Point, G1};
use halimede_device::call::{description, prepare, Call, Column};
use halimede_device::{interrupt, Device};
use halimede_secp256k1::schnorr;

const BIP_340: &str = include_str!("../../../engines/secp256k1/vectors/bip340.csv");

fn call(name: &str, words: &[(&str, &str)]) -> Box<dyn Call> {
    let mut settings = Settings::of(description(name).unwrap().settings);
    for (name, value) in words {
        settings.set(name, (*value).to_owned()).unwrap();
    }
    prepare(name, &settings.complete().unwrap()).unwrap()
}

/// The answers without interrupts, which must equal those in pieces.
fn answers(call: &dyn Call, columns: &[Column<'_>], items: usize) -> Vec<Answer> {
    let cpu = Device::cpu();
    let whole = call.answer(&cpu, columns, items).unwrap();
    let pieces =
        interrupt::by(&Arc::new(AtomicBool::new(false)), || call.answer(&cpu, columns, items));
    assert_eq!(whole, pieces.unwrap());
    whole
}

#[test]
fn many_items_keep_their_order_and_bad_ones_do_no_harm() {
    let rows: Vec<[Vec<u8>; 3]> = BIP_340
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.splitn(8, ',').collect();
            [2, 4, 5].map(|field: usize| hex::decode(fields[field]).unwrap())
        })
        .collect();
    // More than one piece; some keys have another length.
    let many: Vec<&[Vec<u8>; 3]> = rows.iter().cycle().take(5_000).collect();
    let is_short = |row: usize| row % 97 == 5;
    let key = |row: usize| if is_short(row) { &many[row][0][1..] } else { &many[row][0][..] };
    let columns = [
        Column::Values((0..many.len()).map(key).collect()),
        Column::Values(many.iter().map(|row| &row[1][..]).collect()),
        Column::Values(many.iter().map(|row| &row[2][..]).collect()),
    ];
    let found = answers(&*call("secp256k1.verify_schnorr", &[]), &columns, many.len());
    assert_eq!(found.len(), many.len());
    for (row, (answer, [key, message, signature])) in found.iter().zip(&many).enumerate() {
        let engine = schnorr::verify(schnorr::Signed { key, message, signature });
        let expected = match is_short(row) {
            true => Outcome::Key,
            false => engine.err().map_or(Outcome::Valid, |why| Outcome::from(&why)),
        };
        assert_eq!(answer.outcome(), expected, "row {row}");
    }
}

#[test]
fn lists_are_ranges_of_rows() {
    let generator = Point::<G1>::generator();
    let points: Vec<Vec<u8>> =
        (1..=6u64).map(|factor| generator.times(&Fr::from(factor)).to_compressed()).collect();
    let factors: Vec<[u8; 32]> = (10..16u64).map(|factor| Fr::from(factor).to_le_bytes()).collect();
    let columns = [Column::Lists {
        ends: vec![0, 2, 2, 6],
        columns: vec![
            points.iter().map(Vec::as_slice).collect(),
            factors.iter().map(|factor| &factor[..]).collect(),
        ],
    }];
    let found = answers(&*call("bls12_381.sum_of_multiples", &[]), &columns, 4);
    let multiple = |factor: u64| generator.times(&Fr::from(factor)).to_compressed();
    let second = 10 + 2 * 11;
    let last = 3 * 12 + 4 * 13 + 5 * 14 + 6 * 15;
    let expected = [0, second, 0, last].map(|factor| Answer::Bytes(multiple(factor)));
    assert_eq!(found, expected);
}

#[test]
fn what_is_no_item_has_the_outcome_of_its_field() {
    let (short, long) = (vec![7; 31], vec![7; 97]);
    let of =
        |name: &str, columns: &[Column<'_>]| answers(&*call(name, &[]), columns, 1)[0].outcome();
    let value = |bytes| Column::Values(vec![bytes]);
    let signature = [1; 64];
    let schnorr = [value(&short[..]), value(&[]), value(&signature)];
    assert_eq!(of("secp256k1.verify_schnorr", &schnorr), Outcome::Key);
    assert_eq!(of("bls12_381.map_to_curve", &[value(&long)]), Outcome::Malformed);
    let list = Column::Lists { ends: vec![1], columns: vec![vec![&short[..]]] };
    assert_eq!(of("bls12_381.sum", std::slice::from_ref(&list)), Outcome::Malformed);
    // A list for a value, columns that end early, and a value for a list.
    assert_eq!(of("bls12_381.map_to_curve", &[list]), Outcome::Malformed);
    assert_eq!(of("bls12_381.sum", &[value(&short)]), Outcome::Malformed);
    let early = Column::Lists { ends: vec![3], columns: vec![vec![&short[..]]] };
    assert_eq!(of("bls12_381.sum", &[early]), Outcome::Malformed);
}

#[test]
fn an_unknown_operation_and_an_interrupt_are_errors() {
    assert!(description("no.operation").unwrap_err().contains("no.operation"));
    let no_settings = Settings::of(&[]);
    assert!(prepare("no.operation", &no_settings).is_err());
    let stop = Arc::new(AtomicBool::new(true));
    let columns = [Column::Values(vec![&b"abc"[..]])];
    let hash = call("blake3.hash", &[]);
    let stopped = interrupt::by(&stop, || hash.answer(&Device::cpu(), &columns, 1));
    assert!(stopped.unwrap_err().to_string().contains("interrupted"));
}
