// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unusual scales, bounds and lengths: errors, and never a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::Setting;
use halimede_ckks::params::{ChainShape, Scale, SecretKind};
use halimede_ckks::{
    Accuracy, Bound, Ciphertext, Complex, Diagonals, EvaluationError, Expression, FileError,
    LinearTransform, Parameters, Polynomial, Sharing, Sign, Values,
};
use proptest::prelude::*;

/// The places of the parts of a ciphertext's file, after its header.
const LEVEL: usize = 16;
const LENGTH: usize = 18;
const SCALE: usize = 22;
const ERROR: usize = 42;
const BOUND: usize = 58;

/// Returns a long chain of levels: three products of scales fit in the highest.
fn long() -> Parameters {
    let shape = ChainShape { log_degree: 10, base_units: 12, steps: vec![8; 14], digits: 4 };
    Parameters::insecure(shape, SecretKind::Ternary).unwrap()
}

#[test]
fn explicit_products_that_do_not_fit_are_errors_wherever_they_are_dropped_to() {
    let mut setting = Setting::of(&long(), &[1]);
    let top = setting.client.parameters().top();
    let a = setting.pair(16, top);
    let explicit = setting.server.explicit();
    let mut product = a.ciphertext.clone();
    for factors in 2..20 {
        let next = match explicit.mul(&product, &a.ciphertext) {
            Ok(next) => next,
            Err(error) => {
                assert!(matches!(error, EvaluationError::Room { .. }), "{error}");
                assert!(factors > 10, "{factors}");
                break;
            }
        };
        product = next;
        for level in 0..=top + 1 {
            let room = setting.client.parameters().level(level.min(top)).modulus.log2();
            let fits = product.bound().magnitude().log2() + product.scale().log2() + 1.0 <= room;
            match explicit.drop_to_level(&product, level) {
                Ok(dropped) => assert!(fits && dropped.level() == level, "{factors}, {level}"),
                Err(EvaluationError::Level { .. }) => assert!(level > top),
                Err(EvaluationError::Room { .. }) => assert!(!fits, "{factors}, {level}"),
                // A division cannot reach such a scale.
                Err(error) => assert!(matches!(error, EvaluationError::Reach { .. }), "{error}"),
            }
        }
        if factors > 3 {
            // More than 115 bits, the limit for reading coefficients.
            use_everywhere(&setting, &product, 0.25);
            let error = setting.client.decrypt(&product).unwrap_err();
            assert!(matches!(error, EvaluationError::Room { .. }), "{error}");
        }
    }
    // Rescaled before it is decoded, it is correct.
    let cube =
        explicit.mul(&explicit.mul(&a.ciphertext, &a.ciphertext).unwrap(), &a.ciphertext).unwrap();
    let rescaled = explicit.rescale(&explicit.rescale(&cube).unwrap()).unwrap();
    let expected: Vec<Complex> = a.plain.iter().map(|x| *x * *x * *x).collect();
    setting.check_worst(&rescaled, &expected, 1.0, "rescaled twice");
    let lowest = explicit.drop_to_level(&rescaled, 0).unwrap();
    setting.check_worst(&lowest, &expected, 1.0, "dropped");
}

#[test]
fn secure_parameters_refuse_a_product_that_was_never_rescaled() {
    let mut setting = Setting::new("n15", &[]);
    let a = setting.pair(8, setting.client.parameters().top());
    let explicit = setting.server.explicit();
    let mut product = a.ciphertext.clone();
    for _ in 0..3 {
        product = explicit.mul(&product, &a.ciphertext).unwrap();
    }
    let error = explicit.drop_to_level(&product, 0).unwrap_err();
    assert!(matches!(error, EvaluationError::Room { level: 0, .. }), "{error}");
    let error = setting.client.decrypt(&product).unwrap_err();
    assert!(matches!(error, EvaluationError::Room { .. }), "{error}");
}

