// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ecdsa recover`: a key or an address for each line.

use halimede_secp256k1::operations::{Recover, RecoverRequest};
use halimede_secp256k1::recovery::{Numbering, RecoveredKey, Rejection, Rules};
use serde_json::{json, Value};

use super::line::RecoverableLine;
use super::verify::digest;
use crate::arguments::EcdsaRecoverOptions;
use crate::error::CommandError;
use crate::lines::{answer_file, Answer};

pub fn run(options: &EcdsaRecoverOptions, json: bool) -> Result<(), CommandError> {
    let numbering = if options.ethereum { Numbering::Ethereum } else { Numbering::Plain };
    let rules = Rules { numbering, low_s: options.low_s };
    let parse = |text: &str| {
        let RecoverableLine { signed, signature } = RecoverableLine::parse(text)?;
        Ok(RecoverRequest { rules, digest: digest(options.hash, &signed), signature })
    };
    let format = |key: &_| Recovered { key: *key, address: options.address };
    let file = options.file.as_deref();
    answer_file::<Recover, _>(&options.batch, file, parse, format, json)
}

/// A key, or why there is none.
struct Recovered {
    key: Result<RecoveredKey, Rejection>,
    /// Whether the address is asked for.
    address: bool,
}

impl Answer for Recovered {
    fn text(&self) -> String {
        match &self.key {
            Ok(key) if self.address => format!("0x{}", hex::encode(key.address())),
            Ok(key) => hex::encode(key.0),
            Err(rejection) => format!("invalid: {rejection}"),
        }
    }

    fn json(&self) -> Value {
        match &self.key {
            Ok(key) => json!({
                "valid": true,
                "key": hex::encode(key.0),
                "address": format!("0x{}", hex::encode(key.address())),
            }),
            Err(rejection) => json!({ "valid": false, "reason": rejection.to_string() }),
        }
    }

    fn is_failure(&self) -> bool {
        self.key.is_err()
    }
}
