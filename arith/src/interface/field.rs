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
    /// The outcome of an item with another value.
    pub fault: Outcome,
}

impl Field {
    const fn new(name: &'static str, about: &'static str, kind: Kind) -> Self {
        Self { name, about, kind, fault: Outcome::Malformed }
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

    /// The same with another outcome of wrong values.
    pub const fn or(self, fault: Outcome) -> Self {
        Self { fault, ..self }
    }

    /// What is wrong with a value, as the reason why its item is bad.
    pub fn wrong(&self, error: &str) -> Invalid {
        Invalid { outcome: self.fault, reason: format!("`{}`: {error}", self.name) }
    }
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
    /// Text. In JSON a string; in binary UTF-8, behind its number of bytes in four bytes.
    Text {
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
    /// Of [`Kind::Text`].
    Text(String),
    /// Of [`Kind::Number`], least significant byte first.
    Number([u8; 32]),
    /// Of [`Kind::List`] whose records have one field, a number.
    Numbers(Vec<[u8; 32]>),
    /// Of [`Kind::List`].
    List(Vec<Record>),
}

/// Bytes of memory that an allocation needs besides its content.
const ALLOCATION_BYTES: usize = 16;

impl Part {
    /// The bytes of memory that it holds besides its own size.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.capacity() + ALLOCATION_BYTES,
            Self::Text(text) => text.capacity() + ALLOCATION_BYTES,
            Self::Number(_) => 0,
            Self::Numbers(numbers) => size_of_val(&numbers[..]) + ALLOCATION_BYTES,
            // Its records are counted one by one.
            Self::List(_) => ALLOCATION_BYTES,
        }
    }
}

/// The values of all fields, in their order.
///
/// Each method takes the next value. The caller asks for the kinds that the description has; readers
/// produce no other record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record(pub Vec<Part>);

impl Record {
    /// The bytes of memory of a record with so many fields, without what its parts hold.
    pub fn own_bytes(fields: usize) -> usize {
        size_of::<Self>() + fields * size_of::<Part>() + ALLOCATION_BYTES
    }

    /// The next value, bytes.
    pub fn bytes(&mut self) -> Vec<u8> {
        match self.next() {
            Some(Part::Bytes(bytes)) => bytes,
            other => {
                debug_assert!(false, "bytes are described, not {other:?}");
                Vec::new()
            }
        }
    }

    /// The next value, text.
    pub fn text(&mut self) -> String {
        match self.next() {
            Some(Part::Text(text)) => text,
            other => {
                debug_assert!(false, "text is described, not {other:?}");
                String::new()
            }
        }
    }

    /// The next value, a list of numbers.
    pub fn numbers(&mut self) -> Vec<[u8; 32]> {
        match self.next() {
            Some(Part::Numbers(numbers)) => numbers,
            other => {
                debug_assert!(false, "numbers are described, not {other:?}");
                Vec::new()
            }
        }
    }

    /// The next value, a number.
    pub fn number(&mut self) -> [u8; 32] {
        match self.next() {
            Some(Part::Number(number)) => number,
            other => {
                debug_assert!(false, "a number is described, not {other:?}");
                [0; 32]
            }
        }
    }

    /// The next value, a list of records.
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

/// Formats a number as `0x` and 64 hexadecimal digits.
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
