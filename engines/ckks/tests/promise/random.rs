// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits of random operations on random earlier values.

use halimede_ckks::linear::LinearError;
use halimede_ckks::{
    Accuracy, Bound, Ciphertext, CircuitError, Complex, Diagonals, EvaluationError,
    LinearTransform, Polynomial, Values,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{is_out_of_room, Machine, Report, Value};

/// The largest number of operations on two vectors and on the results.
const MOST_STEPS: usize = 24;

pub fn circuit(machine: &mut Machine, rng: &mut ChaCha8Rng) -> Report {
    let mut report = Report::new();
    let (length, is_real) = (machine.length(rng), rng.gen());
    let top = machine.client.parameters().top();
    let mut values: Vec<Value> = Vec::new();
    for _ in 0..rng.gen_range(1..=3) {
        let magnitude = 10f64.powf(rng.gen_range(-2.0..1.0));
        let bound = if is_real { Bound::real(magnitude) } else { Bound::complex(magnitude) };
        let plain = machine.values(rng, length, magnitude, is_real);
        let level = top - rng.gen_range(0..=top / 3);
        values.push(machine.seal(plain, bound, level));
        report.check(machine, &values[values.len() - 1], "an encryption");
    }
    for _ in 0..rng.gen_range(1..=MOST_STEPS) {
        let recent =
            |rng: &mut ChaCha8Rng| values.len() - 1 - rng.gen_range(0..values.len().min(4));
        let (a, b) = (&values[recent(rng)], &values[recent(rng)]);
        let (step, plain, ciphertext) = apply(machine, rng, a, b);
        match ciphertext {
            Ok(ciphertext) => {
                values.push(Value { plain, ciphertext });
                report.check(machine, &values[values.len() - 1], step);
            }
            // An operation that cannot be done makes no claim.
            Err(error) if is_out_of_room(&error) => {}
            Err(error) => {
                let is_refused = match error.evaluation() {
                    None => !a.ciphertext.bound().is_real(),
                    Some(EvaluationError::Encoding(_)) => step.contains("number"),
                    Some(EvaluationError::Ragged { .. }) => step.contains("batches"),
                    Some(_) => false,
                };
                assert!(is_refused, "{step}: {error}");
            }
        }
    }
    report
}

fn zip(a: &Value, b: &[Complex], of: impl Fn(Complex, Complex) -> Complex) -> Vec<Complex> {
    a.plain.iter().zip(b).map(|(a, b)| of(*a, *b)).collect()
}

fn each(a: &Value, of: impl Fn(Complex) -> Complex) -> Vec<Complex> {
    a.plain.iter().map(|a| of(*a)).collect()
}

/// Returns a sum without the errors of sequential addition (Neumaier, 1974).
pub fn sum(of: &[Complex]) -> Complex {
    let part = |of: &mut dyn Iterator<Item = f64>| {
        let (mut sum, mut lost) = (0f64, 0f64);
        for x in of {
            let next = sum + x;
            lost += if sum.abs() >= x.abs() { (sum - next) + x } else { (x - next) + sum };
            sum = next;
        }
        sum + lost
    };
    Complex::new(part(&mut of.iter().map(|x| x.re)), part(&mut of.iter().map(|x| x.im)))
}

fn turned(a: &[Complex], by: i64) -> Vec<Complex> {
    let mut turned = a.to_vec();
    turned.rotate_left(by.rem_euclid(a.len() as i64) as usize);
    turned
}

type Step = (&'static str, Vec<Complex>, Result<Ciphertext, CircuitError>);

fn apply(machine: &Machine, rng: &mut ChaCha8Rng, a: &Value, b: &Value) -> Step {
    match rng.gen_range(0..24) {
        22 => transform(machine, rng, a),
        23 => function(machine, rng, a),
        kind => {
            let (what, plain, ciphertext) = arithmetic(machine, rng, [a, b], kind);
            (what, plain, ciphertext.map_err(CircuitError::from))
        }
    }
}

/// An operation of the evaluator's.
fn arithmetic(
    machine: &Machine,
    rng: &mut ChaCha8Rng,
    [a, b]: [&Value; 2],
    kind: u32,
) -> (&'static str, Vec<Complex>, Result<Ciphertext, EvaluationError>) {
    let (server, x, y) = (&machine.server, &a.ciphertext, &b.ciphertext);
    let length = a.plain.len();
    match kind {
        0..=3 => ("a sum", zip(a, &b.plain, |a, b| a + b), server.add(x, y)),
        4 => ("a difference", zip(a, &b.plain, |a, b| a - b), server.sub(x, y)),
        5..=8 => ("a product", zip(a, &b.plain, |a, b| a * b), server.mul(x, y)),
        9 => ("a square", each(a, |a| a * a), server.mul(x, x)),
        10 => ("a negative", each(a, |a| -a), server.neg(x)),
        11 => ("a conjugate", each(a, Complex::conjugate), server.conjugate(x)),
        12 | 13 => {
            let by = rng.gen_range(-3i64..8);
            ("a rotation", turned(&a.plain, by), server.rotate(x, by))
        }
        14 => {
            let number = Complex::new(rng.gen_range(-2.0..2.0), rng.gen_range(-1..=1).into());
            ("a sum with a number", each(a, |a| a + number), server.add_number(x, number))
        }
        15 => {
            let number = Complex::from(rng.gen_range(-2.0..2.0f64));
            ("a product with a number", each(a, |a| a * number), server.mul_number(x, number))
        }
        16 => {
            let n = rng.gen_range(-5i64..6);
            ("a product with an integer", each(a, |a| a * n as f64), server.mul_integer(x, n))
        }
        17 => ("a product with i", each(a, |a| a * Complex::new(0.0, 1.0)), server.mul_by_i(x)),
        18 | 19 => {
            let bound = 2f64.powi(rng.gen_range(-2..3));
            let is_real = rng.gen();
            let plain = machine.values(rng, length, bound, is_real);
            let declared = Values::from(&plain).within(bound);
            match rng.gen() {
                true => {
                    let sum = server.add_plain(x, declared);
                    ("a sum with a vector", zip(a, &plain, |a, b| a + b), sum)
                }
                false => {
                    let product = server.mul_plain(x, declared);
                    ("a product with a vector", zip(a, &plain, |a, b| a * b), product)
                }
            }
        }
        20 => ("a lower level", a.plain.clone(), server.at_level(x, rng.gen_range(0..=x.level()))),
        _ => {
            let sum = sum(&a.plain);
            match rng.gen() {
                true => ("a sum of all", vec![sum; length], server.sum(x)),
                false => ("a mean", vec![sum * (1.0 / length as f64); length], server.mean(x)),
            }
        }
    }
}

/// Returns a matrix with a few diagonals, of which only the bound is known.
fn transform(machine: &Machine, rng: &mut ChaCha8Rng, a: &Value) -> Step {
    const STEP: &str = "a matrix";
    let (server, length) = (&machine.server, a.plain.len());
    if !length.is_power_of_two() || a.ciphertext.level() == 0 {
        return ("a copy", a.plain.clone(), Ok(a.ciphertext.clone()));
    }
    let steps = [0i64, 1, 2, 4].into_iter().filter(|step| (*step as usize) < length);
    let diagonals: Vec<(i64, Vec<Complex>)> =
        steps.map(|step| (step, machine.values(rng, length, 1.0, true))).collect();
    let matrix = Diagonals::new(length, diagonals).unwrap().real();
    let plain = matrix.apply(&a.plain);
    let encoded = LinearTransform::new(server.encoder(), &matrix, a.ciphertext.level()).unwrap();
    match server.linear_transform(&a.ciphertext, &encoded) {
        // Giant steps have no separate key here.
        Err(LinearError::Evaluation(EvaluationError::Key { .. })) => {
            ("a copy", a.plain.clone(), Ok(a.ciphertext.clone()))
        }
        product => (STEP, plain, product.map_err(CircuitError::from)),
    }
}

/// Evaluates a polynomial in either basis, on the known range of values.
fn function(machine: &Machine, rng: &mut ChaCha8Rng, a: &Value) -> Step {
    let (server, x) = (&machine.server, &a.ciphertext);
    let Some((low, high)) = x.bound().interval().filter(|(low, high)| high - low > 1e-6) else {
        let p = Polynomial::monomial(&[0.25, -1.0, 0.5, 1.0]).unwrap();
        return (
            "a cubic polynomial",
            each(a, |a| p.value(a)),
            server.evaluate(x, &p).map_err(CircuitError::from),
        );
    };
    if x.bound().magnitude() > 20.0 {
        return ("a copy", a.plain.clone(), Ok(x.clone()));
    }
    let degree = Accuracy::Degree([3, 7, 15][rng.gen_range(0..3)]);
    let (name, of): (_, fn(f64) -> f64) = match rng.gen_range(0..3) {
        0 => ("a sigmoid", |x| 1.0 / (1.0 + (-x).exp())),
        1 => ("a sine", f64::sin),
        _ => ("a Chebyshev polynomial", |x| (3.0 * x.clamp(-1.0, 1.0).acos()).cos()),
    };
    let values = server.evaluate_function(x, of, (low, high), degree);
    (name, each(a, |a| of(a.re).into()), values.map_err(CircuitError::from))
}
