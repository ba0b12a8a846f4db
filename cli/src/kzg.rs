// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede kzg verify`: an answer for each line.

use std::path::Path;

use halimede_bls12_381::kzg::{OpeningError, Setup, SETUP_LIMIT_BYTES};
use halimede_bls12_381::operations::{OpeningRequest, OwnedOpening, VerifyOpening};
use serde::Deserialize;
use serde_json::{json, Value};

use crate::arguments::KzgVerifyOptions;
use crate::error::CommandError;
use crate::file_kind::not_wanted;
use crate::files::read_limited;
use crate::json_line::{bytes, object, Text};
use crate::lines::{answer_file, Answer};

/// Runs `halimede kzg verify`.
pub fn run(options: &KzgVerifyOptions, json: bool) -> Result<(), CommandError> {
    let setup = read_setup(&options.setup)?;
    let parse = |text: &str| Ok(OpeningRequest { setup: setup.clone(), opening: parse(text)? });
    let format = |answer: &Result<bool, OpeningError>| {
        OpeningAnswer(answer.as_ref().copied().map_err(ToString::to_string))
    };
    answer_file::<VerifyOpening, _>(&options.batch, options.file.as_deref(), parse, format, json)
}

fn read_setup(path: &Path) -> Result<Setup, CommandError> {
    let text = read_limited(path, SETUP_LIMIT_BYTES as u64)?;
    let wanted = "a trusted setup";
    let text = String::from_utf8(text).map_err(|error| not_wanted(path, wanted, error))?;
    Setup::read(&text).map_err(|error| not_wanted(path, wanted, error))
}

/// Whether an opening is valid, or why it cannot be decoded.
struct OpeningAnswer(Result<bool, String>);

impl Answer for OpeningAnswer {
    fn text(&self) -> String {
        match self.0 {
            Ok(true) => "valid".into(),
            _ => format!("invalid: {MISMATCH}"),
        }
    }

    fn json(&self) -> Value {
        match self.0 {
            Ok(true) => json!({ "valid": true }),
            _ => json!({ "valid": false, "reason": MISMATCH }),
        }
    }

    fn is_failure(&self) -> bool {
        self.0 != Ok(true)
    }

    fn fault(&self) -> Option<String> {
        self.0.as_ref().err().cloned()
    }
}

const MISMATCH: &str = "the proof does not match";

#[derive(Deserialize)]
struct Fields<'l> {
    #[serde(borrow)]
    commitment: Text<'l>,
    #[serde(borrow)]
    proof: Text<'l>,
    #[serde(borrow)]
    z: Option<Text<'l>>,
    #[serde(borrow)]
    y: Option<Text<'l>>,
    #[serde(borrow)]
    blob: Option<Text<'l>>,
}

/// Reads a line's opening, its parts of any length and content.
///
/// # Errors
/// The fault.
pub fn parse(text: &str) -> Result<OwnedOpening, String> {
    let Fields { commitment, proof, z, y, blob } = object(text)?;
    let (commitment, proof) =
        (bytes(text, "commitment", &commitment)?, bytes(text, "proof", &proof)?);
    match (z, y, blob) {
        (Some(z), Some(y), None) => {
            let (z, y) = (bytes(text, "z", &z)?, bytes(text, "y", &y)?);
            Ok(OwnedOpening::Value { commitment, z, y, proof })
        }
        (None, None, Some(blob)) => {
            Ok(OwnedOpening::Blob { blob: bytes(text, "blob", &blob)?, commitment, proof })
        }
        (None, None, None) => Err("there is neither `blob` nor `z` and `y`".into()),
        (_, _, Some(_)) => Err("there are both `blob` and `z` or `y`".into()),
        _ => Err("there is one of `z` and `y` alone".into()),
    }
}
