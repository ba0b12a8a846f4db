// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interfaces: verification and making of half-aggregate signatures.

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Outcome, Plan, Record, Reply, Setting,
    Settings, Values, Visitor,
};

use super::{
    aggregate_bytes, HalfAggregate, HalfAggregateRequest, HalfAggregation, OwnedSigner,
    VerifyHalfAggregate, HALF_BYTES, MESSAGE_BYTES, MOST_SIGNATURES,
};
use crate::schnorr::{SchnorrRequest, KEY_BYTES, SIGNATURE_BYTES};

const KEY: Field = Field::bytes("key", "x of the public key.", KEY_BYTES, KEY_BYTES);
const MESSAGE: Field = Field::bytes("message", "The message.", MESSAGE_BYTES, MESSAGE_BYTES);
const SIGNATURE: Field =
    Field::bytes("signature", "r and s; empty if it is aggregated already.", 0, SIGNATURE_BYTES)
        .optional();
const SOURCE: &str = "tests.rs of the BIP draft";

/// Visits all interfaces.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Aggregates>();
    visitor.visit::<Aggregations>();
}

/// `secp256k1.verify_half_aggregate`
enum Aggregates {}

impl Interface for Aggregates {
    type Operation = VerifyHalfAggregate;
    const ABOUT: &'static About = &About {
        name: "secp256k1.verify_half_aggregate",
        path: "/v1/secp256k1/half-aggregate-verify",
        summary: "Verification of half-aggregate Schnorr signatures (a BIP draft)",
        settings: &[],
        item: &[
            Field::list(
                "signers",
                "The signers, in the order of their signatures.",
                &[KEY, MESSAGE],
                0,
                MOST_SIGNATURES,
            )
            .or(Outcome::Keys),
            Field::bytes(
                "aggregate",
                "The r of each signature, and s.",
                HALF_BYTES,
                aggregate_bytes(MOST_SIGNATURES),
            )
            .or(Outcome::Signature),
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"signers": [{"key": "1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f", "message": "0202020202020202020202020202020202020202020202020202020202020202"}, {"key": "462779ad4aad39514614751a71085f2f10e1c7a593e4e030efb5b8721ce55b0b", "message": "0505050505050505050505050505050505050505050505050505050505050505"}], "aggregate": "b070aafcea439a4f6f1bbfc2eb66d29d24b0cab74d6b745c3cfb009cc8fe4aa8a3afbdb45a6a34bf7c8c00f1b6d7e7d375b54540f13716c87b62e51e2f4f22ffbf8913ec53226a34892d60252a7052614ca79ae939986828d81d2311957371ad"}"#,
                answer: r#"{"valid": true}"#,
                source: SOURCE,
            },
            Example {
                settings: &[],
                objects: &[],
                item: r#"{"signers": [{"key": "1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f", "message": "0505050505050505050505050505050505050505050505050505050505050505"}, {"key": "462779ad4aad39514614751a71085f2f10e1c7a593e4e030efb5b8721ce55b0b", "message": "0202020202020202020202020202020202020202020202020202020202020202"}], "aggregate": "b070aafcea439a4f6f1bbfc2eb66d29d24b0cab74d6b745c3cfb009cc8fe4aa8a3afbdb45a6a34bf7c8c00f1b6d7e7d375b54540f13716c87b62e51e2f4f22ffbf8913ec53226a34892d60252a7052614ca79ae939986828d81d2311957371ad"}"#,
                answer: r#"{"valid": false, "reason": "the aggregate is not of these keys and messages"}"#,
                source: "the same with exchanged messages",
            },
        ],
    };

    fn plan(_: &Settings) -> Result<Plan<VerifyHalfAggregate>, String> {
        let read = |mut item: Record| {
            let signers = item.list().into_iter().map(|mut record| signer(&mut record)).collect();
            Ok(HalfAggregateRequest { signers, aggregate: item.bytes() })
        };
        Ok(Plan { growth: GROWTH, ..Plan::new(read, Answer::of_check) })
    }
}

/// Memory of a signer per byte of its item: two vectors, with their allocations, for 64 bytes.
const GROWTH: usize = 3;

/// `secp256k1.half_aggregate`
enum Aggregations {}

