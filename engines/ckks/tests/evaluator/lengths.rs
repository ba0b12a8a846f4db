// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Five values stay five: the padding of a vector to a power of two affects no result.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use crate::setting::{zip, Pair, Setting};
use halimede_ckks::circuit::Input;
use halimede_ckks::linear::LinearError;
use halimede_ckks::{
    Accuracy, Bound, Ciphertext, Complex, Diagonals, EvaluationError, Expression, LinearTransform,
    Operations, Parameters, Plan, Values,
};
use proptest::prelude::*;
use rand::Rng;

/// Keys for all rotations of up to 64 slots.
fn setting() -> Setting {
    let rotations: Vec<i64> = [1, 2, 4, 8, 16, 32].into_iter().flat_map(|by| [by, -by]).collect();
    Setting::new("n10-insecure", &rotations)
}

fn sum(values: &[Complex]) -> Complex {
    values.iter().fold(Complex::default(), |sum, value| sum + *value)
}

fn turned(values: &[Complex], by: i64) -> Vec<Complex> {
    let mut turned = values.to_vec();
    turned.rotate_left(by.rem_euclid(values.len() as i64) as usize);
    turned
}

/// Checks the number of values, their slots, and the values.
fn check(setting: &Setting, ciphertext: &Ciphertext, plain: &[Complex], what: &str) {
    assert_eq!(
        (ciphertext.length(), ciphertext.slots()),
        (plain.len(), plain.len().next_power_of_two()),
        "{what}"
    );
    setting.check_worst(ciphertext, plain, 1.0, what);
}

/// Checks all operations that move values between places, on any vector.
fn check_places(setting: &Setting, a: &Pair, steps: &[i64], ranges: &[(usize, usize)]) {
    let (server, Pair { plain, ciphertext }) = (&setting.server, a);
    let count = plain.len();
    let what = |what: &str| format!("{what} of {count} values");
    check(setting, ciphertext, plain, &what("encryption"));
    let total = sum(plain);
    check(setting, &server.sum(ciphertext).unwrap(), &vec![total; count], &what("sum"));
    let mean = vec![total * (1.0 / count as f64); count];
    check(setting, &server.mean(ciphertext).unwrap(), &mean, &what("mean"));
    for by in steps {
        let expected = turned(plain, *by);
        check(
            setting,
            &server.roll(ciphertext, *by).unwrap(),
            &expected,
            &what(&format!("roll by {by}")),
        );
        check(
            setting,
            &server.rotate(ciphertext, *by).unwrap(),
            &expected,
            &what(&format!("rotation by {by}")),
        );
    }
    let many = server.rotate_many(ciphertext, steps).unwrap();
    many.iter().zip(steps).for_each(|(ciphertext, by)| {
        check(setting, ciphertext, &turned(plain, *by), &what("one of many rotations"));
    });
    for (from, to) in ranges {
        let slice = server.slice(ciphertext, *from, *to).unwrap();
        check(setting, &slice, &plain[*from..*to], &what(&format!("{from} to {to}")));
    }
    // A number added to all slots counts once per value.
    let number = Complex::new(0.5, -0.25);
    let shifted = server.add_number(ciphertext, number).unwrap();
    let expected = total + number * count as f64;
    check(
        setting,
        &server.sum(&shifted).unwrap(),
        &vec![expected; count],
        &what("sum of a shifted vector"),
    );
    let square = server.mul(ciphertext, ciphertext).unwrap();
    let squares = zip(plain, plain, |a, b| a * b);
    check(
        setting,
        &server.sum(&square).unwrap(),
        &vec![sum(&squares); count],
        &what("sum of squares"),
    );
}

#[test]
fn five_values_in_every_operation_on_places() {
    let mut setting = setting();
    for count in [5, 3, 7, 1, 2, 8] {
        let steps: Vec<i64> = (-2 * count as i64..=2 * count as i64).collect();
        let ranges: Vec<(usize, usize)> =
            (0..count).flat_map(|from| (from + 1..=count).map(move |to| (from, to))).collect();
        for level in [2, 4] {
            let a = setting.pair(count, level);
            check_places(&setting, &a, &steps, &ranges);
        }
        // Also after other operations, when the padding no longer repeats the first values.
        let (a, b) = (setting.pair(count, 4), setting.pair(count, 4));
        let rolled = setting.server.roll(&a.ciphertext, 1).unwrap();
        let ciphertext = setting.server.mul(&rolled, &b.ciphertext).unwrap();
        let plain = zip(&turned(&a.plain, 1), &b.plain, |a, b| a * b);
        check_places(&setting, &Pair { plain, ciphertext }, &steps, &ranges[..1]);
    }
}