#[test]
fn extreme_scales_are_errors() {
    let mut setting = Setting::new("n10-insecure", &[1]);
    let (a, b) = (setting.pair(16, 4), setting.pair(16, 2));
    let exponents =
        [0, 1, -1, 10, 29, 59, 61, 100, 127, 200, 1023, 1024, 5000, 1 << 20, i32::MAX / 4];
    let scales: Vec<Scale> = exponents
        .into_iter()
        .flat_map(|exponent| [exponent, -exponent])
        .map(Scale::power_of_two)
        .chain([i32::MAX, i32::MIN, i32::MAX - 50, i32::MIN + 50].map(Scale::power_of_two))
        .chain([1e-300, 1e300, 3.7, f64::MAX].into_iter().filter_map(Scale::new))
        .chain([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e12].map(Scale::exp2))
        .collect();
    let square = Polynomial::monomial(&[0.5, 0.0, 1.0]).unwrap();
    let numbers = [0.0, 1.0, -1e-300, 1e300, f64::MAX, f64::MIN_POSITIVE].map(Complex::from);
    for scale in scales {
        let server = &setting.server;
        let explicit = server.explicit();
        let mut made = Vec::new();
        for level in 0..=4 {
            made.push(server.at_scale(&a.ciphertext, level, scale).ok());
            made.push(server.at_scale(&b.ciphertext, level, scale).ok());
            made.push(server.evaluate_to(&a.ciphertext, &square, level, scale).ok());
        }
        made.push(explicit.mul_plain(&a.ciphertext, &b.plain, scale).ok());
        for number in numbers {
            made.push(server.mul_number_to(&a.ciphertext, number, scale).ok());
        }
        for encrypted in made.into_iter().flatten() {
            use_everywhere(&setting, &encrypted, 0.25);
        }
        let basis = &setting.client.parameters().level(2).basis;
        let _ = setting.client.encoder().encode_in(&b.plain, basis, scale);
    }
}

/// Checks that every operation on a ciphertext is done or refused.
fn use_everywhere(setting: &Setting, a: &Ciphertext, size: f64) {
    let Setting { server, .. } = setting;
    let count = a.length();
    let values: Vec<Complex> =
        (0..count).map(|k| Complex::new(size / (k + 1) as f64, -size / 2.0)).collect();
    let plain = || Values::from(&values).within(size * 2.0);
    let number = Complex::new(size, -size);
    let square = Polynomial::monomial(&[0.25, -1.0, 1.0]).unwrap();
    let cosine = Polynomial::chebyshev(&[0.5, 0.25, 0.125], (-1.0, 1.0)).unwrap();
    let sign = Sign::new(1.0, 0.5, 0.1).unwrap();
    let explicit = server.explicit();
    let scale = server.parameters().level(0).scale;
    let mut results = vec![
        server.add(a, a).ok(),
        server.add(a, &a.clone()).ok(),
        server.sub(a, &a.clone()).ok(),
        server.mul(a, a).ok(),
        server.neg(a).ok(),
        server.add_plain(a, plain()).ok(),
        server.mul_plain(a, plain()).ok(),
        server.add_number(a, number).ok(),
        server.mul_number(a, number).ok(),
        server.mul_integer(a, 3).ok(),
        server.mul_integer(a, i64::MIN).ok(),
        server.mul_by_i(a).ok(),
        server.rescale(a).ok(),
        server.rotate(a, 1).ok(),
        server.rotate(a, i64::MIN).ok(),
        server.conjugate(a).ok(),
        server.sum(a).ok(),
        server.mean(a).ok(),
        server.roll(a, i64::MAX).ok(),
        server.slice(a, 0, 1).ok(),
        server.slice(a, count / 2, count).ok(),
        server.inner_sum(a, 2, 1).ok(),
        server.evaluate(a, &square).ok(),
        server.evaluate(a, &cosine).ok(),
        server.evaluate_function(a, f64::exp, (-1.0, 1.0), Accuracy::Degree(3)).ok(),
        server.inverse(a, (0.5, 2.0), 0.5).ok(),
        server.square_root(a, (0.5, 2.0), 0.1).ok(),
        server.sign(a, &sign).ok(),
        server.relu(a, &sign).ok(),
        server.bootstrap(a).ok(),
        explicit.mul(a, a).ok(),
        explicit.mul_plain(a, plain(), scale).ok(),
        explicit.add(a, a).ok(),
        server.run(&(Expression::input("a") * Expression::input("a") + 0.5), &[("a", a)]).ok(),
    ];
    if a.level() > 0 {
        let diagonals = Diagonals::of_matrix(1, count, &values).unwrap().within(size * 2.0);
        if let Ok(transform) = LinearTransform::new(server.encoder(), &diagonals, a.level()) {
            results.push(server.linear_transform(a, &transform).ok());
        }
    }
    results.extend((0..=a.level()).map(|level| server.at_level(a, level).ok()));
    results.extend((0..=a.level()).map(|level| explicit.drop_to_level(a, level).ok()));
    for encrypted in [Some(a.clone())].into_iter().chain(results).flatten() {
        let _ = encrypted.precision_bits();
        let _ = format!("{encrypted:?}, {}", encrypted.bound());
        match setting.client.decrypt(&encrypted) {
            Ok(values) => assert_eq!(values.len(), encrypted.length()),
            Err(error) => assert!(matches!(error, EvaluationError::Room { .. }), "{error}"),
        }
        let _ = setting.client.precision_for_sharing(&encrypted, &Sharing::new(4, 4));
        let mut file = Vec::new();
        encrypted.save(&mut file, server.parameters()).unwrap();
        let _ = Ciphertext::load(&file[..], server.parameters());
    }
}

