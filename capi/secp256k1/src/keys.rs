// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Public keys, and those of BIP 340. Both are kept as x and y, big-endian; zeros are an invalid
//! key, since no point of the curve has x = 0.

use std::ffi::{c_int, c_uint};

use engine::constants::FIELD_ORDER;
use engine::{parse_key, COMPRESSED_BYTES, UNCOMPRESSED_BYTES};

use crate::answer::{answer, array, place, require, value, Illegal};
use crate::context::Context;
use crate::numbers::{difference, join, split, Number};

/// `secp256k1_pubkey`: x and y.
pub type Key = [u8; 64];
/// `secp256k1_xonly_pubkey`: x, and the even y.
pub type XOnlyKey = [u8; 64];

/// Not a key.
pub const INVALID: Key = [0; 64];
/// The bits of a flag that say its type.
const TYPE_MASK: c_uint = 0xff;
/// The type of the flags of serialization.
const TYPE_COMPRESSION: c_uint = 2;
/// The bit of a compressed key.
const IS_COMPRESSED: c_uint = 0x100;

/// Reads a key from its memory.
///
/// # Safety
/// As the header requires.
pub unsafe fn load(key: *const Key) -> Result<Key, Illegal> {
    // SAFETY: by this function's contract.
    valid(unsafe { value(key, c"pubkey != NULL") }?)
}

/// Checks that a key was parsed.
pub fn valid(key: Key) -> Result<Key, Illegal> {
    require(key[..32] != [0; 32], c"pubkey is a valid key")?;
    Ok(key)
}

/// Returns the uncompressed form.
pub fn uncompressed(key: &Key) -> [u8; UNCOMPRESSED_BYTES] {
    let mut bytes = [4; UNCOMPRESSED_BYTES];
    bytes[1..].copy_from_slice(key);
    bytes
}

fn compressed(key: &Key) -> [u8; COMPRESSED_BYTES] {
    let mut bytes = [2 | key[63] & 1; COMPRESSED_BYTES];
    bytes[1..].copy_from_slice(&key[..32]);
    bytes
}

/// Parses a key of any form.
fn parse(bytes: &[u8]) -> Option<Key> {
    let mut key = INVALID;
    key.copy_from_slice(&parse_key(bytes).ok()?.serialize_uncompressed()[1..]);
    Some(key)
}

/// `secp256k1_ec_pubkey_parse`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ec_pubkey_parse(
    context: *const Context,
    out: *mut Key,
    input: *const u8,
    length: usize,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"pubkey != NULL") }?;
        out.write(INVALID);
        // SAFETY: by the contract of the header.
        let parsed = parse(unsafe { array(input, length, c"input != NULL") }?);
        out.write(parsed.unwrap_or(INVALID));
        Ok(parsed.is_some().into())
    })
}

/// `secp256k1_ec_pubkey_serialize`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ec_pubkey_serialize(
    context: *const Context,
    output: *mut u8,
    length: *mut usize,
    key: *const Key,
    flags: c_uint,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let space = unsafe { value(length, c"outputlen != NULL") }?;
        let is_compressed = flags & IS_COMPRESSED != 0;
        let needed = if is_compressed { COMPRESSED_BYTES } else { UNCOMPRESSED_BYTES };
        require(space >= needed, c"*outputlen >= ((flags & SECP256K1_EC_COMPRESSED) ? 33 : 65)")?;
        // SAFETY: by the contract of the header.
        let length = unsafe { place(length, c"outputlen != NULL") }?;
        length.write(0);
        require(!output.is_null(), c"output != NULL")?;
        // SAFETY: by the contract of the header.
        let key = unsafe { load(key) }?;
        require(flags & TYPE_MASK == TYPE_COMPRESSION, c"flags are those of a serialization")?;
        // SAFETY: the caller's array has at least `needed` bytes.
        unsafe {
            match is_compressed {
                true => output.cast::<[u8; COMPRESSED_BYTES]>().write(compressed(&key)),
                false => output.cast::<[u8; UNCOMPRESSED_BYTES]>().write(uncompressed(&key)),
            }
        }
        length.write(needed);
        Ok(1)
    })
}

/// `secp256k1_ec_pubkey_cmp`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ec_pubkey_cmp(
    context: *const Context,
    first: *const Key,
    second: *const Key,
) -> c_int {
    // SAFETY: by the contract of the header.
    let [first, second] = [first, second].map(|key| unsafe { ordered(context, key, compressed) });
    first.cmp(&second) as c_int
}

/// Returns the bytes by which keys are ordered: an invalid key, which calls the callback, is below
/// every valid one.
///
/// # Safety
/// As the header requires.
unsafe fn ordered<const N: usize>(
    context: *const Context,
    key: *const Key,
    form: impl FnOnce(&Key) -> [u8; N],
) -> [u8; N] {
    let mut bytes = [0; N];
    answer(context, |_| {
        // SAFETY: by this function's contract.
        bytes = form(&unsafe { load(key) }?);
        Ok(1)
    });
    bytes
}

/// `secp256k1_xonly_pubkey_parse`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_xonly_pubkey_parse(
    context: *const Context,
    out: *mut XOnlyKey,
    input: *const Number,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"pubkey != NULL") }?;
        out.write(INVALID);
        let mut bytes = [2; COMPRESSED_BYTES];
        // SAFETY: by the contract of the header.
        bytes[1..].copy_from_slice(&unsafe { value(input, c"input32 != NULL") }?);
        let parsed = parse(&bytes);
        out.write(parsed.unwrap_or(INVALID));
        Ok(parsed.is_some().into())
    })
}

/// `secp256k1_xonly_pubkey_serialize`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_xonly_pubkey_serialize(
    context: *const Context,
    output: *mut Number,
    key: *const XOnlyKey,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let (output, key) = unsafe { (place(output, c"output32 != NULL")?, load(key)?) };
        output.write(split(&key)[0]);
        Ok(1)
    })
}

/// `secp256k1_xonly_pubkey_cmp`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_xonly_pubkey_cmp(
    context: *const Context,
    first: *const XOnlyKey,
    second: *const XOnlyKey,
) -> c_int {
    let x = |key: &Key| split(key)[0];
    // SAFETY: by the contract of the header.
    let [first, second] = [first, second].map(|key| unsafe { ordered(context, key, x) });
    first.cmp(&second) as c_int
}

/// `secp256k1_xonly_pubkey_from_pubkey`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_xonly_pubkey_from_pubkey(
    context: *const Context,
    out: *mut XOnlyKey,
    parity: *mut c_int,
    key: *const Key,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let (out, key) = unsafe { (place(out, c"xonly_pubkey != NULL")?, load(key)?) };
        let [x, y] = split(&key);
        let is_odd = y[31] & 1 == 1;
        out.write(if is_odd { join(&x, &difference(&FIELD_ORDER, &y)) } else { key });
        if !parity.is_null() {
            // SAFETY: by the contract of the header.
            unsafe { parity.write(is_odd.into()) };
        }
        Ok(1)
    })
}
