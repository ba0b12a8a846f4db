// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls …`

mod coprocessor;

use crate::arguments::BlsCommand;
use crate::error::CommandError;

#[cfg(test)]
pub use coprocessor::Data as ProgramData;

/// Runs one of the BLS12-381 commands.
pub fn run(command: &BlsCommand, json: bool) -> Result<(), CommandError> {
    match command {
        BlsCommand::Run(options) => coprocessor::run(options, json),
        BlsCommand::Asm(options) => coprocessor::assemble(options, json),
        BlsCommand::Disasm(options) => coprocessor::disassemble(options, json),
        BlsCommand::Manual(options) => coprocessor::manual(options, json),
    }
}

/// Decodes hexadecimal digits, with or without `0x`.
fn digits(text: &str) -> Result<Vec<u8>, String> {
    hex::decode(text.strip_prefix("0x").unwrap_or(text)).map_err(|error| match error {
        hex::FromHexError::InvalidHexCharacter { c, .. } => {
            format!("{c:?} is not a hexadecimal digit")
        }
        _ => "an odd number of hexadecimal digits".into(),
    })
}
