// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Numbers of 381 bits, the contents of slots.

use std::fmt;

use super::isa::{DATA_BITS, VALUE_BYTES};

/// The number of bits in the highest byte of a number.
const HIGHEST_BITS: u32 = (DATA_BITS % 8) as u32;

/// A number below 2³⁸¹.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number([u8; VALUE_BYTES]);

/// Why a text is not a number that fits in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The text has no digits.
    #[error("the number has no digits")]
    Empty,
    /// A character is not a digit.
    #[error("{0:?} is not a digit")]
    Digit(char),
    /// The number is 2³⁸¹ or more.
    #[error("the number has more than 381 bits")]
    TooLarge,
}

impl Default for Number {
    fn default() -> Self {
        Self([0; VALUE_BYTES])
    }
}

impl From<u64> for Number {
    fn from(number: u64) -> Self {
        let mut bytes = [0; VALUE_BYTES];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self(bytes)
    }
}

impl Number {
    /// Creates a number from little-endian bytes; `None` if it is 2³⁸¹ or more.
    pub fn from_le_bytes(bytes: [u8; VALUE_BYTES]) -> Option<Self> {
        (bytes[VALUE_BYTES - 1] >> HIGHEST_BITS == 0).then_some(Self(bytes))
    }

    /// Creates a number from the lowest 381 bits of little-endian bytes.
    pub(crate) fn truncated(mut bytes: [u8; VALUE_BYTES]) -> Self {
        bytes[VALUE_BYTES - 1] &= (1 << HIGHEST_BITS) - 1;
        Self(bytes)
    }

    /// Creates a number from big-endian bytes; `None` if it is 2³⁸¹ or more.
    pub fn from_be_bytes(mut bytes: [u8; VALUE_BYTES]) -> Option<Self> {
        bytes.reverse();
        Self::from_le_bytes(bytes)
    }

    /// Returns the little-endian bytes.
    pub fn to_le_bytes(self) -> [u8; VALUE_BYTES] {
        self.0
    }

    /// Returns the big-endian bytes.
    pub fn to_be_bytes(self) -> [u8; VALUE_BYTES] {
        let mut bytes = self.0;
        bytes.reverse();
        bytes
    }

    /// Returns `true` if the number is 0.
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }

    /// Returns the 381 bits, from the highest on.
    pub(crate) fn bits(self) -> impl Iterator<Item = bool> {
        (0..DATA_BITS).rev().map(move |bit| self.0[bit / 8] >> (bit % 8) & 1 == 1)
    }

    /// Returns the number minus 1, or 0 for 0.
    pub(crate) fn before(self) -> Self {
        let mut bytes = self.0;
        if !self.is_zero() {
            for byte in &mut bytes {
                *byte = byte.wrapping_sub(1);
                if *byte != u8::MAX {
                    break;
                }
            }
        }
        Self(bytes)
    }

    /// Parses a number: hexadecimal after `0x`, otherwise decimal.
    ///
    /// # Errors
    /// [`NumberError`].
    pub fn parse(text: &str) -> Result<Self, NumberError> {
        let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (text, 10),
        };
        if digits.is_empty() {
            return Err(NumberError::Empty);
        }
        let mut number = Self::default();
        for digit in digits.chars().filter(|&digit| digit != '_') {
            let value = digit.to_digit(radix).ok_or(NumberError::Digit(digit))?;
            number = number.with_digit(radix, value).ok_or(NumberError::TooLarge)?;
        }
        Ok(number)
    }

    fn with_digit(self, radix: u32, digit: u32) -> Option<Self> {
        let (mut bytes, mut carry) = (self.0, digit);
        for byte in &mut bytes {
            carry += u32::from(*byte) * radix;
            [*byte, ..] = carry.to_le_bytes();
            carry >>= 8;
        }
        Self::from_le_bytes(bytes).filter(|_| carry == 0)
    }
}

/// Hexadecimal, without leading zeros.
impl fmt::Display for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.to_be_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        let digits = digits.trim_start_matches('0');
        write!(formatter, "0x{}", if digits.is_empty() { "0" } else { digits })
    }
}

impl fmt::Debug for Number {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_written() {
        for text in ["0x0", "0x1", "0xff", "0x100", "0xfedcba9876543210fedcba9876543210"] {
            assert_eq!(Number::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Number::parse("1_000_000"), Ok(Number::from(1_000_000)));
        let largest = format!("0x1f{}", "f".repeat(94));
        assert_eq!(Number::parse(&largest).unwrap().to_string(), largest);
        assert_eq!(Number::parse(&format!("0x20{}", "0".repeat(94))), Err(NumberError::TooLarge));
        assert_eq!(Number::parse(&"9".repeat(200)), Err(NumberError::TooLarge));
        assert_eq!(Number::parse("0x"), Err(NumberError::Empty));
        assert_eq!(Number::parse("12a"), Err(NumberError::Digit('a')));
    }

    #[test]
    fn one_is_subtracted_through_all_bytes() {
        assert_eq!(Number::from(1).before(), Number::default());
        assert_eq!(Number::default().before(), Number::default());
        assert_eq!(Number::parse("0x1000000").unwrap().before(), Number::from(0xff_ffff));
    }
}
