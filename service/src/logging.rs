// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the server says of itself on standard error.

use std::io::stderr;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// The variable that says what is logged, e.g. `warn`, or `info,halimede_service::access=off`.
pub const VARIABLE: &str = "HALIMEDE_LOG";

/// Begins to log as `HALIMEDE_LOG` says, or else what is of level `info`, where nothing is logged yet.
///
/// # Errors
/// What is wrong with the variable.
#[expect(clippy::disallowed_methods, reason = "what is logged goes to standard error")]
pub fn start() -> Result<(), String> {
    let filter = std::env::var(VARIABLE).unwrap_or_else(|_| "info".into());
    let filter: Targets =
        filter.parse().map_err(|error| format!("{VARIABLE}={filter}: {error}"))?;
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr).with_ansi(false);
    // Whoever logs already goes on to.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
    Ok(())
}
