// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Unencrypted parts of expressions, and their resulting bounds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{zip, Setting};
use halimede_ckks::{Accuracy, Bound, Complex, EvaluationKeys, Expression, Values};
use rand::Rng;

const SLOTS: usize = 512;

#[test]
fn functions_of_vectors_are_bounded_by_what_their_arguments_are_declared_within() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let a = setting.real_pair(SLOTS, 3, (-1.0, 1.0));
    let vector: Vec<f64> = (0..SLOTS).map(|_| setting.rng.gen_range(-2.0..2.0)).collect();
    let plain = Expression::plain(Values::from(&vector).within(2.0));
    let x = Expression::input("x") * plain.map(f64::exp, Accuracy::Degree(3));
    let product = setting.server.run(&x, &[("x", &a.ciphertext)]).unwrap();
    let factors: Vec<Complex> = vector.iter().map(|x| x.exp().into()).collect();
    setting.check(&product, &zip(&a.plain, &factors, |a, b| a * b), "a product with exp");
    // e² and a margin, for any vector.
    let zeros = Expression::plain(Values::from(&vec![0.0; SLOTS]).within(2.0));
    let of_zeros = Expression::input("x") * zeros.map(f64::exp, Accuracy::Degree(3));
    let of_zeros = setting.server.run(&of_zeros, &[("x", &a.ciphertext)]).unwrap();
    assert_eq!(of_zeros.bound(), product.bound());
    let most = 2f64.exp();
    assert!((most..1.05 * most).contains(&product.bound().magnitude()), "{}", product.bound());
    // If the function is not finite on the whole interval, the default applies.
    let roots = Expression::plain(Values::from(&[0.25; SLOTS]).bounded(Bound::between(-1.0, 1.0)));
    let sum = Expression::input("x") + roots.map(f64::sqrt, Accuracy::Degree(3));
    let sum = setting.server.run(&sum, &[("x", &a.ciphertext)]).unwrap();
    let expected: Vec<Complex> = a.plain.iter().map(|x| *x + Complex::from(0.5)).collect();
    setting.check(&sum, &expected, "a sum with roots");
    assert_eq!(sum.bound().magnitude(), 2.0);
}

#[test]
fn a_key_that_replaces_the_only_one_brings_its_owner() {
    let [mut ours, mut theirs] = [(); 2].map(|()| Setting::new("n10-insecure", &[]));
    let parameters = ours.server.parameters().clone();
    theirs.client = halimede_ckks::Client::of_test(&parameters, 99);
    let mut keys = EvaluationKeys::new(&parameters);
    let of = halimede_ckks::keys::KeyUse::Multiply;
    keys.insert(of, theirs.client.evaluation_key(of, 2));
    assert_eq!(keys.owner(), Some(theirs.client.secret().id()));
    keys.insert(of, ours.client.evaluation_key(of, 2));
    assert_eq!(keys.owner(), Some(ours.client.secret().id()));
    let conjugation = halimede_ckks::evaluator::conjugation_exponent(&parameters);
    let other = halimede_ckks::keys::KeyUse::Automorphism(conjugation);
    keys.insert(other, theirs.client.evaluation_key(other, 2));
    assert_eq!(keys.owner(), Some(ours.client.secret().id()));
}

#[test]
fn a_scale_that_cannot_be_kept_is_said_to_be() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let a = setting.pair(SLOTS, 4);
    let explicit = setting.server.explicit();
    let square = explicit.mul(&a.ciphertext, &a.ciphertext).unwrap();
    let power = explicit.mul(&square, &a.ciphertext).unwrap();
    for level in 0..4 {
        if let Err(error) = explicit.drop_to_level(&power, level) {
            assert!(!error.to_string().contains("which differ"), "{error}");
        }
    }
}
