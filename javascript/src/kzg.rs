// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings for JavaScript: see [`crate::opening`].

use wasm_bindgen::prelude::*;

use crate::opening;

/// Verifies that a polynomial with this commitment has the value y at z: EIP-4844's
/// `verify_kzg_proof`. Throws if an argument cannot be decoded.
#[wasm_bindgen(js_name = verifyKzgProof)]
pub fn verify_kzg_proof(
    commitment: &[u8],
    z: &[u8],
    y: &[u8],
    proof: &[u8],
) -> Result<bool, JsError> {
    Ok(opening::verify_kzg_proof(commitment, z, y, proof)?)
}

/// Verifies that a commitment is that of a blob of 131,072 bytes: EIP-4844's
/// `verify_blob_kzg_proof`. Throws if an argument cannot be decoded.
#[wasm_bindgen(js_name = verifyBlobKzgProof)]
pub fn verify_blob_kzg_proof(
    blob: &[u8],
    commitment: &[u8],
    proof: &[u8],
) -> Result<bool, JsError> {
    Ok(opening::verify_blob_kzg_proof(blob, commitment, proof)?)
}
