// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Re-sharing: parties leave and join, and the keys stay valid.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::parties::{
    Decryption, KeyCollector, Masking, Party, PartyError, Refresh, Session,
};
use halimede_ckks::{Ciphertext, Complex, Operations, Parameters, Sharing, SharingError};

use crate::group::{error, names, values, Group};

const SHARING: Sharing =
    Sharing { security_bits: 6, queries: 3, error_at_least: None, expected: None };

fn operations() -> Operations {
    Operations { multiply: true, ..Operations::default() }
}

fn group(count: usize, threshold: usize) -> Group {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let names = names(count);
    let session =
        Session::for_operations(&parameters, &[21; 32], &names, threshold, &operations()).unwrap();
    let mut group = Group::of_session(session, &operations());
    for (place, from) in names.iter().enumerate() {
        let Ok(messages) = group.parties[place].share_messages() else { continue };
        deliver(from, messages, &mut group.parties);
    }
    group
}

fn deliver(from: &str, messages: Vec<halimede_ckks::parties::SecretMessage>, to: &mut [Party]) {
    for message in messages {
        let to = to.iter_mut().find(|party| party.name() == message.to).unwrap();
        assert_eq!(to.receive(from, &message.bytes).unwrap(), None);
    }
}

/// The party after its state went through a file.
fn resumed(party: &Party) -> Party {
    let mut bytes = Vec::new();
    party.save(&mut bytes).unwrap();
    Party::load(&bytes[..], party.session()).unwrap()
}

/// The new parties after the old ones handed over.
fn handed_over(old: &mut [Party], next: &Session) -> Vec<Party> {
    let new = |name: &String| resumed(&Party::new(next, name).unwrap());
    let mut new: Vec<Party> = next.names().iter().map(new).collect();
    for party in old {
        let name = party.name().to_owned();
        match party.hand_over_messages(next) {
            Err(PartyError::NotInQuorum { .. }) => {}
            messages => deliver(&name, messages.unwrap(), &mut new),
        }
        new.iter_mut().for_each(|party| *party = resumed(party));
    }
    assert!(new.iter().all(|party| party.missing_shares().is_empty()));
    new
}

fn decrypt(parties: &mut [Party], a: &Ciphertext, members: &[&str]) -> (Vec<Complex>, f64) {
    let session = parties[0].session().clone();
    let quorum = session.quorum(members).unwrap();
    let mut decryption = Decryption::new(&session, a, &quorum).unwrap();
    for party in parties.iter_mut().filter(|party| members.contains(&party.name())) {
        let message = party.decryption_message(a, &SHARING, &quorum).unwrap();
        decryption.receive(party.name(), &message).unwrap();
    }
    let decrypted = decryption.finish().unwrap();
    (decrypted.values, decrypted.precision_bits)
}

/// The key moves from 2 of 2 to 2 of 3, and on to 3 of 3: other parties decrypt and refresh results
/// under the same keys.
#[test]
fn a_key_moves_to_other_parties_twice() {
    let mut group = group(2, 2);
    let x = values(512, 3);
    let squares: Vec<Complex> = x.iter().map(|x| *x * *x).collect();
    let first = group.session.clone();
    let everyone = first.everyone().unwrap();
    let next = first.reshared(&everyone, &[1; 32], &["carol", "party 1", "dan"], 2).unwrap();
    assert_eq!((next.epoch(), next.parent(), next.key()), (1, Some(first.id()), first.key()));
    assert_ne!(next.id(), first.id());
    let mut bytes = Vec::new();
    next.save(&mut bytes).unwrap();
    let header = halimede_ckks::files::FileReader::new(&bytes[..]).unwrap();
    assert_eq!(header.session(first.parameters()).unwrap().id(), next.id());
    let mut second = handed_over(&mut group.parties, &next);
    group.parties.iter_mut().for_each(|party| party.retire(&next).unwrap());
    let a = group.encrypt(&x, 1.0);
    let a = group.server.mul(&a, &a).unwrap();
    let (got, bits) = decrypt(&mut second, &a, &["dan", "carol"]);
    let ratio = error(&got, &squares) / (-bits).exp2();
    assert!((0.5..=1.415).contains(&ratio), "{ratio}");
    // All of the second session hand over to a session in which all are needed.
    let quorum = next.quorum(&["party 1", "carol"]).unwrap();
    let last = next.reshared(&quorum, &[2; 32], &["x", "y", "z"], 3).unwrap();
    assert_eq!((last.epoch(), last.key()), (2, first.key()));
    let mut third = handed_over(&mut second, &last);
    let low = group.server.at_level(&a, 1).unwrap();
    let everyone = last.everyone().unwrap();
    let mut refresh = Refresh::new(&last, &low, &everyone).unwrap();
    for party in &third {
        let message = party.refresh_message(&low, &Masking::new(10), &everyone).unwrap();
        refresh.receive(party.name(), &message).unwrap();
    }
    let (got, bits) = decrypt(&mut third, &refresh.finish().unwrap(), &["x", "y", "z"]);
    let ratio = error(&got, &squares) / (-bits).exp2();
    assert!((0.5..=1.415).contains(&ratio), "{ratio}");
}