/// A ciphertext's file with other bytes, and the checksum that goes with them.
struct Forger {
    setting: Setting,
    /// Fresh ciphertexts and results, of some lengths.
    files: Vec<Vec<u8>>,
    header: usize,
}

impl Forger {
    fn new() -> Self {
        let mut setting = Setting::new("n10-insecure", &[1, 2, 4]);
        let parameters = setting.client.parameters().clone();
        let mut header = Vec::new();
        parameters.save(&mut header).unwrap();
        let mut files = Vec::new();
        for (count, level) in [(8, 4), (5, 2), (1, 0)] {
            let fresh = setting.real_pair(count, level, (0.5, 1.0)).ciphertext;
            let result = setting.server.conjugate(&fresh).unwrap();
            for ciphertext in [fresh, result] {
                let mut file = Vec::new();
                ciphertext.save(&mut file, &parameters).unwrap();
                files.push(file);
            }
        }
        Self { setting, files, header: header.len() }
    }

    fn load(&self, file: &[u8], changes: &[(usize, Vec<u8>)]) -> Result<Ciphertext, FileError> {
        let mut bytes = file.to_vec();
        for (at, change) in changes {
            let at = self.header + at;
            bytes[at..at + change.len()].copy_from_slice(change);
        }
        let content = bytes.len() - 32;
        let checksum = blake3::hash(&bytes[..content]);
        bytes[content..].copy_from_slice(checksum.as_bytes());
        Ciphertext::load(&bytes[..], self.setting.client.parameters())
    }
}

fn scale(value: f64, exponent: i32) -> Vec<u8> {
    [&value.to_le_bytes()[..], &[0; 8], &exponent.to_le_bytes()].concat()
}

fn bound(is_real: u8, low: f64, high: f64) -> Vec<u8> {
    [&[is_real][..], &low.to_le_bytes(), &high.to_le_bytes()].concat()
}

