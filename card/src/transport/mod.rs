// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transports: one byte stream to the card, one from it, and optionally a register window.
//!
//! | transport | stream | registers |
//! |---|---|---|
//! | [`Simulated`] | a `halimede-card-sim` process, started and stopped here | through the stream |
//! | [`Socket`] | a simulated card that is already running | through the stream |
//! | [`Xdma`] | Xilinx XDMA character devices | AXI4-Lite window |
//! | [`Mapped`] | rings in the mapped memory of a PCI function (AWS F2) | AXI4-Lite window |
//! | [`Uart`] | a serial line | through the stream |

mod bus;
mod device;
mod image;
mod mapped;
mod memory;
mod page_buffer;
mod polled;
mod registers;
mod resources;
mod simulated;
mod simulator_log;
mod socket;
mod threaded;
mod uart;
mod xdma;

use std::time::{Duration, Instant};

pub use bus::{Bus, ControlWord};
pub use device::{DeviceFile, Driver, OpenMode, System};
pub use image::{Image, SIMULATOR};
pub use mapped::Mapped;
pub use registers::RegisterWindow;
pub use resources::Resources;
pub use simulated::{Simulated, SimulatorOptions};
pub use socket::Socket;
pub use uart::{Uart, DEFAULT_BAUD};
pub use xdma::Xdma;

use crate::error::CardError;

/// The bytes that a transport reads at once, and approximately the bytes that it buffers.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// Opens a link to a card, any number of times.
///
/// Closures that connect implement this, with the system's clock.
pub trait Connect {
    /// Connects within `limit`.
    ///
    /// # Errors
    /// [`CardError`] if the card does not exist or does not accept the connection.
    fn connect(&mut self, limit: Duration) -> Result<Box<dyn Transport>, CardError>;

    /// Returns the time on the clock of the transports.
    fn now(&self) -> Instant {
        Instant::now()
    }
}

impl<F: FnMut(Duration) -> Result<Box<dyn Transport>, CardError>> Connect for F {
    fn connect(&mut self, limit: Duration) -> Result<Box<dyn Transport>, CardError> {
        self(limit)
    }
}

/// A full-duplex link to a card.
pub trait Transport: Send {
    /// Moves bytes in both directions: consumes bytes from the front of `outgoing`, appends
    /// received bytes to `incoming`, and returns the number of consumed bytes.
    ///
    /// Returns as soon as anything moved, or when `limit` has passed (perhaps somewhat earlier); it
    /// never waits longer. If `outgoing` is empty, it waits only for input. Callers submit whole
    /// frames with their padding, so `outgoing` always starts and ends on a beat of the stream,
    /// less the bytes that earlier calls consumed.
    ///
    /// # Errors
    /// [`CardError::HungUp`] once the other end has closed the link and everything it sent has been
    /// received, [`CardError::Io`] if the link broke otherwise.
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError>;

    /// Returns the window to the card's AXI4-Lite registers, if the link has one.
    fn register_window(&self) -> Option<&RegisterWindow> {
        None
    }

    /// Returns the maximum bytes of unanswered requests, if the link has no flow control and the
    /// card would lose bytes for which it has no room.
    fn window_bytes(&self) -> Option<usize> {
        None
    }

    /// Returns `true` if single bytes can be lost, so that the card's position may be within a
    /// beat.
    fn can_slip(&self) -> bool {
        false
    }

    /// Returns the time on the clock that measures limits.
    fn now(&self) -> Instant {
        Instant::now()
    }

    /// Returns 64 random bits, which differ between runs of this program: nonces and the numbering
    /// begin with them.
    ///
    /// # Errors
    /// [`CardError::Io`] if the system provides none.
    fn random(&mut self) -> Result<u64, CardError> {
        getrandom::u64().map_err(|error| {
            CardError::io("read", "the system's random numbers", std::io::Error::from(error))
        })
    }

    /// Returns the minimum time that the link needs for this number of bytes; it is added to time
    /// limits.
    fn transfer_time(&self, _bytes: usize) -> Duration {
        Duration::ZERO
    }
}
