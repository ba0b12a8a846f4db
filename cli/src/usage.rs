// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments that are not a command: help, the version, and usage errors.

use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::error::CommandError;
use crate::output::print_usage;
use crate::version;

/// The options that apply if the arguments are not a valid command: anywhere before a `--`, which
/// ends the options.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Loose {
    /// `--json`
    pub json: bool,
    /// `--verbose`, or `-v`
    pub verbose: bool,
}

impl Loose {
    /// Finds the options among the arguments.
    pub fn of(arguments: impl Iterator<Item = OsString>) -> Self {
        let mut found = Self::default();
        for argument in arguments.take_while(|argument| argument != "--") {
            found.json |= argument == "--json";
            found.verbose |= ["--verbose", "-v", "-vV", "-Vv"].iter().any(|name| argument == *name);
        }
        found
    }
}

/// Prints help or the version; anything else is a usage error. Only the verbose version has a JSON
/// form.
pub fn answer(usage: clap::Error, loose: Loose) -> Result<(), CommandError> {
    match usage.kind() {
        ErrorKind::DisplayVersion if loose.verbose => version::run(loose.json),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print_usage(&usage),
        _ => Err(CommandError::Usage(Box::new(usage))),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::Arguments;

    fn usage_error(arguments: &[&str]) -> CommandError {
        let error = Arguments::try_parse_from([&["halimede"], arguments].concat()).unwrap_err();
        answer(error, Loose::default()).unwrap_err()
    }

    #[test]
    fn an_error_of_usage_is_one_line_without_the_usage() {
        for (arguments, start) in [
            (
                &["batch", "poseidon.permute"][..],
                "the following required arguments were not provided: --instance",
            ),
            (&["tour", "--retries", "-1"], "unexpected argument '-1' found"),
            (&["tour", "--retries", "x"], "invalid value 'x' for '--retries <N>': invalid digit"),
            (
                &["posiedon"],
                "unrecognized subcommand 'posiedon' tip: a similar subcommand exists: 'poseidon'",
            ),
            (&[], "a command is missing"),
            (&["ckks"], "a command is missing"),
        ] {
            let error = usage_error(arguments);
            let message = error.to_string();
            assert!(message.starts_with(start), "{arguments:?}: {message}");
            assert!(!message.contains('\n') && !message.contains("Usage:"), "{message}");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn options_count_before_the_options_end() {
        let loose = |arguments: &[&str]| Loose::of(arguments.iter().map(OsString::from));
        let asks = |arguments: &[&str]| loose(arguments).json;
        assert!(asks(&["--json"]) && asks(&["tour", "--nonsense", "--json"]));
        assert!(!asks(&["tour"]) && !asks(&["blake3", "--", "--json"]) && !asks(&["--jsonx"]));
        assert!(loose(&["-V", "-v"]).verbose && loose(&["--verbose", "--version"]).verbose);
        assert!(!loose(&["--version", "--", "-v"]).verbose && !loose(&["--json", "-V"]).verbose);
    }
}
