// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Attacks of all parties but one on the shares of refreshes, and of old and new parties on a
//! re-sharing: with masks that only a test makes, and on the messages of the API.

use super::answers::refresh_subject;
use super::masking::{Mask, Masking};
use super::message::Incoming;
use super::refresh_share::{bases, half, MASKS};
use super::shares::{lagrange, point};
use super::{Party, Refresh, Session};
use crate::complex::Complex;
use crate::encoding::Encoder;
use crate::evaluator::Ciphertext;
use crate::keys::PublicKey;
use crate::params::Parameters;
use crate::ring::{Basis, Form, Polynomial};
use crate::sampling::{wide_uniform, Random};

const NAMES: [&str; 3] = ["a", "b", "c"];
/// The level of the ciphertexts, whose modulus has less than 126 bits.
const LEVEL: usize = 1;

fn session(threshold: usize) -> Session {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    Session::with_threshold(&parameters, &[6; 32], &NAMES, threshold).unwrap()
}

fn parties(session: &Session) -> Vec<Party> {
    let party = |(number, name): (u64, &String)| Party::of_test(session, name, number).unwrap();
    let mut parties: Vec<Party> = (170..).zip(session.names()).map(party).collect();
    for from in 0..parties.len() {
        let Ok(messages) = parties[from].share_messages() else { continue };
        for message in messages {
            let to = parties.iter_mut().find(|party| party.name() == message.to).unwrap();
            to.receive(NAMES[from], &message.bytes).unwrap();
        }
    }
    parties
}

/// Values of absolute value 0.9 or so, whose coefficients are large.
fn values(seed: u64) -> Vec<Complex> {
    let value = |index: u64| {
        let angle = (index * index * (seed + 3) + 7 * seed) as f64 * 0.37;
        Complex::new(0.65 * angle.cos().signum(), 0.6 * (1.3 * angle).sin())
    };
    (0..512).map(value).collect()
}

fn encrypt(session: &Session, parties: &[Party], number: u64) -> Ciphertext {
    let secret = Party::collective_secret(parties).unwrap();
    let mut random = Random::of_test(number);
    let public = PublicKey::generate(&secret, &mut random);
    let encoder = Encoder::new(session.parameters());
    public.encrypt_at(&encoder, &values(number), LEVEL, &mut random).unwrap()
}

fn coefficients(session: &Session, polynomial: &Polynomial) -> Vec<i128> {
    let ring = session.parameters().ring();
    let polynomial = ring.coefficients(polynomial, polynomial.basis());
    ring.centered(&polynomial, &(0..ring.degree()).collect::<Vec<_>>())
}

/// m + e, by the secret that nobody has.
fn message(session: &Session, parties: &[Party], a: &Ciphertext) -> Vec<i128> {
    let secret = Party::collective_secret(parties).unwrap();
    let mut message = a.parts()[0].clone();
    session.parameters().ring().mul_add(&mut message, a.parts()[1], secret.values());
    coefficients(session, &message)
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(a, b) / (product(a, a) * product(b, b)).sqrt()
}

fn floats(numbers: &[i128]) -> Vec<f64> {
    numbers.iter().map(|number| *number as f64).collect()
}

