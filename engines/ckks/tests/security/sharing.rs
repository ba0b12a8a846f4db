// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Decryptions for others: the noise of a statement, the remaining precision, and rejected
//! statements.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use halimede_ckks::{
    Alternatives, Ciphertext, Client, Complex, Operations, Parameters, Shared, Sharing,
    SharingError, Values,
};
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

struct Setting {
    client: Client,
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
            let (values, ciphertext) = powers.last().unwrap();
            let square = values.iter().map(|value| *value * *value).collect();
            powers.push((square, server.mul(ciphertext, ciphertext).unwrap()));
        }
        Self { client, plain, powers }
    }
}

/// Returns the standard deviation of the difference of complex numbers.
fn deviation(a: &[Complex], b: &[Complex]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (*a - *b).abs().powi(2));
    (squares.sum::<f64>() / a.len() as f64).sqrt()
}

/// Returns `true` if all parts are multiples of a power of two, and not all of twice that.
fn are_multiples(values: &[Complex], step: f64) -> bool {
    let parts = || values.iter().flat_map(|value| [value.re, value.im]);
    parts().all(|part| (part / step).fract() == 0.0)
        && parts().any(|part| (part / step / 2.0).fract() != 0.0)
}

fn noise_of(shared: &Shared) -> f64 {
    (-shared.precision_bits).exp2()
}

#[test]
fn noise_has_the_stated_deviation_and_is_never_the_same() {
    for (seed, security_bits, queries) in [(61, 1, 2), (62, 8, 3), (63, 13, 1000)] {
        let sharing = Sharing::new(security_bits, queries);
        for power in 0..3 {
            // One client each, which may share twice.
            let mut setting = Setting::new(seed);
            let (plain, ciphertext) = &setting.powers[power];
            let [one, two] =
                [(); 2].map(|()| setting.client.decrypt_for_sharing(ciphertext, &sharing).unwrap());
            assert_ne!(one.values, two.values);
            let bits =
                f64::from(security_bits) / 2.0 + (12.0 * f64::from(queries) * 1024.0).log2() / 2.0;
            assert!((one.flooding_bits - bits).abs() < 1e-9, "{}", one.flooding_bits);
            // All slots are used, and the estimate counts with half a bit more.
            let left = ciphertext.precision_bits() - 0.5 - bits;
            assert!((one.precision_bits - left).abs() < 0.01, "{} {left}", one.precision_bits);
            let planned = setting.client.precision_for_sharing(ciphertext, &sharing).unwrap();
            assert_eq!(planned, one.precision_bits);
            // 1,024 numbers have a deviation within 2 % of the distribution's, one time in three.
            let ratio = deviation(&one.values, plain) / noise_of(&one);
            assert!((0.9..1.1).contains(&ratio), "{security_bits}, {queries}: {ratio}");
            let between = deviation(&one.values, &two.values) / noise_of(&one) / 2f64.sqrt();
            assert!((0.9..1.1).contains(&between), "{security_bits}, {queries}: {between}");
        }
    }
}

#[test]
fn values_are_rounded_well_below_their_noise() {
    let mut setting = Setting::new(64);
    let sharing = Sharing::new(5, 100);
    for (_, ciphertext) in &setting.powers {
        let shared = setting.client.decrypt_for_sharing(ciphertext, &sharing).unwrap();
        let step = (noise_of(&shared) / 4.0).log2().floor().exp2();
        assert!(are_multiples(&shared.values, step), "not of {step:e}");
        let is_plain = |part: f64| part != 0.0 || part.is_sign_positive();
        assert!(shared.values.iter().all(|value| is_plain(value.re) && is_plain(value.im)), "-0");
        let exact = setting.client.decrypt(ciphertext).unwrap();
        assert!(!are_multiples(&exact, step));
    }
}

