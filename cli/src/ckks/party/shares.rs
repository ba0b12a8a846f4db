// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party share` and `halimede ckks party receive`: shares of secrets under a
//! threshold.

use std::path::Path;

use halimede_ckks::parties::SecretMessage;
use serde_json::json;

use super::super::describe::print;
use super::super::messages::bad_input;
use super::message_file::{for_each_message, write_message, write_start};
use super::state::State;
use crate::arguments::{PartyReceiveOptions, PartyShareOptions};
use crate::error::CommandError;
use crate::files::{create_secret_folder, write_error};
use crate::output::note;

pub fn make(options: &PartyShareOptions, json: bool) -> Result<(), CommandError> {
    let mut state = State::open(&options.state)?;
    let messages = state.party.share_messages().map_err(bad_input)?;
    let written = write_shares(&messages, &options.dir, || state.save())?;
    let object = json!({
        "party": state.party.name(), "session": state.party.session().id().to_string(),
        "secret_files": written,
    });
    print(&written.join("\n"), &object, json)
}

/// Writes a secret message for each receiver to a new folder, which appears after `save`.
pub fn write_shares(
    messages: &[SecretMessage],
    dir: &Path,
    save: impl FnOnce() -> Result<(), CommandError>,
) -> Result<Vec<String>, CommandError> {
    let mut folder = create_secret_folder(dir)?;
    let mut written = Vec::new();
    for message in messages {
        let name = format!("{}.share", message.to);
        let path = dir.join(&name);
        let mut file = folder.file(&name, true)?;
        let content =
            write_start(&mut file, 1).and_then(|()| write_message(&mut file, &message.bytes));
        content.map_err(write_error(&path))?;
        file.complete()?;
        written.push(path.display().to_string());
    }
    save()?;
    folder.complete()?;
    note(
        "these files are secret: send each over a confidential channel to its receiver only, then \
         delete it",
    );
    Ok(written)
}

pub fn receive(options: &PartyReceiveOptions, json: bool) -> Result<(), CommandError> {
    let mut state = State::open(&options.state)?;
    let party = &mut state.party;
    for_each_message(&options.messages, |from, message| {
        party.receive(from, message).map(drop).map_err(bad_input)
    })?;
    state.save()?;
    let missing = state.party.missing_shares();
    let text = match missing.is_empty() {
        true => format!("{}: all shares are here", options.state.display()),
        false => {
            format!("{}: the shares of {} are missing", options.state.display(), missing.join(", "))
        }
    };
    let object = json!({
        "party": state.party.name(), "session": state.party.session().id().to_string(),
        "missing": missing,
    });
    print(&text, &object, json)
}
