// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of one message and of batches of messages.

use std::ffi::c_char;

use halimede_arith::job::Bytes;
use halimede_blake3::{Digest, Flat, Mode, KEY_BYTES};
use halimede_device::flat::blake3;

use crate::device::{resolve, Device};
use crate::memory::{require, text, Array};
use crate::status::{answer, Failure, Status};

/// BLAKE3's modes.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blake3Kind {
    /// The plain hash.
    Hash = 0,
    /// A message authentication code under a key of 32 bytes.
    Keyed = 1,
    /// Key derivation: the message is the key material, and a context names the purpose of the key.
    DeriveKey = 2,
}

impl Blake3Kind {
    fn from_number(number: u32) -> Result<Self, Failure> {
        let all = [Self::Hash, Self::Keyed, Self::DeriveKey];
        all.into_iter().find(|kind| *kind as u32 == number).ok_or_else(|| {
            let message = format!("mode: kind is {number}, expected 0 to {}", all.len() - 1);
            Failure::new(Status::InvalidArgument, message)
        })
    }
}

/// A mode of BLAKE3. All zeros are the plain hash, as is a NULL pointer to a mode.
///
/// The library keeps a copy of the key only in a hasher, and wipes all its copies.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Blake3Mode {
    /// A halimede_blake3_kind.
    pub kind: u32,
    /// uint8_t[32] if the kind is HALIMEDE_BLAKE3_KIND_KEYED, otherwise NULL.
    pub key: *const u8,
    /// A zero-terminated UTF-8 text if the kind is HALIMEDE_BLAKE3_KIND_DERIVE_KEY, otherwise NULL.
    /// It should be hard-coded, globally unique, and name the purpose of the key.
    pub context: *const c_char,
}

/// Returns the mode behind a pointer; NULL means the plain hash.
///
/// # Safety
/// The pointer is NULL, or points to a mode whose members are as the header requires.
pub(crate) unsafe fn mode(mode: *const Blake3Mode) -> Result<Mode, Failure> {
    if mode.is_null() {
        return Ok(Mode::Hash);
    }
    require("mode", mode)?;
    // SAFETY: not NULL and aligned; the header requires a mode there.
    let Blake3Mode { kind, key, context } = unsafe { mode.read() };
    let kind = Blake3Kind::from_number(kind)?;
    if kind != Blake3Kind::Keyed && !key.is_null() {
        return Err(unwanted("key", kind));
    }
    if kind != Blake3Kind::DeriveKey && !context.is_null() {
        return Err(unwanted("context", kind));
    }
    Ok(match kind {
        Blake3Kind::Hash => Mode::Hash,
        Blake3Kind::Keyed => {
            let key = Array::new("mode: key", key.cast::<[u8; KEY_BYTES]>(), &[1])?;
            // SAFETY: not NULL; the header requires that number of bytes.
            Mode::Keyed(unsafe { key.into_slice() }[0])
        }
        // SAFETY: the header requires a text.
        Blake3Kind::DeriveKey => Mode::derive_key(unsafe { text("mode: context", context) }?),
    })
}

/// Returns the error of a member that the kind does not use, which is probably a mistake.
fn unwanted(member: &str, kind: Blake3Kind) -> Failure {
    let message = format!("mode: {member} is not NULL, but the kind is {}", kind as u32);
    Failure::new(Status::InvalidArgument, message)
}

/// Computes BLAKE3 of one message. Writes the extended output from byte `seek` on to `output`; with
/// `seek` 0 and `output_length` 32, this is the digest.
///
/// `message` is uint8_t[length], `output` is uint8_t[output_length]; they must not overlap. A long
/// message is hashed by all cores.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode, or if `seek` +
/// `output_length` exceeds 2^64 - 1; the statuses of pointers and lengths; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hash(
    device: *const Device,
    mode: *const Blake3Mode,
    message: *const u8,
    length: usize,
    seek: u64,
    output: *mut u8,
    output_length: usize,
) -> Status {
    answer(|| {
        // SAFETY: the header requires a mode or NULL.
        let mode = unsafe { self::mode(mode) }?;
        let message = Array::new("message", message, &[length])?;
        let output = Array::new("output", output, &[output_length])?;
        message.require_apart(&output)?;
        // SAFETY: an open device or NULL, and arrays of these lengths, as the header requires;
        // apart.
        let (device, message, output) =
            unsafe { (resolve(device)?, message.into_slice(), output.into_mut_slice()) };
        Ok(blake3::hash(device, &mode, message, seek, output)?)
    })
}

