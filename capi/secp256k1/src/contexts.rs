// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The functions that make, copy and change contexts, and the self-test.

use std::ffi::{c_int, c_uint, c_void};
use std::panic::catch_unwind;
use std::ptr;

use engine::operations::VerifyRequest;
use engine::{check, schnorr};

use crate::answer::{answer, require, Illegal};
use crate::context::{default_error, default_illegal, Callback, Context, Function};

/// The bits of a flag that say its type.
const TYPE_MASK: c_uint = 0xff;
/// The type of the flags of contexts.
const TYPE_CONTEXT: c_uint = 1;

static STATIC: Context = Context::DEFAULT;

/// `secp256k1_context_static`
#[no_mangle]
#[allow(non_upper_case_globals, reason = "the name of the interface")]
pub static secp256k1_context_static: &Context = &STATIC;

/// Returns `true` unless the context is the static one.
fn is_proper(context: &Context) -> bool {
    !ptr::eq(context, &STATIC)
}

/// `secp256k1_selftest`
#[no_mangle]
pub extern "C" fn secp256k1_selftest() {
    if !catch_unwind(is_sound).unwrap_or(false) {
        Context::DEFAULT.report_error(c"the self test failed");
    }
}

/// Verifies the signature of Bitcoin's first payment, in block 170, and BIP 340's first one with a
/// message; both must be rejected after a change.
fn is_sound() -> bool {
    let mut request = VerifyRequest {
        r: number("4e45e16932b8af514961a1d3a1a25fdf3f4f7732e9d624c6c61548ab5fb8cd41"),
        s: number("181522ec8eca07de4860a4acdd12909d831cc56cbbac4622082221a8768d1d09"),
        digest: number("7a05c6145f10101e9d6325494245adf1297d80f8f38d4d576d57cdba220bcb19"),
        x: number("11db93e1dcdb8a016b49840f8c53bc1eb68a382e97b1482ecad7b148a6909a5c"),
        y: number("b2e0eaddfb84ccf9744464f82e160bfa9b8b64f9d4c03f999b8643f656b412a3"),
    };
    let key = number("dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659");
    let message = number("243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89");
    let r = number("6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341");
    let s = number("8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a");
    let signature = [r, s].concat();
    let verify =
        |message| schnorr::verify(schnorr::Signed { key: &key, message, signature: &signature });
    let holds = check(&request).is_valid() && verify(&message).is_ok();
    request.digest[31] ^= 1;
    holds && !check(&request).is_valid() && verify(&message[1..]).is_err()
}

/// Returns the number of 64 hexadecimal digits.
fn number(digits: &str) -> [u8; 32] {
    let digit = |at: usize| (digits.as_bytes()[at] as char).to_digit(16).unwrap_or(0) as u8;
    std::array::from_fn(|index| digit(2 * index) << 4 | digit(2 * index + 1))
}

/// Moves a context to the heap, and returns its pointer.
fn keep(context: Context) -> *mut Context {
    Box::into_raw(Box::new(context))
}

/// `secp256k1_context_create`
#[no_mangle]
pub extern "C" fn secp256k1_context_create(flags: c_uint) -> *mut Context {
    secp256k1_selftest();
    let mut created = ptr::null_mut();
    answer(&STATIC, |_| {
        require(flags & TYPE_MASK == TYPE_CONTEXT, c"Invalid flags")?;
        created = keep(Context::DEFAULT);
        Ok(1)
    });
    created
}

/// `secp256k1_context_clone`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_context_clone(context: *const Context) -> *mut Context {
    let mut cloned = ptr::null_mut();
    answer(context, |context| {
        require(is_proper(context), c"ctx != secp256k1_context_static")?;
        cloned = keep(context.clone());
        Ok(1)
    });
    cloned
}

/// `secp256k1_context_destroy`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_context_destroy(context: *mut Context) {
    if context.is_null() {
        return;
    }
    let is_owned = answer(context, |context| {
        require(is_proper(context), c"ctx != secp256k1_context_static")?;
        Ok(1)
    });
    if is_owned == 1 {
        // SAFETY: `keep` made the pointer from a box, and the caller does not use it any more.
        drop(unsafe { Box::from_raw(context) });
    }
}

/// `secp256k1_context_randomize`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_context_randomize(
    context: *mut Context,
    _seed: *const u8,
) -> c_int {
    answer(context, |context| {
        require(is_proper(context), c"ctx != secp256k1_context_static")?;
        Ok(1)
    })
}

/// Sets a callback, or restores the default one.
///
/// # Safety
/// As the header requires.
unsafe fn set(
    context: *mut Context,
    callback: impl FnOnce(&mut Context) -> &mut Callback,
    function: Function,
    data: *const c_void,
) {
    let is_owned = answer(context, |context| match is_proper(context) {
        true => Ok(1),
        false => Err(Illegal(c"ctx != secp256k1_context_static")),
    });
    if is_owned == 1 {
        // SAFETY: by this function's contract, no other thread uses the context; `answer` found
        // that the pointer is not NULL.
        *callback(unsafe { &mut *context }) = Callback { function, data };
    }
}

/// `secp256k1_context_set_illegal_callback`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_context_set_illegal_callback(
    context: *mut Context,
    function: Option<Function>,
    data: *const c_void,
) {
    let function = function.unwrap_or(default_illegal);
    // SAFETY: by the contract of the header.
    unsafe { set(context, |context| &mut context.illegal, function, data) }
}

/// `secp256k1_context_set_error_callback`
#[no_mangle]
pub unsafe extern "C" fn secp256k1_context_set_error_callback(
    context: *mut Context,
    function: Option<Function>,
    data: *const c_void,
) {
    let function = function.unwrap_or(default_error);
    // SAFETY: by the contract of the header.
    unsafe { set(context, |context| &mut context.error, function, data) }
}
