// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tokens of MLIR's textual form (MLIR Language Reference, "Common syntax").
//!
//! Lists of dimensions need no rule: `4x1024xf32` is the number 4 and the word `x1024xf32`.

use super::error::{MlirError, Position};

/// The longest program.
pub const MAX_BYTES: usize = 1 << 24;

/// A token without its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    /// A name without a sigil, such as `func.func`, `tensor` or `x8xf32`.
    Word(&'t str),
    /// An unsigned number: decimal, with a fraction or exponent, or hexadecimal.
    Number(&'t str),
    /// A text in quotes, without them.
    Text(&'t str),
    /// A name with its sigil: `%` a value, `@` a symbol, `#` an attribute, `!` a type, `^` a block.
    Name(char, &'t str),
    /// `->`.
    Arrow,
    /// Any other character.
    Sign(char),
    /// The end of the text.
    End,
}

impl Token<'_> {
    /// Returns the token as an error shows it.
    pub fn shown(self) -> String {
        match self {
            Self::Word(text) | Self::Number(text) => short(text),
            Self::Text(text) => format!("\"{}\"", short(text)),
            Self::Name(sigil, text) => format!("{sigil}{}", short(text)),
            Self::Arrow => "->".to_owned(),
            Self::Sign(sign) => sign.to_string(),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Returns the start of a text that may be long, without characters that change a terminal.
fn short(text: &str) -> String {
    let start: String =
        text.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
    if start.len() < text.len() {
        format!("{start}…")
    } else {
        start
    }
}

fn is_in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.' | b'-')
}

/// Returns the tokens of a text with their positions. The last is [`Token::End`].
///
/// # Errors
/// [`MlirError`] for a text of more than [`MAX_BYTES`], and for a text in quotes without an end.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Position)>, MlirError> {
    let (mut line, mut line_start, mut at) = (1, 0, 0);
    let bytes = text.as_bytes();
    if bytes.len() > MAX_BYTES {
        let reason = format!("the program has {} bytes, and the limit is {MAX_BYTES}", bytes.len());
        return Err(MlirError::new(Position { line, column: 1 }, reason));
    }
    let mut tokens = Vec::new();
    // The columns of a line are counted onwards from its last token: long lines stay linear.
    let (mut counted, mut column) = (0, 1);
    loop {
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'\n' => {
                    line += 1;
                    line_start = at + 1;
                    at += 1;
                }
                b'/' if bytes.get(at + 1) == Some(&b'/') => {
                    at += bytes[at..].iter().take_while(|byte| **byte != b'\n').count();
                }
                byte if byte.is_ascii_whitespace() => at += 1,
                _ => break,
            }
        }
        if counted < line_start {
            (counted, column) = (line_start, 1);
        }
        column += text.get(counted..at).map_or(0, |part| part.chars().count());
        counted = at;
        let position = Position { line, column };
        let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            tokens.push((Token::End, position));
            return Ok(tokens);
        };
        let start = at;
        let token = match first {
            '%' | '@' | '#' | '!' | '^' => {
                at += 1;
                if bytes.get(at) == Some(&b'"') {
                    let (from, to) = quoted(bytes, at)
                        .ok_or_else(|| MlirError::new(position, "this quotation has no end"))?;
                    at = to + 1;
                    Token::Name(first, &text[from..to])
                } else {
                    at += name_length(&bytes[at..], first);
                    Token::Name(first, &text[start + 1..at])
                }
            }
            '"' => {
                let (from, to) = quoted(bytes, at)
                    .ok_or_else(|| MlirError::new(position, "this quotation has no end"))?;
                at = to + 1;
                Token::Text(&text[from..to])
            }
            '-' if bytes.get(at + 1) == Some(&b'>') => {
                at += 2;
                Token::Arrow
            }
            first if first.is_ascii_digit() => {
                at += number_length(&bytes[at..]);
                Token::Number(&text[start..at])
            }
            first if first.is_ascii_alphabetic() || first == '_' => {
                let rest = bytes[at..].iter();
                at += rest.take_while(|byte| is_in_name(**byte) && **byte != b'-').count();
                Token::Word(&text[start..at])
            }
            other => {
                at += other.len_utf8();
                Token::Sign(other)
            }
        };
        tokens.push((token, position));
    }
}

/// Returns the length of a name behind its sigil. Digits alone end with the last digit. A dash ends
/// the name if it begins an arrow, or the name of a type or attribute.
fn name_length(rest: &[u8], sigil: char) -> usize {
    if rest.first().is_some_and(u8::is_ascii_digit) {
        return rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    }
    let has_dash = matches!(sigil, '%' | '@' | '^');
    let is_part = |at: usize| match rest[at] {
        b'-' => has_dash && rest.get(at + 1) != Some(&b'>'),
        byte => is_in_name(byte),
    };
    (0..rest.len()).take_while(|at| is_part(*at)).count()
}

/// Returns the length of a number.
fn number_length(rest: &[u8]) -> usize {
    let digits = |from: usize| {
        rest[from.min(rest.len())..].iter().take_while(|b| b.is_ascii_digit()).count()
    };
    if rest.starts_with(b"0x") && rest.get(2).is_some_and(u8::is_ascii_hexdigit) {
        return 2 + rest[2..].iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
    }
    let mut length = digits(0);
    if rest.get(length) == Some(&b'.') {
        length += 1 + digits(length + 1);
        if matches!(rest.get(length), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(rest.get(length + 1), Some(b'+' | b'-')));
            let exponent = digits(length + 1 + sign);
            length += if exponent > 0 { 1 + sign + exponent } else { 0 };
        }
    }
    length
}

/// Returns the start and the end of a text in quotes that begins at a place.
fn quoted(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut end = at + 1;
    loop {
        match bytes.get(end)? {
            b'"' => return Some((at + 1, end)),
            b'\n' => return None,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        tokens(text).unwrap().into_iter().map(|(token, _)| token.shown()).collect()
    }

    #[test]
    fn programs_have_tokens() {
        let text =
            "%c-4 = a.b %0#1, -1.5e-3 : tensor<4x8x!ct> -> #p<x**8> // é\n@f(^bb0) \"é\\\"\"";
        let expected = "%c-4|=|a.b|%0|#1|,|-|1.5e-3|:|tensor|<|4|x8x|!ct|>|->|#p|<|x|*|*|8|>|@f|(|\
                        ^bb0|)|\"é\\\"\"|the end";
        assert_eq!(shown(text).join("|"), expected);
        assert_eq!(shown("0x1F 0xf32 8xf32 1.e 2.").join("|"), "0x1F|0xf32|8|xf32|1.|e|2.|the end");
    }

    #[test]
    fn tokens_know_their_places() {
        let all = tokens("é a\n  // b\n\tc \"é\" d").unwrap();
        let places: Vec<_> = all.iter().map(|(_, at)| (at.line, at.column)).collect();
        assert_eq!(places, [(1, 1), (1, 3), (3, 2), (3, 4), (3, 8), (3, 9)]);
        let error = tokens("a\n  \"b\nc\"").unwrap_err();
        assert_eq!((error.at.line, error.at.column), (2, 3));
        assert_eq!(tokens("\"é\\").unwrap_err().at.column, 1);
    }
}
