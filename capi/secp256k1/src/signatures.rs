// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA signatures: r and s, below n, big-endian. A zero is allowed, and is never valid.

use std::ffi::c_int;

use engine::check;
use engine::constants::{GROUP_ORDER, HIGHEST_LOW_S};
use engine::operations::VerifyRequest;
use sha2::{Digest, Sha256};

use crate::answer::{answer, array, place, require, value};
use crate::context::Context;
use crate::der;
use crate::keys::{load, Key};
use crate::numbers::{difference, join, split, Number};

/// `secp256k1_ecdsa_signature`: r and s.
pub type Signature = [u8; 64];

/// Returns a signature whose numbers are below n.
pub fn parse(compact: &[u8; 64]) -> Option<Signature> {
    split(compact).iter().all(|number| *number < GROUP_ORDER).then_some(*compact)
}

/// `secp256k1_ecdsa_signature_parse_compact`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_signature_parse_compact(
    context: *const Context,
    out: *mut Signature,
    input: *const [u8; 64],
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"sig != NULL") }?;
        // SAFETY: by the contract of the header.
        let parsed = parse(&unsafe { value(input, c"input64 != NULL") }?);
        out.write(parsed.unwrap_or([0; 64]));
        Ok(parsed.is_some().into())
    })
}

/// `secp256k1_ecdsa_signature_parse_der`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_signature_parse_der(
    context: *const Context,
    out: *mut Signature,
    input: *const u8,
    length: usize,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"sig != NULL") }?;
        // SAFETY: by the contract of the header.
        let parsed = der::parse(unsafe { array(input, length, c"input != NULL") }?);
        out.write(parsed.map_or([0; 64], |[r, s]| join(&r, &s)));
        Ok(parsed.is_some().into())
    })
}

/// `secp256k1_ecdsa_signature_serialize_der`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_signature_serialize_der(
    context: *const Context,
    output: *mut u8,
    length: *mut usize,
    signature: *const Signature,
) -> c_int {
    answer(context, |_| {
        require(!output.is_null(), c"output != NULL")?;
        // SAFETY: by the contract of the header.
        let space = unsafe { value(length, c"outputlen != NULL") }?;
        // SAFETY: by the contract of the header.
        let signature = unsafe { value(signature, c"sig != NULL") }?;
        let (bytes, needed) = der::serialize(&split(&signature));
        // SAFETY: by the contract of the header.
        unsafe { length.write(needed) };
        if space < needed {
            return Ok(0);
        }
        // SAFETY: the caller's array has `space` bytes.
        unsafe { output.copy_from_nonoverlapping(bytes.as_ptr(), needed) };
        Ok(1)
    })
}

/// `secp256k1_ecdsa_signature_serialize_compact`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_signature_serialize_compact(
    context: *const Context,
    output: *mut [u8; 64],
    signature: *const Signature,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let output = unsafe { place(output, c"output64 != NULL") }?;
        // SAFETY: by the contract of the header.
        output.write(unsafe { value(signature, c"sig != NULL") }?);
        Ok(1)
    })
}

/// `secp256k1_ecdsa_signature_normalize`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_signature_normalize(
    context: *const Context,
    out: *mut Signature,
    signature: *const Signature,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let signature = unsafe { value(signature, c"sigin != NULL") }?;
        let [r, s] = split(&signature);
        let is_high = s > HIGHEST_LOW_S;
        if !out.is_null() {
            let low = if is_high { join(&r, &difference(&GROUP_ORDER, &s)) } else { signature };
            // SAFETY: by the contract of the header.
            unsafe { out.write(low) };
        }
        Ok(is_high.into())
    })
}

/// `secp256k1_ecdsa_verify`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_verify(
    context: *const Context,
    signature: *const Signature,
    digest: *const Number,
    key: *const Key,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let digest = unsafe { value(digest, c"msghash32 != NULL") }?;
        // SAFETY: by the contract of the header.
        let [r, s] = split(&unsafe { value(signature, c"sig != NULL") }?);
        // SAFETY: by the contract of the header.
        let [x, y] = split(&unsafe { load(key) }?);
        let is_valid =
            s <= HIGHEST_LOW_S && check(&VerifyRequest { r, s, digest, x, y }).is_valid();
        Ok(is_valid.into())
    })
}

/// `secp256k1_tagged_sha256`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_tagged_sha256(
    context: *const Context,
    output: *mut Number,
    tag: *const u8,
    tag_length: usize,
    message: *const u8,
    message_length: usize,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let output = unsafe { place(output, c"hash32 != NULL") }?;
        // SAFETY: by the contract of the header.
        let tag = Sha256::digest(unsafe { array(tag, tag_length, c"tag != NULL") }?);
        // SAFETY: by the contract of the header.
        let message = unsafe { array(message, message_length, c"msg != NULL") }?;
        let hash = Sha256::new().chain_update(tag).chain_update(tag).chain_update(message);
        output.write(hash.finalize().into());
        Ok(1)
    })
}
