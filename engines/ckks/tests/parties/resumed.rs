// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sessions and parties in files: a party continues in each round, and makes no second message with
//! other noise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::keys::KeyUse;
use halimede_ckks::parties::{Decryption, KeyCollector, Party, PartyError, Session};
use halimede_ckks::{
    Ciphertext, Client, FileError, Operations, Parameters, Server, Sharing, SharingError,
};

use crate::group::{error, names, values, Group};

fn operations() -> Operations {
    Operations { multiply: true, conjugate: true, rotations: vec![3], ..Operations::default() }
}

fn parameters() -> Parameters {
    Parameters::preset("n10-insecure").unwrap()
}

fn session(threshold: usize) -> Session {
    let operations = operations();
    Session::for_operations(&parameters(), &[3; 32], &names(3), threshold, &operations).unwrap()
}

fn saved(party: &Party) -> Vec<u8> {
    let mut bytes = Vec::new();
    party.save(&mut bytes).unwrap();
    bytes
}

/// The party after its state went through a file.
fn resumed(party: &Party) -> Party {
    Party::load(&saved(party)[..], party.session()).unwrap()
}

/// Runs a session of three parties from keys to a decryption, and returns all public bytes. With
/// `is_resumed`, each party goes through a file after each step.
fn run(threshold: usize, is_resumed: bool) -> Vec<Vec<u8>> {
    let session = session(threshold);
    let party = |number: u64, name: &String| Party::of_test(&session, name, 60 + number).unwrap();
    let mut parties: Vec<Party> = (0..).zip(&names(3)).map(|(n, name)| party(n, name)).collect();
    let step = |parties: &mut Vec<Party>| {
        if is_resumed {
            parties.iter_mut().for_each(|party| *party = resumed(party));
        }
    };
    let mut public = Vec::new();
    step(&mut parties);
    let mut keys = KeyCollector::new(&session, session.operations()).unwrap();
    let mut rounds = Vec::new();
    for party in &mut parties {
        for message in party.key_messages(session.operations()).unwrap() {
            if keys.receive(party.name(), &message).is_err() {
                rounds.push((party.name().to_owned(), message.clone()));
            }
            public.push(message);
        }
    }
    for (from, message) in &rounds {
        for place in 0..3 {
            // Within the first round as well.
            step(&mut parties);
            let to = &mut parties[place];
            if to.name() == from {
                continue;
            }
            if let Some(reply) = to.receive(from, message).unwrap() {
                keys.receive(to.name(), &reply).unwrap();
                public.push(reply);
            }
        }
    }
    if threshold < 3 {
        for from in 0..3 {
            let name = parties[from].name().to_owned();
            for message in parties[from].share_messages().unwrap() {
                step(&mut parties);
                let to = parties.iter_mut().find(|party| party.name() == message.to).unwrap();
                assert_eq!(to.receive(&name, &message.bytes).unwrap(), None);
                public.push(message.bytes.to_vec());
            }
        }
    }
    step(&mut parties);
    let server = Server::new(keys.evaluation_keys().unwrap());
    let mut random = halimede_ckks::sampling::Random::of_test(4);
    let (level, x) = (session.parameters().fresh_level(), values(512, 3));
    let a = keys.public_key().unwrap();
    let a = a.encrypt_at(server.encoder(), &x, level, &mut random).unwrap();
    let a = server.mul(&a, &a).unwrap();
    let quorum = session.quorum(&names(3)[3 - threshold..]).unwrap();
    let mut decryption = Decryption::new(&session, &a, &quorum).unwrap();
    for party in &mut parties[3 - threshold..] {
        let message = party.decryption_message(&a, &Sharing::new(6, 5), &quorum).unwrap();
        decryption.receive(party.name(), &message).unwrap();
        public.push(message);
    }
    let decrypted = decryption.finish().unwrap();
    let wanted: Vec<_> = x.iter().map(|x| *x * *x).collect();
    assert!(error(&decrypted.values, &wanted) < 1.5 * (-decrypted.precision_bits).exp2());
    public
}

