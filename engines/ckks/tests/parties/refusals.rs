// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Requests that sessions and parties refuse.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::keys::KeyUse;
use halimede_ckks::params::{ParametersError, SecretKind};
use halimede_ckks::parties::{Decryption, KeyCollector, KeySwitch, Party, PartyError, Session};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Sharing, SharingError};

use crate::group::{keys, names, session, values, Group};

fn parameters() -> Parameters {
    Parameters::preset("n10-insecure").unwrap()
}

#[test]
fn sessions_have_parties_with_names_and_parameters_that_can_be_shared() {
    let seed = [1; 32];
    let few = Session::new(&parameters(), &seed, &["a"]).unwrap_err();
    assert!(matches!(few, PartyError::Few { got: 1 }));
    for wrong in [["a", "a"], ["", "a"], ["a", &"b".repeat(65)]] {
        let refused = Session::new(&parameters(), &seed, &wrong).unwrap_err();
        assert!(matches!(refused, PartyError::Name { most: 64, .. }), "{refused}");
    }
    let many = Session::new(&parameters(), &seed, &names(257)).unwrap_err();
    assert!(many.to_string().contains("257 parties"), "{many}");
    let boot = Parameters::preset("n10-boot-insecure").unwrap();
    let sparse = Parameters::insecure(parameters().shape().clone(), SecretKind::Sparse).unwrap();
    for other in [boot, sparse] {
        let refused = Session::new(&other, &seed, &["a", "b"]).unwrap_err();
        let is_it = matches!(refused, PartyError::Parameters(ParametersError::NotShared { .. }));
        assert!(is_it, "{refused}");
    }
    // Every part of the agreement is a part of the identity.
    let all = [
        Session::new(&parameters(), &seed, &["a", "b", "c"]).unwrap(),
        Session::new(&parameters(), &[2; 32], &["a", "b", "c"]).unwrap(),
        Session::new(&parameters(), &seed, &["b", "a", "c"]).unwrap(),
        Session::new(&parameters(), &seed, &["a", "bc"]).unwrap(),
        Session::with_threshold(&parameters(), &seed, &["a", "b", "c"], 2).unwrap(),
        Session::new(&Parameters::preset("n14").unwrap(), &seed, &["a", "b", "c"]).unwrap(),
    ];
    for (place, one) in all.iter().enumerate() {
        for other in &all[place + 1..] {
            assert_ne!((one.id(), one.key()), (other.id(), other.key()));
            assert!(one.id() != other.id() && one.key() != other.key());
        }
    }
    let again = Session::new(&parameters(), &seed, &["a", "b", "c"]).unwrap();
    assert_eq!((again.id(), again.key()), (all[0].id(), all[0].key()));
}

#[test]
fn keys_that_parties_do_not_make_are_refused() {
    let session = session(&parameters(), 2);
    let mut party = Party::new(&session, "party 0").unwrap();
    let top = session.parameters().top();
    for (of, level) in [
        (KeyUse::ToSparse, 0),
        (KeyUse::FromSparse, 1),
        (KeyUse::Automorphism(4), 1),
        (KeyUse::Automorphism(2049), 1),
        (KeyUse::Multiply, top + 1),
        (KeyUse::Multiply, usize::MAX),
    ] {
        let refused = party.key_message(of, level).unwrap_err();
        assert!(matches!(refused, PartyError::NotOffered { .. }), "{refused}");
    }
    let bootstrap = Operations { bootstrap: true, ..Operations::default() };
    assert!(matches!(party.key_messages(&bootstrap), Err(PartyError::NotOffered { .. })));
    assert!(matches!(KeyCollector::new(&session, &bootstrap), Err(PartyError::NotOffered { .. })));
    assert!(matches!(Party::new(&session, "party 2"), Err(PartyError::Stranger { .. })));
}

/// A second answer with other noise would halve the variance: for the same ciphertext, for one with
/// another first part, and for a key switch.
#[test]
fn a_party_answers_once_for_a_second_part() {
    let mut group = Group::new(&parameters(), 2, &Operations::default());
    let a = group.encrypt(&values(512, 1), 1.0);
    let (quorum, sharing) = (group.everyone(), Sharing::new(6, 3));
    let receiver = Client::of_test(&parameters(), 8).public_key();
    let moved = group.server.add_number(&a, Complex::new(0.25, 0.0)).unwrap();
    let party = &mut group.parties[0];
    let first = party.decryption_message(&a, &sharing, &quorum).unwrap();
    assert!(party.decryption_message(&a, &sharing, &quorum).unwrap() == first);
    let refused = party.decryption_message(&moved, &sharing, &quorum).unwrap_err();
    assert!(matches!(refused, PartyError::Answered), "{refused}");
    for again in [&a, &moved] {
        let refused = party.switch_message(again, &sharing, &quorum, &receiver).unwrap_err();
        assert!(matches!(refused, PartyError::Answered), "{refused}");
    }
    // Refused requests were not counted: two more of the three stated answers are left.
    let others = [2, 3, 4].map(|number| group.encrypt(&values(512, number), 1.0));
    let party = &mut group.parties[0];
    party.switch_message(&others[0], &sharing, &quorum, &receiver).unwrap();
    party.decryption_message(&others[1], &sharing, &quorum).unwrap();
    let refused = party.decryption_message(&others[2], &sharing, &quorum).unwrap_err();
    let is_it =
        matches!(refused, PartyError::Sharing(SharingError::Budget { made: 3, queries: 3 }));
    assert!(is_it, "{refused}");
}

