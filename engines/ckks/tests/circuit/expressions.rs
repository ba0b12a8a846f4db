// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Expressions, their plans and their results, against plain complex numbers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::setting::{zip, Setting};
use halimede_ckks::circuit::{CircuitError, Input};
use halimede_ckks::keys::KeyUse;
use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::{
    Accuracy, Bound, Ciphertext, Client, Complex, Diagonals, EvaluationKeys, Expression,
    Operations, Parameters, Plan, Polynomial, Server, Sign, Values,
};
use proptest::prelude::*;
use rand::Rng;

const SLOTS: usize = 512;

fn map(a: &[Complex], of: impl Fn(Complex) -> Complex) -> Vec<Complex> {
    a.iter().map(|a| of(*a)).collect()
}

fn turned(a: &[Complex], by: i64) -> Vec<Complex> {
    let mut turned = a.to_vec();
    turned.rotate_left(by.rem_euclid(a.len() as i64) as usize);
    turned
}

/// Checks that a result decrypts to values, within its estimate.
fn check(setting: &Setting, ciphertext: &Ciphertext, plain: &[Complex], what: &str) {
    let values = setting.client.decrypt(ciphertext).unwrap();
    let errors = values.iter().zip(plain).map(|(a, b)| (*a - *b).abs());
    let (worst, error) = (errors.fold(0.0, f64::max), ciphertext.estimate().error);
    assert!(values.len() == plain.len() && worst < 8.0 * error, "{what}: {worst:e}, not {error:e}");
    let largest = plain.iter().map(|value| value.abs()).fold(0.0, f64::max);
    assert!(largest <= ciphertext.estimate().magnitude() * 1.0001, "{what}: {largest}");
}

fn inputs(of: &[(&str, Input)]) -> BTreeMap<String, Input> {
    of.iter().map(|(name, input)| ((*name).to_owned(), *input)).collect()
}

#[test]
fn every_form_of_an_operator() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let (a, b) = (setting.pair(SLOTS, 2), setting.pair(SLOTS, 4));
    let (c, number) = (setting.values(SLOTS), Complex::new(0.75, -1.5));
    let (x, y) = (Expression::input("x"), Expression::input("y"));
    let with = |of: &dyn Fn(Complex) -> Complex| map(&a.plain, of);
    let both = |of: &dyn Fn(Complex, Complex) -> Complex| zip(&a.plain, &b.plain, of);
    let vector = |of: &dyn Fn(Complex, Complex) -> Complex| zip(&a.plain, &c, of);
    let one = Complex::from(1.0);
    let cases = [
        (&x + &y, both(&|a, b| a + b)),
        (x.clone() + y.clone(), both(&|a, b| a + b)),
        (&x - y.clone(), both(&|a, b| a - b)),
        (x.clone() * &y, both(&|a, b| a * b)),
        (-&x, with(&|a| -a)),
        (-(-x.clone()), with(&|a| a)),
        (&x + 0.3, with(&|a| a + Complex::from(0.3))),
        (0.3 - &x, with(&|a| Complex::from(0.3) - a)),
        (2 * &x - 1, with(&|a| a * 2.0 - one)),
        (&x * -3, with(&|a| a * -3.0)),
        (&x * Complex::new(0.0, 5.0), with(&|a| a * Complex::new(0.0, 5.0))),
        (number * x.clone(), with(&|a| a * number)),
        (number - &x, with(&|a| number - a)),
        (&x * &c, vector(&|a, c| a * c)),
        (c.clone() + &x, vector(&|a, c| a + c)),
        (c.as_slice() - &x, vector(&|a, c| c - a)),
        (&x - c.clone(), vector(&|a, c| a - c)),
        ((Expression::from(&c) * 2.0 - number) * &x, vector(&|a, c| a * (c * 2.0 - number))),
    ];
    for (index, (expression, expected)) in cases.iter().enumerate() {
        let given = [("x", &a.ciphertext), ("y", &b.ciphertext)];
        let result = setting.server.run(expression, &given).unwrap();
        check(&setting, &result, expected, &format!("case {index}"));
    }
}

