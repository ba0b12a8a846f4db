// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Line wrapping for the generators of functions.

use std::fmt::Write;

/// Wraps a text to lines of at most `columns` columns. The first line begins with `first`, the
/// other lines with `rest`.
pub fn wrap(source: &mut String, columns: usize, first: &str, rest: &str, text: &str) {
    let (mut line, mut is_empty) = (first.to_owned(), true);
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > columns {
            // Writing to a string cannot fail.
            let _ = writeln!(source, "{line}");
            rest.clone_into(&mut line);
        } else if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    let _ = writeln!(source, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        let mut source = String::new();
        wrap(&mut source, 10, "- ", "  ", "one two three  four");
        wrap(&mut source, 4, "", "", "longer words");
        wrap(&mut source, 4, "", "", "");
        assert_eq!(source, "- one two\n  three\n  four\nlonger\nwords\n\n");
    }
}
