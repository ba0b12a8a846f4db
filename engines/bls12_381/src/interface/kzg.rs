// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of KZG openings (EIP-4844).

use std::sync::Arc;

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Object, ObjectKind, Outcome, Plan, Record,
    Reply, Setting, Settings, Values,
};

use super::ceremony::ceremony;
use crate::kzg::{prepared_bytes, OpeningError, Setup, BLOB_BYTES, SETUP_LIMIT_BYTES};
use crate::operations::{OpeningRequest, OwnedOpening, VerifyOpening};

/// The object that openings refer to.
pub const TRUSTED_SETUP: &ObjectKind = &ObjectKind {
    name: "kzg-setup",
    about:
        "The trusted setup of a ceremony, as text. Verification of openings needs one point of it, \
        τ in G2, which is checked against τ in G1; the other points are checked when commitments \
        or cells first need them.",
    most_bytes: SETUP_LIMIT_BYTES,
    held_bytes,
    read,
    facts: |_| Vec::new(),
};

pub(super) const SETUP: Setting = Setting {
    name: "setup",
    about: "The trusted setup, an object of kind `kzg-setup`.",
    values: Values::Object(TRUSTED_SETUP),
    default: None,
};
pub(super) const COMMITMENT: Field =
    Field::bytes("commitment", "The commitment.", 48, 48).or(Outcome::Commitment);
pub(super) const PROOF: Field = Field::bytes("proof", "The proof.", 48, 48).or(Outcome::Proof);

fn held_bytes(_: usize) -> usize {
    prepared_bytes()
}

fn read(bytes: &[u8]) -> Result<Object, String> {
    let text = str::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok(Arc::new(Setup::read(text).map_err(|error| error.to_string())?))
}

/// `kzg.verify_proof`
pub enum Openings {}

impl Interface for Openings {
    type Operation = VerifyOpening;
    const ABOUT: &'static About = &About {
        name: "kzg.verify_proof",
        path: "/v1/kzg/verify-proof",
        summary: "Verification of KZG openings at a point",
        settings: &[SETUP],
        item: &[
            COMMITMENT,
            Field::bytes("z", "The point.", 32, 32).or(Outcome::Scalar),
            Field::bytes("y", "The value.", 32, 32).or(Outcome::Scalar),
            PROOF,
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[("setup", ceremony)],
                item: r#"{"commitment": "a421e229565952cfff4ef3517100a97da1d4fe57956fa50a442f92af03b1bf37adacc8ad4ed209b31287ea5bb94d9d06", "z": "5eb7004fe57383e6c88b99d839937fddf3f99279353aaf8d5c9a75f91ce33c62", "y": "5ee1e9a4a06a02ca6ea14b0ca73415a8ba0fba888f18dde56df499b480d4b9e0", "proof": "a1fcd37a924af9ec04143b44853c26f6b0738f6e15a3e0755057e7d5460406c7e148adb0e2d608982140d0ae42fe0b3b"}"#,
                answer: r#"{"valid": true}"#,
                source: "verify_kzg_proof of the consensus specifications",
            },
            Example {
                settings: &[],
                objects: &[("setup", ceremony)],
                item: r#"{"commitment": "a421e229565952cfff4ef3517100a97da1d4fe57956fa50a442f92af03b1bf37adacc8ad4ed209b31287ea5bb94d9d06", "z": "5eb7004fe57383e6c88b99d839937fddf3f99279353aaf8d5c9a75f91ce33c62", "y": "5ee1e9a4a06a02ca6ea14b0ca73415a8ba0fba888f18dde56df499b480d4b9e0", "proof": "b3477fc9a5bfab5fdb5523251818ee5a6d52613c59502a3d2df58217f4e366cd9ef37dee55bf2c705a2b08e7808b6fa0"}"#,
                answer: r#"{"valid": false, "reason": "the proof does not match"}"#,
                source: "verify_kzg_proof of the consensus specifications",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyOpening>, String> {
        plan(settings, |item| OwnedOpening::Value {
            commitment: item.bytes(),
            z: item.bytes(),
            y: item.bytes(),
            proof: item.bytes(),
        })
    }
}

/// `kzg.verify_blob`
pub enum BlobOpenings {}

impl Interface for BlobOpenings {
    type Operation = VerifyOpening;
    const ABOUT: &'static About = &About {
        name: "kzg.verify_blob",
        path: "/v1/kzg/verify-blob",
        summary: "Verification of KZG proofs of blobs",
        settings: &[SETUP],
        item: &[
            Field::bytes("blob", "The blob.", BLOB_BYTES, BLOB_BYTES).or(Outcome::Blob),
            COMMITMENT,
            PROOF,
        ],
        reply: Reply::Verdict,
        examples: &[Example {
            settings: &[],
            objects: &[("setup", ceremony)],
            item: r#"{"blob": "00", "commitment": "c0", "proof": "c0"}"#,
            answer: r#"{"error": "`blob`: 131072 bytes are expected, got 1", "item": 0}"#,
            source: "a blob has 128 KiB",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyOpening>, String> {
        plan(settings, |item| OwnedOpening::Blob {
            blob: item.bytes(),
            commitment: item.bytes(),
            proof: item.bytes(),
        })
    }
}

fn plan(
    settings: &Settings,
    opening: fn(&mut Record) -> OwnedOpening,
) -> Result<Plan<VerifyOpening>, String> {
    let setup = settings.object::<Setup>("setup")?;
    let read = move |mut item: Record| {
        Ok(OpeningRequest { setup: (*setup).clone(), opening: opening(&mut item) })
    };
    Ok(Plan::new(read, verdict))
}

/// Converts the reply of a check to an answer.
pub(super) fn verdict(reply: Result<bool, OpeningError>) -> Answer {
    match reply {
        Ok(true) => Answer::Verdict(Ok(())),
        Ok(false) => Answer::Verdict(Err(Invalid {
            outcome: Outcome::Mismatch,
            reason: "the proof does not match".into(),
        })),
        Err(error) => Answer::Bad(Invalid::of(error)),
    }
}
