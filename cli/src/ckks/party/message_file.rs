// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files of messages: 0x89 `CKPF` CR LF 0x1a, the number of messages in 4 bytes, and for each its
//! size in 8 bytes and its bytes. All numbers are little-endian. Each message has its own checksum.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::{Path, PathBuf};

use halimede_files::Output;
use zeroize::Zeroizing;

use super::super::messages::bad_input;
use crate::arguments::Sent;
use crate::error::CommandError;
use crate::file_kind::{not_wanted, MESSAGES_MAGIC};
use crate::files::{create, open_file, write_error};

/// The name of such a file in errors.
const KIND: &str = "messages of a key holder";
/// The largest number of messages in a file.
const MOST_MESSAGES: u32 = 1 << 20;
/// The largest size of a message: more than a digit of any key needs.
const MOST_BYTES: u64 = 1 << 34;

/// A file of messages that is being written, and appears when it is complete.
pub struct MessageWriter<'p> {
    path: &'p Path,
    output: Output,
    left: usize,
}

impl<'p> MessageWriter<'p> {
    /// Begins a file of `count` messages.
    pub fn new(path: &'p Path, inputs: &[&Path], count: usize) -> Result<Self, CommandError> {
        let mut output = create(path, inputs)?;
        write_start(&mut output, count).map_err(write_error(path))?;
        Ok(Self { path, output, left: count })
    }

    /// Adds a message.
    pub fn add(&mut self, message: &[u8]) -> Result<(), CommandError> {
        self.left = self.left.saturating_sub(1);
        write_message(&mut self.output, message).map_err(write_error(self.path))
    }

    /// Ends the file, which appears now.
    pub fn complete(self) -> Result<(), CommandError> {
        assert_eq!(self.left, 0, "the file lacks messages");
        Ok(self.output.complete()?)
    }
}

/// Writes what precedes the messages of a file.
pub fn write_start(output: &mut impl Write, count: usize) -> std::io::Result<()> {
    output.write_all(&MESSAGES_MAGIC)?;
    output.write_all(&(count as u32).to_le_bytes())
}

/// Writes a message of a file.
pub fn write_message(output: &mut impl Write, message: &[u8]) -> std::io::Result<()> {
    output.write_all(&(message.len() as u64).to_le_bytes())?;
    output.write_all(message)
}

/// Reads the messages of a party, one at a time.
pub struct MessageReader {
    from: String,
    path: PathBuf,
    input: BufReader<File>,
    count: u32,
    read: u32,
}

impl MessageReader {
    pub fn open(sent: &Sent) -> Result<Self, CommandError> {
        let (path, from) = (sent.path.clone(), sent.from.clone());
        let (file, _) = open_file(&path)?;
        let mut reader = Self { from, path, input: BufReader::new(file), count: 0, read: 0 };
        let mut start = Zeroizing::new([0; MESSAGES_MAGIC.len() + size_of::<u32>()]);
        let is_whole = reader.fill(&mut start[..])?;
        if !(is_whole && start.starts_with(&MESSAGES_MAGIC)) {
            return Err(not_wanted(&reader.path, KIND, "it does not begin like one"));
        }
        reader.count = u32::from_le_bytes([start[8], start[9], start[10], start[11]]);
        match reader.count <= MOST_MESSAGES {
            true => Ok(reader),
            false => Err(reader.failed(format!("{} messages", reader.count))),
        }
    }

    /// The number of messages.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the next message. It is wiped, since it may be secret.
    pub fn next(&mut self) -> Result<Option<Zeroizing<Vec<u8>>>, CommandError> {
        if self.read == self.count {
            return match self.fill(&mut [0])? {
                true => Err(self.failed("the file has bytes after its end")),
                false => Ok(None),
            };
        }
        let mut length = [0; 8];
        let is_whole = self.fill(&mut length)?;
        let length = u64::from_le_bytes(length);
        if is_whole && length > MOST_BYTES {
            return Err(self.failed(format!("a message of {length} bytes")));
        }
        // Memory grows with the bytes that are there.
        let mut message = Zeroizing::new(Vec::new());
        let taken = self.input.by_ref().take(length).read_to_end(&mut message);
        taken.map_err(|source| CommandError::File { path: self.path.clone(), source })?;
        if !is_whole || message.len() as u64 != length {
            let (number, count) = (self.read + 1, self.count);
            let from = &self.from;
            return Err(self.failed(format!(
                "the file of {from:?} ends within message {number} of {count}: it was not \
                 completely sent or written"
            )));
        }
        self.read += 1;
        Ok(Some(message))
    }

    /// Fills a buffer. Returns `false` if the file ends before.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<bool, CommandError> {
        match self.input.read_exact(buffer) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(source) => Err(CommandError::File { path: self.path.clone(), source }),
        }
    }

    fn failed(&self, what: impl std::fmt::Display) -> CommandError {
        bad_input(format!("{}: {what}", self.path.display()))
    }
}

/// Passes each message of each file to a function, with the name of its sender. Errors name the
/// file.
pub fn for_each_message(
    files: &[Sent],
    mut receive: impl FnMut(&str, &[u8]) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    for sent in files {
        let mut reader = MessageReader::open(sent)?;
        while let Some(message) = reader.next()? {
            receive(&sent.from, &message).map_err(|error| match error {
                CommandError::BadInput(text) => reader.failed(text),
                error => error,
            })?;
        }
    }
    Ok(())
}