/// Nine of sixteen parties hand the key over to sixteen others, of which any five refresh and
/// decrypt: results that were computed before and after.
#[test]
fn a_key_moves_between_sixteen_parties() {
    let mut group = group(16, 9);
    let (x, first) = (values(512, 5), group.session.clone());
    let squares: Vec<Complex> = x.iter().map(|x| *x * *x).collect();
    let a = group.encrypt(&x, 1.0);
    let before = group.server.mul(&a, &a).unwrap();
    let names: Vec<String> = (0..16).map(|number| format!("new {number}")).collect();
    let old: Vec<String> = first.names().iter().skip(4).take(9).cloned().collect();
    let next = first.reshared(&first.quorum(&old).unwrap(), &[5; 32], &names, 5).unwrap();
    let mut new = handed_over(&mut group.parties, &next);
    group.parties.iter_mut().for_each(|party| party.retire(&next).unwrap());
    let members = ["new 15", "new 0", "new 7", "new 3", "new 11"];
    let quorum = next.quorum(&members).unwrap();
    let low = group.server.at_level(&before, 1).unwrap();
    let mut refresh = Refresh::new(&next, &low, &quorum).unwrap();
    for party in new.iter().filter(|party| members.contains(&party.name())) {
        let message = party.refresh_message(&low, &Masking::new(10), &quorum).unwrap();
        refresh.receive(party.name(), &message).unwrap();
    }
    let fresh = refresh.finish().unwrap();
    let fourth: Vec<Complex> = squares.iter().map(|x| *x * *x).collect();
    let after = group.server.mul(&fresh, &fresh).unwrap();
    for (ciphertext, wanted) in [(&fresh, &squares), (&after, &fourth)] {
        let (got, bits) = decrypt(&mut new, ciphertext, &members);
        let ratio = error(&got, wanted) / (-bits).exp2();
        assert!((0.5..=1.415).contains(&ratio), "{ratio}");
    }
}

/// The old parties answer no more, also from their files, and old and new shares do not mix.
#[test]
fn old_shares_are_refused() {
    let mut group = group(3, 2);
    let first = group.session.clone();
    let quorum = first.quorum(&["party 0", "party 2"]).unwrap();
    let a = group.encrypt(&values(512, 1), 1.0);
    let b = group.encrypt(&values(512, 2), 1.0);
    // One of the three answers is made before.
    decrypt(&mut group.parties, &a, &["party 0", "party 2"]);
    let next = first.reshared(&quorum, &[1; 32], &["party 0", "party 1", "dan"], 2).unwrap();
    let mut new = handed_over(&mut group.parties, &next);
    // It is in the budget of the new parties.
    assert!(new.iter().all(|party| (party.answers(), party.most_answers()) == (1, Some(3))));
    let old_quorum = first.quorum(&["party 0", "party 1"]).unwrap();
    for is_retired in [false, true] {
        for place in [0, 2] {
            if is_retired {
                group.parties[place].retire(&next).unwrap();
            }
            let party = &mut resumed(&group.parties[place]);
            let refused = [
                party.decryption_message(&b, &SHARING, &old_quorum).unwrap_err(),
                party.refresh_message(&b, &Masking::new(8), &old_quorum).unwrap_err(),
            ];
            for refused in refused {
                assert!(matches!(refused, PartyError::HandedOver { .. }), "{refused}");
            }
            let again = party.hand_over_messages(&next);
            assert_eq!(again.is_ok(), !is_retired);
        }
    }
    assert!(group.parties[0].public_key_message().is_err());
    assert!(group.parties[0].share_messages().is_err());
    // Party 1 did not hand over. Its old share does not fit a new quorum, nor the other way round.
    let new_quorum = next.quorum(&["party 0", "party 1"]).unwrap();
    let old = &mut group.parties[1];
    assert!(old.decryption_message(&b, &SHARING, &new_quorum).is_err());
    let stale = old.decryption_message(&b, &SHARING, &old_quorum).unwrap();
    let mut decryption = Decryption::new(&next, &b, &new_quorum).unwrap();
    let refused = decryption.receive("party 1", &stale).unwrap_err();
    assert!(matches!(refused, PartyError::Foreign { .. }), "{refused}");
    let fresh = new[0].decryption_message(&b, &SHARING, &new_quorum).unwrap();
    decryption.receive("party 0", &fresh).unwrap();
    let missing = decryption.finish().unwrap_err();
    assert!(matches!(missing, PartyError::Missing { .. }), "{missing}");
    let mut mixed = Decryption::new(&first, &b, &old_quorum).unwrap();
    mixed.receive("party 1", &stale).unwrap();
    let refused = mixed.receive("party 0", &fresh).unwrap_err();
    assert!(matches!(refused, PartyError::Foreign { .. }), "{refused}");
    old.retire(&next).unwrap();
    let c = group.encrypt(&values(512, 3), 1.0);
    decrypt(&mut new, &c, &["party 0", "party 1"]);
    let d = group.encrypt(&values(512, 4), 1.0);
    let refused = new[0].decryption_message(&d, &SHARING, &new_quorum).unwrap_err();
    let is_it =
        matches!(refused, PartyError::Sharing(SharingError::Budget { made: 3, queries: 3 }));
    assert!(is_it, "{refused}");
}

