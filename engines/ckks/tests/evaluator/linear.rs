// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Linear transforms, sums over slots and composed rotations against plain complex arithmetic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::Setting;
use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::linear::LinearError;
use halimede_ckks::params::Scale;
use halimede_ckks::ring::Operation;
use halimede_ckks::{Complex, Diagonals, EvaluationError, LinearTransform, Operations};
use rand::Rng;

/// Returns a setting without keys for rotations.
fn setting(preset: &str) -> Setting {
    Setting::new(preset, &[])
}

/// Makes only the keys for some rotations.
fn with_rotations(setting: &mut Setting, rotations: Vec<i64>) {
    let operations = Operations { rotations, ..Operations::default() };
    setting.server = setting.client.server(&operations);
}

/// Returns the matrix times the vector, row by row.
fn product(rows: usize, columns: usize, matrix: &[Complex], vector: &[Complex]) -> Vec<Complex> {
    let mut product = vec![Complex::default(); rows];
    for (index, entry) in matrix.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        product[row] = product[row] + *entry * vector[column];
    }
    assert_eq!(matrix.len(), rows * columns);
    product
}

/// Returns the numbers of key switches and divided polynomials, from the program.
fn switches(setting: &Setting, work: impl FnOnce()) -> usize {
    let ring = setting.server.parameters().ring();
    let recording = ring.start_recording();
    work();
    let steps = recording.end().steps;
    let is_switch = |operation: &_| matches!(operation, Operation::KeyProduct);
    steps.iter().filter(|step| is_switch(&step.operation)).count() / 2
}

#[test]
fn matrices_of_any_shape() {
    let mut setting = setting("n10-insecure");
    let shapes = [(1, 1), (2, 2), (4, 4), (5, 12), (16, 3), (33, 64), (1, 7), (64, 64)];
    for (turn, (rows, columns)) in shapes.into_iter().enumerate() {
        let mut matrix = setting.values(rows * columns);
        if turn % 2 == 1 {
            matrix.iter_mut().for_each(|entry| entry.im = 0.0);
        }
        let level = 1 + turn % 4;
        let diagonals = Diagonals::of_matrix(rows, columns, &matrix).unwrap();
        let slots = rows.max(columns).next_power_of_two();
        assert_eq!(diagonals.slots(), slots);
        let transform = LinearTransform::new(setting.client.encoder(), &diagonals, level).unwrap();
        with_rotations(&mut setting, transform.rotations());
        assert_eq!((diagonals.rows(), diagonals.columns()), (rows, columns));
        let vector = setting.pair(columns, level + (4 - level) / 2);
        let expected = product(rows, columns, &matrix, &vector.plain);
        let plain = diagonals.apply(&vector.plain);
        assert!(plain.iter().zip(&expected).all(|(a, b)| (*a - *b).abs() < 1e-12));
        let ciphertext = setting.server.linear_transform(&vector.ciphertext, &transform).unwrap();
        assert_eq!(ciphertext.level(), level - 1);
        let scale = setting.client.parameters().level(level - 1).scale;
        assert!(ciphertext.scale().deviation(scale).abs() < 1e-9, "on the level's scale");
        setting.check(&ciphertext, &expected, &format!("{rows} by {columns}"));
    }
}

