// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds the examples in documents and help texts.

use std::process::Command;

/// Returns the commands in the shell blocks of a document.
pub fn examples_of_document(document: &str) -> Vec<String> {
    let blocks = document.split("```sh\n").skip(1);
    let blocks = blocks.map(|rest| rest.split("\n```").next().expect("the block's end"));
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

/// Returns the examples in the `--help` of a command and its subcommands, in their order; `words`
/// name the command.
pub fn examples_of_help(words: &mut Vec<String>) -> Vec<String> {
    let help = help(words);
    let mut examples = examples_of_text(&help);
    for name in subcommands(&help) {
        words.push(name);
        examples.extend(examples_of_help(words));
        words.pop();
    }
    examples
}

/// Returns all commands that do something: those without subcommands.
pub fn commands(words: &mut Vec<String>) -> Vec<String> {
    let names = subcommands(&help(words));
    if names.is_empty() {
        return vec![words.join(" ")];
    }
    let mut all = Vec::new();
    for name in names {
        words.push(name);
        all.extend(commands(words));
        words.pop();
    }
    all
}

fn help(words: &[String]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halimede"));
    let output = command.args(words).arg("--help").output().unwrap();
    assert!(output.status.success(), "{words:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the indented lines after `Example:` or `Examples:`.
fn examples_of_text(help: &str) -> Vec<String> {
    let mut lines = help.lines().skip_while(|line| !matches!(*line, "Example:" | "Examples:"));
    lines.next();
    let examples: Vec<String> =
        lines.map_while(|line| line.strip_prefix("  ")).map(str::to_owned).collect();
    let commands = help.matches("\n  halimede ").count();
    assert!(examples.iter().filter(|line| line.starts_with("halimede ")).count() >= commands);
    examples
}

/// Returns the names in the list of commands; descriptions may continue in lines with a larger
/// indent.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.map_while(|line| line.strip_prefix("  "));
    let names = names.filter(|line| !line.starts_with(' '));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}
