// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede zcash …`

mod block_report;
mod block_source;
mod header_source;
mod headers;
mod make_sapling;
mod solution_output;
mod solve;
mod template;
mod verify_block;
mod verify_blocks;

use crate::arguments::ZcashCommand;
use crate::error::CommandError;

/// Runs one of the Zcash commands.
pub fn run(command: &ZcashCommand, json: bool) -> Result<(), CommandError> {
    match command {
        ZcashCommand::MakeSapling(options) => make_sapling::run(options, json),
        ZcashCommand::Solve(options) => solve::run(options, json),
        ZcashCommand::VerifyBlock(options) => verify_block::run(options, json),
        ZcashCommand::VerifyBlocks(options) => verify_blocks::run(options, json),
        ZcashCommand::VerifyHeaders(options) => headers::run(options, json),
    }
}
