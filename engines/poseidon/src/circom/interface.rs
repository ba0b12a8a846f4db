// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of circom's hash.

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Plan, Record, Reply, Settings, Visitor,
};

use super::{Element, Inputs, MAX_INPUTS};
use crate::operations::CircomHash;

/// Visits all interfaces of circom's Poseidon.
pub fn visit(visitor: &mut impl Visitor) {
    visitor.visit::<Hashes>();
}

/// `circom.hash`
enum Hashes {}

impl Interface for Hashes {
    type Operation = CircomHash;
    const ABOUT: &'static About = &About {
        name: "circom.hash",
        path: "/v1/circom/hash",
        summary: "Hashes of circomlib's Poseidon over BN254",
        settings: &[],
        item: &[Field::list(
            "elements",
            "Elements of the scalar field of BN254; their number selects the width.",
            &[Field::number("element", "An element of the field.")],
            1,
            MAX_INPUTS,
        )],
        reply: Reply::Number("digest"),
        examples: &[Example {
            settings: &[],
            objects: &[],
            item: r#"{"elements": ["0x1", "0x2"]}"#,
            answer: r#"{"digest": "0x115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a"}"#,
            source: "circomlibjs",
        }],
    };

    fn plan(_: &Settings) -> Result<Plan<CircomHash>, String> {
        let read = |mut item: Record| {
            Inputs::from_le_bytes(&item.numbers()).map_err(|error| error.to_string().into())
        };
        let answer = |digest: Element| Answer::Numbers(vec![digest.to_le_bytes()]);
        Ok(Plan { reply_bytes: 32, ..Plan::new(read, answer) })
    }
}