/// All parties but one subtract what they know from the share of the last. A number is left that is
/// uniform and independent of the message. With a mask as small as the message, or none, it is not.
#[test]
fn colluding_parties_see_a_uniform_number() {
    let session = session(3);
    let parties = parties(&session);
    let (ring, quorum) = (session.parameters().ring(), session.everyone().unwrap());
    let (mut seen, mut messages) = (Vec::new(), Vec::new());
    let mut bits = 0;
    for number in 0..4 {
        let a = encrypt(&session, &parties, 30 + number);
        let bytes = parties[0].refresh_message(&a, &Masking::new(8), &quorum).unwrap();
        let incoming = Incoming::open(&session, "a", &bytes).unwrap();
        let parts = incoming.polynomials(&bases(&session, &a)).unwrap();
        bits = Mask::of(&session, &a).unwrap().bits();
        let mut view = a.parts()[0].clone();
        ring.add(&mut view, &parts[0]);
        for colluding in &parties[1..] {
            ring.mul_add(&mut view, a.parts()[1], colluding.own_secret().unwrap().values());
        }
        // m + e − Mₐ, an integer.
        seen.extend(coefficients(&session, &view));
        messages.extend(message(&session, &parties, &a));
        // The second part is an encryption of Mₐ: uniform without the secret.
        let (prime, mut buckets) = (ring.moduli(parts[1].basis())[0].value(), [0usize; 16]);
        for residue in parts[1].limb(0) {
            buckets[(u64::from(*residue) * 16 / u64::from(prime)) as usize] += 1;
        }
        // 64 each, with a standard deviation of 7.7.
        assert!(buckets.iter().all(|count| count.abs_diff(64) < 47), "{buckets:?}");
    }
    let largest = 1i128 << bits;
    let mut buckets = [0usize; 16];
    for number in &seen {
        assert!((-2 * largest..2 * largest).contains(number));
        let bucket = ((number + largest) >> (bits - 3)).clamp(0, 15);
        buckets[bucket as usize] += 1;
    }
    // 256 each, with a standard deviation of 15.5.
    assert!(buckets.iter().all(|count| count.abs_diff(256) < 93), "{buckets:?}");
    let (messages, limit) = (floats(&messages), 5.0 / (seen.len() as f64).sqrt());
    assert!(correlation(&floats(&seen), &messages).abs() < limit);
    // The same with a mask as large as the message, and without one.
    let spread = messages.iter().map(|number| number.abs()).fold(0.0, f64::max);
    let random = &mut Random::of_test(5);
    let (upper, lower) = wide_uniform(random, spread.log2() as u32, 63, seen.len());
    let masks = upper.iter().zip(lower.iter()).map(|(upper, lower)| (upper << 63) + lower);
    let leaky: Vec<f64> =
        messages.iter().zip(masks).map(|(message, mask)| message - mask as f64).collect();
    assert!(correlation(&leaky, &messages) > 2.0 * limit);
}

/// The API makes no share whose mask hides less than the stated bits.
#[test]
fn a_share_without_a_mask_cannot_be_made() {
    let session = session(3);
    let parties = parties(&session);
    let (parameters, quorum) = (session.parameters(), session.everyone().unwrap());
    let a = encrypt(&session, &parties, 50);
    for security_bits in [0, 129, u32::MAX] {
        assert!(parties[0].refresh_message(&a, &Masking::new(security_bits), &quorum).is_err());
    }
    let mask = Mask::of(&session, &a).unwrap();
    let largest = message(&session, &parties, &a).iter().map(|m| m.unsigned_abs()).max().unwrap();
    // N·b/2ᵏ⁺¹ ≤ 2⁻ˢ for all s that are accepted, for the declared bound.
    let declared = a.scale().log2() + a.bound().magnitude().log2();
    assert!((largest as f64).log2() < declared);
    let most = f64::from(mask.bits()) + 1.0 - declared - 10.0;
    let accepted = |bits: u32| mask.check(&session, &a, &Masking::new(bits)).is_ok();
    assert!(accepted(most.floor() as u32) && !accepted(most.floor() as u32 + 1), "{most}");
    // A larger bound of the caller's counts, a smaller one does not.
    let known = |bits: u32, bound: f64| {
        mask.check(&session, &a, &Masking::new(bits).with_values_at_most(bound)).is_ok()
    };
    let most = most.floor() as u32;
    assert!(known(most, 0.01) && known(most - 4, 8.0) && !known(most, 8.0));
    for level in 0..=parameters.top() {
        let modulus = parameters.level(level).modulus.log2();
        let of_level = super::masking::room(&session, level, 63);
        // Four masks and messages fit half of the modulus.
        assert!(of_level.is_none_or(|bits| f64::from(bits) + 3.0 <= modulus));
    }
}

