// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every operation of a server against plain complex arithmetic: one list of cases, at parameters
//! for tests and at secure ones. The error lies within what the estimate says, and the estimate
//! within 2⁶ of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::setting::{zip, Pair, Setting};
use halimede_ckks::evaluator::{inner_sum_rotations, replicate_rotations};
use halimede_ckks::{
    Accuracy, Ciphertext, CircuitError, Complex, Diagonals, EvaluationError, LinearTransform,
};
use halimede_ckks::{Operations, Polynomial, Server, Sign};
use rand::Rng;

type Outcome = Result<Ciphertext, CircuitError>;

/// The result of an operation, and the expected one.
struct Case {
    what: &'static str,
    ciphertext: Outcome,
    plain: Vec<Complex>,
}

fn case<E: Into<CircuitError>>(
    what: &'static str,
    ciphertext: Result<Ciphertext, E>,
    plain: Vec<Complex>,
) -> Case {
    Case { what, ciphertext: ciphertext.map_err(E::into), plain }
}

/// The steps of rotations with their own keys.
const STEPS: [i64; 3] = [1, -3, 100];
/// The places that are summed and repeated, and their number.
const BATCH: (usize, usize) = (3, 5);

/// A server with keys for all cases, and the transforms of a level.
struct Bench {
    setting: Setting,
    matrix: Diagonals,
    transform: LinearTransform,
}

impl Bench {
    fn new(preset: &str) -> Self {
        let mut setting = Setting::new(preset, &[]);
        let slots = setting.client.parameters().slots();
        let diagonals: Vec<_> =
            [0, 1, 2, -1, 64, 65].map(|step| (step, setting.values(slots))).into();
        let matrix = Diagonals::new(slots, diagonals).unwrap();
        let transform = LinearTransform::new(setting.client.encoder(), &matrix, 2).unwrap();
        let mut rotations = STEPS.to_vec();
        rotations.extend(transform.rotations());
        rotations.extend(inner_sum_rotations(BATCH.1, BATCH.0));
        rotations.extend(replicate_rotations(BATCH.1, BATCH.0));
        let all = Operations { multiply: true, conjugate: true, rotations, ..Default::default() };
        setting.server = setting.client.server(&all);
        Self { setting, matrix, transform }
    }

    /// Random real values in an interval.
    fn real(&mut self, (from, to): (f64, f64), level: usize) -> Pair {
        let slots = self.setting.client.parameters().slots();
        self.setting.real_pair(slots, level, (from, to))
    }

    fn check(&self, cases: impl IntoIterator<Item = Case>, of: &str) {
        for Case { what, ciphertext, plain } in cases {
            let what = format!("{what} of {of}");
            let ciphertext = ciphertext.unwrap_or_else(|error| panic!("{what}: {error}"));
            self.setting.check(&ciphertext, &plain, &what);
        }
    }
}

fn each(a: &Pair, of: impl Fn(Complex) -> Complex) -> Vec<Complex> {
    a.plain.iter().map(|value| of(*value)).collect()
}

fn turned(a: &Pair, by: i64) -> Vec<Complex> {
    let mut plain = a.plain.clone();
    let by = by.rem_euclid(plain.len() as i64) as usize;
    plain.rotate_left(by);
    plain
}

/// Returns the sum of copies that are rotated by these steps.
fn sum_of_turned(a: &Pair, steps: impl Iterator<Item = i64>) -> Vec<Complex> {
    let zero = vec![Complex::default(); a.plain.len()];
    steps.fold(zero, |sum, by| zip(&sum, &turned(a, by), |sum, value| sum + value))
}

/// Operations that keep the level.
fn sums(server: &Server, a: &Pair, b: &Pair, plain: &[Complex]) -> Vec<Case> {
    let number = Complex::new(0.375, -2.25);
    let (x, y) = (&a.ciphertext, &b.ciphertext);
    vec![
        case("add", server.add(x, y), zip(&a.plain, &b.plain, |a, b| a + b)),
        case("sub", server.sub(x, y), zip(&a.plain, &b.plain, |a, b| a - b)),
        case("neg", server.neg(x), each(a, |a| -a)),
        case("add_plain", server.add_plain(x, plain), zip(&a.plain, plain, |a, b| a + b)),
        case("add_number", server.add_number(x, number), each(a, |a| a + number)),
        case("mul_integer", server.mul_integer(x, -7), each(a, |a| a * -7.0)),
        case("mul_by_i", server.mul_by_i(x), each(a, |a| a * Complex::new(0.0, 1.0))),
        case("conjugate", server.conjugate(x), each(a, Complex::conjugate)),
        case("add of itself", server.add(x, x), each(a, |a| a + a)),
        case("sub of its multiple", server.sub(x, &server.mul_by_i(x).unwrap()), {
            each(a, |a| a - a * Complex::new(0.0, 1.0))
        }),
    ]
}

/// Operations that need a level.
fn products(server: &Server, a: &Pair, b: &Pair, plain: &[Complex]) -> Vec<Case> {
    let number = Complex::new(-0.7, 1.3);
    let (x, y) = (&a.ciphertext, &b.ciphertext);
    let ones = vec![Complex::from(1.0); plain.len()];
    let wide = server
        .encoder()
        .encode(&ones, x.level())
        .map_err(EvaluationError::from)
        .and_then(|ones| server.rescale(&server.mul_encoded(x, &ones)?));
    vec![
        case("mul", server.mul(x, y), zip(&a.plain, &b.plain, |a, b| a * b)),
        case("square", server.mul(x, x), each(a, |a| a * a)),
        case("mul_plain", server.mul_plain(x, plain), zip(&a.plain, plain, |a, b| a * b)),
        case("mul_number", server.mul_number(x, number), each(a, |a| a * number)),
        case("rescale", wide, a.plain.clone()),
        case("at_level", server.at_level(x, x.level() - 1), a.plain.clone()),
    ]
}

