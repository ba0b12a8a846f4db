// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Standard output and standard error: the only place that writes to them.
//!
//! Every failure of standard output is a [`CommandError::Stream`]: output is flushed, so that no
//! write fails unnoticed at the end of the program. Failures of standard error are ignored: there
//! is nowhere left to report them, and the exit code reports the outcome.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal, StdoutLock, Write};

use crate::error::CommandError;

/// Returns standard output, for commands that write piece by piece, and flush it themselves.
#[expect(clippy::disallowed_methods, reason = "standard output begins here")]
pub fn standard_output() -> StdoutLock<'static> {
    io::stdout().lock()
}

/// Returns `true` if standard error is a terminal.
#[expect(clippy::disallowed_methods, reason = "nothing is written")]
pub fn has_watcher() -> bool {
    io::stderr().is_terminal()
}

/// Prints help and the version to standard output, usage errors to standard error; in color on a
/// terminal.
pub fn print_usage(usage: &clap::Error) -> Result<(), CommandError> {
    usage.print().and_then(|()| standard_output().flush()).map_err(output_error)
}

/// Converts a failure of standard output.
pub fn output_error(source: io::Error) -> CommandError {
    CommandError::Stream { stream: "output", source }
}

/// Writes bytes to standard output and flushes it.
pub fn print_bytes(bytes: &[u8]) -> Result<(), CommandError> {
    let mut output = standard_output();
    output.write_all(bytes).and_then(|()| output.flush()).map_err(output_error)
}

/// Writes a line to standard output.
pub fn print_line(line: &str) -> Result<(), CommandError> {
    print_bytes(format!("{line}\n").as_bytes())
}

/// Writes a line to standard error, and ignores failures.
#[expect(clippy::disallowed_methods, reason = "standard error begins here")]
pub fn error_line(line: impl Display) {
    // One write, so that lines of several processes do not mix.
    let _ = io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// Prints a message for the user on standard error.
pub fn note(text: impl Display) {
    error_line(format_args!("halimede: {}", printable(&text.to_string())));
}

/// Makes text safe to print on a terminal: escapes characters that would move the cursor, change
/// colors or change the direction of writing, e.g. as `\u{1b}`. Keeps newlines and tabs.
pub fn printable(text: &str) -> Cow<'_, str> {
    let is_unsafe = |character: char| {
        let turns = matches!(
            character,
            '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        turns || character.is_control() && character != '\n' && character != '\t'
    };
    if !text.contains(is_unsafe) {
        return text.into();
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_unsafe(character) {
            true => safe.extend(character.escape_unicode()),
            false => safe.push(character),
        }
    }
    safe.into()
}

/// Prints rows under a header. Columns are padded to their widest cell, except the last one.
pub fn print_table(header: &[&str], rows: &[Vec<String>]) -> Result<(), CommandError> {
    let columns = header.len();
    let cells = |column: usize| {
        rows.iter().filter_map(move |row| row.get(column)).map(|cell| cell.chars().count())
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells(column).max().unwrap_or(0).max(header[column].chars().count()))
        .collect();
    let row_text = |row: &[String]| {
        let padded: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        padded.join("  ").trim_end().to_owned()
    };
    let header: Vec<String> = header.iter().map(ToString::to_string).collect();
    let lines: Vec<String> =
        std::iter::once(&header).chain(rows).map(|row| row_text(row)).collect();
    print_line(&lines.join("\n"))
}

/// Formats a count per second with a unit prefix, e.g. `51.3 k/s`.
pub fn rate(count: usize, seconds: f64) -> String {
    if seconds <= 0.0 {
        return "-".into();
    }
    let per_second = count as f64 / seconds;
    match per_second {
        value if value >= 1e6 => format!("{:.2} M/s", value / 1e6),
        value if value >= 1e3 => format!("{:.1} k/s", value / 1e3),
        value => format!("{value:.1} /s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_move_the_cursor_is_shown() {
        for text in ["", "plain", "zwei Wörter\t→\n", "a\\nb", "名前"] {
            assert!(matches!(printable(text), Cow::Borrowed(same) if same == text), "{text:?}");
        }
        for (text, shown) in [
            ("\x1b[2Ka: OK", "\\u{1b}[2Ka: OK"),
            ("a\rb\x07\x7f", "a\\u{d}b\\u{7}\\u{7f}"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("a\u{202e}txt.exe", "a\\u{202e}txt.exe"),
        ] {
            assert_eq!(printable(text), shown);
        }
    }
}
