// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks party keys`, `reply` and `collect`.

use std::path::Path;

use halimede_ckks::keys::KeyUse;
use halimede_ckks::parties::KeyCollector;
use halimede_ckks::FileError;
use serde_json::json;

use super::super::describe::print;
use super::super::messages::{bad_input, of_file};
use super::message_file::{for_each_message, MessageReader, MessageWriter};
use super::session::open_session;
use super::state::State;
use crate::arguments::{PartyCollectOptions, PartyKeysOptions, PartyReplyOptions};
use crate::error::CommandError;
use crate::files::{create_folder, write_error};
use crate::progress::steps_bar;

/// Makes all messages of the first round. The state does not change: the same messages can be made
/// again.
pub fn make(options: &PartyKeysOptions, json: bool) -> Result<(), CommandError> {
    let State { mut party, .. } = State::open(&options.state)?;
    let keys = party.session().operations().keys(party.session().parameters());
    let products: Vec<(KeyUse, usize)> = keys
        .iter()
        .map(|(of, level)| (*of, *level))
        .filter(|(of, _)| *of == KeyUse::Multiply)
        .collect();
    let others: Vec<(KeyUse, usize)> =
        keys.into_iter().filter(|(of, _)| *of != KeyUse::Multiply).collect();
    let path =
        match (&options.products, products.is_empty()) {
            (None, false) => return Err(bad_input(
                "the session has products, whose key takes two rounds: give --products FILE for \
                 the message to all other parties",
            )),
            (Some(_), true) => {
                return Err(bad_input("--products: the session has no products of ciphertexts"))
            }
            (path, _) => path.as_deref(),
        };
    let inputs: [&Path; 1] = [&options.state];
    let bar = steps_bar(1 + (others.len() + products.len()) as u64);
    bar.set_message("messages");
    let mut writer = MessageWriter::new(&options.out, &inputs, 1 + others.len())?;
    writer.add(&party.public_key_message().map_err(bad_input)?)?;
    bar.inc(1);
    for (of, level) in &others {
        writer.add(&party.key_message(*of, *level).map_err(bad_input)?)?;
        bar.inc(1);
    }
    let mut rounds = match path {
        Some(path) => Some(MessageWriter::new(path, &inputs, products.len())?),
        None => None,
    };
    if let Some(rounds) = &mut rounds {
        for (of, level) in &products {
            rounds.add(&party.key_message(*of, *level).map_err(bad_input)?)?;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    writer.complete()?;
    rounds.map_or(Ok(()), MessageWriter::complete)?;
    let (out, count) = (options.out.display().to_string(), 1 + others.len());
    let mut text = format!("{out}: {count} messages for the collector");
    if let Some(path) = path {
        text = format!("{text}\n{}: for all other parties", path.display());
    }
    let object = json!({
        "party": party.name(), "session": party.session().id().to_string(), "file": out,
        "messages": count, "products": path.map(|path| path.display().to_string()),
    });
    print(&text, &object, json)
}

/// Answers the first round of the key for products.
pub fn reply(options: &PartyReplyOptions, json: bool) -> Result<(), CommandError> {
    let mut state = State::open(&options.state)?;
    let party = &mut state.party;
    let keys = party.session().operations().keys(party.session().parameters());
    let Some(level) = keys.get(&KeyUse::Multiply) else {
        return Err(bad_input("the session has no products of ciphertexts: nothing to reply to"));
    };
    let bar = steps_bar(1 + options.messages.len() as u64);
    bar.set_message("messages");
    // Begins the round with the party's own message, which is the same again.
    party.key_message(KeyUse::Multiply, *level).map_err(bad_input)?;
    bar.inc(1);
    let mut reply = None;
    for_each_message(&options.messages, |from, message| {
        reply = party.receive(from, message).map_err(bad_input)?;
        bar.inc(1);
        Ok(())
    })?;
    bar.finish_and_clear();
    let Some(reply) = reply else {
        let given = |name: &&String| options.messages.iter().any(|sent| sent.from == **name);
        let own = party.name().to_owned();
        let names = party.session().names().iter().filter(|name| **name != own);
        let missing: Vec<&str> = names.filter(|name| !given(name)).map(String::as_str).collect();
        return Err(bad_input(format!("the messages of {} are missing", missing.join(", "))));
    };
    let inputs: Vec<&Path> = options.messages.iter().map(|sent| sent.path.as_path()).collect();
    let mut writer = MessageWriter::new(&options.out, &inputs, 1)?;
    writer.add(&reply)?;
    // The state first: a party that forgot its reply could make another.
    state.save()?;
    writer.complete()?;
    let (out, party) = (options.out.display().to_string(), &state.party);
    let object = json!({
        "party": party.name(), "session": party.session().id().to_string(), "file": out,
    });
    print(&format!("{out}: for the collector"), &object, json)
}

/// Adds up the messages of all parties.
pub fn collect(options: &PartyCollectOptions, json: bool) -> Result<(), CommandError> {
    let session = open_session(&options.session)?;
    let mut keys = KeyCollector::new(&session, session.operations()).map_err(bad_input)?;
    let mut count = 0;
    for sent in &options.messages {
        count += u64::from(MessageReader::open(sent)?.count());
    }
    let bar = steps_bar(count);
    bar.set_message("messages");
    for_each_message(&options.messages, |from, message| {
        bar.inc(1);
        keys.receive(from, message).map_err(bad_input)
    })?;
    bar.finish_and_clear();
    let public = keys.public_key().map_err(bad_input)?;
    let evaluation = keys.evaluation_keys().map_err(bad_input)?;
    // All keys or none.
    let mut folder = create_folder(&options.dir)?;
    let mut written = Vec::new();
    let failed = |path: &Path, error: FileError| match error {
        FileError::Io(source) => write_error(path)(source),
        error => of_file(path)(error),
    };
    let path = options.dir.join("public.key");
    let mut file = folder.file("public.key", false)?;
    public.save(&mut file).map_err(|error| failed(&path, error))?;
    file.complete()?;
    written.push(path.display().to_string());
    let number = evaluation.iter().count();
    if number > 0 {
        let path = options.dir.join("evaluation.keys");
        let mut file = folder.file("evaluation.keys", false)?;
        evaluation.save(&mut file).map_err(|error| failed(&path, error))?;
        file.complete()?;
        written.push(path.display().to_string());
    }
    folder.complete()?;
    let object = json!({
        "session": session.id().to_string(), "key": session.key().to_string(), "files": written,
        "evaluation_keys": number,
    });
    let text = match number {
        0 => written.join("\n"),
        _ => format!("{} ({number} keys)", written.join("\n")),
    };
    print(&text, &object, json)
}
