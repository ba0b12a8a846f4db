// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The simulated card's program.

use std::path::Path;
use std::process::Command;

use halimede_arith::job::DeviceError;
pub use halimede_card::transport::{Image, SimulatorOptions};

use crate::device::unavailable;

/// The command that starts a simulated card which serves client after client on `socket`.
///
/// # Errors
/// [`DeviceError::Unavailable`] where it has not been built, which says how to build it.
pub fn command(options: &SimulatorOptions, socket: &Path) -> Result<Command, DeviceError> {
    options.command(socket).map_err(|error| unavailable("sim", &error))
}
