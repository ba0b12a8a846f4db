// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of few slots by their own form, in a small, insecure ring.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests print what they measured or skipped"
)]

use std::sync::LazyLock;

use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::{
    Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Server, Values,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PRESET: &str = "n10-boot-insecure";
/// 1, the smallest ones, N/8, N/4 and N/2.
const SLOTS: [usize; 6] = [1, 2, 8, 128, 256, 512];

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| Parameters::preset(PRESET).unwrap());

/// The angles of bootstraps: results do not depend on the run.
const ANGLES: [u8; 32] = *b"angles of slots, fixed for tests";

/// Bootstraps of these numbers of slots only.
fn of_slots(slots: &[usize]) -> Operations {
    Operations { bootstrap_slots: slots.to_vec(), ..Operations::default() }
}

/// Returns a client, and a server that bootstraps vectors of this number of slots only.
fn setting(slots: usize) -> (Client, Server) {
    let mut client = Client::of_test(&PARAMETERS, 51 + slots as u64);
    let server = client.server(&of_slots(&[slots])).with_angles(ANGLES);
    (client, server)
}

fn random(slots: usize, seed: u64) -> Vec<Complex> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut part = || rng.gen_range(-0.7..0.7);
    (0..slots).map(|_| Complex::new(part(), part())).collect()
}

/// Returns random values, equal values in all slots, and the largest allowed values.
fn vectors(slots: usize) -> Vec<(&'static str, Vec<Complex>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(slots as u64);
    let unit = |k: u32| Complex::root(u64::from(k), 4);
    vec![
        ("random", random(slots, 52)),
        ("constant", vec![Complex::new(0.7, -0.7); slots]),
        ("extreme", (0..slots).map(|_| unit(rng.gen_range(0..4))).collect()),
        ("ones", vec![Complex::from(1.0); slots]),
        ("zeros", vec![Complex::from(0.0); slots]),
    ]
}

fn errors(client: &Client, ciphertext: &Ciphertext, values: &[Complex]) -> Vec<f64> {
    let ours = client.decrypt(ciphertext).unwrap();
    ours.iter().zip(values).map(|(ours, value)| (*ours - *value).abs()).collect()
}

/// Checks that errors are within the expected ones and 2⁶ of them, except for the error of the sine
/// where one of few coefficients is large.
fn check_expected(what: &str, result: &Ciphertext, errors: &[f64]) {
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let bits = -0.5 * (squares / errors.len() as f64).log2();
    // A value is the mean of its copies in the slots.
    let copies = PARAMETERS.slots() / errors.len();
    let most = 6.0 + (copies as f64).log2();
    let expected = result.precision_bits();
    println!("{what}: {expected:.1} bits expected, measured {bits:.1}");
    assert!((-0.5..most).contains(&(bits - expected)), "{what}: {expected}, {bits}");
}

#[test]
fn vectors_of_any_length_come_back_at_a_higher_level() {
    for slots in SLOTS {
        let (mut client, server) = setting(slots);
        server.check_bootstrap_of(slots).unwrap();
        for (what, values) in vectors(slots) {
            let ciphertext = client.encrypt_at(&values, 0).unwrap();
            let result = server.bootstrap(&ciphertext).unwrap();
            assert_eq!((result.level(), result.slots()), (PARAMETERS.fresh_level(), slots));
            let errors = errors(&client, &result, &values);
            check_expected(&format!("{slots} slots, {what}"), &result, &errors);
            let worst = errors.into_iter().fold(0.0, f64::max);
            println!("worst 2^{:.1}", worst.log2());
            assert!(worst < 2f64.powi(-22), "{slots} slots, {what}: {worst:e}");
        }
    }
}

#[test]
fn fewer_slots_take_fewer_keys_and_smaller_matrices() {
    let memory = |slots: usize| BootstrapMemory::of_slots(&PARAMETERS, slots, false).unwrap();
    assert_eq!(memory(512), BootstrapMemory::new(&PARAMETERS).unwrap());
    for slots in SLOTS {
        let (_, server) = setting(slots);
        assert_eq!(memory(slots).keys, server.keys().bytes());
        assert_eq!(memory(slots).matrices, server.prepare_bootstrap_of(slots).unwrap());
        assert!(slots > 128 || memory(slots).total() < memory(512).total(), "{slots} slots");
    }
    // Rounded up, as vectors are padded.
    let keys = |slots: &[usize]| of_slots(slots).keys(&PARAMETERS);
    let full = Operations { bootstrap: true, ..Operations::default() }.keys(&PARAMETERS);
    assert_eq!(keys(&[5]), keys(&[8]));
    assert_eq!(keys(&[0]), keys(&[1]));
    assert_eq!(keys(&[512]), full);
    assert_eq!(keys(&[9999]), full);
    let both = keys(&[1, 8]);
    for of in [keys(&[1]), keys(&[8])] {
        assert!(of.iter().all(|(of, level)| both.get(of) >= Some(level)));
    }
}