#[test]
fn what_the_server_has_functions_for() {
    let shape = ChainShape { log_degree: 10, base_units: 12, steps: vec![8; 12], digits: 4 };
    let parameters = Parameters::insecure(shape, SecretKind::Ternary).unwrap();
    let mut setting = Setting::of(&parameters, &[1, 2, 4, 8, -4, -8, 16]);
    let plain: Vec<f64> = (0..SLOTS).map(|_| setting.rng.gen_range(0.25..1.0f64)).collect();
    let signed: Vec<f64> =
        plain.iter().map(|x| *x * if setting.rng.gen() { 1.0 } else { -1.0 }).collect();
    let positive = Values::from(&plain).bounded(Bound::between(0.25, 1.0));
    let [a, b] =
        [positive, Values::from(&signed)].map(|v| setting.client.encrypt_at(v, 12).unwrap());
    let [plain, signed] =
        [plain, signed].map(|v| v.into_iter().map(Complex::from).collect::<Vec<Complex>>());
    let (x, y) = (Expression::input("x"), Expression::input("y"));
    let sign = Sign::new(2.0, 0.2, 1e-2).unwrap();
    let polynomial = Polynomial::chebyshev(&[0.25, -1.0, 0.0, 0.5], (-1.0, 1.0)).unwrap();
    let diagonals = [0i64, 1, 8].map(|step| (step, setting.values(SLOTS)));
    let matrix = Diagonals::new(SLOTS, diagonals).unwrap();
    let real = |of: &dyn Fn(f64) -> f64, v: &[Complex]| map(v, |x| of(x.re).into());
    let sum = |v: &[Complex], by: &[i64]| {
        let zeros = vec![Complex::default(); SLOTS];
        by.iter().fold(zeros, |sum, by| zip(&sum, &turned(v, *by), |a, b| a + b))
    };
    let larger = zip(&signed, &plain, |a, b| if a.re > b.re { a } else { b });
    let smaller = zip(&signed, &plain, |a, b| if a.re > b.re { b } else { a });
    let interval = (0.2, 1.1);
    let cases: Vec<(&str, Expression, Vec<Complex>)> = vec![
        ("power 0", x.powi(0) + &x, real(&|x| 1.0 + x, &plain)),
        ("power 1", x.powi(1), plain.clone()),
        ("power 7", x.powi(7), real(&|x| x.powi(7), &plain)),
        ("power 8", y.powi(8), real(&|x| x.powi(8), &signed)),
        ("power 13", y.powi(13), real(&|x| x.powi(13), &signed)),
        (
            "rotations",
            x.rotate(8) - y.rotate(-8),
            zip(&turned(&plain, 8), &turned(&signed, -8), |a, b| a - b),
        ),
        ("composed rotation", y.rotate(3), turned(&signed, 3)),
        (
            "conjugate",
            (&y * Complex::new(0.0, 1.0)).conjugate(),
            map(&signed, |x| Complex::new(0.0, -x.re)),
        ),
        ("inner sum", y.inner_sum(3, 4), sum(&signed, &[0, 4, 8])),
        ("replicate", y.replicate(3, 4), sum(&signed, &[0, -4, -8])),
        ("polynomial", y.evaluate(polynomial.clone()), real(&|x| polynomial.value(x).re, &signed)),
        (
            "function",
            y.evaluate_function(f64::exp, (-1.0, 1.0), Accuracy::Error(1e-5)),
            real(&f64::exp, &signed),
        ),
        (
            "function where they lie",
            (&y * 3).map(f64::sin, Accuracy::Error(1e-4)),
            real(&|x| (3.0 * x).sin(), &signed),
        ),
        ("transform", y.linear_transform(matrix.clone()), matrix.apply(&signed)),
        ("sign", y.sign(&sign), real(&f64::signum, &signed)),
        ("positive", y.is_positive(&sign), real(&|x| f64::from(x > 0.0), &signed)),
        ("ReLU", y.relu(&sign), real(&|x| x.max(0.0), &signed)),
        ("maximum", (&y * 1.0).max(&x, &Sign::new(2.0, 0.01, 0.02).unwrap()), larger),
        ("minimum", y.min(&x, &Sign::new(2.0, 0.01, 0.02).unwrap()), smaller),
        ("inverse", x.inverse(interval, 1e-3), real(&f64::recip, &plain)),
        ("square root", x.square_root(interval, 1e-4), real(&f64::sqrt, &plain)),
        (
            "inverse square root",
            x.inverse_square_root(interval, 1e-3),
            real(&|x| x.sqrt().recip(), &plain),
        ),
        ("bound", x.bounded(1.0) * 2, real(&|x| 2.0 * x, &plain)),
    ];
    for (what, expression, expected) in cases {
        let given = [("x", &a), ("y", &b)];
        let described = given.map(|(name, a)| (name, Input::from(a)));
        let plan = Plan::new(&expression, &parameters, &inputs(&described)).unwrap();
        let result = setting.server.run_plan(&plan, &given, |_| {}).unwrap();
        assert_eq!(result.level(), plan.level(), "{what}");
        if what.contains("mum") {
            // Differences below the threshold are off by less than that.
            let values = setting.client.decrypt(&result).unwrap();
            assert!(values.iter().zip(&expected).all(|(a, b)| (*a - *b).abs() < 0.03), "{what}");
        } else {
            check(&setting, &result, &expected, what);
        }
        let largest = expected.iter().map(|value| value.abs()).fold(0.0, f64::max);
        let bound = plan.steps().last().unwrap().magnitude();
        assert!(largest <= bound * 1.0001 && bound < 20.0 * largest + 1.0, "{what}: {bound}");
    }
}

