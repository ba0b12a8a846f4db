// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Different polynomials in different blocks of slots as steps of plans.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use super::expressions::bootstrapping;
use crate::setting::Setting;
use halimede_ckks::circuit::Input;
use halimede_ckks::polynomial::PolynomialError;
use halimede_ckks::{
    Ciphertext, CircuitError, Complex, EvaluationError, Expression, Plan, Polynomial,
};

fn polynomials(of: [[f64; 4]; 4]) -> Vec<Polynomial> {
    of.iter().map(|c| Polynomial::chebyshev(c, (-1.0, 1.0)).unwrap()).collect()
}

const COEFFICIENTS: [[f64; 4]; 4] =
    [[0.1, 0.5, -0.2, 0.1], [-0.3, 0.5, 0.0, -0.15], [0.0, -0.5, 0.25, 0.2], [0.2, 0.0, -0.4, 0.3]];

fn value(block: usize, slot: usize, x: f64) -> f64 {
    let c = COEFFICIENTS[slot / block % 4];
    c[0] + c[1] * x + c[2] * (2.0 * x * x - 1.0) + c[3] * (4.0 * x.powi(3) - 3.0 * x)
}

fn plan(setting: &Setting, of: &Expression, x: &Ciphertext) -> Result<Plan, CircuitError> {
    let inputs = BTreeMap::from([("x".to_owned(), Input::from(x))]);
    Plan::new(of, setting.server.parameters(), &inputs)
}

#[test]
fn layers_with_bootstraps_in_between() {
    let mut setting = bootstrapping();
    let x = setting.real_pair(64, 3, (-1.0, 1.0));
    let (mut expression, mut expected) = (Expression::input("x"), x.plain);
    for block in [16, 4, 1] {
        let layer = expression.evaluate_blocks(polynomials(COEFFICIENTS), block);
        expression = layer.between(-1.0, 1.0);
        let values = expected.iter().enumerate();
        expected = values.map(|(slot, x)| value(block, slot, x.re).into()).collect();
    }
    let plan = plan(&setting, &expression, &x.ciphertext).unwrap();
    // Two levels per layer; the input and each bootstrap have three.
    assert_eq!((plan.depth(), plan.bootstraps(), plan.is_least()), (6, 2, true), "{plan}");
    let name = "polynomials of blocks of 4 × 16, degree 3";
    assert!(plan.to_string().contains(name), "{plan}");
    let server = setting.client.server(&plan.operations());
    let result = server.run_plan(&plan, &[("x", &x.ciphertext)], |_| {}).unwrap();
    setting.check_worst(&result, &expected, 1.0, "three layers");
}

#[test]
fn a_run_is_another_one_with_another_coefficient() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let x = setting.real_pair(64, 3, (-1.0, 1.0)).ciphertext;
    let id = |coefficients: [[f64; 4]; 4], block: usize| {
        let of = Expression::input("x").evaluate_blocks(polynomials(coefficients), block);
        setting.server.run_id(&plan(&setting, &of, &x).unwrap(), &[("x", &x)])
    };
    let ours = id(COEFFICIENTS, 16);
    assert_eq!(id(COEFFICIENTS, 16), ours);
    assert_ne!(id(COEFFICIENTS, 8), ours);
    for (place, degree) in [(0, 0), (1, 2), (2, 3), (3, 1)] {
        let mut other = COEFFICIENTS;
        other[place][degree] += f64::EPSILON / 8.0;
        assert_ne!(id(other, 16), ours, "degree {degree} of polynomial {place}");
    }
    let mut other = COEFFICIENTS;
    other.swap(1, 2);
    assert_ne!(id(other, 16), ours);
}

