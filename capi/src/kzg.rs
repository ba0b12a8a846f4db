// SPDX-License-Identifier: Apache-2.0 OR MIT
//! KZG openings of EIP-4844.

use std::ffi::c_char;

use halimede_bls12_381::kzg::{Opening, Setup, SETUP_LIMIT_BYTES};
use halimede_device::flat::kzg;

use crate::device::{resolve, Device};
use crate::memory::{file, hand_out, require};
use crate::status::{answer, free, Failure, Status};
use crate::verdict::{bytes, check_rows, Bytes};

/// A trusted setup that was read and checked. Threads may share one that none of them frees.
pub struct KzgSetup {
    setup: Setup,
}

impl KzgSetup {
    fn read(text: &[u8]) -> Result<Self, Failure> {
        let wrong = |error: String| {
            Failure::new(Status::Malformed, format!("not a trusted setup: {error}"))
        };
        let text = std::str::from_utf8(text).map_err(|error| wrong(error.to_string()))?;
        let setup = Setup::read(text).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { setup })
    }
}

/// The trusted setup of a ceremony, read from its text, uint8_t[length], 2 MiB at most; to be freed
/// with halimede_kzg_setup_free(). Verification needs one point of it, which is checked; the
/// others are checked to be digits.
///
/// Statuses: HALIMEDE_STATUS_MALFORMED, whose message says what is wrong; those of pointers and
/// lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_setup_new(
    text: *const u8,
    length: usize,
    setup: *mut *mut KzgSetup,
) -> Status {
    answer(|| {
        // SAFETY: a text of this length, as the header asks.
        let text = unsafe { bytes("text", text, length, &[]) }?;
        // SAFETY: the header asks for a place to write to.
        unsafe { hand_out("the place for the setup", setup, || KzgSetup::read(text)) }
    })
}

/// The same, read from the file with this path.
///
/// Statuses: HALIMEDE_STATUS_UNREADABLE for the file, those of halimede_kzg_setup_new().
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_setup_open(
    path: *const c_char,
    setup: *mut *mut KzgSetup,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for a path.
        let text = unsafe { file("path", path, SETUP_LIMIT_BYTES) }?;
        // SAFETY: the header asks for a place to write to.
        unsafe { hand_out("the place for the setup", setup, || KzgSetup::read(&text)) }
    })
}

/// Frees a setup. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_setup_free(setup: *mut KzgSetup) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free("setup", setup, |setup| drop(unsafe { Box::from_raw(setup) }));
}

/// Checks openings together, that the committed polynomials are y at z (`verify_kzg_proof`):
/// `verdicts`, uint8_t[count], gets a halimede_verdict for each row. The columns have `count`
/// entries: commitments and proofs of 48 bytes, zs and ys of 32, big-endian. A bad row does the
/// others no harm.
///
/// A verdict other than HALIMEDE_VERDICT_VALID and HALIMEDE_VERDICT_MISMATCH is for what cannot be
/// decoded, where the functions of the consensus specifications raise. All is public: the time
/// depends on it. A card has no BLS12-381.
///
/// Statuses: those of pointers and lengths, whose message says which row it is, those of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_verify(
    device: *const Device,
    setup: *const KzgSetup,
    commitments: *const Bytes,
    zs: *const Bytes,
    ys: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for an open device or NULL, and for a setup.
        let (device, setup) = unsafe { (resolve(device)?, self::setup(setup)?) };
        let columns = [("commitments", commitments), ("zs", zs), ("ys", ys), ("proofs", proofs)];
        let check = |[commitments, zs, ys, proofs]: [Vec<&[u8]>; 4]| {
            let opening = |row: usize| Opening::Value {
                commitment: commitments[row],
                z: zs[row],
                y: ys[row],
                proof: proofs[row],
            };
            kzg::verify(device, setup, &(0..count).map(opening).collect::<Vec<_>>())
        };
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// Checks together that commitments are those of blobs (`verify_blob_kzg_proof`): `verdicts`,
/// uint8_t[count], gets a halimede_verdict for each row. The columns have `count` entries: blobs of
/// 131,072 bytes, commitments and proofs of 48.
///
/// Verdicts and statuses: those of halimede_kzg_verify().
#[no_mangle]
pub unsafe extern "C" fn halimede_kzg_verify_blobs(
    device: *const Device,
    setup: *const KzgSetup,
    blobs: *const Bytes,
    commitments: *const Bytes,
    proofs: *const Bytes,
    count: usize,
    verdicts: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header asks for an open device or NULL, and for a setup.
        let (device, setup) = unsafe { (resolve(device)?, self::setup(setup)?) };
        let columns = [("blobs", blobs), ("commitments", commitments), ("proofs", proofs)];
        let check = |[blobs, commitments, proofs]: [Vec<&[u8]>; 3]| {
            let opening = |row: usize| Opening::Blob {
                blob: blobs[row],
                commitment: commitments[row],
                proof: proofs[row],
            };
            kzg::verify(device, setup, &(0..count).map(opening).collect::<Vec<_>>())
        };
        // SAFETY: columns and verdicts, as the header asks.
        unsafe { check_rows(columns, count, verdicts, check) }
    })
}

/// # Safety
/// What is not NULL is a setup, for as long as what is returned is used.
unsafe fn setup<'s>(setup: *const KzgSetup) -> Result<&'s Setup, Failure> {
    require("setup", setup)?;
    // SAFETY: not NULL and aligned; the rest is the caller's.
    Ok(unsafe { &(*setup).setup })
}
