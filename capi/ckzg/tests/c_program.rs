// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs published cases, and random ones with the answers of the crate `c-kzg`, through the C
//! interface: every available compiler compiles a program without warnings, which is linked with
//! the shared library, in C also with the static one.
//!
//! Without a compiler, the test reports it and passes; with `HALIMEDE_REQUIRE_C=1` it fails.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../../tests/common/mod.rs"]
mod common;
#[path = "../../../engines/bls12_381/tests/common/kzg_cases.rs"]
mod kzg_cases;

use c_kzg::{ethereum_kzg_settings, Blob, Bytes32};
use common::replacement;
use kzg_cases::{published, text_of, vectors, Case};
use tempfile::TempDir;

/// A line of a case: the function, the expected result, and fields.
fn line(name: &str, is_good: bool, fields: &[Vec<u8>]) -> String {
    let fields: Vec<&[u8]> = fields.iter().map(Vec::as_slice).collect();
    replacement::line(&format!("{name} {}", u8::from(!is_good)), &fields)
}

/// Returns `true` if inputs have the lengths that the types of C have.
fn has_lengths(case: &Case, lengths: &[(&str, usize)]) -> bool {
    lengths.iter().all(|(name, length)| case.all(name).iter().all(|bytes| bytes.len() == *length))
}

fn indices(indices: &[u64]) -> Vec<u8> {
    indices.iter().flat_map(|index| index.to_ne_bytes()).collect()
}

/// The published cases that C can express.
fn published_lines() -> Vec<String> {
    let mut lines = Vec::new();
    for (name, inputs) in [
        ("blob_to_kzg_commitment", &[("blob", 131_072)][..]),
        ("compute_blob_kzg_proof", &[("blob", 131_072), ("commitment", 48)]),
        ("compute_cells_and_kzg_proofs", &[("blob", 131_072)]),
    ] {
        for case in published(name).iter().filter(|case| has_lengths(case, inputs)) {
            let mut fields: Vec<Vec<u8>> =
                inputs.iter().map(|(name, _)| case.one(name).to_vec()).collect();
            fields.extend(case.output.iter().flatten().map(|list| list.concat()));
            lines.push(line(name, case.output.is_some(), &fields));
        }
    }
    let name = "recover_cells_and_kzg_proofs";
    for case in published(name).iter().filter(|case| has_lengths(case, &[("cells", 2048)])) {
        let cells = case.all("cells");
        if cells.len() == case.indices.len() {
            let mut fields = vec![indices(&case.indices), cells.concat()];
            fields.extend(case.output.iter().flatten().map(|list| list.concat()));
            lines.push(line(name, case.output.is_some(), &fields));
        }
    }
    let name = "verify_cell_kzg_proof_batch";
    let inputs = [("commitments", 48), ("cells", 2048), ("proofs", 48)];
    for case in published(name).iter().filter(|case| has_lengths(case, &inputs)) {
        let [commitments, cells, proofs] = inputs.map(|(name, _)| case.all(name));
        if [commitments.len(), cells.len(), proofs.len()] == [case.indices.len(); 3] {
            let verdict = vec![u8::from(case.verdict == Some(true))];
            let [commitments, cells, proofs] = [commitments, cells, proofs].map(|all| all.concat());
            let fields = [commitments, indices(&case.indices), cells, proofs, verdict];
            lines.push(line(name, case.verdict.is_some(), &fields));
        }
    }
    lines
}

/// A random blob with all answers of the peer.
fn random_lines(seed: u64) -> Vec<String> {
    let mut state = seed;
    let mut byte = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let mut bytes: Vec<u8> = (0..131_072).map(|_| byte()).collect();
    bytes.iter_mut().step_by(32).for_each(|byte| *byte &= 0x3f);
    let peer = ethereum_kzg_settings(0);
    let blob = Blob::from_bytes(&bytes).unwrap();
    let commitment = peer.blob_to_kzg_commitment(&blob).unwrap().to_bytes();
    let proof = peer.compute_blob_kzg_proof(&blob, &commitment).unwrap().to_bytes();
    let mut z: Vec<u8> = (0..32).map(|_| byte()).collect();
    z[0] &= 0x3f;
    let at = peer.compute_kzg_proof(&blob, &Bytes32::from_bytes(&z).unwrap()).unwrap();
    let (at, y) = (at.0.to_bytes().to_vec(), at.1.to_vec());
    let (cells, proofs) = peer.compute_cells_and_kzg_proofs(&blob).unwrap();
    let cells: Vec<Vec<u8>> = cells.iter().map(|cell| cell.to_bytes().to_vec()).collect();
    let proofs: Vec<Vec<u8>> = proofs.iter().map(|proof| proof.to_bytes().to_vec()).collect();
    let half: Vec<u64> = (0..64).map(|number| 2 * number + (number & 1)).collect();
    let given: Vec<u8> = half.iter().flat_map(|index| cells[*index as usize].clone()).collect();
    let (commitment, proof) = (commitment.to_vec(), proof.to_vec());
    let [all_cells, all_proofs] = [cells.concat(), proofs.concat()];
    let commitments = commitment.repeat(128);
    let every = indices(&(0..128).collect::<Vec<u64>>());
    let mut lines = vec![
        line("blob_to_kzg_commitment", true, &[bytes.clone(), commitment.clone()]),
        line("compute_blob_kzg_proof", true, &[bytes.clone(), commitment.clone(), proof.clone()]),
        line("compute_kzg_proof", true, &[bytes.clone(), z.clone(), at.clone(), y.clone()]),
        line(
            "compute_cells_and_kzg_proofs",
            true,
            &[bytes.clone(), all_cells.clone(), all_proofs.clone()],
        ),
        line(
            "recover_cells_and_kzg_proofs",
            true,
            &[indices(&half), given, all_cells.clone(), all_proofs.clone()],
        ),
    ];
    for is_right in [true, false] {
        let verdict = vec![u8::from(is_right)];
        let mut y = y.clone();
        y[31] ^= u8::from(!is_right);
        let mut wrong = bytes.clone();
        wrong[31] ^= u8::from(!is_right);
        let mut other = all_cells.clone();
        other[2048 * 77 + 31] ^= u8::from(!is_right);
        let fields = [commitment.clone(), z.clone(), y, at.clone(), verdict.clone()];
        lines.push(line("verify_kzg_proof", true, &fields));
        let fields = [wrong, commitment.clone(), proof.clone(), verdict.clone()];
        lines.push(line("verify_blob_kzg_proof", true, &fields));
        let fields = [commitments.clone(), every.clone(), other, all_proofs.clone(), verdict];
        lines.push(line("verify_cell_kzg_proof_batch", true, &fields));
    }
    lines
}

#[test]
fn cases_in_c() {
    let temporary = TempDir::new().unwrap();
    let [setup, cases] = ["setup.txt", "cases"].map(|name| temporary.path().join(name));
    std::fs::write(&setup, text_of(&vectors().join("kzg/trusted_setup.txt.gz"))).unwrap();
    let lines = [published_lines(), random_lines(7)].concat();
    std::fs::write(&cases, lines.concat()).unwrap();
    assert!(lines.len() > 30, "{}", lines.len());
    // The program's casts of `malloc` are those of C.
    let options_of_cpp = ["-fpermissive", "-w"];
    let expected = format!("{} cases\n", lines.len());
    replacement::check("halimede_ckzg", "vectors.c", &options_of_cpp, &[setup, cases], &expected);
}
