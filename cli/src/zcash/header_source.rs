// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Streams headers, raw or in hexadecimal: reads ahead, in bounded memory.

use std::io::{self, stdin, BufRead, BufReader, Chain, Cursor, Read};
use std::path::Path;
use std::sync::mpsc::{sync_channel, Receiver};

use halimede_equihash::Params;
use halimede_zcash::{Header, HeaderError};
use hex::FromHexError;

use crate::error::CommandError;
use crate::file_kind::kind_of;
use crate::files::open_whole;

const BUFFER_BYTES: usize = 1 << 20;
/// The number of batches that are read ahead.
const BATCHES_AHEAD: usize = 2;
/// The number of first bytes that distinguish hexadecimal digits from a raw header, in which they
/// include a hash.
const PROBE_BYTES: usize = 64;
/// The maximum amount of white space in a line, besides the digits of the header.
const LINE_SLACK_BYTES: usize = 256;

/// The reason why no more headers can be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The input cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The next bytes are not a header.
    #[error("header {number} ({place}): {reason}")]
    Bad {
        /// The number of the header, from 1.
        number: u64,
        /// The place where the header begins.
        place: String,
        /// The reason.
        reason: String,
    },
    /// The input is of another kind.
    #[error("expected headers, raw or one per line in hexadecimal, but this is {0}")]
    Other(&'static str),
    /// The input has no headers.
    #[error("the input has no headers")]
    Empty,
}

/// Headers that were read together, and their number of bytes in the input.
#[derive(Default)]
pub struct HeaderBatch {
    pub headers: Vec<Header>,
    pub bytes: u64,
    /// The end of the input, if the batch is the last.
    pub end: Option<Result<(), SourceError>>,
}

/// Opens a file, or standard input for `-`, and reads batches of at most `most` headers on a
/// separate thread. Also returns the length of a regular file.
///
/// # Errors
/// [`CommandError::File`].
pub fn read_ahead(
    path: &Path,
    params: Params,
    most: usize,
) -> Result<(Receiver<HeaderBatch>, Option<u64>), CommandError> {
    let (input, length): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
        (Box::new(stdin()), None)
    } else {
        let (file, length) = open_whole(path)?;
        (Box::new(file), length)
    };
    let (send, batches) = sync_channel(BATCHES_AHEAD);
    // The thread ends with the input, or when the receiver is dropped.
    std::thread::spawn(move || {
        let mut source = match HeaderSource::new(input, params, most) {
            Ok(source) => source,
            Err(error) => {
                let end = Some(Err(error.into()));
                drop(send.send(HeaderBatch { end, ..HeaderBatch::default() }));
                return;
            }
        };
        if let Some(kind) = source.other_kind {
            let end = Some(Err(SourceError::Other(kind)));
            drop(send.send(HeaderBatch { end, ..HeaderBatch::default() }));
            return;
        }
        loop {
            let batch = source.batch();
            let is_last = batch.end.is_some();
            if send.send(batch).is_err() || is_last {
                return;
            }
        }
    });
    Ok((batches, length))
}

/// The encoding of the headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeaderFormat {
    Raw,
    Lines,
}

/// Reads headers.
struct HeaderSource<R> {
    input: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    form: HeaderFormat,
    /// The detected kind of an input that does not hold headers.
    other_kind: Option<&'static str>,
    params: Params,
    /// The maximum number of headers of a batch.
    most: usize,
    /// The numbers of bytes, lines and headers read so far.
    bytes: u64,
    lines: u64,
    headers: u64,
}

impl<R: Read> HeaderSource<R> {
    fn new(mut input: R, params: Params, most: usize) -> io::Result<Self> {
        let mut start = Vec::new();
        (&mut input).take(PROBE_BYTES as u64).read_to_end(&mut start)?;
        let is_text = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
        let form = if start.iter().all(is_text) { HeaderFormat::Lines } else { HeaderFormat::Raw };
        let other_kind = if form == HeaderFormat::Raw { kind_of(&start) } else { None };
        let input = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(start).chain(input));
        Ok(Self { input, form, other_kind, params, most, bytes: 0, lines: 0, headers: 0 })
    }

    /// Waits for a header, and returns it with the other complete headers of the buffer.
    fn batch(&mut self) -> HeaderBatch {
        let mut batch = HeaderBatch::default();
        let before = self.bytes;
        while batch.end.is_none() {
            match self.next() {
                Ok(Some(header)) => batch.headers.push(header),
                Ok(None) if self.headers == 0 => batch.end = Some(Err(SourceError::Empty)),
                Ok(None) => batch.end = Some(Ok(())),
                Err(error) => batch.end = Some(Err(error)),
            }
            if batch.headers.len() >= self.most || !self.has_another() {
                break;
            }
        }
        batch.bytes = self.bytes - before;
        batch
    }

    /// Returns `true` if the buffer holds another complete header.
    fn has_another(&self) -> bool {
        match self.form {
            HeaderFormat::Raw => self.input.buffer().len() >= Header::bytes(self.params),
            HeaderFormat::Lines => self.input.buffer().contains(&b'\n'),
        }
    }

    fn next(&mut self) -> Result<Option<Header>, SourceError> {
        let header = match self.form {
            HeaderFormat::Raw => self.next_raw(),
            HeaderFormat::Lines => self.next_line(),
        }?;
        self.headers += u64::from(header.is_some());
        Ok(header)
    }

    fn next_raw(&mut self) -> Result<Option<Header>, SourceError> {
        let place = self.bytes;
        let mut bytes = Vec::new();
        (&mut self.input).take(Header::bytes(self.params) as u64).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        if bytes.is_empty() {
            return Ok(None);
        }
        let bad = |error: HeaderError| self.bad(format!("from byte {place}"), error.to_string());
        Header::parse(&bytes, Some(self.params)).map(Some).map_err(bad)
    }

    /// Reads the header of the next line that is not empty.
    fn next_line(&mut self) -> Result<Option<Header>, SourceError> {
        let limit = 2 * Header::bytes(self.params) + LINE_SLACK_BYTES;
        loop {
            let mut line = Vec::new();
            (&mut self.input).take(limit as u64).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(None);
            }
            self.bytes += line.len() as u64;
            self.lines += 1;
            let place = format!("line {}", self.lines);
            if line.len() == limit && line.last() != Some(&b'\n') {
                return Err(self.bad(place, format!("the line is longer than {limit} characters")));
            }
            let digits = line.trim_ascii();
            if digits.is_empty() {
                continue;
            }
            let header = decode(digits).and_then(|bytes| {
                Header::parse(&bytes, Some(self.params)).map_err(|error| error.to_string())
            });
            return header.map(Some).map_err(|reason| self.bad(place, reason));
        }
    }

    fn bad(&self, place: String, reason: String) -> SourceError {
        SourceError::Bad { number: self.headers + 1, place, reason }
    }
}

/// Decodes hexadecimal digits.
pub fn decode(digits: &[u8]) -> Result<Vec<u8>, String> {
    hex::decode(digits).map_err(|error| match error {
        FromHexError::InvalidHexCharacter { c, index } => {
            format!("character {}: {c:?} is not a hexadecimal digit", index + 1)
        }
        FromHexError::OddLength => {
            format!("expected an even number of hexadecimal digits, got {}", digits.len())
        }
        FromHexError::InvalidStringLength => error.to_string(),
    })
}
