// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Parses a line of a check file, in either of the two forms in which hashes are printed.
//!
//! `b3sum` 1.8.7 escapes `\r` too. Two of its faults do not exist here: it cannot read its own
//! tagged lines of names with two spaces in a row, and hangs on `-` in a check file from standard
//! input.

use std::path::PathBuf;

use halimede_blake3::blake3::Hash;

use super::names::unescape;

/// The check of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckLine {
    /// The file.
    pub path: PathBuf,
    /// The expected hash.
    pub expected: Hash,
    /// The file's name as written in the line, after the backslash of an escaped line.
    pub name: String,
}

/// The reason why a line is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    #[error("the line is empty")]
    Empty,
    #[error("the line is neither `HASH  FILE` nor `BLAKE3 (FILE) = HASH`")]
    Form,
    #[error("expected a hash of 64 digits, got {0}")]
    HashLength(usize),
    #[error("expected a hash of the digits 0 to 9 and a to f, got others")]
    HashDigits,
    #[error("the name of the file is empty")]
    EmptyName,
    #[error("a line that begins with a backslash may only have the escapes \\\\, \\n and \\r")]
    Escape,
    #[error("the name of the file has a null character")]
    Null,
    #[error("the name of the file has U+FFFD: it was not Unicode, so the file is unknown")]
    Replacement,
}

impl CheckLine {
    /// Parses a line, with or without its line end.
    pub fn parse(line: &str) -> Result<Self, LineError> {
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            return Err(LineError::Empty);
        }
        let (is_escaped, rest) = match line.strip_prefix('\\') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (text, digits) = name_and_digits(rest).ok_or(LineError::Form)?;
        let expected = parse_hash(digits)?;
        if text.is_empty() {
            return Err(LineError::EmptyName);
        }
        let path = match is_escaped {
            true => unescape(text).ok_or(LineError::Escape)?,
            false => text.to_string(),
        };
        if path.contains('\0') {
            return Err(LineError::Null);
        }
        if path.contains(char::REPLACEMENT_CHARACTER) {
            return Err(LineError::Replacement);
        }
        let name = line[..usize::from(is_escaped)].to_string() + text;
        Ok(Self { path: path.into(), expected, name })
    }
}

/// Splits a line into the name and the digits. The separator can also occur in a name, but never in
/// a hash: so the split is at the first separator after a hash, or at the last before one.
fn name_and_digits(line: &str) -> Option<(&str, &str)> {
    let tagged = line.strip_prefix("BLAKE3 (").and_then(|rest| rest.rsplit_once(") = "));
    tagged.or_else(|| line.split_once("  ").map(|(digits, name)| (name, digits)))
}

