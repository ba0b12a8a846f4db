// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3 …`: hashes and checks files like `b3sum`, and stores trees that prove parts of
//! a file.
//!
//! Statements about `b3sum` are from its documentation and from tests of it.

mod check;
mod check_line;
mod hash;
mod hasher;
mod mode;
mod names;
mod output;
mod slice;
mod source;
mod subtrees;
mod tree;
mod verify;

#[cfg(test)]
pub use check_line::CheckLine;

use crate::arguments::{Blake3Options, Blake3TreeCommand};
use crate::error::CommandError;

/// Runs one of the BLAKE3 commands.
pub fn run(options: &Blake3Options, json: bool) -> Result<(), CommandError> {
    match &options.tree {
        Some(Blake3TreeCommand::Tree(options)) => tree::run(options, json),
        Some(Blake3TreeCommand::Slice(options)) => slice::run(options, json),
        Some(Blake3TreeCommand::Verify(options)) => verify::run(options, json),
        None if options.hash.check => check::run(&options.hash, json),
        None => hash::run(&options.hash, json),
    }
}