#[test]
fn transforms_of_all_slots_with_few_switches() {
    for preset in ["n10-insecure", "n13-insecure"] {
        let mut setting = setting(preset);
        let slots = setting.client.parameters().slots() as i64;
        // (steps, babies, giants): dense, around 0 with a stride, sparse, a rotation, a diagonal.
        let stride = slots / 32;
        let cases: [(Vec<i64>, usize); 5] = [
            ((0..64).collect(), 15 + 3),
            ((-15..16).map(|step| step * stride).collect(), 15 + 1),
            (vec![0, 3, -1, 40, 41], 4),
            (vec![slots / 2 + 1], 1),
            (vec![0], 0),
        ];
        for (steps, most) in cases {
            let of = |step: &i64| (*step, setting.values(slots as usize));
            let all: Vec<_> = steps.iter().map(of).collect::<Vec<_>>();
            let diagonals = Diagonals::new(slots as usize, all).unwrap();
            let transform = LinearTransform::new(setting.client.encoder(), &diagonals, 2).unwrap();
            assert_eq!(transform.diagonals(), steps.len());
            assert!(transform.rotations().len() <= most, "{:?}", transform.rotations());
            with_rotations(&mut setting, transform.rotations());
            let vector = setting.pair(slots as usize, 2);
            let mut ciphertext = None;
            let count = switches(&setting, || {
                ciphertext = Some(setting.server.linear_transform(&vector.ciphertext, &transform));
            });
            assert_eq!(count, transform.rotations().len());
            let expected = diagonals.apply(&vector.plain);
            setting.check(
                &ciphertext.unwrap().unwrap(),
                &expected,
                &format!("{} diagonals", steps.len()),
            );
        }
    }
}

#[test]
fn digits_are_made_once_for_all_baby_steps_and_once_a_giant_step() {
    let mut setting = setting("n10-insecure");
    let diagonals: Vec<_> = (0..16).map(|step| (step, setting.values(512))).collect();
    let diagonals = Diagonals::new(512, diagonals).unwrap();
    let transform = LinearTransform::new(setting.client.encoder(), &diagonals, 3).unwrap();
    assert_eq!(transform.rotations(), [1, 2, 3, 4, 5, 6, 7, 8]);
    with_rotations(&mut setting, transform.rotations());
    let vector = setting.pair(512, 3);
    let parameters = setting.server.parameters();
    let (chain, ring) = (parameters.chain(), parameters.ring());
    let recording = ring.start_recording();
    setting.server.linear_transform(&vector.ciphertext, &transform).unwrap();
    let counts = recording.end().counts();
    let [limbs, below] = [3, 2].map(|level| parameters.level(level).basis.clone());
    let special = chain.special.len();
    let removed = limbs.without(&below).len() + special;
    // To coefficients: the vector, a giant step's sum and its quotient, and the final division.
    assert_eq!(counts.inverse_limbs, 2 * limbs.len() + special + 2 * removed);
    let all = limbs.len() + special;
    let digits = chain.digits.iter().filter(|digit| !digit.common(&limbs).is_empty()).count();
    assert_eq!(counts.key_products, 8 * 2 * digits * all);
    assert_eq!(counts.permute_limbs, 8 * 2 * all);
    assert_eq!(counts.multiply_limbs, 16 * 2 * all);
}

#[test]
fn scales_can_be_placed() {
    let mut setting = setting("n10-insecure");
    let matrix = setting.values(64 * 64);
    let diagonals = Diagonals::of_matrix(64, 64, &matrix).unwrap();
    let (from, to) = (Scale::exp2(37.3), Scale::exp2(33.9));
    let encoder = setting.client.encoder();
    let transform = LinearTransform::with_scales(encoder, &diagonals, 2, from, to).unwrap();
    with_rotations(&mut setting, transform.rotations());
    let vector = setting.pair(64, 4);
    let ciphertext = setting.server.linear_transform(&vector.ciphertext, &transform).unwrap();
    assert!(ciphertext.scale().deviation(to).abs() < 1e-9);
    setting.check(&ciphertext, &diagonals.apply(&vector.plain), "from a scale to another");
    let lower = setting.pair(64, 2);
    let error = setting.server.linear_transform(&lower.ciphertext, &transform).unwrap_err();
    assert!(matches!(error.evaluation(), Some(EvaluationError::Scale { .. })), "{error}");
}

