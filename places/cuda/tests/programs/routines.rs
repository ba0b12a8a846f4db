// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every routine, on several rings.

use std::collections::BTreeSet;
use std::sync::Arc;

use halimede_ckks::executor::{Matrix, Plain, Routine};
use halimede_ckks::{
    BlockPolynomials, Ciphertext, Complex, Diagonals, LinearTransform, Operations, Polynomial,
    Sign, Values,
};
use halimede_cuda::ckks::CudaPrograms;

use crate::common::standin::TestGpu;
use crate::setting::{assert_same, place, results, Setting};

fn numbers(count: usize) -> Vec<Complex> {
    (0..count).map(|k| Complex::new(0.4 - 0.11 * k as f64, 0.07 * k as f64)).collect()
}

/// A matrix, some of whose diagonals are periodic.
fn matrix(setting: &Setting, level: usize) -> Matrix {
    let slots = setting.parameters.slots();
    let diagonal = |(step, period): (i64, usize)| {
        let value = |slot: usize| Complex::new((slot % 13) as f64 / 40.0 - 0.1, 0.05);
        (step, (0..period).map(value).collect::<Vec<_>>().repeat(slots / period))
    };
    let diagonals = (0..).zip([slots, 16, 1, slots / 4]).map(diagonal).collect::<Vec<_>>();
    let diagonals = Diagonals::new(slots, diagonals).unwrap();
    Matrix(Arc::new(LinearTransform::new(setting.client.encoder(), &diagonals, level).unwrap()))
}

/// Routines of complex numbers.
fn arithmetic(setting: &Setting, matrix: &Matrix) -> Vec<Routine> {
    let plain: Vec<Complex> = numbers(4).repeat(setting.parameters.slots() / 4);
    let plain = Plain::checked(&Values::from(&plain), 4.0).unwrap();
    vec![
        Routine::Add,
        Routine::Subtract,
        Routine::Negate,
        Routine::Multiply,
        Routine::MultiplyInteger(-3),
        Routine::MultiplyNumber(Complex::new(0.5, -0.75)),
        Routine::MultiplyByI,
        Routine::AddNumber(Complex::new(0.25, 0.5)),
        Routine::Rotate(vec![1, 4, -2]),
        Routine::Conjugate,
        Routine::Sum,
        Routine::Mean,
        Routine::Slice { from: 3, to: 100 },
        Routine::InnerSum { count: 4, batch: 2 },
        Routine::Replicate { count: 4, batch: 1 },
        Routine::Rescale,
        Routine::ToLevel(1),
        Routine::Transform(matrix.clone()),
        Routine::TransformBlocks(vec![vec![Some(matrix.clone())], vec![Some(matrix.clone())]]),
        Routine::AddPlain(plain.clone()),
        Routine::MultiplyPlain(plain),
    ]
}

/// Functions of real numbers.
fn functions(setting: &Setting) -> Vec<Routine> {
    let slots = setting.parameters.slots();
    let real = |count: usize| -> Vec<f64> { (0..count).map(|k| 0.3 - 0.1 * k as f64).collect() };
    let polynomial = |count| Polynomial::chebyshev(&real(count), (-1.0, 1.0)).unwrap();
    let blocks = BlockPolynomials::new(vec![polynomial(4), polynomial(6)], slots / 8).unwrap();
    vec![Routine::Evaluate(Arc::new(polynomial(7))), Routine::EvaluateBlocks(Arc::new(blocks))]
}

/// Checks routines on a GPU against the server's own code.
fn check(
    setting: &Setting,
    place: &CudaPrograms,
    routines: &[Routine],
    inputs: [&Ciphertext; 2],
) -> Vec<&'static str> {
    let (processor, remote) = (setting.on_processor(), setting.on_place(place));
    let handles = inputs.map(|input| remote.upload(input).unwrap());
    for routine in routines {
        let count = routine.takes();
        let expected = processor.compute(routine, &inputs[..count]);
        let expected = expected.unwrap_or_else(|error| panic!("{}: {error}", routine.name()));
        // The first run records a graph, and the second repeats it.
        for run in 0..2 {
            let handles: Vec<_> = handles[..count].iter().collect();
            let got = results(&remote, routine, &handles).unwrap();
            assert_same(&expected, &got, &format!("{}, run {run}", routine.name()));
        }
    }
    routines.iter().map(Routine::name).collect()
}

