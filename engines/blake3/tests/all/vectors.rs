// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The official test vectors on the reference, the operation and every backend.

use std::sync::Arc;

use halimede_arith::job::{Compute, Operation};
use halimede_arith::EngineBackend;
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::{reference, Digest, HashBackend, HashMany, Mode};

#[derive(serde::Deserialize)]
struct Vectors {
    key: String,
    context_string: String,
    cases: Vec<Case>,
}

#[derive(serde::Deserialize)]
struct Case {
    input_len: usize,
    hash: String,
    keyed_hash: String,
    derive_key: String,
}

/// A mode, and its extended outputs in the order of the messages.
struct Outputs {
    mode: Mode,
    outputs: Vec<Vec<u8>>,
}

struct Published {
    key: [u8; 32],
    context: String,
    messages: Vec<Vec<u8>>,
    modes: [Outputs; 3],
}

fn published() -> Published {
    let text = include_str!("../../vectors/blake3.json");
    let vectors: Vectors = serde_json::from_str(text).unwrap();
    assert_eq!(vectors.cases.len(), 35);
    let message = |case: &Case| (0..case.input_len).map(|i| (i % 251) as u8).collect();
    let outputs = |mode, output: fn(&Case) -> &str| {
        let outputs = vectors.cases.iter().map(|case| unhex(output(case))).collect();
        Outputs { mode, outputs }
    };
    let key: [u8; 32] = vectors.key.as_bytes().try_into().unwrap();
    Published {
        key,
        messages: vectors.cases.iter().map(message).collect(),
        modes: [
            outputs(Mode::Hash, |case| &case.hash),
            outputs(Mode::Keyed(key), |case| &case.keyed_hash),
            outputs(Mode::derive_key(&vectors.context_string), |case| &case.derive_key),
        ],
        context: vectors.context_string,
    }
}

fn unhex(text: &str) -> Vec<u8> {
    assert_eq!(text.len(), 2 * 131);
    (0..131).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

#[test]
fn the_reference_gives_the_extended_outputs_from_any_place_on() {
    let Published { key, context, messages, modes } = published();
    for Outputs { mode, outputs } in modes {
        for (message, expected) in messages.iter().zip(outputs) {
            for (offset, bytes) in [(0, 131), (0, 32), (0, 1), (63, 2), (64, 64), (100, 31)] {
                let mut output = vec![0; bytes];
                match mode {
                    Mode::Hash => reference::hash(message, offset, &mut output),
                    Mode::Keyed(_) => reference::keyed_hash(&key, message, offset, &mut output),
                    Mode::DeriveKey(_) => {
                        reference::derive_key(&context, message, offset, &mut output);
                    }
                }
                let at = offset as usize;
                assert_eq!(output, expected[at..at + bytes], "{mode:?}, {}", message.len());
            }
        }
    }
}

#[test]
fn the_operation_gives_the_extended_outputs_and_the_digests() {
    let Published { messages, modes, .. } = published();
    let mut requests = Vec::new();
    let mut expected = Vec::new();
    for Outputs { mode, outputs } in modes {
        let mode = Arc::new(mode);
        for (message, output) in messages.iter().zip(outputs) {
            let digest = HashRequest::digest(&mode, &message[..]);
            let extended = HashRequest { output_bytes: 131, ..digest.clone() };
            let part = HashRequest { output_offset: 60, output_bytes: 71, ..digest.clone() };
            requests.extend([extended, digest, part]);
            expected.extend([output.clone(), output[..32].to_vec(), output[60..].to_vec()]);
        }
    }
    let one_by_one: Vec<Vec<u8>> =
        requests.iter().map(|request| Hash::compute(Hash::row(request))).collect();
    assert_eq!(one_by_one, expected);
    assert_eq!(Hash::compute_batch(Hash::batch(&requests)), expected);
}

#[test]
fn every_level_gives_the_digests() {
    let Published { messages, modes, .. } = published();
    for Outputs { mode, outputs } in modes {
        let expected: Vec<Digest> =
            outputs.iter().map(|output| output[..32].try_into().unwrap()).collect();
        for backend in HashBackend::available() {
            let many = HashMany::with_backend(mode.clone(), backend).unwrap();
            assert_eq!(many.digests(&messages[..]), expected, "{backend}, {mode:?}");
            for (message, digest) in messages.iter().zip(&expected) {
                let alone = many.digests(std::slice::from_ref(message));
                assert_eq!(alone, [*digest], "{backend}, {mode:?}, {}", message.len());
            }
        }
    }
}

#[test]
fn requests_of_different_modes_and_lengths_are_answered_in_their_order() {
    let [mine, other] = [Mode::Hash, Mode::Keyed([0x3c; 32])].map(Arc::new);
    let message = |bytes: usize| -> Vec<u8> { (0..bytes).map(|i| (i % 251) as u8).collect() };
    let mut requests = Vec::new();
    for (number, bytes) in [5 << 20, 3, 0, 1024, 70_000, 65, (4 << 20) + 1].into_iter().enumerate()
    {
        for mode in [&mine, &other] {
            let digest = HashRequest::digest(mode, message(bytes));
            let longer =
                HashRequest { output_offset: 7, output_bytes: 90 + number, ..digest.clone() };
            let empty = HashRequest { output_bytes: 0, ..digest.clone() };
            requests.extend([digest, longer, empty]);
        }
    }
    let replies = Hash::compute_batch(Hash::batch(&requests));
    assert_eq!(replies.len(), requests.len());
    for (request, reply) in requests.iter().zip(&replies) {
        let mut expected = vec![0; request.output_bytes];
        let mut output = request.mode.hasher().update(&request.message).finalize_xof();
        output.set_position(request.output_offset);
        output.fill(&mut expected);
        assert!(*reply == expected, "{} bytes, {:?}", request.message.len(), request.mode);
    }
    assert!(Hash::compute_batch(Hash::batch(&[])).is_empty());
}
