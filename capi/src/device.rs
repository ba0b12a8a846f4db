// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Devices and what this library is.

use std::ffi::c_char;
use std::panic::catch_unwind;
use std::time::Duration;

use halimede_arith::Backend;
use halimede_device::Options;

use crate::memory::{require, text};
use crate::status::{answer, free, Failure, Status};

/// An open device: where a call's work is done. Wherever one is taken, NULL is this processor.
///
/// A device may be used by any number of threads at once; batches on one card follow each other.
pub struct Device {
    inner: halimede_device::Device,
}

/// Settings of halimede_device_open(); all zero is the default.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOptions {
    /// Milliseconds without any progress after which a card has failed; 0 is 10,000, and 60,000
    /// for a simulated card.
    pub time_limit_ms: u32,
    /// Unless 0, this processor answers what the device cannot or has failed at, and everything
    /// where it cannot be opened.
    pub fallback: u32,
}

/// Opens a device: "cpu", "sim" (a card simulated from its RTL, in a process that is started),
/// "sim:SOCKET", "xdma:PREFIX", "f2:PREFIX" or "uart:PATH[@BAUD]".
///
/// `options` may be NULL. `*device` is to be closed with halimede_device_close().
///
/// Statuses: HALIMEDE_STATUS_DEVICE_UNAVAILABLE, whose message says what to do.
#[no_mangle]
pub unsafe extern "C" fn halimede_device_open(
    name: *const c_char,
    options: *const DeviceOptions,
    device: *mut *mut Device,
) -> Status {
    answer(|| {
        require("device", device)?;
        // SAFETY: the header asks for a text.
        let name = unsafe { text("name", name) }?;
        let mut settings = DeviceOptions::default();
        if !options.is_null() {
            require("options", options)?;
            // SAFETY: not NULL and aligned; the header asks for options there.
            settings = unsafe { options.read() };
        }
        let opened = Box::new(Device { inner: open(name, settings)? });
        // SAFETY: not NULL and aligned; the header asks for a place to write to.
        unsafe { device.write(Box::into_raw(opened)) };
        Ok(())
    })
}

fn open(name: &str, settings: DeviceOptions) -> Result<halimede_device::Device, Failure> {
    let mut options = Options::default();
    if settings.time_limit_ms != 0 {
        options = options.time_limit(Duration::from_millis(settings.time_limit_ms.into()));
    }
    use halimede_device::Device;
    if settings.fallback == 0 {
        return Ok(Device::open_with(name, &options)?);
    }
    Ok(Device::open_with_fallback(name, &options, Device::open("cpu")?)?)
}

/// Closes a device, and ends the simulator where there is one. NULL is closed already.
///
/// No call may be using it, and none may afterwards.
#[no_mangle]
pub unsafe extern "C" fn halimede_device_close(device: *mut Device) {
    // SAFETY: made by `halimede_device_open` and not closed before, as the header asks.
    free(device, |device| drop(unsafe { Box::from_raw(device) }));
}

/// The device behind a pointer; NULL is this processor.
///
/// # Safety
/// What is not NULL is an open device for as long as what is returned is used.
pub(crate) unsafe fn resolve<'a>(
    device: *const Device,
) -> Result<&'a halimede_device::Device, Failure> {
    if device.is_null() {
        return Ok(halimede_device::shared_processor()?);
    }
    require("device", device)?;
    // SAFETY: not NULL and aligned; the rest is the caller's.
    Ok(unsafe { &(*device).inner })
}

/// The version of the library that is running, "MAJOR.MINOR.PATCH"; HALIMEDE_VERSION is the one
/// that was compiled against. It is valid for ever.
#[no_mangle]
pub extern "C" fn halimede_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Which of this processor's instructions are used: "portable", "neon", "sse41", "avx2", "adx",
/// "avx512" or "avx512ifma". The best that is here, unless the environment variable
/// HALIMEDE_BACKEND named another when it was first asked for. It is valid for ever.
#[no_mangle]
pub extern "C" fn halimede_backend() -> *const c_char {
    let name = match catch_unwind(Backend::active).unwrap_or(Backend::Portable) {
        Backend::Portable => c"portable",
        Backend::Neon => c"neon",
        Backend::Sse41 => c"sse41",
        Backend::Avx2 => c"avx2",
        Backend::Adx => c"adx",
        Backend::Avx512 => c"avx512",
        Backend::Avx512Ifma => c"avx512ifma",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What lets the header say that threads may share a device.
    #[test]
    fn devices_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<Device>();
    }
}