#[test]
fn vectors_of_other_lengths_are_refused() {
    let mut setting = setting();
    let five = setting.pair(5, 3);
    let encoder = setting.client.encoder();
    for count in [8, 3, 4, 6, 10, 2] {
        let expected = EvaluationError::Length { left: 5, right: count };
        let encoded = encoder.encode(&vec![Complex::from(0.5); count], 3).unwrap();
        assert_eq!(setting.server.mul_encoded(&five.ciphertext, &encoded).err(), Some(expected));
    }
    for count in [8, 3, 4, 6, 10, 2, 1] {
        let (other, values) = (setting.pair(count, 3), setting.values(count));
        let server = &setting.server;
        let expected = EvaluationError::Length { left: 5, right: count };
        let explicit = server.explicit();
        for outcome in [
            server.add(&five.ciphertext, &other.ciphertext),
            server.sub(&five.ciphertext, &other.ciphertext),
            server.mul(&five.ciphertext, &other.ciphertext),
            explicit.add(&five.ciphertext, &other.ciphertext),
            explicit.mul(&five.ciphertext, &other.ciphertext),
        ] {
            assert_eq!(outcome.err(), Some(expected.clone()));
        }
        // One value is a number.
        if count > 1 {
            assert_eq!(server.add_plain(&five.ciphertext, &values).err(), Some(expected.clone()));
            assert_eq!(server.mul_plain(&five.ciphertext, &values).err(), Some(expected));
        }
    }
    let server = &setting.server;
    for (from, to) in [(0, 6), (5, 6), (3, 3), (4, 2), (0, usize::MAX), (usize::MAX, 1)] {
        let expected = EvaluationError::Range { from, to, length: 5 };
        assert_eq!(server.slice(&five.ciphertext, from, to).err(), Some(expected.clone()));
        let run = server.run(&Expression::input("x").slice(from, to), &[("x", &five.ciphertext)]);
        assert!(run.unwrap_err().to_string().contains("are out of range: the vector has 5"));
    }
    let error = server.inner_sum(&five.ciphertext, 2, 1).unwrap_err();
    assert!(matches!(error, EvaluationError::Ragged { length: 5, slots: 8, .. }), "{error}");
    let error = server.replicate(&five.ciphertext, 2, 1).unwrap_err();
    assert!(matches!(error, EvaluationError::Ragged { length: 5, slots: 8, .. }), "{error}");
    // Removing the padding needs a level.
    let low = server.at_level(&five.ciphertext, 0).unwrap();
    for outcome in
        [server.sum(&low), server.mean(&low), server.roll(&low, 1), server.slice(&low, 0, 2)]
    {
        let error = outcome.unwrap_err();
        assert!(matches!(error, EvaluationError::Level { got: 0, needed: 1, .. }), "{error}");
    }
    assert!(server.roll(&low, 5).is_ok() && server.slice(&low, 0, 5).is_ok());
}

