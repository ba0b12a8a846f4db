// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks params`: lists, shows and chooses parameter sets.

use halimede_ckks::params::ParametersBuilder;
use halimede_ckks::Parameters;
use serde_json::{json, Value};

use super::describe::print;
use super::messages::bad_input;
use super::write::write_file;
use crate::arguments::CkksParamsOptions;
use crate::error::CommandError;
use crate::output::print_table;

pub fn run(options: &CkksParamsOptions, json: bool) -> Result<(), CommandError> {
    let parameters = match &options.name {
        Some(name) => Parameters::preset(name).map_err(bad_input)?,
        None if options.is_described() => described(options)?,
        None if options.out.is_some() => {
            return Err(bad_input("--out is for one parameter set: name or describe it"));
        }
        None => return list(json),
    };
    if let Some(path) = &options.out {
        write_file(path, &[], |file| parameters.save(file))?;
    }
    print(&parameters.to_string(), &parameters_json(&parameters), json)
}

/// Chooses parameters that satisfy all options.
fn described(options: &CkksParamsOptions) -> Result<Parameters, CommandError> {
    let mut builder = ParametersBuilder::new().bootstrapping(options.bootstrapping);
    if let Some(slots) = options.slots {
        builder = builder.slots(slots);
    }
    if let Some(depth) = options.depth {
        builder = builder.depth(depth);
    }
    if let Some(bits) = options.precision {
        builder = builder.precision_bits(bits);
    }
    if let Some(digits) = options.digits {
        builder = builder.digits(digits);
    }
    if let Some(level) = options.security {
        builder = builder.security_bits(level);
    }
    builder.build().map_err(bad_input)
}

/// Lists all named parameter sets.
fn list(json: bool) -> Result<(), CommandError> {
    let all = Parameters::presets().map(Parameters::preset);
    let all: Vec<Parameters> = all.collect::<Result<_, _>>().map_err(bad_input)?;
    if json {
        return print("", &all.iter().map(parameters_json).collect(), true);
    }
    let megabytes = |bytes: usize| format!("{:.1} MB", bytes as f64 / 1e6);
    let row = |parameters: &Parameters| {
        vec![
            parameters.name().to_owned(),
            parameters.slots().to_string(),
            parameters.fresh_level().to_string(),
            format!("{:.0}", parameters.modulus_bits()),
            parameters.security().map_or_else(|| "INSECURE".to_owned(), |level| level.to_string()),
            megabytes(ciphertext_bytes(parameters)),
            megabytes(parameters.switching_key_bytes()),
            format!("{:.0} bits", parameters.expected_precision().product_bits),
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    let header = [
        "name",
        "slots",
        "levels",
        "log2 QP",
        "security",
        "ciphertext",
        "switching key",
        "precision",
    ];
    print_table(&header, &rows)
}

/// Describes parameters as JSON.
pub fn parameters_json(parameters: &Parameters) -> Value {
    let precision = parameters.expected_precision();
    json!({
        "name": parameters.name(), "hash": parameters.hash().to_string(),
        "log_degree": parameters.shape().chain().log_degree, "slots": parameters.slots(),
        "levels": parameters.fresh_level(), "digits": parameters.shape().chain().digits,
        "bootstrap_rounds": parameters.bootstrap().map(|shape| shape.rounds),
        "scale_log2": parameters.level(parameters.top()).scale.log2(),
        "log2_qp": parameters.modulus_bits(),
        "security_bits": parameters.security_bits(),
        "ciphertext_bytes": ciphertext_bytes(parameters),
        "switching_key_bytes": parameters.switching_key_bytes(),
        "precision_bits": {
            "fresh": precision.fresh_bits, "by_the_public_key": precision.public_bits,
            "after_a_bootstrap": precision.bootstrap_bits, "after_products": precision.product_bits,
        },
    })
}

/// Returns the size of a ciphertext of the highest level in memory, in bytes.
fn ciphertext_bytes(parameters: &Parameters) -> usize {
    let limbs = parameters.level(parameters.top()).basis.len();
    2 * limbs * parameters.degree() * size_of::<u32>()
}