#[test]
fn without_keys_of_its_own_a_vector_is_bootstrapped_as_all_are() {
    let mut client = Client::of_test(&PARAMETERS, 61);
    let values = random(8, 62);
    let ciphertext = client.encrypt_at(&values, 0).unwrap();
    let both = Operations { bootstrap: true, bootstrap_slots: vec![8], ..Operations::default() };
    let full = Operations { bootstrap: true, ..Operations::default() };
    let results = [both, full].map(|operations| {
        let server = client.server(&operations).with_angles(ANGLES);
        assert!(server.can_bootstrap());
        let result = server.bootstrap(&ciphertext).unwrap();
        check_expected("a form", &result, &errors(&client, &result, &values));
        server.prepare_bootstrap_of(8).unwrap()
    });
    assert!(results[0] < results[1], "other matrices: {results:?}");
}

#[test]
fn what_has_no_keys_is_named() {
    let (mut client, server) = setting(8);
    assert!(!server.can_bootstrap());
    for (slots, what) in [(2, "bootstrap vectors of 2 slots"), (512, "bootstrap")] {
        let said = format!("no key to {what}");
        let encrypted = client.encrypt_at(&random(slots, 63), 0).unwrap();
        for error in [
            server.bootstrap(&encrypted).err().unwrap(),
            server.check_bootstrap_of(slots).err().unwrap(),
            server.prepare_bootstrap_of(slots).err().unwrap(),
        ] {
            assert!(error.to_string().contains(&said), "{error}");
        }
    }
    // All keys except one.
    let all: Vec<_> = server.keys().iter().map(|(of, _)| of).collect();
    let encrypted = client.encrypt_at(&random(8, 64), 0).unwrap();
    for missing in all {
        let mut keys = EvaluationKeys::new(&PARAMETERS);
        for (of, level) in of_slots(&[8]).keys(&PARAMETERS) {
            if of != missing {
                keys.insert(of, client.evaluation_key(of, level));
            }
        }
        // The remaining keys suffice for a bootstrap with few keys.
        let few = Operations { few_keys: true, ..of_slots(&[8]) }.keys(&PARAMETERS);
        match Server::new(keys).bootstrap(&encrypted) {
            Ok(_) => assert!(!few.contains_key(&missing), "{missing}"),
            Err(error) => {
                let error = error.to_string();
                let said = "no key to bootstrap vectors of 8 slots";
                assert!(error.contains(said), "{missing}: {error}");
            }
        }
    }
    // Parameters without levels, and a ciphertext of other parameters with more slots.
    let mut other = Client::of_test(&Parameters::preset("n13-insecure").unwrap(), 65);
    let error = other.server(&of_slots(&[8])).check_bootstrap_of(8).unwrap_err().to_string();
    assert!(error.contains("no levels for a bootstrap"), "{error}");
    let encrypted = other.encrypt_at(&random(4096, 66), 0).unwrap();
    let error = server.bootstrap(&encrypted).err().unwrap().to_string();
    assert!(error.contains("with the parameters of the keys"), "{error}");
}

#[test]
fn keys_come_back_from_a_file_and_do_the_same() {
    let (mut client, server) = setting(128);
    let ciphertext = client.encrypt_at(&random(128, 67), 0).unwrap();
    let mut file = Vec::new();
    server.keys().save(&mut file).unwrap();
    let loaded = EvaluationKeys::load(&file[..], &PARAMETERS).unwrap();
    assert_eq!(loaded.bytes(), server.keys().bytes());
    let loaded = Server::new(loaded).with_angles(ANGLES);
    let results = [&server, &loaded].map(|of| of.bootstrap(&ciphertext).unwrap());
    for (ours, theirs) in results[0].parts().into_iter().zip(results[1].parts()) {
        assert!(ours.limbs().eq(theirs.limbs()));
    }
}

#[test]
fn one_bootstrap_after_the_other_adds_up_errors_and_magnifies_none() {
    let (mut client, server) = setting(2);
    let values = random(2, 68);
    let mut ciphertext = client.encrypt_at(&values, 0).unwrap();
    let first = server.bootstrap(&ciphertext).unwrap().precision_bits();
    for _ in 0..4 {
        // A product in between: the values between the copies of a vector are not bootstrapped.
        ciphertext =
            server.mul_number(&server.bootstrap(&ciphertext).unwrap(), Complex::from(1.0)).unwrap();
        check_expected("in a row", &ciphertext, &errors(&client, &ciphertext, &values));
    }
    // The error of the sine is the same each time.
    assert!(ciphertext.precision_bits() > first - 2.1, "{first}, {}", ciphertext.precision_bits());
}

#[test]
fn values_above_one_are_scaled_through_it() {
    let (mut client, server) = setting(8);
    let values: Vec<Complex> = random(8, 69).iter().map(|value| *value * 50.0).collect();
    let ciphertext = client.encrypt_at(Values::from(&values).within(50.0), 1).unwrap();
    let result = server.bootstrap(&ciphertext).unwrap();
    let worst = errors(&client, &result, &values).into_iter().fold(0.0, f64::max);
    assert!(worst < 50.0 * 2f64.powi(-20), "{worst:e}");
    let few = client.encrypt_at(&random(4, 70), 1).unwrap();
    let error = server.bootstrap_within(&few, 50.0).unwrap_err().to_string();
    assert!(error.contains("no key to bootstrap vectors of 4 slots"), "{error}");
}