#[test]
fn a_party_continues_in_each_round() {
    for threshold in [3, 2] {
        assert!(run(threshold, true) == run(threshold, false), "threshold {threshold}");
    }
}

#[test]
fn messages_are_made_again_with_the_same_noise() {
    let session = session(2);
    let mut parties: Vec<Party> =
        names(3).iter().map(|name| Party::new(&session, name).unwrap()).collect();
    let level = session.parameters().fresh_level();
    let uses = [KeyUse::Automorphism(5), KeyUse::LowAutomorphism(5), KeyUse::Multiply];
    let all = |party: &mut Party| {
        let mut messages = vec![party.public_key_message().unwrap()];
        messages.extend(uses.map(|of| party.key_message(of, level).unwrap()));
        messages.extend(party.share_messages().unwrap().into_iter().map(|m| m.bytes.to_vec()));
        messages
    };
    let first = all(&mut parties[0]);
    let mut again = resumed(&parties[0]);
    assert!(all(&mut again) == first && all(&mut parties[0]) == first);
    // Different messages have different noise: no two are equal or begin alike behind the header.
    for (place, one) in first.iter().enumerate() {
        assert!(first[place + 1..].iter().all(|other| one[124..200] != other[124..200]));
    }
    let others: Vec<Vec<u8>> =
        (1..3).map(|place| parties[place].key_message(KeyUse::Multiply, level).unwrap()).collect();
    let reply = |party: &mut Party, others: &[Vec<u8>]| {
        assert_eq!(party.receive("party 1", &others[0])?, None);
        party.receive("party 2", &others[1])
    };
    let made = reply(&mut again, &others).unwrap().unwrap();
    let late = again.receive("party 1", &others[0]).unwrap_err();
    assert!(matches!(late, PartyError::Late { .. }), "{late}");
    let mut again = resumed(&again);
    again.key_message(KeyUse::Multiply, level).unwrap();
    assert!(reply(&mut again, &others).unwrap().unwrap() == made);
    // Party 2 shows it another first round.
    let mut twin = Party::new(&session, "party 2").unwrap();
    let other = twin.key_message(KeyUse::Multiply, level).unwrap();
    let mut again = resumed(&again);
    again.key_message(KeyUse::Multiply, level).unwrap();
    let refused = reply(&mut again, &[others[0].clone(), other]).unwrap_err();
    assert!(matches!(refused, PartyError::OtherRound { .. }), "{refused}");
}

#[test]
fn answers_are_remembered_and_counted() {
    let mut group = Group::new(&parameters(), 2, &Operations::default());
    let (quorum, sharing) = (group.everyone(), Sharing::new(6, 2));
    let [a, b, c] = [1, 2, 3].map(|number| group.encrypt(&values(64, number), 1.0));
    let server = &group.server;
    let shifted = server.add_plain(&a, &values(64, 9)).unwrap();
    let party = &mut group.parties[0];
    let first = party.decryption_message(&a, &sharing, &quorum).unwrap();
    assert_eq!((party.answers(), party.most_answers()), (1, Some(2)));
    let mut party = resumed(party);
    assert_eq!((party.answers(), party.most_answers()), (1, Some(2)));
    // The same request has the same answer, and is not counted.
    for _ in 0..3 {
        assert!(party.decryption_message(&a, &sharing, &quorum).unwrap() == first);
    }
    let mut client = Client::of_test(&parameters(), 5);
    let receiver = client.public_key();
    for refused in [
        party.decryption_message(&shifted, &sharing, &quorum),
        party.decryption_message(&a, &Sharing::new(7, 2), &quorum),
        party.decryption_message(&a, &sharing.with_error(1e-6), &quorum),
        party.switch_message(&a, &sharing, &quorum, &receiver),
    ] {
        assert!(matches!(refused, Err(PartyError::Answered)));
    }
    let switched = party.switch_message(&b, &sharing, &quorum, &receiver).unwrap();
    let mut party = resumed(&party);
    assert!(party.switch_message(&b, &sharing, &quorum, &receiver).unwrap() == switched);
    // A larger number does not raise the stated one.
    for sharing in [sharing, Sharing::new(6, 100)] {
        let refused = party.decryption_message(&c, &sharing, &quorum).unwrap_err();
        let is_it =
            matches!(refused, PartyError::Sharing(SharingError::Budget { made: 2, queries: 2 }));
        assert!(is_it, "{refused}");
    }
}

