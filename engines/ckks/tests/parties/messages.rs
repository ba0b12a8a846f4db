// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages that are truncated, changed, forged, foreign, repeated or late are refused by name, and
//! leave no trace.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::keys::KeyUse;
use halimede_ckks::parties::{Decryption, KeyCollector, Party, PartyError, Session};
use halimede_ckks::{Operations, Parameters, Sharing};
use proptest::prelude::*;

use crate::group::{names, session, values, Group};

fn parameters() -> Parameters {
    Parameters::preset("n10-insecure").unwrap()
}

fn operations() -> Operations {
    Operations { multiply: true, rotations: vec![3], ..Operations::default() }
}

fn parties(session: &Session) -> Vec<Party> {
    let party = |(number, name): (u64, &String)| Party::of_test(session, name, number).unwrap();
    (500..).zip(session.names()).map(party).collect()
}

/// Checks all refusals of a valid message from party 0 that do not depend on earlier messages.
fn check_refusals(message: &[u8], mut receive: impl FnMut(&str, &[u8]) -> Option<PartyError>) {
    let mut refuse = |from: &str, message: &[u8]| {
        let refused = receive(from, message);
        refused.unwrap_or_else(|| panic!("{} bytes were accepted", message.len()))
    };
    for end in (0..130).chain([message.len() / 2, message.len() - 33, message.len() - 1]) {
        let refused = refuse("party 0", &message[..end]);
        assert!(matches!(refused, PartyError::Truncated { .. }), "{end}: {refused}");
    }
    let mut longer = message.to_vec();
    longer.push(0);
    let refused = refuse("party 0", &longer);
    assert!(matches!(refused, PartyError::Longer { .. }), "{refused}");
    let refused = refuse("party 1", message);
    let is_it =
        matches!(&refused, PartyError::Forged { claimed, .. } if claimed.contains("party 0"));
    assert!(is_it, "{refused}");
    assert!(matches!(refuse("party 9", message), PartyError::Stranger { .. }));
    let changed = |at: usize, bit: u8| {
        let mut changed = message.to_vec();
        changed[at] ^= bit;
        changed
    };
    assert!(matches!(refuse("party 0", &changed(0, 1)), PartyError::Magic { .. }));
    let refused = refuse("party 0", &changed(8, 3));
    assert!(matches!(refused, PartyError::Version { got: 2, ours: 1, .. }), "{refused}");
    assert!(matches!(refuse("party 0", &changed(10, 1)), PartyError::Foreign { .. }));
    assert!(matches!(refuse("party 0", &changed(42, 1)), PartyError::Forged { .. }));
    for at in [message.len() - 1, message.len() - 32] {
        assert!(matches!(refuse("party 0", &changed(at, 1)), PartyError::Checksum { .. }));
    }
    let refused = refuse("party 0", &changed(124, 1));
    let is_it = matches!(refused, PartyError::Checksum { .. } | PartyError::Malformed { .. });
    assert!(is_it, "{refused}");
}

#[test]
fn wrong_messages_are_refused_by_name() {
    let session = session(&parameters(), 3);
    let mut all = parties(&session);
    let level = session.parameters().fresh_level();
    let mut collector = KeyCollector::new(&session, &operations()).unwrap();
    let share = all[0].public_key_message().unwrap();
    check_refusals(&share, |from, message| collector.receive(from, message).err());
    collector.receive("party 0", &share).unwrap();
    let refused = collector.receive("party 0", &share).unwrap_err();
    assert!(matches!(refused, PartyError::Repeated { .. }), "{refused}");
    for (place, name) in names(3).iter().enumerate().skip(1) {
        collector.receive(name, &all[place].public_key_message().unwrap()).unwrap();
    }
    let refused = collector.receive("party 0", &share).unwrap_err();
    assert!(matches!(refused, PartyError::Late { .. }), "{refused}");
    let other = all[0].key_message(KeyUse::Automorphism(7), level).unwrap();
    let refused = collector.receive("party 0", &other).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    // The first round of the key for products.
    let first = all[0].key_message(KeyUse::Multiply, level).unwrap();
    let refused = collector.receive("party 0", &first).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    let refused = all[1].receive("party 0", &first).unwrap_err();
    assert!(matches!(refused, PartyError::Early { .. }), "{refused}");
    let second = all[1].key_message(KeyUse::Multiply, level).unwrap();
    let third = all[2].key_message(KeyUse::Multiply, level).unwrap();
    check_refusals(&first, |from, message| all[1].receive(from, message).err());
    assert!(all[1].receive("party 0", &first).unwrap().is_none());
    for (from, again) in [("party 0", &first), ("party 1", &second)] {
        let refused = all[1].receive(from, again).unwrap_err();
        assert!(matches!(refused, PartyError::Repeated { .. }), "{refused}");
    }
    let refused = all[1].receive("party 0", &share).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    let reply = all[1].receive("party 2", &third).unwrap().unwrap();
    let refused = all[1].receive("party 0", &first).unwrap_err();
    assert!(matches!(refused, PartyError::Late { .. }), "{refused}");
    collector.receive("party 1", &reply).unwrap();
    // Party 2 shows party 0 another message than party 1.
    let mut twin = Party::of_test(&session, "party 2", 999).unwrap();
    let other = twin.key_message(KeyUse::Multiply, level).unwrap();
    all[0].receive("party 1", &second).unwrap();
    let reply = all[0].receive("party 2", &other).unwrap().unwrap();
    let refused = collector.receive("party 0", &reply).unwrap_err();
    assert!(matches!(refused, PartyError::Transcript { .. }), "{refused}");
}

