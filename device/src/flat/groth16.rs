// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs in bulk.

use std::sync::Arc;

use halimede_arith::interface::{Invalid, Outcome, Verdict};
use halimede_bls12_381::groth16::VerifyingKey;
use halimede_bls12_381::operations::{ProofRequest, VerifyProof};
use halimede_bls12_381::Fr;

use super::batch::answer_made;
use super::error::FlatError;
use crate::device::Device;

/// Bytes of a public input.
pub const INPUT_BYTES: usize = 32;

/// A proof and its public inputs, as bytes.
#[derive(Clone, Copy, Debug)]
pub struct ProofRow<'a> {
    /// A and C in G1, B in G2, compressed.
    pub proof: &'a [u8],
    /// The inputs one behind the other, [`INPUT_BYTES`] each, big-endian.
    pub inputs: &'a [u8],
}

/// A verdict for each proof, in their order.
///
/// # Errors
/// [`FlatError::Device`].
pub fn verify(
    device: &Device,
    key: &Arc<VerifyingKey>,
    rows: &[ProofRow<'_>],
) -> Result<Vec<Verdict>, FlatError> {
    let inputs: Vec<Result<Vec<Fr>, Invalid>> = rows.iter().map(|row| read(row.inputs)).collect();
    let readable: Vec<(usize, &Vec<Fr>)> = inputs
        .iter()
        .enumerate()
        .filter_map(|(row, inputs)| Some((row, inputs.as_ref().ok()?)))
        .collect();
    let found = answer_made::<VerifyProof>(device, readable.len(), |number| {
        let (row, inputs) = readable[number];
        ProofRequest { key: key.clone(), proof: rows[row].proof.to_vec(), inputs: inputs.clone() }
    })?;
    let mut found = found.into_iter().map(|found| found.map_err(Invalid::of));
    let verdicts = inputs.iter().map(|inputs| match inputs {
        Ok(_) => found.next().unwrap_or(Ok(())),
        Err(invalid) => Err(invalid.clone()),
    });
    Ok(verdicts.collect())
}

/// The numbers of a row.
fn read(inputs: &[u8]) -> Result<Vec<Fr>, Invalid> {
    let invalid = |reason: String| Invalid { outcome: Outcome::Inputs, reason };
    let (numbers, []) = inputs.as_chunks::<INPUT_BYTES>() else {
        let got = inputs.len();
        return Err(invalid(format!("inputs have {INPUT_BYTES} bytes each, got {got} in all")));
    };
    let number = |(index, bytes)| {
        Fr::from_be_bytes(bytes)
            .map_err(|_| invalid(format!("input {index} is not below the order of the groups")))
    };
    numbers.iter().enumerate().map(number).collect()
}
