// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Schnorr signatures (BIP 340).

use std::ffi::c_int;

use engine::schnorr::{verify, Signed};

use crate::answer::{answer, array_or_empty, value};
use crate::context::Context;
use crate::keys::{load, XOnlyKey};

/// `secp256k1_schnorrsig_verify`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_schnorrsig_verify(
    context: *const Context,
    signature: *const [u8; 64],
    message: *const u8,
    length: usize,
    key: *const XOnlyKey,
) -> c_int {
    answer(context, |_| {
        // SAFETY: by the contract of the header.
        let signature = unsafe { value(signature, c"sig64 != NULL") }?;
        // SAFETY: by the contract of the header.
        let message = unsafe { array_or_empty(message, length, c"msg != NULL || msglen == 0") }?;
        // SAFETY: by the contract of the header.
        let key = unsafe { load(key) }?;
        let signed = Signed { key: &key[..32], message, signature: &signature };
        Ok(verify(signed).is_ok().into())
    })
}
