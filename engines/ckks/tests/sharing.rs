// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decryptions for others: rounded, and with the noise that was asked for.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::{
    Ciphertext, Client, Complex, Operations, Parameters, Server, Sharing, SharingError,
};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Setting {
    client: Client,
    server: Server,
    plain: Vec<Complex>,
    /// At all levels from the highest down.
    powers: Vec<(Vec<Complex>, Ciphertext)>,
}

impl Setting {
    fn new(seed: u64) -> Self {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, seed);
        let operations = Operations { multiply: true, ..Operations::default() };
        let server = client.server(&operations);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut part = || rng.gen_range(-0.7..0.7);
        let plain: Vec<Complex> =
            (0..parameters.slots()).map(|_| Complex::new(part(), part())).collect();
        let mut powers = vec![(plain.clone(), client.encrypt(&plain).unwrap())];
        for _ in 0..2 {
            let (values, sealed) = powers.last().unwrap();
            let square = values.iter().map(|value| *value * *value).collect();
            powers.push((square, server.mul(sealed, sealed).unwrap()));
        }
        Self { client, server, plain, powers }
    }
}

/// Standard deviation of the difference, of a complex number.
fn deviation(a: &[Complex], b: &[Complex]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (*a - *b).abs().powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

/// Whether all parts are multiples of a power of two, and not all of twice that.
fn are_multiples(values: &[Complex], step: f64) -> bool {
    let parts = || values.iter().flat_map(|value| [value.re, value.im]);
    parts().all(|part| (part / step).fract() == 0.0)
        && parts().any(|part| (part / step / 2.0).fract() != 0.0)
}

#[test]
fn what_is_shared_is_rounded_to_what_is_right() {
    let mut setting = Setting::new(61);
    for (plain, sealed) in &setting.powers {
        let shared = setting.client.decrypt_for_sharing(sealed, &Sharing::default()).unwrap();
        let step = 2f64.powi(-(sealed.precision_bits().floor() as i32));
        assert!(are_multiples(&shared, step), "not of {step:e}");
        let is_plain = |part: f64| part != 0.0 || part.is_sign_positive();
        assert!(shared.iter().all(|value| is_plain(value.re) && is_plain(value.im)), "-0");
        let exact = setting.client.decrypt(sealed).unwrap();
        assert!(!are_multiples(&exact, step));
        let worst = shared.iter().zip(&exact).flat_map(|(a, b)| [a.re - b.re, a.im - b.im]);
        assert!(worst.map(f64::abs).fold(0.0, f64::max) <= step / 2.0);
        assert!(deviation(&shared, plain) < 2.0 * step);
    }
}

#[test]
fn noise_has_the_size_that_was_asked_for_and_is_never_the_same() {
    let mut setting = Setting::new(62);
    for (plain, sealed) in &setting.powers {
        for bits in [0.0, 3.5, 10.0, 20.0] {
            let sharing = Sharing { flooding_bits: Some(bits), ..Sharing::default() };
            let [one, two] =
                [(); 2].map(|()| setting.client.decrypt_for_sharing(sealed, &sharing).unwrap());
            assert_ne!(one, two);
            let error = sealed.estimate().error;
            let noise = error * bits.exp2();
            let step = error.hypot(noise).log2().ceil().exp2();
            assert!(are_multiples(&one, step), "{bits} bits");
            // Rounding adds step²/12 a part. What is known of errors is within a factor of them.
            let rounding = step * step / 6.0;
            let expected = (noise * noise + rounding).sqrt();
            let most = (noise * noise + rounding + 4.0 * error * error).sqrt();
            let got = deviation(&one, plain);
            assert!((0.9 * expected..1.1 * most).contains(&got), "{bits}: {got:e}, {expected:e}");
            let between = deviation(&one, &two);
            let ratio = between / (2.0 * (noise * noise + rounding)).sqrt();
            assert!((0.85..1.15).contains(&ratio), "{bits} bits: {ratio}");
        }
    }
}

#[test]
fn a_known_error_counts_where_the_estimate_is_smaller() {
    let mut setting = Setting::new(63);
    let (_, sealed) = setting.powers[0].clone();
    let sharing = Sharing { error_at_least: 0.01, ..Sharing::default() };
    let shared = setting.client.decrypt_for_sharing(&sealed, &sharing).unwrap();
    assert!(are_multiples(&shared, 2f64.powi(-6)));
    // An estimate of nothing, as somebody may write into a file: it is no better than fresh ones.
    let parameters = setting.client.parameters().clone();
    let mut bytes = Vec::new();
    setting.server.neg(&sealed).unwrap().save(&mut bytes, &parameters).unwrap();
    let mut header = Vec::new();
    parameters.save(&mut header).unwrap();
    let mut with_error = |error: f64| {
        bytes[header.len() + 23..][..8].copy_from_slice(&error.to_le_bytes());
        let content = bytes.len() - 32;
        let checksum = blake3::hash(&bytes[..content]);
        bytes[content..].copy_from_slice(checksum.as_bytes());
        Ciphertext::load(&bytes[..], &parameters).unwrap()
    };
    let flattered = with_error(0.0);
    let shared = setting.client.decrypt_for_sharing(&flattered, &Sharing::default()).unwrap();
    let exact = setting.client.decrypt(&flattered).unwrap();
    assert!(deviation(&shared, &exact) > sealed.estimate().error / 8.0);
    let unknown = with_error(f64::INFINITY);
    let error = setting.client.decrypt_for_sharing(&unknown, &Sharing::default()).unwrap_err();
    assert_eq!(error, SharingError::Error { error: f64::INFINITY });
    for wrong in [f64::NAN, f64::INFINITY, -1.0] {
        let sharing = Sharing { error_at_least: wrong, ..Sharing::default() };
        assert!(setting.client.decrypt_for_sharing(&sealed, &sharing).is_err(), "{wrong}");
    }
}

#[test]
fn noise_that_does_not_fit_is_refused() {
    let mut setting = Setting::new(64);
    let lowest = setting.client.encrypt_at(&setting.plain, 0).unwrap();
    let highest = setting.powers[0].1.clone();
    for (sealed, level) in [(&lowest, 0), (&highest, 4)] {
        let mut share = |bits: f64| {
            let sharing = Sharing { flooding_bits: Some(bits), ..Sharing::default() };
            setting.client.decrypt_for_sharing(sealed, &sharing)
        };
        let SharingError::Flooding { most, level: got, .. } = share(1e9).unwrap_err() else {
            panic!("another error")
        };
        assert_eq!(got, level);
        assert!((40.0..61.0).contains(&most), "{most}");
        assert!(share(most - 0.01).is_ok() && share(most + 0.01).is_err());
        for wrong in [f64::NAN, f64::INFINITY, -0.5] {
            assert!(share(wrong).unwrap_err().to_string().contains("flood"), "{wrong}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn vectors_of_any_length(count in 1usize..512, level in 0usize..=4, seed in any::<u64>()) {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let plain: Vec<Complex> = (0..count).map(|_| rng.gen_range(-100.0..100.0).into()).collect();
        let sealed = client.encrypt_at(&plain, level).unwrap();
        let sharing = Sharing { flooding_bits: Some(4.0), ..Sharing::default() };
        let shared = client.decrypt_for_sharing(&sealed, &sharing).unwrap();
        prop_assert_eq!(shared.len(), sealed.slots());
        let worst = shared.iter().zip(&plain).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
        prop_assert!(worst < 200.0 * sealed.estimate().error, "{worst:e}");
    }
}
