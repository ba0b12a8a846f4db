// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede batch OPERATION`: one command per operation of the table, with its settings as
//! options.

use std::fmt::Write;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{value_parser, Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, Subcommand};
use halimede_arith::interface::{About, Field, Kind, Setting, Values};
use halimede_operations::descriptions;

use super::BatchOptions;

/// An operation, its settings and its lines.
#[derive(Debug)]
pub struct OperationOptions {
    /// The name of the operation in the table.
    pub name: &'static str,
    /// The names and values of the settings. The value of an object is the path of a file.
    pub settings: Vec<(&'static str, String)>,
    /// Print an example item instead of running the operation.
    pub example: bool,
    /// Lines of JSON; standard input if absent or `-`.
    pub file: Option<PathBuf>,
    /// The lines.
    pub batch: BatchOptions,
}

impl Subcommand for OperationOptions {
    fn augment_subcommands(command: Command) -> Command {
        let commands = descriptions().into_iter().map(of_operation);
        command.subcommand_required(true).arg_required_else_help(true).subcommands(commands)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        descriptions().iter().any(|about| about.name == name)
    }
}

impl FromArgMatches for OperationOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let unknown = || clap::Error::new(clap::error::ErrorKind::InvalidSubcommand);
        let (name, matches) = matches.subcommand().ok_or_else(unknown)?;
        let about =
            descriptions().into_iter().find(|about| about.name == name).ok_or_else(unknown)?;
        let given = |setting: &Setting| {
            Some((setting.name, matches.get_one::<String>(setting.name)?.clone()))
        };
        Ok(Self {
            name: about.name,
            settings: about.settings.iter().filter_map(given).collect(),
            example: matches.get_flag(EXAMPLE),
            file: matches.get_one::<PathBuf>(FILE).cloned(),
            batch: BatchOptions::from_arg_matches(matches)?,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

const FILE: &str = "file";
const EXAMPLE: &str = "example";

/// Returns the command of an operation.
fn of_operation(about: &'static About) -> Command {
    let file = Arg::new(FILE)
        .value_name("FILE")
        .help("Lines of JSON; standard input if absent or `-`")
        .value_parser(value_parser!(PathBuf));
    let example = Arg::new(EXAMPLE)
        .long(EXAMPLE)
        .help("Print an example item whose answer is known, and exit")
        .action(ArgAction::SetTrue);
    let command = Command::new(about.name)
        .about(about.summary)
        .after_help(help(about))
        .arg(file)
        .args(about.settings.iter().map(option))
        .arg(example);
    BatchOptions::augment_args(command)
}

/// Returns the option of a setting.
fn option(setting: &'static Setting) -> Arg {
    let option = Arg::new(setting.name).long(setting.name).help(setting.about);
    let option = match (setting.default, setting.values) {
        (Some(default), _) => option.default_value(default),
        (None, Values::Object(_)) => option.required_unless_present(EXAMPLE),
        (None, _) => option.required(true),
    };
    match setting.values {
        Values::Choice(words) => option.value_parser(PossibleValuesParser::new(words)),
        Values::Whole { .. } | Values::Positive => option.value_name("NUMBER"),
        Values::Text { .. } => option.value_name("TEXT"),
        Values::Object(_) => option.value_name("FILE"),
    }
}

/// Returns the help text: the fields of an item, and the form of the answers.
fn help(about: &About) -> String {
    let mut help = String::from("Each line is a JSON object with the fields:\n");
    for field in about.item {
        // Writing to a string does not fail.
        let _ = writeln!(help, "  {:12} {} {}", field.name, field.about, form(field.kind));
    }
    if let [Field { kind: Kind::List { of: [Field { kind: Kind::Number, .. }], .. }, .. }] =
        about.item
    {
        help += "A line may also be just the numbers, separated by white space: `0x1 0x2`.\n";
    }
    help += "\nAnswers are printed in the order of the lines, one per line: `valid`, or `invalid: \
             ` and the reason; bytes as hexadecimal digits; numbers; or `error: ` and what is \
             wrong with the line. With --json, answers are objects, as in `halimede serve`.\n\n\
             Exit codes: 0 success; 1 a check failed; 2 bad lines or an empty input; 3 a device \
             failed or is not available; 4 writing output failed.\n\nExample:\n";
    let required: String = about
        .examples
        .first()
        .into_iter()
        .flat_map(|example| example.settings)
        .map(|(name, value)| format!(" --{name} {}", quoted(value)))
        .collect();
    let name = about.name;
    if about.needs_object() {
        let _ = write!(help, "  halimede batch {name} --example");
    } else {
        let _ = write!(
            help,
            "  halimede batch {name}{required} --example | halimede batch {name}{required}"
        );
    }
    help
}

fn quoted(value: &str) -> String {
    match value.contains(' ') {
        true => format!("'{value}'"),
        false => value.to_owned(),
    }
}

/// Returns the form of a value in JSON.
fn form(kind: Kind) -> &'static str {
    match kind {
        Kind::Bytes { .. } => "(hexadecimal)",
        Kind::Text { .. } => "(text)",
        Kind::Number => "(0x and hexadecimal digits)",
        Kind::List { .. } => "(an array)",
    }
}
