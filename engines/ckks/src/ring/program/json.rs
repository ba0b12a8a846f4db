// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs as JSON, for compilers to read.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::error::ProgramError;
use super::program::{External, Note, Output, Prime, Program};
use super::step::Step;

/// The name of the format: the first field.
const FORMAT: &str = "halimede-ckks-trace";
/// The current version of the format.
const VERSION: u32 = 1;

/// The fields that are read first.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// The fields that are written.
#[derive(Serialize)]
struct Document<'a> {
    format: &'a str,
    version: u32,
    degree: usize,
    primes: &'a [Prime],
    externals: &'a [External],
    steps: &'a [Step],
    outputs: &'a [Output],
    notes: &'a [Note],
}

impl Program {
    /// Writes the program as JSON, on one line.
    ///
    /// # Errors
    /// [`io::Error`] if writing fails.
    pub fn write_json(&self, output: impl Write) -> io::Result<()> {
        let Self { degree, primes, externals, steps, outputs, notes } = self;
        let (format, version, degree) = (FORMAT, VERSION, *degree);
        let document =
            Document { format, version, degree, primes, externals, steps, outputs, notes };
        Ok(serde_json::to_writer(output, &document)?)
    }

    /// Returns the program as JSON.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        // Writing to a vector does not fail.
        let written = self.write_json(&mut bytes);
        debug_assert!(written.is_ok());
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Reads a program, and [checks](Self::check) it.
    ///
    /// # Errors
    /// [`ProgramError`] for a damaged program, or for text that is not a program.
    pub fn from_json(text: &str) -> Result<Self, ProgramError> {
        let malformed =
            |reason: serde_json::Error| ProgramError::Malformed { reason: reason.to_string() };
        let Header { format, version } = serde_json::from_str(text).map_err(malformed)?;
        if format != FORMAT {
            let reason = format!("its format is {format:?}, not {FORMAT:?}");
            return Err(ProgramError::Malformed { reason });
        }
        if version != VERSION {
            return Err(ProgramError::Version { got: version, most: VERSION });
        }
        let program: Self = serde_json::from_str(text).map_err(malformed)?;
        program.check()?;
        Ok(program)
    }
}
