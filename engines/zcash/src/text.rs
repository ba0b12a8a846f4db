// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decoding the output of a node: a raw block, or hexadecimal as `getblock … 0` prints it.

use std::borrow::Cow;

use crate::error::BlockError;

/// The number of hexadecimal digits of a version. A raw block begins with its version, a small
/// number, and so has zero bytes there, which are not digits.
const LEADING_DIGITS: usize = 8;

/// Returns the bytes unchanged, or decoded if they begin with hexadecimal digits. White space is
/// allowed anywhere between digits.
///
/// # Errors
/// [`BlockError::Text`], [`BlockError::HexDigit`], [`BlockError::HexLength`] or
/// [`BlockError::Empty`].
pub fn decode(input: &[u8]) -> Result<Cow<'_, [u8]>, BlockError> {
    let mut leading = input.iter().filter(|byte| !byte.is_ascii_whitespace()).take(LEADING_DIGITS);
    if !leading.all(u8::is_ascii_hexdigit) {
        return match dressed(input) {
            Some(what) => Err(BlockError::Text { what }),
            None => Ok(Cow::Borrowed(input)),
        };
    }
    let mut bytes = Vec::with_capacity(input.len() / 2);
    let (mut high, mut digits) = (None, 0);
    for (at, &byte) in input.iter().enumerate() {
        if byte.is_ascii_whitespace() {
            continue;
        }
        let digit = char::from(byte).to_digit(16);
        let digit = digit.ok_or(BlockError::HexDigit { at, got: char::from(byte) })? as u8;
        digits += 1;
        high = match high {
            None => Some(digit),
            Some(high) => {
                bytes.push(high << 4 | digit);
                None
            }
        };
    }
    match high {
        _ if digits == 0 => Err(BlockError::Empty),
        Some(_) => Err(BlockError::HexLength { digits, at: bytes.len() }),
        None => Ok(Cow::Owned(bytes)),
    }
}

/// Names the kind of a text that is not hexadecimal, if it is known; raw blocks are not text.
fn dressed(input: &[u8]) -> Option<&'static str> {
    let text = input.trim_ascii_start();
    if !text.iter().take(LEADING_DIGITS).all(|byte| byte.is_ascii_graphic() || *byte == b' ') {
        // JSON may begin with a line that has only a bracket.
        let is_bracket = matches!(text, [b'{' | b'[', b'\r' | b'\n', ..]);
        return is_bracket.then_some("JSON");
    }
    match text {
        [b'{' | b'[', ..] => Some("JSON"),
        [b'"' | b'\'', ..] => Some("text in quotes"),
        [b'0', b'x' | b'X', ..] => Some("a number with 0x"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_and_hexadecimal_are_told_apart() {
        let raw = [4, 0, 0, 0, b'a', b'b'];
        assert_eq!(decode(&raw).as_deref(), Ok(&raw[..]));
        assert_eq!(decode(b"0400 0000\n6162\r\n").as_deref(), Ok(&raw[..]));
        assert_eq!(decode(b" 04000000AbCd").as_deref(), Ok(&[4, 0, 0, 0, 0xab, 0xcd][..]));
        assert_eq!(decode(b""), Err(BlockError::Empty));
        assert_eq!(decode(b" \n"), Err(BlockError::Empty));
        for (text, what) in [
            (&b"{\"hex\":\"0400\"}"[..], "JSON"),
            (b"{\n  \"hash\"", "JSON"),
            (b" [1]", "JSON"),
            (b"\"040000006162\"", "text in quotes"),
            (b"'04", "text in quotes"),
            (b"\n0x040000006162", "a number with 0x"),
        ] {
            assert_eq!(decode(text), Err(BlockError::Text { what }));
        }
        // Versions whose first byte is a bracket are still versions.
        for first in *b"{[\"'" {
            let raw = [first, 0, 0, 0, 7];
            assert_eq!(decode(&raw).as_deref(), Ok(&raw[..]));
        }
        assert_eq!(decode(b"0400000061f"), Err(BlockError::HexLength { digits: 11, at: 5 }));
        assert_eq!(decode(b"0400000061 fz"), Err(BlockError::HexDigit { at: 12, got: 'z' }));
    }
}
