// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Measures that parameters requested by depth and precision keep their promise.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use crate::setting::{zip, Pair, Setting};
use halimede_ckks::params::ParametersBuilder;
use halimede_ckks::sampling::Random;
use halimede_ckks::{Ciphertext, Complex, Parameters};
use rand::Rng;

/// Random values of absolute value 1, for which products lose most.
fn on_circle(setting: &mut Setting) -> Vec<Complex> {
    let slots = setting.client.parameters().slots();
    let angles = (0..slots).map(|_| setting.rng.gen_range(0.0..std::f64::consts::TAU));
    angles.map(|angle: f64| Complex::new(angle.cos(), angle.sin())).collect()
}

/// Returns −log₂ of the deviation of a ciphertext's decrypted values.
fn measured_bits(setting: &Setting, ciphertext: &Ciphertext, plain: &[Complex]) -> f64 {
    let values = setting.client.decrypt(ciphertext).unwrap();
    let squares: f64 = values.iter().zip(plain).map(|(a, b)| (*a - *b).abs().powi(2)).sum();
    -0.5 * (squares / plain.len() as f64).log2()
}

/// Returns the deviation after a product on each level, all encrypted by the public key, and the
/// initial ones.
fn after_all_levels(parameters: &Parameters) -> [f64; 3] {
    let mut setting = Setting::of(parameters, &[]);
    let public = setting.client.public_key();
    let mut random = Random::of_test(14);
    let mut encrypt = |setting: &mut Setting, level: usize| {
        let plain = on_circle(setting);
        let encoder = setting.client.encoder();
        let ciphertext = public.encrypt_at(encoder, &plain, level, &mut random).unwrap();
        Pair { plain, ciphertext }
    };
    let plain = on_circle(&mut setting);
    let fresh = setting.client.encrypt(&plain).unwrap();
    let fresh_bits = measured_bits(&setting, &fresh, &plain);
    let mut running = encrypt(&mut setting, parameters.top());
    let public_bits = measured_bits(&setting, &running.ciphertext, &running.plain);
    for level in (1..=parameters.top()).rev() {
        let other = encrypt(&mut setting, level);
        let ciphertext = setting.server.mul(&running.ciphertext, &other.ciphertext).unwrap();
        running = Pair { plain: zip(&running.plain, &other.plain, |a, b| a * b), ciphertext };
        setting.check(&running.ciphertext, &running.plain, "product");
    }
    assert_eq!(running.ciphertext.level(), 0);
    [fresh_bits, public_bits, measured_bits(&setting, &running.ciphertext, &running.plain)]
}

#[test]
fn what_was_asked_for_is_measured() {
    for (log_degree, depth, precision) in
        [(10, 0, 12.0), (10, 9, 30.0), (11, 4, 18.0), (12, 1, 3.0), (13, 7, 25.5), (11, 3, 37.0)]
    {
        let builder = ParametersBuilder::new().depth(depth).precision_bits(precision);
        let parameters = builder.build_insecure(log_degree).unwrap();
        let what = format!("N = 2^{log_degree}, {depth} levels, {precision} bits");
        let [fresh, public, product] = after_all_levels(&parameters);
        let expected = parameters.expected_precision();
        // All slots' errors have one deviation: thousands of them are within a few per cent of it.
        assert!((fresh - expected.fresh_bits).abs() < 0.3, "{what}: {fresh}, {expected:?}");
        assert!((public - expected.public_bits).abs() < 0.3, "{what}: {public}, {expected:?}");
        assert!((product - expected.product_bits).abs() < 0.3, "{what}: {product}, {expected:?}");
        assert!(product >= precision - 0.3, "{what}: {product}");
    }
}

#[test]
fn what_is_secure_is_so_and_holds_it() {
    // The smallest ring that the table admits at all, and one for a few levels.
    for (slots, depth, precision, log_degree) in [(1, 1, 8.0, 12), (3000, 2, 13.0, 13)] {
        let builder = ParametersBuilder::new().slots(slots).depth(depth).precision_bits(precision);
        let parameters = builder.build().unwrap();
        let text = parameters.to_string();
        assert!(parameters.is_secure() && parameters.degree() == 1 << log_degree, "{text}");
        let [_, _, product] = after_all_levels(&parameters);
        assert!(product >= precision - 0.3, "{product} of {precision}");
        let bits = parameters.expected_precision().product_bits;
        assert!(text.contains(&format!("{bits:.1} after {depth}")), "{text}");
    }
}

#[test]
fn levels_of_all_sizes_are_brought_together() {
    let mut sizes = BTreeSet::new();
    for precision in (4..=42).step_by(2).chain([43]) {
        let builder = ParametersBuilder::new().depth(3).precision_bits(precision.into());
        let parameters = builder.build_insecure(13).unwrap();
        let bits = parameters.level(1).scale.log2().round() as u32;
        if !sizes.insert(bits) {
            continue;
        }
        let mut setting = Setting::of(&parameters, &[]);
        let x = setting.pair(4096, 3);
        for level in 0..3 {
            let what = format!("{bits} bits, 3 to {level}");
            let lower = setting.server.at_level(&x.ciphertext, level).unwrap();
            setting.check(&lower, &x.plain, &what);
            let y = setting.pair(4096, level);
            let sum = setting.server.add(&x.ciphertext, &y.ciphertext).unwrap();
            setting.check(&sum, &zip(&x.plain, &y.plain, |a, b| a + b), &what);
            // Again, from one level above.
            let next = setting.server.at_level(&y.ciphertext, level.saturating_sub(1)).unwrap();
            setting.check(&next, &y.plain, &what);
        }
    }
    assert_eq!(sizes, BTreeSet::from([25, 30, 35, 40, 45, 50, 55, 60]));
}
