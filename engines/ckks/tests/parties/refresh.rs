// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collective refreshes, the interactive bootstraps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::params::Scale;
use halimede_ckks::parties::{Decryption, Masking, Party, PartyError, Quorum, Refresh, Session};
use halimede_ckks::{Ciphertext, Complex, Operations, Parameters, Sharing};

use crate::group::{error, names, values, Group};

fn operations() -> Operations {
    Operations { multiply: true, rotations: vec![1], ..Operations::default() }
}

fn group(count: usize, threshold: usize) -> Group {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let session =
        Session::for_operations(&parameters, &[11; 32], &names(count), threshold, &operations());
    let mut group = Group::of_session(session.unwrap(), &operations());
    for from in 0..count {
        let Ok(messages) = group.parties[from].share_messages() else { continue };
        for message in messages {
            let to = group.parties.iter_mut().find(|party| party.name() == message.to).unwrap();
            to.receive(&format!("party {from}"), &message.bytes).unwrap();
        }
    }
    group
}

fn shares(group: &Group, a: &Ciphertext, bits: u32, quorum: &Quorum) -> Vec<(String, Vec<u8>)> {
    let share = |party: &Party| {
        let message = party.refresh_message(a, &Masking::new(bits), quorum);
        message.ok().map(|message| (party.name().to_owned(), message))
    };
    group.parties.iter().filter_map(share).collect()
}

fn refresh(group: &Group, a: &Ciphertext, bits: u32, quorum: &Quorum) -> Ciphertext {
    let mut refresh = Refresh::new(&group.session, a, quorum).unwrap();
    for (from, message) in shares(group, a, bits, quorum) {
        refresh.receive(&from, &message).unwrap();
    }
    refresh.finish().unwrap()
}

fn squares(x: &[Complex]) -> Vec<Complex> {
    x.iter().map(|x| *x * *x).collect()
}

/// Computes down to a low level, refreshes and computes on, for n of n and t of n, full and few
/// slots. The values have their estimated errors, and align with fresh ciphertexts.
#[test]
fn a_refreshed_ciphertext_has_all_levels_and_its_estimated_error() {
    for (count, threshold, members, length) in [
        (2, 2, vec![0, 1], 512),
        (3, 2, vec![0, 2], 512),
        (5, 3, vec![1, 2, 4], 8),
        (16, 16, (0..16).collect(), 512),
        (16, 9, (7..16).collect(), 512),
    ] {
        let mut group = group(count, threshold);
        let members: Vec<String> = members.iter().map(|place| format!("party {place}")).collect();
        let quorum = group.session.quorum(&members).unwrap();
        let (mut wanted, top) = (values(length, count), group.session.parameters().fresh_level());
        let mut a = group.encrypt(&wanted, 1.0);
        let few = if length < 100 { 8.0 } else { 1.0 };
        for round in 0..2 {
            while a.level() > 1 {
                a = group.server.mul(&a, &a).unwrap();
                wanted = squares(&wanted);
            }
            let before = error(&group.oracle().decrypt(&a).unwrap(), &wanted);
            let fresh = refresh(&group, &a, 20, &quorum);
            assert_eq!((fresh.level(), fresh.length()), (top, length));
            let scale = group.session.parameters().level(top).scale;
            assert!(fresh.scale().deviation(scale).abs() < 1e-14);
            let got = error(&group.oracle().decrypt(&fresh).unwrap(), &wanted);
            let ratio = got / fresh.estimate().error;
            // Few values have few samples, and may be exact by chance.
            let least = if length < 100 { 0.0 } else { 0.005 };
            assert!((least..=1.415).contains(&ratio), "{count} {round}: {ratio}");
            // A refresh costs less than a multiplication.
            assert!(fresh.estimate().error < 2.0 * a.estimate().error.max(before));
            // The scale is that of a fresh ciphertext.
            let other = group.encrypt(&wanted, 1.0);
            let sum = group.server.add(&fresh, &other).unwrap();
            let doubled: Vec<Complex> = wanted.iter().map(|x| *x + *x).collect();
            let got = error(&group.oracle().decrypt(&sum).unwrap(), &doubled);
            assert!(got <= 1.415 * sum.estimate().error);
            a = fresh;
        }
        let turned = group.server.rotate(&a, 1).unwrap();
        let mut rotated = wanted.clone();
        rotated.rotate_left(1);
        let sharing = Sharing::new(6, 4);
        let mut decryption = Decryption::new(&group.session, &turned, &quorum).unwrap();
        for party in group.parties.iter_mut().filter(|party| members.contains(&party.name().into()))
        {
            // The refreshes were not counted.
            assert_eq!(party.answers(), 0);
            let message = party.decryption_message(&turned, &sharing, &quorum).unwrap();
            decryption.receive(party.name(), &message).unwrap();
        }
        let decrypted = decryption.finish().unwrap();
        let ratio = error(&decrypted.values, &rotated) / (-decrypted.precision_bits).exp2();
        assert!(ratio <= 1.415 * few, "{ratio}");
    }
}