/// A value of few slots depends on few coefficients: the noise of the others is not read.
#[test]
fn few_slots_have_less_noise() {
    const QUERIES: u32 = 200;
    for slots in [1usize, 8] {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, 66);
        let plain: Vec<Complex> = (0..slots).map(|i| Complex::new(0.2, i as f64)).collect();
        let ciphertext = client.encrypt(Values::from(&plain).within(8.0)).unwrap();
        let sharing = Sharing::new(10, QUERIES);
        let mut share = || client.decrypt_for_sharing(&ciphertext, &sharing).unwrap();
        let all: Vec<Shared> = (0..QUERIES).map(|_| share()).collect();
        let squares: f64 = all.iter().map(|one| deviation(&one.values, &plain).powi(2)).sum();
        let ratio = (squares / f64::from(QUERIES)).sqrt() / noise_of(&all[0]);
        assert!((0.85..1.15).contains(&ratio), "{slots}: {ratio}");
        // 3.2·√2·2^bits per coefficient; a slot is a sum of 2n of them.
        let scale = ciphertext.scale().log2();
        let coefficient = (3.2f64.powi(2) + 1.0 / 12.0).log2() / 2.0 + 0.5 + all[0].flooding_bits;
        let left = scale - coefficient - (2.0 * slots as f64).log2() / 2.0;
        // The estimate may assume noise in all 512 slots, although the vector has fewer.
        let all_slots = (512.0 / slots as f64).log2() / 2.0;
        let got = all[0].precision_bits;
        assert!((left - all_slots - 0.01..left + 0.01).contains(&got), "{slots}: {got}, {left}");
    }
}

/// Checks that a statement fits, and that the next larger ones do not.
fn check_alternatives(client: &Client, ciphertext: &Ciphertext, of: Sharing, most: Alternatives) {
    let fits = |sharing: Sharing| client.precision_for_sharing(ciphertext, &sharing).is_ok();
    let bits = |security_bits| Sharing { security_bits, ..of };
    let queries = |queries| Sharing { queries, ..of };
    let Alternatives { security_bits: s, queries: q } = most;
    assert!(s < of.security_bits && q < of.queries, "{most}");
    assert!((s == 0 || fits(bits(s))) && !fits(bits(s + 1)), "{s} bits");
    assert!((q == 0 || fits(queries(q))) && !fits(queries(q + 1)), "{q} queries");
}

#[test]
fn noise_that_leaves_nothing_of_the_values_is_refused() {
    let mut setting = Setting::new(67);
    let lowest = setting.client.encrypt_at(&setting.plain, 0).unwrap();
    let mut cases = vec![lowest];
    cases.extend(setting.powers.iter().map(|(_, ciphertext)| ciphertext.clone()));
    for ciphertext in &cases {
        for sharing in [Sharing::new(60, 1), Sharing::new(40, 1 << 24), Sharing::new(33, u32::MAX)]
        {
            let error = setting.client.decrypt_for_sharing(ciphertext, &sharing).unwrap_err();
            let text = error.to_string();
            let SharingError::Precision { bits, most, alternatives, magnitude } = error else {
                panic!("another error: {error}")
            };
            assert!(bits > most && magnitude == ciphertext.estimate().magnitude(), "{text}");
            assert!(text.contains("larger scale"), "{text}");
            check_alternatives(&setting.client, ciphertext, sharing, alternatives);
        }
    }
    // A bound of the error that leaves no precision.
    let known = Sharing::new(4, 4).with_error(0.1);
    let error = setting.client.decrypt_for_sharing(&cases[0], &known).unwrap_err();
    assert!(matches!(error, SharingError::Precision { .. }), "{error}");
    assert!(error.to_string().contains("no security fits"), "{error}");
}