/// Computes the BLAKE3 digests of messages of any lengths in one array.
///
/// `data` is uint8_t[data_length] and `offsets` is uint64_t[count + 1], as in Arrow: message i is
/// the bytes offsets[i] to offsets[i + 1] - 1. Offsets must not decrease, nor exceed `data_length`.
/// `digests` is uint8_t[count][32], and must not overlap with the inputs. `count` may be 0.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for the offsets; HALIMEDE_STATUS_INVALID_ARGUMENT for a
/// member of the mode; the statuses of pointers and lengths; the statuses of devices.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hash_many(
    device: *const Device,
    mode: *const Blake3Mode,
    data: *const u8,
    data_length: usize,
    offsets: *const u64,
    count: usize,
    digests: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header requires a mode or NULL.
        let mode = unsafe { self::mode(mode) }?;
        let data = Array::new("data", data, &[data_length])?;
        // A count of usize::MAX is refused like usize::MAX offsets.
        let offsets = Array::new("offsets", offsets, &[count.saturating_add(1)])?;
        let digests = digest_array(digests, count)?;
        data.require_apart(&digests)?;
        offsets.require_apart(&digests)?;
        // SAFETY: data and offsets of these lengths, as the header requires.
        let messages = unsafe { Flat::new(data.into_slice(), offsets.into_slice()) }?;
        // SAFETY: an open device or NULL, and digests, as the header requires; apart from the rest.
        unsafe { hash_many(device, &mode, messages.into(), digests) }
    })
}

/// halimede_blake3_hash_many() with one pointer per message: message i is uint8_t[lengths[i]] at
/// messages[i], which may be NULL if its length is 0.
///
/// `messages` and `lengths` have `count` entries; `digests` is uint8_t[count][32], and must not
/// overlap with the inputs.
///
/// Statuses: the statuses of halimede_blake3_hash_many(); the error names the number of the
/// message.
#[no_mangle]
pub unsafe extern "C" fn halimede_blake3_hash_many_pointers(
    device: *const Device,
    mode: *const Blake3Mode,
    messages: *const *const u8,
    lengths: *const usize,
    count: usize,
    digests: *mut u8,
) -> Status {
    answer(|| {
        // SAFETY: the header requires a mode or NULL.
        let mode = unsafe { self::mode(mode) }?;
        let pointers = Array::new("messages", messages, &[count])?;
        let lengths = Array::new("lengths", lengths, &[count])?;
        let digests = digest_array(digests, count)?;
        pointers.require_apart(&digests)?;
        lengths.require_apart(&digests)?;
        // SAFETY: pointers and lengths, as many as the header requires.
        let (pointers, lengths) = unsafe { (pointers.into_slice(), lengths.into_slice()) };
        let message = |(number, (pointer, length)): (usize, (&*const u8, &usize))| {
            let named = |error: Failure| Failure {
                message: format!("number {number} of the messages: {}", error.message),
                ..error
            };
            let message = Array::new("message", *pointer, &[*length]).map_err(named)?;
            message.require_apart(&digests).map_err(named)?;
            // SAFETY: the number of bytes that the header requires.
            Ok(unsafe { message.into_slice() })
        };
        let messages = pointers.iter().zip(lengths).enumerate().map(message);
        let messages = messages.collect::<Result<Vec<&[u8]>, Failure>>()?;
        // SAFETY: an open device or NULL, and digests, as the header requires; apart from the rest.
        unsafe { hash_many(device, &mode, (&messages[..]).into(), digests) }
    })
}

/// Checks the array for `count` digests.
fn digest_array(digests: *mut u8, count: usize) -> Result<Array<Digest>, Failure> {
    Array::new("digests", digests.cast::<Digest>(), &[count])
}

/// # Safety
/// `device` is NULL or an open device; the array of digests is valid, and does not overlap with the
/// messages.
unsafe fn hash_many(
    device: *const Device,
    mode: &Mode,
    messages: Bytes<'_>,
    digests: Array<Digest>,
) -> Result<(), Failure> {
    // SAFETY: by this function's contract.
    let (device, digests) = unsafe { (resolve(device)?, digests.into_mut_slice()) };
    Ok(blake3::hash_many(device, mode, messages, digests)?)
}
