// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party reshare`, `hand-over` and `retire`: a key moves to other parties.

use halimede_ckks::sampling::Random;
use serde_json::json;

use super::super::describe::print;
use super::super::messages::bad_input;
use super::super::write::write_file;
use super::answers::quorum;
use super::session::open_session;
use super::shares::write_shares;
use super::state::State;
use crate::arguments::{PartyHandOverOptions, PartyReshareOptions, PartyRetireOptions};
use crate::error::CommandError;

pub fn session(options: &PartyReshareOptions, json: bool) -> Result<(), CommandError> {
    let session = open_session(&options.session)?;
    let seed = match options.seed {
        Some(seed) => seed,
        None => Random::new().map_err(bad_input)?.seed(),
    };
    let quorum = quorum(&session, &options.quorum)?;
    let threshold = options.threshold.unwrap_or(options.parties.len());
    let next = session.reshared(&quorum, &seed, &options.parties, threshold).map_err(bad_input)?;
    write_file(&options.out, &[&options.session], |file| next.save(file))?;
    let (id, before, parties) = (next.id(), session.id(), next.names().len());
    let path = options.out.display().to_string();
    let object = json!({
        "file": path, "session": id.to_string(), "before": before.to_string(),
        "epoch": next.epoch(), "parties": next.names(), "threshold": threshold,
    });
    let text = format!(
        "{path}: session {id} after {before}, {threshold} of {parties} parties decrypt with the \
         same key"
    );
    print(&text, &object, json)
}

pub fn hand_over(options: &PartyHandOverOptions, json: bool) -> Result<(), CommandError> {
    let next = open_session(&options.next)?;
    let mut state = State::open(&options.state)?;
    let messages = state.party.hand_over_messages(&next).map_err(bad_input)?;
    // The state first: a party that forgot that it handed over would answer again.
    let written = write_shares(&messages, &options.dir, || state.save())?;
    let object = json!({
        "party": state.party.name(), "session": state.party.session().id().to_string(),
        "next": next.id().to_string(), "secret_files": written,
    });
    print(&written.join("\n"), &object, json)
}

pub fn retire(options: &PartyRetireOptions, json: bool) -> Result<(), CommandError> {
    let next = open_session(&options.next)?;
    let mut state = State::open(&options.state)?;
    state.party.retire(&next).map_err(bad_input)?;
    state.save()?;
    let (path, name) = (options.state.display().to_string(), state.party.name());
    let object = json!({
        "party": name, "session": state.party.session().id().to_string(),
        "next": next.id().to_string(), "file": path,
    });
    print(&format!("{path}: the secrets of {name} are wiped"), &object, json)
}
