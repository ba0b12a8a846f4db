// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams of blocks: raw ones one after another, one per line in hexadecimal, or the block files
//! of zcashd (`blk00000.dat`), in which a magic number and a length precede each block.

use std::io::{self, BufRead, BufReader, Chain, Cursor, ErrorKind, Read};

use halimede_equihash::Network;

use crate::block::{Block, MOST_BLOCK_BYTES};
use crate::error::BlockError;

const BUFFER_BYTES: usize = 1 << 20;
/// The number of first bytes that distinguish hexadecimal digits from raw blocks.
const PROBE_BYTES: usize = 64;
/// The longest line: the digits of a block, with white space.
const LINE_LIMIT_BYTES: u64 = 2 * MOST_BLOCK_BYTES as u64 + 256;

/// The number of bytes of raw blocks that are read together.
const AHEAD_BYTES: usize = 4 * MOST_BLOCK_BYTES;

/// The networks with the numbers that precede their blocks (zcashd's message start).
const MAGIC: [(Network, [u8; 4]); 3] = [
    (Network::Main, [0x24, 0xe9, 0x27, 0x64]),
    (Network::Test, [0xfa, 0x1a, 0xf9, 0xbf]),
    (Network::Regtest, [0xaa, 0xe8, 0x3f, 0x5f]),
];

/// Why no more blocks can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// The input cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The next bytes are not a block.
    #[error("block {number} ({place}): {source}")]
    Block {
        /// The number of the block in the input, from 1.
        number: u64,
        /// The place where the block begins.
        place: String,
        /// The reason.
        source: BlockError,
    },
    /// A line is too long.
    #[error("block {number} ({place}): the line is longer than {LINE_LIMIT_BYTES} characters")]
    Line {
        /// The number of the block in the input, from 1.
        number: u64,
        /// The line.
        place: String,
    },
    /// A block file has something else than the network's magic number before a block.
    #[error(
        "block {number} ({place}): expected the magic number of the {expected} network{found}"
    )]
    Magic {
        /// The number of the block in the input, from 1.
        number: u64,
        /// The place of the magic number.
        place: String,
        /// The name of the expected network.
        expected: &'static str,
        /// The other network, in words; empty if the bytes belong to none.
        found: String,
    },
    /// A block file ends within a block.
    #[error("block {number} ({place}): the input ends within the block")]
    Truncated {
        /// The number of the block in the input, from 1.
        number: u64,
        /// The place where the block begins.
        place: String,
    },
    /// The input has no blocks.
    #[error("the input has no blocks")]
    Empty,
}

/// The form of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Blocks one after another.
    Raw,
    /// One block per line, in hexadecimal. Empty lines are skipped.
    Lines,
    /// A magic number and a length before each block. Zeros may follow the last.
    Framed,
}

/// Reads blocks of a network one after another, in memory for a few of the largest blocks.
pub struct BlockStream<R> {
    input: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    form: Form,
    network: Network,
    /// Bytes of raw blocks that were read, and the number of those that were taken.
    ahead: Vec<u8>,
    taken: usize,
    /// The numbers of bytes, lines and blocks taken so far.
    bytes: u64,
    lines: u64,
    blocks: u64,
    is_over: bool,
}

