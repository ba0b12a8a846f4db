// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of two rounds, and of levels of all sizes, in small, insecure rings; with
//! `HALIMEDE_SWEEP` set, in one of N = 2¹⁶ as well.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print what they measured or skipped"
)]

use std::time::Instant;

use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::keys::KeyUse;
use halimede_ckks::params::{BootstrapShape, ParametersBuilder, SecretKind};
use halimede_ckks::{
    Ciphertext, Client, Complex, EvaluationKeys, Expression, Operations, Parameters, Plan, Server,
    Values,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PRESET: &str = "n10-boot-precise-insecure";

/// The angles of bootstraps: results do not depend on the run.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

/// A client, a server that bootstraps vectors of these numbers of slots, and random numbers.
struct Setting {
    client: Client,
    server: Server,
    rng: ChaCha8Rng,
}

impl Setting {
    fn new(parameters: &Parameters, slots: usize) -> Self {
        let mut client = Client::of_test(parameters, 81);
        let operations = Operations {
            multiply: true,
            rotations: vec![1],
            bootstrap_slots: vec![slots],
            ..Operations::default()
        };
        let server = client.server(&operations).with_angles(ANGLES);
        Self { client, server, rng: ChaCha8Rng::seed_from_u64(82) }
    }

    fn of_shape(shape: BootstrapShape, slots: usize) -> Self {
        Self::new(&Parameters::insecure(shape, SecretKind::Ternary).unwrap(), slots)
    }

    fn random(&mut self, slots: usize) -> Vec<Complex> {
        let mut part = || self.rng.gen_range(-0.7..0.7);
        (0..slots).map(|_| Complex::new(part(), part())).collect()
    }

    /// Bootstraps random values. Returns them and the result.
    fn bootstrapped(&mut self, slots: usize) -> (Vec<Complex>, Ciphertext) {
        let values = self.random(slots);
        let encrypted = self.client.encrypt_at(&values, 0).unwrap();
        let result = self.server.bootstrap(&encrypted).unwrap();
        let level = self.server.parameters().fresh_level();
        assert_eq!((result.level(), result.slots()), (level, slots));
        let usual = self.server.parameters().level(level).scale;
        assert!(result.scale().deviation(usual).abs() < 1e-25);
        (values, result)
    }

    /// Returns the correct bits, which must be within 2⁶ of the ciphertext's estimate. Few values
    /// are means of many slots, which allows a larger difference.
    fn bits(&self, what: &str, ciphertext: &Ciphertext, values: &[Complex]) -> f64 {
        let ours = self.client.decrypt(ciphertext).unwrap();
        let squares: f64 = ours.iter().zip(values).map(|(a, b)| (*a - *b).abs().powi(2)).sum();
        let bits = -0.5 * (squares / values.len() as f64).log2();
        let copies = self.client.parameters().slots() / values.len();
        let most = 6.0 + (copies as f64).log2() / 2.0;
        let expected = ciphertext.precision_bits();
        println!("{what}: {expected:.1} bits expected, measured {bits:.1}");
        // A single value may be as precise as doubles.
        let is_near = values.len() == 1 || bits - expected < most;
        assert!(bits - expected > -0.5 && is_near, "{what}: {expected}, {bits}");
        bits
    }
}

/// Returns both ends of the sizes of rings that are fast to test.
fn shape(log_degree: u32, rounds: usize, level_units: u32) -> BootstrapShape {
    BootstrapShape { rounds, level_units, ..BootstrapShape::new(log_degree, 2, 4) }
}

#[test]
fn a_second_round_adds_its_bits() {
    for (log_degree, level_units) in [(10, 9), (12, 10), (11, 11), (10, 12)] {
        let slots = 1 << (log_degree - 1);
        let bits = [1, 2].map(|rounds| {
            let mut setting = Setting::of_shape(shape(log_degree, rounds, level_units), slots);
            let (values, result) = setting.bootstrapped(slots);
            let what = format!("N = 2^{log_degree}, {level_units} units, {rounds} rounds");
            let bits = setting.bits(&what, &result, &values);
            let expected = setting.server.parameters().expected_precision();
            let expected = expected.bootstrap_bits.unwrap();
            assert!((-0.5..6.0).contains(&(bits - expected)), "{what}: {expected}, {bits}");
            bits
        });
        // A unit has five bits, a few of which the first round uses.
        let gained = 5.0 * f64::from(level_units - 8);
        assert!(bits[1] - bits[0] > gained.max(6.0), "{bits:?}");
        assert!(level_units == 9 || bits[1] - bits[0] >= 8.0, "{bits:?}");
    }
}

#[test]
fn few_slots_have_as_many_bits() {
    let parameters = Parameters::preset(PRESET).unwrap();
    for slots in [1, 8, 256] {
        let mut setting = Setting::new(&parameters, slots);
        let (values, result) = setting.bootstrapped(slots);
        let bits = setting.bits(&format!("{slots} slots"), &result, &values);
        assert!(bits > 46.0, "{slots} slots: {bits}");
    }
}

#[test]
fn values_are_no_less_precise_for_what_they_are() {
    let parameters = Parameters::preset(PRESET).unwrap();
    let mut setting = Setting::new(&parameters, 512);
    let turn = |k: u32| Complex::root(u64::from(k), 4);
    let vectors = [
        ("ones", vec![Complex::from(1.0); 512]),
        ("zeros", vec![Complex::from(0.0); 512]),
        ("extreme", (0..512).map(|_| turn(setting.rng.gen_range(0..4))).collect()),
        // Values that are not scaled before the bootstrap.
        ("4", vec![Complex::from(-4.0); 512]),
    ];
    for ((what, values), least) in vectors.into_iter().zip([46, 46, 46, 37]) {
        let largest = values[0].abs();
        let declared = Values::from(&values).within(largest);
        let ciphertexts = setting.client.encrypt_at(declared, 1).unwrap();
        let result = setting.server.bootstrap_within(&ciphertexts, largest).unwrap();
        let ours = setting.client.decrypt(&result).unwrap();
        let worst = ours.iter().zip(&values).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
        println!("{what}: worst 2^{:.1}", worst.log2());
        assert!(worst < 2f64.powi(-least), "{what}: {worst:e}");
        assert!(worst < 8.0 * result.estimate().error, "{what}: {worst:e}");
    }
}

#[test]
fn values_above_four_are_scaled_through_it() {
    let mut setting = Setting::new(&Parameters::preset(PRESET).unwrap(), 8);
    let values: Vec<Complex> = setting.random(8).iter().map(|value| *value * 100.0).collect();
    let declared = Values::from(&values).within(100.0);
    let ciphertext = setting.client.encrypt_at(declared, 1).unwrap();
    let result = setting.server.bootstrap(&ciphertext).unwrap();
    let ours = setting.client.decrypt(&result).unwrap();
    let worst = ours.iter().zip(&values).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
    // For the largest values, errors would grow with the ninth power.
    assert!(worst < 2f64.powi(-40) && worst < 8.0 * result.estimate().error, "{worst:e}");
}

/// Random sums, differences, products, rotations and plaintexts on the results of bootstraps, and
/// further bootstraps: every value is within its estimate.
#[test]
fn circuits_go_on_after_bootstraps() {
    let parameters = ParametersBuilder::new().depth(3).precision_bits(34.0).bootstrapping(true);
    let parameters = parameters.build_insecure(10).unwrap();
    assert_eq!(parameters.bootstrap().unwrap().rounds, 2);
    let mut setting = Setting::new(&parameters, 512);
    let mut nodes: Vec<(Vec<Complex>, Ciphertext)> =
        (0..2).map(|_| setting.bootstrapped(512)).collect();
    for step in 0..30 {
        let place = |setting: &mut Setting| setting.rng.gen_range(0..nodes.len());
        let (left, right) = (place(&mut setting), place(&mut setting));
        let ((a, x), (b, y)) = (&nodes[left], &nodes[right]);
        let zip = |of: fn(Complex, Complex) -> Complex| {
            a.iter().zip(b).map(|(a, b)| of(*a, *b)).collect::<Vec<_>>()
        };
        let halved = |values: Vec<Complex>| values.iter().map(|value| *value * 0.5).collect();
        let half = Complex::from(0.5);
        let server = &setting.server;
        let (plain, ciphertext) = match setting.rng.gen_range(0..5) {
            _ if x.level().min(y.level()) == 0 => (a.clone(), server.bootstrap(x).unwrap()),
            0 => {
                let sum = server.add(x, y).unwrap();
                (halved(zip(|a, b| a + b)), server.mul_number(&sum, half).unwrap())
            }
            1 => {
                let difference = server.sub(x, y).unwrap();
                (halved(zip(|a, b| a - b)), server.mul_number(&difference, half).unwrap())
            }
            2 | 3 => (zip(|a, b| a * b), server.mul(x, y).unwrap()),
            _ => {
                let mut turned = a.clone();
                turned.rotate_left(1);
                (turned, server.rotate(x, 1).unwrap())
            }
        };
        let ours = setting.client.decrypt(&ciphertext).unwrap();
        let worst = ours.iter().zip(&plain).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
        // Operands may share errors.
        let error = ciphertext.estimate().error;
        assert!(worst < 16.0 * error, "step {step}: {worst:e}, estimated {error:e}");
        assert!(worst < 2f64.powi(-30), "step {step}: {worst:e}");
        nodes.push((plain, ciphertext));
    }
}

/// Circuits that bootstrap automatically have the same precision.
#[test]
fn plans_bootstrap_precisely() {
    let mut setting = Setting::new(&Parameters::preset(PRESET).unwrap(), 512);
    let plain: Vec<Complex> = (0..512).map(|_| setting.rng.gen_range(0.1..0.9f64).into()).collect();
    let ciphertext = setting.client.encrypt(&plain).unwrap();
    let (mut expression, mut expected) = (Expression::input("x"), plain);
    for _ in 0..3 {
        let x = expression.bounded(1.0);
        expression = 2.5 * (&x - &x * &x);
        expected = expected.iter().map(|x| (*x - *x * *x) * 2.5).collect();
    }
    let inputs = [("x".to_owned(), (&ciphertext).into())].into_iter().collect();
    let plan = Plan::new(&expression, setting.server.parameters(), &inputs).unwrap();
    assert_eq!(plan.bootstraps(), 1, "{plan}");
    let result = setting.server.run(&expression, &[("x", &ciphertext)]).unwrap();
    let ours = setting.client.decrypt(&result).unwrap();
    let worst = ours.iter().zip(&expected).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
    assert!(worst < 2f64.powi(-40), "{worst:e}");
    assert!(worst < 8.0 * result.estimate().error, "{worst:e}, {:?}", result.estimate());
}

#[test]
fn one_after_the_other_adds_up_errors_and_magnifies_none() {
    let mut setting = Setting::new(&Parameters::preset(PRESET).unwrap(), 512);
    let (values, mut ciphertext) = setting.bootstrapped(512);
    let first = ciphertext.precision_bits();
    for _ in 0..3 {
        ciphertext = setting.server.bootstrap(&ciphertext).unwrap();
        setting.bits("in a row", &ciphertext, &values);
    }
    // Four independent errors are twice one.
    assert!(ciphertext.precision_bits() > first - 1.5, "{first}, {}", ciphertext.precision_bits());
}

/// Two primes from which the modulus is raised and two by which the switch divides, for all levels.
#[test]
fn the_sparse_secrets_modulus_does_not_grow() {
    for name in ["n10-boot-insecure", PRESET] {
        let setting = Setting::new(&Parameters::preset(name).unwrap(), 512);
        let key = setting.server.keys().get(KeyUse::ToSparse).unwrap();
        assert_eq!(key.bytes(), 2 * 4 * 1024 * size_of::<u32>(), "{name}");
    }
}

#[test]
fn keys_come_back_from_a_file_and_do_the_same() {
    let mut setting = Setting::new(&Parameters::preset(PRESET).unwrap(), 64);
    let values = setting.random(64);
    let ciphertext = setting.client.encrypt_at(&values, 0).unwrap();
    let mut file = Vec::new();
    setting.server.keys().save(&mut file).unwrap();
    let parameters = Parameters::preset(PRESET).unwrap();
    let loaded = EvaluationKeys::load(&file[..], &parameters).unwrap();
    let loaded = Server::new(loaded).with_angles(ANGLES);
    // A ring of another instance, with the same residues.
    let mut bytes = Vec::new();
    ciphertext.save(&mut bytes, &parameters).unwrap();
    let theirs = loaded.bootstrap(&Ciphertext::load(&bytes[..], &parameters).unwrap()).unwrap();
    let ours = setting.server.bootstrap(&ciphertext).unwrap();
    for (ours, theirs) in ours.parts().into_iter().zip(theirs.parts()) {
        assert!(ours.limbs().eq(theirs.limbs()));
    }
}

#[test]
fn its_memory_is_known_before() {
    for parameters in [1, 2].map(|rounds| shape(10, rounds, 10)) {
        let parameters = Parameters::insecure(parameters, SecretKind::Ternary).unwrap();
        for slots in [8, 512] {
            let only = Operations { bootstrap_slots: vec![slots], ..Operations::default() };
            let server = Client::of_test(&parameters, 83).server(&only);
            let memory = BootstrapMemory::of_slots(&parameters, slots, false).unwrap();
            assert_eq!(memory.keys, server.keys().bytes());
            assert_eq!(memory.matrices, server.prepare_bootstrap_of(slots).unwrap());
        }
    }
}

#[test]
fn levels_and_rounds_that_there_are_not_are_refused() {
    for (rounds, units, what) in [
        (0, 9, "0 for rounds: it must lie in 1..=2"),
        (3, 12, "3 for rounds"),
        (usize::MAX, 12, "for rounds"),
        (1, 7, "7 for units of a level: it must lie in 8..=12"),
        (1, 13, "13 for units of a level"),
        (2, 8, "8 for units of a level: it must lie in 9..=12"),
    ] {
        let error = Parameters::insecure(shape(10, rounds, units), SecretKind::Ternary);
        let error = error.err().unwrap().to_string();
        assert!(error.contains(what), "{rounds}, {units}: {error}");
    }
    for units in [0, u32::MAX] {
        let error = Parameters::insecure(shape(10, 1, units), SecretKind::Ternary);
        let error = error.err().unwrap().to_string();
        assert!(error.contains("for units of a level"), "{units}: {error}");
    }
}

#[test]
fn a_full_ring_is_bootstrapped_as_precisely_as_is_said() {
    if std::env::var_os("HALIMEDE_SWEEP").is_none() {
        eprintln!("skipped: HALIMEDE_SWEEP is not set");
        return;
    }
    let precise = Parameters::preset("n16-boot-precise").unwrap();
    let shape = BootstrapShape { level_units: 10, rounds: 2, ..BootstrapShape::new(16, 7, 4) };
    let smaller = Parameters::new(shape, SecretKind::Ternary).unwrap();
    for (parameters, least) in [(precise, 42.0), (smaller, 32.0)] {
        let mut setting = Setting::new(&parameters, 1 << 15);
        let start = Instant::now();
        let (values, result) = setting.bootstrapped(1 << 15);
        println!("{}: {:?}", parameters.name(), start.elapsed());
        let bits = setting.bits("N = 2^16", &result, &values);
        let expected = parameters.expected_precision().bootstrap_bits.unwrap();
        assert!(bits > least && (-0.5..6.0).contains(&(bits - expected)), "{expected}, {bits}");
        let product = setting.server.mul(&result, &result).unwrap();
        let squares: Vec<Complex> = values.iter().map(|value| *value * *value).collect();
        assert!(setting.bits("a square", &product, &squares) > least - 1.5);
    }
}