/// A ciphertext on another scale than that of its level gets the usual scale.
#[test]
fn the_scale_becomes_that_of_the_level() {
    let mut group = group(2, 2);
    let (quorum, x) = (group.everyone(), values(512, 4));
    let a = group.encrypt(&x, 1.0);
    let usual = group.session.parameters().level(1).scale;
    for bits in [-9, -3, 4] {
        let scale = usual * Scale::power_of_two(bits);
        let low = group.server.at_scale(&a, 1, scale).unwrap();
        let fresh = refresh(&group, &low, 4, &quorum);
        let wanted = group.session.parameters().level(fresh.level()).scale;
        assert!(fresh.scale().deviation(wanted).abs() < 1e-12, "{bits}");
        let got = error(&group.oracle().decrypt(&fresh).unwrap(), &x);
        assert!(got <= 1.415 * fresh.estimate().error, "{bits}: {got}");
    }
    let far = group.server.at_scale(&a, 1, usual * Scale::power_of_two(14)).unwrap();
    let refused = Refresh::new(&group.session, &far, &quorum).err().unwrap();
    assert!(matches!(refused, PartyError::RefreshScale { .. }), "{refused}");
    let party = &group.parties[0];
    let refused = party.refresh_message(&far, &Masking::new(4), &quorum).unwrap_err();
    assert!(matches!(refused, PartyError::RefreshScale { .. }), "{refused}");
}

#[test]
fn a_level_without_room_is_refused_and_another_named() {
    let mut group = group(2, 2);
    let quorum = group.everyone();
    let a = group.encrypt(&values(512, 1), 1.0);
    let low = group.server.at_level(&a, 0).unwrap();
    let party = &group.parties[0];
    let refused = party.refresh_message(&low, &Masking::new(20), &quorum).unwrap_err();
    let text = refused.to_string();
    assert!(matches!(refused, PartyError::MaskRoom { level: 0, .. }), "{text}");
    assert!(text.contains("refresh the ciphertext at level 1 or above"), "{text}");
    let named = group.server.at_level(&a, 1).unwrap();
    party.refresh_message(&named, &Masking::new(20), &quorum).unwrap();
    // Too much for any level: the bits that fit are named, and fit.
    let top = group.session.parameters().top();
    let high = group.server.at_level(&a, top).unwrap();
    let least = match party.refresh_message(&low, &Masking::new(128), &quorum).unwrap_err() {
        PartyError::MaskRoom { advice, .. } => advice,
        other => panic!("{other}"),
    };
    assert!(least.contains("at level") || least.contains("at most"), "{least}");
    party.refresh_message(&high, &Masking::new(40), &quorum).unwrap();
    for wrong in [0, 129] {
        let refused = party.refresh_message(&a, &Masking::new(wrong), &quorum).unwrap_err();
        assert!(matches!(refused, PartyError::MaskSecurity { most: 128, .. }), "{refused}");
    }
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let masking = Masking::new(8).with_values_at_most(wrong);
        let refused = party.refresh_message(&a, &masking, &quorum).unwrap_err();
        assert!(matches!(refused, PartyError::ValuesAtMost { .. }), "{refused}");
    }
}

