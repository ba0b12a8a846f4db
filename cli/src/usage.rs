// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arguments that are not a command: help, the version, and errors of usage.

use std::ffi::OsString;

use clap::error::ErrorKind;

use crate::error::CommandError;
use crate::output::print_usage;

/// Whether these arguments ask for JSON, though they are not a command: `--json` stands anywhere
/// before a `--` that ends the options.
pub fn asks_for_json(arguments: impl Iterator<Item = OsString>) -> bool {
    let mut options = arguments.take_while(|argument| argument != "--");
    options.any(|argument| argument == "--json")
}

/// Prints help and the version, which are text always; anything else is an error of usage.
pub fn answer(usage: clap::Error) -> Result<(), CommandError> {
    match usage.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => print_usage(&usage),
        _ => Err(CommandError::Usage(Box::new(usage))),
    }
}

/// What is wrong, without the usage that stands below it, in one line.
pub fn message(usage: &clap::Error) -> String {
    // That help alone says nothing of an error.
    if usage.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing: --help lists them".into();
    }
    let text = usage.render().to_string();
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let is_usage =
        |line: &&str| line.starts_with("Usage:") || line.starts_with("For more information");
    let lines = text.lines().take_while(|line| !is_usage(line)).map(str::trim);
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::Arguments;

    fn usage_error(arguments: &[&str]) -> CommandError {
        let error = Arguments::try_parse_from([&["halimede"], arguments].concat()).unwrap_err();
        answer(error).unwrap_err()
    }

    #[test]
    fn an_error_of_usage_is_one_line_without_the_usage() {
        for (arguments, start) in [
            (
                &["poseidon", "hash"][..],
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
    fn json_is_asked_for_before_the_options_end() {
        let asks = |arguments: &[&str]| asks_for_json(arguments.iter().map(OsString::from));
        assert!(asks(&["--json"]) && asks(&["tour", "--nonsense", "--json"]));
        assert!(!asks(&["tour"]) && !asks(&["blake3", "--", "--json"]) && !asks(&["--jsonx"]));
    }
}
