// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The register windows of a card's engines: counters, interrupts, watchdogs.

use std::ffi::c_char;

use halimede_device::{interrupt_mask, interrupts_of, Capability, EngineReport as Report, Windows};

use crate::device::{resolve, Device};
use crate::memory::{require, text};
use crate::status::{answer, Failure, Status};

/// An interrupt of an engine of a card. A mask of interrupts has the bits 1 <<
/// HALIMEDE_INTERRUPT_ERROR and so on.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Interrupt {
    /// A request was answered with a status other than ok.
    Error = 0,
    /// A frame was ignored.
    Ignored = 1,
    /// The last pending request was answered.
    Idle = 2,
    /// The clocks of the watchdog passed without progress.
    Stalled = 3,
    /// A bit flip in a memory was detected, and the engine has failed.
    MemoryError = 4,
    /// The engine has failed because it made no progress.
    TimedOut = 5,
}

impl Interrupt {
    const ALL: [Self; 6] =
        [Self::Error, Self::Ignored, Self::Idle, Self::Stalled, Self::MemoryError, Self::TimedOut];
}

// The header has no constants: `EngineReport` repeats these numbers, and does not compile with
// other ones.
/// The maximum number of words that describe the shape of an engine.
const SHAPE_WORDS: usize = 8;
/// The maximum number of an engine's own counters, in addition to the common ones.
const COUNTERS: usize = 16;

/// The shape and the counters of an engine of a card since the hardware reset.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EngineReport {
    /// The number of clocks with a pending request.
    pub busy_clocks: u64,
    /// The number of clocks in which the engine was ready for a beat of a request, but received
    /// none.
    pub starved_clocks: u64,
    /// The number of clocks in which a beat of a reply was not accepted.
    pub blocked_clocks: u64,
    /// The number of requests answered with a status other than ok.
    pub errors: u64,
    /// The number of frames sent to the engine.
    pub requests: u64,
    /// The number of frames received from the engine.
    pub replies: u64,
    /// The number of clocks in which a bit flip in a memory was detected.
    pub memory_errors: u64,
    /// The number of failures of the engine because it made no progress.
    pub time_outs: u64,
    /// The engine's own counters, in the order of its window in docs/card.md; then zeros.
    pub counters: [u64; 16],
    /// The shape of the engine as built, in the order of its window; then zeros.
    pub shape: [u32; 8],
    /// The number of `counters` in use.
    pub counter_count: u32,
    /// The number of words of `shape` in use.
    pub shape_count: u32,
    /// The number of bytes of requests that can wait for the engine without blocking others.
    pub queue_bytes: u32,
    /// The mask of the interrupts that have occurred since they were last cleared.
    pub interrupts_pending: u32,
    /// The mask of the interrupts that the card passes on.
    pub interrupts_enabled: u32,
}

impl From<Report> for EngineReport {
    fn from(report: Report) -> Self {
        let mut counters = [0; COUNTERS];
        let mut shape = [0; SHAPE_WORDS];
        for (place, (_, value)) in counters.iter_mut().zip(&report.counters) {
            *place = *value;
        }
        for (place, (_, value)) in shape.iter_mut().zip(&report.shape) {
            *place = *value;
        }
        Self {
            busy_clocks: report.busy_clocks,
            starved_clocks: report.starved_clocks,
            blocked_clocks: report.blocked_clocks,
            errors: report.errors,
            requests: report.requests,
            replies: report.replies,
            memory_errors: report.memory_errors,
            time_outs: report.time_outs,
            counters,
            shape,
            counter_count: report.counters.len() as u32,
            shape_count: report.shape.len() as u32,
            queue_bytes: report.queue_bytes,
            interrupts_pending: interrupt_mask(&report.interrupts_pending),
            interrupts_enabled: interrupt_mask(&report.interrupts_enabled),
        }
    }
}

/// Returns the interrupts of a mask; refuses unknown bits.
fn interrupts(mask: u32) -> Result<Vec<halimede_device::Interrupt>, Failure> {
    let known = Interrupt::ALL.iter().fold(0, |known, interrupt| known | 1 << *interrupt as u32);
    if mask & !known != 0 {
        let message =
            format!("interrupts: {mask:#x} has unknown bits (the known ones are {known:#x})");
        return Err(Failure::new(Status::InvalidArgument, message));
    }
    Ok(interrupts_of(mask))
}