/// Under a threshold, a party outside of the quorum cancels the secret from two shares: 4·μ₂ + μ₁ =
/// 0. The masks of the pair hide what is left, f(M₁) + 4·f(M₂) and errors.
#[test]
fn shares_of_a_quorum_are_uniform_one_by_one() {
    let session = session(2);
    let parties = parties(&session);
    let (ring, quorum) = (session.parameters().ring(), session.quorum(&["a", "b"]).unwrap());
    let a = encrypt(&session, &parties, 60);
    let subject = refresh_subject(&a, &quorum);
    let outside = parties[2].shares.sum.clone().unwrap();
    let mut refresh = Refresh::new(&session, &a, &quorum).unwrap();
    let mut relations = Vec::new();
    for (place, times) in [(0, 1), (1, 4)] {
        let bytes = parties[place].refresh_message(&a, &Masking::new(8), &quorum).unwrap();
        refresh.receive(NAMES[place], &bytes).unwrap();
        let incoming = Incoming::open(&session, NAMES[place], &bytes).unwrap();
        let parts = incoming.polynomials(&bases(&session, &a)).unwrap();
        let mut part = parts[1].clone();
        // Without what party c knows: −a·λⱼ·S(3)·j/3.
        let mut known = half(&session, subject);
        ring.mul(&mut known, &outside);
        ring.scale(&mut known, |modulus| {
            let third = modulus.inverse(3);
            let share = modulus.mul(modulus.reduce(point(place)), third);
            modulus.mul(share, lagrange(modulus, place, &[0, 1]))
        });
        ring.add(&mut part, &known);
        let mut mask = ring.zero(part.basis(), Form::Values);
        parties[place].shares.mask(MASKS[1], &session, place, &quorum, subject, &mut mask);
        let mut bare = part.clone();
        ring.sub(&mut bare, &mask);
        for part in [&mut part, &mut bare] {
            ring.scale(part, |_| times);
        }
        relations.push([part, bare]);
    }
    let largest = 16u128 << Mask::of(&session, &a).unwrap().bits();
    let small = |which: usize| {
        let mut sum = relations[0][which].clone();
        ring.add(&mut sum, &relations[1][which]);
        // The four largest primes fit, and have far more bits than the masks need.
        let basis = Basis::new(sum.basis().places().iter().rev().take(4).copied());
        let sum = coefficients(&session, &ring.restrict(&sum, &basis));
        sum.iter().filter(|number| number.unsigned_abs() < largest).count()
    };
    assert_eq!([small(0) < 64, small(1) == ring.degree()], [true; 2]);
    let refreshed = refresh.finish().unwrap();
    assert_eq!(refreshed.level(), session.parameters().fresh_level());
}

/// t − 1 old and t' − 1 new parties together have fewer shares than either session needs, and any
/// combination of an old and a new share is not the secret.
#[test]
fn old_and_new_shares_do_not_combine() {
    let session = session(2);
    let mut old = parties(&session);
    let secret = Party::collective_secret(&old).unwrap();
    let quorum = session.quorum(&["a", "c"]).unwrap();
    let next = session.reshared(&quorum, &[8; 32], &["b", "d", "e"], 2).unwrap();
    let new = |(number, name): (u64, &String)| Party::of_test(&next, name, number).unwrap();
    let mut new: Vec<Party> = (180..).zip(next.names()).map(new).collect();
    for from in [0, 2] {
        for message in old[from].hand_over_messages(&next).unwrap() {
            let to = new.iter_mut().find(|party| party.name() == message.to).unwrap();
            to.receive(NAMES[from], &message.bytes).unwrap();
        }
    }
    let ring = session.parameters().ring();
    let combined = |shares: [(&Party, usize); 2]| {
        let places = shares.map(|(_, place)| place);
        let mut sum = ring.zero(&ring.all(), Form::Values);
        for (party, place) in shares {
            let mut share = party.shares.sum.clone().unwrap();
            ring.scale(&mut share, |modulus| lagrange(modulus, place, &places));
            ring.add(&mut sum, &share);
        }
        sum.limb(0) == secret.values().limb(0)
    };
    assert!(combined([(&old[0], 0), (&old[2], 2)]));
    for places in [[0, 1], [0, 2], [1, 2]] {
        assert!(combined(places.map(|place| (&new[place], place))));
    }
    for (old_place, old) in old.iter().enumerate() {
        for (new_place, new) in new.iter().enumerate().filter(|(place, _)| *place != old_place) {
            assert!(!combined([(old, old_place), (new, new_place)]));
            assert_ne!(
                old.shares.sum.as_ref().unwrap().limb(0),
                new.shares.sum.as_ref().unwrap().limb(0)
            );
        }
    }
    // A retired party has nothing left.
    old[0].retire(&next).unwrap();
    assert!(old[0].secret.is_none() && old[0].shares.sum.is_none());
    assert!(old[0].shares.seeds.iter().flatten().all(|half| *half == [0; 32]));
    assert_eq!(**old[0].seed, [0; 32]);
}
