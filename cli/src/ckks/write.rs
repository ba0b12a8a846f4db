// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Writes files, which appear when they are complete.

use std::io::BufWriter;
use std::path::Path;

use halimede_ckks::{Ciphertext, FileError, Parameters};
use halimede_files::Output;

use super::describe::{ciphertext_json, ciphertext_text, print};
use super::messages::of_file;
use crate::error::CommandError;
use crate::files::{create, create_secret, write_error};

/// Writes a file, which appears when it is complete, and must not be one of the inputs.
pub fn write_file(
    path: &Path,
    inputs: &[&Path],
    write: impl FnOnce(&mut BufWriter<Output>) -> Result<(), FileError>,
) -> Result<(), CommandError> {
    write_to(create(path, inputs)?, path, write)
}

/// Writes a file with the mode 0600, for content that only its owner may read, such as decrypted
/// values.
pub fn write_secret_file(
    path: &Path,
    inputs: &[&Path],
    write: impl FnOnce(&mut BufWriter<Output>) -> Result<(), FileError>,
) -> Result<(), CommandError> {
    write_to(create_secret(path, inputs)?, path, write)
}

fn write_to(
    output: Output,
    path: &Path,
    write: impl FnOnce(&mut BufWriter<Output>) -> Result<(), FileError>,
) -> Result<(), CommandError> {
    let mut output = BufWriter::new(output);
    write(&mut output).map_err(|error| match error {
        FileError::Io(source) => write_error(path)(source),
        error => of_file(path)(error),
    })?;
    let output = output.into_inner().map_err(|error| write_error(path)(error.into_error()))?;
    Ok(output.complete()?)
}

/// Writes a ciphertext and prints a description of it.
pub fn write_ciphertext(
    path: &Path,
    inputs: &[&Path],
    ciphertext: &Ciphertext,
    parameters: &Parameters,
    json: bool,
) -> Result<(), CommandError> {
    write_file(path, inputs, |file| ciphertext.save(file, parameters))?;
    let mut object = ciphertext_json(ciphertext);
    object["file"] = path.display().to_string().into();
    print(&format!("{}: {}", path.display(), ciphertext_text(ciphertext)), &object, json)
}
