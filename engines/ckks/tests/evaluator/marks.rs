// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The marking of secret polynomials: results of secret ones are marked, but ciphertexts and keys
//! are not.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::Setting;
use halimede_arith::EngineBackend;
use halimede_ckks::ring::{
    primes_below, Basis, Conversion, Finish, Form, LaneBackend, Polynomial, Ring,
};
use halimede_ckks::sampling::{uniform, Random};
use halimede_ckks::{Ciphertext, Client, Complex, Operations, Parameters};

fn ring() -> Ring {
    let primes: Vec<u32> = primes_below(1 << 30, 7).take(5).collect();
    Ring::new(6, &primes, LaneBackend::active()).unwrap()
}

/// One polynomial of random values that is marked, or not.
fn values(ring: &Ring, number: u8, is_secret: bool) -> Polynomial {
    let mut values = uniform(ring, &ring.all(), &[number; 32], 0);
    if is_secret {
        values.mark_secret();
    }
    assert_eq!(values.is_secret(), is_secret);
    values
}

#[test]
fn what_is_computed_from_secrets_is_secret() {
    let ring = ring();
    let some = Basis::new([0, 2]);
    // Each subset of three polynomials is secret: bit 0 marks a and everything computed from it,
    // and so on.
    for secrets in 0..8u8 {
        let [a, b, c] = [0, 1, 2].map(|index| values(&ring, index, secrets >> index & 1 == 1));
        let of = |mask: u8| secrets & mask != 0;
        let in_place = |work: &dyn Fn(&mut Polynomial)| {
            let mut changed = a.clone();
            work(&mut changed);
            assert_eq!(a.is_secret(), of(1), "the copy that was not changed");
            changed.is_secret()
        };
        assert_eq!(in_place(&|a| ring.inverse(a)), of(1));
        assert_eq!(in_place(&|a| ring.neg(a)), of(1));
        assert_eq!(in_place(&|a| ring.scale(a, |_| 3)), of(1));
        assert_eq!(in_place(&|a| ring.add_number(a, |_| [1, 2])), of(1));
        assert_eq!(in_place(&|a| a.limb_mut(1)[3] = 5), of(1));
        assert_eq!(in_place(&|a| ring.add(a, &b)), of(3));
        assert_eq!(in_place(&|a| ring.sub(a, &b)), of(3));
        assert_eq!(in_place(&|a| ring.mul(a, &b)), of(3));
        assert_eq!(in_place(&|a| ring.add_part(a, &ring.restrict(&b, &some))), of(3));
        assert_eq!(in_place(&|a| ring.mul_add(a, &b, &c)), of(7));
        assert_eq!(ring.restrict(&a, &some).is_secret(), of(1));
        assert_eq!(ring.automorphism(&a, 5).is_secret(), of(1));
        assert_eq!(ring.coefficients(&a, &some).is_secret(), of(1));
        assert_eq!(ring.combine(&some, &[&a, &b], |_, _| [2, 3]).is_secret(), of(3));
        assert_eq!(ring.divide(&a, &some, &Basis::new([])).is_secret(), of(1));
        let coefficients = ring.coefficients(&a, &some);
        let to = Basis::new([1, 3]);
        let by = Conversion::new(&ring.moduli(&some), &ring.moduli(&to), |_| 1, |_| 1);
        assert_eq!(ring.convert(&coefficients, &by, &to).is_secret(), of(1));
    }
}