fn rotations(server: &Server, a: &Pair) -> Vec<Case> {
    let (batch, count) = BATCH;
    let stride = batch as i64;
    let x = &a.ciphertext;
    let mut cases = vec![
        case("composed rotate", server.rotate(x, -2), turned(a, -2)),
        case("inner_sum", server.inner_sum(x, count, batch), {
            sum_of_turned(a, (0..count as i64).map(|turn| turn * stride))
        }),
        case("replicate", server.replicate(x, count, batch), {
            sum_of_turned(a, (0..count as i64).map(|turn| -turn * stride))
        }),
    ];
    for by in STEPS {
        cases.push(case("rotate", server.rotate(x, by), turned(a, by)));
    }
    let many = server.rotate_many(x, &STEPS).unwrap();
    cases.extend(
        many.into_iter()
            .zip(STEPS)
            .map(|(one, by)| case("rotate_many", Ok::<_, CircuitError>(one), turned(a, by))),
    );
    cases
}

#[test]
fn each_operation_on_vectors_is_as_precise_as_its_estimate() {
    for preset in ["n13-insecure", "n14"] {
        let mut bench = Bench::new(preset);
        let parameters = bench.setting.client.parameters();
        let (slots, top) = (parameters.slots(), parameters.top());
        for (left, right, count) in
            [(top, top, slots), (2, top, slots), (top - 1, 1, slots), (1, 3, 64)]
        {
            let (a, b) = (bench.setting.pair(count, left), bench.setting.pair(count, right));
            let plain = bench.setting.values(count);
            let of = format!("{preset}, levels {left} and {right}, {count} values");
            let server = &bench.setting.server;
            bench.check(sums(server, &a, &b, &plain), &of);
            bench.check(products(server, &a, &b, &plain), &of);
            bench.check(rotations(server, &a), &of);
        }
        for level in [2, top] {
            let a = bench.setting.pair(slots, level);
            let product = bench.setting.server.linear_transform(&a.ciphertext, &bench.transform);
            let plain = bench.matrix.apply(&a.plain);
            bench.check([case("linear_transform", product, plain)], preset);
        }
        // The lowest level, where only sums are possible.
        let (a, b) = (bench.setting.pair(slots, 0), bench.setting.pair(slots, 0));
        let plain = bench.setting.values(slots);
        let server = &bench.setting.server;
        bench.check(sums(server, &a, &b, &plain), preset);
        bench.check(rotations(server, &a), preset);
    }
}

#[test]
fn polynomials_and_functions_are_as_precise_as_their_estimates() {
    for preset in ["n13-insecure", "n14"] {
        let mut bench = Bench::new(preset);
        let top = bench.setting.client.parameters().top();
        let coefficients = bench.setting.values(12);
        let monomial = Polynomial::monomial(&coefficients[..6]).unwrap();
        let chebyshev = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap();
        let wide = Polynomial::chebyshev(&coefficients, (-3.0, 2.0)).unwrap();
        let a = bench.real((-1.0, 1.0), top);
        let (c, d) = (bench.real((-3.0, 2.0), top), bench.real((1.0, 3.0), top));
        let complex = bench.setting.pair(a.plain.len(), top);
        // Values of either sign, away from the undefined range.
        let mut e = bench.real((0.3, 1.0), top);
        e.plain.iter_mut().filter(|_| bench.setting.rng.gen()).for_each(|value| *value = -*value);
        let reals: Vec<f64> = e.plain.iter().map(|value| value.re).collect();
        e.ciphertext = bench.setting.client.encrypt(&reals).unwrap();
        let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
        let accuracy = Accuracy::Error(1e-4);
        let server = &bench.setting.server;
        let below = server.parameters().level(1).scale;
        let sign = Sign::new(1.0, 0.3, 0.05).unwrap();
        let sign_of = |x: Complex| Complex::from(x.re.signum());
        let mut cases = vec![
            case("monomial", server.evaluate(&complex.ciphertext, &monomial), {
                each(&complex, |x| monomial.value(x))
            }),
            case("chebyshev", server.evaluate(&a.ciphertext, &chebyshev), {
                each(&a, |x| chebyshev.value(x))
            }),
            case("evaluate_to", server.evaluate_to(&a.ciphertext, &chebyshev, 1, below), {
                each(&a, |x| chebyshev.value(x))
            }),
            case("another interval", server.evaluate(&c.ciphertext, &wide), {
                each(&c, |x| wide.value(x))
            }),
            case(
                "sigmoid",
                server.evaluate_function(&c.ciphertext, sigmoid, (-3.0, 2.0), accuracy),
                each(&c, |x| sigmoid(x.re).into()),
            ),
            case("inverse", server.inverse(&d.ciphertext, (1.0, 3.0), 1e-3), {
                each(&d, |x| (1.0 / x.re).into())
            }),
            case("square_root", server.square_root(&d.ciphertext, (1.0, 3.0), 1e-3), {
                each(&d, |x| x.re.sqrt().into())
            }),
        ];
        if sign.levels() < top {
            cases.push(case("sign", server.sign(&e.ciphertext, &sign), each(&e, sign_of)));
            cases.push(case("relu", server.relu(&e.ciphertext, &sign), {
                each(&e, |x| x.re.max(0.0).into())
            }));
        }
        bench.check(cases, preset);
    }
}
