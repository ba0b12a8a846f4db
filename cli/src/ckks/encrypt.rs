// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks encrypt` and `halimede ckks decrypt`.

use std::io::Write;
use std::path::Path;

use halimede_ckks::encoding::{Encoder, EncodingError};
use halimede_ckks::sampling::Random;
use halimede_ckks::{
    Bound, Ciphertext, Client, Complex, Parameters, Sharing, SharingError, Values,
};
use serde_json::{json, Value};

use super::describe::{print, warn_insecure};
use super::expected::{expected, ExpressionInputs};
use super::limits::declared_bound;
use super::messages::{bad_input, encoding_text};
use super::open::{open_ciphertext, open_public, open_secret};
use super::vectors::{read_vector, vector_bytes, Vector};
use super::write::{write_ciphertext, write_secret_file};
use crate::arguments::{DecryptOptions, EncryptOptions};
use crate::error::CommandError;
use crate::output::{note, print_bytes};

pub fn encrypt(options: &EncryptOptions, json: bool) -> Result<(), CommandError> {
    let of_input = |vector: &Vector, error: EncodingError| {
        let text = encoding_text(&error, vector.place);
        CommandError::BadInput(format!("{}: {text}", options.input.display()))
    };
    let (ciphertext, parameters) = match (&options.key, &options.public) {
        (Some(path), _) => {
            let mut client = Client::with_secret(open_secret(path)?).map_err(bad_input)?;
            let parameters = client.parameters().clone();
            let Input { vector, bound, level } = input(options, &parameters)?;
            let values = Values::from(&vector.values).bounded(bound);
            let ciphertext = client.encrypt_at(values, level);
            (ciphertext.map_err(|error| of_input(&vector, error))?, parameters)
        }
        (None, Some(path)) => {
            let key = open_public(path)?;
            let parameters = key.parameters().clone();
            let Input { vector, bound, level } = input(options, &parameters)?;
            let values = Values::from(&vector.values).bounded(bound);
            let mut random = Random::new().map_err(bad_input)?;
            let encoder = Encoder::new(&parameters);
            let ciphertext = key.encrypt_at(&encoder, values, level, &mut random);
            (ciphertext.map_err(|error| of_input(&vector, error))?, parameters)
        }
        (None, None) => return Err(bad_input("give --key or --public")),
    };
    let key = options.key.as_deref().or(options.public.as_deref());
    let inputs: Vec<&Path> = key.into_iter().chain([options.input.as_path()]).collect();
    write_ciphertext(&options.out, &inputs, &ciphertext, &parameters, json)
}

/// The input of an encryption.
struct Input {
    vector: Vector,
    bound: Bound,
    level: usize,
}

/// Reads the values, their declared bound and the level.
fn input(options: &EncryptOptions, parameters: &Parameters) -> Result<Input, CommandError> {
    warn_insecure(parameters);
    let top = parameters.top();
    let level = options.level.unwrap_or(parameters.fresh_level());
    if level > top {
        return Err(bad_input(format!(
            "--level {level}: the highest of {} is {top}",
            parameters.name()
        )));
    }
    let vector = read_vector(&options.input)?;
    let bound = declared_bound(options.bound, vector.is_real, parameters)?;
    Ok(Input { vector, bound, level })
}

pub fn decrypt(options: &DecryptOptions, json: bool) -> Result<(), CommandError> {
    let mut client = Client::with_secret(open_secret(&options.key)?).map_err(bad_input)?;
    let ciphertext = open_ciphertext(&options.input, client.parameters())?;
    let (mut values, object) = match sharing(options, &client)? {
        Some(sharing) => decrypt_for_others(&mut client, &ciphertext, &sharing)?,
        None => decrypt_for_owner(&client, &ciphertext)?,
    };
    if let Some(count) = options.count {
        if count > values.len() {
            let length = values.len();
            return Err(bad_input(format!("--count {count}: the ciphertext has {length} values")));
        }
        values.truncate(count);
    }
    let is_real = options.real || ciphertext.bound().is_real();
    write_decrypted(
        &values,
        is_real,
        options.out.as_deref(),
        &[&options.key, &options.input],
        object,
        json,
    )
}

