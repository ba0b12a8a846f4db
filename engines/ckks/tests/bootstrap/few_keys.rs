// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps with few keys, in a small, insecure ring; with `HALIMEDE_SWEEP` set, in one of N =
//! 2¹⁶ as well.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print what they measured or skipped"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::time::Instant;

use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::evaluator::{conjugation_exponent, rotation_exponent};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::{Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Server};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

static PARAMETERS: LazyLock<Parameters> =
    LazyLock::new(|| Parameters::preset("n10-boot-insecure").unwrap());

/// All numbers of slots.
const SLOTS: [usize; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// The angles of bootstraps: results do not depend on the run.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

/// Bootstraps of these numbers of slots only.
fn of_slots(slots: &[usize], few_keys: bool) -> Operations {
    Operations { bootstrap_slots: slots.to_vec(), few_keys, ..Operations::default() }
}

fn random(slots: usize, seed: u64) -> Vec<Complex> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut part = || rng.gen_range(-0.7..0.7);
    (0..slots).map(|_| Complex::new(part(), part())).collect()
}

fn errors(client: &Client, ciphertext: &Ciphertext, values: &[Complex]) -> Vec<f64> {
    let ours = client.decrypt(ciphertext).unwrap();
    ours.iter().zip(values).map(|(ours, value)| (*ours - *value).abs()).collect()
}

/// Checks that errors are within the expected ones and 2⁶ of them. Returns the remaining bits.
fn check_expected(what: &str, result: &Ciphertext, errors: &[f64], slots: usize) -> f64 {
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let bits = -0.5 * (squares / errors.len() as f64).log2();
    // A value is the mean of its copies in the slots.
    let most = 6.0 + ((slots / errors.len()) as f64).log2() / 2.0;
    let expected = result.precision_bits();
    println!("{what}: {expected:.1} bits expected, measured {bits:.1}");
    assert!((-0.5..most).contains(&(bits - expected)), "{what}: {expected}, {bits}");
    bits
}

/// Returns the steps that have keys.
fn rotations(keys: &EvaluationKeys) -> BTreeSet<usize> {
    let parameters = keys.parameters();
    let steps = (1..parameters.slots())
        .map(|step| (step, KeyUse::Automorphism(rotation_exponent(parameters, step as i64))));
    steps.filter(|(_, of)| keys.get(*of).is_some()).map(|(step, _)| step).collect()
}

#[test]
fn values_and_errors_are_those_of_other_bootstraps() {
    let precise = Parameters::preset("n10-boot-precise-insecure").unwrap();
    let cases = SLOTS.map(|slots| (&*PARAMETERS, slots));
    for (parameters, slots) in cases.into_iter().chain([(&precise, 8), (&precise, 512)]) {
        let mut client = Client::of_test(parameters, 81 + slots as u64);
        let values = random(slots, 82);
        let ciphertext = client.encrypt_at(&values, 0).unwrap();
        let [many, few] = [false, true].map(|few_keys| {
            let server = client.server(&of_slots(&[slots], few_keys)).with_angles(ANGLES);
            server.check_bootstrap_of(slots).unwrap();
            let result = server.bootstrap(&ciphertext).unwrap();
            assert_eq!((result.level(), result.slots()), (parameters.fresh_level(), slots));
            let what = format!("{}, {slots} slots, few keys: {few_keys}", parameters.name());
            let bits = check_expected(&what, &result, &errors(&client, &result, &values), 512);
            (result.precision_bits(), bits, server.keys().iter().count())
        });
        assert!(few.0 < many.0 + 0.01 && few.0 > many.0 - 1.0, "{slots} slots: {few:?}, {many:?}");
        assert!(few.1 > many.1 - 1.5, "{slots} slots: {few:?}, {many:?}");
        assert!(few.2 < many.2 || slots < 4, "{slots} slots: {few:?}, {many:?}");
    }
}

#[test]
fn keys_are_powers_of_four_and_the_steps_that_are_none() {
    let steps = |slots: &[usize]| {
        let mut client = Client::of_test(&PARAMETERS, 83);
        rotations(&client.evaluation_keys(&of_slots(slots, true)))
    };
    let powers = BTreeSet::from([1, 4, 16, 64, 256]);
    for slots in SLOTS {
        let steps = steps(&[slots]);
        assert!(steps.len() <= powers.len() + 3, "{slots} slots: {steps:?}");
        assert!(steps.difference(&powers).count() <= 3, "{slots} slots: {steps:?}");
    }
}

#[test]
fn a_full_ring_takes_thirteen_keys_of_a_fourth_of_the_bytes() {
    let parameters = Parameters::preset("n16-boot").unwrap();
    let of = |few_keys| of_slots(&[1 << 15], few_keys).keys(&parameters);
    let steps = (0..8).map(|log| 1 << (2 * log)).chain([32]);
    let mut expected: Vec<KeyUse> =
        steps.map(|step| KeyUse::Automorphism(rotation_exponent(&parameters, step))).collect();
    let conjugation = KeyUse::Automorphism(conjugation_exponent(&parameters));
    expected.extend([KeyUse::Multiply, KeyUse::ToSparse, KeyUse::FromSparse, conjugation]);
    expected.sort_unstable();
    assert_eq!(of(true).into_keys().collect::<Vec<_>>(), expected);
    assert_eq!((of(true).len(), of(false).len()), (13, 63));
    let memory = |few_keys| BootstrapMemory::of_slots(&parameters, 1 << 15, few_keys).unwrap();
    let (few, many) = (memory(true), memory(false));
    assert!(7 * few.keys < 2 * many.keys && 2 * few.total() < many.total(), "{few:?}, {many:?}");
    assert_eq!(few.matrices, many.matrices);
    // Most keys also serve other numbers of slots.
    let all = of_slots(&[1 << 3, 1 << 10, 1 << 15], true).keys(&parameters);
    assert_eq!(all.len(), 16);
}

