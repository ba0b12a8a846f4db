// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages of every kind, changed at random: no panic, and none is accepted unless somebody made
//! its checksum anew, which the caller's authenticated channel prevents. Even then the fields
//! before the residues must be those of the round.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Instant;

use halimede_ckks::keys::{KeyUse, PublicKey};
use halimede_ckks::parties::{
    Decryption, KeyCollector, KeySwitch, Masking, Party, PartyError, Refresh, Session,
};
use halimede_ckks::{Ciphertext, Client, Operations, Parameters, Sharing};
use rand::{Rng, SeedableRng};

use crate::group::{names, values, Group};

const DEFAULT_CASES: usize = 900;
const SWEEP_CASES: usize = 100_000;
/// The bytes of a message before its residues.
const ENVELOPE: usize = 124;
const SHARING: Sharing =
    Sharing { security_bits: 6, queries: 40, error_at_least: None, expected: None };

type Receive = dyn Fn(&[u8]) -> Result<(), PartyError>;

/// A message of party 0, and a receiver of it in the state just before.
struct Case {
    what: &'static str,
    message: Vec<u8>,
    receive: Box<Receive>,
}

fn cases() -> Vec<Case> {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let operations = Operations {
        multiply: true,
        rotations: vec![3],
        low_rotations: vec![5],
        ..Operations::default()
    };
    let session = Session::with_threshold(&parameters, &[8; 32], &names(3), 2).unwrap();
    let mut group = Group::of_session(session.clone(), &operations);
    let a = group.encrypt(&values(64, 1), 1.0);
    let b = group.encrypt(&values(64, 2), 1.0);
    let level = session.parameters().fresh_level();
    let new = |name: &str| Party::of_test(&session, name, 77).unwrap();
    let mut party = new("party 0");
    let collector = |message: Vec<u8>, what| {
        let (session, operations) = (session.clone(), operations.clone());
        let receive = move |message: &[u8]| {
            KeyCollector::new(&session, &operations)?.receive("party 0", message)
        };
        Case { what, message, receive: Box::new(receive) }
    };
    let mut all = vec![collector(party.public_key_message().unwrap(), "public key")];
    for (of, level) in operations.keys(session.parameters()) {
        let what = match of {
            KeyUse::Automorphism(_) => "rotation",
            KeyUse::LowAutomorphism(_) => "rotation at low levels",
            _ => continue,
        };
        all.push(collector(party.key_message(of, level).unwrap(), what));
    }
    let products = party.key_message(KeyUse::Multiply, level).unwrap();
    let others = ["party 1", "party 2"].map(|name| {
        let mut other = new(name);
        (name, other.key_message(KeyUse::Multiply, level).unwrap(), other)
    });
    let mut reply = None;
    for (name, message, _) in &others {
        reply = party.receive(name, message).unwrap();
    }
    all.push(collector(reply.unwrap(), "second round"));
    // A receiver that was saved before the message.
    let state = |party: &Party| {
        let mut bytes = Vec::new();
        party.save(&mut bytes).unwrap();
        bytes
    };
    let receiver = |message: Vec<u8>, what, state: Vec<u8>| {
        let session = session.clone();
        let receive = move |message: &[u8]| {
            Party::load(&state[..], &session)?.receive("party 0", message).map(drop)
        };
        Case { what, message, receive: Box::new(receive) }
    };
    all.push(receiver(products, "first round", state(&others[0].2)));
    let share = party.share_messages().unwrap().swap_remove(0);
    assert_eq!(share.to, "party 1");
    all.push(receiver(share.bytes.to_vec(), "share of a secret", state(&others[0].2)));
    for from in 0..3 {
        let name = group.parties[from].name().to_owned();
        for message in group.parties[from].share_messages().unwrap() {
            let to = group.parties.iter_mut().find(|party| party.name() == message.to).unwrap();
            to.receive(&name, &message.bytes).unwrap();
        }
    }
    all.extend(answers(&mut group, &a, &b));
    all.extend(renewals(&mut group, &a));
    all
}