#[test]
fn functions_see_no_filling_outside_of_their_interval() {
    let shape = halimede_ckks::params::ChainShape {
        log_degree: 10,
        base_units: 12,
        steps: vec![8; 9],
        digits: 3,
    };
    let parameters =
        Parameters::insecure(shape, halimede_ckks::params::SecretKind::Ternary).unwrap();
    let mut setting = Setting::of(&parameters, &[1, 2, 4, 8, -1, -2, -4, -5]);
    for count in [5, 3, 9] {
        let a = setting.real_pair(count, 9, (0.5, 2.0));
        let server = &setting.server;
        let map = |plain: &[Complex], of: &dyn Fn(f64) -> f64| -> Vec<Complex> {
            plain.iter().map(|x| of(x.re).into()).collect()
        };
        let inverse = server.inverse(&a.ciphertext, (0.5, 2.0), 1e-4).unwrap();
        check(&setting, &inverse, &map(&a.plain, &f64::recip), "inverse");
        let root = server.square_root(&a.ciphertext, (0.5, 2.0), 1e-4).unwrap();
        check(&setting, &root, &map(&a.plain, &f64::sqrt), "root");
        // The padding stays within the bound after any operation; zeros would not.
        for moved in [
            server.roll(&a.ciphertext, 1).unwrap(),
            server.slice(&a.ciphertext, 0, count - 1).unwrap(),
            server.slice(&a.ciphertext, 1, 2).unwrap(),
            server.mean(&a.ciphertext).unwrap(),
        ] {
            assert!(Bound::between(0.5, 2.0).contains_all(moved.bound()), "{}", moved.bound());
            let plain = setting.client.decrypt(&moved).unwrap();
            let again = server.inverse(&moved, (0.5, 2.0), 1e-3).unwrap();
            let values = setting.client.decrypt(&again).unwrap();
            let expected = map(&plain, &f64::recip);
            let worst =
                zip(&values, &expected, |a, b| a - b).iter().map(|x| x.abs()).fold(0.0, f64::max);
            assert!(worst < 2e-3, "{worst:e}");
            // A sum of all slots would reveal the padding.
            let total = server.sum(&again).unwrap();
            let error = (setting.client.decrypt(&total).unwrap()[0] - sum(&expected)).abs();
            assert!(error < 2e-3 * count as f64, "{error:e}");
        }
    }
}

#[test]
fn matrices_of_any_shape_take_columns_and_give_rows() {
    let mut setting = setting();
    for (rows, columns) in
        [(3, 5), (5, 3), (1, 7), (7, 1), (1, 1), (5, 5), (6, 8), (8, 6), (2, 33), (33, 2)]
    {
        let entries = setting.values(rows * columns);
        let diagonals = Diagonals::of_matrix(rows, columns, &entries).unwrap();
        let rotations: Vec<i64> =
            diagonals.rotations().into_iter().chain([1, 2, 4, 8, 16, 32]).collect();
        let operations = Operations { rotations, multiply: true, ..Operations::default() };
        setting.server = setting.client.server(&operations);
        let transform = LinearTransform::new(setting.client.encoder(), &diagonals, 3).unwrap();
        let a = setting.pair(columns, 4);
        let row = |row: usize| {
            let entries = &entries[row * columns..(row + 1) * columns];
            sum(&zip(entries, &a.plain, |entry, value| entry * value))
        };
        let expected: Vec<Complex> = (0..rows).map(row).collect();
        let what = format!("{rows} by {columns}");
        assert_eq!(diagonals.apply(&a.plain).len(), rows);
        let product = setting.server.linear_transform(&a.ciphertext, &transform).unwrap();
        check(&setting, &product, &expected, &what);
        // The padding of a product is within its bound as well, and does not affect later results.
        let total = setting.server.sum(&product).unwrap();
        check(&setting, &total, &vec![sum(&expected); rows], &format!("sum, {what}"));
        let x = Expression::input("x");
        let run =
            setting.server.run(&x.linear_transform(diagonals), &[("x", &a.ciphertext)]).unwrap();
        check(&setting, &run, &expected, &format!("expression, {what}"));
        for other in [columns + 1, columns.next_power_of_two() * 2] {
            let other = setting.pair(other, 4);
            let error = setting.server.linear_transform(&other.ciphertext, &transform).err();
            let expected = EvaluationError::Length { left: other.plain.len(), right: columns };
            assert_eq!(error, Some(expected.into()));
        }
    }
    let error = Diagonals::of_matrix(3, 5, &setting.values(14)).unwrap_err();
    assert_eq!(error, LinearError::Shape { rows: 3, columns: 5, got: 14 });
}

