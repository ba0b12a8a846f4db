// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ecdsa verify`: a verdict for each line.

use std::borrow::Cow;

use halimede_secp256k1::digest::Hash;
use halimede_secp256k1::operations::Verify;
use halimede_secp256k1::{Format, Rejection, Rules, Verifier};
use serde_json::{json, Value};

use super::line::{Line, Signed};
use crate::arguments::{EcdsaVerifyOptions, FormatName, HashName};
use crate::error::CommandError;
use crate::lines::{answer_file, Answer};

pub fn run(options: &EcdsaVerifyOptions, json: bool) -> Result<(), CommandError> {
    let rules = Rules { format: options.format.into(), low_s: options.low_s };
    let verifier = Verifier::new(rules);
    let parse = |text: &str| {
        let line = Line::parse(text)?;
        let digest = digest(options.hash, &line.signed);
        Ok(verifier.request(&line.key, &digest, &line.signature))
    };
    let format = |verdict: &_| Verdict(*verdict);
    answer_file::<Verify, _>(&options.batch, options.file.as_deref(), parse, format, json)
}

/// The digest of what was signed.
pub fn digest(hash: HashName, signed: &Signed) -> Vec<u8> {
    let message = match signed {
        Signed::Digest(digest) => return digest.clone(),
        Signed::Message(message) => message,
    };
    let hash = match hash {
        HashName::Sha256 => Hash::Sha256,
        HashName::Sha512 => Hash::Sha512,
        HashName::Sha3_256 => Hash::Sha3_256,
        HashName::Keccak256 => Hash::Keccak256,
        HashName::None => Hash::None,
    };
    // A digest that is given may have any length here.
    hash.digest(message).map_or_else(|_| message.clone(), Cow::into_owned)
}

/// Whether a signature is valid, or why not.
struct Verdict(Result<(), Rejection>);

impl Answer for Verdict {
    fn text(&self) -> String {
        match &self.0 {
            Ok(()) => "valid".into(),
            Err(rejection) => format!("invalid: {rejection}"),
        }
    }

    /// The mask is that of the checks of the numbers, where it came to those.
    fn json(&self) -> Value {
        match &self.0 {
            Ok(()) => json!({ "valid": true }),
            Err(rejection @ Rejection::Check(mask)) => {
                json!({ "valid": false, "reason": rejection.to_string(), "mask": mask.bits() })
            }
            Err(rejection) => json!({ "valid": false, "reason": rejection.to_string() }),
        }
    }

    fn is_failure(&self) -> bool {
        self.0.is_err()
    }
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Der => Self::Der,
            FormatName::DerLax => Self::DerLax,
            FormatName::Compact => Self::Compact,
        }
    }
}
