// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede completions` and `halimede man`: the help texts, for shells and for `man`.

use std::io::{self, Write};
use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::arguments::{Arguments, CompletionsOptions, ManOptions};
use crate::error::CommandError;
use crate::files::{create_folder, write_error};
use crate::output::{output_error, print_bytes, print_line};

const NAME: &str = "halimede";

/// Prints the completion script of a shell.
pub fn completions(options: &CompletionsOptions) -> Result<(), CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(options.shell, &mut Arguments::command(), NAME, &mut script);
    print_bytes(&script)
}

/// Writes a page for each command into a new folder.
pub fn pages(options: &ManOptions, json: bool) -> Result<(), CommandError> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, &mut pages).map_err(output_error)?;
    let mut folder = create_folder(&options.dir)?;
    for (name, page) in &pages {
        let mut file = folder.file(name, false)?;
        file.write_all(page).map_err(write_error(&options.dir.join(name)))?;
        file.complete()?;
    }
    folder.complete()?;
    report(&options.dir, pages.len(), json)
}

/// Adds the pages of a command and all its subcommands.
fn add_pages(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render(&mut page)?;
    pages.push((man.get_filename(), page));
    command.get_subcommands().try_for_each(|below| add_pages(below, pages))
}

fn report(dir: &Path, count: usize, json: bool) -> Result<(), CommandError> {
    let line = match json {
        true => serde_json::json!({ "dir": dir, "pages": count }).to_string(),
        false => format!("{count} pages in {}", dir.display()),
    };
    print_line(&line)
}