#[test]
fn every_routine() {
    let Some(test) = TestGpu::next() else { return };
    let place = place(test.open().unwrap());
    let mut setting = Setting::new("n10-insecure", Operations::default());
    let matrix = matrix(&setting, 3);
    let mut rotations = matrix.0.rotations();
    rotations.extend([1, 4, -2, 2, 8, 16, 32, 64, 128, 256, 3, -1]);
    setting = Setting::new("n10-insecure", Operations { rotations, ..Operations::default() });
    let [a, b] = [1, 2].map(|seed| setting.complex(3, seed));
    let real = setting.real(4);
    let mut tested = check(&setting, &place, &arithmetic(&setting, &matrix), [&a, &b]);
    tested.extend(check(&setting, &place, &functions(&setting), [&real, &real]));
    // Signs, inverses and roots need more levels: their steps are those of polynomials.
    let others = [
        "ckks.sign",
        "ckks.is_positive",
        "ckks.relu",
        "ckks.inverse",
        "ckks.square_root",
        "ckks.inverse_square_root",
        "ckks.bootstrap_within",
        "ckks.bootstrap",
    ];
    tested.extend(others);
    let tested: BTreeSet<&str> = tested.into_iter().collect();
    assert_eq!(tested, Routine::NAMES.into_iter().collect());
}

/// N = 2¹³: transforms in two passes. Also the functions of many levels.
#[test]
fn a_ring_of_two_passes_and_functions_of_many_levels() {
    let Some(test) = TestGpu::next() else { return };
    let place = place(test.open().unwrap());
    let operations = Operations { rotations: vec![1], ..Operations::default() };
    let mut setting = Setting::new("n13-insecure", operations);
    let [a, b] = [1, 2].map(|seed| setting.complex(3, seed));
    check(&setting, &place, &[Routine::Multiply, Routine::Rotate(vec![1])], [&a, &b]);
    let real = setting.real(setting.parameters.top());
    let sign = Routine::Sign(Arc::new(Sign::new(1.0, 0.25, 0.1).unwrap()));
    check(&setting, &place, &[sign], [&real, &real]);
}

/// Two sets of parameters share a GPU.
#[test]
fn a_small_bootstrap() {
    let Some(test) = TestGpu::next() else { return };
    let place = place(test.open().unwrap());
    let operations = Operations { bootstrap_slots: vec![8], ..Operations::default() };
    let mut setting = Setting::new("n10-boot-insecure", operations);
    let values: Vec<f64> = (0..8).map(|k| 0.1 * f64::from(k) - 0.3).collect();
    let worn = setting.client.encrypt_at(&values, 0).unwrap();
    check(&setting, &place, &[Routine::Bootstrap], [&worn, &worn]);
    let mut other = Setting::new("n10-insecure", Operations::default());
    let a = other.complex(2, 3);
    check(&other, &place, &[Routine::Multiply], [&a, &a]);
}

/// A bootstrap of all slots, which takes the stand-in a minute.
#[test]
fn a_bootstrap_of_all_slots() {
    if !std::env::var("HALIMEDE_SWEEP").is_ok_and(|value| value == "1") {
        eprintln!("skipped: it takes long (HALIMEDE_SWEEP=1)");
        return;
    }
    let Some(test) = TestGpu::next() else { return };
    let place = place(test.open().unwrap());
    let operations = Operations { bootstrap: true, ..Operations::default() };
    let mut setting = Setting::new("n10-boot-insecure", operations);
    let worn = setting.complex(0, 4);
    check(&setting, &place, &[Routine::Bootstrap, Routine::BootstrapWithin(3.0)], [&worn, &worn]);
}
