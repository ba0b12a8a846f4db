// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks inspect`: describes a file.

use std::path::Path;

use halimede_ckks::circuit::Checkpoint;
use halimede_ckks::evaluator::rotation_exponent;
use halimede_ckks::files::{
    expect_end, open_party_file, open_secret_file, FileKind, FileReader, FORMAT,
};
use halimede_ckks::keys::{KeyId, KeyUse, LOW_LEVEL};
use halimede_ckks::parties::{Party, PartyError, Session};
use halimede_ckks::{Ciphertext, FileError, Parameters};
use halimede_ckks_nn::compile::Interface;
use halimede_ckks_nn::PostProcessing;
use serde_json::{json, Value};

use super::describe::{bound_text, ciphertext_json, print};
use super::messages::of_file;
use super::params::parameters_json;
use crate::arguments::InspectOptions;
use crate::error::CommandError;
use crate::files::open_file;

pub fn run(options: &InspectOptions, json: bool) -> Result<(), CommandError> {
    let path = &options.file;
    let (mut file, _) = open_file(path)?;
    let (text, object) = inspect(&mut file, path).map_err(of_file(path))?;
    expect_end(file).map_err(of_file(path))?;
    print(&text, &object, json)
}

fn inspect(file: &mut std::fs::File, path: &Path) -> Result<(String, Value), FileError> {
    let reader = FileReader::new(file)?;
    let header = reader.header();
    let (kind, hash) = (header.kind(), header.hash());
    let parameters = header.insecure_parameters()?;
    let (details, mut object) = match kind {
        FileKind::Parameters => (parameters.to_string(), json!({})),
        FileKind::SecretKey => {
            // Checks that only its owner can read it.
            open_secret_file(path)?;
            of_key(reader.secret_key(&parameters)?.id())
        }
        FileKind::PublicKey => of_key(reader.public_key(&parameters)?.owner()),
        FileKind::Ciphertext => {
            let ciphertext = reader.ciphertext(&parameters)?;
            (ciphertext_lines(&ciphertext), ciphertext_json(&ciphertext))
        }
        FileKind::Checkpoint => {
            let checkpoint = Checkpoint::read(reader, &parameters)?;
            let (run, done, steps) = (checkpoint.run(), checkpoint.done(), checkpoint.steps());
            let object = json!({ "run": run.to_string(), "done": done, "steps": steps });
            (format!("run         {run}\ndone        {done} of {steps} steps"), object)
        }
        FileKind::Session => of_session(&reader.session(&parameters).map_err(of_party)?),
        FileKind::Party => {
            open_party_file(path)?;
            of_state(&reader.party(&parameters).map_err(of_party)?)
        }
        FileKind::Interface => of_interface(&Interface::read(reader, &parameters)?),
        FileKind::EvaluationKeys => {
            let mut reader = reader.keys(&parameters)?;
            let (owner, mut object) = of_key(reader.owner());
            let mut keys = Vec::new();
            for key in &mut reader {
                let (of, key) = key?;
                keys.push((name_of(of, &parameters), key.level()));
            }
            let text = |(name, level): &(String, usize)| format!("{name}, up to level {level}");
            let json =
                |(name, level): &(String, usize)| json!({ "operation": name, "level": level });
            object["keys"] = keys.iter().map(json).collect();
            (
                std::iter::once(owner).chain(keys.iter().map(text)).collect::<Vec<_>>().join("\n"),
                object,
            )
        }
    };
    object["kind"] = kind.to_string().into();
    object["format"] = FORMAT.into();
    object["parameters"] = parameters_json(&parameters);
    let security = if parameters.is_secure() { "" } else { ", INSECURE: only for tests" };
    let name = parameters.name();
    let first = format!("{kind} for the parameters {name} (hash {hash}){security}");
    Ok((format!("{first}\nformat      {FORMAT}\n{details}"), object))
}

/// Describes a key by the identifier of its secret key.
fn of_key(key: KeyId) -> (String, Value) {
    (format!("key         {key}"), json!({ "key": key.to_string() }))
}

/// Converts the error of a session or a party to that of a file.
fn of_party(error: PartyError) -> FileError {
    match error {
        PartyError::File(error) => error,
        error => FileError::Malformed { at: 0, what: error.to_string() },
    }
}

/// Describes the agreement of several key holders.
fn of_session(session: &Session) -> (String, Value) {
    let (id, names, threshold) = (session.id(), session.names(), session.threshold());
    let (all, parties) = (names.join(", "), names.len());
    let keys = session.operations().keys(session.parameters()).len();
    let mut text = format!(
        "session     {id}\nkey         {}\nparties     {all}\nthreshold   {threshold} of {parties}\nkeys        {keys}",
        session.key()
    );
    let parent = session.parent().map(|parent| parent.to_string());
    if let Some(parent) = &parent {
        text = format!("{text}\nafter       {parent}, re-sharing {}", session.epoch());
    }
    let object = json!({
        "session": id.to_string(), "key": session.key().to_string(), "parties": names,
        "threshold": threshold, "evaluation_keys": keys, "before": parent,
        "epoch": session.epoch(),
    });
    (text, object)
}

