// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede groth16 verify`: a verdict for each line.

use std::path::Path;
use std::sync::Arc;

use halimede_bls12_381::groth16::{VerifyingKey, KEY_LIMIT_BYTES};
use halimede_bls12_381::operations::{ProofRequest, VerifyProof};
use halimede_bls12_381::Fr;
use serde::Deserialize;

use crate::arguments::Groth16VerifyOptions;
use crate::error::CommandError;
use crate::file_kind::not_wanted;
use crate::files::read_limited;
use crate::json_line::{bytes, object, Text};
use crate::lines::{answer_file, Verdict};

/// Runs `halimede groth16 verify`.
pub fn run(options: &Groth16VerifyOptions, json: bool) -> Result<(), CommandError> {
    let key = Arc::new(read_key(&options.vk)?);
    let parse = |text: &str| {
        let (proof, inputs) = parse(text)?;
        Ok(ProofRequest { key: Arc::clone(&key), proof, inputs })
    };
    let file = options.proofs.as_deref();
    answer_file::<VerifyProof, _>(&options.batch, file, parse, Verdict::of, json)
}

fn read_key(path: &Path) -> Result<VerifyingKey, CommandError> {
    let bytes = read_limited(path, KEY_LIMIT_BYTES as u64)?;
    VerifyingKey::read(&bytes).map_err(|error| not_wanted(path, "a verifying key", error))
}

#[derive(Deserialize)]
struct Fields<'l> {
    #[serde(borrow)]
    proof: Text<'l>,
    #[serde(borrow)]
    inputs: Vec<Text<'l>>,
}

/// Reads a line's proof, of any length and content, and its inputs.
///
/// # Errors
/// The fault.
pub fn parse(text: &str) -> Result<(Vec<u8>, Vec<Fr>), String> {
    let fields: Fields<'_> = object(text)?;
    let inputs = fields.inputs.iter().enumerate().map(|(index, Text(input))| number(index, input));
    Ok((bytes(text, "proof", &fields.proof)?, inputs.collect::<Result<_, _>>()?))
}

/// A number below the order of the groups.
fn number(index: usize, text: &str) -> Result<Fr, String> {
    let at = |what: &str| format!("input {index} {what}");
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() || digits.len() > 64 {
        return Err(at("does not have 1 to 64 hexadecimal digits"));
    }
    let mut bytes = [0; 32];
    hex::decode_to_slice(format!("{digits:0>64}"), &mut bytes)
        .map_err(|_| at("has what is not a hexadecimal digit"))?;
    Fr::from_be_bytes(&bytes).map_err(|_| at("is not below the order of the groups"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let (proof, inputs) = parse(r#"{"proof":"0x0aff","inputs":["2a","0x7"],"id":1}"#).unwrap();
        assert_eq!((proof, inputs), (vec![10, 255], vec![Fr::from(42), Fr::from(7)]));
        let r = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
        for (input, expected) in [
            ("", "input 0 does not have 1 to 64 hexadecimal digits"),
            ("é", "input 0 has what is not a hexadecimal digit"),
            (r, "input 0 is not below the order of the groups"),
        ] {
            let line = format!(r#"{{"proof":"","inputs":["{input}"]}}"#);
            assert_eq!(parse(&line).unwrap_err(), expected);
        }
        assert!(parse(r#"{"proof":""}"#).is_err() && parse(r#"{"inputs":[]}"#).is_err());
    }
}
