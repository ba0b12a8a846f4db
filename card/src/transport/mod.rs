// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transports: one byte stream to the card, one from it, and perhaps a register window.
//!
//! | transport | stream | registers |
//! |---|---|---|
//! | [`Simulated`] | a `halimede-card-sim` process, started and stopped here | through the stream |
//! | [`Socket`] | a simulated card that is already running | through the stream |
//! | [`Xdma`] | Xilinx XDMA character devices | AXI4-Lite window |
//! | [`F2`] | windows of an AXI4 bus, by the same devices (AWS F2) | AXI4-Lite window |
//! | [`Uart`] | a serial line | through the stream |

mod f2;
mod image;
mod polled;
mod simulated;
mod simulator_log;
mod socket;
mod threaded;
mod uart;
mod xdma;

use std::time::{Duration, Instant};

pub use f2::{Bus, Devices, F2};
pub use image::{Image, SIMULATOR};
pub use simulated::{Simulated, SimulatorOptions};
pub use socket::Socket;
pub use uart::{Uart, DEFAULT_BAUD};
pub use xdma::{RegisterWindow, Xdma};

use crate::error::CardError;

/// Bytes that a transport reads at once, and about as many as it keeps waiting.
pub(crate) const CHUNK_BYTES: usize = 64 * 1024;

/// Opens a link to a card, any number of times.
///
/// Closures that connect are this, with the system's clock.
pub trait Connect {
    /// Connects within `limit`.
    ///
    /// # Errors
    /// [`CardError`] where there is no such card, or it does not take the connection.
    fn connect(&mut self, limit: Duration) -> Result<Box<dyn Transport>, CardError>;

    /// The time by the clock of the transports.
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
    /// Moves bytes in both directions: takes from the front of `outgoing`, appends what arrived
    /// to `incoming`, and returns how many bytes it took.
    ///
    /// Returns as soon as anything moved, or with nothing moved when `limit` has passed (perhaps
    /// somewhat earlier); it never waits longer. With `outgoing` empty it waits for input alone.
    /// Whole frames are handed in with their padding, so `outgoing` always starts and ends on a
    /// beat of the stream, less what earlier calls took.
    ///
    /// # Errors
    /// [`CardError::HungUp`] once the other end has closed the link and all it had sent has been
    /// received, [`CardError::Io`] where the link broke otherwise.
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError>;

    /// The card's AXI4-Lite registers, where the link has a window to them.
    fn register_window(&self) -> Option<&RegisterWindow> {
        None
    }

    /// Most bytes of requests that may be without a reply, where the link itself cannot hold a
    /// sender back and the card would lose what it has no room for.
    fn window_bytes(&self) -> Option<usize> {
        None
    }

    /// True where single bytes can be lost, so that the card may stand between two beats.
    fn can_slip(&self) -> bool {
        false
    }

    /// The time by the clock that limits are measured with.
    fn now(&self) -> Instant {
        Instant::now()
    }

    /// 64 bits that no earlier run of this program used: nonces and the numbering begin with them.
    ///
    /// # Errors
    /// [`CardError::Io`] where the system gives none.
    fn random(&mut self) -> Result<u64, CardError> {
        getrandom::u64().map_err(|error| {
            CardError::io("read", "the system's random numbers", std::io::Error::from(error))
        })
    }

    /// The least time that the link takes for this number of bytes; added to time limits.
    fn transfer_time(&self, _bytes: usize) -> Duration {
        Duration::ZERO
    }
}
