// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ECDSA signatures with a recovery id: r and s as in [`crate::signatures`], and the id.

use std::ffi::c_int;

use engine::recovery::{recover, Rules};

use crate::answer::{answer, place, require, value};
use crate::context::Context;
use crate::keys::{Key, INVALID};
use crate::numbers::Number;
use crate::signatures::{parse, Signature};

/// `secp256k1_ecdsa_recoverable_signature`: r, s and the recovery id.
pub type RecoverableSignature = [u8; 65];

fn without_id(signature: &RecoverableSignature) -> Signature {
    let mut compact = [0; 64];
    compact.copy_from_slice(&signature[..64]);
    compact
}

/// `secp256k1_ecdsa_recoverable_signature_parse_compact`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_recoverable_signature_parse_compact(
    context: *const Context,
    out: *mut RecoverableSignature,
    input: *const [u8; 64],
    id: c_int,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"sig != NULL") }?;
        // SAFETY: by the contract of the header.
        let input = unsafe { value(input, c"input64 != NULL") }?;
        require((0..=3).contains(&id), c"recid >= 0 && recid <= 3")?;
        let parsed = parse(&input);
        let mut signature = [0; 65];
        if let Some(numbers) = parsed {
            signature[..64].copy_from_slice(&numbers);
            signature[64] = id as u8;
        }
        out.write(signature);
        Ok(parsed.is_some().into())
    })
}

/// `secp256k1_ecdsa_recoverable_signature_serialize_compact`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_recoverable_signature_serialize_compact(
    context: *const Context,
    output: *mut [u8; 64],
    id: *mut c_int,
    signature: *const RecoverableSignature,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let output = unsafe { place(output, c"output64 != NULL") }?;
        // SAFETY: by the contract of the header.
        let signature = unsafe { value(signature, c"sig != NULL") }?;
        // SAFETY: by the contract of the header.
        let id = unsafe { place(id, c"recid != NULL") }?;
        output.write(without_id(&signature));
        id.write(signature[64].into());
        Ok(1)
    })
}

/// `secp256k1_ecdsa_recoverable_signature_convert`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_recoverable_signature_convert(
    context: *const Context,
    out: *mut Signature,
    signature: *const RecoverableSignature,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"sig != NULL") }?;
        // SAFETY: by the contract of the header.
        out.write(without_id(&unsafe { value(signature, c"sigin != NULL") }?));
        Ok(1)
    })
}

/// `secp256k1_ecdsa_recover`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_ecdsa_recover(
    context: *const Context,
    out: *mut Key,
    signature: *const RecoverableSignature,
    digest: *const Number,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let digest = unsafe { value(digest, c"msghash32 != NULL") }?;
        // SAFETY: by the contract of the header.
        let signature = unsafe { value(signature, c"sig != NULL") }?;
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out, c"pubkey != NULL") }?;
        let key = recover(Rules::default(), &digest, &signature).ok();
        out.write(key.map_or(INVALID, |key| key.0));
        Ok(key.is_some().into())
    })
}