#[test]
fn sums_and_copies_of_batches() {
    let mut setting = setting("n10-insecure");
    for (slots, count, batch) in [(64, 64, 1), (64, 5, 3), (512, 7, 64), (128, 1, 16), (16, 4, 4)] {
        let mut rotations = inner_sum_rotations(count, batch);
        rotations.extend(replicate_rotations(count, batch));
        with_rotations(&mut setting, rotations);
        let a = setting.pair(slots, 1);
        let sum = setting.server.inner_sum(&a.ciphertext, count, batch).unwrap();
        let at = |place: usize, turn: usize, back: bool| {
            let shift = turn * batch % slots;
            a.plain[(place + if back { slots - shift } else { shift }) % slots]
        };
        let total = |place: usize, back: bool| {
            (0..count).fold(Complex::default(), |sum, turn| sum + at(place, turn, back))
        };
        let expected: Vec<_> = (0..slots).map(|place| total(place, false)).collect();
        setting.check(&sum, &expected, &format!("sum of {count} by {batch} of {slots}"));
        let copies = setting.server.replicate(&a.ciphertext, count, batch).unwrap();
        let expected: Vec<_> = (0..slots).map(|place| total(place, true)).collect();
        setting.check(&copies, &expected, &format!("{count} copies of {batch} of {slots}"));
    }
    let a = setting.pair(64, 1);
    for (count, batch) in [(0, 1), (1, 0), (65, 1), (usize::MAX, 2)] {
        let error = setting.server.inner_sum(&a.ciphertext, count, batch).unwrap_err();
        let expected = EvaluationError::Batches { count, batch, slots: 64 };
        assert_eq!(error, expected);
    }
}

#[test]
fn rotations_are_composed_of_the_fewest_that_there_are() {
    let mut setting = setting("n10-insecure");
    with_rotations(&mut setting, vec![1, 8, 64, -3]);
    let a = setting.pair(512, 2);
    for (steps, fewest) in [(1, 1), (9, 2), (5, 2), (73, 3), (-6, 2), (144, 4), (0, 0)] {
        let mut ciphertext = None;
        let count = switches(&setting, || {
            ciphertext = Some(setting.server.rotate(&a.ciphertext, steps).unwrap());
        });
        assert_eq!(count, fewest, "by {steps}");
        let mut expected = a.plain.clone();
        expected.rotate_left(steps.rem_euclid(512) as usize);
        setting.check(&ciphertext.unwrap(), &expected, &format!("by {steps}"));
    }
    // The rotated vector has 64 places: by 64 + 8 − 3 is by 5.
    let short = setting.pair(64, 2);
    let all = setting.server.rotate_many(&short.ciphertext, &[5, 62, 0]).unwrap();
    for (ciphertext, steps) in all.iter().zip([5, 62, 0]) {
        let mut expected = short.plain.clone();
        expected.rotate_left(steps);
        setting.check(ciphertext, &expected, "of a short vector");
    }
    // At most the keys for powers of two.
    with_rotations(&mut setting, vec![1]);
    assert!(setting.server.rotate(&a.ciphertext, 9).is_ok());
    let error = setting.server.rotate(&a.ciphertext, 10).unwrap_err();
    assert_eq!(error, EvaluationError::Key { what: "rotate by 10".to_owned() });
}

