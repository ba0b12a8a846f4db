// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Escapes names of files in lines of text (`b3sum`'s description of --check, formal rules 2 to 7;
//! version 1.8 also escapes carriage returns).

use std::borrow::Cow;
use std::path::Path;

/// A name as written in a line.
#[derive(Debug, PartialEq, Eq)]
pub struct LineName<'p> {
    /// The name in UTF-8, with escaped backslashes and line ends.
    pub text: Cow<'p, str>,
    /// `true` if anything was escaped; the line then begins with a backslash.
    pub is_escaped: bool,
}

/// Escapes a name: invalid Unicode becomes U+FFFD, a backslash `\\`, a newline `\n`, a carriage
/// return `\r`.
pub fn escape(path: &Path) -> LineName<'_> {
    let text = path.to_string_lossy();
    if !text.contains(['\\', '\n', '\r']) {
        return LineName { text, is_escaped: false };
    }
    let text = text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    LineName { text: text.into(), is_escaped: true }
}

/// Returns the name that was escaped, or `None` for an unknown escape.
pub fn unescape(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        name.push(match character {
            '\\' => match characters.next()? {
                '\\' => '\\',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_backslashes_and_ends_of_lines_are_escaped() {
        for (name, text) in
            [("a b", "a b"), ("a\nb\\", "a\\nb\\\\"), ("\r\t", "\\r\t"), ("\\n", "\\\\n")]
        {
            let line = escape(Path::new(name));
            assert_eq!((&*line.text, line.is_escaped), (text, text.contains('\\')));
        }
        assert_eq!((unescape("\\q"), unescape("a\\")), (None, None));
    }

    proptest! {
        #[test]
        fn every_name_comes_back(name in "\\PC*|[\\\\\\n\\rnr]*") {
            let line = escape(Path::new(&name));
            prop_assert!(!line.text.contains(['\n', '\r']));
            prop_assert_eq!(line.is_escaped, name.contains(['\\', '\n', '\r']));
            prop_assert_eq!(unescape(&escape(Path::new(&name)).text), Some(name));
        }
    }
}
