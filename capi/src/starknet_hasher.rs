// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Incremental hash_many of Starknet.

use halimede_device::flat::{self, Digit};
use halimede_poseidon::starknet::Hasher;

use crate::memory::{hand_out, require, Array};
use crate::status::{answer, free, Failure, Status};

/// The name of the caller's pointer to a handle in messages.
const PLACE: &str = "the place for the hasher";

/// An incremental hasher for Starknet's hash_many, which runs on the calling thread in constant
/// memory.
///
/// Threads may share a hasher, as long as none of them updates or frees it.
#[derive(Clone)]
pub struct StarknetHasher {
    inner: Hasher,
}

/// Creates a hasher. Free it with halimede_starknet_hasher_free().
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_new(hasher: *mut *mut StarknetHasher) -> Status {
    // SAFETY: the header requires a place to write to.
    answer(|| unsafe { hand_out(PLACE, hasher, || Ok(StarknetHasher { inner: Hasher::new() })) })
}

/// Creates a copy of a hasher with its state, e.g. to hash a common prefix only once. Free both
/// with halimede_starknet_hasher_free().
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_clone(
    hasher: *const StarknetHasher,
    copy: *mut *mut StarknetHasher,
) -> Status {
    let cloned = || {
        require("hasher", hasher)?;
        // SAFETY: not NULL and aligned; the header requires a hasher.
        Ok(unsafe { &*hasher }.clone())
    };
    // SAFETY: the header requires a place to write to.
    answer(|| unsafe { hand_out(PLACE, copy, cloned) })
}

/// Absorbs elements in order. If an element is not below the modulus, the hasher does not change.
///
/// `elements` is uint64_t[count][4]: canonical integers, least significant limb first. `count` may
/// be 0.
///
/// Statuses: HALIMEDE_STATUS_NOT_REDUCED; the statuses of pointers and lengths.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_update(
    hasher: *mut StarknetHasher,
    elements: *const u64,
    count: usize,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { update(hasher, elements, count) })
}

/// halimede_starknet_hasher_update() with bytes: `elements` is uint8_t[count][32], least
/// significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_update_bytes(
    hasher: *mut StarknetHasher,
    elements: *const u8,
    count: usize,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { update(hasher, elements, count) })
}

/// # Safety
/// As the header requires.
unsafe fn update<D: Digit>(
    hasher: *mut StarknetHasher,
    elements: *const D,
    count: usize,
) -> Result<(), Failure> {
    require("hasher", hasher)?;
    let elements = Array::new("elements", elements, &[count, D::PER_ELEMENT])?;
    // SAFETY: a hasher that nobody else uses and elements, as the header requires.
    let (hasher, elements) = unsafe { (&mut *hasher, elements.into_slice()) };
    Ok(flat::starknet_update(&mut hasher.inner, elements)?)
}

/// Writes the digest of the absorbed elements, uint64_t[4], least significant limb first. The
/// hasher does not change: it can absorb more elements afterwards.
///
/// Statuses: the statuses of pointers.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_digest(
    hasher: *const StarknetHasher,
    digest: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { finalize(hasher, digest) })
}

/// halimede_starknet_hasher_digest() with bytes: `digest` is uint8_t[32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_digest_bytes(
    hasher: *const StarknetHasher,
    digest: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { finalize(hasher, digest) })
}

/// # Safety
/// As the header requires.
unsafe fn finalize<D: Digit>(hasher: *const StarknetHasher, digest: *mut D) -> Result<(), Failure> {
    require("hasher", hasher)?;
    let digest = Array::new("digest", digest, &[D::PER_ELEMENT])?;
    // SAFETY: a hasher that nobody updates, and a place for a digest, as the header requires.
    let (hasher, digest) = unsafe { (&*hasher, digest.into_mut_slice()) };
    D::write(hasher.inner.finalize().canonical_limbs(), digest);
    Ok(())
}

/// Frees a hasher. Does nothing for NULL.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hasher_free(hasher: *mut StarknetHasher) {
    // SAFETY: made by this library and not freed before, as the header requires.
    free(hasher, |hasher| drop(unsafe { Box::from_raw(hasher) }));
}
