// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks inspect`: what a file is.

use std::path::Path;

use halimede_ckks::evaluator::rotation_exponent;
use halimede_ckks::files::{expect_end, open_secret_file, FileKind, FileReader};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{FileError, Parameters};
use serde_json::{json, Value};

use super::params::parameters_json;
use super::{ciphertext_json, ciphertext_text, of_file, print};
use crate::arguments::InspectOptions;
use crate::error::CommandError;
use crate::files::open_file;

pub fn run(options: &InspectOptions, json: bool) -> Result<(), CommandError> {
    let path = &options.file;
    let (mut file, _) = open_file(path)?;
    let (text, object) = inspect(&mut file, path).map_err(of_file(path))?;
    expect_end(file).map_err(of_file(path))?;
    print(&text, &object, json)
}

fn inspect(file: &mut std::fs::File, path: &Path) -> Result<(String, Value), FileError> {
    let reader = FileReader::new(file)?;
    let header = reader.header();
    let (kind, hash) = (header.kind(), header.hash());
    let parameters = header.insecure_parameters()?;
    let (details, mut object) = match kind {
        FileKind::Parameters => (parameters.to_string(), json!({})),
        FileKind::SecretKey => {
            // That its owner alone can read it.
            open_secret_file(path)?;
            reader.secret_key(&parameters)?;
            ("whole".to_owned(), json!({}))
        }
        FileKind::PublicKey => {
            reader.public_key(&parameters)?;
            ("whole".to_owned(), json!({}))
        }
        FileKind::Ciphertext => {
            let ciphertext = reader.ciphertext(&parameters)?;
            (ciphertext_text(&ciphertext), ciphertext_json(&ciphertext))
        }
        FileKind::EvaluationKeys => {
            let mut keys = Vec::new();
            for key in reader.keys(&parameters)? {
                let (of, key) = key?;
                keys.push((name_of(of, &parameters), key.level()));
            }
            let text = |(name, level): &(String, usize)| format!("{name}, up to level {level}");
            let object =
                |(name, level): &(String, usize)| json!({ "operation": name, "level": level });
            let lines: Vec<String> = keys.iter().map(text).collect();
            (lines.join("\n"), json!({ "keys": keys.iter().map(object).collect::<Vec<_>>() }))
        }
    };
    object["kind"] = kind.to_string().into();
    object["parameters"] = parameters_json(&parameters);
    let security = if parameters.is_secure() { "" } else { ", INSECURE: for tests alone" };
    let name = parameters.name();
    Ok((format!("{kind} for the parameters {name} (hash {hash}){security}\n{details}"), object))
}

/// What a key is for, a rotation by the fewest slots.
fn name_of(of: KeyUse, parameters: &Parameters) -> String {
    match of {
        KeyUse::Multiply => "multiply".to_owned(),
        KeyUse::ToSparse => "bootstrap, to a sparse secret".to_owned(),
        KeyUse::FromSparse => "bootstrap, from a sparse secret".to_owned(),
        KeyUse::Automorphism(exponent) if exponent == 2 * parameters.degree() as u64 - 1 => {
            "conjugate".to_owned()
        }
        KeyUse::Automorphism(exponent) => {
            let slots = parameters.slots() as i64;
            let is_it = |by: &i64| rotation_exponent(parameters, *by) == exponent;
            match (1..slots).find(is_it) {
                Some(by) if by > slots / 2 => format!("rotate by {}", by - slots),
                Some(by) => format!("rotate by {by}"),
                None => format!("automorphism X^{exponent}"),
            }
        }
    }
}
