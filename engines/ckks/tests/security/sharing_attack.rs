// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rounding reveals the secret key from sixteen decryptions of one ciphertext, and flooding does
//! not (Li, Micciancio, EUROCRYPT 2021).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::encoding::Plaintext;
use halimede_ckks::ring::{Basis, Form};
use halimede_ckks::{
    Ciphertext, Client, Complex, Operations, Parameters, Server, Sharing, SharingError, Values,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of decryptions that the attacker sees.
const QUERIES: u32 = 16;

/// An attacker who knows a ciphertext, its plaintext and decryptions, but not the key.
struct Attacker<'a> {
    parameters: &'a Parameters,
    server: &'a Server,
    ciphertext: &'a Ciphertext,
}

impl Attacker<'_> {
    /// Returns the least power of two that is not below the error.
    fn step(&self) -> f64 {
        self.ciphertext.estimate().error.log2().ceil().exp2()
    }

    /// Returns the plaintext with its error, from decryptions of the sums of the ciphertext and
    /// numbers: values are shifted by sixteenths of the step, and the places where rounded values
    /// change reveal them.
    fn message(&self, mut decrypt: impl FnMut(&Ciphertext) -> Vec<Complex>) -> Plaintext {
        let scale = self.ciphertext.scale().value();
        let unit = (self.step() / f64::from(QUERIES) * scale).round();
        let mut sums = vec![Complex::default(); self.ciphertext.slots()];
        for query in 0..QUERIES {
            let offset = f64::from(query) * unit / scale;
            let offset = Complex::new(offset, offset);
            let moved = self.server.add_number(self.ciphertext, offset).unwrap();
            for (sum, value) in sums.iter_mut().zip(decrypt(&moved)) {
                *sum = *sum + (value - offset);
            }
        }
        let mean = |sum: &Complex| *sum * (1.0 / f64::from(QUERIES));
        let means: Vec<Complex> = sums.iter().map(mean).collect();
        let means = Values::from(&means).within(2.0);
        self.server.encoder().encode(means, self.ciphertext.level()).unwrap()
    }

    /// Returns s = (m + e − c₀)/c₁ modulo a prime for which the division is possible, as
    /// coefficients of least absolute value.
    fn secret(&self, message: &Plaintext) -> Vec<i128> {
        let (ring, [c0, c1]) = (self.parameters.ring(), self.ciphertext.parts());
        let limb = (0..c1.basis().len()).find(|limb| !c1.limb(*limb).contains(&0)).unwrap();
        let basis = Basis::new([c1.basis().places()[limb]]);
        let mut secret = ring.from_limbs(&basis, Form::Values, |modulus, values| {
            let known = message.polynomial().limb(limb).iter().zip(c0.limb(limb));
            for ((value, (m, c0)), c1) in values.iter_mut().zip(known).zip(c1.limb(limb)) {
                *value = modulus.mul(modulus.sub(*m, *c0), modulus.inverse(*c1));
            }
        });
        ring.inverse(&mut secret);
        let places: Vec<usize> = (0..ring.degree()).collect();
        ring.centered(&secret, &places)
    }

    /// Decrypts a ciphertext with a key that was found.
    fn decrypt(&self, secret: &[i128], ciphertext: &Ciphertext) -> Vec<Complex> {
        let (ring, [c0, c1]) = (self.parameters.ring(), ciphertext.parts());
        let secret: Vec<i8> = secret.iter().map(|s| i8::try_from(*s).unwrap()).collect();
        let mut values = ring.from_small(c0.basis(), &secret);
        ring.forward(&mut values);
        let mut message = c0.clone();
        ring.mul_add(&mut message, c1, &values);
        self.server.encoder().decode_polynomial(&message, ciphertext.scale(), ciphertext.slots())
    }

    /// Standard deviation of the difference of two messages' coefficients, which is below 2²⁸.
    fn difference(&self, a: &Plaintext, b: &Plaintext) -> f64 {
        let (ring, [a, b]) = (self.parameters.ring(), [a, b].map(Plaintext::polynomial));
        let mut difference = ring.restrict(a, &Basis::new([a.basis().places()[0]]));
        ring.sub(&mut difference, b);
        ring.inverse(&mut difference);
        let places: Vec<usize> = (0..ring.degree()).collect();
        let numbers = ring.centered(&difference, &places);
        let squares: f64 = numbers.iter().map(|number| (*number as f64).powi(2)).sum();
        (squares / numbers.len() as f64).sqrt()
    }
}

