// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reports the error of a command to its user.

use crate::error::CommandError;
use crate::output::{error_line, note, print_usage};

/// Prints an error on standard error, as a JSON object if `json` is set.
pub fn tell(error: &CommandError, json: bool) {
    if error.is_closed_output() {
        return;
    }
    if json {
        let object = serde_json::json!({ "error": error.to_string(), "exit": error.exit_code() });
        error_line(object);
    } else if let CommandError::Usage(usage) = error {
        // If standard error fails, the exit code still reports the error.
        let _ = print_usage(usage);
    } else {
        note(error);
    }
}
