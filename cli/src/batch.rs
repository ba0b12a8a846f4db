// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede batch`: runs an operation of the table on lines.

use std::path::Path;

use halimede_arith::interface::{Example, Interface, Object, ObjectKind, Plan, Settings, Visitor};
use halimede_operations::json;

use crate::arguments::OperationOptions;
use crate::error::CommandError;
use crate::file_kind::not_wanted;
use crate::files::read_limited;
use crate::lines::{answer_file, LineSettings};
use crate::output::print_line;

/// Runs `halimede batch`.
pub fn run(options: &OperationOptions, json: bool) -> Result<(), CommandError> {
    let mut run = Run { options, json, outcome: Ok(()) };
    halimede_operations::visit(&mut run);
    run.outcome
}

struct Run<'o> {
    options: &'o OperationOptions,
    json: bool,
    outcome: Result<(), CommandError>,
}

impl Visitor for Run<'_> {
    fn visit<I: Interface>(&mut self) {
        if I::ABOUT.name == self.options.name {
            self.outcome = match self.options.example {
                true => print_example::<I>(self.options),
                false => answer::<I>(self.options, self.json),
            };
        }
    }
}

/// Prints the item of the first example with the settings of the command line, or else of the first
/// example, if there is one.
fn print_example<I: Interface>(options: &OperationOptions) -> Result<(), CommandError> {
    let has_settings = |example: &&Example| {
        example
            .settings
            .iter()
            .all(|own| options.settings.iter().any(|(name, value)| (*name, value.as_str()) == *own))
    };
    let mut examples = I::ABOUT.examples.iter();
    let Some(example) = examples.clone().find(has_settings).or_else(|| examples.next()) else {
        return Ok(());
    };
    let item: serde_json::Value = serde_json::from_str(example.item)
        .map_err(|error| CommandError::BadInput(error.to_string()))?;
    print_line(&item.to_string())
}

fn answer<I: Interface>(options: &OperationOptions, json: bool) -> Result<(), CommandError> {
    let mut settings = Settings::of(I::ABOUT.settings);
    for (name, value) in &options.settings {
        settings.set(name, value.clone()).map_err(CommandError::BadInput)?;
    }
    let mut settings = settings.complete().map_err(CommandError::BadInput)?;
    let named: Vec<_> = settings
        .named_objects()
        .map(|(name, kind, path)| Ok((name, read_object(kind, Path::new(path))?)))
        .collect::<Result<_, CommandError>>()?;
    for (name, object) in named {
        settings.attach(name, object).map_err(CommandError::BadInput)?;
    }
    let plan: Plan<I::Operation> = I::plan(&settings).map_err(CommandError::BadInput)?;
    let (fields, reply) = (I::ABOUT.item, I::ABOUT.reply);
    let parse = |text: &str| json::read_line(text, fields).and_then(|record| (plan.read)(record));
    let settings = LineSettings { reply, json, allow_empty: options.batch.allow_empty };
    let file = options.file.as_deref();
    answer_file::<I::Operation>(&options.batch.device, file, parse, &plan.answer, settings)
}

fn read_object(kind: &ObjectKind, path: &Path) -> Result<Object, CommandError> {
    let bytes = read_limited(path, kind.most_bytes as u64)?;
    (kind.read)(&bytes).map_err(|error| not_wanted(path, &format!("a {}", kind.name), error))
}
