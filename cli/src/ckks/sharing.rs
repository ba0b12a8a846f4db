// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tells the user who may see the decrypted values of networks and trainings.

use halimede_ckks_nn::NetworkSharing;
use serde_json::{json, Value};

use crate::output::note;

/// The statement of security of values that others may see.
pub struct Whose {
    pub security_bits: u32,
    pub queries: u32,
    /// The bound of the error from which the size of the noise follows.
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

/// Prints that values are only for the owner of the key, or the statement of security for others.
pub fn say_whose(whose: Option<&Whose>) {
    let Some(Whose { security_bits, queries, .. }) = whose else {
        note(
            "only for the owner of the key: anyone who also has the encrypted result can learn the \
             key from these values; --share decrypts for others",
        );
        return;
    };
    note(format_args!(
        "for others, at {security_bits} bits of security for {queries} decryptions under this key, \
         including those of other commands: count them"
    ));
}

/// Returns the statement as JSON.
pub fn whose_json(whose: Option<&Whose>) -> Value {
    match whose {
        None => json!({ "whom": "owner" }),
        Some(Whose { security_bits, queries, error }) => json!({
            "whom": "others", "security_bits": security_bits, "queries": queries,
            "error_bound": error,
        }),
    }
}
