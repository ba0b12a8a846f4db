// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Prints extended output, of any length in bounded memory.

use std::io::{self, BufWriter, StdoutLock, Write};
use std::path::Path;

use halimede_blake3::blake3::OutputReader;
use halimede_blake3::{Digest, DIGEST_BYTES};

use super::names::escape;
use crate::arguments::HashFilesOptions;
use crate::error::CommandError;
use crate::output::{output_error, standard_output};

/// The number of bytes of output that are computed before they are written.
const PIECE_BYTES: usize = 16 << 10;

/// The hash of an input: a number of bytes.
pub struct Output {
    bytes: OutputBytes,
    length: u64,
}

enum OutputBytes {
    Stream(Box<OutputReader>),
    Held(Vec<u8>),
}

impl Output {
    /// An output of the next bytes of a reader.
    pub fn stream(reader: OutputReader, length: u64) -> Self {
        Self { bytes: OutputBytes::Stream(Box::new(reader)), length }
    }

    /// An output of these bytes.
    pub fn bytes(bytes: Vec<u8>) -> Self {
        Self { length: bytes.len() as u64, bytes: OutputBytes::Held(bytes) }
    }

    /// Passes all bytes to `take`, a piece at a time.
    fn pieces(self, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut reader = match self.bytes {
            OutputBytes::Held(bytes) => return take(&bytes),
            OutputBytes::Stream(reader) => reader,
        };
        let mut piece = [0; PIECE_BYTES];
        let mut left = self.length;
        while left > 0 {
            let bytes = &mut piece[..left.min(PIECE_BYTES as u64) as usize];
            reader.fill(bytes);
            take(bytes)?;
            left -= bytes.len() as u64;
        }
        Ok(())
    }

    fn write_hex(self, output: &mut impl Write) -> io::Result<()> {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut text = Vec::with_capacity(2 * PIECE_BYTES);
        self.pieces(|bytes| {
            text.clear();
            for byte in bytes {
                text.push(DIGITS[usize::from(byte >> 4)]);
                text.push(DIGITS[usize::from(byte & 15)]);
            }
            output.write_all(&text)
        })
    }

    /// Returns the output, if it is as long as a digest.
    pub fn digest(self) -> Option<Digest> {
        let mut all = Vec::new();
        if self.length != DIGEST_BYTES as u64 {
            return None;
        }
        self.pieces(|bytes| all.write_all(bytes)).ok()?;
        all.try_into().ok()
    }
}

/// The format of printed hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFormat {
    /// `HASH  FILE`
    Plain,
    /// `BLAKE3 (FILE) = HASH`
    Tagged,
    /// `HASH`
    Nameless,
    /// The raw bytes.
    Raw,
    /// `{"file":…,"digest":…}`
    Json,
}

impl LineFormat {
    /// Returns the format that the options select.
    pub fn of(options: &HashFilesOptions, json: bool) -> Self {
        match (options.raw, json, options.no_names, options.tag) {
            (true, ..) => Self::Raw,
            (_, true, ..) => Self::Json,
            (_, _, true, _) => Self::Nameless,
            (.., true) => Self::Tagged,
            _ => Self::Plain,
        }
    }
}

/// Standard output.
pub struct Printer {
    output: BufWriter<StdoutLock<'static>>,
}

impl Printer {
    pub fn new() -> Self {
        Self { output: BufWriter::new(standard_output()) }
    }

    /// Prints the hash of a file.
    pub fn output(
        &mut self,
        form: LineFormat,
        path: &Path,
        output: Output,
    ) -> Result<(), CommandError> {
        self.write(|writer| write_output(writer, form, path, output))
    }

    /// Writes a line.
    pub fn line(&mut self, text: &str) -> Result<(), CommandError> {
        self.write(|writer| writeln!(writer, "{text}"))
    }

    /// Writes and flushes, to keep the order relative to the messages on standard error.
    fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<StdoutLock<'static>>) -> io::Result<()>,
    ) -> Result<(), CommandError> {
        write(&mut self.output).and_then(|()| self.output.flush()).map_err(output_error)
    }
}

fn write_output(
    writer: &mut impl Write,
    form: LineFormat,
    path: &Path,
    output: Output,
) -> io::Result<()> {
    let name = escape(path);
    let start = if name.is_escaped { "\\" } else { "" };
    match form {
        LineFormat::Raw => output.pieces(|bytes| writer.write_all(bytes)),
        LineFormat::Nameless => {
            output.write_hex(writer)?;
            writeln!(writer)
        }
        LineFormat::Plain => {
            write!(writer, "{start}")?;
            output.write_hex(writer)?;
            writeln!(writer, "  {}", name.text)
        }
        LineFormat::Tagged => {
            write!(writer, "{start}BLAKE3 ({}) = ", name.text)?;
            output.write_hex(writer)?;
            writeln!(writer)
        }
        LineFormat::Json => {
            // Written in pieces like the others; digits need no escapes.
            let file = serde_json::Value::from(path.to_string_lossy());
            write!(writer, "{{\"file\":{file},\"digest\":\"")?;
            output.write_hex(writer)?;
            writeln!(writer, "\"}}")
        }
    }
}
