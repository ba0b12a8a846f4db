// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Trusted setups.

use std::ffi::c_void;
use std::ptr;

use halimede_bls12_381::kzg::{Setup, SETUP_LIMIT_BYTES};
use libc::FILE;

use crate::result::{answer, array, place, value, BadArguments, Code};

/// `KZGSettings`, whose size is that of c-kzg's struct.
#[repr(C)]
#[derive(Debug)]
pub struct Settings {
    setup: *mut Setup,
    reserved: [*mut c_void; 9],
}

impl Settings {
    const EMPTY: Self = Self { setup: ptr::null_mut(), reserved: [ptr::null_mut(); 9] };
}

/// The largest value of `precompute`.
const MOST_PRECOMPUTE: u64 = 15;

/// Returns a loaded setup.
///
/// # Safety
/// As the header requires.
pub unsafe fn setup<'a>(settings: *const Settings) -> Result<&'a Setup, BadArguments> {
    // SAFETY: by this function's contract.
    unsafe { value(value(settings)?.setup) }
}

/// Checks all points, computes the tables, and writes the setup.
fn keep(out: &mut Settings, setup: Setup) -> Result<(), BadArguments> {
    setup.prepare()?;
    out.setup = Box::into_raw(Box::new(setup));
    Ok(())
}

/// `load_trusted_setup`
#[no_mangle]
pub unsafe extern "C" fn load_trusted_setup(
    out: *mut Settings,
    g1_monomial: *const u8,
    g1_monomial_bytes: u64,
    g1_lagrange: *const u8,
    g1_lagrange_bytes: u64,
    g2_monomial: *const u8,
    g2_monomial_bytes: u64,
    precompute: u64,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out) }?;
        *out = Settings::EMPTY;
        if precompute > MOST_PRECOMPUTE {
            return Err(BadArguments);
        }
        // SAFETY: by the contract of the header.
        let (powers, lagrange, g2) = unsafe {
            (
                array(g1_monomial, g1_monomial_bytes)?,
                array(g1_lagrange, g1_lagrange_bytes)?,
                array(g2_monomial, g2_monomial_bytes)?,
            )
        };
        keep(out, Setup::of_points(lagrange, g2, powers)?)
    })
}

/// `load_trusted_setup_file`
#[no_mangle]
pub unsafe extern "C" fn load_trusted_setup_file(
    out: *mut Settings,
    file: *mut FILE,
    precompute: u64,
) -> Code {
    answer(|| {
        // SAFETY: by the contract of the header.
        let out = unsafe { place(out) }?;
        *out = Settings::EMPTY;
        if precompute > MOST_PRECOMPUTE || file.is_null() {
            return Err(BadArguments);
        }
        let mut bytes = vec![0u8; SETUP_LIMIT_BYTES + 1];
        // SAFETY: the file is open, and `bytes` has this length.
        let count = unsafe { libc::fread(bytes.as_mut_ptr().cast(), 1, bytes.len(), file) };
        let text = bytes.get(..count).and_then(|bytes| str::from_utf8(bytes).ok());
        keep(out, Setup::read(text.ok_or(BadArguments)?)?)
    })
}

/// `free_trusted_setup`
#[no_mangle]
pub unsafe extern "C" fn free_trusted_setup(settings: *mut Settings) {
    // The only failure is a NULL pointer, which is allowed.
    let _ = answer(|| {
        // SAFETY: by the contract of the header.
        let settings = unsafe { place(settings) }?;
        let setup = std::mem::replace(&mut settings.setup, ptr::null_mut());
        if !setup.is_null() {
            // SAFETY: `keep` made the pointer from a box, and it is dropped only here.
            drop(unsafe { Box::from_raw(setup) });
        }
        Ok(())
    });
}