/// Writes decrypted values to a file or prints them, with the rest of their description.
pub fn write_decrypted(
    values: &[Complex],
    is_real: bool,
    out: Option<&Path>,
    inputs: &[&Path],
    mut object: Value,
    json: bool,
) -> Result<(), CommandError> {
    match out {
        Some(path) => {
            let bytes = vector_bytes(Some(path), values, is_real);
            write_secret_file(path, inputs, |file| Ok(file.write_all(&bytes)?))?;
            let text = format!("{}: {} values", path.display(), values.len());
            object["file"] = path.display().to_string().into();
            print(&text, &object, json)
        }
        None if json => {
            let parts = |value: &Complex| [value.re, value.im];
            object["values"] = match is_real {
                true => values.iter().map(|value| value.re).collect(),
                false => json!(values.iter().map(parts).collect::<Vec<_>>()),
            };
            print("", &object, true)
        }
        None => print_bytes(&vector_bytes(None, values, is_real)),
    }
}

/// Returns the statement of security, if others may see the values.
fn sharing(options: &DecryptOptions, client: &Client) -> Result<Option<Sharing>, CommandError> {
    let Some((security, queries)) = options.sharing.statement() else { return Ok(None) };
    let error_at_least = options.sharing.error_at_least;
    let expected = match (&options.expression, &options.keys) {
        (Some(expression), Some(keys)) => expected(&ExpressionInputs {
            expression,
            keys,
            inputs: &options.inputs,
            error: options.error,
            are_public: options.public_inputs,
            parameters: client.parameters(),
            owner: client.secret().id(),
        })?,
        _ => None,
    };
    Ok(Some(Sharing { error_at_least, expected, ..Sharing::new(security, queries) }))
}

/// Decrypts without noise. Returns the values and their description.
fn decrypt_for_owner(client: &Client, ciphertext: &Ciphertext) -> Result<Decrypted, CommandError> {
    let values = client.decrypt(ciphertext).map_err(bad_input)?;
    note(
        "only for the owner of the key: anyone who has the ciphertext can learn the key from these \
         values; --share decrypts for others",
    );
    let object = json!({
        "for": "owner", "length": ciphertext.length(), "level": ciphertext.level(),
        "precision_bits": ciphertext.precision_bits(), "security_bits": null, "queries": null,
        "error_at_least": null, "flooding_bits": null, "error_bound": null, "error_from": null,
    });
    Ok((values, object))
}

/// Decrypts with noise. Returns the values and their description.
fn decrypt_for_others(
    client: &mut Client,
    ciphertext: &Ciphertext,
    sharing: &Sharing,
) -> Result<Decrypted, CommandError> {
    let shared = client.decrypt_for_sharing(ciphertext, sharing).map_err(|error| match error {
        SharingError::Claimed { .. } => bad_input(format!(
            "{error}: give --error-at-least, or --expression with --input and --keys"
        )),
        error => bad_input(error),
    })?;
    let Sharing { security_bits, queries, error_at_least, .. } = *sharing;
    let (left, bound) = (shared.precision_bits, shared.error_bound);
    let (from, said) = error_from(ciphertext, sharing, bound);
    let bits = -bound.log2();
    note(format_args!(
        "for others: {left:.1} fractional bits are left, at {security_bits} bits of security for \
         {queries} decryptions under this key, which this command does not count; the error of \
         each of {} values is bounded by 2^-{bits:.1}, {said}",
        ciphertext.length()
    ));
    let object = json!({
        "for": "others", "length": ciphertext.length(), "level": ciphertext.level(),
        "precision_bits": left, "security_bits": security_bits, "queries": queries,
        "error_at_least": error_at_least, "flooding_bits": shared.flooding_bits,
        "error_bound": bound, "error_from": from,
    });
    Ok((shared.values, object))
}

/// Returns the origin of the bound of an error, as a word for JSON and as text.
fn error_from(a: &Ciphertext, sharing: &Sharing, bound: f64) -> (&'static str, &'static str) {
    let is_at_least = |error: f64| error >= bound * (1.0 - 1e-6);
    // The bound adds half a bit to an estimate.
    let estimated = |error: f64| is_at_least(error * std::f64::consts::SQRT_2);
    if sharing.expected.is_some_and(|expected| estimated(expected.error())) {
        ("expression", "which follows from the expression")
    } else if sharing.error_at_least.is_some_and(is_at_least) {
        ("stated", "as stated")
    } else if a.has_claimed_error() && estimated(a.error_anywhere()) {
        ("file", "the claim of its file, which exceeds the known bound")
    } else {
        ("encryption", "the error of an encryption")
    }
}

/// Values, and their description as a JSON object.
type Decrypted = (Vec<Complex>, Value);