#[test]
fn equal_ones_are_one_step() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let x = setting.real_pair(64, 3, (-1.0, 1.0));
    let of = |block| Expression::input("x").evaluate_blocks(polynomials(COEFFICIENTS), block);
    let sum = of(16) + of(16) - of(8);
    let plan = plan(&setting, &sum, &x.ciphertext).unwrap();
    let evaluated =
        plan.steps().iter().filter(|step| step.description().contains("polynomials")).count();
    assert_eq!(evaluated, 2, "{plan}");
    let result = setting.server.run_plan(&plan, &[("x", &x.ciphertext)], |_| {}).unwrap();
    let values = x.plain.iter().enumerate();
    let sum =
        |(slot, x): (usize, &Complex)| (2.0 * value(16, slot, x.re) - value(8, slot, x.re)).into();
    let expected: Vec<Complex> = values.map(sum).collect();
    setting.check_worst(&result, &expected, 1.0, "a sum");
}

#[test]
fn sets_that_are_none_are_told_by_the_plan() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let [x, ragged] = [64, 48].map(|count| setting.real_pair(count, 3, (-1.0, 1.0)).ciphertext);
    let all = polynomials(COEFFICIENTS);
    let refused = |of: &[Polynomial], block: usize, x: &Ciphertext| {
        let expression = Expression::input("x").evaluate_blocks(of.to_vec(), block);
        let error = plan(&setting, &expression.labeled("gates"), x).err().unwrap();
        let CircuitError::Step { what, reason } = error else { panic!("{error}") };
        assert_eq!(what, "gates");
        *reason
    };
    let is = |error: CircuitError, wanted: PolynomialError| assert_eq!(error, wanted.into());
    is(refused(&[], 16, &x), PolynomialError::Polynomials { got: 0 });
    is(refused(&all[..3], 16, &x), PolynomialError::Polynomials { got: 3 });
    is(refused(&all, 12, &x), PolynomialError::Block { got: 12 });
    let slots = PolynomialError::Slots { count: 4, block: 32, slots: 64 };
    is(refused(&all, 32, &x), slots);
    let other = Polynomial::monomial(&[1.0, 2.0]).unwrap();
    let error = refused(&[all[0].clone(), other], 8, &x);
    let basis = matches!(error, CircuitError::Polynomial(PolynomialError::Basis { place: 1, .. }));
    assert!(basis, "{error}");
    let what = "a polynomial for each block";
    let error = EvaluationError::Ragged { what, length: 48, slots: 64 };
    is(refused(&all, 8, &ragged), error.into());
    let wide = (Expression::input("x") * 3).evaluate_blocks(all, 8);
    let error = plan(&setting, &wide, &x).err().unwrap();
    assert!(matches!(error, CircuitError::Polynomial(PolynomialError::Outside { .. })), "{error}");
}

#[test]
fn what_is_not_encrypted_is_evaluated_in_plain() {
    let mut setting = Setting::new("n10-insecure", &[]);
    let x = setting.real_pair(64, 3, (-1.0, 1.0));
    let vector: Vec<f64> = (0..64).map(|k| f64::from(k) / 64.0 - 0.5).collect();
    let with = |of: Expression| {
        let sum = Expression::input("x") + of.evaluate_blocks(polynomials(COEFFICIENTS), 16);
        setting.server.run(&sum, &[("x", &x.ciphertext)])
    };
    let [of_vector, of_number] =
        [Expression::plain(&vector), Expression::from(0.5)].map(|of| with(of).unwrap());
    let values = |of: &dyn Fn(usize) -> f64| -> Vec<Complex> {
        let values = x.plain.iter().enumerate();
        values.map(|(slot, x)| *x + Complex::from(value(16, slot, of(slot)))).collect()
    };
    setting.check_worst(&of_vector, &values(&|slot| vector[slot]), 1.0, "of a vector");
    setting.check_worst(&of_number, &values(&|_| 0.5), 1.0, "of a number");
    let error = with(Expression::plain(&vector[..32])).unwrap_err();
    let slots = PolynomialError::Slots { count: 4, block: 16, slots: 32 };
    assert_eq!(error, slots.into());
    // A number may fill at most the slots of a ring.
    for block in [1 << 15, 1 << 40, 1 << 62] {
        let of = Expression::from(0.5).evaluate_blocks(polynomials(COEFFICIENTS), block);
        let error = plan(&setting, &(Expression::input("x") + of), &x.ciphertext).err().unwrap();
        let slots = PolynomialError::Slots { count: 4, block, slots: 1 << 16 };
        assert_eq!(error, slots.into());
    }
}