impl<R: Read> BlockStream<R> {
    /// Finds out the form of the input from its first bytes.
    ///
    /// # Errors
    /// [`StreamError::Read`].
    pub fn new(mut input: R, network: Network) -> Result<Self, StreamError> {
        let mut start = Vec::new();
        (&mut input).take(PROBE_BYTES as u64).read_to_end(&mut start)?;
        let is_text = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
        let form = match MAGIC.iter().any(|(_, magic)| start.starts_with(magic)) {
            true => Form::Framed,
            false if start.iter().all(is_text) => Form::Lines,
            false => Form::Raw,
        };
        let input = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(start).chain(input));
        let (ahead, is_over) = (Vec::new(), false);
        Ok(Self { input, form, network, ahead, taken: 0, bytes: 0, lines: 0, blocks: 0, is_over })
    }

    /// The number of bytes of the input up to the end of the last block.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    fn read(&mut self) -> Result<Option<Block>, StreamError> {
        let block = match self.form {
            Form::Raw => self.read_raw(),
            Form::Lines => self.read_line(),
            Form::Framed => self.read_framed(),
        }?;
        self.blocks += u64::from(block.is_some());
        match block.is_none() && self.blocks == 0 {
            true => Err(StreamError::Empty),
            false => Ok(block),
        }
    }

    fn read_raw(&mut self) -> Result<Option<Block>, StreamError> {
        if self.ahead.len() - self.taken < MOST_BLOCK_BYTES {
            self.ahead.drain(..self.taken);
            self.taken = 0;
            let missing = AHEAD_BYTES.saturating_sub(self.ahead.len());
            (&mut self.input).take(missing as u64).read_to_end(&mut self.ahead)?;
        }
        let rest = &self.ahead[self.taken..];
        if rest.is_empty() {
            return Ok(None);
        }
        let place = format!("from byte {}", self.bytes);
        let first = Block::parse_first(&rest[..rest.len().min(MOST_BLOCK_BYTES)], self.network);
        let (block, used) = first.map_err(|error| self.bad(place, error))?;
        self.taken += used;
        self.bytes += used as u64;
        Ok(Some(block))
    }

    fn read_line(&mut self) -> Result<Option<Block>, StreamError> {
        loop {
            let mut line = Vec::new();
            (&mut self.input).take(LINE_LIMIT_BYTES + 1).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(None);
            }
            self.bytes += line.len() as u64;
            self.lines += 1;
            let place = format!("line {}", self.lines);
            if line.len() as u64 > LINE_LIMIT_BYTES {
                return Err(StreamError::Line { number: self.blocks + 1, place });
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            let block = Block::parse(&line, self.network);
            return block.map(Some).map_err(|error| self.bad(place, error));
        }
    }

    fn read_framed(&mut self) -> Result<Option<Block>, StreamError> {
        let place = format!("from byte {}", self.bytes);
        let Some(magic) = self.array(&place)? else { return Ok(None) };
        if magic == [0; 4] {
            // zcashd allocates its files in chunks.
            return match self.is_zero_to_the_end()? {
                true => Ok(None),
                false => Err(self.magic(place, magic)),
            };
        }
        let of = MAGIC.into_iter().find(|(_, known)| *known == magic);
        if of.is_none_or(|(network, _)| network != self.network) {
            return Err(self.magic(place, magic));
        }
        let Some(length) = self.array(&place)? else { return Err(self.truncated(place)) };
        let length = u32::from_le_bytes(length) as usize;
        if length > MOST_BLOCK_BYTES {
            let error = BlockError::TooLong { got: length, limit: MOST_BLOCK_BYTES };
            return Err(self.bad(place, error));
        }
        let mut bytes = Vec::new();
        (&mut self.input).take(length as u64).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        if bytes.len() < length {
            return Err(self.truncated(place));
        }
        Block::parse_raw(&bytes, self.network).map(Some).map_err(|error| self.bad(place, error))
    }

    /// Takes four bytes; `None` at the end of the input.
    fn array(&mut self, place: &str) -> Result<Option<[u8; 4]>, StreamError> {
        let mut bytes = Vec::new();
        (&mut self.input).take(4).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        match <[u8; 4]>::try_from(&bytes[..]) {
            Ok(array) => Ok(Some(array)),
            Err(_) if bytes.is_empty() => Ok(None),
            Err(_) => Err(self.truncated(place.to_owned())),
        }
    }

    fn is_zero_to_the_end(&mut self) -> Result<bool, StreamError> {
        loop {
            let count = match self.input.fill_buf() {
                Ok([]) => return Ok(true),
                Ok(buffer) if buffer.iter().any(|byte| *byte != 0) => return Ok(false),
                Ok(buffer) => buffer.len(),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            self.input.consume(count);
            self.bytes += count as u64;
        }
    }

    fn bad(&self, place: String, source: BlockError) -> StreamError {
        StreamError::Block { number: self.blocks + 1, place, source }
    }

    fn truncated(&self, place: String) -> StreamError {
        StreamError::Truncated { number: self.blocks + 1, place }
    }

    fn magic(&self, place: String, magic: [u8; 4]) -> StreamError {
        let other = MAGIC.into_iter().find(|(_, known)| *known == magic);
        let found = other.map_or_else(String::new, |(network, _)| {
            format!(", found that of the {} network", network.name())
        });
        let (number, expected) = (self.blocks + 1, self.network.name());
        StreamError::Magic { number, place, expected, found }
    }
}

impl<R: Read> Iterator for BlockStream<R> {
    type Item = Result<Block, StreamError>;

    /// Reads the next block. After an error, there are no more blocks.
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let block = self.read().transpose();
        self.is_over = !matches!(block, Some(Ok(_)));
        block
    }
}
