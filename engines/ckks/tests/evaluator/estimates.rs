// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operations on ciphertexts against the same on plain complex numbers, within the estimate.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{zip, Pair, Setting};
use halimede_ckks::{Complex, EvaluationError, Server};
use rand::Rng;

#[test]
fn what_is_encrypted_is_decrypted() {
    for preset in ["n10-insecure", "n13-insecure"] {
        let mut setting = Setting::new(preset, &[]);
        let public = setting.client.public_key();
        let mut random = halimede_ckks::sampling::Random::of_test(13);
        for count in [1, 8, setting.client.parameters().slots()] {
            for level in [0, 1, setting.client.parameters().top()] {
                let pair = setting.pair(count, level);
                assert_eq!((pair.ciphertext.level(), pair.ciphertext.slots()), (level, count));
                setting.check(&pair.ciphertext, &pair.plain, "secret");
                let encoder = setting.client.encoder();
                let ciphertext =
                    public.encrypt_at(encoder, &pair.plain, level, &mut random).unwrap();
                setting.check(&ciphertext, &pair.plain, "public");
            }
        }
    }
}

#[test]
fn sums_and_differences() {
    let mut setting = Setting::new("n10-insecure", &[]);
    for (left, right) in [(3, 3), (4, 2), (0, 4), (1, 0)] {
        let (a, b) = (setting.pair(64, left), setting.pair(64, right));
        let server = &setting.server;
        let sum = server.add(&a.ciphertext, &b.ciphertext).unwrap();
        assert_eq!(sum.level(), left.min(right));
        setting.check(&sum, &zip(&a.plain, &b.plain, |a, b| a + b), "sum");
        let difference = server.sub(&a.ciphertext, &b.ciphertext).unwrap();
        setting.check(&difference, &zip(&a.plain, &b.plain, |a, b| a - b), "difference");
        let negative = server.neg(&a.ciphertext).unwrap();
        setting.check(&negative, &zip(&a.plain, &a.plain, |a, _| -a), "negative");
        let with_plain = server.add_plain(&a.ciphertext, &b.plain).unwrap();
        setting.check(&with_plain, &zip(&a.plain, &b.plain, |a, b| a + b), "sum with plain");
        let number = Complex::new(0.5, -2.25);
        let with_number = server.add_plain(&a.ciphertext, &[number]).unwrap();
        setting.check(&with_number, &zip(&a.plain, &a.plain, |a, _| a + number), "with number");
    }
}

#[test]
fn products_down_to_the_lowest_level() {
    for preset in ["n10-insecure", "n13-insecure"] {
        let mut setting = Setting::new(preset, &[]);
        let top = setting.client.parameters().top();
        let slots = setting.client.parameters().slots();
        let mut running = setting.pair(slots, top);
        for level in (0..top).rev() {
            let other = setting.pair(slots, setting.rng.clone().gen_range(level + 1..=top));
            let server = &setting.server;
            let ciphertext = server.mul(&running.ciphertext, &other.ciphertext).unwrap();
            let plain = zip(&running.plain, &other.plain, |a, b| a * b);
            assert_eq!(ciphertext.level(), level);
            let scale = setting.client.parameters().level(level).scale;
            assert!(ciphertext.scale().deviation(scale).abs() < 1e-9, "on the level's scale");
            setting.check(&ciphertext, &plain, "product");
            running = Pair { plain, ciphertext };
        }
        let error = setting.server.mul(&running.ciphertext, &running.ciphertext).unwrap_err();
        assert!(matches!(error, EvaluationError::Level { got: 0, needed: 1, .. }), "{error}");
    }
}

#[test]
fn products_with_plain_vectors_and_numbers() {
    let mut setting = Setting::new("n10-insecure", &[]);
    for level in 1..=4 {
        let a = setting.pair(512, level);
        let b = setting.values(512);
        let product = setting.server.mul_plain(&a.ciphertext, &b).unwrap();
        setting.check(&product, &zip(&a.plain, &b, |a, b| a * b), "product with plain");
        let number = Complex::new(-3.0, 0.125);
        let product = setting.server.mul_plain(&a.ciphertext, &[number]).unwrap();
        setting.check(&product, &zip(&a.plain, &b, |a, _| a * number), "product with number");
    }
}

#[test]
fn rotations_and_conjugates() {
    let steps = [1, -1, 5, 100, 0];
    let mut setting = Setting::new("n10-insecure", &steps);
    for (count, level) in [(512, 4), (512, 0), (128, 2), (1, 1)] {
        let a = setting.pair(count, level);
        let all = setting.server.rotate_many(&a.ciphertext, &steps).unwrap();
        for (ciphertext, steps) in all.iter().zip(steps) {
            let mut expected = a.plain.clone();
            expected.rotate_left(steps.rem_euclid(count as i64) as usize);
            setting.check(ciphertext, &expected, &format!("rotation by {steps} of {count}"));
            let single = setting.server.rotate(&a.ciphertext, steps).unwrap();
            let [singly, together] = [single.parts(), ciphertext.parts()];
            let is_same = (0..2).all(|part| singly[part].limbs().eq(together[part].limbs()));
            assert!(is_same, "rotation by {steps}");
        }
        let conjugate = setting.server.conjugate(&a.ciphertext).unwrap();
        let expected = zip(&a.plain, &a.plain, |a, _| a.conjugate());
        setting.check(&conjugate, &expected, "conjugate");
    }
}

