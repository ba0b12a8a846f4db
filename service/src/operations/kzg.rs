// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings (EIP-4844).

use std::sync::Arc;

use halimede_bls12_381::kzg::{OpeningError, BLOB_BYTES};
use halimede_bls12_381::operations::{OpeningRequest, OwnedOpening, VerifyOpening};

use super::{
    object_setting, About, Endpoint, Example, Plan, Resources, Table, NO_OBJECT, SAME, SHORT,
};
use crate::form::{Answer, Field, Kind, Record, Reply};
use crate::objects::Kind as ObjectKind;
use crate::refusal::Refusal;
use crate::settings::{Setting, Settings};

const SETUP: Setting = object_setting("setup", ObjectKind::KzgSetup);
const COMMITMENT: Field = Field {
    name: "commitment",
    about: "The commitment.",
    kind: Kind::Bytes { least: 48, most: 48 },
};
const PROOF: Field =
    Field { name: "proof", about: "The proof.", kind: Kind::Bytes { least: 48, most: 48 } };

static VALUE: About = About {
    name: "kzg.verify_proof",
    path: "/v1/kzg/verify-proof",
    summary: "Checks of KZG openings at a point",
    settings: &[SETUP],
    item: &[
        COMMITMENT,
        Field { name: "z", about: "The point.", kind: Kind::Bytes { least: 32, most: 32 } },
        Field { name: "y", about: "The value.", kind: Kind::Bytes { least: 32, most: 32 } },
        PROOF,
    ],
    reply: Reply::Verdict,
    example: Example {
        query: "setup=0000000000000000000000000000000000000000000000000000000000000000",
        item: r#"{"commitment": "c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000", "z": "0000000000000000000000000000000000000000000000000000000000000000", "y": "0000000000000000000000000000000000000000000000000000000000000000", "proof": "c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}"#,
        answer: NO_OBJECT,
    },
};

static BLOB: About = About {
    name: "kzg.verify_blob",
    path: "/v1/kzg/verify-blob",
    summary: "Checks of KZG proofs of blobs",
    settings: &[SETUP],
    item: &[
        Field {
            name: "blob",
            about: "The blob.",
            kind: Kind::Bytes { least: BLOB_BYTES, most: BLOB_BYTES },
        },
        COMMITMENT,
        PROOF,
    ],
    reply: Reply::Verdict,
    example: Example {
        query: "setup=0000000000000000000000000000000000000000000000000000000000000000",
        item: r#"{"blob": "00", "commitment": "c0", "proof": "c0"}"#,
        answer: NO_OBJECT,
    },
};

pub fn endpoints(table: &Table<'_>) -> [Arc<dyn Endpoint>; 2] {
    let lane = table.queue.lane();
    [
        table.served(&lane, &VALUE, |resources, settings| {
            plan(resources, settings, |item| OwnedOpening::Value {
                commitment: item.bytes(),
                z: item.bytes(),
                y: item.bytes(),
                proof: item.bytes(),
            })
        }),
        table.served(&lane, &BLOB, |resources, settings| {
            plan(resources, settings, |item| OwnedOpening::Blob {
                blob: item.bytes(),
                commitment: item.bytes(),
                proof: item.bytes(),
            })
        }),
    ]
}

fn plan(
    resources: &Resources,
    settings: &Settings,
    opening: fn(&mut Record) -> OwnedOpening,
) -> Result<Plan<VerifyOpening>, Refusal> {
    let setup = resources.objects.kzg_setup(&settings.hash("setup"))?;
    Ok(Plan {
        growth: SAME,
        reply_bytes: SHORT,
        read: Box::new(move |mut item| {
            Ok(OpeningRequest { setup: (*setup).clone(), opening: opening(&mut item) })
        }),
        answer: Box::new(|reply: Result<bool, OpeningError>| match reply {
            Ok(true) => Answer::Verdict(Ok(())),
            Ok(false) => Answer::Verdict(Err("the proof does not match".into())),
            Err(error) => Answer::Bad(error.to_string()),
        }),
    })
}
