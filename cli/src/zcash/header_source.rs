// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads headers one after the other, raw or in hexadecimal, in bounded memory and ahead of what
//! is done with them.

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
/// Batches that are read before they are wanted.
const BATCHES_AHEAD: usize = 2;
/// The bytes at the start that tell hexadecimal digits from raw headers: a raw one has a hash among
/// them.
const PROBE_BYTES: usize = 64;
/// White space that a line may have beside a header's digits.
const LINE_SLACK_BYTES: usize = 256;

/// Why no header comes any more.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// The next bytes are not a header.
    #[error("header {number} ({place}): {reason}")]
    Bad {
        /// Which one, from 1.
        number: u64,
        /// Where it begins.
        place: String,
        /// The fault.
        reason: String,
    },
    /// It is something else.
    #[error("this is {0}, where headers should be, raw or a line of hexadecimal digits each")]
    Other(&'static str),
    /// The end of the input.
    #[error("there are no headers in it")]
    Empty,
}

/// Headers that were read together, and the bytes that they took.
#[derive(Default)]
pub struct HeaderBatch {
    pub headers: Vec<Header>,
    pub bytes: u64,
    /// The end of the input, if it has come.
    pub end: Option<Result<(), SourceError>>,
}

/// Opens a file or standard input, `-`, and reads batches of at most `most` headers on a thread of
/// its own. Gives the file's length as well, where it is a regular one.
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
    // It ends with the input, or when nobody takes batches any more.
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

/// How headers stand in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Raw,
    Lines,
}

/// Reads headers.
struct HeaderSource<R> {
    input: BufReader<Chain<Cursor<Vec<u8>>, R>>,
    form: Form,
    /// What is there in place of headers, where that shows.
    other_kind: Option<&'static str>,
    params: Params,
    /// Most headers of a batch.
    most: usize,
    /// Bytes, lines and headers that have been read.
    bytes: u64,
    lines: u64,
    headers: u64,
}

impl<R: Read> HeaderSource<R> {
    fn new(mut input: R, params: Params, most: usize) -> io::Result<Self> {
        let mut start = Vec::new();
        (&mut input).take(PROBE_BYTES as u64).read_to_end(&mut start)?;
        let is_text = |byte: &u8| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace();
        let form = if start.iter().all(is_text) { Form::Lines } else { Form::Raw };
        let other_kind = if form == Form::Raw { kind_of(&start) } else { None };
        let input = BufReader::with_capacity(BUFFER_BYTES, Cursor::new(start).chain(input));
        Ok(Self { input, form, other_kind, params, most, bytes: 0, lines: 0, headers: 0 })
    }

    /// The next headers: waits for one, then takes those that are whole in the buffer.
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

    /// Whether another header is in the buffer, and need not be waited for.
    fn has_another(&self) -> bool {
        match self.form {
            Form::Raw => self.input.buffer().len() >= Header::bytes(self.params),
            Form::Lines => self.input.buffer().contains(&b'\n'),
        }
    }

    fn next(&mut self) -> Result<Option<Header>, SourceError> {
        let header = match self.form {
            Form::Raw => self.next_raw(),
            Form::Lines => self.next_line(),
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

    /// The next line's header; empty lines are passed over.
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

/// The bytes of hexadecimal digits.
pub fn decode(digits: &[u8]) -> Result<Vec<u8>, String> {
    hex::decode(digits).map_err(|error| match error {
        FromHexError::InvalidHexCharacter { c, index } => {
            format!("character {}: {c:?} is not a hexadecimal digit", index + 1)
        }
        FromHexError::OddLength => format!("{} hexadecimal digits: an odd number", digits.len()),
        FromHexError::InvalidStringLength => error.to_string(),
    })
}
