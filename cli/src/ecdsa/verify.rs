// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ecdsa verify`: a verdict for each line.

use halimede_secp256k1::operations::Verify;
use halimede_secp256k1::{Format, Rejection, Rules, Verifier};
use serde_json::{json, Value};
use sha2::{Digest, Sha256, Sha512};
use sha3::{Keccak256, Sha3_256};

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
    match hash {
        HashName::Sha256 => Sha256::digest(message).to_vec(),
        HashName::Sha512 => Sha512::digest(message).to_vec(),
        HashName::Sha3_256 => Sha3_256::digest(message).to_vec(),
        HashName::Keccak256 => Keccak256::digest(message).to_vec(),
        HashName::None => message.clone(),
    }
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
