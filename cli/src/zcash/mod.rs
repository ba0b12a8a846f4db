// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash …`

mod block_report;
mod processor;
mod verify_block;

use crate::arguments::ZcashCommand;
use crate::error::CommandError;

/// Runs one of the commands for Zcash.
pub fn run(command: &ZcashCommand, json: bool) -> Result<(), CommandError> {
    match command {
        ZcashCommand::VerifyBlock(options) => verify_block::run(options, json),
    }
}
