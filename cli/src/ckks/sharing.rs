// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whom the decrypted values of networks and trainings are for, and what is said of it.

use halimede_ckks_nn::NetworkSharing;
use serde_json::{json, Value};

use crate::output::note;

/// What is promised of values that others may see.
pub struct Whose {
    pub security_bits: u32,
    pub queries: u32,
    /// The bound of the error that the noise is measured by.
    pub error: Option<f64>,
}

impl From<&NetworkSharing> for Whose {
    fn from(sharing: &NetworkSharing) -> Self {
        let &NetworkSharing { security_bits, queries, error_at_least, .. } = sharing;
        let known = sharing.known_error();
        let error =
            known.map_or(error_at_least, |known| Some(known.max(error_at_least.unwrap_or(known))));
        Self { security_bits, queries, error }
    }
}

/// Says whether values are for the owner of the key alone, or what is promised where others see them.
pub fn say_whose(whose: Option<&Whose>) {
    let Some(Whose { security_bits, queries, .. }) = whose else {
        note(
            "for the owner of the key alone: whoever has the encrypted result too can learn the key from \
             these values; --share decrypts for others",
        );
        return;
    };
    note(format_args!(
        "for others, at {security_bits} bits of security for {queries} decryptions under this key: count \
         those of other commands under it"
    ));
}

/// The same for programs.
pub fn whose_json(whose: Option<&Whose>) -> Value {
    match whose {
        None => json!({ "whom": "owner" }),
        Some(Whose { security_bits, queries, error }) => json!({
            "whom": "others", "security_bits": security_bits, "queries": queries,
            "error_bound": error,
        }),
    }
}