/// A party does not trust the bound that a file claims, and makes the same message again.
#[test]
fn claimed_bounds_are_refused_and_messages_repeat() {
    let mut group = group(2, 2);
    let (quorum, ours) = (group.everyone(), group.session.parameters().clone());
    let a = group.encrypt(&values(64, 1), 1.0);
    let a = group.server.at_level(&a, 1).unwrap();
    let mut bytes = Vec::new();
    a.save(&mut bytes, &ours).unwrap();
    let read = Ciphertext::load(&bytes[..], &ours).unwrap();
    let party = &group.parties[0];
    let refused = party.refresh_message(&read, &Masking::new(20), &quorum).unwrap_err();
    assert!(matches!(refused, PartyError::ClaimedBound { .. }), "{refused}");
    let known = Masking::new(20).with_values_at_most(1.0);
    let message = party.refresh_message(&read, &known, &quorum).unwrap();
    assert!(party.refresh_message(&a, &Masking::new(8), &quorum).unwrap() == message);
    // A refreshed ciphertext has half the size in a file, and stays a claim there.
    let fresh = refresh(&group, &a, 20, &quorum);
    let mut bytes = Vec::new();
    fresh.save(&mut bytes, &ours).unwrap();
    let full = fresh.parts()[0].basis().len() * ours.degree() * 4;
    assert!(bytes.len() < full + 4096, "{} {full}", bytes.len());
    let read = Ciphertext::load(&bytes[..], &ours).unwrap();
    assert!(read.has_claimed_error());
    let oracle = group.oracle();
    assert_eq!(oracle.decrypt(&read).unwrap(), oracle.decrypt(&fresh).unwrap());
}

#[test]
fn wrong_shares_are_refused_by_name() {
    let mut group = group(3, 3);
    let quorum = group.everyone();
    let [a, b] = [1, 2].map(|number| {
        let fresh = group.encrypt(&values(8, number), 1.0);
        group.server.at_level(&fresh, 1).unwrap()
    });
    let (messages, others) = (shares(&group, &a, 8, &quorum), shares(&group, &b, 8, &quorum));
    let mut refresh = Refresh::new(&group.session, &a, &quorum).unwrap();
    let first = &messages[0].1;
    for end in [0, 60, 123, 124, first.len() / 2, first.len() - 1] {
        let refused = refresh.receive("party 0", &first[..end]).unwrap_err();
        assert!(matches!(refused, PartyError::Truncated { .. }), "{end}: {refused}");
    }
    let refused = refresh.receive("party 1", first).unwrap_err();
    assert!(matches!(refused, PartyError::Forged { .. }), "{refused}");
    // The round of another ciphertext.
    let refused = refresh.receive("party 0", &others[0].1).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    let decryption = group.decryption_messages(&a, &Sharing::new(6, 4));
    let refused = refresh.receive("party 0", &decryption[0].1).unwrap_err();
    assert!(matches!(refused, PartyError::Unexpected { .. }), "{refused}");
    refresh.receive("party 0", first).unwrap();
    let refused = refresh.receive("party 0", first).unwrap_err();
    assert!(matches!(refused, PartyError::Repeated { .. }), "{refused}");
    let missing = refresh.finish().unwrap_err();
    assert!(missing.to_string().contains("party 1, party 2"), "{missing}");
    refresh.receive("party 1", &messages[1].1).unwrap();
    refresh.receive("party 2", &messages[2].1).unwrap();
    let refused = refresh.receive("party 2", &messages[2].1).unwrap_err();
    assert!(matches!(refused, PartyError::Late { .. }), "{refused}");
    // Nothing of a refused message is left.
    let fresh = refresh.finish().unwrap();
    let got = error(&group.oracle().decrypt(&fresh).unwrap(), &values(8, 1));
    assert!(got < 8.0 * fresh.estimate().error, "{got}");
    let twin = Session::new(&Parameters::preset("n10-insecure").unwrap(), &[99; 32], &names(3));
    let twin = Party::of_test(&twin.unwrap(), "party 0", 3).unwrap();
    assert!(twin.refresh_message(&a, &Masking::new(8), &quorum).is_err());
}
