// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party session` and `halimede ckks party join`.

use std::path::Path;

use halimede_ckks::files::expect_end;
use halimede_ckks::parties::{Party, Session};
use halimede_ckks::sampling::Random;
use halimede_ckks::Operations;
use serde_json::json;

use super::super::describe::{print, warn_insecure};
use super::super::messages::{bad_input, of_file, of_party_file};
use super::super::open::{named_parameters, reader_and_parameters};
use super::super::write::write_file;
use crate::arguments::{PartyJoinOptions, PartySessionOptions};
use crate::error::CommandError;
use crate::files::open_file;

pub fn create(options: &PartySessionOptions, json: bool) -> Result<(), CommandError> {
    let parameters = named_parameters(&options.params)?;
    warn_insecure(&parameters);
    let seed = match options.seed {
        Some(seed) => seed,
        None => Random::new().map_err(bad_input)?.seed(),
    };
    let operations = Operations {
        multiply: options.multiply,
        conjugate: options.conjugate,
        rotations: options.rotations.clone(),
        ..Operations::default()
    };
    let threshold = options.threshold.unwrap_or(options.parties.len());
    let session =
        Session::for_operations(&parameters, &seed, &options.parties, threshold, &operations);
    let session = session.map_err(bad_input)?;
    write_file(&options.out, &[&options.params], |file| session.save(file))?;
    let (id, parties) = (session.id(), session.names().len());
    let keys = operations.keys(session.parameters()).len();
    let object = json!({
        "file": options.out.display().to_string(), "session": id.to_string(),
        "parameters": session.parameters().name(), "parties": session.names(),
        "threshold": threshold, "evaluation_keys": keys,
        "security_bits": session.parameters().security_bits(),
    });
    let path = options.out.display();
    let text = format!(
        "{path}: session {id}, {threshold} of {parties} parties decrypt; evaluation keys: {keys}"
    );
    print(&text, &object, json)
}

/// Reads the file of a session.
pub fn open_session(path: &Path) -> Result<Session, CommandError> {
    let (file, _) = open_file(path)?;
    let (reader, parameters) = reader_and_parameters(&file, path)?;
    warn_insecure(&parameters);
    let session = reader.session(&parameters).map_err(of_party_file(path))?;
    expect_end(&file).map_err(of_file(path))?;
    Ok(session)
}

pub fn join(options: &PartyJoinOptions, json: bool) -> Result<(), CommandError> {
    let session = open_session(&options.session)?;
    let party = Party::new(&session, &options.name).map_err(bad_input)?;
    party.create_file(&options.state).map_err(of_file(&options.state))?;
    let id = session.id();
    let object = json!({
        "file": options.state.display().to_string(), "session": id.to_string(),
        "party": party.name(),
    });
    let text = format!("{}: {} of the session {id}", options.state.display(), party.name());
    print(&text, &object, json)
}
