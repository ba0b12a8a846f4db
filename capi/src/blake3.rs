// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of one message and of many.

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
    /// Derives a key from key material, the message, for the purpose that a context names.
    DeriveKey = 2,
}

impl Blake3Kind {
    fn from_number(number: u32) -> Result<Self, Failure> {
        let all = [Self::Hash, Self::Keyed, Self::DeriveKey];
        all.into_iter().find(|kind| *kind as u32 == number).ok_or_else(|| {
            let message = format!("mode: kind is {number}, there are 0 to {}", all.len() - 1);
            Failure::new(Status::InvalidArgument, message)
        })
    }
}

/// What BLAKE3 computes; all zero is the plain hash, as is NULL wherever one is taken.
///
/// The library keeps no copy of the key beyond the call, but in a hasher, and wipes its own.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Blake3Mode {
    /// A halimede_blake3_kind.
    pub kind: u32,
    /// uint8_t[32] where the kind is HALIMEDE_BLAKE3_KIND_KEYED; else NULL.
    pub key: *const u8,
    /// A text, UTF-8, that ends with a zero, where the kind is HALIMEDE_BLAKE3_KIND_DERIVE_KEY;
    /// else NULL. It should be written in the program, unique in the world and say what the key is
    /// for.
    pub context: *const c_char,
}

/// The mode behind a pointer; NULL is the plain hash.
///
/// # Safety
/// What is not NULL is a mode whose members are as the header asks.
pub(crate) unsafe fn mode(mode: *const Blake3Mode) -> Result<Mode, Failure> {
    if mode.is_null() {
        return Ok(Mode::Hash);
    }
    require("mode", mode)?;
    // SAFETY: not NULL and aligned; the header asks for a mode there.
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
            // SAFETY: not NULL; the header asks for that number of bytes.
            Mode::Keyed(unsafe { key.into_slice() }[0])
        }
        // SAFETY: the header asks for a text.
        Blake3Kind::DeriveKey => Mode::derive_key(unsafe { text("mode: context", context) }?),
    })
}

/// A member that the kind has no use for: something was forgotten.
fn unwanted(member: &str, kind: Blake3Kind) -> Failure {
    let message = format!("mode: {member} is not NULL, but the kind is {}", kind as u32);
    Failure::new(Status::InvalidArgument, message)
}

/// BLAKE3 of one message: `output` is its extended output from byte `seek` on, whose first 32
/// bytes (`seek` 0, `output_length` 32) are the digest.
///
/// `message` is uint8_t[length], `output` uint8_t[output_length], elsewhere. A long message is
/// spread over the cores.
///
/// Statuses: HALIMEDE_STATUS_INVALID_ARGUMENT for a member of the mode, or where `seek` and
/// `output_length` together exceed 2^64 - 1; those of pointers and lengths, those of devices.
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
        // SAFETY: the header asks for a mode or NULL.
        let mode = unsafe { self::mode(mode) }?;
        let message = Array::new("message", message, &[length])?;
        let output = Array::new("output", output, &[output_length])?;
        message.require_apart(&output)?;
        // SAFETY: an open device or NULL, and arrays of these lengths, as the header asks; apart.
        let (device, message, output) =
            unsafe { (resolve(device)?, message.into_slice(), output.into_mut_slice()) };
        Ok(blake3::hash(device, &mode, message, seek, output)?)
    })
}

/// BLAKE3's digests of messages of any lengths, which lie in one array.
///
/// `data` is uint8_t[data_length] and `offsets` uint64_t[count + 1], as Arrow has them: message i
/// is the bytes from offsets[i] to before offsets[i + 1]. None is below the one before it or above
/// `data_length`. `digests` is uint8_t[count][32], elsewhere. `count` may be 0.
///
/// Statuses: HALIMEDE_STATUS_WRONG_LENGTH for the offsets, HALIMEDE_STATUS_INVALID_ARGUMENT for a
/// member of the mode, those of pointers and lengths, those of devices.
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
        // SAFETY: the header asks for a mode or NULL.
        let mode = unsafe { self::mode(mode) }?;
        let data = Array::new("data", data, &[data_length])?;
        // One more than usize::MAX is refused as that many are.
        let offsets = Array::new("offsets", offsets, &[count.saturating_add(1)])?;
        let digests = digest_array(digests, count)?;
        data.require_apart(&digests)?;
        offsets.require_apart(&digests)?;
        // SAFETY: data and offsets of these lengths, as the header asks.
        let messages = unsafe { Flat::new(data.into_slice(), offsets.into_slice()) }?;
        // SAFETY: an open device or NULL, and digests, as the header asks; apart from the rest.
        unsafe { hash_many(device, &mode, messages.into(), digests) }
    })
}

/// halimede_blake3_hash_many() of messages that lie anywhere: message i is
/// uint8_t[lengths[i]] at messages[i], and may be NULL where it has no bytes.
///
/// `messages` and `lengths` have `count` entries; `digests` is uint8_t[count][32], elsewhere.
///
/// Statuses: those of halimede_blake3_hash_many(); the message says which message it is.
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
        // SAFETY: the header asks for a mode or NULL.
        let mode = unsafe { self::mode(mode) }?;
        let pointers = Array::new("messages", messages, &[count])?;
        let lengths = Array::new("lengths", lengths, &[count])?;
        let digests = digest_array(digests, count)?;
        pointers.require_apart(&digests)?;
        lengths.require_apart(&digests)?;
        // SAFETY: pointers and lengths, as many as the header asks for.
        let (pointers, lengths) = unsafe { (pointers.into_slice(), lengths.into_slice()) };
        let message = |(number, (pointer, length)): (usize, (&*const u8, &usize))| {
            let named = |error: Failure| Failure {
                message: format!("number {number} of the messages: {}", error.message),
                ..error
            };
            let message = Array::new("message", *pointer, &[*length]).map_err(named)?;
            message.require_apart(&digests).map_err(named)?;
            // SAFETY: as many bytes as the header asks for.
            Ok(unsafe { message.into_slice() })
        };
        let messages = pointers.iter().zip(lengths).enumerate().map(message);
        let messages = messages.collect::<Result<Vec<&[u8]>, Failure>>()?;
        // SAFETY: an open device or NULL, and digests, as the header asks; apart from the rest.
        unsafe { hash_many(device, &mode, (&messages[..]).into(), digests) }
    })
}

/// The array for `count` digests.
fn digest_array(digests: *mut u8, count: usize) -> Result<Array<Digest>, Failure> {
    Array::new("digests", digests.cast::<Digest>(), &[count])
}

/// # Safety
/// `device` is NULL or an open device; the digests are there for as long as this takes, apart from
/// the messages.
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
