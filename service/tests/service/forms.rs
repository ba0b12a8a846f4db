// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Both forms of batches over HTTP.

use halimede_arith::interface::{Field, Part, Record};
use halimede_operations::binary;
use serde_json::{json, Value};

use crate::common::{client, options, start};

#[test]
fn a_field_that_stands_twice_is_refused() {
    let server = start(&options());
    let body = br#"{"items":[{"message":"00","message":"01"},{"message":"01"}]}"#;
    let answer = client(&server).send("POST", "/v1/blake3/hash", "application/json", body).unwrap();
    let answers = answer.good().unwrap().json().unwrap();
    assert_eq!(answers["answers"][0]["error"], "duplicate field `message`");
    assert!(answers["answers"][1]["digest"].is_string());
}

/// Both forms of a batch have the same answers, also to bad items.
#[test]
fn both_forms_are_answered_alike() {
    let server = start(&options());
    let client = client(&server);
    let items: Vec<Value> = (0..300)
        .map(|number| match number % 7 {
            3 => json!({ "elements": ["0x1"] }),
            _ => {
                json!({ "elements": [format!("0x{number:x}"), format!("0x{:x}", number * number)] })
            }
        })
        .collect();
    let path = "/v1/poseidon/filecoin-hash?arity=2";
    let answers = client.call(path, &items).unwrap();
    const NUMBER: &[Field] = &[Field::number("", "")];
    let list = Field::list("elements", "", NUMBER, 1, 36);
    let mut body = Vec::new();
    for (number, item) in items.iter().enumerate() {
        let elements = item["elements"].as_array().unwrap().iter();
        let elements = elements.map(|element| {
            let mut number = [0; 32];
            let value = u64::from_str_radix(&element.as_str().unwrap()[2..], 16).unwrap();
            number[..8].copy_from_slice(&value.to_le_bytes());
            number
        });
        let record = Record(vec![Part::Numbers(elements.collect())]);
        binary::write_item(&record, &[list], 1_000 + number as u32, &mut body);
    }
    let frames = client.call_frames(path, &body).unwrap();
    let frames = binary::read_answers(&frames).unwrap();
    assert_eq!(frames.len(), 300);
    for (number, (frame, answer)) in frames.iter().zip(&answers).enumerate() {
        assert_eq!(frame.number, 1_000 + number as u32);
        match answer.get("error") {
            Some(error) => {
                assert!(frame.is_bad && number % 7 == 3);
                assert_eq!(String::from_utf8_lossy(frame.payload), error.as_str().unwrap());
            }
            None => {
                let digits: Vec<u8> = frame.payload.iter().rev().copied().collect();
                assert_eq!(answer["digest"], format!("0x{}", hex::encode(digits)));
            }
        }
    }
}
