// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Logs of the libraries and the server, on standard error.

use std::io::stderr;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::arguments::Arguments;
use crate::error::CommandError;

/// The variable that sets the levels, e.g. `warn`, or `info,halimede_service::access=off`.
const VARIABLE: &str = "HALIMEDE_LOG";

/// The levels, from the quietest.
const LEVELS: [&str; 5] = ["error", "warn", "info", "debug", "trace"];

/// Starts to log, at the levels of `HALIMEDE_LOG`, or else of the options: by default a server logs
/// each request (`info`), other commands only errors; `-v` adds a level or two.
///
/// # Errors
/// [`CommandError::BadInput`] if the variable is invalid.
#[expect(clippy::disallowed_methods, reason = "what is logged goes to standard error")]
pub fn start(arguments: &Arguments) -> Result<(), CommandError> {
    let filter = match std::env::var_os(VARIABLE).filter(|filter| !filter.is_empty()) {
        Some(filter) => filter.to_string_lossy().into_owned(),
        None => level(arguments).to_owned(),
    };
    let bad = |error| CommandError::BadInput(format!("{VARIABLE}={filter}: {error}"));
    let targets: Targets = filter.parse().map_err(bad)?;
    let lines = tracing_subscriber::fmt::layer().with_writer(stderr).with_ansi(false);
    // A logger that is already installed stays.
    let _ = tracing_subscriber::registry().with(lines).with(targets).try_init();
    Ok(())
}

fn level(arguments: &Arguments) -> &'static str {
    let usual = if arguments.command.serves() { 2 } else { 0 };
    // In other commands the first -v selects `info`: the events of cards and fallbacks.
    let more = match (usize::from(arguments.verbose), usual) {
        (0, _) | (_, 2) => usize::from(arguments.verbose),
        (count, _) => count + 1,
    };
    match arguments.quiet {
        true => LEVELS[0],
        false => LEVELS[(usual + more).min(LEVELS.len() - 1)],
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[test]
    fn options_choose_the_level() {
        for (options, others, server) in [
            (&[][..], "error", "info"),
            (&["-q"], "error", "error"),
            (&["-v"], "info", "debug"),
            (&["-vv"], "debug", "trace"),
            (&["-v", "--verbose", "-v"], "trace", "trace"),
            (&["-vvvvvvvvv"], "trace", "trace"),
        ] {
            let level_of = |command: &str| {
                let arguments = [&["halimede"], options, &[command]].concat();
                level(&Arguments::try_parse_from(arguments).unwrap())
            };
            assert_eq!(level_of("tour"), others, "{options:?}");
            #[cfg(feature = "serve")]
            assert_eq!(level_of("serve"), server, "{options:?}");
            #[cfg(not(feature = "serve"))]
            let _ = server;
        }
        assert!(Arguments::try_parse_from(["halimede", "-v", "-q", "tour"]).is_err());
    }
}
