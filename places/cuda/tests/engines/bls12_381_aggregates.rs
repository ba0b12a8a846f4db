// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verdicts on aggregate signatures.

use halimede_arith::job::Operation;
use halimede_bls12_381::operations::{
    AggregateRequest, MessagesRequest, VerifyAggregate, VerifyAggregateOfMessages,
};
use halimede_bls12_381::signature::{Group, Rejection, Scheme, Suite};
use halimede_bls12_381::{Fr, PointError, G1, G2};
use halimede_cuda::bls12_381::{VerifyAggregateOfMessagesOnGpu, VerifyAggregateOnGpu};
use rand_chacha::ChaCha8Rng;

use crate::bls12_381::{compressed_key, is_sweep, key_of, secret, sign, wrong, GROUPS, SCHEMES};
use crate::{agree, bytes, place, random};

/// Encodings of a group's keys that are not valid keys.
fn wrong_keys(group: Group) -> Vec<Vec<u8>> {
    match group {
        Group::MinPk => wrong::<G1>(),
        Group::MinSig => wrong::<G2>(),
    }
}

fn wrong_signatures(group: Group) -> Vec<Vec<u8>> {
    match group {
        Group::MinPk => wrong::<G2>(),
        Group::MinSig => wrong::<G1>(),
    }
}

/// A valid aggregate signature of one message by the keys of some secrets.
fn aggregate(random: &mut ChaCha8Rng, group: Group, secrets: &[Fr]) -> AggregateRequest {
    let message = bytes(random, secrets.len() % 70);
    let domain = Suite { group, scheme: Scheme::ProofOfPossession }.domain();
    let sum = secrets.iter().fold(Fr::from(0), |sum, secret| sum + *secret);
    let signature = sign(random, (group, domain), &[(sum, message.clone())]);
    let keys = secrets.iter().map(|secret| key_of(random, group, secret)).collect();
    AggregateRequest { group, keys, message, signature }
}

/// Valid requests, as many as returned, and then invalid ones.
fn aggregates(random: &mut ChaCha8Rng, group: Group) -> (Vec<AggregateRequest>, usize) {
    let secrets: Vec<Fr> = (0..40).map(|_| secret(random)).collect();
    let mut requests: Vec<AggregateRequest> = [1, 2, 16, 17]
        .into_iter()
        .map(|count| aggregate(random, group, &secrets[..count]))
        .collect();
    // Equal keys, and sums that are infinity on the way.
    let opposite = -secrets[0];
    requests.push(aggregate(random, group, &[secrets[0]; 5]));
    requests.push(aggregate(random, group, &[secrets[0], opposite, secrets[1]]));
    if is_sweep() {
        let many: Vec<Fr> = (0..300).map(|number| secrets[number * 7 % 40]).collect();
        requests.push(aggregate(random, group, &many));
    }
    let valid = requests.len();
    requests.push(aggregate(random, group, &[]));
    requests.push(aggregate(random, group, &[secrets[0], opposite]));
    let good = requests[2].clone();
    for change in 0..4 {
        let mut changed = good.clone();
        match change {
            0 => changed.message.push(1),
            1 => changed.keys.truncate(15),
            2 => changed.keys[3].clone_from(&good.keys[4]),
            _ => changed.signature.clone_from(&requests[1].signature),
        }
        requests.push(changed);
    }
    for (number, key) in wrong_keys(group).into_iter().enumerate() {
        let mut changed = requests[number % 2 + 1].clone();
        changed.keys[number % 2].clone_from(&key);
        // A later key and the signature are invalid as well.
        if number % 3 == 0 {
            changed.keys.push(Vec::new());
            changed.signature = key;
        }
        requests.push(changed);
    }
    for signature in wrong_signatures(group).into_iter().skip(1).step_by(2) {
        requests.push(AggregateRequest { signature: signature.clone(), ..requests[1].clone() });
        requests.push(AggregateRequest { signature, ..requests[valid + 1].clone() });
    }
    (requests, valid)
}

#[test]
fn aggregates_of_a_message_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(14);
    let mut all = Vec::new();
    for group in GROUPS {
        let (requests, valid) = aggregates(&mut random, group);
        let replies = agree::<VerifyAggregateOnGpu>(&place, VerifyAggregate::batch(&requests));
        assert!(replies[..valid].iter().all(Result::is_ok));
        assert!(replies[valid..].iter().all(Result::is_err));
        for wanted in [
            Rejection::Mismatch,
            Rejection::NoKeys,
            Rejection::Key(PointError::Infinity),
            Rejection::KeyOf { index: 0, error: PointError::Infinity },
            Rejection::KeyOf { index: 1, error: PointError::NotOnCurve },
            Rejection::Signature(PointError::NotOnCurve),
        ] {
            assert!(replies.contains(&Err(wanted.clone())), "{group:?}: {wanted:?}");
        }
        all.extend(requests.into_iter().step_by(7));
    }
    all.sort_by_key(|request| request.message.len());
    agree::<VerifyAggregateOnGpu>(&place, VerifyAggregate::batch(&all));
    // No key at all.
    let none = AggregateRequest { keys: Vec::new(), ..all[0].clone() };
    let replies =
        agree::<VerifyAggregateOnGpu>(&place, VerifyAggregate::batch(&[none.clone(), none]));
    assert_eq!(replies, [Err(Rejection::NoKeys), Err(Rejection::NoKeys)]);
}