/// A party does not trust the error that the file of a ciphertext claims.
#[test]
fn claimed_errors_are_refused() {
    let mut group = Group::new(&parameters(), 2, &Operations::default());
    let a = group.encrypt(&values(512, 1), 1.0);
    let (quorum, ours) = (group.everyone(), group.session.parameters().clone());
    let mut bytes = Vec::new();
    a.save(&mut bytes, &ours).unwrap();
    let read = Ciphertext::load(&bytes[..], &ours).unwrap();
    let party = &mut group.parties[0];
    let refused = party.decryption_message(&read, &Sharing::new(6, 3), &quorum).unwrap_err();
    let is_it = matches!(refused, PartyError::Sharing(SharingError::Claimed { .. }));
    assert!(is_it, "{refused}");
    // Nobody encrypts with a shared secret key: a second part from a seed proves nothing.
    let seeded = group.oracle().encrypt(&values(512, 2)).unwrap();
    let mut bytes = Vec::new();
    seeded.save(&mut bytes, &ours).unwrap();
    let seeded = Ciphertext::load(&bytes[..], &ours).unwrap();
    let party = &mut group.parties[0];
    let refused = party.decryption_message(&seeded, &Sharing::new(6, 3), &quorum).unwrap_err();
    let is_it = matches!(refused, PartyError::Sharing(SharingError::Claimed { .. }));
    assert!(is_it, "{refused}");
    let known = Sharing::new(6, 3).with_error(a.estimate().error);
    party.decryption_message(&read, &known, &quorum).unwrap();
    let refused = party.decryption_message(&a, &Sharing::new(100, 1 << 30), &quorum).unwrap_err();
    assert!(matches!(refused, PartyError::Sharing(SharingError::Statement { .. })), "{refused}");
    let refused = party.precision_for_sharing(&a, &Sharing::new(80, 1000)).unwrap_err();
    assert!(matches!(refused, PartyError::Sharing(_)), "{refused}");
}

#[test]
fn ciphertexts_and_receivers_of_others_are_refused() {
    let mut group = Group::new(&parameters(), 2, &Operations::default());
    let (quorum, sharing) = (group.everyone(), Sharing::new(6, 3));
    let foreign = Client::of_test(&parameters(), 8).encrypt(&[0.5]).unwrap();
    let session = group.session.clone();
    let refused = group.parties[0].decryption_message(&foreign, &sharing, &quorum).unwrap_err();
    assert!(refused.to_string().contains("under the secret key"), "{refused}");
    assert!(Decryption::new(&session, &foreign, &quorum).is_err());
    let a = group.encrypt(&values(512, 1), 1.0);
    let other = Client::of_test(&Parameters::preset("n13-insecure").unwrap(), 8).public_key();
    let refused = group.parties[0].switch_message(&a, &sharing, &quorum, &other).unwrap_err();
    assert!(matches!(refused, PartyError::Receiver { .. }), "{refused}");
    assert!(matches!(
        KeySwitch::new(&session, &a, &quorum, &other).err().unwrap(),
        PartyError::Receiver { .. }
    ));
}

#[test]
fn what_is_missing_is_named() {
    let session = session(&parameters(), 3);
    let operations = Operations { multiply: true, ..Operations::default() };
    let mut collector = KeyCollector::new(&session, &operations).unwrap();
    let party = Party::new(&session, "party 1").unwrap();
    collector.receive("party 1", &party.public_key_message().unwrap()).unwrap();
    let missing = collector.public_key().err().unwrap();
    let text = missing.to_string();
    assert!(text.contains("party 0, party 2") && !collector.is_complete(), "{text}");
    let missing = collector.evaluation_keys().err().unwrap();
    assert!(matches!(&missing, PartyError::Missing { from, .. } if from.len() == 3), "{missing}");
    let mut parties: Vec<Party> =
        names(3).iter().map(|name| Party::new(&session, name).unwrap()).collect();
    assert!(keys(&mut parties, &operations).is_complete());
}
