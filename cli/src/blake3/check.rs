// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3 --check FILE…`: checks files against the hashes in check files.

use std::fs::File;
use std::io::{self, stdin, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use halimede_blake3::blake3::Hash;
use serde_json::json;

use super::check_line::{CheckLine, LineError};
use super::hash::{inputs, report, with_threads};
use super::hasher::{Hashed, Hasher};
use super::output::Printer;
use super::source::is_stdin;
use crate::arguments::HashFilesOptions;
use crate::error::CommandError;
use crate::output::printable;

/// The maximum length of a line: more than any path has with every byte escaped.
const LINE_LIMIT_BYTES: u64 = 1 << 16;

pub fn run(options: &HashFilesOptions, json: bool) -> Result<(), CommandError> {
    with_threads(options.num_threads, || check_files(options, json))
}

fn check_files(options: &HashFilesOptions, json: bool) -> Result<(), CommandError> {
    let hasher = Hasher::new(options)?;
    let mut check =
        CheckRun { printer: Printer::new(), json, quiet: options.quiet, failed: 0, unread: 0 };
    for path in inputs(options) {
        let reader: io::Result<Box<dyn BufRead>> = match is_stdin(&path) {
            true => Ok(Box::new(BufReader::new(stdin()))),
            false => File::open(&path).map(|file| Box::new(BufReader::new(file)) as _),
        };
        match reader {
            Ok(reader) => check.lines(&hasher, &path, reader)?,
            Err(error) => check.unread(&path, &error)?,
        }
    }
    check.result()
}

/// A line of a check file.
enum Entry {
    Line(CheckLine),
    /// The line of this number is not a check line.
    Bad(u64, LineError),
    /// The rest of the check file cannot be read.
    End(io::Error),
}

/// Reads the lines of a check file one at a time: they may come through a pipe.
struct Entries<R> {
    reader: R,
    lines: u64,
    ended: bool,
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = (Entry, Option<PathBuf>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.lines += 1;
        let parsed = self.line().transpose()?.map(|line| CheckLine::parse(&line));
        Some(match parsed {
            Ok(Ok(line)) => {
                let path = line.path.clone();
                (Entry::Line(line), Some(path))
            }
            Ok(Err(error)) => (Entry::Bad(self.lines, error), None),
            Err(error) => {
                self.ended = true;
                let error = io::Error::new(error.kind(), format!("line {}: {error}", self.lines));
                (Entry::End(error), None)
            }
        })
    }
}

impl<R: BufRead> Entries<R> {
    /// Returns the next line, or `None` at the end. As in `b3sum`, bytes that are not text end the
    /// file: it is not a check file.
    fn line(&mut self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        let mut reader = (&mut self.reader).take(LINE_LIMIT_BYTES + 1);
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        if line.len() as u64 > LINE_LIMIT_BYTES {
            let reason = format!("longer than {LINE_LIMIT_BYTES} bytes");
            return Err(io::Error::new(ErrorKind::InvalidData, reason));
        }
        let invalid = |_| io::Error::new(ErrorKind::InvalidData, "not valid UTF-8");
        String::from_utf8(line).map(Some).map_err(invalid)
    }
}

/// The results so far, and the place where they are printed.
struct CheckRun {
    printer: Printer,
    json: bool,
    quiet: bool,
    /// The number of files that do not match, and of lines that are not check lines.
    failed: u64,
    /// The number of check files that could not be read to their end.
    unread: u64,
}

impl CheckRun {
    fn lines(
        &mut self,
        hasher: &Hasher,
        check_file: &Path,
        reader: impl BufRead,
    ) -> Result<(), CommandError> {
        let entries = Entries { reader, lines: 0, ended: false };
        hasher.hash_all(entries, |entry, hashed| match entry {
            Entry::Line(line) => self.checked(&line, hashed),
            Entry::Bad(number, error) => self.bad_line(check_file, number, error),
            Entry::End(error) => self.unread(check_file, &error),
        })
    }

    fn checked(&mut self, line: &CheckLine, hashed: Option<Hashed>) -> Result<(), CommandError> {
        let outcome = match hashed {
            Some(Ok(output)) => {
                // `blake3::Hash` compares in constant time.
                let matches =
                    output.digest().is_some_and(|digest| Hash::from(digest) == line.expected);
                if matches {
                    Ok(())
                } else {
                    Err(None)
                }
            }
            Some(Err(error)) => Err(Some(error.to_string())),
            None => Err(None),
        };
        if outcome.is_err() {
            self.failed += 1;
        } else if self.quiet {
            return Ok(());
        }
        if self.json {
            let file = line.path.to_string_lossy();
            let object = match outcome {
                Err(Some(error)) => json!({ "file": file, "ok": false, "error": error }),
                outcome => json!({ "file": file, "ok": outcome.is_ok() }),
            };
            return self.printer.line(&object.to_string());
        }
        // As `b3sum` prints it, except that control characters are escaped: a name cannot forge
        // another line.
        let name = printable(&line.name);
        self.printer.line(&match outcome {
            Ok(()) => format!("{name}: OK"),
            Err(None) => format!("{name}: FAILED"),
            Err(Some(error)) => format!("{name}: FAILED ({error})"),
        })
    }

    fn bad_line(
        &mut self,
        check_file: &Path,
        number: u64,
        error: LineError,
    ) -> Result<(), CommandError> {
        self.failed += 1;
        let error = io::Error::other(format!("line {number}: {error}"));
        report(&mut self.printer, check_file, &error, self.json)
    }

    fn unread(&mut self, check_file: &Path, error: &io::Error) -> Result<(), CommandError> {
        self.unread += 1;
        report(&mut self.printer, check_file, error, self.json)
    }

    fn result(&self) -> Result<(), CommandError> {
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let (failed, unread) = (self.failed, self.unread);
        let reason = match (failed, unread) {
            (0, 0) => return Ok(()),
            (_, 0) => {
                format!("WARNING: {failed} computed checksum{} did NOT match", plural(failed))
            }
            (0, _) => format!("{unread} check file{} could not be read", plural(unread)),
            _ => format!(
                "WARNING: {failed} computed checksum{} did NOT match, and {unread} check file{} \
                 could not be read",
                plural(failed),
                plural(unread)
            ),
        };
        Err(CommandError::Checksum(reason))
    }
}