/// Describes the public part of the state of a key holder.
fn of_state(party: &Party) -> (String, Value) {
    let (text, mut object) = of_session(party.session());
    let (answers, most, missing) = (party.answers(), party.most_answers(), party.missing_shares());
    let of = most.map_or(String::new(), |most| format!(" of {most}"));
    object["party"] = party.name().into();
    object["answers"] = answers.into();
    object["queries"] = most.into();
    object["missing_shares"] = json!(missing);
    let mut text = format!("{text}\nparty       {}\nanswers     {answers}{of}", party.name());
    if !missing.is_empty() {
        text = format!("{text}\nmissing     the shares of {}", missing.join(", "));
    }
    let next = party.next_session().map(|next| next.to_string());
    if let Some(next) = &next {
        text = format!("{text}\nhanded over to the session {next}: answers no more");
    }
    object["next"] = json!(next);
    (text, object)
}

/// Describes the interface of a network for its clients.
fn of_interface(interface: &Interface) -> (String, Value) {
    let (input, output) = (interface.input_shape(), interface.output_shape());
    let (range, keys) = (interface.input_range(), interface.keys().len());
    let key_bytes = interface.key_bytes();
    let [inputs, outputs] = [interface.input_ciphertexts(), interface.output_ciphertexts()];
    let guard = if interface.has_guard() { ", with a guard" } else { "" };
    let repeated = if interface.input_repeats() { ", repeated in the slots" } else { "" };
    let after = interface.post_processing().map(PostProcessing::operations).unwrap_or_default();
    let mut lines = vec![
        (
            "input",
            format!(
                "{input}, from {} to {}, ciphertexts {inputs}{repeated}",
                range.low, range.high
            ),
        ),
        ("result", format!("{output}, ciphertexts {outputs}{guard}")),
        ("level", interface.level().to_string()),
        ("slots", interface.slots().to_string()),
        ("batch", interface.batch().to_string()),
        ("keys", format!("{keys}, {:.2} GB", key_bytes as f64 / 1e9)),
    ];
    if !after.is_empty() {
        lines.push(("decrypted", format!("then {}", after.join(", "))));
    }
    let object = json!({
        "input_shape": input.axes(), "input_range": [range.low, range.high],
        "input_ciphertexts": inputs, "input_repeats": interface.input_repeats(),
        "output_shape": output.axes(), "output_ciphertexts": outputs,
        "guard": interface.has_guard(), "level": interface.level(), "slots": interface.slots(),
        "batch": interface.batch(),
        "keys": keys, "key_bytes": key_bytes, "post_processing": after,
    });
    let lines: Vec<String> =
        lines.into_iter().map(|(name, text)| format!("{name:<11} {text}")).collect();
    (lines.join("\n"), object)
}

/// Describes the public part of a ciphertext.
fn ciphertext_lines(ciphertext: &Ciphertext) -> String {
    let lines = [
        ("key", ciphertext.owner().to_string()),
        (
            "values",
            format!("{}, declared: {}", ciphertext.length(), bound_text(ciphertext.bound())),
        ),
        ("level", format!("{}, scale {}", ciphertext.level(), ciphertext.scale())),
        ("precision", format!("{:.1} bits", ciphertext.precision_bits())),
    ];
    lines.map(|(name, text)| format!("{name:<11} {text}")).join("\n")
}

/// Returns the operation of a key; a rotation has the smallest number of slots.
fn name_of(of: KeyUse, parameters: &Parameters) -> String {
    match of {
        KeyUse::Multiply => "multiply".to_owned(),
        KeyUse::ToSparse => "bootstrap, to a sparse secret".to_owned(),
        KeyUse::FromSparse => "bootstrap, from a sparse secret".to_owned(),
        KeyUse::LowAutomorphism(exponent) => {
            let usual = name_of(KeyUse::Automorphism(exponent), parameters);
            format!("{usual}, matrices at level {LOW_LEVEL}")
        }
        KeyUse::Automorphism(exponent) if exponent == 2 * parameters.degree() as u64 - 1 => {
            "conjugate".to_owned()
        }
        KeyUse::Automorphism(exponent) => {
            let slots = parameters.slots() as i64;
            let is_it = |by: &i64| rotation_exponent(parameters, *by) == exponent;
            match (1..slots).find(is_it) {
                Some(by) if by > slots / 2 => format!("rotate by {}", by - slots),
                Some(by) => format!("rotate by {by}"),
                None => format!("automorphism X^{exponent}"),
            }
        }
    }
}
