// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs over BLS12-381.

use std::sync::Arc;

use halimede_arith::Fr;
use halimede_bls12_381::operations::{ProofRequest, VerifyProof};

use super::{
    object_setting, verdict, About, Endpoint, Example, Plan, Resources, Table, NO_OBJECT, SAME,
    SHORT,
};
use crate::form::{Field, Kind, Reply};
use crate::objects::Kind as ObjectKind;
use crate::refusal::Refusal;
use crate::settings::Settings;

static VERIFY: About = About {
    name: "groth16.verify",
    path: "/v1/groth16/verify",
    summary: "Checks of Groth16 proofs under a verifying key",
    settings: &[object_setting("key", ObjectKind::Groth16Key)],
    item: &[
        Field {
            name: "proof",
            about: "The proof, in 192 or 384 bytes.",
            kind: Kind::Bytes { least: 0, most: 384 },
        },
        Field {
            name: "inputs",
            about: "The public inputs.",
            kind: Kind::List {
                of: &[Field { name: "input", about: "A public input.", kind: Kind::Number }],
                least: 0,
                most: 1 << 20,
            },
        },
    ],
    reply: Reply::Verdict,
    example: Example {
        query: "key=0000000000000000000000000000000000000000000000000000000000000000",
        item: r#"{"proof": "c0", "inputs": ["0x7"]}"#,
        answer: NO_OBJECT,
    },
};

pub fn endpoints(table: &Table<'_>) -> [Arc<dyn Endpoint>; 1] {
    [table.served(&table.queue.lane(), &VERIFY, plan)]
}

fn plan(resources: &Resources, settings: &Settings) -> Result<Plan<VerifyProof>, Refusal> {
    let key = resources.objects.groth16_key(&settings.hash("key"))?;
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(move |mut item| {
            let proof = item.bytes();
            let inputs = item.numbers().into_iter().enumerate().map(input);
            let inputs = inputs.collect::<Result<_, String>>()?;
            Ok(ProofRequest { key: Arc::clone(&key), proof, inputs })
        }),
        answer: Box::new(verdict),
    })
}

fn input((index, number): (usize, [u8; 32])) -> Result<Fr, String> {
    let input = Fr::from_le_bytes(&number);
    input.map_err(|error| format!("input {index}: {error}"))
}