/// A valid aggregate signature of some messages.
fn of_messages(random: &mut ChaCha8Rng, suite: Suite, messages: &[Vec<u8>]) -> MessagesRequest {
    let (mut signers, mut signed) = (Vec::new(), Vec::new());
    for message in messages {
        let secret = secret(random);
        let key = key_of(random, suite.group, &secret);
        let mut content = match suite.scheme {
            Scheme::Augmented => compressed_key(suite.group, &key),
            _ => Vec::new(),
        };
        content.extend(message);
        signed.push((secret, content));
        signers.push((key, message.clone()));
    }
    let signature = sign(random, (suite.group, suite.domain()), &signed);
    MessagesRequest { suite, signers, signature }
}

/// Valid requests, as many as returned, and then invalid ones.
fn products(random: &mut ChaCha8Rng, group: Group) -> (Vec<MessagesRequest>, usize) {
    let mut requests = Vec::new();
    let longest = if is_sweep() { 80 } else { 8 };
    for (number, count) in [1, 2, 5, longest].into_iter().enumerate() {
        let suite = Suite { group, scheme: SCHEMES[number % 3] };
        let messages: Vec<Vec<u8>> = (0..count).map(|place| bytes(random, place + 3)).collect();
        requests.push(of_messages(random, suite, &messages));
    }
    let equal = vec![bytes(random, 5); 3];
    for scheme in [Scheme::Augmented, Scheme::ProofOfPossession] {
        requests.push(of_messages(random, Suite { group, scheme }, &equal));
    }
    let valid = requests.len();
    // Equal messages are rejected before anything is read.
    let mut bad = of_messages(random, Suite { group, scheme: Scheme::Basic }, &equal);
    requests.push(bad.clone());
    bad.signers[0].0.clear();
    bad.signature.clear();
    requests.push(bad);
    let suite = Suite { group, scheme: Scheme::Basic };
    requests.push(MessagesRequest { suite, signers: Vec::new(), signature: Vec::new() });
    for change in 0..5 {
        let mut changed = requests[2].clone();
        match change {
            0 => changed.signers[4].1.push(1),
            1 => drop(changed.signers.pop()),
            2 => changed.signers.swap(0, 1),
            3 => changed.signature.clone_from(&requests[1].signature),
            // Keys of other messages.
            _ => {
                let key = changed.signers[0].0.clone();
                changed.signers[1].0 = key;
            }
        }
        requests.push(changed);
    }
    // The order of signers does not matter, except that of keys and messages.
    requests[valid + 5].signers[0].1.push(7);
    for (number, key) in wrong_keys(group).into_iter().enumerate().step_by(3) {
        let mut changed = requests[1].clone();
        changed.signers[number % 2].0 = key;
        requests.push(changed);
    }
    for signature in wrong_signatures(group).into_iter().skip(1).step_by(2) {
        requests.push(MessagesRequest { signature, ..requests[0].clone() });
    }
    (requests, valid)
}

#[test]
fn aggregates_of_messages_have_the_verdicts_of_the_processor() {
    let Some(place) = place() else { return };
    let mut random = random(15);
    let mut all = Vec::new();
    for group in GROUPS {
        let (requests, valid) = products(&mut random, group);
        let batch = VerifyAggregateOfMessages::batch(&requests);
        let replies = agree::<VerifyAggregateOfMessagesOnGpu>(&place, batch);
        assert!(replies[..valid].iter().all(Result::is_ok), "{:?}", &replies[..valid]);
        assert!(replies[valid..].iter().all(Result::is_err));
        for wanted in [
            Rejection::Mismatch,
            Rejection::NoKeys,
            Rejection::EqualMessages { first: 0, second: 1 },
            Rejection::KeyOf { index: 0, error: PointError::Infinity },
            Rejection::Signature(PointError::NotOnCurve),
        ] {
            assert!(replies.contains(&Err(wanted.clone())), "{group:?}: {wanted:?}");
        }
        all.extend(requests.into_iter().step_by(6));
    }
    all.reverse();
    agree::<VerifyAggregateOfMessagesOnGpu>(&place, VerifyAggregateOfMessages::batch(&all));
    let none = MessagesRequest { signers: Vec::new(), ..all[0].clone() };
    let batch = VerifyAggregateOfMessages::batch(std::slice::from_ref(&none));
    let replies = agree::<VerifyAggregateOfMessagesOnGpu>(&place, batch);
    assert_eq!(replies, [Err(Rejection::NoKeys)]);
}