#[test]
fn what_is_switched_and_summed_up_from_secrets_is_secret() {
    let ring = ring();
    let (some, parts) = (Basis::new([0, 1]), [Basis::new([0]), Basis::new([1])]);
    for secrets in 0..16u8 {
        let [a, b, c, d] =
            [0, 1, 2, 3].map(|index| values(&ring, index, secrets >> index & 1 == 1));
        let of = |mask: u8| secrets & mask != 0;
        let are_secret = |all: &[Polynomial; 2]| [all[0].is_secret(), all[1].is_secret()];
        for exponent in [1, 5] {
            let finish = Finish { added: [Some(&d), None], exponent };
            let x = ring.restrict(&a, &some);
            let key = [[&b, &c], [&b, &c]];
            let sums = ring.extend_and_multiply(&x, &parts, &key, &ring.all(), &finish);
            assert_eq!(are_secret(&sums), [of(0b1011), of(0b0101)], "{secrets:04b}");
            let digits = ring.extend(&x, &parts, &ring.all());
            assert_eq!([digits[0].is_secret(), digits[1].is_secret()], [of(1); 2]);
            let digits: Vec<&Polynomial> = digits.iter().collect();
            let sums = ring.inner_products(&ring.all(), &digits, &[(key.to_vec(), finish)]);
            assert_eq!(are_secret(&sums[0]), [of(0b1011), of(0b0101)]);
            let quotients = ring.divide_all([&a, &b], &some, &Basis::new([]), &finish);
            assert_eq!(are_secret(&quotients), [of(0b1001), of(0b0010)]);
        }
        let repeated = ring.repeated(c.clone(), 1);
        assert_eq!(repeated.values().is_secret(), of(0b0100));
        let sums = ring.sums_of_products(&some, &[vec![([&a, &b], &repeated)]]);
        assert_eq!(are_secret(&sums[0]), [of(0b0111); 2]);
    }
}

#[test]
fn marks_are_of_all_copies_and_are_taken_off_one() {
    let ring = ring();
    let mut a = values(&ring, 7, false);
    let mut copy = a.clone();
    a.mark_secret();
    assert!(copy.is_secret(), "the residues are the same");
    copy.declassify();
    assert!(a.is_secret() && !copy.is_secret());
    assert!(a.limbs().eq(copy.limbs()));
    assert!(ring.from_small(&ring.all(), &[1; 64]).is_secret());
    assert!(ring.from_coefficients(&ring.all(), &[1; 64], 3).is_secret());
    assert!(!ring.zero(&ring.all(), Form::Values).is_secret());
}

fn assert_public(ciphertext: &Ciphertext, what: &str) {
    assert!(ciphertext.parts().iter().all(|part| !part.is_secret()), "{what}");
}

#[test]
fn ciphertexts_and_keys_are_public() {
    let Setting { mut client, server, .. } = Setting::new("n10-insecure", &[1, 2]);
    let values: Vec<Complex> = (0..64).map(|i| Complex::new(f64::from(i) / 80.0, 0.5)).collect();
    let a = client.encrypt(&values).unwrap();
    assert_public(&a, "a ciphertext");
    // Decrypting it marks no other copy.
    client.decrypt(&a).unwrap();
    assert_public(&a, "a decrypted ciphertext");
    let (public, mut random) = (client.public_key(), Random::of_test(3));
    let b = public.encrypt_at(client.encoder(), &values, a.level(), &mut random).unwrap();
    assert_public(&b, "a ciphertext by the public key");
    // A marked key would mark the results of its switches.
    assert_public(&server.mul(&a, &b).unwrap(), "a product");
    assert_public(&server.rotate(&a, 1).unwrap(), "a rotation");
    assert_public(&server.rotate_many(&a, &[1, 2]).unwrap()[1], "one of several rotations");
    assert_public(&server.conjugate(&a).unwrap(), "a conjugate");
    assert_public(&server.mul_plain(&a, &values).unwrap(), "a product with values");
    let plaintext = client.encoder().encode(&values, 1).unwrap();
    assert!(!plaintext.polynomial().is_secret(), "an encoding");
}

#[test]
fn bootstraps_are_public() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 5);
    let server = client.server(&Operations { bootstrap: true, ..Operations::default() });
    let a = client.encrypt_at(&[Complex::new(0.5, -0.25); 64], 0).unwrap();
    assert_public(&server.bootstrap(&a).unwrap(), "a bootstrap");
}
