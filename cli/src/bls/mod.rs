// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls …`

mod coprocessor;
mod eip2537;
mod points;
mod verify;

use halimede_bls12_381::operations::Call;
use serde_json::{json, Value};

use crate::arguments::BlsCommand;
use crate::error::CommandError;
use crate::lines::Answer;

#[cfg(test)]
pub use coprocessor::Data as ProgramData;
#[cfg(test)]
pub use points::{parse_pairs, parse_terms};
pub use verify::Line;

/// Runs one of the commands of BLS12-381.
pub fn run(command: &BlsCommand, json: bool) -> Result<(), CommandError> {
    match command {
        BlsCommand::Pairing(lines) => points::pairing(lines, json),
        BlsCommand::MultiPairing(options) => points::multi_pairing(options, json),
        BlsCommand::Mul(options) => points::multiples(options, json),
        BlsCommand::Add(options) => points::sums(options, json),
        BlsCommand::Msm(options) => points::sums_of_multiples(options, json),
        BlsCommand::Map(options) => points::maps(options, json),
        BlsCommand::HashToG1(options) => points::hashes(options, json, Call::HashG1),
        BlsCommand::HashToG2(options) => points::hashes(options, json, Call::HashG2),
        BlsCommand::Verify(options) => verify::run(options, json),
        BlsCommand::Eip2537(options) => eip2537::run(options, json),
        BlsCommand::Run(options) => coprocessor::run(options, json),
        BlsCommand::Asm(options) => coprocessor::assemble(options, json),
        BlsCommand::Disasm(options) => coprocessor::disassemble(options, json),
        BlsCommand::Manual(options) => coprocessor::manual(options, json),
    }
}

/// Bytes as hexadecimal digits, or why there are none.
struct Digits(Result<Vec<u8>, String>);

impl Digits {
    fn of<E: ToString>(reply: &Result<Vec<u8>, E>) -> Self {
        Self(reply.as_ref().cloned().map_err(E::to_string))
    }
}

impl Answer for Digits {
    fn text(&self) -> String {
        self.0.as_ref().map(hex::encode).unwrap_or_default()
    }

    fn json(&self) -> Value {
        json!({ "result": self.text() })
    }

    fn fault(&self) -> Option<String> {
        self.0.as_ref().err().cloned()
    }
}

/// The bytes of hexadecimal digits, with or without `0x`.
fn digits(text: &str) -> Result<Vec<u8>, String> {
    hex::decode(text.strip_prefix("0x").unwrap_or(text)).map_err(|error| match error {
        hex::FromHexError::InvalidHexCharacter { c, .. } => {
            format!("{c:?} is not a hexadecimal digit")
        }
        _ => "an odd number of hexadecimal digits".into(),
    })
}
