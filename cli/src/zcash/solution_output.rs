// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes the solutions of `halimede zcash solve`.

use std::io::{BufWriter, Write};
use std::path::Path;

use halimede_equihash::{Header, Target};
use halimede_files::Output;

use crate::arguments::SolveOptions;
use crate::error::CommandError;
use crate::files::{create, write_error};
use crate::output::print_line;

/// Writes solutions to standard output, and as raw headers to a file.
pub struct SolutionOutput<'o> {
    options: &'o SolveOptions,
    json: bool,
    file: Option<BufWriter<Output>>,
}

impl<'o> SolutionOutput<'o> {
    pub fn new(options: &'o SolveOptions, json: bool) -> Result<Self, CommandError> {
        let header = options.header.as_deref().map(Path::new);
        let inputs: Vec<&Path> = header.into_iter().collect();
        let file = options.out.as_deref().map(|out| create(out, &inputs)).transpose()?;
        let file = file.map(BufWriter::new);
        Ok(Self { options, json, file })
    }

    /// Writes a header with its solution; `indices` are those of the solution.
    pub fn write(&mut self, header: &Header, indices: &[u32]) -> Result<(), CommandError> {
        let bytes = header.to_bytes();
        let line = if self.json {
            self.object(header, &bytes, indices).to_string()
        } else if self.options.as_header {
            hex::encode(&bytes)
        } else {
            let mut line =
                format!("{} {}", hex::encode(header.nonce()), hex::encode(header.solution()));
            if self.options.indices {
                let indices: Vec<String> = indices.iter().map(u32::to_string).collect();
                line += " ";
                line += &indices.join(",");
            }
            line
        };
        print_line(&line)?;
        match (&mut self.file, &self.options.out) {
            (Some(file), Some(path)) => file.write_all(&bytes).map_err(write_error(path)),
            _ => Ok(()),
        }
    }

    fn object(&self, header: &Header, bytes: &[u8], indices: &[u32]) -> serde_json::Value {
        let hash = header.hash();
        let meets = header.target().is_ok_and(|target: Target| target.is_met_by(hash.as_bytes()));
        let mut object = serde_json::json!({
            "n": header.params().n(),
            "k": header.params().k(),
            "nonce": hex::encode(header.nonce()),
            "solution": hex::encode(header.solution()),
            "header": hex::encode(bytes),
            "hash": hash.to_string(),
            "meets_target": meets,
        });
        if self.options.indices {
            object["indices"] = indices.into();
        }
        object
    }

    /// Completes the file, which appears under its name.
    pub fn complete(self) -> Result<(), CommandError> {
        let (Some(file), Some(path)) = (self.file, &self.options.out) else { return Ok(()) };
        let file = file.into_inner().map_err(|error| write_error(path)(error.into_error()))?;
        Ok(file.complete()?)
    }
}
