// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Keys from files, with the parameters that they name.

use std::fs::File;
use std::path::Path;

use halimede_ckks::files::FileReader;
use halimede_ckks::{FileError, Parameters};
use pyo3::prelude::*;

use super::files::{Input, Source};
use super::parameters::CkksParameters;

/// Loads a key, with the given parameters or else with those that the key names, which must be
/// secure unless `insecure` is set. `open` opens a file, `load` reads the key.
///
/// # Errors
/// As [`Source::load_with`].
pub fn load_key<T: Send>(
    source: &Bound<'_, PyAny>,
    parameters: Option<&Bound<'_, CkksParameters>>,
    insecure: bool,
    open: impl FnOnce(&Path) -> Result<File, FileError> + Send,
    load: impl FnOnce(FileReader<Input<'_>>, &Parameters) -> Result<T, FileError> + Send,
) -> PyResult<T> {
    let given = parameters.map(|parameters| parameters.get().parameters());
    let read = |input: Input<'_>| {
        let reader = FileReader::new(input)?;
        let parameters = match given {
            Some(given) => given.clone(),
            None if insecure => reader.header().insecure_parameters()?,
            None => reader.header().parameters()?,
        };
        load(reader, &parameters)
    };
    Source::new(source)?.load_with(source.py(), open, read)
}
