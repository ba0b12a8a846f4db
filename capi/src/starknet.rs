// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Starknet's Poseidon hashes.

use halimede_device::flat::{self, Digit, Messages};

use crate::device::{resolve, Device};
use crate::memory::Array;
use crate::status::{answer, Failure, Status};

/// Computes Starknet's hash(x, y) of each pair.
///
/// `pairs` is uint64_t[count][2][4]: canonical integers below the modulus, least significant limb
/// first; `digests` is uint64_t[count][4], and must not overlap with the inputs. `count` may be 0.
///
/// Statuses: HALIMEDE_STATUS_NOT_REDUCED; the statuses of pointers and lengths; the statuses of
/// devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash(
    device: *const Device,
    pairs: *const u64,
    count: usize,
    digests: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash(device, pairs, count, digests) })
}

/// halimede_starknet_hash() with bytes: `pairs` is uint8_t[count][2][32], `digests` is
/// uint8_t[count][32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_bytes(
    device: *const Device,
    pairs: *const u8,
    count: usize,
    digests: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash(device, pairs, count, digests) })
}

/// # Safety
/// As the header requires.
unsafe fn hash<D: Digit>(
    device: *const Device,
    pairs: *const D,
    count: usize,
    digests: *mut D,
) -> Result<(), Failure> {
    let pairs = Array::new("pairs", pairs, &[count, 2, D::PER_ELEMENT])?;
    // SAFETY: a device, pairs and digests as the header requires.
    unsafe {
        into_digests(device, pairs, count, digests, |device, pairs, digests| {
            flat::starknet_hash(device, pairs, digests)
        })
    }
}

/// Computes Starknet's hash_single(x) of each element.
///
/// `elements` is uint64_t[count][4]: canonical integers below the modulus, least significant limb
/// first; `digests` is uint64_t[count][4], and must not overlap with the inputs. `count` may be 0.
///
/// Statuses: the statuses of halimede_starknet_hash().
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_single(
    device: *const Device,
    elements: *const u64,
    count: usize,
    digests: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash_single(device, elements, count, digests) })
}

/// halimede_starknet_hash_single() with bytes: `elements` and `digests` are uint8_t[count][32],
/// least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_single_bytes(
    device: *const Device,
    elements: *const u8,
    count: usize,
    digests: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash_single(device, elements, count, digests) })
}

/// # Safety
/// As the header requires.
unsafe fn hash_single<D: Digit>(
    device: *const Device,
    elements: *const D,
    count: usize,
    digests: *mut D,
) -> Result<(), Failure> {
    let elements = Array::new("elements", elements, &[count, D::PER_ELEMENT])?;
    // SAFETY: a device, elements and digests as the header requires.
    unsafe {
        into_digests(device, elements, count, digests, |device, elements, digests| {
            flat::starknet_hash_single(device, elements, digests)
        })
    }
}

/// Computes Starknet's hash_many(x...) of messages of equal length.
///
/// `elements` is uint64_t[count][length][4]: canonical integers below the modulus, least
/// significant limb first; `digests` is uint64_t[count][4], and must not overlap with the inputs.
/// `count` and `length` may be 0.
///
/// Statuses: the statuses of halimede_starknet_hash().
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_many(
    device: *const Device,
    elements: *const u64,
    count: usize,
    length: usize,
    digests: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash_many(device, elements, count, length, digests) })
}

/// halimede_starknet_hash_many() with bytes: `elements` is uint8_t[count][length][32], `digests` is
/// uint8_t[count][32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_many_bytes(
    device: *const Device,
    elements: *const u8,
    count: usize,
    length: usize,
    digests: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash_many(device, elements, count, length, digests) })
}

/// # Safety
/// As the header requires.
unsafe fn hash_many<D: Digit>(
    device: *const Device,
    elements: *const D,
    count: usize,
    length: usize,
    digests: *mut D,
) -> Result<(), Failure> {
    let elements = Array::new("elements", elements, &[count, length, D::PER_ELEMENT])?;
    // SAFETY: a device, elements and digests as the header requires.
    unsafe {
        into_digests(device, elements, count, digests, |device, elements, digests| {
            flat::starknet_hash_many(device, Messages::Equal(length), elements, digests)
        })
    }
}

/// Computes Starknet's hash_many(x...) of messages of any lengths in one array.
///
/// `elements` is uint64_t[element_count][4]: canonical integers below the modulus, least
/// significant limb first. `offsets` is uint64_t[count + 1]: message i is the elements offsets[i]
/// to offsets[i + 1] - 1; the first offset is 0, the last is `element_count`. `digests` is
/// uint64_t[count][4], and must not overlap with the inputs.
///
/// Statuses: the statuses of halimede_starknet_hash(); HALIMEDE_STATUS_WRONG_LENGTH for the
/// offsets.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_many_offsets(
    device: *const Device,
    elements: *const u64,
    element_count: usize,
    offsets: *const u64,
    count: usize,
    digests: *mut u64,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash_offsets(device, elements, element_count, offsets, count, digests) })
}

/// halimede_starknet_hash_many_offsets() with bytes: `elements` is uint8_t[element_count][32],
/// `digests` is uint8_t[count][32], least significant first.
#[no_mangle]
pub unsafe extern "C" fn halimede_starknet_hash_many_offsets_bytes(
    device: *const Device,
    elements: *const u8,
    element_count: usize,
    offsets: *const u64,
    count: usize,
    digests: *mut u8,
) -> Status {
    // SAFETY: the header requires the same.
    answer(|| unsafe { hash_offsets(device, elements, element_count, offsets, count, digests) })
}

/// # Safety
/// As the header requires.
unsafe fn hash_offsets<D: Digit>(
    device: *const Device,
    elements: *const D,
    element_count: usize,
    offsets: *const u64,
    count: usize,
    digests: *mut D,
) -> Result<(), Failure> {
    let elements = Array::new("elements", elements, &[element_count, D::PER_ELEMENT])?;
    // A count of usize::MAX is refused like usize::MAX offsets.
    let offsets = Array::new("offsets", offsets, &[count.saturating_add(1)])?;
    offsets.require_apart(&Array::new("digests", digests, &[count, D::PER_ELEMENT])?)?;
    // SAFETY: a device, elements, offsets and digests as the header requires.
    unsafe {
        let offsets = offsets.into_slice();
        into_digests(device, elements, count, digests, |device, elements, digests| {
            flat::starknet_hash_many(device, Messages::Offsets(offsets), elements, digests)
        })
    }
}

/// Hashes an array into `count` digests, which must not overlap with it.
///
/// # Safety
/// `device` is NULL or an open device; the arrays are valid during the call.
unsafe fn into_digests<D: Digit>(
    device: *const Device,
    elements: Array<D>,
    count: usize,
    digests: *mut D,
    hash: impl FnOnce(&halimede_device::Device, &[D], &mut [D]) -> Result<(), flat::FlatError>,
) -> Result<(), Failure> {
    let digests = Array::new("digests", digests, &[count, D::PER_ELEMENT])?;
    elements.require_apart(&digests)?;
    // SAFETY: an open device or NULL, and arrays of these lengths, by this function's contract;
    // they do not overlap, as checked above.
    let (device, elements, digests) =
        unsafe { (resolve(device)?, elements.into_slice(), digests.into_mut_slice()) };
    Ok(hash(device, elements, digests)?)
}
