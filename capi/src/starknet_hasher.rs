// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Starknet's hash of many elements as they come.

use halimede_device::flat::{self, Digit};
use halimede_poseidon::starknet::Hasher;

use crate::memory::{hand_out, require, Array};
use crate::status::{answer, free, Failure, Status};

/// What the caller's pointer to a handle is in messages.
const PLACE: &str = "the place for the hasher";

/// Starknet's hash_many of elements as they come, on the calling thread, in memory of a fixed
/// size.
///
/// Threads may share one that none of them updates or frees.
#[derive(Clone)]
pub struct StarknetHasher {
    inner: Hasher,
}

/// A hasher that has absorbed nothing; to be freed with halimede_starknet_hasher_free().
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_new(hasher: *mut *mut StarknetHasher) -> Status {
    // SAFETY: the header asks for a place to write to.
    answer(|| unsafe { hand_out(PLACE, hasher, || Ok(StarknetHasher { inner: Hasher::new() })) })
}

/// A second hasher that has absorbed the same: a common beginning is hashed once. Each is to be
/// freed with halimede_starknet_hasher_free().
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_clone(
    hasher: *const StarknetHasher,
    copy: *mut *mut StarknetHasher,
) -> Status {
    let cloned = || {
        require("hasher", hasher)?;
        // SAFETY: not NULL and aligned; the header asks for a hasher.
        Ok(unsafe { &*hasher }.clone())
    };
    // SAFETY: the header asks for a place to write to.
    answer(|| unsafe { hand_out(PLACE, copy, cloned) })
}

/// Absorbs elements in their order; one that is not below the modulus leaves the hasher as it
/// was.
///
/// `elements` is uint64_t[count][4]: canonical integers, least significant limb first. `count` may
/// be 0.
///
/// Statuses: HALIMEDE_STATUS_NOT_REDUCED, those of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_update(
    hasher: *mut StarknetHasher,
    elements: *const u64,
    count: usize,
) -> Status {
    // SAFETY: the header asks for the same.
    answer(|| unsafe { update(hasher, elements, count) })
}

/// halimede_starknet_hasher_update() in bytes: `elements` is uint8_t[count][32], least significant
/// first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_update_bytes(
    hasher: *mut StarknetHasher,
    elements: *const u8,
    count: usize,
) -> Status {
    // SAFETY: the header asks for the same.
    answer(|| unsafe { update(hasher, elements, count) })
}

/// # Safety
/// As the header asks.
unsafe fn update<D: Digit>(
    hasher: *mut StarknetHasher,
    elements: *const D,
    count: usize,
) -> Result<(), Failure> {
    require("hasher", hasher)?;
    let elements = Array::new("elements", elements, &[count, D::PER_ELEMENT])?;
    // SAFETY: a hasher that nobody else uses and elements, as the header asks.
    let (hasher, elements) = unsafe { (&mut *hasher, elements.into_slice()) };
    Ok(flat::starknet_update(&mut hasher.inner, elements)?)
}

/// The digest of all that was absorbed: uint64_t[4], least significant limb first. The hasher
/// stays as it is, so that more may follow.
///
/// Statuses: those of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_digest(
    hasher: *const StarknetHasher,
    digest: *mut u64,
) -> Status {
    // SAFETY: the header asks for the same.
    answer(|| unsafe { finalize(hasher, digest) })
}

/// halimede_starknet_hasher_digest() in bytes: uint8_t[32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_digest_bytes(
    hasher: *const StarknetHasher,
    digest: *mut u8,
) -> Status {
    // SAFETY: the header asks for the same.
    answer(|| unsafe { finalize(hasher, digest) })
}

/// # Safety
/// As the header asks.
unsafe fn finalize<D: Digit>(hasher: *const StarknetHasher, digest: *mut D) -> Result<(), Failure> {
    require("hasher", hasher)?;
    let digest = Array::new("digest", digest, &[D::PER_ELEMENT])?;
    // SAFETY: a hasher that nobody updates, and a place for a digest, as the header asks.
    let (hasher, digest) = unsafe { (&*hasher, digest.into_mut_slice()) };
    D::write(hasher.inner.finalize().canonical_limbs(), digest);
    Ok(())
}

/// Frees a hasher. NULL is free already.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_free(hasher: *mut StarknetHasher) {
    // SAFETY: made by this library and not freed before, as the header asks.
    free(hasher, |hasher| drop(unsafe { Box::from_raw(hasher) }));
}
