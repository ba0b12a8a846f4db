// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Contexts. They hold only callbacks: verification has no secrets to blind.

use std::ffi::{c_char, c_void, CStr};
use std::io::Write;
use std::ptr;

/// A callback: a message, and the pointer that was set with the callback.
pub type Function = unsafe extern "C" fn(message: *const c_char, data: *mut c_void);

/// A callback with its pointer.
#[derive(Clone, Copy, Debug)]
pub struct Callback {
    pub function: Function,
    pub data: *const c_void,
}

impl Callback {
    /// Calls the function.
    fn call(self, message: &CStr) {
        // SAFETY: by the contract of the header.
        unsafe { (self.function)(message.as_ptr(), self.data.cast_mut()) }
    }
}

/// `secp256k1_context`
#[derive(Clone, Debug)]
pub struct Context {
    /// Called for an illegal argument.
    pub illegal: Callback,
    /// Called for an internal error.
    pub error: Callback,
}

// SAFETY: the library itself does not read what `data` points to, and the header requires that
// callbacks of a shared context may run in several threads.
unsafe impl Sync for Context {}

impl Context {
    /// A context with the default callbacks, which end the process.
    pub const DEFAULT: Self = Self {
        illegal: Callback { function: default_illegal, data: ptr::null() },
        error: Callback { function: default_error, data: ptr::null() },
    };

    /// Reports an illegal argument.
    pub fn report_illegal(&self, condition: &CStr) {
        self.illegal.call(condition);
    }

    /// Reports an internal error.
    pub fn report_error(&self, message: &CStr) {
        self.error.call(message);
    }
}

pub unsafe extern "C" fn default_illegal(message: *const c_char, _data: *mut c_void) {
    // SAFETY: callbacks are called with strings of this library.
    end(b"illegal argument", unsafe { CStr::from_ptr(message) });
}

pub unsafe extern "C" fn default_error(message: *const c_char, _data: *mut c_void) {
    // SAFETY: callbacks are called with strings of this library.
    end(b"internal consistency check failed", unsafe { CStr::from_ptr(message) });
}

/// Writes a message to standard error, and aborts.
#[allow(clippy::disallowed_methods, reason = "the process ends even if the message is lost")]
fn end(what: &[u8], message: &CStr) -> ! {
    let line = [b"[libhalimede_secp256k1] ", what, b": ", message.to_bytes(), b"\n"].concat();
    let _ = std::io::stderr().write_all(&line);
    std::process::abort();
}