impl Interface for Aggregations {
    type Operation = HalfAggregate;
    const ABOUT: &'static About = &About {
        name: "secp256k1.half_aggregate",
        path: "/v1/secp256k1/half-aggregate",
        summary: "Half-aggregation of Schnorr signatures, which are not verified (a BIP draft)",
        settings: &[Setting {
            name: "size",
            about: "The number of signatures of each aggregate.",
            values: Values::Whole { least: 0, most: MOST_SIGNATURES as u64 },
            default: None,
        }],
        item: &[
            Field::list(
                "signers",
                "The signers: first those of `aggregate`.",
                &[KEY, MESSAGE, SIGNATURE],
                0,
                MOST_SIGNATURES,
            )
            .or(Outcome::Keys),
            Field::bytes(
                "aggregate",
                "The aggregate to extend; empty for a new one.",
                0,
                aggregate_bytes(MOST_SIGNATURES),
            )
            .or(Outcome::Signature)
            .optional(),
        ],
        reply: Reply::Bytes("aggregate"),
        examples: &[
            Example {
                settings: &[("size", "2")],
                objects: &[],
                item: r#"{"signers": [{"key": "1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f", "message": "0202020202020202020202020202020202020202020202020202020202020202", "signature": "b070aafcea439a4f6f1bbfc2eb66d29d24b0cab74d6b745c3cfb009cc8fe4aa80e066c34819936549ff49b6fd4d41edfc401a367b87ddd59fee38177961c225f"}, {"key": "462779ad4aad39514614751a71085f2f10e1c7a593e4e030efb5b8721ce55b0b", "message": "0505050505050505050505050505050505050505050505050505050505050505", "signature": "a3afbdb45a6a34bf7c8c00f1b6d7e7d375b54540f13716c87b62e51e2f4f22ff3e57df859581383fa53c564bc72ec8a60145c502e91b0b508a6f1bd7961fc45d"}]}"#,
                answer: r#"{"aggregate": "b070aafcea439a4f6f1bbfc2eb66d29d24b0cab74d6b745c3cfb009cc8fe4aa8a3afbdb45a6a34bf7c8c00f1b6d7e7d375b54540f13716c87b62e51e2f4f22ffbf8913ec53226a34892d60252a7052614ca79ae939986828d81d2311957371ad"}"#,
                source: SOURCE,
            },
            Example {
                settings: &[("size", "2")],
                objects: &[],
                item: r#"{"signers": [{"key": "1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f", "message": "0202020202020202020202020202020202020202020202020202020202020202"}, {"key": "462779ad4aad39514614751a71085f2f10e1c7a593e4e030efb5b8721ce55b0b", "message": "0505050505050505050505050505050505050505050505050505050505050505", "signature": "a3afbdb45a6a34bf7c8c00f1b6d7e7d375b54540f13716c87b62e51e2f4f22ff3e57df859581383fa53c564bc72ec8a60145c502e91b0b508a6f1bd7961fc45d"}], "aggregate": "b070aafcea439a4f6f1bbfc2eb66d29d24b0cab74d6b745c3cfb009cc8fe4aa80e066c34819936549ff49b6fd4d41edfc401a367b87ddd59fee38177961c225f"}"#,
                answer: r#"{"aggregate": "b070aafcea439a4f6f1bbfc2eb66d29d24b0cab74d6b745c3cfb009cc8fe4aa8a3afbdb45a6a34bf7c8c00f1b6d7e7d375b54540f13716c87b62e51e2f4f22ffbf8913ec53226a34892d60252a7052614ca79ae939986828d81d2311957371ad"}"#,
                source: "the same, from the aggregate of one signature",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<HalfAggregate>, String> {
        let size = settings.whole("size");
        let read = move |mut item: Record| aggregation(size, item.list(), item.bytes());
        let reply_bytes = aggregate_bytes(size);
        Ok(Plan { growth: GROWTH, reply_bytes, ..Plan::new(read, Answer::of_bytes) })
    }
}

fn signer(record: &mut Record) -> OwnedSigner {
    OwnedSigner { key: record.bytes(), message: record.bytes() }
}

/// Reads an aggregation: the signers of `aggregate` have no signature.
fn aggregation(
    size: usize,
    records: Vec<Record>,
    aggregate: Vec<u8>,
) -> Result<HalfAggregation, Invalid> {
    let bad = |outcome, reason| Err(Invalid { outcome, reason });
    let got = records.len();
    if got != size {
        return bad(
            Outcome::Keys,
            format!("`signers`: expected {size}, as `size` says, got {got}"),
        );
    }
    let aggregate = if aggregate.is_empty() { vec![0; HALF_BYTES] } else { aggregate };
    let before = (aggregate.len() / HALF_BYTES).saturating_sub(1);
    if aggregate.len() != aggregate_bytes(before) || before > size {
        let (most, got) = (aggregate_bytes(size), aggregate.len());
        let reason =
            format!("`aggregate`: expected a multiple of 32 up to {most} bytes, got {got}");
        return bad(Outcome::Signature, reason);
    }
    let mut request = HalfAggregation {
        before: HalfAggregateRequest { signers: Vec::with_capacity(before), aggregate },
        signatures: Vec::with_capacity(size - before),
    };
    for (number, mut record) in records.into_iter().enumerate() {
        let OwnedSigner { key, message } = signer(&mut record);
        let signature = record.bytes();
        if number >= before {
            request.signatures.push(SchnorrRequest { key, message, signature });
        } else if signature.is_empty() {
            request.before.signers.push(OwnedSigner { key, message });
        } else {
            let reason = format!("signature {number}: `aggregate` has this signature already");
            return bad(Outcome::Signature, reason);
        }
    }
    Ok(request)
}
