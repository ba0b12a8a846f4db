// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DER of a signature by the rules of BIP 66: `30 length 02 length r 02 length s` with nothing
//! after it; numbers are positive and have no needless zero bytes. 72 bytes hold any r and s of 32
//! bytes; BIP 66's limit of 73 includes the hash type.

use std::fmt;

use super::Numbers;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const LEAST_BYTES: usize = 8;
const MOST_BYTES: usize = 72;

/// One of the two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Number {
    /// The first.
    R,
    /// The second.
    S,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::R => "r",
            Self::S => "s",
        })
    }
}

/// The rule of BIP 66 that a signature breaks; `at` is a byte offset from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DerError {
    /// Too short or too long for any signature.
    #[error("a DER signature has {LEAST_BYTES} to {MOST_BYTES} bytes, got {got}")]
    Length {
        /// The number of bytes found.
        got: usize,
    },
    /// The signature does not begin with the tag of a sequence.
    #[error("the DER signature begins with {got:#04x} instead of {SEQUENCE:#04x}")]
    NoSequence {
        /// The first byte.
        got: u8,
    },
    /// The sequence's length does not match the rest.
    #[error("the DER signature's length is {got} instead of {expected}")]
    SequenceLength {
        /// The second byte; from 128 on it is not a short length.
        got: u8,
        /// The number of bytes after it.
        expected: usize,
    },
    /// A number does not begin with the tag of an integer.
    #[error("{number} of the DER signature, at byte {at}, is not an integer")]
    NoInteger {
        /// The number.
        number: Number,
        /// Its offset.
        at: usize,
    },
    /// A number ends after the end of the signature.
    #[error("{number} of the DER signature, at byte {at}, ends after the signature")]
    PastEnd {
        /// The number.
        number: Number,
        /// Its offset.
        at: usize,
    },
    /// A number has no bytes.
    #[error("{number} of the DER signature, at byte {at}, is empty")]
    Empty {
        /// The number.
        number: Number,
        /// Its offset.
        at: usize,
    },
    /// The highest bit of a number is set.
    #[error("{number} of the DER signature, at byte {at}, is negative")]
    Negative {
        /// The number.
        number: Number,
        /// Its offset.
        at: usize,
    },
    /// A number begins with a zero byte that it does not need.
    #[error("{number} of the DER signature, at byte {at}, has a needless zero byte")]
    Padded {
        /// The number.
        number: Number,
        /// Its offset.
        at: usize,
    },
    /// Bytes follow s.
    #[error("the DER signature has bytes after s, at byte {at}")]
    Trailing {
        /// The first of these bytes.
        at: usize,
    },
}

/// Parses r and s. A number that does not fit in 256 bits becomes 2²⁵⁶ − 1, which is out of range
/// too.
pub(super) fn parse(der: &[u8]) -> Result<Numbers, DerError> {
    let &[sequence, length, ..] = der else { return Err(DerError::Length { got: der.len() }) };
    if !(LEAST_BYTES..=MOST_BYTES).contains(&der.len()) {
        return Err(DerError::Length { got: der.len() });
    }
    if sequence != SEQUENCE {
        return Err(DerError::NoSequence { got: sequence });
    }
    if usize::from(length) != der.len() - 2 {
        return Err(DerError::SequenceLength { got: length, expected: der.len() - 2 });
    }
    let (r, after_r) = integer(Number::R, der, 2)?;
    let (s, after_s) = integer(Number::S, der, after_r)?;
    if after_s != der.len() {
        return Err(DerError::Trailing { at: after_s });
    }
    Ok(Numbers { r: number_of(r), s: number_of(s) })
}

/// Returns the bytes of the integer at this offset, and the offset of its end.
fn integer(number: Number, der: &[u8], at: usize) -> Result<(&[u8], usize), DerError> {
    let Some((&tag, rest)) = der.get(at..).and_then(<[u8]>::split_first) else {
        return Err(DerError::PastEnd { number, at });
    };
    if tag != INTEGER {
        return Err(DerError::NoInteger { number, at });
    }
    let bytes = rest.split_first().and_then(|(length, rest)| rest.get(..usize::from(*length)));
    match bytes {
        None => Err(DerError::PastEnd { number, at }),
        Some([]) => Err(DerError::Empty { number, at }),
        Some([first, ..]) if first & 0x80 != 0 => Err(DerError::Negative { number, at }),
        Some([0, next, ..]) if next & 0x80 == 0 => Err(DerError::Padded { number, at }),
        Some(bytes) => Ok((bytes, at + 2 + bytes.len())),
    }
}

fn number_of(bytes: &[u8]) -> [u8; 32] {
    let significant = match bytes {
        [0, rest @ ..] => rest,
        all => all,
    };
    let mut number = [0; 32];
    match number.len().checked_sub(significant.len()) {
        Some(start) => number[start..].copy_from_slice(significant),
        None => number = [0xff; 32],
    }
    number
}
