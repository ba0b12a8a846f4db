// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party decrypt` and `halimede ckks party switch`: a party's shares.

use std::path::Path;

use halimede_ckks::keys::PublicKey;
use halimede_ckks::parties::{Party, PartyError, Quorum, Session};
use halimede_ckks::{Ciphertext, Sharing, SharingError};
use serde_json::json;

use super::super::describe::print;
use super::super::expected::{expected, ExpressionInputs};
use super::super::messages::bad_input;
use super::super::open::{open_ciphertext, open_public};
use super::message_file::MessageWriter;
use super::state::State;
use crate::arguments::{AnswerOptions, PartyDecryptOptions, PartySwitchOptions};
use crate::error::CommandError;

pub fn decrypt(options: &PartyDecryptOptions, json: bool) -> Result<(), CommandError> {
    answer(&options.answer, &options.ciphertext, json, |party, a, sharing, quorum| {
        party.decryption_message(a, sharing, quorum)
    })
}

pub fn switch(options: &PartySwitchOptions, json: bool) -> Result<(), CommandError> {
    let receiver: PublicKey = open_public(&options.receiver)?;
    answer(&options.answer, &options.ciphertext, json, |party, a, sharing, quorum| {
        party.switch_message(a, sharing, quorum, &receiver)
    })
}

/// Makes an answer, stores its count, then writes it.
fn answer(
    options: &AnswerOptions,
    ciphertext: &Path,
    json: bool,
    make: impl FnOnce(&mut Party, &Ciphertext, &Sharing, &Quorum) -> Result<Vec<u8>, PartyError>,
) -> Result<(), CommandError> {
    let mut state = State::open(&options.state)?;
    let session = state.party.session().clone();
    let quorum = quorum(&session, &options.quorum)?;
    let a = open_ciphertext(ciphertext, session.parameters())?;
    let sharing = sharing(options, &session)?;
    let made = make(&mut state.party, &a, &sharing, &quorum).map_err(|error| match error {
        PartyError::Sharing(error @ SharingError::Claimed { .. }) => bad_input(format!(
            "{error}: give --error-at-least, or --expression with --input and --keys"
        )),
        error => bad_input(error),
    })?;
    let mut writer = MessageWriter::new(&options.out, &[ciphertext, &options.state], 1)?;
    writer.add(&made)?;
    // The count first: an answer that was not counted must not leave.
    state.save()?;
    writer.complete()?;
    let party = &state.party;
    let (answers, most) = (party.answers(), party.most_answers().unwrap_or(options.queries));
    let bits = party.precision_for_sharing(&a, &sharing).map_err(bad_input)?;
    let (path, security) = (options.out.display().to_string(), options.security);
    let object = json!({
        "party": party.name(), "session": session.id().to_string(), "file": path,
        "precision_bits": bits, "security_bits": security, "answers": answers, "queries": most,
    });
    let text = format!(
        "{path}: {bits:.1} fractional bits are left, at {security} bits of security; answer \
         {answers} of {most} under this key"
    );
    print(&text, &object, json)
}

/// Returns the parties that decrypt together.
pub fn quorum(session: &Session, names: &[String]) -> Result<Quorum, CommandError> {
    match names {
        [] => session.everyone().map_err(|_| {
            let (of, all) = (session.threshold(), session.names().join(", "));
            bad_input(format!("name {of} of the parties {all} that answer, with --quorum"))
        }),
        names => session.quorum(names).map_err(bad_input),
    }
}

/// Returns the statement of security.
fn sharing(options: &AnswerOptions, session: &Session) -> Result<Sharing, CommandError> {
    let expected = match (&options.expression, &options.keys) {
        (Some(expression), Some(keys)) => expected(&ExpressionInputs {
            expression,
            keys,
            inputs: &options.inputs,
            error: options.error,
            // Nobody has the secret key to encrypt with.
            are_public: true,
            parameters: session.parameters(),
            owner: session.key(),
        })?,
        _ => None,
    };
    let error_at_least = options.error_at_least;
    Ok(Sharing { error_at_least, expected, ..Sharing::new(options.security, options.queries) })
}
