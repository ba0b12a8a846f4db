// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches as frames, with the layout of the card's frames: a length and a word, little-endian,
//! then a payload, padded with zero bytes to a multiple of eight.
//!
//! | request, bytes | |
//! |---|---|
//! | 0 to 3 | the length of the frame in bytes: header and payload, without padding |
//! | 4 to 7 | any number; the answer has the same number |
//! | from 8 on | the fields of the item, in order |
//!
//! | answer, bytes | |
//! |---|---|
//! | 0 to 3 | the length of the frame in bytes |
//! | 4 to 7 | the number of the item |
//! | 8 to 11 | 0: answered. 1: the item is bad |
//! | 12 to 15 | 0 |
//! | from 16 on | the reply: bytes; numbers of 32 bytes; or 1 for valid, or 0 and the reason. For a
//! bad item, the reason in UTF-8 |

use halimede_arith::interface::{Answer, Field, Invalid, Kind, Part, Record};

use crate::form::{check_count, FormError, Sink};

/// The number of bytes before the payload of a request.
pub const HEADER_BYTES: usize = 8;
/// The number of bytes before the payload of an answer.
pub const ANSWER_HEADER_BYTES: usize = 16;
const ALIGNMENT: usize = 8;

/// Reads a batch, and returns the numbers of its items.
///
/// # Errors
/// [`FormError`] if a frame ends beyond the body, and if the sink stops the reading.
pub fn read(
    body: &[u8],
    fields: &[Field],
    limit: usize,
    sink: &mut dyn Sink,
) -> Result<Vec<u32>, FormError> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let malformed =
            |what: &str| FormError::Malformed(format!("the frame at byte {at}: {what}"));
        let rest = &body[at..];
        let (Some(length), Some(number)) = (word(rest, 0), word(rest, 4)) else {
            return Err(malformed("fewer than 8 bytes are left for a header"));
        };
        let length = length as usize;
        if length < HEADER_BYTES {
            return Err(malformed("its length is below the 8 bytes of a header"));
        }
        let Some(payload) = rest.get(HEADER_BYTES..length) else {
            return Err(malformed("its length ends beyond the body"));
        };
        let filled = length.next_multiple_of(ALIGNMENT);
        if rest.get(length..filled).is_none_or(|fill| fill.iter().any(|byte| *byte != 0)) {
            return Err(malformed("its padding is not zero bytes up to a multiple of 8"));
        }
        if numbers.len() == limit {
            return Err(FormError::TooMany { limit });
        }
        let item = match item(payload, fields, sink) {
            Ok(record) => Ok(record),
            Err(Fault::Bad(reason)) => Err(reason),
            Err(Fault::End(error)) => return Err(error),
        };
        sink.item(item)?;
        numbers.push(number);
        at += filled;
    }
    Ok(numbers)
}

/// The reason why an item cannot be read.
enum Fault {
    /// The item is bad.
    Bad(Invalid),
    /// The reading ends here.
    End(FormError),
}

impl Fault {
    /// Adds the field of the fault.
    fn within(self, field: &Field) -> Self {
        match self {
            Self::Bad(fault) => Self::Bad(field.wrong(&fault.reason)),
            end => end,
        }
    }

    /// Adds the number of the element of the fault.
    fn at(self, index: usize) -> Self {
        match self {
            Self::Bad(fault) => Self::Bad(format!("element {index}: {}", fault.reason).into()),
            end => end,
        }
    }
}

impl From<String> for Fault {
    fn from(reason: String) -> Self {
        Self::Bad(reason.into())
    }
}

impl From<FormError> for Fault {
    fn from(error: FormError) -> Self {
        Self::End(error)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.first_chunk().map(|word| u32::from_le_bytes(*word))
}

fn item(payload: &[u8], fields: &[Field], sink: &mut dyn Sink) -> Result<Record, Fault> {
    let mut rest = payload;
    let record = record(&mut rest, fields, sink)?;
    match rest.len() {
        0 => Ok(record),
        more => Err(format!("{more} bytes follow the last field").into()),
    }
}

fn record(rest: &mut &[u8], fields: &[Field], sink: &mut dyn Sink) -> Result<Record, Fault> {
    sink.grow(Record::own_bytes(fields.len()))?;
    let parts = fields
        .iter()
        .map(|field| part(rest, field.kind, sink).map_err(|fault| fault.within(field)));
    Ok(Record(parts.collect::<Result<_, Fault>>()?))
}

fn part(rest: &mut &[u8], kind: Kind, sink: &mut dyn Sink) -> Result<Part, Fault> {
    let part = match kind {
        Kind::Bytes { least, most } => {
            let count = if least == most { least } else { take_count(rest)? };
            check_count(count, least, most, "bytes")?;
            Part::Bytes(take(rest, count)?.to_vec())
        }
        Kind::Text { least, most } => {
            let count = take_count(rest)?;
            check_count(count, least, most, "bytes")?;
            let text = String::from_utf8(take(rest, count)?.to_vec());
            Part::Text(text.map_err(|_| "text is UTF-8".to_owned())?)
        }
        Kind::Number => Part::Number(number(rest)?),
        Kind::List { of, least, most } => {
            let count = take_count(rest)?;
            check_count(count, least, most, "elements")?;
            // Checks a count against the payload before it reserves memory.
            if let [field @ Field { kind: Kind::Number, .. }] = of {
                let fault = |error: String| Fault::from(error).within(field);
                let numbers =
                    (0..count).map(|index| number(rest).map_err(|error| fault(error).at(index)));
                Part::Numbers(numbers.collect::<Result<_, Fault>>()?)
            } else {
                let mut records = Vec::new();
                for index in 0..count {
                    let read = record(rest, of, sink);
                    records.push(read.map_err(|fault| fault.at(index))?);
                }
                Part::List(records)
            }
        }
    };
    sink.grow(part.held_bytes())?;
    Ok(part)
}

fn number(rest: &mut &[u8]) -> Result<[u8; 32], String> {
    let mut number = [0; 32];
    number.copy_from_slice(take(rest, 32)?);
    Ok(number)
}

fn take_count(rest: &mut &[u8]) -> Result<usize, String> {
    let count = take(rest, 4)?;
    Ok(word(count, 0).unwrap_or_default() as usize)
}

fn take<'r>(rest: &mut &'r [u8], count: usize) -> Result<&'r [u8], String> {
    match rest.split_at_checked(count) {
        Some((taken, left)) => {
            *rest = left;
            Ok(taken)
        }
        None => Err(format!("{count} bytes are expected, and {} are left", rest.len())),
    }
}