#[test]
fn sessions_are_read_as_they_are_written() {
    for threshold in [2, 3] {
        let session = session(threshold);
        let mut bytes = Vec::new();
        session.save(&mut bytes).unwrap();
        let refused = Session::load(&bytes[..]).unwrap_err();
        let is_it = matches!(refused, PartyError::File(FileError::Insecure { .. }));
        assert!(is_it, "{refused}");
        let read = |bytes: &[u8]| {
            let reader = halimede_ckks::files::FileReader::new(bytes).map_err(PartyError::File)?;
            let parameters = reader.header().insecure_parameters().map_err(PartyError::File)?;
            reader.session(&parameters)
        };
        let again = read(&bytes).unwrap();
        assert_eq!(again.id(), session.id());
        assert_eq!(again.operations(), session.operations());
        assert_eq!((again.names(), again.threshold()), (&names(3)[..], threshold));
        for end in 0..bytes.len() {
            assert!(read(&bytes[..end]).is_err(), "{end}");
        }
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(read(&changed).is_err(), "{at}");
        }
    }
    let secure = Parameters::preset("n14").unwrap();
    let session = Session::new(&secure, &[1; 32], &["a", "b"]).unwrap();
    let mut bytes = Vec::new();
    session.save(&mut bytes).unwrap();
    assert_eq!(Session::load(&bytes[..]).unwrap().id(), session.id());
    bytes.push(0);
    assert!(matches!(Session::load(&bytes[..]), Err(PartyError::File(FileError::Longer))));
}

/// No damaged state is read, and that of another session is named.
#[test]
fn wrong_states_are_refused() {
    let session = session(2);
    let mut party = Party::new(&session, "party 1").unwrap();
    party.key_message(KeyUse::Multiply, 1).unwrap();
    party.share_messages().unwrap();
    let bytes = saved(&party);
    let other = Session::new(&parameters(), &[3; 32], &names(3)).unwrap();
    let refused = Party::load(&bytes[..], &other).err().unwrap();
    assert!(matches!(refused, PartyError::OtherSession { .. }), "{refused}");
    for end in (0..400).chain((400..bytes.len()).step_by(7919)).chain([bytes.len() - 1]) {
        let refused = Party::load(&bytes[..end], &session).err().unwrap();
        assert!(matches!(refused, PartyError::File(_)), "{end}: {refused}");
    }
    for at in (0..400).chain((400..bytes.len()).step_by(7919)) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(Party::load(&changed[..], &session).is_err(), "{at}");
        // With the right checksum, another state at most.
        let end = changed.len() - 32;
        let checksum = *blake3::hash(&changed[..end]).as_bytes();
        changed[end..].copy_from_slice(&checksum);
        let _ = Party::load(&changed[..], &session);
    }
    let mut longer = bytes.clone();
    longer.push(1);
    let refused = Party::load(&longer[..], &session).err().unwrap();
    assert!(matches!(refused, PartyError::File(FileError::Longer)), "{refused}");
    let mut other_kind = Vec::new();
    session.save(&mut other_kind).unwrap();
    let refused = Party::load(&other_kind[..], &session).err().unwrap();
    assert!(matches!(refused, PartyError::File(FileError::Kind { .. })), "{refused}");
    // A ciphertext of the session is not that of a client.
    let parameters = session.parameters();
    let mut none = Vec::new();
    parameters.save(&mut none).unwrap();
    assert!(Ciphertext::load(&none[..], parameters).is_err());
}