#[test]
fn memory_is_known_before() {
    for slots in SLOTS {
        let mut client = Client::of_test(&PARAMETERS, 84);
        let server = client.server(&of_slots(&[slots], true));
        let memory = BootstrapMemory::of_slots(&PARAMETERS, slots, true).unwrap();
        assert_eq!(memory.keys, server.keys().bytes());
        assert_eq!(memory.matrices, server.prepare_bootstrap_of(slots).unwrap());
    }
}

#[test]
fn a_server_with_both_takes_the_faster_one() {
    // A ring that other tests do not use, since everything in it is recorded.
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 85);
    let ciphertext = client.encrypt_at(&random(512, 86), 0).unwrap();
    let mut diagonals = |few_keys: &[bool]| {
        let mut keys = EvaluationKeys::new(&parameters);
        let mut wanted = BTreeMap::new();
        for few_keys in few_keys {
            for (of, level) in of_slots(&[512], *few_keys).keys(&parameters) {
                let highest = wanted.entry(of).or_insert(level);
                *highest = level.max(*highest);
            }
        }
        for (of, level) in wanted {
            keys.insert(of, client.evaluation_key(of, level));
        }
        let server = Server::new(keys);
        let work = |server: &Server| Ok(vec![server.bootstrap(&ciphertext)?]);
        server.prepare_bootstrap().unwrap();
        let (_, trace) = server.record(&[&ciphertext], &[], work).unwrap();
        trace.externals.iter().filter(|of| of.name.starts_with("few keys, ")).count()
    };
    assert_eq!(diagonals(&[false, true]), 0);
    assert_eq!(diagonals(&[false]), 0);
    assert!(diagonals(&[true]) > 50);
}

#[test]
fn vectors_of_few_slots_are_bootstrapped_as_all_are_where_they_have_no_keys_of_their_own() {
    let mut client = Client::of_test(&PARAMETERS, 87);
    let server = client.server(&of_slots(&[512], true)).with_angles(ANGLES);
    assert!(server.can_bootstrap());
    let values = random(8, 88);
    let result = server.bootstrap(&client.encrypt_at(&values, 0).unwrap()).unwrap();
    check_expected("all slots", &result, &errors(&client, &result, &values), 512);
}

#[test]
fn a_missing_key_is_named() {
    for slots in [8, 512] {
        let mut client = Client::of_test(&PARAMETERS, 89);
        let ciphertext = client.encrypt_at(&random(slots, 90), 0).unwrap();
        let wanted = of_slots(&[slots], true).keys(&PARAMETERS);
        for (missing, highest) in &wanted {
            // Without the key, and with one only for lower levels.
            for lower in [None, highest.checked_sub(1)] {
                let mut keys = EvaluationKeys::new(&PARAMETERS);
                for (of, level) in &wanted {
                    let level = if of == missing { lower } else { Some(*level) };
                    if let Some(level) = level {
                        keys.insert(*of, client.evaluation_key(*of, level));
                    }
                }
                let error =
                    Server::new(keys).bootstrap(&ciphertext).err().map(|error| error.to_string());
                // The key from the sparse secret is always made for all levels.
                if lower.is_some() && *missing == KeyUse::FromSparse {
                    assert_eq!(error, None);
                    continue;
                }
                let error = error.unwrap();
                assert!(error.starts_with("no key to bootstrap"), "{error}");
                let named = format!("only the key {missing} up to level {highest} is missing");
                assert!(error.contains(&named), "{missing}: {error}");
            }
        }
    }
}

#[test]
fn keys_come_back_from_a_file_and_do_the_same() {
    let mut client = Client::of_test(&PARAMETERS, 91);
    let server = client.server(&of_slots(&[512], true)).with_angles(ANGLES);
    let ciphertext = client.encrypt_at(&random(512, 92), 0).unwrap();
    let mut file = Vec::new();
    server.keys().save(&mut file).unwrap();
    let loaded = EvaluationKeys::load(&file[..], &PARAMETERS).unwrap();
    let loaded = Server::new(loaded).with_angles(ANGLES);
    let results = [&server, &loaded].map(|of| of.bootstrap(&ciphertext).unwrap());
    for (ours, theirs) in results[0].parts().into_iter().zip(results[1].parts()) {
        assert!(ours.limbs().eq(theirs.limbs()));
    }
}

#[test]
fn a_full_ring_is_bootstrapped_as_precisely() {
    if std::env::var_os("HALIMEDE_SWEEP").is_none() {
        eprintln!("skipped: HALIMEDE_SWEEP is not set");
        return;
    }
    let parameters = Parameters::preset("n16-boot").unwrap();
    for slots in [1 << 3, 1 << 14, 1 << 15] {
        let mut client = Client::of_test(&parameters, 93);
        let server = client.server(&of_slots(&[slots], true)).with_angles(ANGLES);
        let values = random(slots, 94);
        let ciphertext = client.encrypt_at(&values, 0).unwrap();
        server.prepare_bootstrap_of(slots).unwrap();
        let start = Instant::now();
        let result = server.bootstrap(&ciphertext).unwrap();
        println!("{slots} slots: {:?}", start.elapsed());
        let errors = errors(&client, &result, &values);
        check_expected(&format!("{slots} slots"), &result, &errors, 1 << 15);
        let worst = errors.into_iter().fold(0.0, f64::max);
        assert!(worst < 2f64.powi(-19), "{slots} slots: {worst:e}");
        parameters.ring().release_memory();
    }
}
