// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decryptions by any t of n parties.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::parties::{Decryption, KeySwitch, Party, PartyError, Quorum, Session};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters, Sharing};

use crate::group::{error, names, values, Group};

const SHARING: Sharing =
    Sharing { security_bits: 8, queries: 8, error_at_least: None, expected: None };

fn group(count: usize, threshold: usize) -> Group {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let session = Session::with_threshold(&parameters, &[9; 32], &names(count), threshold).unwrap();
    Group::of_session(session, &Operations { multiply: true, ..Operations::default() })
}

/// Lets all parties share their secrets.
fn share(parties: &mut [Party]) {
    for from in 0..parties.len() {
        let name = parties[from].name().to_owned();
        for message in parties[from].share_messages().unwrap() {
            let to = parties.iter_mut().find(|party| party.name() == message.to).unwrap();
            assert_eq!(to.receive(&name, &message.bytes).unwrap(), None);
        }
    }
}

fn members<'a>(group: &'a mut Group, places: &'a [usize]) -> impl Iterator<Item = &'a mut Party> {
    let parties = group.parties.iter_mut().enumerate();
    parties.filter(|(place, _)| places.contains(place)).map(|(_, party)| party)
}

fn quorum(group: &Group, places: &[usize]) -> Quorum {
    let names: Vec<&String> = places.iter().map(|place| &group.session.names()[*place]).collect();
    group.session.quorum(&names).unwrap()
}

fn decrypt(group: &mut Group, a: &Ciphertext, places: &[usize]) -> (Vec<Complex>, f64) {
    let quorum = quorum(group, places);
    let mut decryption = Decryption::new(&group.session, a, &quorum).unwrap();
    for party in members(group, places) {
        let message = party.decryption_message(a, &SHARING, &quorum).unwrap();
        decryption.receive(party.name(), &message).unwrap();
    }
    let decrypted = decryption.finish().unwrap();
    (decrypted.values, decrypted.precision_bits)
}

#[test]
fn each_quorum_decrypts_with_the_noise_of_its_members() {
    for (count, threshold, quorums) in [
        (3, 2, vec![vec![0, 1], vec![2, 0], vec![1, 2]]),
        (5, 3, vec![vec![0, 2, 4], vec![1, 2, 3]]),
        (16, 9, vec![(0..9).collect(), (7..16).collect()]),
    ] {
        let mut group = group(count, threshold);
        share(&mut group.parties);
        for places in quorums {
            let x = values(512, places[0]);
            let a = group.encrypt(&x, 1.0);
            let a = group.server.mul(&a, &a).unwrap();
            let wanted: Vec<Complex> = x.iter().map(|x| *x * *x).collect();
            let (got, bits) = decrypt(&mut group, &a, &places);
            let ratio = error(&got, &wanted) / (-bits).exp2();
            assert!((0.5..=1.415).contains(&ratio), "{places:?} of {count}: {ratio}");
        }
    }
}

#[test]
fn a_quorum_switches_to_the_key_of_a_receiver() {
    let mut group = group(4, 2);
    share(&mut group.parties);
    let mut client = Client::of_test(&Parameters::preset("n10-insecure").unwrap(), 7);
    let receiver = client.public_key();
    let x = values(512, 2);
    let a = group.encrypt(&x, 1.0);
    let quorum = quorum(&group, &[1, 3]);
    let session = group.session.clone();
    let mut switch = KeySwitch::new(&session, &a, &quorum, &receiver).unwrap();
    for party in members(&mut group, &[1, 3]) {
        let message = party.switch_message(&a, &SHARING, &quorum, &receiver).unwrap();
        switch.receive(party.name(), &message).unwrap();
    }
    let switched = switch.finish().unwrap();
    let ratio = error(&client.decrypt(&switched).unwrap(), &x) / switched.estimate().error;
    assert!((0.5..=1.415).contains(&ratio), "{ratio}");
}

#[test]
fn shares_and_quorums_are_checked() {
    let mut group = group(3, 2);
    let a = group.encrypt(&values(512, 1), 1.0);
    let session = group.session.clone();
    let both = quorum(&group, &[0, 1]);
    let refused = group.parties[0].decryption_message(&a, &SHARING, &both).unwrap_err();
    assert!(matches!(&refused, PartyError::NoShare { from } if from.len() == 3), "{refused}");
    let first = group.parties[0].share_messages().unwrap();
    let again = group.parties[0].share_messages().unwrap();
    assert!(first.iter().zip(&again).all(|(a, b)| a.bytes == b.bytes));
    let [one, two] = &first[..] else { panic!("{} messages", first.len()) };
    assert_eq!([&one.to[..], &two.to[..]], ["party 1", "party 2"]);
    // The message for another party, a changed one, and the same one twice.
    let refused = group.parties[1].receive("party 0", &two.bytes).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    let mut changed = one.bytes.to_vec();
    *changed.last_mut().unwrap() ^= 1;
    let refused = group.parties[1].receive("party 0", &changed).unwrap_err();
    assert!(matches!(refused, PartyError::Checksum { .. }), "{refused}");
    group.parties[1].receive("party 0", &one.bytes).unwrap();
    let refused = group.parties[1].receive("party 0", &one.bytes).unwrap_err();
    assert!(matches!(refused, PartyError::Repeated { .. }), "{refused}");
    let refused = group.parties[1].decryption_message(&a, &SHARING, &both).unwrap_err();
    assert!(matches!(&refused, PartyError::NoShare { from } if from.len() == 2), "{refused}");
    group.parties[2].receive("party 0", &two.bytes).unwrap();
    let outside = quorum(&group, &[1, 2]);
    let refused = group.parties[0].decryption_message(&a, &SHARING, &outside).unwrap_err();
    assert!(matches!(refused, PartyError::NotInQuorum { .. }), "{refused}");
    for wrong in [&["party 0"][..], &["party 0", "party 0"], &["party 0", "party 1", "party 2"]] {
        assert!(matches!(session.quorum(wrong), Err(PartyError::Quorum { threshold: 2, .. })));
    }
    assert!(matches!(session.everyone(), Err(PartyError::Quorum { got: 3, .. })));
    assert!(matches!(session.quorum(&["a", "b"]), Err(PartyError::Stranger { .. })));
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let all = Session::new(&parameters, &[9; 32], &names(3)).unwrap();
    let mut party = Party::new(&all, "party 0").unwrap();
    assert!(matches!(party.share_messages(), Err(PartyError::NoThreshold { .. })));
    let foreign = all.everyone().unwrap();
    assert!(group.parties[0].decryption_message(&a, &SHARING, &foreign).is_err());
    for threshold in [0, 1, 4] {
        let made = Session::with_threshold(&parameters, &[9; 32], &names(3), threshold);
        assert!(matches!(made, Err(PartyError::Threshold { parties: 3, .. })));
    }
}
