// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Frames: the unit of both byte streams between host and card.
//!
//! A frame is `u32 length` (bytes, header included, padding excluded), `u32 command`, then the
//! payload, all little-endian; the next frame starts on the next beat of the stream, which is
//! [`ALIGNMENT_BYTES`] long or wider, as the card has it. A length of 0 is idle and carries
//! nothing. Frames of commands that have a checksum end in the CRC-32C of all before it and four
//! zero bytes.

use crate::spec::{ALIGNMENT_BYTES, HEADER_BYTES};

/// The checksum at the end of a frame that has one, and the zero bytes behind it.
pub const CHECKSUM_BYTES: usize = 8;

/// One frame of a stream, without its padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The command word.
    pub command: u32,
    /// The bytes after the header.
    pub payload: &'a [u8],
}

impl<'a> Frame<'a> {
    /// The payload before the checksum, which must fit the frame.
    ///
    /// # Errors
    /// [`FrameError::Checksum`] where it does not: the link has changed something.
    pub fn checked_payload(&self) -> Result<&'a [u8], FrameError> {
        let damaged = FrameError::Checksum { command: self.command };
        let fields = self.payload.len().checked_sub(CHECKSUM_BYTES).ok_or(damaged.clone())?;
        let (payload, carried) = self.payload.split_at(fields);
        // A frame's length fits its length word.
        let length = (HEADER_BYTES + self.payload.len()) as u32;
        let checksum = crc32c::crc32c(&length.to_le_bytes());
        let checksum = crc32c::crc32c_append(checksum, &self.command.to_le_bytes());
        let checksum = crc32c::crc32c_append(checksum, payload);
        if u64_at(carried, 0) == u64::from(checksum) {
            return Ok(payload);
        }
        Err(damaged)
    }
}

/// Why bytes are not a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The declared length does not even cover the header.
    #[error(
        "a frame (command {command:#010x}) declares {length} bytes, less than its \
        {HEADER_BYTES}-byte header"
    )]
    TooShort {
        /// The length word.
        length: u32,
        /// The command word.
        command: u32,
    },
    /// The length is above what this stream allows.
    #[error("a frame (command {command:#010x}) of {length} bytes exceeds the limit of {limit}")]
    TooLong {
        /// The frame's length in bytes, header included.
        length: usize,
        /// The command word.
        command: u32,
        /// Longest frame of this stream in bytes.
        limit: usize,
    },
    /// The checksum does not fit the frame.
    #[error("a frame (command {command:#010x}) was changed on its way: its checksum does not fit")]
    Checksum {
        /// The command word, as it came.
        command: u32,
    },
}

/// Bytes from the end of a frame of `length` bytes to the next beat of `alignment` bytes.
fn padding_bytes(length: usize, alignment: usize) -> usize {
    length.next_multiple_of(alignment) - length
}

/// The little-endian word at `offset`, 0 beyond the end.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes_at(bytes, offset))
}

/// The little-endian double word at `offset`, 0 beyond the end.
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes_at(bytes, offset))
}

/// The bytes at `offset`, zeros beyond the end.
fn bytes_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let bytes = bytes.get(offset..offset + N).and_then(|bytes| bytes.try_into().ok());
    bytes.unwrap_or([0; N])
}

/// Appends one frame to a buffer, field by field.
///
/// A writer dropped without [`Self::finish`] leaves the buffer as it found it.
#[derive(Debug)]
pub struct FrameWriter<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    alignment: usize,
    finished: bool,
}

impl<'a> FrameWriter<'a> {
    /// Begins a frame at the end of `out`, where a beat of [`ALIGNMENT_BYTES`] begins.
    pub fn new(out: &'a mut Vec<u8>, command: u32) -> Self {
        Self::aligned(out, command, ALIGNMENT_BYTES)
    }

    /// Begins a frame at the end of `out`, where a beat of `alignment` bytes begins.
    pub fn aligned(out: &'a mut Vec<u8>, command: u32, alignment: usize) -> Self {
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&command.to_le_bytes());
        Self { out, start, alignment, finished: false }
    }

    /// Appends bytes to the payload.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.out.extend_from_slice(bytes);
        self
    }

    /// Appends a byte to the payload.
    pub fn u8(&mut self, value: u8) -> &mut Self {
        self.bytes(&[value])
    }

    /// Appends a word to the payload.
    pub fn u32(&mut self, value: u32) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends a double word to the payload.
    pub fn u64(&mut self, value: u64) -> &mut Self {
        self.bytes(&value.to_le_bytes())
    }

    /// Appends the checksum and the zero bytes behind it, and completes the frame.
    ///
    /// # Errors
    /// As [`Self::finish`].
    pub fn finish_with_checksum(self, limit: usize) -> Result<(), FrameError> {
        let length = self.out.len() - self.start + CHECKSUM_BYTES;
        if let Ok(word) = u32::try_from(length) {
            self.out[self.start..self.start + 4].copy_from_slice(&word.to_le_bytes());
        }
        let checksum = crc32c::crc32c(&self.out[self.start..]);
        self.out.extend_from_slice(&u64::from(checksum).to_le_bytes());
        self.finish(limit)
    }

    /// Completes the header and pads with zeros to the next beat.
    ///
    /// # Errors
    /// [`FrameError::TooLong`] where the frame is longer than `limit` bytes; the buffer is then
    /// as it was before the frame.
    pub fn finish(mut self, limit: usize) -> Result<(), FrameError> {
        let length = self.out.len() - self.start;
        match u32::try_from(length) {
            Ok(word) if length <= limit => {
                self.out[self.start..self.start + 4].copy_from_slice(&word.to_le_bytes());
                let padding = padding_bytes(length, self.alignment);
                self.out.resize(self.out.len() + padding, 0);
                self.finished = true;
                Ok(())
            }
            _ => {
                let command = u32_at(self.out, self.start + 4);
                Err(FrameError::TooLong { length, command, limit })
            }
        }
    }
}

