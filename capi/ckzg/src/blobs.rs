// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Commitments and proofs of blobs.

use halimede_bls12_381::kzg;
use halimede_bls12_381::kzg::BLOB_BYTES;

use crate::result::{answer, array, place, slices, value, verdict, Code};
use crate::settings::{setup, Settings};

/// `Blob`
pub type Blob = [u8; BLOB_BYTES];
/// `Bytes48`, `KZGCommitment` and `KZGProof`
pub type Bytes48 = [u8; 48];
/// `Bytes32`
pub type Bytes32 = [u8; 32];

/// `blob_to_kzg_commitment`
#[no_mangle]
pub unsafe extern "C" fn blob_to_kzg_commitment(
    out: *mut Bytes48,
    blob: *const Blob,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (out, blob, setup) = unsafe { (place(out)?, value(blob)?, setup(settings)?) };
        *out = kzg::blob_to_kzg_commitment(setup, blob)?;
        Ok(())
    })
}

/// `compute_kzg_proof`
#[no_mangle]
pub unsafe extern "C" fn compute_kzg_proof(
    proof: *mut Bytes48,
    y: *mut Bytes32,
    blob: *const Blob,
    z: *const Bytes32,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (proof, y) = unsafe { (place(proof)?, place(y)?) };
        // SAFETY: by the contract of the header.
        let (blob, z, setup) = unsafe { (value(blob)?, value(z)?, setup(settings)?) };
        (*proof, *y) = kzg::compute_kzg_proof(setup, blob, z)?;
        Ok(())
    })
}

/// `compute_blob_kzg_proof`
#[no_mangle]
pub unsafe extern "C" fn compute_blob_kzg_proof(
    out: *mut Bytes48,
    blob: *const Blob,
    commitment: *const Bytes48,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (out, setup) = unsafe { (place(out)?, setup(settings)?) };
        // SAFETY: by the contract of the header.
        let (blob, commitment) = unsafe { (value(blob)?, value(commitment)?) };
        *out = kzg::compute_blob_kzg_proof(setup, blob, commitment)?;
        Ok(())
    })
}

/// `verify_kzg_proof`
#[no_mangle]
pub unsafe extern "C" fn verify_kzg_proof(
    ok: *mut bool,
    commitment: *const Bytes48,
    z: *const Bytes32,
    y: *const Bytes32,
    proof: *const Bytes48,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (ok, setup) = unsafe { (verdict(ok)?, setup(settings)?) };
        // SAFETY: by the contract of the header.
        let (commitment, proof) = unsafe { (value(commitment)?, value(proof)?) };
        // SAFETY: by the contract of the header.
        let (z, y) = unsafe { (value(z)?, value(y)?) };
        *ok = kzg::verify_kzg_proof(setup, commitment, z, y, proof)?;
        Ok(())
    })
}

/// `verify_blob_kzg_proof`
#[no_mangle]
pub unsafe extern "C" fn verify_blob_kzg_proof(
    ok: *mut bool,
    blob: *const Blob,
    commitment: *const Bytes48,
    proof: *const Bytes48,
    settings: *const Settings,
) -> Code {
    // SAFETY: by the contract of the header.
    unsafe { verify_blob_kzg_proof_batch(ok, blob, commitment, proof, 1, settings) }
}

/// `verify_blob_kzg_proof_batch`
#[no_mangle]
pub unsafe extern "C" fn verify_blob_kzg_proof_batch(
    ok: *mut bool,
    blobs: *const Blob,
    commitments: *const Bytes48,
    proofs: *const Bytes48,
    count: u64,
    settings: *const Settings,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let (ok, setup) = unsafe { (verdict(ok)?, setup(settings)?) };
        // SAFETY: by the contract of the header.
        let (blobs, commitments, proofs) =
            unsafe { (array(blobs, count)?, array(commitments, count)?, array(proofs, count)?) };
        let (blobs, commitments, proofs) = (slices(blobs), slices(commitments), slices(proofs));
        *ok = kzg::verify_blob_kzg_proof_batch(setup, &blobs, &commitments, &proofs)?;
        Ok(())
    })
}
