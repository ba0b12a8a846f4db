// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede blake3 FILE…`: hashes files.

use std::io;
use std::path::{Path, PathBuf};

use super::hasher::{Hashed, Hasher};
use super::output::{LineFormat, Printer};
use crate::arguments::HashFilesOptions;
use crate::error::CommandError;
use crate::output::note;

pub fn run(options: &HashFilesOptions, json: bool) -> Result<(), CommandError> {
    if options.raw && json {
        return Err(CommandError::BadInput("--raw: JSON cannot hold raw bytes".into()));
    }
    if options.raw && options.files.len() > 1 {
        let reason = format!("--raw: expected one input, got {}", options.files.len());
        return Err(CommandError::Checksum(reason));
    }
    with_threads(options.num_threads, || hash_files(options, json))
}

/// Returns the inputs that the options name.
pub fn inputs(options: &HashFilesOptions) -> Vec<PathBuf> {
    match options.files.is_empty() {
        true => vec![PathBuf::from("-")],
        false => options.files.clone(),
    }
}

/// Runs a job in a pool of this many threads; for 0 threads, in the global pool.
pub fn with_threads(
    threads: usize,
    job: impl FnOnce() -> Result<(), CommandError> + Send,
) -> Result<(), CommandError> {
    /// Caps the pool: more threads than cores do not help.
    const MOST_THREADS: usize = 256;
    if threads == 0 {
        return job();
    }
    let threads = threads.min(MOST_THREADS);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool =
        pool.map_err(|error| CommandError::BadInput(format!("--num-threads {threads}: {error}")))?;
    pool.install(job)
}

fn hash_files(options: &HashFilesOptions, json: bool) -> Result<(), CommandError> {
    let hasher = Hasher::new(options)?;
    let paths = inputs(options);
    let form = LineFormat::of(options, json);
    let mut printer = Printer::new();
    let mut failed = 0;
    let files = paths.iter().map(|path| (path, Some(path.clone())));
    hasher.hash_all(files, |path, hashed: Option<Hashed>| match hashed {
        Some(Ok(output)) => printer.output(form, path, output),
        Some(Err(error)) => {
            failed += 1;
            report(&mut printer, path, &error, json)
        }
        None => Ok(()),
    })?;
    if failed > 0 {
        let reason = format!("{failed} of {} inputs could not be read", paths.len());
        return Err(CommandError::Checksum(reason));
    }
    Ok(())
}

/// Reports a file that could not be read: on standard error, or with `json` as an object on
/// standard output.
pub fn report(
    printer: &mut Printer,
    path: &Path,
    error: &io::Error,
    json: bool,
) -> Result<(), CommandError> {
    let file = path.to_string_lossy();
    let is_command = ["tree", "slice", "verify"].contains(&&*file);
    let hint = match is_command && error.kind() == io::ErrorKind::NotFound {
        true => format!("; the command `halimede blake3 {file}` must come before the options"),
        false => String::new(),
    };
    if json {
        let object = serde_json::json!({ "file": file, "error": format!("{error}{hint}") });
        return printer.line(&object.to_string());
    }
    note(format_args!("{file}: {error}{hint}"));
    Ok(())
}
