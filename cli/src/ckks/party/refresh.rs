// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party refresh` and `halimede ckks party finish-refresh`.

use std::path::Path;

use halimede_ckks::parties::{Masking, PartyError, Refresh};
use serde_json::json;

use super::super::describe::print;
use super::super::messages::bad_input;
use super::super::open::open_ciphertext;
use super::super::write::write_ciphertext;
use super::answers::quorum;
use super::finish::answering;
use super::message_file::{for_each_message, MessageWriter};
use super::session::open_session;
use super::state::State;
use crate::arguments::{PartyFinishRefreshOptions, PartyRefreshOptions};
use crate::error::CommandError;

/// Makes a share. The state does not change: the same share can be made again.
pub fn share(options: &PartyRefreshOptions, json: bool) -> Result<(), CommandError> {
    let State { party, .. } = State::open(&options.state)?;
    let session = party.session();
    let quorum = quorum(session, &options.quorum)?;
    let a = open_ciphertext(&options.ciphertext, session.parameters())?;
    let &PartyRefreshOptions { security: security_bits, values_at_most, .. } = options;
    let masking = Masking { security_bits, values_at_most };
    let made = party.refresh_message(&a, &masking, &quorum).map_err(|error| match error {
        error @ PartyError::ClaimedBound { .. } => bad_input(format!("{error}: --values-at-most")),
        error => bad_input(error),
    })?;
    let mut writer = MessageWriter::new(&options.out, &[&options.ciphertext, &options.state], 1)?;
    writer.add(&made)?;
    writer.complete()?;
    let path = options.out.display().to_string();
    let object = json!({
        "party": party.name(), "session": session.id().to_string(), "file": path,
        "security_bits": security_bits,
    });
    let text = format!("{path}: hides the values with {security_bits} bits of security or more");
    print(&text, &object, json)
}

pub fn finish(options: &PartyFinishRefreshOptions, json: bool) -> Result<(), CommandError> {
    let session = open_session(&options.session)?;
    let ciphertext = open_ciphertext(&options.ciphertext, session.parameters())?;
    let quorum = answering(&session, &options.messages)?;
    let mut refresh = Refresh::new(&session, &ciphertext, &quorum).map_err(bad_input)?;
    for_each_message(&options.messages, |from, message| {
        refresh.receive(from, message).map_err(bad_input)
    })?;
    let refreshed = refresh.finish().map_err(bad_input)?;
    let inputs: [&Path; 2] = [&options.session, &options.ciphertext];
    write_ciphertext(&options.out, &inputs, &refreshed, session.parameters(), json)
}
