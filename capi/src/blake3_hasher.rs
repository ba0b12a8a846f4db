// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Incremental BLAKE3.

use halimede_device::flat::blake3::Hasher;

use crate::blake3::{mode, Blake3Mode};
use crate::memory::{hand_out, require, Array};
use crate::status::{answer, free, Status};

/// The name of the caller's pointer to a handle in messages.
const PLACE: &str = "the place for the hasher";

/// An incremental BLAKE3 hasher, which runs on this processor in constant memory. A hasher with a
/// key or a context wipes its memory when it is freed.
///
/// Threads may share a hasher, as long as none of them updates, resets or frees it.
#[derive(Clone)]
pub struct Blake3Hasher {
    inner: Hasher,
}

/// Creates a hasher. Free it with halimede_blake3_hasher_free().
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode; the statuses of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_new(
    mode: *const Blake3Mode,
    hasher: *mut *mut Blake3Hasher,
) -> Status {
    // SAFETY: the header requires a mode or NULL.
    let make = || Ok(Blake3Hasher { inner: Hasher::new(&unsafe { self::mode(mode) }?) });
    // SAFETY: the header requires a place to write to.
    answer(|| unsafe { hand_out(PLACE, hasher, make) })
}

/// Creates a copy of a hasher with its state, e.g. to hash a common prefix only once. Free both
/// with halimede_blake3_hasher_free().
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_clone(
    hasher: *const Blake3Hasher,
    copy: *mut *mut Blake3Hasher,
) -> Status {
    let cloned = || {
        require("hasher", hasher)?;
        // SAFETY: not NULL and aligned; the header requires a hasher.
        Ok(unsafe { &*hasher }.clone())
    };
    // SAFETY: the header requires a place to write to.
    answer(|| unsafe { hand_out(PLACE, copy, cloned) })
}

/// Absorbs the next `length` bytes of the message; `length` may be 0. A large number of bytes is
/// hashed by all cores.
///
/// Statuses: the statuses of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_update(
    hasher: *mut Blake3Hasher,
    bytes: *const u8,
    length: usize,
) -> Status {
    answer(|| {
        require("hasher", hasher)?;
        let bytes = Array::new("bytes", bytes, &[length])?;
        // SAFETY: a hasher that nobody else uses and bytes, as the header requires.
        let (hasher, bytes) = unsafe { (&mut *hasher, bytes.into_slice()) };
        hasher.inner.update(bytes);
        Ok(())
    })
}

/// Writes the extended output of the absorbed bytes from byte `seek` on to `output`,
/// uint8_t[length]; with `seek` 0 and `length` 32, this is the digest. The hasher does not change:
/// it can absorb more bytes afterwards.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT if `seek` + `length` exceeds 2^64 - 1; the statuses
/// of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_digest(
    hasher: *const Blake3Hasher,
    seek: u64,
    output: *mut u8,
    length: usize,
) -> Status {
    answer(|| {
        require("hasher", hasher)?;
        let output = Array::new("output", output, &[length])?;
        // SAFETY: a hasher that nobody updates, and a place for the output, as the header requires.
        let (hasher, output) = unsafe { (&*hasher, output.into_mut_slice()) };
        Ok(hasher.inner.finalize(seek, output)?)
    })
}

/// Resets a hasher to its initial state, with the same mode and key.
///
/// Statuses: the statuses of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_reset(hasher: *mut Blake3Hasher) -> Status {
    answer(|| {
        require("hasher", hasher)?;
        // SAFETY: a hasher that nobody else uses, as the header requires.
        unsafe { &mut *hasher }.inner.reset();
        Ok(())
    })
}

/// Frees a hasher. Does nothing for NULL.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_free(hasher: *mut Blake3Hasher) {
    // SAFETY: made by this library and not freed before, as the header requires.
    free(hasher, |hasher| drop(unsafe { Box::from_raw(hasher) }));
}
