// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede bls run`, `asm`, `disasm` and `manual`: programs of the BLS12-381 coprocessor.

mod assemble;
mod data;
mod manual;
mod run;

use std::path::Path;

use halimede_bls12_381::coprocessor::{Assembly, SOURCE_LIMIT_BYTES};

pub use assemble::{assemble, disassemble};
#[cfg(test)]
pub use data::Data;
pub use manual::manual;
pub use run::run;

use crate::error::CommandError;
use crate::file_kind::not_wanted_bytes;
use crate::files::read_limited;

/// Reads a program's text and assembles it.
fn read_program(path: &Path) -> Result<Assembly, CommandError> {
    let bytes = read_limited(path, SOURCE_LIMIT_BYTES as u64)?;
    let wrong = |reason: String| not_wanted_bytes(path, &bytes, "a program", reason);
    let text = std::str::from_utf8(&bytes).map_err(|error| wrong(error.to_string()))?;
    halimede_bls12_381::coprocessor::assemble(text).map_err(|error| wrong(error.to_string()))
}
