// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Devices, and the version and the backend of this library.

use std::ffi::c_char;
use std::panic::catch_unwind;
use std::time::Duration;

use halimede_arith::Backend;
use halimede_device::Options;

use crate::memory::{require, text};
use crate::status::{answer, free, Failure, Status};

/// An open device, on which calls run. In every function, NULL means this processor.
///
/// Any number of threads may use a device at once; batches on the same card run sequentially.
pub struct Device {
    inner: halimede_device::Device,
}

/// Settings of halimede_device_open(); all zeros are the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceOptions {
    /// Milliseconds without progress after which a card counts as failed; 0 means 10,000, or 60,000
    /// for a simulated card.
    pub time_limit_ms: u32,
    /// Unless 0, this processor runs whatever the device lacks or fails at; everything, if the
    /// device cannot be opened.
    pub fallback: u32,
}

/// Opens a device: "cpu", "sim" (starts a process that simulates a card from its RTL),
/// "sim:SOCKET", "xdma:PREFIX", "f2:ADDRESS", "uart:PATH[@BAUD]" or "cuda:NUMBER".
///
/// `options` may be NULL. Close `*device` with halimede_device_close().
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
        // SAFETY: the header requires a text.
        let name = unsafe { text("name", name) }?;
        let mut settings = DeviceOptions::default();
        if !options.is_null() {
            require("options", options)?;
            // SAFETY: not NULL and aligned; the header requires options there.
            settings = unsafe { options.read() };
        }
        let opened = Box::new(Device { inner: open(name, settings)? });
        // SAFETY: not NULL and aligned; the header requires a place to write to.
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

/// Closes a device, and stops its simulator if it has one. Does nothing for NULL.
///
/// No call may use the device meanwhile or afterwards.
#[no_mangle]
pub unsafe extern "C" fn halimede_device_close(device: *mut Device) {
    // SAFETY: made by `halimede_device_open` and not closed before, as the header requires.
    free(device, |device| drop(unsafe { Box::from_raw(device) }));
}

/// Returns the device behind a pointer; NULL means this processor.
///
/// # Safety
/// The pointer is NULL, or points to a device that is open for the lifetime of the returned value.
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

/// Returns the version of the library at run time, "MAJOR.MINOR.PATCH"; HALIMEDE_VERSION is the
/// version at compile time. The string is valid forever.
#[no_mangle]
pub extern "C" fn halimede_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the backend in use, which is named after its processor instructions: "portable", "neon",
/// "sse41", "avx2", "adx", "avxifma", "avx512" or "avx512ifma". It is the best backend of this
/// processor, unless the environment variable HALIMEDE_BACKEND named another at the first use. The
/// string is valid forever.
#[no_mangle]
pub extern "C" fn halimede_backend() -> *const c_char {
    let name = match catch_unwind(Backend::active).unwrap_or(Backend::Portable) {
        Backend::Portable => c"portable",
        Backend::Neon => c"neon",
        Backend::Sse41 => c"sse41",
        Backend::Avx2 => c"avx2",
        Backend::Adx => c"adx",
        Backend::AvxIfma => c"avxifma",
        Backend::Avx512 => c"avx512",
        Backend::Avx512Ifma => c"avx512ifma",
    };
    name.as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header promises that threads may share a device.
    #[test]
    fn devices_can_be_shared() {
        fn shared<T: Send + Sync>() {}
        shared::<Device>();
    }
}