#[test]
fn wrong_shares_and_sessions_are_refused() {
    let mut group = group(3, 2);
    let first = group.session.clone();
    let quorum = first.quorum(&["party 0", "party 1"]).unwrap();
    let make = |names: &[&str], threshold| first.reshared(&quorum, &[1; 32], names, threshold);
    let next = make(&["c", "d"], 2).unwrap();
    assert!(matches!(make(&["c"], 2), Err(PartyError::Few { .. })));
    assert!(matches!(make(&["c", "c"], 2), Err(PartyError::Name { .. })));
    assert!(matches!(make(&["c", "d"], 3), Err(PartyError::Threshold { .. })));
    let many: Vec<String> = (0..257).map(|number| number.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(matches!(make(&many, 2), Err(PartyError::Parameters { .. })));
    for other in [
        first.reshared(&quorum, &[2; 32], &["c", "d"], 2).unwrap(),
        make(&["d", "c"], 2).unwrap(),
        make(&["c", "d", "e"], 2).unwrap(),
        first
            .reshared(&first.quorum(&["party 0", "party 2"]).unwrap(), &[1; 32], &["c", "d"], 2)
            .unwrap(),
    ] {
        assert_ne!(other.id(), next.id());
        assert_eq!(other.key(), next.key());
    }
    // The parties of the next session make no keys.
    let mut carol = Party::new(&next, "c").unwrap();
    let refused = carol.key_messages(&operations()).unwrap_err();
    assert!(matches!(refused, PartyError::Reshared { .. }), "{refused}");
    assert!(matches!(carol.share_messages(), Err(PartyError::Reshared { .. })));
    assert!(matches!(KeyCollector::new(&next, &operations()), Err(PartyError::Reshared { .. })));
    let refused = group.parties[2].hand_over_messages(&next).err().unwrap();
    assert!(matches!(refused, PartyError::NotInQuorum { .. }), "{refused}");
    let after = next.reshared(&next.everyone().unwrap(), &[4; 32], &["e", "f"], 2).unwrap();
    for other in [&after, &first] {
        let refused = group.parties[0].hand_over_messages(other).err().unwrap();
        assert!(matches!(refused, PartyError::NotNext { .. }), "{refused}");
        assert!(matches!(group.parties[0].retire(other), Err(PartyError::NotNext { .. })));
    }
    let messages = group.parties[0].hand_over_messages(&next).unwrap();
    let again = group.parties[0].hand_over_messages(&next).unwrap();
    assert!(messages.iter().zip(&again).all(|(a, b)| a.to == b.to && a.bytes == b.bytes));
    let [own, other] = &messages[..] else { panic!("{} messages", messages.len()) };
    let wrong =
        |carol: &mut Party, from: &str, message: &[u8]| carol.receive(from, message).unwrap_err();
    let refused = wrong(&mut carol, "party 0", &other.bytes);
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    let refused = wrong(&mut carol, "party 1", &own.bytes);
    assert!(matches!(refused, PartyError::Forged { .. }), "{refused}");
    let refused = wrong(&mut carol, "party 2", &own.bytes);
    assert!(matches!(refused, PartyError::Stranger { .. }), "{refused}");
    for end in [0, 100, 130, own.bytes.len() / 2, own.bytes.len() - 1] {
        let refused = wrong(&mut carol, "party 0", &own.bytes[..end]);
        assert!(matches!(refused, PartyError::Truncated { .. }), "{end}: {refused}");
    }
    let mut stranger = Party::new(&make(&["c", "e"], 2).unwrap(), "c").unwrap();
    let refused = wrong(&mut stranger, "party 0", &own.bytes);
    assert!(matches!(refused, PartyError::Foreign { .. }), "{refused}");
    carol.receive("party 0", &own.bytes).unwrap();
    let refused = wrong(&mut carol, "party 0", &own.bytes);
    assert!(matches!(refused, PartyError::Repeated { .. }), "{refused}");
    assert_eq!(carol.missing_shares(), ["party 1"]);
    let a = group.encrypt(&values(512, 1), 1.0);
    let refused = carol.decryption_message(&a, &SHARING, &next.everyone().unwrap()).unwrap_err();
    assert!(matches!(&refused, PartyError::NoShare { from } if from[..] == ["party 1"]));
}