#[test]
fn noise_that_the_modulus_has_no_room_for_is_refused() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 68);
    let lowest = parameters.level(0);
    // A coefficient of an eighth of the modulus.
    let large = (lowest.modulus.log2() - 3.0 - lowest.scale.log2()).exp2();
    let number = [Complex::from(large)];
    let ciphertext = client.encrypt_at(Values::from(&number).within(large), 0).unwrap();
    let fits = |client: &Client, bits: u32| {
        client.precision_for_sharing(&ciphertext, &Sharing::new(bits, 1)).is_ok()
    };
    let first = (1..100).find(|bits| !fits(&client, *bits)).unwrap();
    let sharing = Sharing::new(first, 1);
    let error = client.decrypt_for_sharing(&ciphertext, &sharing).unwrap_err();
    let text = error.to_string();
    let SharingError::Room { level: 0, alternatives, bits, most } = error else {
        panic!("another error: {error}")
    };
    assert!(bits > most && text.contains("a higher level"), "{text}");
    check_alternatives(&client, &ciphertext, sharing, alternatives);
    // If it fits, it does not wrap around.
    let widest = Sharing::new(first - 1, 1);
    let shared = client.decrypt_for_sharing(&ciphertext, &widest).unwrap();
    let off = (shared.values[0] - Complex::from(large)).abs();
    assert!(off < 6.0 * noise_of(&shared) && off < large / 2.0, "{off:e} of {large:e}");
}

#[test]
fn statements_of_nothing_are_refused() {
    let mut setting = Setting::new(69);
    let (_, ciphertext) = &setting.powers[0];
    for (security_bits, queries) in [(0, 1), (1, 0), (0, 0), (104, 1), (u32::MAX, 1), (90, 1 << 20)]
    {
        let sharing = Sharing::new(security_bits, queries);
        let error = setting.client.decrypt_for_sharing(ciphertext, &sharing).unwrap_err();
        assert!(matches!(error, SharingError::Statement { .. }), "{error}");
        assert!(error.to_string().contains("cannot be stated"), "{error}");
    }
}

#[test]
fn no_more_decryptions_are_shared_than_were_stated() {
    let mut setting = Setting::new(70);
    let (_, ciphertext) = setting.powers[0].clone();
    let mut share = |security_bits: u32, queries: u32| {
        setting.client.decrypt_for_sharing(&ciphertext, &Sharing::new(security_bits, queries))
    };
    assert!(share(4, 5).is_ok());
    // Rejected requests do not count, and neither do their statements.
    assert!(share(90, 1).is_err() && share(0, 1).is_err());
    assert!(share(4, 5).is_ok());
    // Fewer than have already been made.
    let error = share(4, 2).unwrap_err();
    assert_eq!(error, SharingError::Budget { made: 2, queries: 2 });
    assert!(share(4, 4).is_ok() && share(9, 1000).is_ok());
    // The smallest stated number counts, whatever is stated later.
    for queries in [4, 5, 1000] {
        let error = share(4, queries).unwrap_err();
        assert_eq!(error, SharingError::Budget { made: 4, queries: 4 });
        assert!(error.to_string().contains("4 decryptions were shared"), "{error}");
    }
    // The owner's decryptions are not counted, and another client has its own count.
    assert!(setting.client.decrypt(&ciphertext).is_ok());
    let mut other = Setting::new(70);
    assert!(other.client.decrypt_for_sharing(&ciphertext, &Sharing::new(4, 1)).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn vectors_of_any_length(count in 1usize..512, level in 0usize..=4, seed in any::<u64>()) {
        let parameters = Parameters::preset("n10-insecure").unwrap();
        let mut client = Client::of_test(&parameters, seed);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let plain: Vec<Complex> = (0..count).map(|_| rng.gen_range(-100.0..100.0).into()).collect();
        let ciphertext = client.encrypt_at(Values::from(&plain).within(100.0), level).unwrap();
        let shared = client.decrypt_for_sharing(&ciphertext, &Sharing::new(4, 4)).unwrap();
        prop_assert_eq!(shared.values.len(), count);
        let worst = shared.values.iter().zip(&plain).map(|(a, b)| (*a - *b).abs());
        let worst = worst.fold(0.0, f64::max);
        prop_assert!(worst < 6.0 * noise_of(&shared), "{worst:e}");
    }
}
