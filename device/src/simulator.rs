// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The simulated card's program.

use std::path::{Path, PathBuf};
use std::process::Command;

use halimede_arith::job::DeviceError;
use halimede_card::spec::Capability;
pub use halimede_card::transport::SimulatorOptions;

use crate::device::unavailable;

/// Engines that have a simulator to themselves, since it is slow to build and to run.
const LONE_ENGINES: [Capability; 1] = [Capability::Bls12381];

/// The options of the simulator that has the engine of an operation of this name.
pub fn of_operation(name: &str) -> SimulatorOptions {
    let engine = name.split('.').next().unwrap_or(name);
    let lone = of_lone_engines().find(|options| options.engine.as_deref() == Some(engine));
    lone.unwrap_or_default()
}

/// The options of each simulator that an engine has to itself.
pub(crate) fn of_lone_engines() -> impl Iterator<Item = SimulatorOptions> {
    let options = |engine: Capability| {
        let engine = Some(engine.name().to_owned());
        SimulatorOptions { engine, ..SimulatorOptions::default() }
    };
    LONE_ENGINES.into_iter().map(options)
}

/// The simulator's path: what the environment variable `HALIMEDE_CARD_SIM` names, else the one
/// beside the running program, else the one that a build left below the current directory or a
/// directory above it.
///
/// # Errors
/// [`DeviceError::Unavailable`], which says how to build it.
pub fn find() -> Result<PathBuf, DeviceError> {
    halimede_card::transport::find_simulator().map_err(|error| unavailable("sim", &error))
}

/// The command that starts a simulated card which serves client after client on `socket`.
///
/// # Errors
/// As [`find`].
pub fn command(options: &SimulatorOptions, socket: &Path) -> Result<Command, DeviceError> {
    options.command(socket).map_err(|error| unavailable("sim", &error))
}
