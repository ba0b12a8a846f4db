// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Transforms and polynomials on levels of several sizes, as in bootstrapping.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{Pair, Setting};
use halimede_ckks::params::{ChainShape, Scale, SecretKind};
use halimede_ckks::{
    Accuracy, Complex, Diagonals, LinearTransform, Operations, Parameters, Polynomial,
};

/// Three levels of 40 bits, seven of 60, two of 50.
fn rows() -> Setting {
    let steps = [vec![8; 3], vec![12; 7], vec![10; 2]].concat();
    let shape = ChainShape { log_degree: 11, base_units: 12, steps, digits: 4 };
    Setting::of(&Parameters::insecure(shape, SecretKind::Ternary).unwrap(), &[])
}

fn real(setting: &mut Setting, level: usize) -> Pair {
    let slots = setting.client.parameters().slots();
    setting.real_pair(slots, level, (-1.0, 1.0))
}

#[test]
fn polynomials_in_a_row_and_out_of_it() {
    let mut setting = rows();
    let function = |x: f64| (5.0 * x - 0.3).cos();
    let p = Polynomial::approximation(function, (-1.0, 1.0), Accuracy::Degree(31)).unwrap();
    assert_eq!(p.levels(), 5);
    let parameters = setting.client.parameters().clone();
    // From the row's top into the row, and from its lowest levels to the row below, whose scale is
    // given.
    for (from, to) in [(10, 5), (10, 4), (8, 3)] {
        let a = real(&mut setting, from);
        let scale = parameters.level(to).scale;
        let ciphertext = setting.server.evaluate_to(&a.ciphertext, &p, to, scale).unwrap();
        assert!(ciphertext.scale().deviation(scale).abs() < 1e-9 && ciphertext.level() == to);
        let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
        setting.check(&ciphertext, &expected, &format!("from {from} to {to}"));
        // Only the slope at the ends reduces the 60 bits.
        assert!(to < 4 || ciphertext.precision_bits() > 40.0, "{ciphertext:?}");
    }
    let faster = |x: f64| (20.0 * x - 0.3).cos();
    let p = Polynomial::approximation(faster, (-1.0, 1.0), Accuracy::Degree(31)).unwrap();
    // T₁₆ is computed on level 3 with 60 bits, of which 20 are left for its factor.
    let a = real(&mut setting, 7);
    let scale = parameters.level(2).scale;
    let ciphertext = setting.server.evaluate_to(&a.ciphertext, &p, 2, scale).unwrap();
    assert!(ciphertext.scale().deviation(scale).abs() < 1e-9);
    let expected: Vec<Complex> = a.plain.iter().map(|x| p.value(*x)).collect();
    setting.check(&ciphertext, &expected, "across the rows");
}

#[test]
fn transforms_from_one_row_to_the_next() {
    let mut setting = rows();
    let parameters = setting.client.parameters().clone();
    let slots = parameters.slots();
    let diagonals: Vec<_> = [-2, -1, 0, 1, 2].map(|step| (32 * step, setting.values(slots))).into();
    let diagonals = Diagonals::new(slots, diagonals).unwrap();
    for level in [12, 11, 10, 4, 3] {
        let transform = LinearTransform::new(setting.client.encoder(), &diagonals, level).unwrap();
        let rotations = transform.rotations();
        setting.server = setting.client.server(&Operations { rotations, ..Operations::default() });
        let a = setting.pair(slots, level);
        let ciphertext = setting.server.linear_transform(&a.ciphertext, &transform).unwrap();
        let scale = parameters.level(level - 1).scale;
        assert!(ciphertext.scale().deviation(scale).abs() < 1e-9, "on the scale of the row below");
        setting.check(&ciphertext, &diagonals.apply(&a.plain), &format!("from level {level}"));
    }
}

#[test]
fn numbers_and_levels_across_rows() {
    let mut setting = rows();
    for (from, to) in [(12, 10), (11, 10), (10, 3), (4, 3), (3, 0)] {
        let a = real(&mut setting, from);
        let lower = setting.server.at_level(&a.ciphertext, to).unwrap();
        setting.check(&lower, &a.plain, &format!("from {from} to {to}"));
        let number = Complex::new(0.75, -0.5);
        let scale = Scale::exp2(37.0);
        let product = setting.server.mul_number_to(&a.ciphertext, number, scale).unwrap();
        let expected = crate::setting::zip(&a.plain, &a.plain, |a, _| a * number);
        setting.check(&product, &expected, &format!("times a number at {from}"));
    }
}
