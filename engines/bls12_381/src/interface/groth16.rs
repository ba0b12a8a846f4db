// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verification of Groth16 proofs.

use std::sync::Arc;

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Invalid, Object, ObjectKind, Outcome, Plan, Record,
    Reply, Setting, Settings, Values,
};
use halimede_arith::Fr;

use super::PREPARED_BYTES;
use crate::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use crate::operations::{ProofRequest, VerifyProof};
use crate::{Point, G1, G2};

/// The object that proofs refer to.
pub const VERIFYING_KEY: &ObjectKind = &ObjectKind {
    name: "groth16-key",
    about: "The verifying key of a circuit, as `bellman` writes it. `inputs` is the number of a \
        proof's public inputs.",
    most_bytes: KEY_LIMIT_BYTES,
    held_bytes,
    read,
    facts,
};

const KEY: Setting = Setting {
    name: "key",
    about: "The verifying key, an object of kind `groth16-key`.",
    values: Values::Object(VERIFYING_KEY),
    default: None,
};

/// Points have three coordinates in memory, but two in a file.
fn held_bytes(file_bytes: usize) -> usize {
    file_bytes.saturating_mul(2) + PREPARED_BYTES
}

fn read(bytes: &[u8]) -> Result<Object, String> {
    Ok(Arc::new(VerifyingKey::read(bytes).map_err(|error| error.to_string())?))
}

fn facts(key: &Object) -> Vec<(&'static str, u64)> {
    let key = key.downcast_ref::<VerifyingKey>();
    key.map(|key| ("inputs", key.inputs() as u64)).into_iter().collect()
}

/// A key without inputs whose points are the generators: a proof is valid if A·B = 1 + 1 + C, as
/// multiples of the generators.
fn key_of_generators() -> Vec<u8> {
    let g1 = Point::<G1>::generator().to_uncompressed();
    let g2 = Point::<G2>::generator().to_uncompressed();
    let (g1, g2, one) = (&g1[..], &g2[..], &[0, 0, 0, 1][..]);
    [g1, g1, g2, g2, g1, g2, one, g1].concat()
}

/// `groth16.verify`
pub enum Proofs {}

impl Interface for Proofs {
    type Operation = VerifyProof;
    const ABOUT: &'static About = &About {
        name: "groth16.verify",
        path: "/v1/groth16/verify",
        summary: "Verification of Groth16 proofs under a verifying key",
        settings: &[KEY],
        item: &[
            Field::bytes("proof", "The proof, compressed, in 192 bytes.", 0, 384)
                .or(Outcome::Proof),
            Field::list(
                "inputs",
                "The public inputs.",
                &[Field::number("input", "A public input.")],
                0,
                1 << 20,
            )
            .or(Outcome::Inputs),
        ],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[("key", key_of_generators)],
                item: r#"{"proof": "89ece308f9d1f0131765212deca99697b112d61f9be9a5f1f3780a51335b3ff981747a0b2ca2179b96d2c0c9024e522493e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb897f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "inputs": []}"#,
                answer: r#"{"valid": true}"#,
                source: "3·1 = 1 + 1 + 1: the proof's points are multiples of the generators",
            },
            Example {
                settings: &[],
                objects: &[("key", key_of_generators)],
                item: r#"{"proof": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb897f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb", "inputs": []}"#,
                answer: r#"{"valid": false, "reason": "the proof does not match"}"#,
                source: "1·1 is not 1 + 1 + 1",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyProof>, String> {
        let key = settings.object::<VerifyingKey>("key")?;
        let read = move |mut item: Record| {
            let proof = item.bytes();
            let inputs = item.numbers().into_iter().enumerate().map(input);
            let inputs = inputs.collect::<Result<_, Invalid>>()?;
            Ok(ProofRequest { key: Arc::clone(&key), proof, inputs })
        };
        Ok(Plan::new(read, Answer::of_check))
    }
}

fn input((index, number): (usize, [u8; 32])) -> Result<Fr, Invalid> {
    let named =
        |error| Invalid { outcome: Outcome::Inputs, reason: format!("input {index}: {error}") };
    Fr::from_le_bytes(&number).map_err(named)
}
