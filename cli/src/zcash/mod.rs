// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash …`

mod header_source;
mod headers;
mod processor;

use crate::arguments::ZcashCommand;
use crate::error::CommandError;

/// Runs one of the commands for Zcash.
pub fn run(command: &ZcashCommand, json: bool) -> Result<(), CommandError> {
    match command {
        ZcashCommand::VerifyHeaders(options) => headers::run(options, json),
    }
}