/// Calls `act` with the window of a named engine of a device.
///
/// # Safety
/// As for the functions of the header.
unsafe fn with_engine(
    device: *const Device,
    engine: *const c_char,
    act: impl FnOnce(Windows<'_>, Capability) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // SAFETY: the header requires a device and a text.
    let (device, name) = unsafe { (resolve(device)?, text("engine", engine)?) };
    let windows = device.windows()?;
    let engine = windows.engine(name)?;
    act(windows, engine)
}

/// Reads the shape and the counters of an engine of a card, named as in `halimede card report`,
/// e.g. "poseidon". The values are read sequentially, while the engine runs.
///
/// Statuses: HALIMEDE_STATUS_DEVICE_UNSUPPORTED if the device is not a card, or the card does not
/// have this engine; HALIMEDE_STATUS_DEVICE_FAILED if the card does not answer.
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_read(
    device: *const Device,
    engine: *const c_char,
    report: *mut EngineReport,
) -> Status {
    answer(|| {
        require("report", report)?;
        let tell = |windows: Windows<'_>, engine| {
            let told = windows.report(engine)?;
            // SAFETY: not NULL and aligned; the header requires a place to write to.
            unsafe { report.write(told.into()) };
            Ok(())
        };
        // SAFETY: as the header requires.
        unsafe { with_engine(device, engine, tell) }
    })
}

/// Sets the mask of the interrupts of an engine that the card passes on: to the interrupt wire of a
/// board, and to halimede_engine_interrupting().
///
/// Statuses: the statuses of halimede_engine_read(); HALIMEDE_STATUS_INVALID_ARGUMENT for an
/// unknown bit.
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_enable_interrupts(
    device: *const Device,
    engine: *const c_char,
    mask: u32,
) -> Status {
    answer(|| {
        let enabled = interrupts(mask)?;
        // SAFETY: as the header requires.
        unsafe {
            with_engine(device, engine, |windows, engine| {
                Ok(windows.enable_interrupts(engine, &enabled)?)
            })
        }
    })
}

/// Clears the pending interrupts of an engine that a mask names.
///
/// Statuses: the statuses of halimede_engine_enable_interrupts().
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_clear_interrupts(
    device: *const Device,
    engine: *const c_char,
    mask: u32,
) -> Status {
    answer(|| {
        let cleared = interrupts(mask)?;
        // SAFETY: as the header requires.
        unsafe {
            with_engine(device, engine, |windows, engine| {
                Ok(windows.clear_interrupts(engine, &cleared)?)
            })
        }
    })
}

/// Sets `*interrupting` to 1 if an enabled interrupt of an engine is pending, otherwise to 0.
///
/// Statuses: the statuses of halimede_engine_read().
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_interrupting(
    device: *const Device,
    engine: *const c_char,
    interrupting: *mut u32,
) -> Status {
    answer(|| {
        require("interrupting", interrupting)?;
        let tell = |windows: Windows<'_>, engine| {
            let is_pending = windows.interrupting()?.contains(&engine);
            // SAFETY: not NULL and aligned; the header requires a place to write to.
            unsafe { interrupting.write(is_pending.into()) };
            Ok(())
        };
        // SAFETY: as the header requires.
        unsafe { with_engine(device, engine, tell) }
    })
}

/// Sets the watchdog of an engine: `clocks` without progress while a request is pending raise
/// HALIMEDE_INTERRUPT_STALLED; 0 disables the watchdog.
///
/// Statuses: the statuses of halimede_engine_read().
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_set_watchdog(
    device: *const Device,
    engine: *const c_char,
    clocks: u32,
) -> Status {
    answer(|| {
        // SAFETY: as the header requires.
        unsafe {
            with_engine(device, engine, |windows, engine| Ok(windows.set_watchdog(engine, clocks)?))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The interrupts of the header match those of the windows, and every report fits.
    #[test]
    fn the_header_has_what_windows_have() {
        assert_eq!(Interrupt::ALL.len(), halimede_device::Interrupt::ALL.len());
        for (here, there) in Interrupt::ALL.iter().zip(halimede_device::Interrupt::ALL) {
            assert_eq!(*here as u32, there as u32);
            assert_eq!(format!("{here:?}"), format!("{there:?}"));
        }
        for window in halimede_device::WINDOWS {
            assert!(window.shape.len() <= SHAPE_WORDS && window.counters.len() <= COUNTERS);
        }
        assert_eq!(interrupt_mask(&interrupts(0b1010).unwrap()), 0b1010);
        let unknown = 1 << Interrupt::ALL.len();
        assert_eq!(interrupts(unknown).unwrap_err().status, Status::InvalidArgument);
    }
}
