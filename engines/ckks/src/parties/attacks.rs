// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Attacks of all parties but one (or t − 1 under a threshold) on the answers of the others: on
//! answers that only a test computes, without noise or masks, and on those of the API.

use super::message::Incoming;
use super::shares::lagrange;
use super::{Party, Session};
use crate::client::{Flooding, Sharing};
use crate::encoding::Encoder;
use crate::evaluator::Ciphertext;
use crate::keys::PublicKey;
use crate::params::Parameters;
use crate::ring::{Form, Modulus, Polynomial};
use crate::sampling::{secret_uniform, wide_gaussian, Random};

const NAMES: [&str; 3] = ["a", "b", "c"];
const SHARING: Sharing =
    Sharing { security_bits: 10, queries: 4, error_at_least: None, expected: None };

fn session(count: usize, threshold: usize) -> Session {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    Session::with_threshold(&parameters, &[5; 32], &NAMES[..count], threshold).unwrap()
}

/// Creates all parties, and lets them share their secrets under a smaller threshold.
fn parties(session: &Session) -> Vec<Party> {
    let party = |(number, name): (u64, &String)| Party::of_test(session, name, number).unwrap();
    let mut parties: Vec<Party> = (70..).zip(session.names()).map(party).collect();
    for from in 0..parties.len() {
        let Ok(messages) = parties[from].share_messages() else { continue };
        let name = parties[from].name().to_owned();
        for message in messages {
            let to = parties.iter().position(|party| party.name() == message.to).unwrap();
            assert_eq!(parties[to].receive(&name, &message.bytes).unwrap(), None);
        }
    }
    parties
}

/// Encrypts values in all slots under the collective key.
fn encrypt(session: &Session, parties: &[Party], number: u64) -> Ciphertext {
    let secret = Party::collective_secret(parties).unwrap();
    let mut random = Random::of_test(number);
    let public = PublicKey::generate(&secret, &mut random);
    let values: Vec<f64> = (0..512).map(|index| f64::from(index % 37) / 40.0 - 0.4).collect();
    let parameters = session.parameters();
    let encoder = Encoder::new(parameters);
    public.encrypt_at(&encoder, &values, parameters.top(), &mut random).unwrap()
}

/// The centered coefficients of a polynomial.
fn coefficients(parameters: &Parameters, polynomial: &Polynomial) -> Vec<i128> {
    let ring = parameters.ring();
    // Few enough primes for integers of 128 bits.
    let places = polynomial.basis().places();
    let basis = crate::ring::Basis::new(places[..places.len().min(4)].iter().copied());
    let part = ring.restrict(polynomial, &basis);
    let part = match part.form() {
        Form::Values => ring.coefficients(&part, &basis),
        Form::Coefficients => part,
    };
    ring.centered(&part, &(0..ring.degree()).collect::<Vec<_>>())
}

/// c₀ + c₁·s: the message with its error.
fn message(session: &Session, a: &Ciphertext, secret: &Polynomial) -> Polynomial {
    let [first, second] = a.parts();
    let mut message = first.clone();
    session.parameters().ring().mul_add(&mut message, second, secret);
    message
}

