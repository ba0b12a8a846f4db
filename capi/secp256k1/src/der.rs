// SPDX-License-Identifier: Apache-2.0 OR MIT
//! DER of ECDSA signatures (ITU-T X.690): a SEQUENCE of the INTEGERs r and s. Any valid encoding is
//! read, also of numbers that are out of range.

use engine::constants::GROUP_ORDER;

use crate::numbers::Number;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
/// The most bytes of a signature whose numbers are in range.
pub const MOST_BYTES: usize = 72;

/// Parses r and s; a number that is negative or not below n becomes 0, with which no signature is
/// valid. Returns `None` if the bytes are not DER.
pub fn parse(bytes: &[u8]) -> Option<[Number; 2]> {
    let (body, rest) = element(SEQUENCE, bytes)?;
    let (r, after_r) = element(INTEGER, body)?;
    let (s, after_s) = element(INTEGER, after_r)?;
    let numbers = [number(r)?, number(s)?];
    (rest.is_empty() && after_s.is_empty()).then_some(numbers)
}

/// Returns the content of an element with a tag, and the bytes after the element.
fn element(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (found, bytes) = bytes.split_first()?;
    let (length, bytes) = length(bytes)?;
    (*found == tag).then(|| bytes.split_at_checked(length))?
}

/// Reads a length, which has the shortest form (section 10.1): one byte below 128, or the number of
/// bytes that follow.
fn length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (first, rest) = bytes.split_first()?;
    if first & 0x80 == 0 {
        return Some((usize::from(*first), rest));
    }
    let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
    // A length that does not fit in `usize` exceeds the bytes that follow.
    if digits.first().is_none_or(|first| *first == 0) || digits.len() > size_of::<usize>() {
        return None;
    }
    let length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
    (length >= 0x80).then_some((length, rest))
}

/// Returns an integer in two's complement of the fewest bytes (sections 8.3.2 and 8.3.3).
fn number(content: &[u8]) -> Option<Number> {
    let (first, rest) = content.split_first()?;
    let next_is_negative = rest.first().map(|next| next & 0x80 != 0);
    match (*first, next_is_negative) {
        (0x00, Some(false)) | (0xff, Some(true)) => return None,
        (0x80.., _) => return Some([0; 32]),
        _ => {}
    }
    let digits = if *first == 0 { rest } else { content };
    let mut number = [0; 32];
    let Some(start) = number.len().checked_sub(digits.len()) else { return Some(number) };
    number[start..].copy_from_slice(digits);
    Some(if number < GROUP_ORDER { number } else { [0; 32] })
}

/// Returns the DER of two numbers below n, and its length.
pub fn serialize(numbers: &[Number; 2]) -> ([u8; MOST_BYTES], usize) {
    let mut bytes = [0; MOST_BYTES];
    let mut end = 2;
    for number in numbers {
        let zeros = number.iter().take(31).take_while(|digit| **digit == 0).count();
        let digits = &number[zeros..];
        let padding = usize::from(digits[0] >> 7);
        bytes[end] = INTEGER;
        bytes[end + 1] = (padding + digits.len()) as u8;
        let start = end + 2 + padding;
        end = start + digits.len();
        bytes[start..end].copy_from_slice(digits);
    }
    bytes[0] = SEQUENCE;
    bytes[1] = (end - 2) as u8;
    (bytes, end)
}