/// An expression, its result for plain vectors, and its number of levels.
#[derive(Clone, Debug)]
struct Random {
    expression: Expression,
    plain: Vec<Complex>,
}

/// Values that all cases share: those of x and y.
fn leaves() -> [Vec<Complex>; 2] {
    let mut setting = Setting::new("n10-insecure", &[]);
    [setting.values(SLOTS), setting.values(SLOTS)]
}

fn random_expression() -> impl Strategy<Value = Random> {
    let [x, y] = leaves();
    let leaf = prop_oneof![
        Just(Random { expression: Expression::input("x"), plain: x }),
        Just(Random { expression: Expression::input("y"), plain: y }),
        (-2.0..2.0f64, -1i32..=1).prop_map(|(re, im)| {
            let number = Complex::new(re, f64::from(im));
            Random { expression: number.into(), plain: vec![number; SLOTS] }
        }),
        (1i32..4)
            .prop_map(|n| Random { expression: n.into(), plain: vec![f64::from(n).into(); SLOTS] }),
    ];
    leaf.prop_recursive(4, 24, 2, |inner| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            pair().prop_map(|(a, b)| Random {
                expression: a.expression + b.expression,
                plain: zip(&a.plain, &b.plain, |a, b| a + b)
            }),
            pair().prop_map(|(a, b)| Random {
                expression: a.expression - &b.expression,
                plain: zip(&a.plain, &b.plain, |a, b| a - b)
            }),
            pair().prop_map(|(a, b)| Random {
                expression: &a.expression * b.expression,
                plain: zip(&a.plain, &b.plain, |a, b| a * b)
            }),
            // Shared.
            inner.clone().prop_map(|a| Random {
                expression: &a.expression * &a.expression - &a.expression,
                plain: map(&a.plain, |a| a * a - a)
            }),
            (inner.clone(), -3i64..=3).prop_map(|(a, by)| Random {
                expression: a.expression.rotate(by) + a.expression.rotate(1 - by),
                plain: zip(&turned(&a.plain, by), &turned(&a.plain, 1 - by), |a, b| a + b)
            }),
            inner.prop_map(|a| Random {
                expression: -a.expression.conjugate(),
                plain: map(&a.plain, |a| -a.conjugate())
            }),
        ]
    })
}

