// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Frames: the unit of both byte streams between host and card.
//!
//! A frame is `u32 length` (bytes, header included, padding excluded), `u32 command`, then the
//! payload, all little-endian. The next frame starts on the next beat of the stream, which has
//! [`ALIGNMENT_BYTES`] bytes or more, depending on the card. A length of 0 is idle and carries
//! nothing. Frames of commands with a checksum end with the CRC-32C of all bytes before it and four
//! zero bytes.

use crate::spec::{ALIGNMENT_BYTES, HEADER_BYTES};

/// The size of the checksum at the end of a frame and the zero bytes after it.
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
    /// Returns the payload before the checksum, and verifies the checksum.
    ///
    /// # Errors
    /// [`FrameError::Checksum`] if the checksum does not match: the link has changed some bytes.
    pub fn checked_payload(&self) -> Result<&'a [u8], FrameError> {
        let damaged = FrameError::Checksum { command: self.command };
        let fields = self.payload.len().checked_sub(CHECKSUM_BYTES).ok_or(damaged.clone())?;
        let (payload, carried) = self.payload.split_at(fields);
        // The length fits, since it came from a length word.
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

/// The reason why bytes are not a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The declared length is less than the size of the header.
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
    /// The length exceeds the limit of the stream.
    #[error("a frame (command {command:#010x}) of {length} bytes exceeds the limit of {limit}")]
    TooLong {
        /// The length of the frame in bytes, header included.
        length: usize,
        /// The command word.
        command: u32,
        /// The longest frame of this stream in bytes.
        limit: usize,
    },
    /// The checksum does not match the frame.
    #[error("a frame (command {command:#010x}) was damaged: its checksum does not match")]
    Checksum {
        /// The command word as received.
        command: u32,
    },
}

/// Returns the bytes from the end of a frame of `length` bytes to the next beat of `alignment`
/// bytes.
fn padding_bytes(length: usize, alignment: usize) -> usize {
    length.next_multiple_of(alignment) - length
}

/// Returns the little-endian word at `offset`, or 0 beyond the end.
pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes_at(bytes, offset))
}

/// Returns the little-endian double word at `offset`, or 0 beyond the end.
pub(crate) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_le_bytes(bytes_at(bytes, offset))
}

/// Returns the bytes at `offset`, or zeros beyond the end.
fn bytes_at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
    let bytes = bytes.get(offset..offset + N).and_then(|bytes| bytes.try_into().ok());
    bytes.unwrap_or([0; N])
}

/// Appends one frame to a buffer, field by field.
///
/// A writer dropped without [`Self::finish`] restores the buffer.
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

    /// Appends the checksum and the zero bytes after it, and completes the frame.
    ///
    /// # Errors
    /// See [`Self::finish`].
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
    /// [`FrameError::TooLong`] if the frame is longer than `limit` bytes; the buffer is then as it
    /// was before the frame.
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

/// Splits a byte stream into frames, however the bytes arrive.
///
/// The decoder holds at most one frame, so never more than its limit. After an error the position
/// in the stream is lost, and every further call returns the same error until [`Self::seek`].
#[derive(Debug)]
pub struct Decoder {
    limit: usize,
    /// The partial frame, from its header on; while seeking, the last bytes received.
    buffer: Vec<u8>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Inside a frame or at the start of one.
    Frame,
    /// The buffer's frame has been returned; this number of padding bytes follows it.
    Padding(usize),
    /// Skips everything up to these bytes.
    Seeking(Vec<u8>),
    /// Out of step.
    Lost(FrameError),
}

impl Decoder {
    /// Returns a decoder at the start of a stream whose frames have at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self { limit, buffer: Vec::new(), state: State::Frame }
    }

    /// Skips everything up to the frame `wanted` (unpadded), at any byte offset, and resynchronizes
    /// with it. That frame is the next one returned.
    pub fn seek(&mut self, wanted: &[u8]) {
        self.buffer.clear();
        self.state = State::Seeking(wanted.to_vec());
    }

    /// Consumes bytes from the front of `input` and returns the next frame, or `None` if `input`
    /// ended before the frame did.
    ///
    /// # Errors
    /// [`FrameError`] if the stream contains bytes that are not a frame.
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

    /// Consumes bytes until the buffer holds one whole frame. Returns `false` if `input` ended
    /// before.
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

    /// Consumes bytes until the buffer holds `size`. Returns `false` if `input` ended before.
    fn take_until(&mut self, size: usize, input: &mut &[u8]) -> bool {
        let missing = size.saturating_sub(self.buffer.len());
        let (taken, rest) = input.split_at(missing.min(input.len()));
        self.buffer.reserve_exact(missing);
        self.buffer.extend_from_slice(taken);
        *input = rest;
        taken.len() == missing
    }

    /// Returns the frame in the buffer.
    fn give(&mut self) -> Frame<'_> {
        // After the narrowest beat, the zeros of a wider one are idle.
        self.state = State::Padding(padding_bytes(self.buffer.len(), ALIGNMENT_BYTES));
        Frame {
            command: u32_at(&self.buffer, 4),
            payload: self.buffer.get(HEADER_BYTES..).unwrap_or_default(),
        }
    }
}

/// Slides `window` over `input` until it equals `wanted`. Returns `false` if `input` ended before.
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
