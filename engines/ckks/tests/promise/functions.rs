// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quotients, roots, signs and functions of them, for values at the ends of their intervals and
//! between.

use halimede_ckks::params::{ChainShape, SecretKind};
use halimede_ckks::{Bound, CircuitError, Complex, Parameters, Sign};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::setting::{is_out_of_room, Machine, Report, Value};

/// Levels for the deepest function.
const DEPTH: usize = 16;

pub fn machines() -> Vec<Machine> {
    [9, 10]
        .map(|log_degree| {
            let (base_units, steps) = (12, vec![8; DEPTH]);
            let shape = ChainShape { log_degree, base_units, steps, digits: 4 };
            Machine::new(&Parameters::insecure(shape, SecretKind::Ternary).unwrap())
        })
        .into()
}

pub fn circuit(machine: &mut Machine, rng: &mut ChaCha8Rng) -> Report {
    let mut report = Report::new();
    let attempt = match rng.gen_range(0..3) {
        0 => quotients_and_roots(machine, rng, &mut report),
        1 => signs(machine, rng, &mut report),
        _ => larger_ones(machine, rng, &mut report),
    };
    match attempt {
        Ok(()) => report,
        Err(error) if is_out_of_room(&error) => report,
        Err(error) => panic!("{error}"),
    }
}

/// Returns values in an interval: at its ends, all equal, or random.
fn input(machine: &mut Machine, rng: &mut ChaCha8Rng, (from, to): (f64, f64)) -> Value {
    let length = machine.length(rng);
    let alike = rng.gen_range(from..=to);
    let kind = rng.gen_range(0..3);
    let value = |rng: &mut ChaCha8Rng| match kind {
        0 if rng.gen() => from,
        0 => to,
        1 => alike,
        _ => rng.gen_range(from..=to),
    };
    let plain = (0..length).map(|_| value(rng).into()).collect();
    machine.seal(plain, Bound::between(from, to), DEPTH)
}

/// Checks a function of an input, and the sum of its result and the input, which share errors.
fn check(
    machine: &Machine,
    report: &mut Report,
    x: &Value,
    what: &str,
    of: impl Fn(f64) -> f64,
    ciphertext: halimede_ckks::Ciphertext,
) -> Result<(), CircuitError> {
    let plain: Vec<Complex> = x.plain.iter().map(|x| of(x.re).into()).collect();
    let value = Value { plain, ciphertext };
    report.check(machine, &value, what);
    let ciphertext = machine.server.add(&value.ciphertext, &x.ciphertext)?;
    let plain = value.plain.iter().zip(&x.plain).map(|(a, b)| *a + *b).collect();
    report.check(machine, &Value { plain, ciphertext }, "a function plus its argument");
    Ok(())
}

fn quotients_and_roots(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    report: &mut Report,
) -> Result<(), CircuitError> {
    let from = 10f64.powf(rng.gen_range(-1.5..0.0));
    let interval = (from, from * rng.gen_range(1.5..20.0));
    let x = input(machine, rng, interval);
    let error = 10f64.powf(rng.gen_range(-5.0..-1.0));
    let server = &machine.server;
    let (what, of, ciphertext): (_, fn(f64) -> f64, _) = match rng.gen_range(0..3) {
        0 => ("an inverse", f64::recip, server.inverse(&x.ciphertext, interval, error)),
        1 => ("a square root", f64::sqrt, server.square_root(&x.ciphertext, interval, error)),
        _ => (
            "an inverse square root",
            |x| x.sqrt().recip(),
            server.inverse_square_root(&x.ciphertext, interval, error),
        ),
    };
    check(machine, report, &x, what, of, ciphertext?)
}

fn signs(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    report: &mut Report,
) -> Result<(), CircuitError> {
    let bound = rng.gen_range(0.5..3.0);
    let threshold = bound * 10f64.powf(rng.gen_range(-2.5..-0.5));
    let sign = Sign::new(bound, threshold, 10f64.powf(rng.gen_range(-5.0..-1.0))).unwrap();
    // Values whose sign is found, or any at all, including 0 and the threshold.
    let is_beyond = rng.gen();
    let mut x = match is_beyond {
        true => input(machine, rng, (threshold, bound)),
        false => {
            let most = if rng.gen() { bound } else { threshold };
            anything(machine, rng, most)
        }
    };
    if is_beyond && rng.gen() {
        x.plain.iter_mut().for_each(|value| *value = -*value);
        x.ciphertext = machine.server.neg(&x.ciphertext)?;
    }
    let server = &machine.server;
    let is_sign = rng.gen();
    let ciphertext = match is_sign {
        true => server.sign(&x.ciphertext, &sign)?,
        false => server.is_positive(&x.ciphertext, &sign)?,
    };
    let scaled = |sign: f64| if is_sign { sign } else { (sign + 1.0) / 2.0 };
    if is_beyond {
        let what = if is_sign { "a sign" } else { "a comparison" };
        check(machine, report, &x, what, |x| scaled(x.signum()), ciphertext.clone())?;
    }
    // The exact result of the computation, for all values.
    let plain = x.plain.iter().map(|x| scaled(sign.value(x.re)).into()).collect();
    let value = Value { plain, ciphertext };
    report.check_anywhere(machine, &value, "a sign of anything");
    // A product with it has both claims.
    let ciphertext = machine
        .server
        .add(&machine.server.mul(&value.ciphertext, &x.ciphertext)?, &x.ciphertext)?;
    let plain = value.plain.iter().zip(&x.plain).map(|(sign, x)| *sign * *x + *x).collect();
    report.check_anywhere(
        machine,
        &Value { plain, ciphertext },
        "a product with a sign of anything",
    );
    Ok(())
}

/// Returns differences of values up to half a bound: of equal values, of some equal values, or of
/// any.
fn anything(machine: &mut Machine, rng: &mut ChaCha8Rng, bound: f64) -> Value {
    let a = input(machine, rng, (-bound / 2.0, bound / 2.0));
    let kind = rng.gen_range(0..3);
    let other = |rng: &mut ChaCha8Rng, a: &Complex| match kind {
        0 => *a,
        1 if rng.gen() => *a,
        _ => rng.gen_range(-bound / 2.0..=bound / 2.0).into(),
    };
    let plain: Vec<Complex> = a.plain.iter().map(|a| other(rng, a)).collect();
    let b = machine.seal(plain, Bound::real(bound / 2.0), DEPTH);
    let ciphertext = machine.server.sub(&a.ciphertext, &b.ciphertext).unwrap();
    let plain = a.plain.iter().zip(&b.plain).map(|(a, b)| *a - *b).collect();
    Value { plain, ciphertext }
}

fn larger_ones(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    report: &mut Report,
) -> Result<(), CircuitError> {
    let bound = rng.gen_range(0.5..3.0);
    let sign = Sign::new(bound, bound * rng.gen_range(0.05..0.3), 1e-2).unwrap();
    // Any values, including those below the threshold.
    let part = if rng.gen() { 1.0 } else { sign.threshold() / bound };
    let x = input(machine, rng, (-bound * part, bound * part));
    let ciphertext = machine.server.relu(&x.ciphertext, &sign)?;
    check(machine, report, &x, "a ReLU", |x| x.max(0.0), ciphertext)
}
