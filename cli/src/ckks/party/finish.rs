// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party finish` and `halimede ckks party finish-switch`: the sums of shares.

use std::path::Path;

use halimede_ckks::parties::{Decryption, KeySwitch, Quorum, Session};
use serde_json::json;

use super::super::encrypt::write_decrypted;
use super::super::messages::bad_input;
use super::super::open::{open_ciphertext, open_public};
use super::super::write::write_ciphertext;
use super::message_file::for_each_message;
use super::session::open_session;
use crate::arguments::{PartyFinishOptions, PartyFinishSwitchOptions, Sent};
use crate::error::CommandError;
use crate::output::note;

pub fn decryption(options: &PartyFinishOptions, json: bool) -> Result<(), CommandError> {
    let session = open_session(&options.session)?;
    let ciphertext = open_ciphertext(&options.ciphertext, session.parameters())?;
    let quorum = answering(&session, &options.messages)?;
    let mut decryption = Decryption::new(&session, &ciphertext, &quorum).map_err(bad_input)?;
    for_each_message(&options.messages, |from, message| {
        decryption.receive(from, message).map_err(bad_input)
    })?;
    let decrypted = decryption.finish().map_err(bad_input)?;
    let (values, bits) = (decrypted.values, decrypted.precision_bits);
    let is_real = ciphertext.bound().is_real();
    let object = json!({
        "session": session.id().to_string(), "length": values.len(), "precision_bits": bits,
    });
    note(format_args!("{bits:.1} fractional bits are correct, the noise of all parties included"));
    let inputs: [&Path; 2] = [&options.session, &options.ciphertext];
    write_decrypted(&values, is_real, options.out.as_deref(), &inputs, object, json)
}

pub fn switch(options: &PartyFinishSwitchOptions, json: bool) -> Result<(), CommandError> {
    let session = open_session(&options.session)?;
    let ciphertext = open_ciphertext(&options.ciphertext, session.parameters())?;
    let receiver = open_public(&options.receiver)?;
    let quorum = answering(&session, &options.messages)?;
    let switch = KeySwitch::new(&session, &ciphertext, &quorum, &receiver);
    let mut switch = switch.map_err(bad_input)?;
    for_each_message(&options.messages, |from, message| {
        switch.receive(from, message).map_err(bad_input)
    })?;
    let switched = switch.finish().map_err(bad_input)?;
    let inputs: [&Path; 3] = [&options.session, &options.ciphertext, &options.receiver];
    write_ciphertext(&options.out, &inputs, &switched, receiver.parameters(), json)
}

/// Returns the parties that answered: all, or those of the messages under a threshold.
pub fn answering(session: &Session, messages: &[Sent]) -> Result<Quorum, CommandError> {
    if session.threshold() == session.names().len() {
        return session.everyone().map_err(bad_input);
    }
    let names: Vec<&str> = messages.iter().map(|sent| sent.from.as_str()).collect();
    session.quorum(&names).map_err(bad_input)
}
