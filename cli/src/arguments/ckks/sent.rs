// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files of parties, their names, and seeds on the command line.

use std::path::PathBuf;
use std::str::FromStr;

/// A file, and the party that sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// The name of the party.
    pub from: String,
    /// The file.
    pub path: PathBuf,
}

impl FromStr for Sent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (from, path) = text.split_once('=').ok_or("expected PARTY=FILE")?;
        match from.is_empty() || path.is_empty() {
            true => Err(format!("{text:?}: expected PARTY=FILE")),
            false => Ok(Self { from: from.to_owned(), path: path.into() }),
        }
    }
}

/// Parses the name of a party, which is also used in names of files.
pub(super) fn party_name(text: &str) -> Result<String, String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match (1..=64).contains(&text.len()) && text.chars().all(is_part) {
        true => Ok(text.to_owned()),
        false => Err("expected 1 to 64 letters, digits, `_` and `-`".to_owned()),
    }
}

/// Parses 32 bytes.
pub(super) fn seed(text: &str) -> Result<[u8; 32], String> {
    let digits = || "expected 64 hexadecimal digits".to_owned();
    let mut bytes = [0; 32];
    let pairs = text.as_bytes().chunks(2);
    if text.len() != 2 * bytes.len() || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(digits());
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let pair = std::str::from_utf8(pair).map_err(|_| digits())?;
        *byte = u8::from_str_radix(pair, 16).map_err(|_| digits())?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn senders_names_and_seeds() {
        let sent = |from: &str, path: &str| Ok(Sent { from: from.into(), path: path.into() });
        assert_eq!("a-1=/x=y".parse(), sent("a-1", "/x=y"));
        for text in ["", "x", "=a", "x="] {
            assert!(text.parse::<Sent>().is_err(), "{text}");
        }
        assert_eq!(party_name("Hospital_1-a"), Ok("Hospital_1-a".to_owned()));
        for name in ["", "a/b", "a=b", "a b", "ä", "..", &"a".repeat(65)] {
            assert!(party_name(name).is_err(), "{name}");
        }
        let hex = "00ff".repeat(16);
        assert_eq!(seed(&hex).map(|bytes| bytes[..2].to_vec()), Ok(vec![0, 255]));
        for wrong in ["", "00", &"0g".repeat(32), &"+1".repeat(32), &"00".repeat(33)] {
            assert!(seed(wrong).is_err(), "{wrong}");
        }
    }
}