#[test]
fn random_expressions_within_their_estimate() {
    let mut setting = Setting::new("n10-insecure", &[1, 2, 4, -1, -2]);
    let [x, y] = leaves().map(|values| setting.client.encrypt_at(&values, 4).unwrap());
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 150,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let setting = &setting;
    let (computed, refused) = (std::cell::Cell::new(0), std::cell::Cell::new(0));
    let outcome = runner.run(&random_expression(), |random| {
        let count = |of: &std::cell::Cell<i32>| of.set(of.get() + 1);
        match setting.server.run(&random.expression, &[("x", &x), ("y", &y)]) {
            Ok(result) => {
                // Differences of equal values are exact.
                let values = setting.client.decrypt(&result).unwrap();
                let errors = values.iter().zip(&random.plain).map(|(a, b)| (*a - *b).abs());
                let worst = errors.fold(0.0, f64::max);
                prop_assert!(worst <= 8.0 * result.estimate().error, "{worst:e}, {result:?}");
                count(&computed);
            }
            Err(CircuitError::NothingEncrypted) => count(&refused),
            Err(error) => {
                // The only possible error is too few levels.
                prop_assert!(error.to_string().contains("needs level"), "{error}");
                count(&refused);
            }
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(computed.get() > 60 && refused.get() > 5, "{computed:?}, {refused:?}");
}

#[test]
fn what_is_the_same_is_computed_once_and_rotations_together() {
    let mut setting = Setting::new("n10-insecure", &[1, 5]);
    let a = setting.pair(SLOTS, 4);
    let x = Expression::input("x");
    let square = || Expression::input("x") * Expression::input("x");
    let expression =
        (square().rotate(1) + square().rotate(5)) * 2.5 + (&x * &x).rotate(1) * 2.5 + square();
    let given = [("x", &a.ciphertext)];
    let plan = Plan::new(
        &expression,
        setting.server.parameters(),
        &inputs(&[("x", (&a.ciphertext).into())]),
    )
    .unwrap();
    // x, x², two rotations, their sum, two products with 2.5, two sums.
    assert_eq!(plan.steps().len(), 9, "{plan}");
    assert_eq!((plan.depth(), plan.level()), (2, 2));
    let ring = setting.server.parameters().ring();
    let recording = ring.start_recording();
    let result = setting.server.run_plan(&plan, &given, |_| {}).unwrap();
    let ours = recording.end();
    let recording = ring.start_recording();
    let s = &setting.server;
    let square = s.mul(&a.ciphertext, &a.ciphertext).unwrap();
    let turned = s.rotate_many(&square, &[1, 5]).unwrap();
    let number = |a| s.mul_number(a, Complex::from(2.5)).unwrap();
    let sum = s.add(&number(&s.add(&turned[0], &turned[1]).unwrap()), &number(&turned[0])).unwrap();
    let expected = s.add(&sum, &square).unwrap();
    assert_eq!(ours.counts(), recording.end().counts());
    let same = (0..2).all(|part| result.parts()[part].limbs().eq(expected.parts()[part].limbs()));
    assert!(same && result.estimate() == expected.estimate());
}

#[test]
fn a_plan_tells_the_keys_that_are_needed_and_no_others() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 5);
    let (x, y) = (Expression::input("x"), Expression::input("y"));
    let column: Vec<Complex> = (0..64).map(|k| Complex::new(f64::from(k) / 80.0, 0.5)).collect();
    let matrix =
        Diagonals::new(64, [(0, column.clone()), (3, column.clone()), (40, column)]).unwrap();
    let expression =
        (&x * &y).rotate(70) + x.conjugate().inner_sum(5, 3) * 0.5 + y.linear_transform(matrix);
    let mut setting = Setting::new("n10-insecure", &[]);
    let (a, b) = (setting.values(64), setting.values(64));
    let [a, b] = [a, b].map(|values| client.encrypt(&values).unwrap());
    let given = [("x", &a), ("y", &b)];
    let described = inputs(&given.map(|(name, a)| (name, a.into())));
    let plan = Plan::new(&expression, &parameters, &described).unwrap();
    let operations = plan.operations();
    assert!(operations.multiply && operations.conjugate && !operations.bootstrap);
    assert!([3, 6].iter().all(|by| operations.rotations.contains(by)), "{operations:?}");
    let server = client.server(&operations);
    server.run_plan(&plan, &given, |_| {}).unwrap();
    let one_more =
        |place| if place < 2 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
    let stopped = server.run_plan_while(&plan, &given, one_more).map(drop).unwrap_err();
    assert_eq!(stopped, CircuitError::Stopped { done: 3, steps: plan.steps().len() });
    // If any of them is missing, the run does not begin.
    let keys = client.evaluation_keys(&operations);
    let mut refused = 0;
    for (without, _) in keys.iter() {
        let mut fewer = EvaluationKeys::new(&parameters);
        let copy = client.evaluation_keys(&operations);
        let mut file = Vec::new();
        copy.save(&mut file).unwrap();
        let copy = EvaluationKeys::load(&file[..], &parameters).unwrap();
        for (of, _) in copy.iter().filter(|(of, _)| *of != without) {
            fewer.insert(of, client.evaluation_key(of, parameters.top()));
        }
        let mut done = 0;
        // A rotation may be composed of others.
        if let Err(error) = Server::new(fewer).run_plan(&plan, &given, |_| done += 1) {
            assert!(error.to_string().contains("no key to"), "{error}");
            refused += 1;
        } else {
            assert!(!operations.rotations.is_empty());
        }
        assert!(done == 0 || done == plan.steps().len());
    }
    assert!(refused >= 3, "{refused}");
    let none = Server::new(EvaluationKeys::new(&parameters));
    let error = none.run(&expression, &given).unwrap_err().to_string();
    for text in ["conjugate", "multiply ciphertexts", "rotate by 3", "rotate by 6", "rotate by 40"]
    {
        assert!(error.contains(text), "{error}");
    }
    // Keys for too low a level.
    let mut file = Vec::new();
    client.save_evaluation_keys(&operations, 2, &mut file, |_, _| {}).unwrap();
    let low = Server::new(EvaluationKeys::load(&file[..], &parameters).unwrap());
    let error = low.run(&expression, &given).unwrap_err().to_string();
    assert!(error.contains("goes up to level 2"), "{error}");
}

/// Returns a server that bootstraps, at a small ring with three levels.
pub fn bootstrapping() -> Setting {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let mut client = Client::of_test(&parameters, 41);
    let operations =
        Operations { multiply: true, rotations: vec![1], bootstrap: true, ..Operations::default() };
    let angles = *b"angles of slots, fixed for tests";
    let server = client.server(&operations).with_angles(angles);
    Setting { server, client, ..Setting::new("n10-insecure", &[]) }
}

#[test]
fn deep_circuits_are_bootstrapped_where_they_must_be() {
    let mut setting = bootstrapping();
    // A logistic map, which stays in [0, 1]: two and a half levels per round.
    let plain: Vec<Complex> =
        (0..SLOTS).map(|_| setting.rng.gen_range(0.1..0.9f64).into()).collect();
    let ciphertext = setting.client.encrypt(&plain).unwrap();
    let (mut expression, mut expected) = (Expression::input("x"), plain);
    for _ in 0..4 {
        let x = expression.bounded(1.0);
        expression = 2.5 * (&x - &x * &x);
        expected = map(&expected, |x| (x - x * x) * 2.5);
    }
    let described = inputs(&[("x", (&ciphertext).into())]);
    let plan = Plan::new(&expression, setting.server.parameters(), &described).unwrap();
    // Eight levels, three of fresh ciphertexts and three of each bootstrap.
    assert_eq!((plan.depth(), plan.bootstraps(), plan.is_least()), (8, 2, true), "{plan}");
    let operations = plan.operations();
    assert!(operations.bootstrap && operations.bootstrap_slots.is_empty(), "{operations:?}");
    let result = setting.server.run(&expression, &[("x", &ciphertext)]).unwrap();
    check(&setting, &result, &expected, "logistic map");
    let values = setting.client.decrypt(&result).unwrap();
    let worst = values.iter().zip(&expected).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
    assert!(worst < 2f64.powi(-18), "{worst:e}");
    // Inputs above the levels of users, and one below.
    for level in [0, 1, setting.client.parameters().top()] {
        let x = Expression::input("x");
        let pair = setting.pair(SLOTS, level);
        let result = setting.server.run(&(&x * &x), &[("x", &pair.ciphertext)]).unwrap();
        let expected = map(&pair.plain, |x| x * x);
        check(&setting, &result, &expected, &format!("square from level {level}"));
    }
}

#[test]
fn vectors_of_few_slots_are_bootstrapped_by_a_form_of_their_own() {
    let mut setting = bootstrapping();
    for slots in [8, 256] {
        let plain = map(&setting.values(slots), |x| x * 0.7);
        let ciphertext = setting.client.encrypt_at(&plain, 0).unwrap();
        let x = Expression::input("x");
        let expression = &x * &x - x.rotate(-1);
        let described = inputs(&[("x", (&ciphertext).into())]);
        let plan = Plan::new(&expression, setting.server.parameters(), &described).unwrap();
        let operations = plan.operations();
        assert!(!operations.bootstrap && operations.bootstrap_slots == [slots], "{operations:?}");
        let keys = format!("keys        products, bootstraps of {slots} slots, rotation by");
        assert!(plan.to_string().contains(&keys), "{plan}");
        let turned = |i: usize| plain[(i + slots - 1) % slots];
        let expected: Vec<Complex> =
            plain.iter().enumerate().map(|(i, x)| *x * *x - turned(i)).collect();
        // The keys of the form suffice, and so do those of all vectors.
        let own = setting.client.server(&operations);
        assert!(!own.can_bootstrap());
        for server in [&own, &setting.server] {
            let result = server.run_plan(&plan, &[("x", &ciphertext)], |_| {}).unwrap();
            check(&setting, &result, &expected, &format!("{slots} slots"));
        }
        let without = Operations { bootstrap_slots: Vec::new(), ..operations };
        let error = setting.client.server(&without).check_plan(&plan).unwrap_err().to_string();
        assert!(error.contains(&format!("bootstrap vectors of {slots} slots")), "{error}");
    }
}

#[test]
fn large_values_are_scaled_through_a_bootstrap() {
    let mut setting = bootstrapping();
    for (largest, level) in [(1.0, 0), (4.0, 0), (4.1, 1), (60.0, 1), (127.9, 3)] {
        let values = setting.values(SLOTS);
        let scale = largest / values.iter().map(|x| x.abs()).fold(0.0, f64::max);
        let plain = map(&values, |x| x * scale);
        let declared = Values::from(&plain).within(largest);
        let ciphertexts = setting.client.encrypt_at(declared, level).unwrap();
        let x = Expression::input("x").bootstrap();
        let result = setting.server.run(&x, &[("x", &ciphertexts)]).unwrap();
        assert_eq!(result.level(), 3);
        check(&setting, &result, &plain, &format!("values up to {largest}"));
        let values = setting.client.decrypt(&result).unwrap();
        let worst = values.iter().zip(&plain).map(|(a, b)| (*a - *b).abs()).fold(0.0, f64::max);
        assert!(worst < largest.max(1.0) * 2f64.powi(-19), "{largest}: {worst:e}");
    }
    // The smaller one of the possible values is bootstrapped, and its known bound counts.
    let Setting { server, client, .. } = &mut setting;
    let ciphertexts = client.encrypt_at(&[Complex::from(0.5); SLOTS], 0).unwrap();
    let described = inputs(&[("x", (&ciphertexts).into())]);
    let x = Expression::input("x");
    let large = &x * 100;
    let plan = Plan::new(&(&large * &large), server.parameters(), &described).unwrap();
    assert!(plan.steps()[1].is_bootstrap() && plan.bootstraps() == 1, "{plan}");
    let squared = |large: &Expression| {
        let power = large.powi(3);
        Plan::new(&power.powi(8), server.parameters(), &described).map(|plan| plan.bootstraps())
    };
    let error = squared(&(&x * 1000)).unwrap_err().to_string();
    assert!(
        error.contains("too large for a bootstrap") && error.contains("smaller bound"),
        "{error}"
    );
    assert_eq!(squared(&(&x * 1000).bounded(1.0)), Ok(2));
    // A level is needed for the division: the operand is bootstrapped earlier.
    let plan = Plan::new(&large.bootstrap(), server.parameters(), &described).unwrap();
    assert_eq!(plan.bootstraps(), 2, "{plan}");
    server.run_plan(&plan, &[("x", &ciphertexts)], |_| {}).unwrap();
    // The declared bound counts if it is smaller than the given one, and vice versa.
    assert!(server.bootstrap_within(&ciphertexts, 129.0).is_ok());
    let values = [Complex::from(0.5); SLOTS];
    let [five, large] = [5.0, 200.0]
        .map(|bound| client.encrypt_at(Values::from(&values).within(bound), 0).unwrap());
    assert!(server.bootstrap_within(&five, 4.0).is_ok());
    for magnitude in [5.0, f64::INFINITY] {
        let error = server.bootstrap_within(&five, magnitude).unwrap_err().to_string();
        assert!(error.contains("a bootstrap of values above 4 needs level 1"), "{error}");
    }
    let error = server.bootstrap_within(&large, 129.0).unwrap_err().to_string();
    assert!(error.contains("values up to 128, and these may be up to 129"), "{error}");
}

#[test]
fn what_cannot_be_planned_says_why() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let (a, b) = (setting.pair(64, 4), setting.pair(32, 4));
    let c = setting.real_pair(64, 4, (-1.0, 1.0));
    let given = [("r", &c.ciphertext), ("x", &a.ciphertext), ("y", &b.ciphertext)];
    let [r, x, y, z] = ["r", "x", "y", "z"].map(Expression::input);
    let numbers = |count: usize| vec![Complex::new(0.5, 0.25); count];
    let sign = Sign::new(1.0, 0.1, 0.1).unwrap();
    let nan = f64::NAN;
    let i = Complex::new(0.0, 1.0);
    let cases: Vec<(Expression, &str)> = vec![
        (&x + &z, "no ciphertext is called z; the names are: r, x, y"),
        ((&x + &y).labeled("the sum of both"), "the sum of both: a vector of 64 values"),
        (&x + &y * 0.5, "a vector of 64 values and one of 32"),
        (&x * numbers(32), "64 values and one of 32"),
        (&x * numbers(128), "64 values and one of 128"),
        (Expression::from(numbers(16)) + numbers(8) + &x, "16 values and one of 8"),
        (&x + Vec::new(), "no value to encode"),
        (Expression::from(3.0) * 2.0, "contains no ciphertext"),
        (&x * nan, "only finite numbers"),
        (&x * (Expression::from(1e200) * 1e200), "this number is not finite"),
        (Expression::from(i).map(f64::sin, Accuracy::Degree(3)) + &x, "needs real numbers"),
        (Expression::from(i).relu(&sign) + &x, "ReLU needs real numbers"),
        (x.bounded(nan), "is not a valid bound"),
        (x.inner_sum(9, 8), "9 batches of 8 slots do not fit in 64"),
        (x.replicate(usize::MAX, 2), "do not fit"),
        (r.inverse((-1.0, 1.0), 0.1), "not finite at 0"),
        (r.square_root((-1.0, 1.0), 0.1), "not finite at"),
        (r.map(f64::ln, Accuracy::Error(0.1)), "not finite at"),
        (x.map(f64::exp, Accuracy::Degree(3)), "needs real arguments, and these are complex"),
        ((&r * 2).evaluate_function(f64::exp, (-1.0, 1.0), Accuracy::Degree(3)), "from -2 to 2"),
        (r.evaluate_function(f64::exp, (1.0, -1.0), Accuracy::Degree(3)), "is not an interval"),
        (
            x.linear_transform(Diagonals::new(8, [(0, numbers(8))]).unwrap()),
            "64 values and one of 8",
        ),
        (x.powi(32).labeled("a power"), "a power: the ciphertext is at level 0"),
        (x.powi(9) * &x * &x, "needs level 1"),
        (x.bootstrap(), "no levels for a bootstrap"),
    ];
    for (expression, text) in cases {
        let error = setting.server.run(&expression, &given).unwrap_err().to_string();
        assert!(error.contains(text), "{error:?}, not {text:?}");
    }
    // A plan for other inputs, and for other parameters.
    let planned = Input::from(&a.ciphertext);
    let double = &x * 2;
    let parameters = setting.client.parameters().clone();
    let plan = Plan::new(&double, &parameters, &inputs(&[("x", planned)])).unwrap();
    setting.server.run_plan(&plan, &given, |_| {}).unwrap();
    let low = setting.server.at_level(&a.ciphertext, 1).unwrap();
    let large = setting.server.mul_integer(&a.ciphertext, 2).unwrap();
    for other in [&low, &large, &b.ciphertext] {
        let error = setting.server.run_plan(&plan, &[("x", other)], |_| {}).unwrap_err();
        assert!(error.to_string().contains("plan again for this input"), "{error}");
    }
    let error = setting.server.run_plan(&plan, &[("w", &low)], |_| {}).unwrap_err();
    assert!(error.to_string().contains("no ciphertext is called x; the names are: w"), "{error}");
    let other = Parameters::preset("n13-insecure").unwrap();
    let plan = Plan::new(&double, &other, &inputs(&[("x", planned)])).unwrap();
    let error = setting.server.run_plan(&plan, &given, |_| {}).unwrap_err();
    assert_eq!(error, CircuitError::Parameters);
}