#[test]
fn a_short_vector_is_turned_by_any_key_that_does_the_same() {
    // To the left by 3 with keys for −5 and 3 of 8 slots, and by a key beyond their number.
    for (key, turns) in [(3i64, [3i64, -5, 11]), (-5, [3, -5, -13]), (19, [19, 19, 19])] {
        let mut setting = Setting::new("n10-insecure", &[key]);
        let a = setting.pair(8, 2);
        for by in turns {
            let mut expected = a.plain.clone();
            expected.rotate_left(by.rem_euclid(8) as usize);
            let turned = setting.server.rotate(&a.ciphertext, by).unwrap();
            setting.check(&turned, &expected, &format!("by {by} with the key for {key}"));
        }
        let error = setting.server.rotate(&a.ciphertext, 4).unwrap_err();
        assert!(error.to_string().contains("no key to rotate by 4"), "{error}");
        let full = setting.pair(512, 2);
        assert!(setting.server.rotate(&full.ciphertext, key + 8).is_err());
    }
}

#[test]
fn what_cannot_be_done_says_why() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let (a, b) = (setting.pair(64, 2), setting.pair(32, 2));
    let server = &setting.server;
    let error = server.add(&a.ciphertext, &b.ciphertext).unwrap_err();
    assert_eq!(error, EvaluationError::Length { left: 64, right: 32 });
    let error = server.add_plain(&a.ciphertext, &b.plain).unwrap_err();
    assert_eq!(error, EvaluationError::Length { left: 64, right: 32 });
    let error = server.rotate(&a.ciphertext, 7).unwrap_err();
    assert!(error.to_string().contains("no key to rotate by 7"), "{error}");
    let error = server.at_level(&a.ciphertext, 3).unwrap_err();
    assert!(matches!(error, EvaluationError::Level { got: 2, needed: 3, .. }), "{error}");
    let error = server.mul_plain(&a.ciphertext, &[Complex::new(f64::NAN, 0.0)]).unwrap_err();
    assert!(matches!(error, EvaluationError::Encoding(_)), "{error}");
    let without = Server::new(halimede_ckks::EvaluationKeys::new(server.parameters()));
    let error = without.mul(&a.ciphertext, &a.ciphertext).unwrap_err();
    assert!(error.to_string().contains("no key to multiply"), "{error}");
}

#[test]
fn numbers_are_exact_on_any_scale() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let numbers = [(-3.0, 0.125), (0.0, 1.0), (1e-7, -1e-9), (0.3, -0.7), (123_456.0, 0.0)];
    for (level, (re, im)) in (1..=4).cycle().zip(numbers) {
        let (a, number) = (setting.pair(512, level), Complex::new(re, im));
        let server = &setting.server;
        let expected = zip(&a.plain, &a.plain, |a, _| a * number);
        let product = server.mul_number(&a.ciphertext, number).unwrap();
        let below = setting.client.parameters().level(level - 1).scale;
        assert!(product.level() == level - 1 && product.scale().deviation(below).abs() < 1e-9);
        setting.check(&product, &expected, "product with a number");
        let scale = halimede_ckks::params::Scale::exp2(31.37);
        let product = server.mul_number_to(&a.ciphertext, number, scale).unwrap();
        assert!(product.scale().deviation(scale).abs() < 1e-9);
        setting.check(&product, &expected, "product on a scale");
        let sum = server.add_number(&a.ciphertext, number).unwrap();
        let expected = zip(&a.plain, &a.plain, |a, _| a + number);
        setting.check(&sum, &expected, "sum with a number");
        let integer = setting.rng.gen_range(-9..0);
        let product = setting.server.mul_integer(&a.ciphertext, integer).unwrap();
        let expected = zip(&a.plain, &a.plain, |a, _| a * integer as f64);
        setting.check(&product, &expected, "product with an integer");
    }
    let a = setting.pair(512, 1);
    let server = &setting.server;
    for number in [Complex::new(f64::INFINITY, 0.0), Complex::new(0.0, f64::NAN)] {
        let error = server.mul_number(&a.ciphertext, number).unwrap_err();
        assert!(matches!(error, EvaluationError::Encoding(_)), "{error}");
        assert!(server.add_number(&a.ciphertext, number).is_err());
    }
    let error = server.add_number(&a.ciphertext, Complex::from(1e300)).unwrap_err();
    assert!(error.to_string().contains("a smaller scale or a higher level"), "{error}");
    let lowest = server.at_level(&a.ciphertext, 0).unwrap();
    let error = server.mul_number(&lowest, Complex::from(2.0)).unwrap_err();
    assert!(matches!(error, EvaluationError::Level { got: 0, needed: 1, .. }), "{error}");
}

#[test]
fn a_scale_can_be_chosen_with_a_lower_level() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let a = setting.pair(512, 4);
    for (level, bits) in [(3, 35.5), (2, 45.25), (0, 30.0)] {
        let scale = halimede_ckks::params::Scale::exp2(bits);
        let ciphertext = setting.server.at_scale(&a.ciphertext, level, scale).unwrap();
        assert!(ciphertext.level() == level && ciphertext.scale() == scale);
        setting.check(&ciphertext, &a.plain, "at a scale");
    }
    let scale = halimede_ckks::params::Scale::exp2(38.0);
    let error = setting.server.at_scale(&a.ciphertext, 4, scale).unwrap_err();
    assert!(matches!(error, EvaluationError::Scale { .. }), "{error}");
}
