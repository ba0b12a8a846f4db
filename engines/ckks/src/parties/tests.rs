// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The errors of collective keys, computed with the secret that no party knows.

use super::{KeyCollector, Party, Session};
use crate::keys::{inverse_exponent, Gadget, KeyUse, SecretKey, SwitchingKey};
use crate::operations::Operations;
use crate::params::Parameters;
use crate::ring::{Basis, Polynomial};

const NAMES: [&str; 16] =
    ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"];

/// Lets the parties make keys.
fn keys(count: usize, operations: &Operations) -> (Session, Vec<Party>, KeyCollector) {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let session = Session::new(&parameters, &[count as u8; 32], &NAMES[..count]).unwrap();
    let party = |(number, name): (u64, &&str)| Party::of_test(&session, name, number).unwrap();
    let mut parties: Vec<Party> = (40..).zip(&NAMES[..count]).map(party).collect();
    let mut collector = KeyCollector::new(&session, operations).unwrap();
    let messages: Vec<Vec<Vec<u8>>> =
        parties.iter_mut().map(|party| party.key_messages(operations).unwrap()).collect();
    for (from, messages) in messages.iter().enumerate() {
        for message in messages {
            if collector.receive(NAMES[from], message).is_ok() {
                continue;
            }
            for (to, party) in parties.iter_mut().enumerate().filter(|(to, _)| *to != from) {
                if let Some(reply) = party.receive(NAMES[from], message).unwrap() {
                    collector.receive(NAMES[to], &reply).unwrap();
                }
            }
        }
    }
    assert!(collector.is_complete());
    (session, parties, collector)
}

/// The standard deviation of the coefficients of a polynomial of values. Its coefficients are small
/// modulo the last prime.
fn deviation(parameters: &Parameters, polynomial: &Polynomial) -> f64 {
    let ring = parameters.ring();
    let last = polynomial.basis().places().last().copied();
    let coefficients = ring.coefficients(polynomial, &Basis::new(last));
    let places: Vec<usize> = (0..ring.degree()).collect();
    let squares = ring.centered(&coefficients, &places).into_iter().map(|e| (e as f64).powi(2));
    (squares.sum::<f64>() / ring.degree() as f64).sqrt()
}

/// The standard deviations of the errors of a key's digits: b + a·s' − 2³²·P·g·s, over 2³².
fn errors(key: &SwitchingKey, of: KeyUse, from: &Polynomial, to: &Polynomial) -> Vec<f64> {
    let parameters = key.parameters();
    let (ring, gadget) = (parameters.ring(), Gadget::of_use(parameters, of));
    let special = ring.moduli(&gadget.special);
    let polynomials: Vec<&Polynomial> = key.named(of).map(|(_, polynomial)| polynomial).collect();
    let digits = polynomials.chunks_exact(2).zip(&gadget.digits);
    let of_digit = |(pair, digit): (&[&Polynomial], &Basis)| {
        let mut error = pair[0].clone();
        ring.mul_add(&mut error, pair[1], to);
        let mut message = ring.restrict(from, &digit.common(error.basis()));
        ring.scale(&mut message, |modulus| modulus.reduce(1 << 32));
        ring.scale(&mut message, |modulus| modulus.product(&special));
        ring.neg(&mut message);
        ring.add_part(&mut error, &message);
        ring.scale(&mut error, |modulus| modulus.inverse(modulus.reduce(1 << 32)));
        deviation(parameters, &error)
    };
    digits.filter(|(pair, _)| !pair[0].basis().is_empty()).map(of_digit).collect()
}

/// The estimates take exactly these deviations.
#[test]
fn errors_of_collective_keys_are_sums() {
    let operations = Operations {
        multiply: true,
        conjugate: true,
        rotations: vec![1, -3],
        low_rotations: vec![2],
        ..Operations::default()
    };
    for count in [2, 3, 5, 16] {
        let (session, parties, collector) = keys(count, &operations);
        let secret: SecretKey = Party::collective_secret(&parties).unwrap();
        let parameters = session.parameters();
        let (ring, s) = (parameters.ring(), secret.values());
        let (parties, degree) = (count as f64, parameters.degree() as f64);
        let mut square = s.clone();
        ring.mul(&mut square, s);
        let public = collector.public_key().unwrap();
        let mut error = public.halves().0.clone();
        ring.mul_add(&mut error, public.halves().1, s);
        let linear = 3.2 * parties.sqrt();
        let is_near = |got: f64, wanted: f64, what: &str| {
            assert!((0.9..1.1).contains(&(got / wanted)), "{count}, {what}: {got} {wanted}");
        };
        is_near(deviation(parameters, &error), linear, "public");
        let keys = collector.evaluation_keys().unwrap();
        for (of, key) in keys.iter() {
            let (found, wanted) = match of {
                KeyUse::Multiply => {
                    let weight = parties * degree * 2.0 / 3.0;
                    (errors(key, of, &square, s), linear * (2.0 * weight + 1.0).sqrt())
                }
                KeyUse::Automorphism(exponent) | KeyUse::LowAutomorphism(exponent) => {
                    let inverse = inverse_exponent(exponent, ring.log_degree());
                    (errors(key, of, s, &ring.automorphism(s, inverse)), linear)
                }
                _ => unreachable!("not a key of parties"),
            };
            assert!(!found.is_empty());
            found.iter().for_each(|got| is_near(*got, wanted, &of.to_string()));
        }
        assert_eq!(keys.iter().count(), 5);
    }
}