#[test]
fn files_with_numbers_that_nobody_writes_are_refused() {
    let forger = Forger::new();
    let wrong = [
        (LEVEL, 5u16.to_le_bytes().to_vec()),
        (LEVEL, u16::MAX.to_le_bytes().to_vec()),
        (LENGTH, 0u32.to_le_bytes().to_vec()),
        (LENGTH, 513u32.to_le_bytes().to_vec()),
        (LENGTH, u32::MAX.to_le_bytes().to_vec()),
        (SCALE, scale(1.5, 10_000)),
        (SCALE, scale(1.5, -1)),
        (SCALE, scale(1.5, i32::MAX)),
        (SCALE, scale(1.5, i32::MIN)),
        (SCALE, scale(f64::NAN, 40)),
        (ERROR, f64::NAN.to_le_bytes().to_vec()),
        (ERROR, f64::INFINITY.to_le_bytes().to_vec()),
        (ERROR, (-1f64).to_le_bytes().to_vec()),
        (BOUND, bound(0, 0.0, f64::NAN)),
        (BOUND, bound(0, 0.0, f64::INFINITY)),
        (BOUND, bound(0, 0.0, 1e300)),
        (BOUND, bound(1, -1e300, 1e300)),
        (BOUND, bound(1, f64::NAN, f64::NAN)),
        (BOUND, bound(1, 2.0, 1.0)),
        (BOUND, bound(1, f64::NEG_INFINITY, 0.0)),
        (BOUND, bound(7, 0.0, 1.0)),
    ];
    for file in &forger.files {
        assert!(forger.load(file, &[]).is_ok());
        for (at, change) in &wrong {
            let error = forger.load(file, &[(*at, change.clone())]).err();
            let Some(FileError::Malformed { .. }) = error else {
                panic!("{at}, {change:?}: {error:?}")
            };
        }
    }
    // Possible values are accepted unchanged.
    for (at, change) in [
        (SCALE, scale(1.0, 0)),
        (ERROR, f64::MAX.to_le_bytes().to_vec()),
        (ERROR, 0f64.to_le_bytes().to_vec()),
        (BOUND, bound(0, 0.0, 0.0)),
        (BOUND, bound(1, 0.0, 0.0)),
        (BOUND, bound(1, f64::MIN_POSITIVE, f64::MIN_POSITIVE)),
        (LENGTH, 512u32.to_le_bytes().to_vec()),
    ] {
        for file in &forger.files {
            let loaded = forger.load(file, &[(at, change.clone())]).unwrap();
            use_everywhere(&forger.setting, &loaded, 0.5);
        }
    }
}

/// Numbers from the smallest to the largest, infinity and NaN.
fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        3 => (-70i32..70, -1.0..1.0f64).prop_map(|(power, part)| part * f64::from(power).exp2()),
        1 => any::<f64>(),
        1 => prop::sample::select(vec![
            0.0, 1.0, -1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY, f64::NAN,
        ]),
    ]
}

/// Returns a change of a part of the file.
fn change() -> impl Strategy<Value = (usize, Vec<u8>)> {
    prop_oneof![
        (0u16..6).prop_map(|level| (LEVEL, level.to_le_bytes().to_vec())),
        (0u32..520).prop_map(|length| (LENGTH, length.to_le_bytes().to_vec())),
        (1.0..2.0f64, -5i32..270).prop_map(|(value, exponent)| (SCALE, scale(value, exponent))),
        number().prop_map(|error| (ERROR, error.to_le_bytes().to_vec())),
        (0u8..3, number(), number())
            .prop_map(|(is_real, low, high)| (BOUND, bound(is_real, low, high))),
        number().prop_map(|high| (BOUND, bound(0, 0.0, high.abs()))),
        number().prop_map(|high| (BOUND, bound(1, -high.abs(), high.abs()))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn what_is_loaded_can_be_used(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..4),
        size in prop::sample::select(vec![1e-30, 0.25, 1e3, 1e12]),
    ) {
        thread_local!(static FORGER: Forger = Forger::new());
        FORGER.with(|forger| {
            let file = &forger.files[which.index(forger.files.len())];
            if let Ok(loaded) = forger.load(file, &changes) {
                use_everywhere(&forger.setting, &loaded, size);
                // The same for operations with another ciphertext.
                let own = forger.load(file, &[]).unwrap();
                let server = &forger.setting.server;
                let ciphertexts = [server.add(&own, &loaded), server.mul(&loaded, &own)];
                for ciphertexts in ciphertexts.into_iter().flatten() {
                    let _ = forger.setting.client.decrypt(&ciphertexts);
                }
                let _ = server.at_level(&loaded.bounded(Bound::real(0.5)), 0);
            }
        });
    }
}
