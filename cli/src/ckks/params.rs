// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks params`: the parameter sets.

use halimede_ckks::params::SECURITY_BITS;
use halimede_ckks::Parameters;
use serde_json::{json, Value};

use super::{bad_input, print};
use crate::arguments::CkksParamsOptions;
use crate::error::CommandError;
use crate::output::print_table;

pub fn run(options: &CkksParamsOptions, json: bool) -> Result<(), CommandError> {
    if let Some(name) = &options.name {
        let parameters = Parameters::preset(name).map_err(bad_input)?;
        return print(&parameters.to_string(), &parameters_json(&parameters), json);
    }
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
            parameters.top().to_string(),
            format!("{:.0}", parameters.modulus_bits()),
            match parameters.is_secure() {
                true => format!("{SECURITY_BITS} bits"),
                false => "INSECURE".to_owned(),
            },
            megabytes(ciphertext_bytes(parameters)),
            megabytes(parameters.switching_key_bytes()),
        ]
    };
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    print_table(
        &["name", "slots", "levels", "log2 QP", "security", "ciphertext", "switching key"],
        &rows,
    );
    Ok(())
}

/// What there is to know of parameters.
pub fn parameters_json(parameters: &Parameters) -> Value {
    json!({
        "name": parameters.name(), "hash": parameters.hash().to_string(),
        "log_degree": parameters.shape().log_degree, "slots": parameters.slots(),
        "levels": parameters.top(), "digits": parameters.shape().digits,
        "scale_log2": parameters.level(parameters.top()).scale.log2(),
        "log2_qp": parameters.modulus_bits(),
        "security_bits": parameters.is_secure().then_some(SECURITY_BITS),
        "ciphertext_bytes": ciphertext_bytes(parameters),
        "switching_key_bytes": parameters.switching_key_bytes(),
    })
}

/// Bytes of a ciphertext of the highest level, in memory.
fn ciphertext_bytes(parameters: &Parameters) -> usize {
    let limbs = parameters.level(parameters.top()).basis.len();
    2 * limbs * parameters.degree() * size_of::<u32>()
}
