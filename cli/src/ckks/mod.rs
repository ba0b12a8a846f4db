// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks …`

mod bootstrap_demo;
mod compile;
mod encrypt;
mod eval;
mod expected;
mod inspect;
mod kept;
mod keygen;
mod messages;
mod npy;
mod params;
mod party;
mod plan;
mod run;
mod sharing;
mod table;
mod train;
mod vectors;

pub use self::party::is_message_file;
#[cfg(test)]
pub use halimede_ckks::circuit::text::parse as parse_expression;

#[cfg(test)]
pub use self::{npy::read as read_npy, table::parse_table, vectors::parse_csv};

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

use halimede_arith::job::DeviceError;
use halimede_ckks::executor::ExecutorError;
use halimede_ckks::files::{expect_end, open_secret_file, FileKind, FileReader};
use halimede_ckks::keys::{KeyUse, PublicKey, SecretKey};
use halimede_ckks::{Bound, Ciphertext, Client, EvaluationKeys, FileError, Parameters};
use halimede_files::Output;
use serde_json::{json, Value};

use self::messages::circuit_text;
use crate::arguments::{BoundOption, CkksCommand};
use crate::error::CommandError;
use crate::file_kind::not_wanted;
use crate::files::{create, create_secret, open_file, write_error};
use crate::output::{note, print_line};
use crate::progress::steps_bar;

/// Returns an NPY file.
#[cfg(test)]
pub fn npy_seed() -> Vec<u8> {
    npy::write(
        &[halimede_ckks::Complex::new(0.5, 0.0), halimede_ckks::Complex::new(-3.0, 0.0)],
        true,
    )
}

/// Runs one of the CKKS commands.
pub fn run(command: &CkksCommand, json: bool) -> Result<(), CommandError> {
    match command {
        CkksCommand::Params(options) => params::run(options, json),
        CkksCommand::Keygen(options) => keygen::run(options, json),
        CkksCommand::Encrypt(options) => encrypt::encrypt(options, json),
        CkksCommand::Eval(options) => eval::run(options, json),
        CkksCommand::Decrypt(options) => encrypt::decrypt(options, json),
        CkksCommand::Inspect(options) => inspect::run(options, json),
        CkksCommand::Run(options) => run::run(options, json),
        CkksCommand::Compile(options) => compile::run(options, json),
        CkksCommand::Party(command) => party::run(command, json),
        CkksCommand::TrainLogistic(options) => train::run(options, json),
        CkksCommand::BootstrapDemo(options) => bootstrap_demo::run(options, json),
    }
}

/// Adds the path of a file to its error.
fn of_file(path: &Path) -> impl Fn(FileError) -> CommandError + '_ {
    move |error| match error {
        FileError::Io(source) => CommandError::File { path: path.to_path_buf(), source },
        // This error names the file itself.
        error @ FileError::Permissions { .. } => CommandError::BadInput(error.to_string()),
        error @ (FileError::Magic | FileError::Truncated { at: 0..8, .. }) => {
            not_wanted(path, "a file of CKKS", error)
        }
        error => CommandError::BadInput(format!("{}: {error}", path.display())),
    }
}

fn bad_input(error: impl Display) -> CommandError {
    CommandError::BadInput(error.to_string())
}

/// Converts an error of an executor: a device error, or bad input.
fn executor_error(error: ExecutorError) -> CommandError {
    match error {
        ExecutorError::Unavailable { executor: device, reason } => {
            DeviceError::Unavailable { device, reason }.into()
        }
        ExecutorError::Failed { executor: device, reason } => {
            DeviceError::Failed { device, request_index: 0, requests: 1, reason }.into()
        }
        ExecutorError::Circuit(error) => bad_input(circuit_text(&error)),
        error => bad_input(error),
    }
}

/// Prints a result: the object with `json`, otherwise the text.
fn print(text: &str, object: &Value, json: bool) -> Result<(), CommandError> {
    match json {
        true => print_line(&object.to_string()),
        false => print_line(text),
    }
}

/// Warns on standard error if the parameters are not secure.
fn warn_insecure(parameters: &Parameters) {
    if !parameters.is_secure() {
        note(format_args!("the parameters {} are INSECURE: only for tests", parameters.name()));
    }
}

/// Checks that the ring has room for a vector of the length that an option gives.
fn check_slots(option: &str, got: usize, parameters: &Parameters) -> Result<usize, CommandError> {
    let (name, limit) = (parameters.name(), parameters.slots());
    match got {
        _ if got <= limit => Ok(got),
        _ => Err(bad_input(format!("{option} {got}: a vector of {name} has 1 to {limit} values"))),
    }
}

/// Returns the parameters that a file of any kind names, also insecure ones: the caller warns.
fn parameters_of(path: &Path) -> Result<Parameters, CommandError> {
    let (file, _) = open_file(path)?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    if reader.header().kind() == FileKind::Parameters {
        expect_end(&file).map_err(of_file(path))?;
    }
    Ok(parameters)
}

