// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The forms of a batch: JSON and binary, both read and written by one description of an item.

pub mod binary;
pub mod json;
pub mod schema;

use std::fmt::Write;

use crate::refusal::Refusal;

/// The form of a batch and of its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// [`json`].
    Json,
    /// [`binary`].
    Binary,
}

/// A field of an item.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Its values.
    pub kind: Kind,
}

/// The values of a field.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Bytes. In JSON hexadecimal digits, with or without `0x`; in binary as they are, behind their
    /// number in four bytes unless `least` and `most` are the same.
    Bytes {
        /// Fewest bytes.
        least: usize,
        /// Most bytes.
        most: usize,
    },
    /// A number below 2²⁵⁶. In JSON `0x` and 1 to 64 hexadecimal digits, most significant first; in
    /// binary 32 bytes, least significant first.
    Number,
    /// Records. In JSON an array of objects, or of bare values where a record has one field; in
    /// binary one behind the other, behind their number in four bytes.
    List {
        /// The fields of a record.
        of: &'static [Field],
        /// Fewest records.
        least: usize,
        /// Most records.
        most: usize,
    },
}

/// A value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Of [`Kind::Bytes`].
    Bytes(Vec<u8>),
    /// Of [`Kind::Number`], least significant byte first.
    Number([u8; 32]),
    /// Of [`Kind::List`] whose records have one field, a number.
    Numbers(Vec<[u8; 32]>),
    /// Of [`Kind::List`].
    List(Vec<Record>),
}

/// What a piece of memory takes besides its bytes.
const PIECE_BYTES: usize = 16;

impl Part {
    /// The bytes that it has in memory besides its own size.
    fn held_bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.capacity() + PIECE_BYTES,
            Self::Number(_) => 0,
            Self::Numbers(numbers) => size_of_val(&numbers[..]) + PIECE_BYTES,
            // Its records have been counted one by one.
            Self::List(_) => PIECE_BYTES,
        }
    }
}

/// The values of all fields, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Part>);

impl Record {
    /// The bytes that a record of so many fields has in memory, without what its parts hold.
    fn own_bytes(fields: usize) -> usize {
        size_of::<Self>() + fields * size_of::<Part>() + PIECE_BYTES
    }

    /// Takes the next value, which the description says is bytes.
    pub fn bytes(&mut self) -> Vec<u8> {
        match self.next() {
            Some(Part::Bytes(bytes)) => bytes,
            other => {
                debug_assert!(false, "bytes are described, not {other:?}");
                Vec::new()
            }
        }
    }

    /// Takes the next value, which the description says is a list of numbers.
    pub fn numbers(&mut self) -> Vec<[u8; 32]> {
        match self.next() {
            Some(Part::Numbers(numbers)) => numbers,
            other => {
                debug_assert!(false, "numbers are described, not {other:?}");
                Vec::new()
            }
        }
    }

    /// Takes the next value, which the description says is a number.
    pub fn number(&mut self) -> [u8; 32] {
        match self.next() {
            Some(Part::Number(number)) => number,
            other => {
                debug_assert!(false, "a number is described, not {other:?}");
                [0; 32]
            }
        }
    }

    /// Takes the next value, which the description says is a list.
    pub fn list(&mut self) -> Vec<Record> {
        match self.next() {
            Some(Part::List(list)) => list,
            other => {
                debug_assert!(false, "a list is described, not {other:?}");
                Vec::new()
            }
        }
    }

    fn next(&mut self) -> Option<Part> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

/// An item as it was read, or why it is bad.
pub type Item = Result<Record, String>;

/// What takes the items of a batch while it is read.
pub trait Sink {
    /// Makes room for so many bytes more of the item that is being read.
    ///
    /// # Errors
    /// [`FormError::Ended`] where there is none: the rest of the batch is not read then.
    fn grow(&mut self, bytes: usize) -> Result<(), FormError>;

    /// Takes an item.
    ///
    /// # Errors
    /// Where the rest of the batch is not to be read.
    fn item(&mut self, item: Item) -> Result<(), FormError>;
}

/// Keeps all items, for clients and tests.
impl Sink for Vec<Item> {
    fn grow(&mut self, _: usize) -> Result<(), FormError> {
        Ok(())
    }

    fn item(&mut self, item: Item) -> Result<(), FormError> {
        self.push(item);
        Ok(())
    }
}

/// Why a batch as a whole cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormError {
    /// Not of the form.
    #[error("{0}")]
    Malformed(String),
    /// Too many items.
    #[error("the batch has more than {limit} items")]
    TooMany {
        /// The limit.
        limit: usize,
    },
    /// What takes the items takes no more: there is no memory for them, or nobody waits for the answer.
    #[error("{0}")]
    Ended(Box<Refusal>),
}

/// What an item is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Bytes.
    Bytes(Vec<u8>),
    /// Numbers, least significant byte first.
    Numbers(Vec<[u8; 32]>),
    /// Whether a check holds, or why it does not.
    Verdict(Result<(), String>),
    /// The item is bad: why.
    Bad(String),
}

/// What the items of an operation are answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Bytes, under this name in JSON.
    Bytes(&'static str),
    /// One number, under this name in JSON.
    Number(&'static str),
    /// Numbers, under this name in JSON.
    Numbers(&'static str),
    /// `valid`, and `reason` where it is false.
    Verdict,
}

/// A number as JSON has it: `0x` and 64 digits.
pub fn number_text(number: &[u8; 32]) -> String {
    let mut text = String::with_capacity(66);
    text.push_str("0x");
    for byte in number.iter().rev() {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Reads `0x` and 1 to 64 hexadecimal digits.
///
/// # Errors
/// The fault.
pub fn parse_number(text: &str) -> Result<[u8; 32], String> {
    let digits = text.strip_prefix("0x").ok_or("a number begins with 0x")?;
    if !(1..=64).contains(&digits.len()) {
        return Err("a number has 1 to 64 hexadecimal digits".into());
    }
    let mut number = [0; 32];
    for (place, digit) in digits.bytes().rev().enumerate() {
        let value = char::from(digit).to_digit(16).ok_or("a number has hexadecimal digits")?;
        number[place / 2] |= (value as u8) << (4 * (place % 2));
    }
    Ok(number)
}

/// That a number of bytes or records is in its range.
fn check_count(got: usize, least: usize, most: usize, what: &str) -> Result<(), String> {
    match (least..=most).contains(&got) {
        true => Ok(()),
        false if least == most => Err(format!("{least} {what} are expected, got {got}")),
        false => Err(format!("{least} to {most} {what} are expected, got {got}")),
    }
}

/// An error with the name of the field that it is in.
fn in_field(name: &str) -> impl Fn(String) -> String + '_ {
    move |error| format!("`{name}`: {error}")
}