#[test]
fn wrong_shares_of_decryptions_are_refused_by_name() {
    let mut group = Group::new(&parameters(), 3, &Operations::default());
    let [a, b] = [1, 2].map(|number| group.encrypt(&values(8, number), 1.0));
    let sharing = Sharing::new(6, 9);
    let quorum = group.everyone();
    let messages = group.decryption_messages(&a, &sharing);
    let others = group.decryption_messages(&b, &sharing);
    // A vector of 8 values has 16 coefficients: nothing else is revealed.
    let residues = 16 * 4 * a.parts()[0].basis().len();
    assert_eq!(messages[0].1.len(), 124 + residues + 32);
    let mut decryption = Decryption::new(&group.session, &a, &quorum).unwrap();
    let first = &messages[0].1;
    check_refusals(first, |from, message| decryption.receive(from, message).err());
    let refused = decryption.receive("party 0", &others[0].1).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    decryption.receive("party 0", first).unwrap();
    let refused = decryption.receive("party 0", first).unwrap_err();
    assert!(matches!(refused, PartyError::Repeated { .. }), "{refused}");
    let mut incomplete = Decryption::new(&group.session, &a, &quorum).unwrap();
    incomplete.receive("party 1", &messages[1].1).unwrap();
    let missing = incomplete.finish().unwrap_err();
    assert!(missing.to_string().contains("party 0, party 2"), "{missing}");
    // Noise that cannot be, in a message with the right checksum.
    for bits in [f64::NAN, -1.0, f64::INFINITY, 200.0] {
        let mut changed = messages[1].1[..messages[1].1.len() - 32].to_vec();
        changed[116..124].copy_from_slice(&bits.to_le_bytes());
        let checksum = blake3_of(&changed);
        changed.extend(checksum);
        let refused = decryption.receive("party 1", &changed).unwrap_err();
        let is_it = matches!(refused, PartyError::Malformed { .. } | PartyError::Noise { .. });
        assert!(is_it, "{refused}");
    }
    decryption.receive("party 1", &messages[1].1).unwrap();
    decryption.receive("party 2", &messages[2].1).unwrap();
    let refused = decryption.receive("party 2", &messages[2].1).unwrap_err();
    assert!(matches!(refused, PartyError::Late { .. }), "{refused}");
    let decrypted = decryption.finish().unwrap();
    let error = crate::group::error(&decrypted.values, &values(8, 1));
    assert!(error < 8.0 * (-decrypted.precision_bits).exp2(), "{error}");
}

/// The checksum of a message, as anyone can compute it.
fn blake3_of(bytes: &[u8]) -> [u8; 32] {
    *blake3::hash(bytes).as_bytes()
}

/// Changes of a message: bytes, a cut, or more bytes.
#[derive(Clone, Debug)]
enum Change {
    Byte(usize, u8),
    Cut(usize),
    Longer(Vec<u8>),
    Swap(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0usize..200, 1u8..).prop_map(|(at, by)| Change::Byte(at, by)),
        (any::<usize>(), 1u8..).prop_map(|(at, by)| Change::Byte(at, by)),
        any::<usize>().prop_map(Change::Cut),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Change::Longer),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Change::Swap(a, b)),
    ]
}

fn changed(message: &[u8], change: &Change) -> Vec<u8> {
    let (mut bytes, length) = (message.to_vec(), message.len());
    match change {
        Change::Byte(at, by) => bytes[at % length] ^= by,
        Change::Cut(at) => bytes.truncate(at % length),
        Change::Longer(more) => bytes.extend(more),
        Change::Swap(a, b) => bytes.swap(a % length, b % length),
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// No changed message is accepted, and the keys are those without the changed messages.
    #[test]
    fn changed_messages_change_nothing(changes in prop::collection::vec(change(), 40)) {
        let session = session(&parameters(), 2);
        let make = |changes: &[Change]| {
            let mut all = parties(&session);
            let operations = operations();
            let mut collector = KeyCollector::new(&session, &operations).unwrap();
            let messages: Vec<Vec<Vec<u8>>> =
                all.iter_mut().map(|party| party.key_messages(&operations).unwrap()).collect();
            for (from, messages) in messages.iter().enumerate() {
                let (name, to) = (format!("party {from}"), 1 - from);
                for message in messages {
                    for change in changes {
                        let wrong = changed(message, change);
                        if wrong != *message {
                            assert!(collector.receive(&name, &wrong).is_err());
                            assert!(all[to].receive(&name, &wrong).is_err());
                        }
                    }
                    if collector.receive(&name, message).is_err() {
                        let reply = all[to].receive(&name, message).unwrap().unwrap();
                        collector.receive(&format!("party {to}"), &reply).unwrap();
                    }
                }
            }
            let mut bytes = Vec::new();
            collector.public_key().unwrap().save(&mut bytes).unwrap();
            collector.evaluation_keys().unwrap().save(&mut bytes).unwrap();
            bytes
        };
        prop_assert_eq!(make(&changes), make(&[]));
    }
}
