// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reads parameters, keys and ciphertexts.

use std::fs::File;
use std::path::Path;

use halimede_ckks::files::{expect_end, open_secret_file, FileKind, FileReader};
use halimede_ckks::keys::{PublicKey, SecretKey};
use halimede_ckks::{Ciphertext, Parameters};

use super::messages::{bad_input, of_file};
use crate::error::CommandError;
use crate::files::open_file;

/// Returns the parameters that a file of any kind names, also insecure ones: the caller warns.
pub fn parameters_of(path: &Path) -> Result<Parameters, CommandError> {
    let (file, _) = open_file(path)?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    if reader.header().kind() == FileKind::Parameters {
        expect_end(&file).map_err(of_file(path))?;
    }
    Ok(parameters)
}

/// Returns the parameter set of this name, or the parameters that a file names.
pub fn named_parameters(name: &Path) -> Result<Parameters, CommandError> {
    match name.to_str().map(Parameters::preset) {
        Some(Ok(parameters)) => Ok(parameters),
        _ if name.is_file() => parameters_of(name),
        Some(Err(error)) => Err(bad_input(error)),
        None => Err(bad_input(format!("{}: not a file of parameters", name.display()))),
    }
}

/// Reads the header of a file. Returns the reader behind it, and the parameters that it names.
pub fn reader_and_parameters<'f>(
    file: &'f File,
    path: &Path,
) -> Result<(FileReader<&'f File>, Parameters), CommandError> {
    let reader = FileReader::new(file).map_err(of_file(path))?;
    let parameters = reader.header().insecure_parameters().map_err(of_file(path))?;
    Ok((reader, parameters))
}

/// Reads a secret key.
pub fn open_secret(path: &Path) -> Result<SecretKey, CommandError> {
    let file = open_secret_file(path).map_err(of_file(path))?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    let key = reader.secret_key(&parameters).map_err(of_file(path))?;
    expect_end(&file).map_err(of_file(path))?;
    Ok(key)
}

/// Reads a public key.
pub fn open_public(path: &Path) -> Result<PublicKey, CommandError> {
    let (file, _) = open_file(path)?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    let key = reader.public_key(&parameters).map_err(of_file(path))?;
    expect_end(&file).map_err(of_file(path))?;
    Ok(key)
}

/// Reads a ciphertext for these parameters.
pub fn open_ciphertext(path: &Path, parameters: &Parameters) -> Result<Ciphertext, CommandError> {
    let (mut file, _) = open_file(path)?;
    let load = || {
        let ciphertext = Ciphertext::load(&mut file, parameters)?;
        expect_end(file)?;
        Ok(ciphertext)
    };
    load().map_err(of_file(path))
}