/// Writes an item, for a client, as the frame with this number.
pub fn write_item(record: &Record, fields: &[Field], number: u32, body: &mut Vec<u8>) {
    let start = body.len();
    body.extend_from_slice(&[0; 4]);
    body.extend_from_slice(&number.to_le_bytes());
    write_record(record, fields, body);
    finish(start, body);
}

fn write_record(record: &Record, fields: &[Field], body: &mut Vec<u8>) {
    for (part, field) in record.0.iter().zip(fields) {
        match (part, field.kind) {
            (Part::Bytes(bytes), kind) => {
                if !matches!(kind, Kind::Bytes { least, most } if least == most) {
                    body.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
                }
                body.extend_from_slice(bytes);
            }
            (Part::Text(text), _) => {
                body.extend_from_slice(&(text.len() as u32).to_le_bytes());
                body.extend_from_slice(text.as_bytes());
            }
            (Part::Number(number), _) => body.extend_from_slice(number),
            (Part::Numbers(numbers), _) => {
                body.extend_from_slice(&(numbers.len() as u32).to_le_bytes());
                body.extend_from_slice(numbers.as_flattened());
            }
            (Part::List(records), kind) => {
                body.extend_from_slice(&(records.len() as u32).to_le_bytes());
                let of = if let Kind::List { of, .. } = kind { of } else { &[] };
                records.iter().for_each(|record| write_record(record, of, body));
            }
        }
    }
}

/// Pads a frame and sets its length.
fn finish(start: usize, body: &mut Vec<u8>) {
    let length = body.len() - start;
    body[start..start + 4].copy_from_slice(&(length as u32).to_le_bytes());
    body.resize(start + length.next_multiple_of(ALIGNMENT), 0);
}

/// Writes the answers of a batch.
pub fn write(answers: &[Answer], numbers: &[u32]) -> Vec<u8> {
    let mut body = Vec::with_capacity(48 * answers.len());
    for (answer, number) in answers.iter().zip(numbers) {
        let start = body.len();
        let is_bad = matches!(answer, Answer::Bad(_));
        for word in [0, *number, u32::from(is_bad), 0] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        match answer {
            Answer::Bytes(bytes) => body.extend_from_slice(bytes),
            Answer::Numbers(numbers) => body.extend_from_slice(numbers.as_flattened()),
            Answer::Json(text) => body.extend_from_slice(text.as_bytes()),
            Answer::Verdict(Ok(())) => body.push(1),
            Answer::Verdict(Err(fault)) => {
                body.push(0);
                body.extend_from_slice(fault.reason.as_bytes());
            }
            Answer::Bad(fault) => body.extend_from_slice(fault.reason.as_bytes()),
        }
        finish(start, &mut body);
    }
    body
}

/// An answer's frame, for a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFrame<'a> {
    /// The number of the item.
    pub number: u32,
    /// True for a bad item; the payload is then the reason.
    pub is_bad: bool,
    /// The reply.
    pub payload: &'a [u8],
}

/// Reads answers, for a client; `None` if they are incomplete.
pub fn read_answers(body: &[u8]) -> Option<Vec<AnswerFrame<'_>>> {
    let (mut answers, mut rest) = (Vec::new(), body);
    while !rest.is_empty() {
        let (length, number, status) = (word(rest, 0)? as usize, word(rest, 4)?, word(rest, 8)?);
        let payload = rest.get(ANSWER_HEADER_BYTES..length)?;
        answers.push(AnswerFrame { number, is_bad: status != 0, payload });
        rest = rest.get(length.next_multiple_of(ALIGNMENT)..)?;
    }
    Some(answers)
}
