// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Standard output, standard error and files.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use halimede_files::{create, Options};
use serde_json::Value;

/// Any error as text.
pub fn text(error: impl Display) -> String {
    error.to_string()
}

/// Prints an answer as text or, on request, as a JSON object.
#[expect(clippy::disallowed_methods, reason = "failures are returned")]
pub fn print(text: &str, object: &Value, json: bool) -> Result<(), String> {
    let line = if json { format!("{object}\n") } else { format!("{text}\n") };
    let mut output = io::stdout().lock();
    let written = output.write_all(line.as_bytes()).and_then(|()| output.flush());
    written.map_err(|error| format!("standard output: {error}"))
}

/// Writes a line to standard error, if possible.
#[expect(clippy::disallowed_methods, reason = "a failure cannot be reported")]
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "ckks-card: {text}");
}

/// Writes a file atomically.
pub fn write(path: &Path, content: &[u8]) -> Result<(), String> {
    let mut output = create(path, &Options::default()).map_err(text)?;
    output.write_all(content).map_err(|error| format!("{}: {error}", path.display()))?;
    output.complete().map_err(text)
}

/// Escapes text for HTML and SVG.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
