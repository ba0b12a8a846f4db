// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Traces as JSON, which compilers read.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use super::{External, Note, Output, Prime, Step, Trace, TraceError};

/// What stands in front of all.
const FORMAT: &str = "halimede-ckks-trace";
/// The version that is written.
const VERSION: u32 = 1;

/// What is read before the rest.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// What is written.
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

impl Trace {
    /// Writes the trace as JSON, on one line.
    ///
    /// # Errors
    /// Where writing fails.
    pub fn write_json(&self, output: impl Write) -> io::Result<()> {
        let Self { degree, primes, externals, steps, outputs, notes } = self;
        let (format, version, degree) = (FORMAT, VERSION, *degree);
        let document =
            Document { format, version, degree, primes, externals, steps, outputs, notes };
        Ok(serde_json::to_writer(output, &document)?)
    }

    /// The trace as JSON.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        // A vector takes everything.
        let written = self.write_json(&mut bytes);
        debug_assert!(written.is_ok());
        String::from_utf8(bytes).unwrap_or_default()
    }

    /// Reads a trace, and [checks](Self::check) it.
    ///
    /// # Errors
    /// [`TraceError`] for what is no trace or a damaged one.
    pub fn from_json(text: &str) -> Result<Self, TraceError> {
        let malformed =
            |reason: serde_json::Error| TraceError::Malformed { reason: reason.to_string() };
        let Header { format, version } = serde_json::from_str(text).map_err(malformed)?;
        if format != FORMAT {
            let reason = format!("its format is {format:?}, not {FORMAT:?}");
            return Err(TraceError::Malformed { reason });
        }
        if version != VERSION {
            return Err(TraceError::Version { got: version, most: VERSION });
        }
        let trace: Self = serde_json::from_str(text).map_err(malformed)?;
        trace.check()?;
        Ok(trace)
    }
}