impl Drop for FrameWriter<'_> {
    fn drop(&mut self) {
        if !self.finished {
            self.out.truncate(self.start);
        }
    }
}

/// Cuts a byte stream into frames, however its bytes arrive.
///
/// It holds at most one frame, so never more than its limit. After an error the position in the
/// stream is lost, and every further call gives the same error until [`Self::seek`].
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The frame under way from its header on; while seeking, the last bytes seen.
    buffer: Vec<u8>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Inside a frame, or at the start of one.
    Frame,
    /// The buffer's frame has been given out; this number of padding bytes follows it.
    Padding(usize),
    /// Skipping everything until these bytes.
    Seeking(Vec<u8>),
    /// Out of step.
    Lost(FrameError),
}

impl Decoder {
    /// A decoder at the start of a stream whose frames are at most `limit` bytes long.
    pub fn new(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), state: State::Frame }
    }

    /// Skips everything up to the frame `wanted` (unpadded), at whatever byte offset it begins,
    /// and takes the step of the stream from it. That frame is the next one given out.
    pub fn seek(&mut self, wanted: &[u8]) {
        self.buffer.clear();
        self.state = State::Seeking(wanted.to_vec());
    }

    /// Takes bytes from the front of `input` and gives the next frame, or `None` where `input`
    /// ended before it did.
    ///
    /// # Errors
    /// [`FrameError`] where the stream holds what is no frame.
    pub fn next_frame(&mut self, input: &mut &[u8]) -> Result<Option<Frame<'_>>, FrameError> {
        loop {
            match &self.state {
                State::Lost(error) => return Err(error.clone()),
                State::Padding(left) => {
                    let skipped = (*left).min(input.len());
                    *input = &input[skipped..];
                    if skipped < *left {
                        self.state = State::Padding(left - skipped);
                        return Ok(None);
                    }
                    self.buffer.clear();
                    self.state = State::Frame;
                }
                State::Seeking(wanted) => {
                    if !slide_to(wanted, &mut self.buffer, input) {
                        return Ok(None);
                    }
                    return Ok(Some(self.give()));
                }
                State::Frame => match self.fill(input) {
                    Ok(false) => return Ok(None),
                    Ok(true) => return Ok(Some(self.give())),
                    Err(error) => self.state = State::Lost(error),
                },
            }
        }
    }

    /// Takes bytes until the buffer holds one whole frame; false where `input` ended before.
    fn fill(&mut self, input: &mut &[u8]) -> Result<bool, FrameError> {
        loop {
            if !self.take_until(HEADER_BYTES, input) {
                return Ok(false);
            }
            let (length, command) = (u32_at(&self.buffer, 0), u32_at(&self.buffer, 4));
            match length as usize {
                0 => self.buffer.clear(),
                1..HEADER_BYTES => return Err(FrameError::TooShort { length, command }),
                length if length > self.limit => {
                    return Err(FrameError::TooLong { length, command, limit: self.limit });
                }
                length => return Ok(self.take_until(length, input)),
            }
        }
    }

    /// Takes bytes until the buffer holds `size`; false where `input` ended before.
    fn take_until(&mut self, size: usize, input: &mut &[u8]) -> bool {
        let missing = size.saturating_sub(self.buffer.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.buffer.reserve_exact(missing);
        self.buffer.extend_from_slice(taken);
        *input = rest;
        taken.len() == missing
    }

    /// Gives out the frame in the buffer.
    fn give(&mut self) -> Frame<'_> {
        // Behind the narrowest beat, the zeros of a wider one are idle.
        self.state = State::Padding(padding_bytes(self.buffer.len(), ALIGNMENT_BYTES));
        Frame {
            command: u32_at(&self.buffer, 4),
            payload: self.buffer.get(HEADER_BYTES..).unwrap_or_default(),
        }
    }
}

/// Slides `window` over `input` until it equals `wanted`; false where `input` ended before.
fn slide_to(wanted: &[u8], window: &mut Vec<u8>, input: &mut &[u8]) -> bool {
    while let Some((&byte, rest)) = input.split_first() {
        *input = rest;
        if window.len() == wanted.len() {
            window.remove(0);
        }
        window.push(byte);
        if window == wanted {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests;
