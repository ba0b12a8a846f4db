// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bootstraps of few slots by the form of their own, in a small, insecure ring.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::sync::LazyLock;

use halimede_ckks::bootstrap::BootstrapMemory;
use halimede_ckks::{Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Server};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const PRESET: &str = "n10-boot-insecure";
/// 1, the smallest ones, N/8, N/4 and N/2.
const SLOTS: [usize; 6] = [1, 2, 8, 128, 256, 512];

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(|| Parameters::preset(PRESET).unwrap());

/// Bootstraps of so many slots alone.
fn of_slots(slots: &[usize]) -> Operations {
    Operations { bootstrap_slots: slots.to_vec(), ..Operations::default() }
}

/// Someone who encrypts, and a server for bootstraps of so many slots alone.
fn setting(slots: usize) -> (Client, Server) {
    let mut client = Client::of_test(&PARAMETERS, 51 + slots as u64);
    let server = client.server(&of_slots(&[slots]));
    (client, server)
}

fn random(slots: usize, seed: u64) -> Vec<Complex> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut part = || rng.gen_range(-0.7..0.7);
    (0..slots).map(|_| Complex::new(part(), part())).collect()
}

/// Random values, the same in all slots, and the largest that there may be.
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

fn errors(client: &Client, sealed: &Ciphertext, values: &[Complex]) -> Vec<f64> {
    let ours = client.decrypt(sealed).unwrap();
    ours.iter().zip(values).map(|(ours, value)| (*ours - *value).abs()).collect()
}

/// That errors are within what is expected of them, and 2⁶ of it.
fn check_expected(what: &str, result: &Ciphertext, errors: &[f64]) {
    let squares: f64 = errors.iter().map(|error| error * error).sum();
    let bits = -0.5 * (squares / errors.len() as f64).log2();
    // A value is the mean of the slots that it stands in.
    let copies = PARAMETERS.slots() / errors.len();
    let most = 6.0 + (copies as f64).log2() / 2.0;
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
            let sealed = client.encrypt_at(&values, 0).unwrap();
            let result = server.bootstrap(&sealed).unwrap();
            assert_eq!((result.level(), result.slots()), (PARAMETERS.fresh_level(), slots));
            let errors = errors(&client, &result, &values);
            check_expected(&format!("{slots} slots, {what}"), &result, &errors);
            let worst = errors.into_iter().fold(0.0, f64::max);
            println!("worst 2^{:.1}", worst.log2());
            assert!(worst < 2f64.powi(-22), "{slots} slots, {what}: {worst:e}");
        }
    }
}
