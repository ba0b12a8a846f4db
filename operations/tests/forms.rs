// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of batches: written batches can be read, anything else is an error, and limits hold.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_arith::interface::{Answer, Field, Kind, Part, Record};
use halimede_operations::columns::{self, Column};
use halimede_operations::{binary, json, FormError, Item, Sink};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{json, Value};

const FIELDS: &[Field] = &[
    Field::bytes("fixed", "", 5, 5),
    Field::bytes("bytes", "", 0, 40),
    Field::text("text", "", 0, 12),
    Field::number("number", ""),
    Field::list("list", "", &[Field::number("one", "")], 0, 4),
    Field::list("records", "", &[Field::bytes("a", "", 1, 9), Field::number("b", "")], 0, 3),
];
const LIMIT: usize = 6;

fn of_json(body: &[u8]) -> Result<Vec<Item>, FormError> {
    let mut items = Vec::new();
    json::read(body, FIELDS, LIMIT, &mut items).map(|()| items)
}

fn of_frames(body: &[u8]) -> Result<(Vec<Item>, Vec<u32>), FormError> {
    let mut items = Vec::new();
    binary::read(body, FIELDS, LIMIT, &mut items).map(|numbers| (items, numbers))
}

fn record() -> impl Strategy<Value = Record> {
    let number = || any::<[u8; 32]>().prop_map(Part::Number);
    let bytes = |range| vec(any::<u8>(), range).prop_map(Part::Bytes);
    let text = "[a-zé]{0,6}".prop_map(Part::Text);
    let list = vec(any::<[u8; 32]>(), 0..=4).prop_map(Part::Numbers);
    let pair = (bytes(1..=9), number()).prop_map(|(a, b)| Record(vec![a, b]));
    let records = vec(pair, 0..=3).prop_map(Part::List);
    (bytes(5..=5), bytes(0..=40), text, number(), list, records)
        .prop_map(|(a, b, c, d, e, f)| Record(vec![a, b, c, d, e, f]))
}

fn value_of(part: &Part) -> &[u8] {
    match part {
        Part::Bytes(bytes) => bytes,
        Part::Text(text) => text.as_bytes(),
        Part::Number(number) => number,
        other => panic!("{other:?}"),
    }
}

/// Converts records to columns; the records of lists are concatenated.
fn columns_of(records: &[Record]) -> Vec<Column<'_>> {
    let column = |place: usize| {
        if !matches!(FIELDS[place].kind, Kind::List { .. }) {
            return Column::Values(
                records.iter().map(|record| value_of(&record.0[place])).collect(),
            );
        }
        let mut columns = vec![Vec::new(); columns::fields_of(&FIELDS[place]).len()];
        let mut ends = Vec::new();
        for record in records {
            match &record.0[place] {
                Part::Numbers(numbers) => columns[0].extend(numbers.iter().map(|n| &n[..])),
                Part::List(list) => {
                    for (place, column) in columns.iter_mut().enumerate() {
                        column.extend(list.iter().map(|record| value_of(&record.0[place])));
                    }
                }
                other => panic!("{other:?}"),
            }
            ends.push(columns[0].len());
        }
        Column::Lists { ends, columns }
    };
    (0..FIELDS.len()).map(column).collect()
}

fn frames(records: &[Record]) -> Vec<u8> {
    let mut body = Vec::new();
    for (number, record) in (7..).zip(records) {
        binary::write_item(record, FIELDS, number, &mut body);
    }
    body
}

fn digits(number: &[u8; 32]) -> Value {
    let digits: Vec<u8> = number.iter().rev().copied().collect();
    format!("0x{}", hex::encode_upper(digits)).into()
}

