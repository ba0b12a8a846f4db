// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An error told to whoever ran the command.

use crate::error::CommandError;
use crate::output::{error_line, note, print_usage};

/// Says on standard error what was wrong, as a JSON object where JSON was asked for.
pub fn tell(error: &CommandError, json: bool) {
    if error.is_closed_output() {
        return;
    }
    if json {
        let object = serde_json::json!({ "error": error.to_string(), "exit": error.exit_code() });
        error_line(object);
    } else if let CommandError::Usage(usage) = error {
        // Where standard error fails, the exit code still tells.
        let _ = print_usage(usage);
    } else {
        note(error);
    }
}
