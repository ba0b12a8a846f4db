// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of bytes as they come.

use halimede_device::flat::blake3::Hasher;

use crate::blake3::{mode, Blake3Mode};
use crate::memory::{hand_out, require, Array};
use crate::status::{answer, free, Status};

/// What the caller's pointer to a handle is in messages.
const PLACE: &str = "the place for the hasher";

/// BLAKE3 of bytes as they come, on this processor, in memory of a fixed size. Where it has a key
/// or a context, its memory is wiped when it is freed.
///
/// Threads may share one that none of them updates, resets or frees.
#[derive(Clone)]
pub struct Blake3Hasher {
    inner: Hasher,
}

/// A hasher that has absorbed nothing; to be freed with halimede_blake3_hasher_free().
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode, those of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_new(
    mode: *const Blake3Mode,
    hasher: *mut *mut Blake3Hasher,
) -> Status {
    // SAFETY: the header asks for a mode or NULL.
    let make = || Ok(Blake3Hasher { inner: Hasher::new(&unsafe { self::mode(mode) }?) });
    // SAFETY: the header asks for a place to write to.
    answer(|| unsafe { hand_out(PLACE, hasher, make) })
}

/// A second hasher that has absorbed the same: a common beginning is hashed once. Each is to be
/// freed with halimede_blake3_hasher_free().
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_clone(
    hasher: *const Blake3Hasher,
    copy: *mut *mut Blake3Hasher,
) -> Status {
    let cloned = || {
        require("hasher", hasher)?;
        // SAFETY: not NULL and aligned; the header asks for a hasher.
        Ok(unsafe { &*hasher }.clone())
    };
    // SAFETY: the header asks for a place to write to.
    answer(|| unsafe { hand_out(PLACE, copy, cloned) })
}

/// Absorbs the next `length` bytes of the message, which may be 0. Many at once are spread over the
/// cores.
///
/// Statuses: those of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_update(
    hasher: *mut Blake3Hasher,
    bytes: *const u8,
    length: usize,
) -> Status {
    answer(|| {
        require("hasher", hasher)?;
        let bytes = Array::new("bytes", bytes, &[length])?;
        // SAFETY: a hasher that nobody else uses and bytes, as the header asks.
        let (hasher, bytes) = unsafe { (&mut *hasher, bytes.into_slice()) };
        hasher.inner.update(bytes);
        Ok(())
    })
}

/// The extended output of all that was absorbed: uint8_t[length] from byte `seek` on, whose first
/// 32 bytes (`seek` 0, `length` 32) are the digest. The hasher stays as it is, so that more may
/// follow.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT where `seek` and `length` together exceed 2^64 - 1,
/// those of pointers and lengths.
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
        // SAFETY: a hasher that nobody updates, and a place for the output, as the header asks.
        let (hasher, output) = unsafe { (&*hasher, output.into_mut_slice()) };
        Ok(hasher.inner.finalize(seek, output)?)
    })
}

/// Forgets all that the hasher has absorbed; its mode and its key stay.
///
/// Statuses: those of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_reset(hasher: *mut Blake3Hasher) -> Status {
    answer(|| {
        require("hasher", hasher)?;
        // SAFETY: a hasher that nobody else uses, as the header asks.
        unsafe { &mut *hasher }.inner.reset();
        Ok(())
    })
}

/// Frees a hasher. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hasher_free(hasher: *mut Blake3Hasher) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free(hasher, |hasher| drop(unsafe { Box::from_raw(hasher) }));
}