fn value(part: &Part, kind: Kind) -> Value {
    match (part, kind) {
        (Part::Bytes(bytes), _) => hex::encode(bytes).into(),
        (Part::Text(text), _) => text.clone().into(),
        (Part::Number(number), _) => digits(number),
        (Part::Numbers(numbers), _) => numbers.iter().map(digits).collect(),
        (Part::List(records), Kind::List { of, .. }) => records
            .iter()
            .map(|record| match of {
                [field] => value(&record.0[0], field.kind),
                _ => object(record, of),
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn object(record: &Record, fields: &[Field]) -> Value {
    let pairs = record.0.iter().zip(fields);
    pairs
        .map(|(part, field)| (field.name.to_owned(), value(part, field.kind)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn text(records: &[Record]) -> String {
    let items: Vec<Value> = records.iter().map(|record| object(record, FIELDS)).collect();
    json!({ "items": items }).to_string()
}

proptest! {
    #[test]
    fn what_is_written_is_read(records in vec(record(), 0..=LIMIT)) {
        let (items, numbers) = of_frames(&frames(&records)).unwrap();
        prop_assert!(numbers.iter().copied().eq(7..7 + records.len() as u32));
        let expected: Vec<Item> = records.iter().cloned().map(Ok).collect();
        prop_assert_eq!(&items, &expected);
        prop_assert_eq!(of_json(text(&records).as_bytes()).unwrap(), &expected[..]);
        let lines = records.iter().map(|record| object(record, FIELDS).to_string());
        let of_lines: Vec<Item> = lines.map(|line| json::read_line(&line, FIELDS)).collect();
        prop_assert_eq!(&of_lines, &expected);
        let columns = columns_of(&records);
        let of_columns = (0..records.len()).map(|item| columns::item(FIELDS, &columns, item));
        prop_assert_eq!(of_columns.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in vec(any::<u8>(), 0..400)) {
        if let Ok((items, numbers)) = of_frames(&bytes) {
            prop_assert!(items.len() == numbers.len() && items.len() <= LIMIT);
        }
        if let Ok(items) = of_json(&bytes) {
            prop_assert!(items.len() <= LIMIT);
        }
        let _ = binary::read_answers(&bytes);
        let line = String::from_utf8_lossy(&bytes);
        let _ = (json::read_line(&line, FIELDS), json::read_line(&line, &FIELDS[4..5]));
    }

    #[test]
    fn damaged_batches_are_read_or_refused(
        records in vec(record(), 1..=LIMIT + 2),
        changes in vec((any::<prop::sample::Index>(), any::<u8>(), 0..3), 1..4),
    ) {
        let damage = |mut body: Vec<u8>| {
            for (place, byte, how) in &changes {
                let at = place.index(body.len());
                match how {
                    0 => body[at] ^= byte,
                    1 => drop(body.remove(at)),
                    _ => body.insert(at, *byte),
                }
                if body.is_empty() {
                    break;
                }
            }
            body
        };
        if let Ok((items, _)) = of_frames(&damage(frames(&records))) {
            prop_assert!(items.len() <= LIMIT);
            for record in items.into_iter().flatten() {
                // A record that was read matches its description: it survives a round trip.
                let again = of_frames(&frames(std::slice::from_ref(&record))).unwrap().0;
                prop_assert_eq!(again, [Ok(record)]);
            }
        }
        if let Ok(items) = of_json(&damage(text(&records).into_bytes())) {
            prop_assert!(items.len() <= LIMIT);
        }
    }

    #[test]
    fn answers_are_read_as_they_were_written(
        outputs in vec((any::<u32>(), vec(any::<u8>(), 0..70), 0..4), 0..9),
    ) {
        let answer = |(_, bytes, kind): &(u32, Vec<u8>, i32)| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            match kind {
                0 => Answer::Bytes(bytes.clone()),
                1 => Answer::Verdict(Ok(())),
                2 => Answer::Verdict(Err(text.into())),
                _ => Answer::Bad(text.into()),
            }
        };
        let answers: Vec<Answer> = outputs.iter().map(answer).collect();
        let numbers: Vec<u32> = outputs.iter().map(|(number, ..)| *number).collect();
        let body = binary::write(&answers, &numbers);
        prop_assert_eq!(body.len() % 8, 0);
        let frames = binary::read_answers(&body).unwrap();
        prop_assert_eq!(frames.len(), answers.len());
        for ((frame, answer), number) in frames.iter().zip(&answers).zip(numbers) {
            prop_assert_eq!(frame.number, number);
            prop_assert_eq!(frame.is_bad, matches!(answer, Answer::Bad(_)));
            match answer {
                Answer::Bytes(bytes) => prop_assert_eq!(frame.payload, bytes),
                Answer::Verdict(Ok(())) => prop_assert_eq!(frame.payload, [1]),
                Answer::Verdict(Err(fault)) => {
                    let reason = fault.reason.as_bytes();
                    prop_assert_eq!((frame.payload[0], &frame.payload[1..]), (0, reason));
                }
                _ => {}
            }
        }
    }
}

#[test]
fn faults_are_named() {
    let whole = |body: &str| match of_json(body.as_bytes()) {
        Err(FormError::Malformed(reason)) => reason,
        other => panic!("{body}: {other:?}"),
    };
    for (body, reason) in [
        ("", "EOF"),
        ("[]", "an object with the array `items`"),
        ("{}", "missing field `items`"),
        ("{\"items\":7}", "an array of items"),
        ("{\"items\":[],\"items\":[]}", "duplicate field `items`"),
        ("{\"items\":[],\"more\":1}", "unknown field \"more\""),
        ("{\"items\":[]} 7", "trailing"),
        ("{\"items\":[{\"fixed\":\"\\ud800\"}]}", "hex escape"),
        (&format!("{{\"items\":{}", "[".repeat(1000)), "EOF"),
    ] {
        let found = whole(body);
        assert!(found.contains(reason), "{body:.60}: {found}");
    }
    let of_item = |change: &dyn Fn(&mut Value)| {
        let parts = vec![
            Part::Bytes(vec![1, 2, 3, 4, 5]),
            Part::Bytes(vec![]),
            Part::Text("x".into()),
            Part::Number([9; 32]),
            Part::Numbers(vec![]),
            Part::List(vec![]),
        ];
        let mut item = object(&Record(parts), FIELDS);
        change(&mut item);
        let body = json!({ "items": [item] }).to_string();
        of_json(body.as_bytes()).unwrap().remove(0)
    };
    assert!(of_item(&|_| {}).is_ok());
    for (name, value, reason) in [
        ("fixed", json!("0102030405ff"), "`fixed`: 5 bytes are expected, got 6"),
        ("fixed", json!(7), "`fixed`: a string of hexadecimal digits"),
        ("bytes", json!("0g"), "invalid character"),
        ("bytes", json!("0"), "odd number"),
        ("bytes", json!("00".repeat(41)), "0 to 40 bytes are expected, got 41"),
        ("text", json!(["x"]), "`text`: a string is expected"),
        ("text", json!("ééééééé"), "0 to 12 bytes are expected, got 14"),
        ("number", json!("7"), "begins with 0x"),
        ("number", json!("0x"), "1 to 64"),
        ("number", json!(format!("0x1{}", "0".repeat(64))), "1 to 64"),
        ("list", json!({}), "an array is expected"),
        ("list", json!(["0x1", "y"]), "element 1: a number begins with 0x"),
        ("list", json!(["0x1", "0x2", "0x3", "0x4", "0x5"]), "0 to 4 elements"),
        ("records", json!([{ "a": "00" }]), "element 0: `b` is missing"),
        ("records", json!(["00"]), "an object is expected"),
        ("more", json!(1), "unknown field \"more\""),
    ] {
        let found = of_item(&|item| item[name] = value.clone()).unwrap_err().reason;
        assert!(found.contains(reason), "{name} {value}: {found}");
    }
}

#[test]
fn faults_of_frames_are_named() {
    let words =
        |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    for (body, reason) in [
        (words(&[8]), "at byte 0: fewer than 8 bytes"),
        (words(&[7, 0]), "below the 8 bytes"),
        (words(&[16, 0, 1]), "ends beyond the body"),
        (words(&[u32::MAX, 0]), "ends beyond the body"),
        (words(&[9, 0, 1]), "zero bytes up to a multiple of 8"),
        (words(&[9, 0, 0x0201, 0]), "zero bytes up to a multiple of 8"),
        (words(&[8, 0, 3, 0]), "at byte 8: its length is below"),
    ] {
        match of_frames(&body) {
            Err(FormError::Malformed(found)) => assert!(found.contains(reason), "{found}"),
            other => panic!("{reason}: {other:?}"),
        }
    }
    let one = Record(vec![
        Part::Bytes(vec![5, 4, 3, 2, 1]),
        Part::Bytes(vec![]),
        Part::Text("x".into()),
        Part::Number([9; 32]),
        Part::Numbers(vec![]),
        Part::List(vec![]),
    ]);
    let whole = frames(&[one]);
    let length = whole.first_chunk().map(|bytes| u32::from_le_bytes(*bytes)).unwrap() as usize;
    let payload = whole[8..length].to_vec();
    let read = |payload: &[u8]| {
        let length = 8 + payload.len();
        let mut body = words(&[length as u32, 1]);
        body.extend(payload);
        body.resize(length.next_multiple_of(8), 0);
        of_frames(&body).unwrap().0.remove(0)
    };
    assert!(read(&payload).is_ok());
    let longer = [&payload[..], &[0]].concat();
    assert_eq!(read(&longer).unwrap_err().reason, "1 bytes follow the last field");
    assert!(read(&payload[..3]).unwrap_err().reason.contains("`fixed`: 5 bytes are expected"));
    let mut many = payload.clone();
    many[5..9].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(read(&many).unwrap_err().reason.contains("0 to 40 bytes are expected, got 4294967295"));
    let mut no_text = payload.clone();
    no_text[13] = 0xff;
    assert_eq!(read(&no_text).unwrap_err().reason, "`text`: text is UTF-8");
}

/// Duplicate fields are refused, since readers would choose different ones.
#[test]
fn lines_have_short_names_and_bare_numbers() {
    const SIGNED: &[Field] =
        &[Field::bytes("digest", "", 0, 9), Field::bytes("signature", "", 0, 9)];
    let parts = |line: &str| json::read_line(line, SIGNED).map(|Record(parts)| parts);
    let expected = vec![Part::Bytes(vec![10, 255]), Part::Bytes(vec![2])];
    for line in [
        r#" {"sig":"0x02", "id": [1, {"sig": 2}], "digest" : "0AfF"} "#,
        r#"{"msg":"0aff","signature":"\u00302"}"#,
        r#"{"message":"0aff","sig":"02"}"#,
    ] {
        assert_eq!(parts(line).as_ref(), Ok(&expected), "{line}");
    }
    let deep = format!("{}{}", r#"{"sig":"","msg":"","x":"#, "[".repeat(100_000));
    for (line, fault) in [
        ("valid", "column 1: expected a JSON object, which begins with {"),
        (r#"  ["02", "00"]"#, "column 3: expected a JSON object, which begins with {"),
        ("{7", "column 2: key must be a string"),
        (r#"{"sig":"02""#, "column 11: EOF while parsing an object"),
        (r#"{"sig":"","msg":""} x"#, "column 21: trailing characters"),
        (r#"{"sig":""}"#, "`digest` is missing"),
        (r#"{"sig":"","msg":"","digest":""}"#, "duplicate field `digest`"),
        (r#"{"sig":2,"msg":""}"#, "`signature`: a string of hexadecimal digits is expected"),
        (r#"{"sig":"0g","msg":""}"#, "`signature`: invalid character 'g' at position 1"),
        (&deep, "column "),
    ] {
        let reason = parts(line).unwrap_err().reason;
        assert!(reason.starts_with(fault), "{line:.40}: {reason}");
    }
    let numbers = |line: &str| json::read_line(line, &FIELDS[4..5]).map_err(|fault| fault.reason);
    let of = |values: &[u8]| {
        let number = |value: &u8| std::array::from_fn(|byte| if byte == 0 { *value } else { 0 });
        Ok(Record(vec![Part::Numbers(values.iter().map(number).collect())]))
    };
    assert_eq!(numbers(" 0x1\t0x02 0xff"), of(&[1, 2, 255]));
    assert_eq!(numbers(r#"{"list": ["0x1"]}"#), of(&[1]));
    assert_eq!(numbers(""), of(&[]));
    for (line, fault) in [
        ("0x1 2", "`list`: element 1: a number begins with 0x"),
        ("0x1 0xg", "`list`: element 1: a number has hexadecimal digits"),
        ("0x1 0x1 0x1 0x1 0x1", "`list`: 0 to 4 elements are expected, got 5"),
    ] {
        assert_eq!(numbers(line).unwrap_err(), fault);
    }
}

#[test]
fn a_field_that_stands_twice_is_refused() {
    let record =
        r#""fixed":"0102030405","bytes":"","text":"x","number":"0x1","list":[],"records":"#;
    for (item, reason) in [
        (format!("{{{record}[],\"number\":\"0x1\"}}"), "duplicate field `number`"),
        (format!("{{\"records\":[],{record}[]}}"), "duplicate field `records`"),
        (
            format!("{{{record}[{{\"a\":\"00\",\"b\":\"0x1\",\"a\":\"01\"}}]}}"),
            "duplicate field `a`",
        ),
    ] {
        let body = format!("{{\"items\":[{item},{{{record}[]}}]}}");
        let items = of_json(body.as_bytes()).unwrap();
        assert!(items[0].as_ref().unwrap_err().reason.contains(reason), "{:?}", items[0]);
        assert!(items[1].is_ok(), "the others are read");
    }
}

/// Data beyond a limit is skipped without being stored.
#[test]
fn no_more_is_kept_than_limits_allow() {
    /// Counts the requested memory.
    #[derive(Default)]
    struct Counted {
        bytes: usize,
        items: Vec<Item>,
    }

    impl Sink for Counted {
        fn grow(&mut self, bytes: usize) -> Result<(), FormError> {
            self.bytes += bytes;
            Ok(())
        }

        fn item(&mut self, item: Item) -> Result<(), FormError> {
            self.items.push(item);
            Ok(())
        }
    }

    let numbers = vec!["\"0x1\""; 100_000].join(",");
    let deep = "[".repeat(100) + &"]".repeat(100);
    for item in [
        format!("{{\"list\":[{numbers}]}}"),
        format!("{{\"number\":[{numbers}]}}"),
        format!("{{\"bytes\":\"{}\"}}", "00".repeat(300_000)),
        format!("{{\"{}\":1}}", "n".repeat(600_000)),
        format!("[{numbers}]"),
        format!("{{\"records\":[{{\"a\":{deep},\"c\":[{numbers}]}}]}}"),
    ] {
        let mut counted = Counted::default();
        let body = format!("{{\"items\":[{item}]}}");
        json::read(body.as_bytes(), FIELDS, LIMIT, &mut counted).unwrap();
        let reason = &counted.items[0].as_ref().unwrap_err().reason;
        assert!(counted.bytes < 1_000 && reason.len() < 200, "{}: {reason}", counted.bytes);
    }
}