#[test]
fn plans_are_printed_as_tables() {
    let parameters = Parameters::preset("n10-boot-insecure").unwrap();
    let x = Expression::input("x");
    let expression = (x.powi(4).powi(3) * 0.5 + x.rotate(-1)).labeled("the result");
    let described = inputs(&[("x", Input::fresh(&parameters, Bound::real(1.0)))]);
    let plan = Plan::new(&expression, &parameters, &described).unwrap();
    let text = plan.to_string();
    for line in ["step  what", "input x", "rotation by -1", "bootstrap", "the result"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.contains("depth       5") && text.contains("bootstraps  1"), "{text}");
    assert!(text.contains("keys        products, bootstraps, rotation by 511"), "{text}");
    // A polynomial that needs more levels than a bootstrap leaves.
    let deep = x.map(f64::exp, Accuracy::Degree(40));
    let error = Plan::new(&deep, &parameters, &described).err().unwrap().to_string();
    assert!(error.contains("this needs 5 levels, but a bootstrap leaves 3"), "{error}");
}

/// Returns a circuit whose rotations are used at several levels, with bootstraps of its 64 slots,
/// and the entries of its matrix.
pub fn deep(setting: &mut Setting, entry: f64) -> (Plan, Ciphertext, Vec<Complex>) {
    let plain = map(&setting.values(64), |x| x * 0.5);
    let ciphertext = setting.client.encrypt_at(&plain, 3).unwrap();
    let shift = |by: i64| (by, vec![Complex::from(entry); 64]);
    let matrix = Diagonals::new(64, [shift(1), shift(9)]).unwrap();
    let (mut expression, mut expected) = (Expression::input("x"), plain);
    for round in 1..=3 {
        let square = &expression * &expression;
        expression = square.linear_transform(matrix.clone()) + expression.rotate(10 * round + 3);
        let squares = map(&expected, |x| x * x);
        let sums = zip(&turned(&squares, 1), &turned(&squares, 9), |a, b| (a + b) * 0.5);
        expected = zip(&sums, &turned(&expected, 10 * round + 3), |a, b| a + b);
    }
    let described = inputs(&[("x", (&ciphertext).into())]);
    let plan = Plan::new(&expression.bounded(2.0), setting.server.parameters(), &described);
    (plan.unwrap(), ciphertext, expected)
}