/// The polynomial in a party's share of a decryption.
fn share(session: &Session, from: &str, a: &Ciphertext, bytes: &[u8]) -> Polynomial {
    let parameters = session.parameters();
    let (basis, count) = (&parameters.level(a.level()).basis, parameters.degree());
    let incoming = Incoming::open(session, from, bytes).unwrap();
    let residues = incoming.residues(basis, count).unwrap();
    parameters.ring().from_places(basis, Form::Coefficients, |place, _, limb| {
        let index = basis.limb_of(place).unwrap();
        limb.copy_from_slice(&residues[index * count..][..count]);
    })
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

/// Without noise, one share is c₁·sᵢ: a division gives the secret.
#[test]
fn a_share_without_noise_reveals_the_secret() {
    let session = session(2, 2);
    let parties = parties(&session);
    let a = encrypt(&session, &parties, 1);
    let (ring, second) = (session.parameters().ring(), a.parts()[1]);
    let mut bare = second.clone();
    ring.mul(&mut bare, parties[0].own_secret().unwrap().values());
    let found = ring.from_places(second.basis(), Form::Values, |place, modulus, limb| {
        let index = second.basis().limb_of(place).unwrap();
        let known = bare.limb(index).iter().zip(second.limb(index));
        for (found, (bare, c1)) in limb.iter_mut().zip(known) {
            *found = modulus.mul(*bare, modulus.inverse(*c1));
        }
    });
    let found = coefficients(session.parameters(), &found);
    let secret = parties[0].own_secret().unwrap().coefficients();
    assert!(found.iter().zip(secret).all(|(found, own)| *found == i128::from(*own)));
}

/// All parties but one subtract what they know from the share of the last. The message, its error
/// and *one* noise are left, of the stated size and independent of the error. The share is uniform.
#[test]
fn colluding_parties_see_the_message_behind_one_noise() {
    let session = session(3, 3);
    let mut parties = parties(&session);
    let (parameters, quorum) = (session.parameters().clone(), session.everyone().unwrap());
    let secret = Party::collective_secret(&parties).unwrap();
    let (mut noises, mut errors) = (Vec::new(), Vec::new());
    let mut deviation = 0.0;
    for number in 0..4 {
        let a = encrypt(&session, &parties, 10 + number);
        let noise = Flooding::new(&parameters, session.key(), &a, &SHARING, 3).unwrap();
        deviation = noise.deviation;
        let bytes = parties[0].decryption_message(&a, &SHARING, &quorum).unwrap();
        let mut view = share(&session, "a", &a, &bytes);
        let limb = view.limb(0);
        let (prime, mut seen) = (parameters.ring().moduli(view.basis())[0].value(), [0usize; 16]);
        limb.iter().for_each(|x| seen[(u64::from(*x) * 16 / u64::from(prime)) as usize] += 1);
        // 64 each, with a standard deviation of 7.7.
        assert!(seen.iter().all(|seen| seen.abs_diff(64) < 47), "{seen:?}");
        let mut known = a.parts()[0].clone();
        for colluding in &parties[1..] {
            let values = colluding.own_secret().unwrap().values();
            parameters.ring().mul_add(&mut known, a.parts()[1], values);
        }
        parameters.ring().inverse(&mut known);
        parameters.ring().add(&mut view, &known);
        let exact = coefficients(&parameters, &message(&session, &a, secret.values()));
        let encoded: Vec<f64> = (0..512).map(|i| f64::from(i % 37) / 40.0 - 0.4).collect();
        let plain = Encoder::new(&parameters).encode(&encoded, a.level()).unwrap();
        let plain = coefficients(&parameters, plain.polynomial());
        for ((view, exact), plain) in
            coefficients(&parameters, &view).iter().zip(&exact).zip(&plain)
        {
            noises.push((view - exact) as f64);
            errors.push((exact - plain) as f64);
        }
    }
    let count = noises.len() as f64;
    let squares = noises.iter().map(|noise| noise.powi(2)).sum::<f64>() / count;
    let ratio = squares.sqrt() / deviation;
    assert!((ratio - 1.0).abs() < 5.0 / (2.0 * count).sqrt(), "{ratio}");
    let fourth = noises.iter().map(|noise| noise.powi(4)).sum::<f64>() / count / squares.powi(2);
    assert!((fourth - 3.0).abs() < 5.0 * (24.0 / count).sqrt(), "kurtosis {fourth}");
    assert!(correlation(&noises, &errors).abs() < 5.0 / count.sqrt());
    let error = (errors.iter().map(|error| error.powi(2)).sum::<f64>() / count).sqrt();
    assert!(deviation / error > 100.0, "{deviation} {error}");
}

/// Under a threshold, answers without masks reveal the error to t − 1 colluding parties even though
/// each has its noise: here 2 of 200 parties, numbers 101 and 57 in the quorum, and number 200
/// colluding. `shares.rs` explains the calculation.
#[test]
fn answers_without_masks_reveal_the_error() {
    let session = session(2, 2);
    let holders = parties(&session);
    let a = encrypt(&session, &holders, 3);
    let parameters = session.parameters();
    let (ring, secret) = (parameters.ring(), Party::collective_secret(&holders).unwrap());
    let basis = a.parts()[1].basis();
    let mut random = Random::of_test(9);
    let slope = secret_uniform(&mut random, ring, &ring.all());
    let quorum = [100, 56];
    let outside = 200u64;
    let at = |point: u64| {
        let mut share = slope.clone();
        ring.scale(&mut share, |modulus| modulus.reduce(point));
        ring.add(&mut share, secret.values());
        share
    };
    let noise = Flooding::new(parameters, session.key(), &a, &SHARING, 2).unwrap();
    // c₁·λⱼ·S(j) + xⱼ, less what the colluding party knows: c₁·λⱼ·S(200)·j/200.
    let mut answer = |place: usize| {
        let point = place as u64 + 1;
        let lambda = |modulus: Modulus| lagrange(modulus, place, &quorum);
        let mut known = at(outside);
        ring.scale(&mut known, |modulus| {
            let quotient = modulus.inverse(modulus.reduce(outside));
            modulus.mul(modulus.reduce(point), quotient)
        });
        let mut share = at(point);
        ring.sub(&mut share, &known);
        ring.scale(&mut share, lambda);
        let mut answer = a.parts()[1].clone();
        ring.mul(&mut answer, &share);
        let drawn = wide_gaussian(&mut random, noise.deviation, ring.degree());
        let mut drawn = ring.from_wide(basis, &drawn);
        ring.forward(&mut drawn);
        ring.add(&mut answer, &drawn);
        answer
    };
    let [first, second] = quorum.map(&mut answer);
    // μ₁/μ₂ = −(57/101)·(99/143) = −513/1313.
    let (mut relation, mut other) = (first.clone(), second.clone());
    ring.scale(&mut relation, |modulus| modulus.reduce(1313));
    ring.scale(&mut other, |modulus| modulus.reduce(513));
    ring.add(&mut relation, &other);
    let mut sum = a.parts()[0].clone();
    ring.add(&mut sum, &first);
    ring.add(&mut sum, &second);
    let exact = coefficients(parameters, &message(&session, &a, secret.values()));
    let inverse = (1..800).find(|x| 513 * x % 800 == 1).unwrap();
    let known = coefficients(parameters, &relation).into_iter().zip(coefficients(parameters, &sum));
    for ((relation, sum), exact) in known.zip(&exact) {
        // 1313·x₁ + 513·x₂ is −(−513)·(x₁ + x₂) modulo 1313 − 513.
        let noises = relation.rem_euclid(800) * inverse;
        assert_eq!((sum - noises - exact).rem_euclid(800), 0);
    }
}

/// The masks of the API's answers cancel in their sum, and the relation above is lost.
#[test]
fn answers_with_masks_are_uniform_one_by_one() {
    let session = session(3, 2);
    let mut parties = parties(&session);
    let parameters = session.parameters().clone();
    let ring = parameters.ring();
    let a = encrypt(&session, &parties, 4);
    let secret = Party::collective_secret(&parties).unwrap();
    let quorum = session.quorum(&["a", "b"]).unwrap();
    let noise = Flooding::new(&parameters, session.key(), &a, &SHARING, 2).unwrap();
    // S(1) and S(2), less S(3)·j/3.
    let outside = parties[2].shares.sum.clone().unwrap();
    let answers = [0, 1].map(|place| {
        let bytes = parties[place].decryption_message(&a, &SHARING, &quorum).unwrap();
        let mut answer = share(&session, NAMES[place], &a, &bytes);
        let mut known = a.parts()[1].clone();
        ring.mul(&mut known, &outside);
        ring.scale(&mut known, |modulus| {
            let third = modulus.inverse(3);
            let part = modulus.mul(modulus.reduce(place as u64 + 1), third);
            modulus.mul(part, lagrange(modulus, place, &[0, 1]))
        });
        ring.inverse(&mut known);
        ring.sub(&mut answer, &known);
        answer
    });
    // μ₁/μ₂ = −4 for 2 of 3.
    let mut relation = answers[1].clone();
    ring.scale(&mut relation, |_| 4);
    ring.add(&mut relation, &answers[0]);
    let largest = 64.0 * noise.deviation;
    let relation = coefficients(&parameters, &relation);
    let small = relation.iter().filter(|number| (**number as f64).abs() < largest).count();
    assert!(small < 8, "{small} of {} relations are small", relation.len());
    let mut sum = a.parts()[0].clone();
    ring.inverse(&mut sum);
    answers.iter().for_each(|answer| ring.add(&mut sum, answer));
    let exact = coefficients(&parameters, &message(&session, &a, secret.values()));
    for (sum, exact) in coefficients(&parameters, &sum).iter().zip(exact) {
        assert!(((sum - exact) as f64).abs() < largest);
    }
}
