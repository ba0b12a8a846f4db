// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Quotients, roots, signs and what is made of them, of values at the ends of their intervals and
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

/// Values in an interval: at its ends, all alike, or random.
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

/// What a function makes of an input, and of its result again a sum with the input, whose errors it
/// shares.
fn check(
    machine: &Machine,
    report: &mut Report,
    x: &Value,
    what: &str,
    of: impl Fn(f64) -> f64,
    sealed: halimede_ckks::Ciphertext,
) -> Result<(), CircuitError> {
    let plain: Vec<Complex> = x.plain.iter().map(|x| of(x.re).into()).collect();
    let value = Value { plain, sealed };
    report.check(machine, &value, what);
    let sealed = machine.server.add(&value.sealed, &x.sealed)?;
    let plain = value.plain.iter().zip(&x.plain).map(|(a, b)| *a + *b).collect();
    report.check(machine, &Value { plain, sealed }, "a function plus its argument");
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
    let (what, of, sealed): (_, fn(f64) -> f64, _) = match rng.gen_range(0..3) {
        0 => ("an inverse", f64::recip, server.inverse(&x.sealed, interval, error)),
        1 => ("a square root", f64::sqrt, server.square_root(&x.sealed, interval, error)),
        _ => (
            "an inverse square root",
            |x| x.sqrt().recip(),
            server.inverse_square_root(&x.sealed, interval, error),
        ),
    };
    check(machine, report, &x, what, of, sealed?)
}

fn signs(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    report: &mut Report,
) -> Result<(), CircuitError> {
    let bound = rng.gen_range(0.5..3.0);
    let threshold = bound * rng.gen_range(0.05..0.3);
    let sign = Sign::new(bound, threshold, 10f64.powf(rng.gen_range(-4.0..-1.0))).unwrap();
    // Values of which the sign is found.
    let mut x = input(machine, rng, (threshold, bound));
    let negated = rng.gen();
    if negated {
        x.plain.iter_mut().for_each(|value| *value = -*value);
        x.sealed = machine.server.neg(&x.sealed)?;
    }
    let server = &machine.server;
    let (what, of, sealed): (_, fn(f64) -> f64, _) = match rng.gen() {
        true => ("a sign", f64::signum, server.sign(&x.sealed, &sign)),
        false => ("a comparison", |x| f64::from(x > 0.0), server.is_positive(&x.sealed, &sign)),
    };
    check(machine, report, &x, what, of, sealed?)
}

fn larger_ones(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    report: &mut Report,
) -> Result<(), CircuitError> {
    let bound = rng.gen_range(0.5..3.0);
    let sign = Sign::new(bound, bound * rng.gen_range(0.05..0.3), 1e-2).unwrap();
    // Of any value, those below the threshold with it.
    let part = if rng.gen() { 1.0 } else { sign.threshold() / bound };
    let x = input(machine, rng, (-bound * part, bound * part));
    let sealed = machine.server.relu(&x.sealed, &sign)?;
    check(machine, report, &x, "a ReLU", |x| x.max(0.0), sealed)
}