/// Returns the parameter set of this name, or the parameters that a file names.
fn named_parameters(name: &Path) -> Result<Parameters, CommandError> {
    match name.to_str().map(Parameters::preset) {
        Some(Ok(parameters)) => Ok(parameters),
        _ if name.is_file() => parameters_of(name),
        Some(Err(error)) => Err(bad_input(error)),
        None => Err(bad_input(format!("{}: not a file of parameters", name.display()))),
    }
}

/// Reads the header of a file. Returns the reader behind it, and the parameters that it names.
fn reader_and_parameters<'f>(
    file: &'f File,
    path: &Path,
) -> Result<(FileReader<&'f File>, Parameters), CommandError> {
    let reader = FileReader::new(file).map_err(of_file(path))?;
    let parameters = reader.header().insecure_parameters().map_err(of_file(path))?;
    Ok((reader, parameters))
}

/// Reads a secret key.
fn open_secret(path: &Path) -> Result<SecretKey, CommandError> {
    let file = open_secret_file(path).map_err(of_file(path))?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    let key = reader.secret_key(&parameters).map_err(of_file(path))?;
    expect_end(&file).map_err(of_file(path))?;
    Ok(key)
}

/// Reads a public key.
fn open_public(path: &Path) -> Result<PublicKey, CommandError> {
    let (file, _) = open_file(path)?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    let key = reader.public_key(&parameters).map_err(of_file(path))?;
    expect_end(&file).map_err(of_file(path))?;
    Ok(key)
}

/// Reads a ciphertext for these parameters.
fn open_ciphertext(path: &Path, parameters: &Parameters) -> Result<Ciphertext, CommandError> {
    let (mut file, _) = open_file(path)?;
    let load = || {
        let ciphertext = Ciphertext::load(&mut file, parameters)?;
        expect_end(file)?;
        Ok(ciphertext)
    };
    load().map_err(of_file(path))
}

/// Writes a file, which appears when it is complete, and must not be one of the inputs.
fn write_file(
    path: &Path,
    inputs: &[&Path],
    write: impl FnOnce(&mut BufWriter<Output>) -> Result<(), FileError>,
) -> Result<(), CommandError> {
    write_to(create(path, inputs)?, path, write)
}

/// Writes a file with the mode 0600, for content that only its owner may read, such as decrypted
/// values.
fn write_secret_file(
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
fn write_ciphertext(
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

/// Makes the keys of a server one by one, with a progress bar.
fn make_keys(client: &mut Client, wanted: BTreeMap<KeyUse, usize>) -> EvaluationKeys {
    let bar = steps_bar(wanted.len() as u64);
    bar.set_message("evaluation keys");
    let mut keys = EvaluationKeys::new(client.parameters());
    for (of, level) in wanted {
        keys.insert(of, client.evaluation_key(of, level));
        bar.inc(1);
    }
    bar.finish_and_clear();
    keys
}

fn ciphertext_text(ciphertext: &Ciphertext) -> String {
    format!(
        "level {}, {} values, {:.1} bits of precision; {}",
        ciphertext.level(),
        ciphertext.length(),
        ciphertext.precision_bits(),
        bound_text(ciphertext.bound())
    )
}

fn ciphertext_json(ciphertext: &Ciphertext) -> Value {
    json!({
        "kind": FileKind::Ciphertext.to_string(), "key": ciphertext.owner().to_string(),
        "level": ciphertext.level(), "length": ciphertext.length(), "slots": ciphertext.slots(),
        "bound": bound_json(ciphertext.bound()), "scale_log2": ciphertext.scale().log2(),
        "precision_bits": ciphertext.precision_bits(),
    })
}

/// Describes a bound; long numbers are written as powers of ten.
fn bound_text(bound: Bound) -> String {
    let number = |number: f64| match number == 0.0 || (1e-4..1e9).contains(&number.abs()) {
        true => number.to_string(),
        false => format!("{number:e}"),
    };
    match bound.interval() {
        Some((low, high)) => format!("real values from {} to {}", number(low), number(high)),
        None => format!("values up to {}", number(bound.magnitude())),
    }
}

/// Describes a bound as JSON.
fn bound_json(bound: Bound) -> Value {
    match bound.interval() {
        Some((low, high)) => json!({ "real": true, "low": low, "high": high }),
        None => json!({ "real": false, "magnitude": bound.magnitude() }),
    }
}

/// Returns the bound that `--bound` declares for real or complex values, by default the bound of
/// the parameters.
fn declared_bound(
    option: Option<BoundOption>,
    is_real: bool,
    parameters: &Parameters,
) -> Result<Bound, CommandError> {
    match option.unwrap_or(BoundOption::Magnitude(parameters.default_bound())) {
        BoundOption::Magnitude(most) if is_real => Ok(Bound::real(most)),
        BoundOption::Magnitude(most) => Ok(Bound::complex(most)),
        BoundOption::Interval(low, high) if is_real => Ok(Bound::between(low, high)),
        BoundOption::Interval(low, high) => Err(bad_input(format!(
            "--bound {low},{high} is for real values, but these are complex: give the largest \
             absolute value, or a file without imaginary parts"
        ))),
    }
}