/// Shares of a decryption and of a key switch.
fn answers(group: &mut Group, a: &Ciphertext, b: &Ciphertext) -> [Case; 2] {
    let session = group.session.clone();
    let quorum = session.quorum(&["party 0", "party 2"]).unwrap();
    let mut client = Client::of_test(&Parameters::preset("n10-insecure").unwrap(), 5);
    let key: PublicKey = client.public_key();
    let message = group.parties[0].decryption_message(a, &SHARING, &quorum).unwrap();
    let of = (session.clone(), quorum.clone(), a.clone());
    let receive = move |message: &[u8]| {
        let (session, quorum, a) = &of;
        Decryption::new(session, a, quorum)?.receive("party 0", message)
    };
    let decryption = Case { what: "decryption", message, receive: Box::new(receive) };
    let message = group.parties[0].switch_message(b, &SHARING, &quorum, &key).unwrap();
    let b = b.clone();
    let receive = move |message: &[u8]| {
        KeySwitch::new(&session, &b, &quorum, &key)?.receive("party 0", message)
    };
    [decryption, Case { what: "key switch", message, receive: Box::new(receive) }]
}

/// Shares of a refresh, and of a key that is handed over.
fn renewals(group: &mut Group, a: &Ciphertext) -> [Case; 2] {
    let session = group.session.clone();
    let quorum = session.quorum(&["party 0", "party 2"]).unwrap();
    let message = group.parties[0].refresh_message(a, &Masking::new(8), &quorum).unwrap();
    let next = session.reshared(&quorum, &[9; 32], &["new 0", "new 1"], 2).unwrap();
    let a = a.clone();
    let receive =
        move |message: &[u8]| Refresh::new(&session, &a, &quorum)?.receive("party 0", message);
    let refresh = Case { what: "refresh", message, receive: Box::new(receive) };
    let share = group.parties[0].hand_over_messages(&next).unwrap().swap_remove(1);
    assert_eq!(share.to, "new 1");
    let receive = move |message: &[u8]| {
        Party::of_test(&next, "new 1", 5)?.receive("party 0", message).map(drop)
    };
    let message = share.bytes.to_vec();
    [refresh, Case { what: "hand-over", message, receive: Box::new(receive) }]
}

/// Changes a message: bytes, a part that is repeated or missing, or the end.
fn mutate(message: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = message.to_vec();
    for _ in 0..rng.gen_range(1..4) {
        // Half of the changes hit the fields before the residues.
        let limit = if rng.gen() { ENVELOPE.min(bytes.len()) } else { bytes.len() };
        let at = rng.gen_range(0..limit.max(1));
        match rng.gen_range(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.extend((0..rng.gen_range(1..64)).map(|_| rng.gen::<u8>())),
            2 => drop(bytes.splice(at..at, message[..at.min(message.len())].iter().copied())),
            3 if at < bytes.len() => drop(bytes.remove(at)),
            4 if at < bytes.len() => bytes[at] = [0, 1, 0x7f, 0xff][rng.gen_range(0..4)],
            _ if at < bytes.len() => bytes[at] ^= rng.gen_range(1..=255u8),
            _ => {}
        }
    }
    bytes
}

#[test]
fn no_mutated_message_is_accepted() {
    let count = match std::env::var_os("HALIMEDE_SWEEP") {
        Some(_) => SWEEP_CASES,
        None => {
            eprintln!("{DEFAULT_CASES} messages; {SWEEP_CASES} with HALIMEDE_SWEEP");
            DEFAULT_CASES
        }
    };
    let (cases, start) = (cases(), Instant::now());
    // All kinds of messages.
    assert_eq!(cases.len(), 10);
    for case in &cases {
        (case.receive)(&case.message).unwrap_or_else(|error| panic!("{}: {error}", case.what));
    }
    let mut rng = rand::rngs::StdRng::seed_from_u64(51);
    let mut accepted = 0;
    for number in 0..count {
        let case = &cases[number % cases.len()];
        let mut bytes = mutate(&case.message, &mut rng);
        if bytes == case.message {
            continue;
        }
        let refused = (case.receive)(&bytes);
        assert!(refused.is_err(), "{}, number {number}: accepted", case.what);
        let Some(end) = bytes.len().checked_sub(32) else { continue };
        let checksum = *blake3::hash(&bytes[..end]).as_bytes();
        bytes[end..].copy_from_slice(&checksum);
        if (case.receive)(&bytes).is_ok() {
            accepted += 1;
            assert_eq!(bytes.len(), case.message.len(), "{}, number {number}", case.what);
            // The noise in front of the residues is a claim, and the hash of a first round is
            // compared with that of the other replies.
            let claims = if case.what == "second round" { 84 } else { 116 };
            assert_eq!(bytes[..claims], case.message[..claims], "{}, number {number}", case.what);
        }
    }
    eprintln!("{count} messages in {:.1?}, {accepted} with a new checksum fit", start.elapsed());
}
