// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ciphertexts and keys of other parameters: each operation reports an error, and none panics.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{Outcome, Pair, Setting};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::params::{ChainShape, ParametersBuilder, Scale, SecretKind};
use halimede_ckks::{
    Accuracy, CircuitError, Complex, Diagonals, EvaluationError, LinearTransform, Polynomial,
};
use halimede_ckks::{EvaluationKeys, Parameters, Server, Sharing, SharingError, Sign};

/// Every operation that can fail, on a ciphertext and on one with the server's parameters.
fn outcomes(
    server: &Server,
    transform: &LinearTransform,
    Pair { ciphertext: a, plain }: &Pair,
    own: &Pair,
) -> Vec<(&'static str, Result<(), CircuitError>)> {
    let number = Complex::new(0.3, -0.7);
    let cubic = Polynomial::monomial(&[0.5, 0.0, 1.0, -1.0]).unwrap();
    let sign = Sign::new(1.0, 0.5, 0.1).unwrap();
    let interval = (0.5, 2.0);
    vec![
        ("add", server.add(a, &own.ciphertext).outcome()),
        ("add itself", server.add(a, a).outcome()),
        ("sub", server.sub(&own.ciphertext, a).outcome()),
        ("mul", server.mul(a, &own.ciphertext).outcome()),
        ("square", server.mul(a, a).outcome()),
        ("add_plain", server.add_plain(a, plain).outcome()),
        ("mul_plain", server.mul_plain(a, plain).outcome()),
        ("add_number", server.add_number(a, number).outcome()),
        ("mul_number", server.mul_number(a, number).outcome()),
        ("at_level", server.at_level(a, 0).outcome()),
        ("at_scale", server.at_scale(a, 0, Scale::exp2(30.0)).outcome()),
        ("rescale", server.rescale(a).outcome()),
        ("rotate", server.rotate(a, 1).outcome()),
        ("rotate_many", server.rotate_many(a, &[1, 2]).outcome()),
        ("conjugate", server.conjugate(a).outcome()),
        ("neg", server.neg(a).outcome()),
        ("mul_integer", server.mul_integer(a, 3).outcome()),
        ("mul_by_i", server.mul_by_i(a).outcome()),
        ("mul_encoded", {
            let encoded = server.encoder().encode(plain, 4).unwrap();
            server.mul_encoded(a, &encoded).outcome()
        }),
        ("inner_sum", server.inner_sum(a, 2, 1).outcome()),
        ("replicate", server.replicate(a, 3, 1).outcome()),
        ("linear_transform", server.linear_transform(a, transform).outcome()),
        ("evaluate", server.evaluate(a, &cubic).outcome()),
        ("evaluate_to", server.evaluate_to(a, &cubic, 0, Scale::exp2(30.0)).outcome()),
        ("evaluate_function", {
            server.evaluate_function(a, f64::exp, interval, Accuracy::Degree(3)).outcome()
        }),
        ("inverse", server.inverse(a, interval, 0.1).outcome()),
        ("square_root", server.square_root(a, interval, 0.1).outcome()),
        ("sign", server.sign(a, &sign).outcome()),
    ]
}

#[test]
fn ciphertexts_of_other_parameters_are_refused_by_each_operation() {
    let mut ours = Setting::new("n10-insecure", &[1, 2, -1, -2]);
    let encoder = ours.client.encoder();
    let diagonals = Diagonals::new(64, [(1, vec![Complex::from(0.5); 64])]).unwrap();
    let transform = LinearTransform::new(encoder, &diagonals, 2).unwrap();
    let deep = ParametersBuilder::new().depth(9).build_insecure(10).unwrap();
    let chain = ours.client.parameters().shape().chain().clone();
    let others = ChainShape { digits: 2, ..chain };
    let others = Parameters::insecure(others, SecretKind::Ternary).unwrap();
    let larger = Parameters::preset("n13-insecure").unwrap();
    // A larger ring, at a level that both have; the same N and places of primes, but other primes;
    // a level that does not exist.
    for (parameters, level) in [(larger, 4), (others, 4), (deep, 9)] {
        let theirs = Setting::of(&parameters, &[]).real_pair(64, level, (0.5, 1.0));
        let own = ours.real_pair(64, 4, (0.5, 1.0));
        for (what, outcome) in outcomes(&ours.server, &transform, &theirs, &own) {
            let error = outcome.expect_err(what);
            let is_said = matches!(error.evaluation(), Some(EvaluationError::Parameters { .. }));
            assert!(is_said, "{what} at level {level}: {error}");
            assert!(error.to_string().contains("n10-insecure"), "{error}");
        }
        let error = ours.client.decrypt(&theirs.ciphertext).unwrap_err();
        assert!(matches!(error, EvaluationError::Parameters { .. }), "{error}");
        let error = ours.client.decrypt_for_sharing(&theirs.ciphertext, &Sharing::new(8, 1));
        assert!(matches!(error, Err(SharingError::Parameters(_))), "{error:?}");
        // A plaintext of the other parameters.
        let plaintext = Setting::of(&parameters, &[]).client.encoder().encode(&own.plain, 4);
        let error = ours.server.mul_encoded(&own.ciphertext, &plaintext.unwrap()).unwrap_err();
        assert!(matches!(error, EvaluationError::Parameters { .. }), "{error}");
    }
    // The list only has possible operations.
    let own = ours.real_pair(64, 4, (0.5, 1.0));
    for (what, outcome) in outcomes(&ours.server, &transform, &own, &own) {
        let error = outcome.err();
        let error = error.as_ref().and_then(CircuitError::evaluation);
        assert!(!matches!(error, Some(EvaluationError::Parameters { .. })), "{what}");
    }
}

#[test]
fn keys_of_other_parameters_are_named() {
    let mut ours = Setting::new("n10-insecure", &[]);
    let mut theirs = Setting::new("n13-insecure", &[]);
    let mut keys = EvaluationKeys::new(ours.client.parameters());
    keys.insert(KeyUse::Multiply, theirs.client.evaluation_key(KeyUse::Multiply, 4));
    let a = ours.pair(64, 4);
    let error = Server::new(keys).mul(&a.ciphertext, &a.ciphertext).unwrap_err();
    assert!(matches!(error, EvaluationError::KeyParameters { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("n13-insecure") && text.contains("for n10-insecure"), "{text}");
}