#[test]
fn keys_up_to_the_levels_that_they_are_used_at_suffice_and_lower_ones_do_not() {
    let mut setting = bootstrapping();
    let (plan, ciphertext, expected) = deep(&mut setting, 0.5);
    assert!(plan.bootstraps() > 0, "{plan}");
    let parameters = setting.server.parameters().clone();
    let keys = plan.keys_by_level(false);
    let all = plan.operations().keys(&parameters);
    assert!(keys.keys().eq(all.keys()));
    assert!(keys.iter().all(|(of, level)| level <= &all[of]), "{keys:?} {all:?}");
    assert_ne!(keys, all, "{plan}");
    let made = |client: &mut Client, keys: &BTreeMap<KeyUse, usize>| {
        let mut made = EvaluationKeys::new(&parameters);
        for (of, level) in keys {
            made.insert(*of, client.evaluation_key(*of, *level));
        }
        Server::new(made)
    };
    let server = made(&mut setting.client, &keys);
    let result = server.run_plan(&plan, &[("x", &ciphertext)], |_| {}).unwrap();
    check(&setting, &result, &expected, "keys by level");
    // The key of a rotation that bootstraps do not need.
    let bootstraps = Operations { rotations: Vec::new(), ..plan.operations() }.keys(&parameters);
    let (of, level) = keys.iter().find(|(of, _)| !bootstraps.contains_key(of)).unwrap();
    assert!(*level > 0, "{level}");
    let mut lower = keys.clone();
    lower.insert(*of, level - 1);
    let error = made(&mut setting.client, &lower).run_plan(&plan, &[("x", &ciphertext)], |_| {});
    let error = error.unwrap_err().to_string();
    assert!(error.contains("level"), "{error}");
}

#[test]
fn matrices_without_room_are_encoded_in_each_run_to_the_same_bits() {
    let mut setting = bootstrapping();
    let (plan, ciphertext, expected) = deep(&mut setting, 0.5);
    let server = setting.client.server(&plan.operations());
    let run = |plan: &Plan| server.run_plan(plan, &[("x", &ciphertext)], |_| {}).unwrap();
    let result = run(&plan);
    check(&setting, &result, &expected, "all matrices are kept");
    let values = setting.client.decrypt(&result).unwrap();
    let all = plan.matrix_bytes();
    assert!(all > 0);
    for most in [0, all / 2, all - 1, all, usize::MAX] {
        let plan = deep(&mut setting, 0.5).0.keeping_matrices(most);
        for _ in 0..2 {
            assert_eq!(setting.client.decrypt(&run(&plan)).unwrap(), values, "{most}");
            assert!(plan.matrix_bytes() <= most && (plan.matrix_bytes() == all) == (most >= all));
        }
    }
}
