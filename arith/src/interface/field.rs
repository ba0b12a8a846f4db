// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Fields of items, and their values.

use std::fmt::Write;

use super::{Invalid, Outcome};

/// A field of an item.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The name in JSON.
    pub name: &'static str,
    /// A sentence that describes it.
    pub about: &'static str,
    /// The range of its values.
    pub kind: Kind,
    /// The outcome of an item whose value is not in this range.
    pub fault: Outcome,
    /// `true` if JSON may omit the value, which is then empty.
    pub is_optional: bool,
}

impl Field {
    const fn new(name: &'static str, about: &'static str, kind: Kind) -> Self {
        Self { name, about, kind, fault: Outcome::Malformed, is_optional: false }
    }

    /// A field of [`Kind::Bytes`].
    pub const fn bytes(name: &'static str, about: &'static str, least: usize, most: usize) -> Self {
        Self::new(name, about, Kind::Bytes { least, most })
    }

    /// A field of [`Kind::Text`].
    pub const fn text(name: &'static str, about: &'static str, least: usize, most: usize) -> Self {
        Self::new(name, about, Kind::Text { least, most })
    }

    /// A field of [`Kind::Number`].
    pub const fn number(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, Kind::Number)
    }

    /// A field of [`Kind::List`].
    pub const fn list(
        name: &'static str,
        about: &'static str,
        of: &'static [Field],
        least: usize,
        most: usize,
    ) -> Self {
        Self::new(name, about, Kind::List { of, least, most })
    }

    /// Returns the same field with another outcome for invalid values.
    pub const fn or(self, fault: Outcome) -> Self {
        Self { fault, ..self }
    }

    /// Returns the same field, which JSON may omit. It has bytes or a text, which may be empty.
    pub const fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// Returns the value of the field in an item without it, if it may be absent.
    pub fn absent(&self) -> Option<Part> {
        match self.kind {
            Kind::Bytes { least: 0, .. } if self.is_optional => Some(Part::Bytes(Vec::new())),
            Kind::Text { least: 0, .. } if self.is_optional => Some(Part::Text(String::new())),
            _ => None,
        }
    }

    /// Returns the reason why an item with this invalid value is bad.
    pub fn wrong(&self, error: &str) -> Invalid {
        Invalid { outcome: self.fault, reason: format!("`{}`: {error}", self.name) }
    }
}

/// The values of a field.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Bytes. JSON: hexadecimal digits, with or without `0x`. Binary: the bytes, preceded by their
    /// number in four bytes unless `least` and `most` are equal.
    Bytes {
        /// Minimum number of bytes.
        least: usize,
        /// Maximum number of bytes.
        most: usize,
    },
    /// Text. JSON: a string. Binary: UTF-8, preceded by its number of bytes in four bytes.
    Text {
        /// Minimum number of bytes.
        least: usize,
        /// Maximum number of bytes.
        most: usize,
    },
    /// A number below 2²⁵⁶. JSON: `0x` and 1 to 64 hexadecimal digits, most significant first.
    /// Binary: 32 bytes, least significant first.
    Number,
    /// Records. JSON: an array of objects, or of bare values if a record has one field. Binary: the
    /// records in sequence, preceded by their number in four bytes.
    List {
        /// The fields of a record.
        of: &'static [Field],
        /// Minimum number of records.
        least: usize,
        /// Maximum number of records.
        most: usize,
    },
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A value of [`Kind::Bytes`].
    Bytes(Vec<u8>),
    /// A value of [`Kind::Text`].
    Text(String),
    /// A value of [`Kind::Number`], least significant byte first.
    Number([u8; 32]),
    /// A value of [`Kind::List`] whose records have one field, a number.
    Numbers(Vec<[u8; 32]>),
    /// A value of [`Kind::List`].
    List(Vec<Record>),
}

/// The overhead of an allocation in bytes of memory.
const ALLOCATION_BYTES: usize = 16;

impl Part {
    /// Returns the bytes of memory that the value holds on the heap.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.capacity() + ALLOCATION_BYTES,
            Self::Text(text) => text.capacity() + ALLOCATION_BYTES,
            Self::Number(_) => 0,
            Self::Numbers(numbers) => size_of_val(&numbers[..]) + ALLOCATION_BYTES,
            // The records are counted separately.
            Self::List(_) => ALLOCATION_BYTES,
        }
    }
}

/// The values of all fields of an item, in order.
///
/// Each method takes the next value. The caller requests the kinds that the description has;
/// readers produce only such records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Part>);

impl Record {
    /// Returns the bytes of memory of a record with this number of fields, without the contents of
    /// its parts.
    pub fn own_bytes(fields: usize) -> usize {
        size_of::<Self>() + fields * size_of::<Part>() + ALLOCATION_BYTES
    }

    /// Takes the next value, which is bytes.
    pub fn bytes(&mut self) -> Vec<u8> {
        match self.next() {
            Some(Part::Bytes(bytes)) => bytes,
            other => {
                debug_assert!(false, "expected bytes, got {other:?}");
                Vec::new()
            }
        }
    }

    /// Takes the next value, which is text.
    pub fn text(&mut self) -> String {
        match self.next() {
            Some(Part::Text(text)) => text,
            other => {
                debug_assert!(false, "expected text, got {other:?}");
                String::new()
            }
        }
    }

    /// Takes the next value, which is a list of numbers.
    pub fn numbers(&mut self) -> Vec<[u8; 32]> {
        match self.next() {
            Some(Part::Numbers(numbers)) => numbers,
            other => {
                debug_assert!(false, "expected numbers, got {other:?}");
                Vec::new()
            }
        }
    }

    /// Takes the next value, which is a number.
    pub fn number(&mut self) -> [u8; 32] {
        match self.next() {
            Some(Part::Number(number)) => number,
            other => {
                debug_assert!(false, "expected a number, got {other:?}");
                [0; 32]
            }
        }
    }

    /// Takes the next value, which is a list of records.
    pub fn list(&mut self) -> Vec<Record> {
        match self.next() {
            Some(Part::List(list)) => list,
            other => {
                debug_assert!(false, "expected a list, got {other:?}");
                Vec::new()
            }
        }
    }

    fn next(&mut self) -> Option<Part> {
        (!self.0.is_empty()).then(|| self.0.remove(0))
    }
}

/// Formats a number as `0x` and 64 hexadecimal digits.
pub fn number_text(number: &[u8; 32]) -> String {
    let mut text = String::with_capacity(66);
    text.push_str("0x");
    for byte in number.iter().rev() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Reads `0x` and 1 to 64 hexadecimal digits.
///
/// # Errors
/// A sentence that names the fault.
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