fn random(rng: &mut ChaCha8Rng, count: usize) -> Vec<Complex> {
    (0..count).map(|_| Complex::new(rng.gen_range(-1.0..1.0), rng.gen_range(-1.0..1.0))).collect()
}

/// Decrypts like a client that relied on rounding as a defense.
fn rounded(client: &Client, ciphertext: &Ciphertext, step: f64) -> Vec<Complex> {
    let nearest = |part: f64| (part / step).round() * step;
    let values = client.decrypt(ciphertext).unwrap();
    values.iter().map(|value| Complex::new(nearest(value.re), nearest(value.im))).collect()
}

#[test]
fn rounded_decryptions_give_the_key_away_and_flooded_ones_nothing() {
    let parameters = Parameters::preset("n14").unwrap();
    let mut client = Client::of_test(&parameters, 81);
    let server = client.server(&Operations::default());
    let mut rng = ChaCha8Rng::seed_from_u64(82);
    let [ciphertext, another] = [(); 2].map(|()| random(&mut rng, parameters.slots()));
    let [ciphertext, another] =
        [ciphertext, another].map(|v| client.encrypt(Values::from(&v).within(1.5)).unwrap());
    let attacker = Attacker { parameters: &parameters, server: &server, ciphertext: &ciphertext };

    let message = attacker.message(|moved| rounded(&client, moved, attacker.step()));
    let secret = attacker.secret(&message);
    let is_ternary = secret.iter().all(|coefficient| (-1..=1).contains(coefficient));
    assert!(is_ternary, "rounding kept something back");
    // It is the whole key: it decrypts another ciphertext, to the last bit.
    assert_eq!(attacker.decrypt(&secret, &another), client.decrypt(&another).unwrap());

    for security_bits in [1, 12, 20] {
        // One client each, with the same secret, which may share sixteen times.
        let mut client = Client::of_test(&parameters, 81);
        let sharing = Sharing::new(security_bits, QUERIES);
        let mut left = 0.0;
        let flooded = attacker.message(|moved| {
            let shared = client.decrypt_for_sharing(moved, &sharing).unwrap();
            left = shared.precision_bits;
            shared.values
        });
        // The mean of sixteen has a quarter of the noise; rounding adds a hundredth to its square.
        let coefficient = ciphertext.scale().value() / (parameters.degree() as f64).sqrt();
        let expected = (-left).exp2() * coefficient / 4.0;
        let got = attacker.difference(&flooded, &message);
        println!("{security_bits} bits: {left:.1} bits left, off by {got:.0} of {expected:.0}");
        assert!((0.97..1.03).contains(&(got / expected)), "{got}, not {expected}");
        assert!(got > 500.0, "{got}");
        // The result is arbitrary modulo the prime; a guess from it is right one time in three.
        let found = attacker.secret(&flooded);
        let right = found.iter().zip(&secret).filter(|(a, b)| a == b).count();
        assert!(right < 3, "{right} coefficients");
        let thirds =
            parameters.ring().modulus(ciphertext.parts()[1].basis().places()[0]).value() / 6;
        let guess =
            |number: i128| i128::from(number > thirds.into()) - i128::from(-number > thirds.into());
        let right = found.iter().zip(&secret).filter(|(a, b)| guess(**a) == **b).count();
        let share = right as f64 / secret.len() as f64;
        // Standard deviation 0.0037.
        assert!((share - 1.0 / 3.0).abs() < 0.02, "{share}");
        // A seventeenth decryption is rejected.
        let error = client.decrypt_for_sharing(&ciphertext, &sharing).unwrap_err();
        assert_eq!(error, SharingError::Budget { made: QUERIES, queries: QUERIES });
    }
}
