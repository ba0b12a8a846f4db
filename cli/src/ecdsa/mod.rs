// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ecdsa …`

mod line;
mod recover;
mod verify;

#[cfg(test)]
pub use line::{Line, RecoverableLine};

use crate::arguments::EcdsaCommand;
use crate::error::CommandError;

/// Runs one of the ECDSA commands.
pub fn run(command: &EcdsaCommand, json: bool) -> Result<(), CommandError> {
    match command {
        EcdsaCommand::Verify(options) => verify::run(options, json),
        EcdsaCommand::Recover(options) => recover::run(options, json),
    }
}
