// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Arithmetic with each rescaling placed by hand, against plain complex numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{zip, Setting};
use halimede_ckks::params::Scale;
use halimede_ckks::{Complex, EvaluationError, EvaluationKeys, Server};

const SLOTS: usize = 512;

#[test]
fn products_keep_their_level_until_they_are_rescaled() {
    let mut setting = Setting::new("n10-insecure", &[]);
    for level in (1..=4).rev() {
        let (a, b) = (setting.pair(SLOTS, level), setting.pair(SLOTS, level));
        let explicit = setting.server.explicit();
        let product = explicit.mul(&a.ciphertext, &b.ciphertext).unwrap();
        assert_eq!(product.level(), level);
        assert!(
            product.scale().deviation(a.ciphertext.scale() * b.ciphertext.scale()).abs() < 1e-15
        );
        let expected = zip(&a.plain, &b.plain, |a, b| a * b);
        setting.check(&product, &expected, "product");
        let rescaled = explicit.rescale(&product).unwrap();
        let own = setting.server.mul(&a.ciphertext, &b.ciphertext).unwrap();
        assert_eq!(rescaled.level(), level - 1);
        assert!(rescaled.scale().deviation(own.scale()).abs() < 1e-15);
        setting.check(&rescaled, &expected, "rescaled product");
        // The server continues with the result.
        let sum = setting.server.add(&rescaled, &own).unwrap();
        setting.check(&sum, &zip(&expected, &expected, |a, b| a + b), "sum with the server's");
    }
}

#[test]
fn sums_of_products_are_relinearized_and_rescaled_once() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let pairs: Vec<_> = (0..5).map(|_| (setting.pair(SLOTS, 3), setting.pair(SLOTS, 3))).collect();
    let ring = setting.server.parameters().ring();
    let explicit = setting.server.explicit();
    let recording = ring.start_recording();
    let mut sum = explicit.mul_degree2(&pairs[0].0.ciphertext, &pairs[0].1.ciphertext).unwrap();
    for (a, b) in &pairs[1..] {
        sum = explicit.mul_add_degree2(sum, &a.ciphertext, &b.ciphertext).unwrap();
    }
    assert_eq!((sum.level(), sum.length()), (3, SLOTS));
    let sum = explicit.rescale(&explicit.relinearize(&sum).unwrap()).unwrap();
    let ours = recording.end().counts();
    let recording = ring.start_recording();
    explicit
        .rescale(&explicit.mul(&pairs[0].0.ciphertext, &pairs[0].1.ciphertext).unwrap())
        .unwrap();
    let single = recording.end().counts();
    assert_eq!(ours.key_products, single.key_products);
    assert_eq!(ours.forward_limbs, single.forward_limbs);
    let zeros = vec![Complex::default(); SLOTS];
    let expected = pairs.iter().fold(zeros, |sum, (a, b)| {
        zip(&sum, &zip(&a.plain, &b.plain, |a, b| a * b), |sum, product| sum + product)
    });
    setting.check(&sum, &expected, "sum of products");
}

#[test]
fn scales_are_the_callers() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let a = setting.pair(SLOTS, 3);
    let b = setting.values(SLOTS);
    let explicit = setting.server.explicit();
    for bits in [20.0, 33.3, 40.0, 55.5] {
        let scale = Scale::exp2(bits);
        let product = explicit.mul_plain(&a.ciphertext, &b, scale).unwrap();
        assert_eq!((product.level(), product.scale()), (3, a.ciphertext.scale() * scale));
        let expected = zip(&a.plain, &b, |a, b| a * b);
        setting.check(&product, &expected, "product with a vector");
        let sum = explicit.add_plain(&product, &b).unwrap();
        let expected = zip(&expected, &b, |product, b| product + b);
        setting.check(&sum, &expected, "sum with a vector");
        // Down to any level, on the same scale.
        for level in 2..=3 {
            let dropped = explicit.drop_to_level(&sum, level).unwrap();
            assert_eq!((dropped.level(), dropped.scale()), (level, sum.scale()));
            setting.check(&dropped, &expected, &format!("dropped to level {level}"));
        }
    }
    for level in 0..=3 {
        let dropped = explicit.drop_to_level(&a.ciphertext, level).unwrap();
        assert_eq!(dropped.level(), level);
        assert!(dropped.scale() == a.ciphertext.scale());
        setting.check(&dropped, &a.plain, &format!("fresh, dropped to level {level}"));
        let double = explicit.add(&dropped, &dropped).unwrap();
        setting.check(&double, &zip(&a.plain, &a.plain, |a, b| a + b), "double");
    }
}

#[test]
fn nothing_is_brought_together_and_errors_say_what_to_do() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let (a, b, short) = (setting.pair(SLOTS, 3), setting.pair(SLOTS, 2), setting.pair(8, 3));
    let values = setting.values(SLOTS);
    let explicit = setting.server.explicit();
    let (a, b) = (&a.ciphertext, &b.ciphertext);
    let levels = EvaluationError::Levels { left: 3, right: 2, lower: 2 };
    assert!(levels.to_string().contains("level 2, or rescale"), "{levels}");
    assert_eq!(explicit.add(a, b).unwrap_err(), levels);
    assert_eq!(explicit.sub(a, b).unwrap_err(), levels);
    assert_eq!(explicit.mul(a, b).unwrap_err(), levels);
    let slots = EvaluationError::Length { left: SLOTS, right: 8 };
    assert_eq!(explicit.add(a, &short.ciphertext).unwrap_err(), slots);
    assert_eq!(explicit.mul(a, &short.ciphertext).unwrap_err(), slots);
    let product = explicit.mul(a, a).unwrap();
    let error = explicit.add(&product, a).unwrap_err();
    assert!(error.to_string().contains("rescale the one that was multiplied"), "{error}");
    let wide = explicit.mul_degree2(a, a).unwrap();
    let error = explicit.mul_add_degree2(wide.clone(), a, &product).err().unwrap();
    assert!(matches!(error, EvaluationError::Scale { .. }), "{error}");
    assert!(matches!(explicit.mul_add_degree2(wide, b, b), Err(EvaluationError::Levels { .. })));
    // Two products at 180 bits fit, three do not; one at the lowest level does not either.
    let square = explicit.mul(&product, a).unwrap();
    let error = explicit.mul(&square, &square).unwrap_err();
    assert!(matches!(error, EvaluationError::Room { level: 3, .. }), "{error}");
    assert!(error.to_string().contains("stay at a higher level"), "{error}");
    let low = explicit.drop_to_level(a, 0).unwrap();
    assert!(matches!(explicit.mul(&low, &low), Err(EvaluationError::Room { level: 0, .. })));
    let error = explicit.mul_plain(&low, &values, Scale::exp2(30.0)).unwrap_err();
    assert!(matches!(error, EvaluationError::Room { .. }), "{error}");
    let error = explicit.drop_to_level(&product, 0).unwrap_err();
    assert!(matches!(error, EvaluationError::Room { level: 0, .. }), "{error}");
    let error = explicit.drop_to_level(a, 4).unwrap_err();
    assert!(matches!(error, EvaluationError::Level { got: 3, needed: 4, .. }), "{error}");
    let error = explicit.rescale(&low).unwrap_err();
    assert!(matches!(error, EvaluationError::Level { got: 0, needed: 1, .. }), "{error}");
    let without = Server::new(EvaluationKeys::new(setting.server.parameters()));
    let error = without.explicit().mul(a, a).unwrap_err();
    assert!(error.to_string().contains("no key to multiply"), "{error}");
}
