// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The data sent to a card contain no secrets: neither secret keys nor encrypted values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;

use halimede_ckks::evaluator::rotation_exponent;
use halimede_ckks::executor::{ExecutorError, ProgramPlace, Routine};
use halimede_ckks::{Client, Complex, Operations, Parameters};

use crate::link::{longest_run, pieces};
use crate::patterns::{of_secret, of_values};
use crate::test_card::{hash, remote, TestCard};

fn values(seed: usize) -> Vec<Complex> {
    (0..512usize).map(|k| Complex::new(((k * 37 + seed) % 101) as f64 / 127.0, 0.3)).collect()
}

#[test]
fn no_secret_goes_to_a_card() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 21);
    let operations = Operations {
        multiply: true,
        conjugate: true,
        rotations: vec![1, 2, 4],
        ..Operations::default()
    };
    let server = Arc::new(client.server(&operations));
    let plain = [values(3), values(58)];
    let [x, y] = plain.each_ref().map(|values| client.encrypt(values).unwrap());
    let card = TestCard::new(23);
    let place = card.place();
    let remote = remote(&server, &place);
    let [a, b] = [&x, &y].map(|x| remote.upload(x).unwrap());
    for routine in [
        Routine::Add,
        Routine::Multiply,
        Routine::Rotate(vec![1, 2, 4]),
        Routine::Conjugate,
        Routine::InnerSum { count: 4, batch: 1 },
        Routine::Rescale,
    ] {
        remote.call(&routine, &[&a, &b][..routine.takes()]).unwrap();
    }
    let written = card.written();
    let pieces = pieces(&written);
    let mut patterns = Vec::new();
    let exponents = [1, 2, 4].map(|steps| rotation_exponent(&parameters, steps));
    of_secret(&mut patterns, "the secret key", client.secret(), &exponents);
    for (values, ciphertext) in plain.iter().zip([&x, &y]) {
        of_values(&mut patterns, &client, values, ciphertext);
    }
    assert!(patterns.len() > 50);
    for pattern in &patterns {
        let run = longest_run(&pattern.bytes(), pattern.telling, &pieces);
        assert!(run < pattern.least, "{}: {run} bytes in a row", pattern.name);
    }
    // All expected data are found in the same way: every limb of the ciphertexts, and the number of
    // bytes of all keys' first halves; the second halves are sent as seeds.
    for limb in [&x, &y].iter().flat_map(|x| x.parts()).flat_map(|part| part.limbs()) {
        let bytes: Vec<u8> = limb.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(bytes.chunks_exact(16).all(|piece| pieces.contains(piece)));
    }
    assert!(written.len() > server.keys().bytes() / 2, "{}", written.len());
    for (_, key) in server.keys().iter() {
        assert!(pieces.contains(&key.seed()[..16]) && pieces.contains(&key.seed()[16..]));
    }
}

/// A polynomial marked secret is rejected before any of it is sent.
#[test]
fn a_secret_polynomial_is_refused() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 22);
    let x = client.encrypt(&values(5)).unwrap();
    let card = TestCard::new(23);
    let executor = card.place().executor(&parameters).unwrap();
    let [c0, c1] = x.parts().map(Clone::clone);
    assert!(executor.upload([&c0, &c1]).is_ok());
    let mut secret = parameters.ring().restrict(&c1, c1.basis());
    secret.mark_secret();
    for parts in [[&c0, &secret], [&secret, &c1]] {
        let error = executor.upload(parts).err().unwrap();
        assert!(matches!(error, ExecutorError::Secret { .. }), "{error}");
        assert_eq!(error.to_string(), "\"a ciphertext\" is secret and must not be sent to card");
    }
    assert!(card.written().is_empty());
    assert_eq!(hash(&x).len(), 32);
}
