// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commitments and proofs of blobs, and their cells (EIP-4844, EIP-7594).

use halimede_arith::interface::{
    About, Answer, Example, Field, Interface, Outcome, Plan, Record, Reply, Settings,
};

use super::ceremony::{ceremony, known};
use super::kzg::{verdict, COMMITMENT, PROOF, SETUP};
use crate::kzg::cells::{CELL_BYTES, EXTENDED_CELLS, LEAST_CELLS};
use crate::kzg::{Setup, BLOB_BYTES};
use crate::operations::{BlobCall, BlobRequest, CellRequest, ComputeBlob, VerifyCell};

const BLOB: Field = Field::bytes("blob", "The blob.", BLOB_BYTES, BLOB_BYTES).or(Outcome::Blob);
const Z: Field = Field::bytes("z", "The point.", 32, 32).or(Outcome::Scalar);
const INDEX: Field = Field::bytes("index", "The index of the cell, one byte from 0 to 127.", 1, 1);
const CELL: Field = Field::bytes("cell", "The cell.", CELL_BYTES, CELL_BYTES).or(Outcome::Blob);

/// Bytes of a compressed point of G1.
const POINT_BYTES: usize = 48;
/// Bytes of all cells of a blob.
const CELLS_BYTES: usize = EXTENDED_CELLS * CELL_BYTES;
/// Bytes of all cells and proofs.
const ALL_BYTES: usize = CELLS_BYTES + EXTENDED_CELLS * POINT_BYTES;

/// An interface of [`ComputeBlob`], whose only example is a blob that is too short: answers depend
/// on all points of a setup.
macro_rules! computation {
    (
        $interface:ident, $name:literal, $path:literal, $summary:literal, $item:expr,
        $reply:literal, $bytes:expr, $example:literal, |$fields:ident| $call:expr
    ) => {
        #[doc = concat!("`", $name, "`")]
        pub enum $interface {}

        impl Interface for $interface {
            type Operation = ComputeBlob;
            const ABOUT: &'static About = &About {
                name: $name,
                path: $path,
                summary: $summary,
                settings: &[SETUP],
                item: $item,
                reply: Reply::Bytes($reply),
                examples: &[Example {
                    settings: &[],
                    objects: &[("setup", ceremony)],
                    item: $example,
                    answer: r#"{"error": "`blob`: 131072 bytes are expected, got 1", "item": 0}"#,
                    source: "a blob has 128 KiB",
                }],
            };

            fn plan(settings: &Settings) -> Result<Plan<ComputeBlob>, String> {
                plan(settings, $bytes, |$fields| $call)
            }
        }
    };
}

fn plan(
    settings: &Settings,
    reply_bytes: usize,
    call: fn(&mut Record) -> BlobCall,
) -> Result<Plan<ComputeBlob>, String> {
    let setup = settings.object::<Setup>("setup")?;
    let read =
        move |mut item: Record| Ok(BlobRequest { setup: (*setup).clone(), call: call(&mut item) });
    Ok(Plan { reply_bytes, ..Plan::new(read, Answer::of_bytes) })
}

computation!(
    Commitments,
    "kzg.commit",
    "/v1/kzg/commit",
    "KZG commitments to blobs",
    &[BLOB],
    "commitment",
    POINT_BYTES,
    r#"{"blob": "00"}"#,
    |item| BlobCall::Commitment { blob: item.bytes() }
);

computation!(
    ProofsAt,
    "kzg.prove",
    "/v1/kzg/prove",
    "KZG proofs of the values of blobs at a point, 48 bytes, each followed by the value",
    &[BLOB, Z],
    "proof_and_value",
    POINT_BYTES + 32,
    r#"{"blob": "00", "z": "0000000000000000000000000000000000000000000000000000000000000002"}"#,
    |item| BlobCall::ProofAt { blob: item.bytes(), z: item.bytes() }
);

computation!(
    BlobProofs,
    "kzg.prove_blob",
    "/v1/kzg/prove-blob",
    "KZG proofs of blobs",
    &[BLOB, COMMITMENT],
    "proof",
    POINT_BYTES,
    r#"{"blob": "00", "commitment": "c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"}"#,
    |item| BlobCall::Proof { blob: item.bytes(), commitment: item.bytes() }
);

computation!(
    BlobCells,
    "kzg.compute_cells",
    "/v1/kzg/compute-cells",
    "The 128 cells of blobs, 2048 bytes each",
    &[BLOB],
    "cells",
    CELLS_BYTES,
    r#"{"blob": "00"}"#,
    |item| BlobCall::Cells { blob: item.bytes() }
);