#[test]
fn plans_of_ragged_vectors_name_all_keys_and_levels() {
    let parameters = Parameters::preset("n10-insecure").unwrap();
    let mut setting = Setting::of(&parameters, &[]);
    for count in [5usize, 8, 1, 13] {
        let Pair { plain, ciphertext } = setting.real_pair(count, 4, (-1.0, 1.0));
        let x = Expression::input("x");
        let own = setting.values(count);
        let entries = setting.values(2 * count);
        let matrix = Diagonals::of_matrix(2, count, &entries).unwrap();
        let total = sum(&plain);
        let all = |value: Complex| vec![value; count];
        let last = count - 1;
        let cases: Vec<(&str, Expression, Vec<Complex>)> = vec![
            ("sum", x.sum(), all(total)),
            ("mean", x.mean(), all(total * (1.0 / count as f64))),
            ("rotation", x.rotate(2), turned(&plain, 2)),
            (
                "rotations",
                x.rotate(-1) + x.rotate(3),
                zip(&turned(&plain, -1), &turned(&plain, 3), |a, b| a + b),
            ),
            ("slice", x.slice(last / 2, count), plain[last / 2..].to_vec()),
            ("index", x.slice(last, count), vec![plain[last]]),
            ("difference from the mean", &x - x.mean(), {
                plain.iter().map(|x| *x - total * (1.0 / count as f64)).collect()
            }),
            ("shifted sum", (&x + 0.5).sum(), all(total + Complex::from(0.5 * count as f64))),
            ("scalar product", (&x * &own).sum(), all(sum(&zip(&plain, &own, |a, b| a * b)))),
            ("matrix", x.linear_transform(matrix.clone()), matrix.apply(&plain)),
            (
                "sum of a matrix",
                x.linear_transform(matrix.clone()).sum(),
                vec![sum(&matrix.apply(&plain)); 2],
            ),
            ("function", x.map(|x| x * x * x - 0.5 * x, Accuracy::Degree(3)).rotate(1), {
                turned(&plain, 1).iter().map(|x| (x.re.powi(3) - 0.5 * x.re).into()).collect()
            }),
        ];
        for (what, expression, expected) in cases {
            let what = format!("{what} of {count}");
            let described = BTreeMap::from([("x".to_owned(), Input::from(&ciphertext))]);
            let plan = Plan::new(&expression, &parameters, &described).unwrap();
            let server = setting.client.server(&plan.operations());
            let result = server
                .run_plan(&plan, &[("x", &ciphertext)], |_| {})
                .unwrap_or_else(|error| panic!("{what}: {error}"));
            check(&setting, &result, &expected, &what);
            assert_eq!(plan.steps().last().unwrap().length(), expected.len(), "{what}");
            assert!(result.level() >= plan.level(), "{what}: {}, {}", result.level(), plan.level());
            let (claimed, bound) = (plan.steps().last().unwrap().bound(), result.bound());
            assert!(bound.magnitude() <= 1.001 * claimed.magnitude(), "{what}: {bound}, {claimed}");
        }
    }
}

#[test]
fn files_keep_lengths() {
    let mut setting = setting();
    let parameters = setting.client.parameters().clone();
    for count in [1, 2, 3, 5, 8, 511, 512] {
        let a = setting.pair(count, 2);
        for ciphertext in [a.ciphertext.clone(), setting.server.conjugate(&a.ciphertext).unwrap()] {
            let mut file = Vec::new();
            ciphertext.save(&mut file, &parameters).unwrap();
            let loaded = Ciphertext::load(&file[..], &parameters).unwrap();
            assert_eq!(
                (loaded.length(), loaded.slots()),
                (ciphertext.length(), ciphertext.slots())
            );
            let sums = setting.server.add(&loaded, &ciphertext).unwrap();
            assert_eq!(setting.client.decrypt(&sums).unwrap().len(), count);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn vectors_of_any_length_are_what_they_are_in_the_open(
        count in 1usize..=40, by in -90i64..90,
        ends in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        thread_local!(static SETTING: std::cell::RefCell<Setting> = setting().into());
        SETTING.with_borrow_mut(|setting| {
            let a = setting.pair(count, 3);
            let from = ends.0.index(count);
            let to = from + 1 + ends.1.index(count - from);
            check_places(setting, &a, &[by], &[(from, to)]);
            // The mean of a part, written to a place of it.
            let number: f64 = setting.rng.gen_range(-1.0..1.0);
            let server = &setting.server;
            let part = server.mean(&server.slice(&a.ciphertext, from, to).unwrap()).unwrap();
            let plain = &a.plain[from..to];
            let mean = vec![sum(plain) * (1.0 / plain.len() as f64); plain.len()];
            check(setting, &part, &mean, "mean of a part");
            let vector = vec![Complex::from(number); to - from];
            let shifted = server.add_plain(&part, Values::from(&vector)).unwrap();
            let expected = zip(&mean, &vector, |a, b| a + b);
            check(setting, &shifted, &expected, "with a vector as long as the part");
        });
    }
}
