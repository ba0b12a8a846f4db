// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Descriptions of parameters, bounds and ciphertexts.

use halimede_ckks::files::FileKind;
use halimede_ckks::{Bound, Ciphertext, Parameters};
use serde_json::{json, Value};

use crate::error::CommandError;
use crate::output::{note, print_line};

/// Prints a result: the object with `json`, otherwise the text.
pub fn print(text: &str, object: &Value, json: bool) -> Result<(), CommandError> {
    match json {
        true => print_line(&object.to_string()),
        false => print_line(text),
    }
}

/// Warns on standard error if the parameters are not secure.
pub fn warn_insecure(parameters: &Parameters) {
    if !parameters.is_secure() {
        note(format_args!("the parameters {} are INSECURE: only for tests", parameters.name()));
    }
}

pub fn ciphertext_text(ciphertext: &Ciphertext) -> String {
    format!(
        "level {}, {} values, {:.1} bits of precision; {}",
        ciphertext.level(),
        ciphertext.length(),
        ciphertext.precision_bits(),
        bound_text(ciphertext.bound())
    )
}

pub fn ciphertext_json(ciphertext: &Ciphertext) -> Value {
    json!({
        "kind": FileKind::Ciphertext.to_string(), "key": ciphertext.owner().to_string(),
        "level": ciphertext.level(), "length": ciphertext.length(), "slots": ciphertext.slots(),
        "bound": bound_json(ciphertext.bound()), "scale_log2": ciphertext.scale().log2(),
        "precision_bits": ciphertext.precision_bits(),
    })
}

/// Describes a bound; long numbers are written as powers of ten.
pub fn bound_text(bound: Bound) -> String {
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
pub fn bound_json(bound: Bound) -> Value {
    match bound.interval() {
        Some((low, high)) => json!({ "real": true, "low": low, "high": high }),
        None => json!({ "real": false, "magnitude": bound.magnitude() }),
    }
}