/// Parses a hash in lower case.
fn parse_hash(digits: &str) -> Result<Hash, LineError> {
    if digits.bytes().any(|digit| !matches!(digit, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(LineError::HashDigits);
    }
    Hash::from_hex(digits).map_err(|_| LineError::HashLength(digits.len()))
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::blake3::names::escape;

    const DIGITS: &str = "ea8f163db38682925e4491c5e58d4bb3506ef8c14eb78a86e908c5624a67200f";

    fn plain(name: &str) -> String {
        let line = escape(Path::new(name));
        format!("{}{DIGITS}  {}", if line.is_escaped { "\\" } else { "" }, line.text)
    }

    fn tagged(name: &str) -> String {
        let line = escape(Path::new(name));
        format!("{}BLAKE3 ({}) = {DIGITS}", if line.is_escaped { "\\" } else { "" }, line.text)
    }

    #[test]
    fn lines_that_are_none_are_told_apart() {
        let upper = DIGITS.to_uppercase();
        let wide = format!("{}é", &DIGITS[..62]);
        let cases = [
            (String::new(), LineError::Empty),
            ("\r\n".into(), LineError::Empty),
            (DIGITS.into(), LineError::Form),
            (format!("{DIGITS} *a"), LineError::Form),
            (format!("BLAKE3(a) = {DIGITS}"), LineError::Form),
            (format!("{}  a", &DIGITS[1..]), LineError::HashLength(63)),
            (format!("é{}  a", &DIGITS[2..]), LineError::HashDigits),
            (format!("BLAKE3 (a) = {DIGITS} "), LineError::HashDigits),
            (format!("BLAKE3 (a) = {DIGITS}0"), LineError::HashLength(65)),
            (format!("{upper}  a"), LineError::HashDigits),
            (format!("BLAKE3 (a) = {wide}"), LineError::HashDigits),
            (format!("{}g  a", &DIGITS[1..]), LineError::HashDigits),
            (format!("{DIGITS}  "), LineError::EmptyName),
            (format!("BLAKE3 () = {DIGITS}"), LineError::EmptyName),
            (format!("\\{DIGITS}  a\\t"), LineError::Escape),
            (format!("\\{DIGITS}  a\\"), LineError::Escape),
            (format!("{DIGITS}  a\0b"), LineError::Null),
            (format!("{DIGITS}  a\u{fffd}b"), LineError::Replacement),
        ];
        for (line, error) in cases {
            assert_eq!(CheckLine::parse(&line), Err(error), "{line:?}");
        }
    }

    #[test]
    fn names_that_look_like_the_form_are_names() {
        for name in ["x) = y", "BLAKE3 (q", "  a", "a  b", "BLAKE3 (a) = b", "\\", ") = ", "-"] {
            assert_eq!(CheckLine::parse(&tagged(name)).unwrap().path, Path::new(name));
            assert_eq!(CheckLine::parse(&plain(name)).unwrap().path, Path::new(name));
        }
        let line = CheckLine::parse(&format!("{DIGITS}  a\\n")).unwrap();
        assert_eq!((line.path, line.name), ("a\\n".into(), "a\\n".into()), "not unescaped");
        let line = CheckLine::parse(&format!("\\{DIGITS}  a\\n\r\n")).unwrap();
        assert_eq!((line.path, line.name), ("a\n".into(), "\\a\\n".into()));
    }

    /// Any characters, or only those with a meaning in lines.
    fn name() -> impl Strategy<Value = String> {
        let any = proptest::collection::vec(any::<char>(), 1..20).prop_map(String::from_iter);
        prop_oneof![any, "[\\\\\\n\\r a()=]{1,12}"]
            .prop_filter("not a valid name in a line", |name| {
                !name.contains(['\0', char::REPLACEMENT_CHARACTER])
            })
    }

    proptest! {
        #[test]
        fn every_name_comes_back(
            name in name(),
            hash: [u8; 32],
        ) {
            let hash = Hash::from(hash);
            let line = tagged(&name).replace(DIGITS, &hash.to_hex());
            let parsed = CheckLine::parse(&line).unwrap();
            prop_assert_eq!((&parsed.path, parsed.expected), (&PathBuf::from(&name), hash));
            let line = plain(&name).replacen(DIGITS, &hash.to_hex(), 1);
            prop_assert_eq!(CheckLine::parse(&line).unwrap(), parsed);
        }

        #[test]
        fn any_bytes_are_a_line_or_an_error(
            bytes: Vec<u8>,
            line in "\\\\?(BLAKE3 \\()?[0-9a-f]{60,66}  ?[a\\\\n]{0,3}(\\) = )?\\PC*",
        ) {
            let _ = CheckLine::parse(&String::from_utf8_lossy(&bytes));
            if let Ok(parsed) = CheckLine::parse(&line) {
                let name = parsed.name.strip_prefix('\\').unwrap_or(&parsed.name);
                prop_assert!(!name.is_empty() && line.contains(name));
                prop_assert!(line.contains(parsed.expected.to_hex().as_str()));
            }
        }

        #[test]
        fn a_name_that_is_no_unicode_is_refused(bytes: Vec<u8>) {
            let path = Path::new(OsStr::from_bytes(&bytes));
            prop_assume!(path.to_str().is_none() && !bytes.contains(&0));
            let line = plain(&path.to_string_lossy());
            prop_assert_eq!(CheckLine::parse(&line), Err(LineError::Replacement));
        }
    }
}
