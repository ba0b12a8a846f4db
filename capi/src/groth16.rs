// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Groth16 proofs over BLS12-381.

use std::ffi::c_char;
use std::sync::Arc;

use halimede_bls12_381::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use halimede_device::flat::groth16::{self, ProofRow};
use halimede_device::in_pool;

use crate::device::{resolve, Device};
use crate::memory::{file, hand_out, require};
use crate::status::{answer, free, Failure, Status};
use crate::verdict::{bytes, check_rows, Bytes};

/// The verifying key of a circuit that was read and checked. Threads may share one that none of
/// them frees.
pub struct Groth16Key {
    key: Arc<VerifyingKey>,
}

impl Groth16Key {
    fn read(bytes: &[u8]) -> Result<Self, Failure> {
        let key = in_pool(|| VerifyingKey::read(bytes)).map_err(|error| {
            Failure::new(Status::Malformed, format!("not a verifying key: {error}"))
        })?;
        Ok(Self { key: Arc::new(key) })
    }
}

/// A verifying key, read from what `bellman` writes, uint8_t[length], 64 MiB at most; to be freed
/// with halimede_groth16_key_free().
///
/// Statuses: HALIMEDE_STATUS_MALFORMED, whose message says what is wrong; those of pointers and
/// lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_groth16_key_new(
    content: *const u8,
    length: usize,
    key: *mut *mut Groth16Key,
) -> Status {
    answer(|| {
        // SAFETY: content of this length, as the header asks.
        let content = unsafe { bytes("content", content, length, &[]) }?;
        // SAFETY: the header asks for a place to write to.
        unsafe { hand_out("the place for the key", key, || Groth16Key::read(content)) }
    })
}

/// The same, read from the file with this path.
///
/// Statuses: HALIMEDE_STATUS_UNREADABLE for the file, those of halimede_groth16_key_new().
#[no_mangle]
pub unsafe extern "C" fn halimede_groth16_key_open(
    path: *const c_char,
    key: *mut *mut Groth16Key,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for a path.
        let content = unsafe { file("path", path, KEY_LIMIT_BYTES) }?;
        // SAFETY: the header asks for a place to write to.
        unsafe { hand_out("the place for the key", key, || Groth16Key::read(&content)) }
    })
}

/// Frees a key. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_groth16_key_free(key: *mut Groth16Key) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free("key", key, |key| drop(unsafe { Box::from_raw(key) }));
}

/// How many public inputs a proof under this key has.
#[no_mangle]
pub unsafe extern "C" fn halimede_groth16_key_inputs(
    key: *const Groth16Key,
    inputs: *mut usize,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for a key.
        let key = unsafe { self::key(key) }?;
        require("inputs", inputs)?;
        // SAFETY: not NULL and aligned; the header asks for a place to write to.
        unsafe { inputs.write(key.inputs()) };
        Ok(())
    })
}

/// Checks proofs together: `verdicts`, uint8_t[count], gets a halimede_verdict for each row.
/// `proofs` and `inputs` have `count` entries: proofs of 192 bytes; of each the public inputs one
/// behind the other, 32 bytes each, big-endian, below the groups' order. A bad row does the others
/// no harm.
///
/// All is public: the time depends on it. A card has no BLS12-381.
///
/// Statuses: those of pointers and lengths, whose message says which row it is, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_groth16_verify(
    device: *const Device,
    key: *const Groth16Key,
    proofs: *const Bytes,
    inputs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for an open device or NULL, and for a key.
        let (device, key) = unsafe { (resolve(device)?, self::key(key)?) };
        let columns = [("proofs", proofs), ("inputs", inputs)];
        let check = |[proofs, inputs]: [Vec<&[u8]>; 2]| {
            let rows = proofs.into_iter().zip(inputs);
            let rows = rows.map(|(proof, inputs)| ProofRow { proof, inputs });
            groth16::verify(device, key, &rows.collect::<Vec<_>>())
        };
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// # Safety
/// What is not NULL is a key, for as long as what is returned is used.
unsafe fn key<'k>(key: *const Groth16Key) -> Result<&'k Arc<VerifyingKey>, Failure> {
    require("key", key)?;
    // SAFETY: not NULL and aligned; the rest is the caller's.
    Ok(unsafe { &(*key).key })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lets the header say that threads may share a key.
    #[test]
    fn keys_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<Groth16Key>();
        shared::<crate::kzg::KzgSetup>();
    }
}
