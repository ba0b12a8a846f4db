// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The program of the simulated card.

use std::path::Path;
use std::process::Command;

use halimede_arith::job::DeviceError;
pub use halimede_card::transport::{Image, SimulatorOptions};

use crate::device::unavailable;

/// Returns the command that starts a simulated card, which serves clients sequentially on `socket`.
///
/// # Errors
/// [`DeviceError::Unavailable`] if it has not been built, with the command that builds it.
pub fn command(options: &SimulatorOptions, socket: &Path) -> Result<Command, DeviceError> {
    options.command(socket).map_err(|error| unavailable("sim", &error))
}
