// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The windows of a card's engines: counters, interrupts, watchdogs.

use std::ffi::c_char;

use halimede_device::{interrupt_mask, interrupts_of, Capability, EngineReport as Report, Windows};

use crate::device::{resolve, Device};
use crate::memory::{require, text};
use crate::status::{answer, Failure, Status};

/// An interrupt of a card's engine; a mask of them has the bit 1 << HALIMEDE_INTERRUPT_ERROR and so
/// on.
#[repr(u32)]
#[derive(Clone, Copy, Debug)]
pub enum Interrupt {
    /// A request was answered with a status other than ok.
    Error = 0,
    /// A frame was ignored.
    Ignored = 1,
    /// The last request inside was answered.
    Idle = 2,
    /// The watchdog's clocks have passed without progress.
    Stalled = 3,
    /// A memory's word with a flipped bit was noticed, and the engine has failed.
    MemoryError = 4,
    /// The engine has failed because nothing moved.
    TimedOut = 5,
}

impl Interrupt {
    const ALL: [Self; 6] =
        [Self::Error, Self::Ignored, Self::Idle, Self::Stalled, Self::MemoryError, Self::TimedOut];
}

// The header has no constants: `EngineReport` says these numbers again, and does not compile with
// others.
/// Most words of an engine's shape.
const SHAPE_WORDS: usize = 8;
/// Most counters of an engine beside those that all have.
const COUNTERS: usize = 16;

/// What an engine of a card is and has done since the hardware reset.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct EngineReport {
    /// Clocks with a request inside.
    pub busy_clocks: u64,
    /// Clocks in which it would have taken a beat of a request and none was there.
    pub starved_clocks: u64,
    /// Clocks in which a beat of a reply was not taken.
    pub blocked_clocks: u64,
    /// Requests answered with a status other than ok.
    pub errors: u64,
    /// Frames handed to the engine.
    pub requests: u64,
    /// Frames that came from it.
    pub replies: u64,
    /// Clocks in which a memory's word with a flipped bit was noticed.
    pub memory_errors: u64,
    /// Failures of the engine because nothing moved.
    pub time_outs: u64,
    /// Its own counters, in the order of its window in docs/card.md; 0 behind the last.
    pub counters: [u64; 16],
    /// What is built, in the order of its window; 0 behind the last.
    pub shape: [u32; 8],
    /// How many of `counters` it has.
    pub counter_count: u32,
    /// How many of `shape` it has.
    pub shape_count: u32,
    /// Bytes of requests that may wait for it without holding up anything else.
    pub queue_bytes: u32,
    /// Mask of the interrupts that have happened since they were last cleared.
    pub interrupts_pending: u32,
    /// Mask of the interrupts that the card passes on.
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

/// The interrupts of a mask; bits that stand for none are refused.
fn interrupts(mask: u32) -> Result<Vec<halimede_device::Interrupt>, Failure> {
    let known = Interrupt::ALL.iter().fold(0, |known, interrupt| known | 1 << *interrupt as u32);
    if mask & !known != 0 {
        let message = format!("interrupts: {mask:#x} has bits that stand for none ({known:#x} do)");
        return Err(Failure::new(Status::InvalidArgument, message));
    }
    Ok(interrupts_of(mask))
}

/// Does something with the window of a named engine of a device.
///
/// # Safety
/// As of the functions of the header.
unsafe fn with_engine(
    device: *const Device,
    engine: *const c_char,
    act: impl FnOnce(Windows<'_>, Capability) -> Result<(), Failure>,
) -> Result<(), Failure> {
    // SAFETY: the header asks for a device and a text.
    let (device, name) = unsafe { (resolve(device)?, text("engine", engine)?) };
    let windows = device.windows()?;
    let engine = windows.engine(name)?;
    act(windows, engine)
}

/// What an engine of a card, named as `halimede card report` does ("poseidon"), is and has done.
/// Its values are read one after the other, while the engine goes on.
///
/// Statuses: HALIMEDE_STATUS_DEVICE_UNSUPPORTED where the device is no card, or one without this
/// engine; HALIMEDE_STATUS_DEVICE_FAILED where the card does not answer.
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
            // SAFETY: not NULL and aligned; the header asks for a place to write to.
            unsafe { report.write(told.into()) };
            Ok(())
        };
        // SAFETY: as the header asks.
        unsafe { with_engine(device, engine, tell) }
    })
}

/// Chooses by a mask the interrupts of an engine that the card passes on: at the wire of a board,
/// and in halimede_engine_interrupting().
///
/// Statuses: as of halimede_engine_read(), and HALIMEDE_STATUS_INVALID_ARGUMENT for a bit that
/// stands for no interrupt.
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_enable_interrupts(
    device: *const Device,
    engine: *const c_char,
    mask: u32,
) -> Status {
    answer(|| {
        let enabled = interrupts(mask)?;
        // SAFETY: as the header asks.
        unsafe {
            with_engine(device, engine, |windows, engine| {
                Ok(windows.enable_interrupts(engine, &enabled)?)
            })
        }
    })
}

/// Clears interrupts of an engine that have happened, by a mask.
///
/// Statuses: as of halimede_engine_enable_interrupts().
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_clear_interrupts(
    device: *const Device,
    engine: *const c_char,
    mask: u32,
) -> Status {
    answer(|| {
        let cleared = interrupts(mask)?;
        // SAFETY: as the header asks.
        unsafe {
            with_engine(device, engine, |windows, engine| {
                Ok(windows.clear_interrupts(engine, &cleared)?)
            })
        }
    })
}

/// Whether an engine has an enabled interrupt pending: `*interrupting` is 1 or 0.
///
/// Statuses: as of halimede_engine_read().
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
            // SAFETY: not NULL and aligned; the header asks for a place to write to.
            unsafe { interrupting.write(is_pending.into()) };
            Ok(())
        };
        // SAFETY: as the header asks.
        unsafe { with_engine(device, engine, tell) }
    })
}

/// Sets the watchdog of an engine: that many clocks without progress, with work inside, raise
/// HALIMEDE_INTERRUPT_STALLED; 0 for never.
///
/// Statuses: as of halimede_engine_read().
#[no_mangle]
pub unsafe extern "C" fn halimede_engine_set_watchdog(
    device: *const Device,
    engine: *const c_char,
    clocks: u32,
) -> Status {
    answer(|| {
        // SAFETY: as the header asks.
        unsafe {
            with_engine(device, engine, |windows, engine| Ok(windows.set_watchdog(engine, clocks)?))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header's interrupts are those of the windows, and any report fits.
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
