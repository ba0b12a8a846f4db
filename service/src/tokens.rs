// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tokens, which authorize the use of a server.
//!
//! A file of tokens has one line per token: a name, which appears in logs, and the token, 16 to 256
//! characters without spaces. Empty lines and lines that begin with `#` are ignored. Only its owner
//! may be able to read the file.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use halimede_blake3::blake3;
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use crate::error::ServeError;
use crate::owners_file;

const LEAST_CHARACTERS: usize = 16;
const MOST_CHARACTERS: usize = 256;

/// The tokens of a server, of which only hashes are kept.
pub struct Tokens(Vec<([u8; 32], String)>);

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(_, name)| name)).finish()
    }
}

impl Tokens {
    /// Reads a file of tokens.
    ///
    /// # Errors
    /// [`ServeError::Tokens`] if others can read the file, or a line is not a name and a token.
    pub fn read(path: &Path) -> Result<Self, ServeError> {
        let refuse = |reason: String| ServeError::Tokens { path: path.to_owned(), reason };
        let text = owners_file::read(path).map_err(refuse)?;
        let text = std::str::from_utf8(&text).map_err(|_| refuse("it is not UTF-8".into()))?;
        Self::parse(text).map_err(refuse)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let (mut tokens, mut names) = (Vec::new(), HashSet::new());
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
                return Err(format!("line {number}: expected a name and a token"));
            };
            if !(LEAST_CHARACTERS..=MOST_CHARACTERS).contains(&token.len()) {
                return Err(format!(
                    "line {number}: expected a token of {LEAST_CHARACTERS} to {MOST_CHARACTERS} \
                     characters"
                ));
            }
            if name.len() > 64 || !names.insert(name) {
                return Err(format!("line {number}: the name is too long or repeated"));
            }
            tokens.push((*blake3::hash(token.as_bytes()).as_bytes(), name.to_owned()));
        }
        match tokens.is_empty() {
            true => Err("the file has no token".into()),
            false => Ok(Self(tokens)),
        }
    }

    /// Returns the name of a token's owner. The time depends only on the number of tokens and on
    /// the length of this one.
    pub fn owner(&self, token: &str) -> Option<&str> {
        let hash = *blake3::hash(token.as_bytes()).as_bytes();
        let (mut found, mut place) = (Choice::from(0), 0u64);
        for (number, (known, _)) in (0u64..).zip(&self.0) {
            let is_this = known[..].ct_eq(&hash[..]);
            place.conditional_assign(&number, is_this);
            found |= is_this;
        }
        match bool::from(found) {
            true => self.0.get(place as usize).map(|(_, name)| name.as_str()),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_owners() {
        let text = "# ours\n\nfirst  0123456789abcdef\n second 0123456789abcdeg \n";
        let tokens = Tokens::parse(text).unwrap();
        assert_eq!(tokens.owner("0123456789abcdef"), Some("first"));
        assert_eq!(tokens.owner("0123456789abcdeg"), Some("second"));
        for other in ["", "0123456789abcde", "0123456789abcdef0", "0123456789Abcdef", "first"] {
            assert_eq!(tokens.owner(other), None, "{other}");
        }
        assert!(!format!("{tokens:?}").contains("0123"));
    }

    #[test]
    fn bad_files_are_refused() {
        for (text, reason) in [
            ("", "no token"),
            ("# none\n", "no token"),
            ("name 0123456789abcde\n", "16 to 256"),
            ("\n0123456789abcdef", "line 2: expected a name and a token"),
            ("a 0123456789abcdef more", "line 1: expected a name"),
            ("a 0123456789abcdef\na 0123456789abcdeg", "line 2: the name"),
        ] {
            let error = Tokens::parse(text).unwrap_err();
            assert!(error.contains(reason), "{text:?}: {error}");
        }
    }
}