computation!(
    CellsAndProofs,
    "kzg.compute_cells_and_proofs",
    "/v1/kzg/compute-cells-and-proofs",
    "The 128 cells of blobs, 2048 bytes each, followed by their 128 proofs, 48 bytes each",
    &[BLOB],
    "cells_and_proofs",
    ALL_BYTES,
    r#"{"blob": "00"}"#,
    |item| BlobCall::CellsAndProofs { blob: item.bytes() }
);

/// `kzg.recover_cells_and_proofs`
pub enum RecoveredCells {}

impl Interface for RecoveredCells {
    type Operation = ComputeBlob;
    const ABOUT: &'static About = &About {
        name: "kzg.recover_cells_and_proofs",
        path: "/v1/kzg/recover-cells-and-proofs",
        summary: "The 128 cells of blobs, followed by their 128 proofs, from half of the cells",
        settings: &[SETUP],
        item: &[Field::list(
            "cells",
            "Cells with their indices, in ascending order of these.",
            &[INDEX, CELL],
            LEAST_CELLS,
            EXTENDED_CELLS,
        )],
        reply: Reply::Bytes("cells_and_proofs"),
        examples: &[Example {
            settings: &[],
            objects: &[("setup", ceremony)],
            item: r#"{"cells": []}"#,
            answer: r#"{"error": "`cells`: 64 to 128 elements are expected, got 0", "item": 0}"#,
            source: "half of the cells determine a blob",
        }],
    };

    fn plan(settings: &Settings) -> Result<Plan<ComputeBlob>, String> {
        plan(settings, ALL_BYTES, |item| {
            let (mut indices, mut cells) = (Vec::new(), Vec::new());
            for mut record in item.list() {
                indices.push(index_of(&mut record));
                cells.push(record.bytes());
            }
            BlobCall::Recovered { indices, cells }
        })
    }
}

/// Takes the index of a cell; the engine checks its range.
fn index_of(record: &mut Record) -> u64 {
    record.bytes().first().copied().unwrap_or(u8::MAX).into()
}

/// A value repeated 64 times.
macro_rules! repeated {
    ($before:literal, $value:literal, $after:literal) => {
        concat!(
            $before, $value, $value, $value, $value, $value, $value, $value, $value, $value,
            $value, $value, $value, $value, $value, $value, $value, $value, $value, $value, $value,
            $value, $value, $value, $value, $value, $value, $value, $value, $value, $value, $value,
            $value, $value, $value, $value, $value, $value, $value, $value, $value, $value, $value,
            $value, $value, $value, $value, $value, $value, $value, $value, $value, $value, $value,
            $value, $value, $value, $value, $value, $value, $value, $value, $value, $value, $value,
            $after
        )
    };
}

/// `kzg.verify_cell`
pub enum VerifiedCells {}

impl Interface for VerifiedCells {
    type Operation = VerifyCell;
    const ABOUT: &'static About = &About {
        name: "kzg.verify_cell",
        path: "/v1/kzg/verify-cell",
        summary: "Verification of KZG proofs of cells",
        settings: &[SETUP],
        item: &[COMMITMENT, INDEX, CELL, PROOF],
        reply: Reply::Verdict,
        examples: &[
            Example {
                settings: &[],
                objects: &[("setup", known)],
                item: repeated!(
                    r#"{"commitment": "94e07714b757e9c49e22860e9916f44ae424a8df59235aa1b2ab3a9db786817db3fd1d26110f5892f727b7752a67b401", "index": "01", "cell": ""#,
                    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
                    r#"", "proof": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"}"#
                ),
                answer: r#"{"valid": true}"#,
                source:
                    "cell 1 of x^64, which is -1 at its points, under a setup with the secret 5",
            },
            Example {
                settings: &[],
                objects: &[("setup", known)],
                item: repeated!(
                    r#"{"commitment": "94e07714b757e9c49e22860e9916f44ae424a8df59235aa1b2ab3a9db786817db3fd1d26110f5892f727b7752a67b401", "index": "02", "cell": ""#,
                    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000",
                    r#"", "proof": "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb"}"#
                ),
                answer: r#"{"valid": false, "reason": "the proof does not match"}"#,
                source: "the same cell with another index",
            },
        ],
    };

    fn plan(settings: &Settings) -> Result<Plan<VerifyCell>, String> {
        let setup = settings.object::<Setup>("setup")?;
        let read = move |mut item: Record| {
            let commitment = item.bytes();
            let index = index_of(&mut item);
            let (cell, proof) = (item.bytes(), item.bytes());
            Ok(CellRequest { setup: (*setup).clone(), commitment, index, cell, proof })
        };
        Ok(Plan::new(read, verdict))
    }
}
