// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Shows why the sparse secret of bootstraps must not be too sparse. A secret of weight 1 is one of
//! 2N candidates, and an exhaustive search finds it. The whole secret key follows from it.

use zeroize::Zeroizing;

use super::{Gadget, KeyUse, SecretKey, SwitchingKey};
use crate::client::Client;
use crate::params::{BootstrapShape, Parameters, SecretKind};
use crate::ring::{Modulus, Polynomial};
use crate::sampling::uniform;

/// More than twelve standard deviations of an error.
const LARGEST_ERROR: i64 = 40;

/// Returns a client with a sparse secret of this weight, and the key to that secret.
fn key(weight: usize, number: u64) -> (Client, SwitchingKey) {
    let shape = BootstrapShape { weight, ..BootstrapShape::new(10, 1, 4) };
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    let mut client = Client::of_test(&parameters, number);
    let key = client.evaluation_key(KeyUse::ToSparse, 0);
    (client, key)
}

/// Returns both halves of the key, which are public, converted from Montgomery form: b + a·t = e +
/// P·g·s.
fn halves(key: &SwitchingKey) -> [Polynomial; 2] {
    let ring = key.parameters().ring();
    let b = key.first_halves().next().unwrap().clone();
    let a = uniform(ring, b.basis(), key.seed(), 0);
    [b, a].map(|mut half| {
        ring.scale(&mut half, |modulus| modulus.inverse(modulus.reduce(1 << 32)));
        half
    })
}

fn centered(residue: u32, modulus: Modulus) -> i64 {
    let (residue, q) = (i64::from(residue), i64::from(modulus.value()));
    if residue > q / 2 {
        residue - q
    } else {
        residue
    }
}

/// Searches for a secret ±X^j with which the key's errors are small modulo a prime of P.
fn search(key: &SwitchingKey) -> Option<Vec<i8>> {
    let ring = key.parameters().ring();
    let [b, a] = halves(key).map(|mut half| {
        ring.inverse(&mut half);
        half
    });
    let special = b.basis().len() - 1;
    let modulus = ring.modulus(b.basis().places()[special]);
    let (b, a, degree) = (b.limb(special), a.limb(special), ring.degree());
    let is_it = |shift: usize, is_negative: bool| {
        (0..degree).all(|place| {
            let from = a[(degree + place - shift) % degree];
            let product = if (place < shift) == is_negative { from } else { modulus.neg(from) };
            centered(modulus.add(b[place], product), modulus).abs() <= LARGEST_ERROR
        })
    };
    let all = (0..degree).flat_map(|shift| [(shift, false), (shift, true)]);
    let (shift, is_negative) = all.into_iter().find(|(shift, sign)| is_it(*shift, *sign))?;
    let mut found = vec![0; degree];
    found[shift] = if is_negative { -1 } else { 1 };
    Some(found)
}

/// Computes the main secret from the sparse one: (b + a·t − e)/P modulo a prime of the digit.
fn main_secret(key: &SwitchingKey, sparse: &[i8]) -> Vec<i64> {
    let (parameters, ring) = (key.parameters(), key.parameters().ring());
    let sparse =
        SecretKey::of_coefficients(parameters, key.owner(), Zeroizing::new(sparse.to_vec()));
    let [mut sum, a] = halves(key);
    ring.mul_add(&mut sum, &a, sparse.values());
    ring.inverse(&mut sum);
    let special = Gadget::of_use(parameters, KeyUse::ToSparse).special;
    let [digit, other] = [0, sum.basis().len() - 1];
    let [q, p] = [digit, other].map(|limb| ring.modulus(sum.basis().places()[limb]));
    let inverse = q.inverse(q.product(&ring.moduli(&special)));
    let pairs = sum.limb(digit).iter().zip(sum.limb(other));
    let error = |residue: &u32| q.reduce_signed(centered(*residue, p));
    pairs.map(|(x, e)| centered(q.mul(q.sub(*x, error(e)), inverse), q)).collect()
}

#[test]
fn a_key_under_a_secret_of_weight_1_gives_all_secrets_away() {
    for number in [1, 2, 3] {
        let (client, key) = key(1, number);
        let sparse = search(&key).expect("one of 2N candidates is it");
        let found = main_secret(&key, &sparse);
        let secret: Vec<i64> = client.secret().coefficients().iter().map(|c| (*c).into()).collect();
        assert_eq!(found, secret);
    }
    // Weight 2 has about 2N² candidates, and so on.
    for weight in [2, 32] {
        assert!(search(&key(weight, 4).1).is_none());
    }
}
