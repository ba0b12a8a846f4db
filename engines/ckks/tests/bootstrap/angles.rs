// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A message that is aimed at the angles by which a bootstrap spreads messages has far larger
//! errors than estimated. Nobody can construct one: angles are random for each server.

#![allow(clippy::unwrap_used, reason = "a test's helpers are tests too")]

use std::f64::consts::TAU;

use halimede_ckks::{Ciphertext, Client, Complex, EvaluationKeys, Operations, Parameters, Server};
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha20Rng;

/// The factor by which the root mean square of errors may exceed the estimate.
const FACTOR: f64 = 3.0;

fn client(preset: &str, number: u64) -> Client {
    Client::of_test(&Parameters::preset(preset).unwrap(), number)
}

fn operations(slots: usize) -> Operations {
    Operations { bootstrap_slots: vec![slots], ..Operations::default() }
}

/// Returns a server with the keys of another.
fn with_keys_of(server: &Server) -> Server {
    let mut file = Vec::new();
    server.keys().save(&mut file).unwrap();
    Server::new(EvaluationKeys::load(&file[..], server.parameters()).unwrap())
}

/// Returns the inverses of the angles of a seed, so that all slots are equal after the
/// multiplication.
fn aimed_at(seed: [u8; 32], slots: usize) -> Vec<Complex> {
    let mut angles = ChaCha20Rng::from_seed(seed);
    let mut angle = || f64::from(angles.next_u32()) / 2f64.powi(32) * TAU;
    let turned = |angle: f64| Complex::new(angle.cos(), -angle.sin());
    (0..slots).map(|_| turned(angle())).collect()
}

/// Returns the root mean square of the errors of a bootstrap divided by the estimate.
fn excess(client: &mut Client, server: &Server, values: &[Complex]) -> f64 {
    let ciphertext = client.encrypt_at(values, 0).unwrap();
    let result = server.bootstrap(&ciphertext).unwrap();
    let ours = client.decrypt(&result).unwrap();
    let squares = ours.iter().zip(values).map(|(ours, value)| (*ours - *value).abs().powi(2));
    (squares.sum::<f64>() / values.len() as f64).sqrt() / result.estimate().error
}

fn same_bits(a: &Ciphertext, b: &Ciphertext) -> bool {
    a.parts().into_iter().zip(b.parts()).all(|(a, b)| a.limbs().eq(b.limbs()))
}

#[test]
fn a_message_of_known_angles_errs_far_more_and_of_unknown_ones_it_does_not() {
    for (number, seed) in [(1, *b"Halimede CKKS: angles of slots.\0"), (2, [7; 32])] {
        let mut client = client("n10-boot-insecure", number);
        let server = client.server(&operations(512));
        let aimed = aimed_at(seed, 512);
        let known = with_keys_of(&server).with_angles(seed);
        let got = excess(&mut client, &known, &aimed);
        println!("{got} times the estimate");
        assert!(got > 16.0, "{got} times the estimate, with a known seed");
        // Neither a server that draws its own angles nor another seed is affected.
        let other = with_keys_of(&server).with_angles([8; 32]);
        for server in [&server, &other] {
            let got = excess(&mut client, server, &aimed);
            assert!(got < FACTOR, "{got} times the estimate");
        }
        // The message causes the errors.
        let random = aimed_at([9; 32], 512);
        let got = excess(&mut client, &known, &random);
        assert!(got < FACTOR, "{got} times the estimate, of another message");
    }
}

#[test]
fn messages_without_order_are_unlikely_to_be_near_random_angles() {
    // A constant, the values of one coefficient, and few slots, also in their own forms.
    for slots in [1, 2, 8, 512] {
        let mut client = client("n10-boot-insecure", 3);
        let keys = client.server(&operations(slots));
        for _ in 0..8 {
            let server = with_keys_of(&keys);
            let constant = vec![Complex::from(1.0); slots];
            let turning = (0..slots).map(|slot| Complex::root(slot as u64, 512)).collect();
            for values in [constant, turning] {
                let got = excess(&mut client, &server, &values);
                assert!(got < FACTOR, "{got} times the estimate, {slots} slots");
            }
        }
    }
}

#[test]
fn two_rounds_have_the_same_angles_and_withstand_as_well() {
    let mut client = client("n10-boot-precise-insecure", 4);
    let (seed, server) = ([10; 32], client.server(&operations(512)));
    let aimed = aimed_at(seed, 512);
    let known = excess(&mut client, &with_keys_of(&server).with_angles(seed), &aimed);
    let random = excess(&mut client, &server, &aimed);
    assert!(random < FACTOR, "{random} times the estimate");
    // The second round bootstraps the error of the first, which is far larger than estimated.
    assert!(known > 1000.0, "{known} times the estimate, with a known seed");
}

#[test]
fn a_server_keeps_its_angles_and_shares_them_with_no_other() {
    let mut client = client("n10-boot-insecure", 5);
    let server = client.server(&operations(8));
    let ciphertext = client.encrypt_at(&aimed_at([1; 32], 8), 0).unwrap();
    let bootstrap = |server: &Server| server.bootstrap(&ciphertext).unwrap();
    let first = bootstrap(&server);
    assert!(same_bits(&first, &bootstrap(&server)));
    let other = with_keys_of(&server);
    assert!(!same_bits(&first, &bootstrap(&other)));
    let seeds = [[1; 32], [2; 32]];
    let [one, two] = seeds.map(|seed| bootstrap(&with_keys_of(&server).with_angles(seed)));
    assert!(!same_bits(&one, &two));
    // Matrices prepared with other angles are prepared again.
    assert!(same_bits(&one, &bootstrap(&other.with_angles(seeds[0]))));
    assert!(same_bits(&two, &bootstrap(&server.with_angles(seeds[0]).with_angles(seeds[1]))));
}