#[test]
fn what_cannot_be_transformed_says_why() {
    let mut setting = setting("n10-insecure");
    let finite = setting.values(12);
    let error = Diagonals::of_matrix(3, 5, &finite).unwrap_err();
    assert_eq!(error, LinearError::Shape { rows: 3, columns: 5, got: 12 });
    assert!(Diagonals::of_matrix(0, 0, &[]).is_err());
    assert!(Diagonals::of_matrix(usize::MAX, 2, &finite).is_err());
    let mut wrong = finite.clone();
    wrong[7] = Complex::new(0.0, f64::NAN);
    let error = Diagonals::of_matrix(3, 4, &wrong).unwrap_err();
    assert_eq!(error, LinearError::NotFinite { step: 2, place: 1 });
    let row: Vec<Complex> = (1..=9000).map(|k| f64::from(k).into()).collect();
    let error = Diagonals::of_matrix(1, 9000, &row).unwrap_err();
    assert!(matches!(error, LinearError::TooMany { slots: 16_384, limit, .. } if limit == 1 << 26));
    let error = Diagonals::new(12, [(0, finite.clone())]).unwrap_err();
    assert_eq!(error, LinearError::Slots { got: 12 });
    let error = Diagonals::new(16, [(-2, finite.clone())]).unwrap_err();
    assert_eq!(error, LinearError::Diagonal { step: -2, got: 12, slots: 16 });

    let diagonals = Diagonals::of_matrix(3, 4, &finite).unwrap();
    let encoder = setting.client.encoder();
    for got in [0, 5, usize::MAX] {
        let error = LinearTransform::new(encoder, &diagonals, got).err();
        assert_eq!(error, Some(LinearError::Level { got, top: 4 }));
    }
    let large = Diagonals::new(1024, [(1, vec![Complex::from(1.0); 1024])]).unwrap();
    let error = LinearTransform::new(encoder, &large, 1).err();
    assert_eq!(error, Some(LinearError::TooLarge { got: 1024, limit: 512 }));
    let huge = Diagonals::new(1, [(0, vec![Complex::from(1e200)])]).unwrap();
    let error = LinearTransform::new(encoder, &huge.clone().within(1e200), 1).err();
    assert!(matches!(error, Some(LinearError::Encoding(_))), "{error:?}");
    // A matrix that violates its declaration.
    let error = LinearTransform::new(encoder, &huge, 1).err();
    assert_eq!(error, Some(LinearError::Bound { got: 1e200, declared: 1.0 }));
    let ones = Diagonals::of_matrix(2, 2, &[Complex::from(1.0); 4]).unwrap();
    let error = LinearTransform::new(encoder, &ones.clone().with_row_sum(1.5), 1).err();
    assert_eq!(error, Some(LinearError::RowSum { got: 2.0, declared: 1.5 }));
    for none in [f64::NAN, f64::INFINITY, -1.0] {
        assert!(LinearTransform::new(encoder, &ones.clone().within(none), 1).is_err());
    }
    let imaginary = Diagonals::of_matrix(1, 1, &[Complex::new(0.0, 0.5)]).unwrap();
    let error = LinearTransform::new(encoder, &imaginary.real(), 1).err();
    assert_eq!(error, Some(LinearError::NotReal));

    let transform = LinearTransform::new(encoder, &diagonals, 2).unwrap();
    let missing = transform.rotations().pop().unwrap();
    let rotations = transform.rotations().into_iter().filter(|step| *step != missing).collect();
    let other = Setting::new("n13-insecure", &[]);
    with_rotations(&mut setting, rotations);
    let (four, eight, low) = (setting.pair(4, 2), setting.pair(8, 2), setting.pair(4, 1));
    let apply = |ciphertext| setting.server.linear_transform(ciphertext, &transform).unwrap_err();
    let error = apply(&four.ciphertext);
    assert_eq!(error, EvaluationError::Key { what: format!("rotate by {missing}") }.into());
    assert_eq!(apply(&eight.ciphertext), EvaluationError::Length { left: 8, right: 4 }.into());
    let error = apply(&low.ciphertext);
    assert!(
        matches!(error.evaluation(), Some(EvaluationError::Level { got: 1, needed: 2, .. })),
        "{error}"
    );
    let error = other.server.linear_transform(&four.ciphertext, &transform).unwrap_err();
    assert_eq!(error, LinearError::Parameters);
}

#[test]
fn a_matrix_of_zeros_is_one_too() {
    let mut setting = setting("n10-insecure");
    let diagonals = Diagonals::of_matrix(8, 8, &[Complex::default(); 64]).unwrap();
    let transform = LinearTransform::new(setting.client.encoder(), &diagonals, 1).unwrap();
    assert!(transform.rotations().is_empty() && transform.bytes() > 0);
    let level = setting.rng.gen_range(1..=4);
    let a = setting.pair(8, level);
    let ciphertext = setting.server.linear_transform(&a.ciphertext, &transform).unwrap();
    let values = setting.client.decrypt(&ciphertext).unwrap();
    assert!(values.iter().all(|value| value.abs() < 8.0 * ciphertext.estimate().error));
}
