// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Circuits designed to exceed their estimates: shared operands, powers, long sums, repeated
//! operations, values at the bound and large ones, and concentrated errors.

use halimede_ckks::linear::LinearError;
use halimede_ckks::{
    Accuracy, Bound, CircuitError, Complex, Diagonals, EvaluationError, LinearTransform, Values,
};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::random::sum;
use super::setting::{is_out_of_room, Machine, Report, Value};

type Attempt = Result<(), CircuitError>;

pub fn circuit(machine: &mut Machine, rng: &mut ChaCha8Rng) -> Report {
    let mut report = Report::new();
    let attacks = [
        sums_with_itself,
        powers,
        long_sums,
        repeated_rotations,
        repeated_divisions,
        masks_and_sums,
        sums_by_hand,
        sums_of_sums,
        large_values,
        small_values,
        matrices,
        polynomials_at_the_ends,
        cancelled_operands,
        exact_copies,
    ];
    let attack = attacks[rng.gen_range(0..attacks.len())];
    match attack(machine, rng, &mut report) {
        // A step without room or levels makes no claim; earlier steps do.
        Ok(()) => report,
        Err(error) if is_out_of_room(&error) => report,
        Err(error) => panic!("{error}"),
    }
}

/// Returns a vector of all slots, with values at the bound or random ones.
fn input(machine: &mut Machine, rng: &mut ChaCha8Rng, is_real: bool) -> Value {
    let length = machine.length(rng).next_power_of_two();
    input_of(machine, rng, length, 1.0, is_real)
}

fn input_of(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    length: usize,
    magnitude: f64,
    is_real: bool,
) -> Value {
    let bound = if is_real { Bound::real(magnitude) } else { Bound::complex(magnitude) };
    let plain = machine.values(rng, length, magnitude, is_real);
    let top = machine.client.parameters().top();
    machine.seal(plain, bound, top)
}

fn each(a: &Value, of: impl Fn(Complex) -> Complex) -> Vec<Complex> {
    a.plain.iter().map(|a| of(*a)).collect()
}

fn zip(a: &Value, b: &Value, of: impl Fn(Complex, Complex) -> Complex) -> Vec<Complex> {
    a.plain.iter().zip(&b.plain).map(|(a, b)| of(*a, *b)).collect()
}

/// Sixteen times z ← z + z·1.
fn sums_with_itself(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let mut z = input(machine, rng, true);
    let ones = vec![1.0; z.plain.len()];
    let way = rng.gen_range(0..4);
    for _ in 0..16 {
        let server = &machine.server;
        let same = match way {
            0 => server.mul_plain(&z.ciphertext, &ones)?,
            1 => server.mul_number(&z.ciphertext, Complex::from(1.0))?,
            2 => server.mul_integer(&z.ciphertext, 1)?,
            _ => server.neg(&server.neg(&z.ciphertext)?)?,
        };
        let ciphertext = server.add(&z.ciphertext, &same)?;
        z = Value { plain: each(&z, |z| z + z), ciphertext };
        report.check(machine, &z, "z + z·1");
    }
    Ok(())
}

/// x, x², x⁴ … by squaring, and powers as products with x.
fn powers(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let x = input(machine, rng, rng.clone().gen());
    let (mut power, is_squared) = (x.clone(), rng.gen());
    loop {
        let factor = if is_squared { power.clone() } else { x.clone() };
        let ciphertext = machine.server.mul(&power.ciphertext, &factor.ciphertext)?;
        power = Value { plain: zip(&power, &factor, |a, b| a * b), ciphertext };
        report.check(machine, &power, "a power");
    }
}

/// Sums of many: fresh ones, or multiples of one.
fn long_sums(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let length = machine.slots();
    let first = input_of(machine, rng, length, 1.0, true);
    let (mut sum, is_fresh) = (first.clone(), rng.gen());
    for _ in 0..rng.gen_range(2..80) {
        let term = match is_fresh {
            true => input_of(machine, rng, length, 1.0, true),
            false => {
                let number = Complex::from(rng.gen_range(0.5..1.5));
                let ciphertext = machine.server.mul_number(&first.ciphertext, number)?;
                Value { plain: each(&first, |x| x * number), ciphertext }
            }
        };
        let ciphertext = machine.server.add(&sum.ciphertext, &term.ciphertext)?;
        sum = Value { plain: zip(&sum, &term, |a, b| a + b), ciphertext };
    }
    report.check(machine, &sum, "a long sum");
    Ok(())
}

/// Returns the same rotation of the same vector, or of one that differs by a number, again and
/// again.
fn repeated_rotations(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let x = input_of(machine, rng, machine.slots(), 1.0, true);
    let (mut sum, way) = (None::<Value>, rng.gen_range(0..5));
    for k in 0..16 {
        let server = &machine.server;
        let shift = Complex::from(f64::from(k) / 16.0);
        let (source, of): (_, Box<dyn Fn(Complex) -> Complex>) = match way {
            0 => (x.ciphertext.clone(), Box::new(|x| x)),
            1 => (server.add_number(&x.ciphertext, shift)?, Box::new(move |x| x + shift)),
            2 => {
                (server.mul_integer(&x.ciphertext, k.into())?, Box::new(move |x| x * f64::from(k)))
            }
            3 => {
                let power = 1i64 << (k % 6);
                (server.mul_integer(&x.ciphertext, power)?, Box::new(move |x| x * power as f64))
            }
            _ => (server.neg(&x.ciphertext)?, Box::new(|x| -x)),
        };
        let mut plain = each(&x, of);
        plain.rotate_left(1);
        let turned = Value { plain, ciphertext: server.rotate(&source, 1)? };
        sum = Some(match sum {
            None => turned,
            Some(sum) => {
                let ciphertext = server.add(&sum.ciphertext, &turned.ciphertext)?;
                Value { plain: zip(&sum, &turned, |a, b| a + b), ciphertext }
            }
        });
    }
    sum.iter().for_each(|sum| report.check(machine, sum, "sums of one rotation"));
    Ok(())
}

/// Returns the same division again and again.
fn repeated_divisions(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let x = input(machine, rng, true);
    let top = x.ciphertext.level();
    let mut sum: Option<Value> = None;
    for k in 0..16 {
        let shifted = machine.server.add_number(&x.ciphertext, Complex::from(f64::from(k)))?;
        let plain = each(&x, |x| x + Complex::from(f64::from(k)));
        let lower = Value { plain, ciphertext: machine.server.at_level(&shifted, top - 1)? };
        sum = Some(match sum {
            None => lower,
            Some(sum) => {
                let ciphertext = machine.server.add(&sum.ciphertext, &lower.ciphertext)?;
                Value { plain: zip(&sum, &lower, |a, b| a + b), ciphertext }
            }
        });
    }
    sum.iter().for_each(|sum| report.check(machine, sum, "sums of one division"));
    Ok(())
}

/// Copies a single slot to all slots.
fn masks_and_sums(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let mut x = input(machine, rng, rng.clone().gen());
    let length = x.plain.len();
    if rng.gen() {
        // Errors of a rounding, made larger than all later ones.
        let lower = machine.server.at_level(&x.ciphertext, x.ciphertext.level() - 1)?;
        let ciphertext = machine.server.mul_integer(&lower, 1000)?;
        x = Value { plain: each(&x, |x| x * 1000.0), ciphertext };
    }
    let place = rng.gen_range(0..length);
    let mask: Vec<f64> = (0..length).map(|k| f64::from(u8::from(k == place))).collect();
    let masked = machine.server.mul_plain(&x.ciphertext, &mask)?;
    let ciphertext = machine.server.sum(&masked)?;
    let mut one = Value { plain: vec![x.plain[place]; length], ciphertext };
    report.check(machine, &one, "one slot in all");
    for _ in 0..rng.gen_range(0..3) {
        let ciphertext = machine.server.mul(&one.ciphertext, &one.ciphertext)?;
        one = Value { plain: each(&one, |x| x * x), ciphertext };
        report.check(machine, &one, "its square");
    }
    Ok(())
}

/// Sums of rotations of one vector with one source of errors that is far larger than all others: by
/// doubling or one at a time, over all slots or half of them.
fn sums_by_hand(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let length = 1usize << rng.gen_range(1..=machine.slots().ilog2().min(7));
    let x = one_large_source(machine, rng, length)?;
    let count = if rng.gen() { length } else { length / 2 };
    let sum = sum_by_hand(machine, &x, count, rng.gen())?;
    report.check(machine, &sum, "a sum by hand");
    // The same again, one step further: the error is the same in all slots.
    let ciphertext = machine.server.rotate(&sum.ciphertext, 1)?;
    let mut plain = sum.plain.clone();
    plain.rotate_left(1);
    let ciphertext = machine.server.add(&ciphertext, &sum.ciphertext)?;
    let twice =
        Value { plain: zip(&sum, &Value { plain, ..sum.clone() }, |a, b| a + b), ciphertext };
    report.check(machine, &twice, "twice a sum by hand");
    Ok(())
}

/// Returns a vector whose errors come from one rounding.
pub fn one_large_source(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    length: usize,
) -> Result<Value, CircuitError> {
    let x = input_of(machine, rng, length, 1e-3, true);
    let lower = machine.server.at_level(&x.ciphertext, x.ciphertext.level() - 1)?;
    let ciphertext = machine.server.mul_integer(&lower, 1000)?;
    Ok(Value { plain: each(&x, |x| x * 1000.0), ciphertext })
}

/// x + rot(x, 1) + … with `count` terms: a power of two by doubling, or any number.
pub fn sum_by_hand(
    machine: &Machine,
    x: &Value,
    count: usize,
    by_doubling: bool,
) -> Result<Value, CircuitError> {
    let server = &machine.server;
    let rotated = |value: &Value, by: usize| {
        let mut plain = value.plain.clone();
        plain.rotate_left(by);
        Ok::<_, CircuitError>(Value {
            plain,
            ciphertext: server.rotate(&value.ciphertext, by as i64)?,
        })
    };
    let (mut sum, mut terms) = (x.clone(), 1);
    while terms < count {
        let (by, of) = if by_doubling { (terms, &sum) } else { (1, x) };
        let next = match by_doubling {
            true => rotated(of, by)?,
            false => rotated(of, terms)?,
        };
        let ciphertext = server.add(&sum.ciphertext, &next.ciphertext)?;
        sum = Value { plain: zip(&sum, &next, |a, b| a + b), ciphertext };
        terms += by;
    }
    Ok(sum)
}

/// Sums over all slots, and means, of sums.
fn sums_of_sums(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let mut x = input(machine, rng, true);
    for _ in 0..3 {
        let count = x.plain.len() as f64;
        let sum = sum(&x.plain);
        let (ciphertext, value) = match rng.gen() {
            true => (machine.server.sum(&x.ciphertext)?, sum),
            false => (machine.server.mean(&x.ciphertext)?, sum * (1.0 / count)),
        };
        x = Value { plain: vec![value; x.plain.len()], ciphertext };
        report.check(machine, &x, "a sum of a sum");
    }
    Ok(())
}

/// Values near the limit of doubles.
fn large_values(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let magnitude = 10f64.powf(rng.gen_range(3.0..18.0));
    let length = machine.length(rng);
    let is_real = rng.gen();
    let plain = machine.values(rng, length, magnitude, is_real);
    let bound = if is_real { Bound::real(magnitude) } else { Bound::complex(magnitude) };
    let declared = Values::from(&plain).bounded(bound);
    let top = machine.client.parameters().top();
    let Ok(ciphertext) = machine.client.encrypt_at(declared, top) else { return Ok(()) };
    let mut x = Value { plain, ciphertext };
    report.check(machine, &x, "large values");
    for _ in 0..3 {
        let ciphertext = machine.server.add(&x.ciphertext, &x.ciphertext)?;
        x = Value { plain: each(&x, |x| x + x), ciphertext };
        report.check(machine, &x, "their double");
    }
    let number = Complex::from(rng.gen_range(0.0..1.0f64));
    let ciphertext = machine.server.mul_number(&x.ciphertext, number)?;
    report.check(
        machine,
        &Value { plain: each(&x, |x| x * number), ciphertext },
        "a large product",
    );
    Ok(())
}

/// Values that are smaller than errors.
fn small_values(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let magnitude = 10f64.powf(rng.gen_range(-15.0..-8.0));
    let length = machine.length(rng);
    let mut x = input_of(machine, rng, length, magnitude, true);
    report.check(machine, &x, "small values");
    loop {
        let ciphertext = machine.server.mul(&x.ciphertext, &x.ciphertext)?;
        x = Value { plain: each(&x, |x| x * x), ciphertext };
        report.check(machine, &x, "their square");
        let ciphertext = machine.server.mul_integer(&x.ciphertext, 1000)?;
        x = Value { plain: each(&x, |x| x * 1000.0), ciphertext };
        report.check(machine, &x, "a thousand times that");
    }
}

/// Matrices of ones, or with all in one column, twice.
fn matrices(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let length = 4.min(machine.slots());
    let mut x = input_of(machine, rng, length, 1.0, true);
    let column = rng.gen_range(0..length);
    let is_column: bool = rng.gen();
    let entry = |k: usize| f64::from(u8::from(!is_column || k % length == column));
    let entries: Vec<Complex> = (0..length * length).map(|k| entry(k).into()).collect();
    let matrix = Diagonals::of_matrix(length, length, &entries).unwrap().real();
    for _ in 0..3 {
        let level = x.ciphertext.level();
        if level == 0 {
            return Ok(());
        }
        let encoded = LinearTransform::new(machine.server.encoder(), &matrix, level).unwrap();
        let ciphertext = match machine.server.linear_transform(&x.ciphertext, &encoded) {
            Err(LinearError::Evaluation(EvaluationError::Key { .. })) => return Ok(()),
            product => product?,
        };
        x = Value { plain: matrix.apply(&x.plain), ciphertext };
        report.check(machine, &x, "a matrix of ones");
    }
    Ok(())
}

/// A sequence of Chebyshev polynomials where their slope is largest.
fn polynomials_at_the_ends(
    machine: &mut Machine,
    rng: &mut ChaCha8Rng,
    report: &mut Report,
) -> Attempt {
    let ends = rng.gen();
    let length = machine.length(rng);
    let plain: Vec<Complex> = match ends {
        true => vec![Complex::from(if rng.gen() { 1.0 } else { -1.0 }); length],
        false => machine.values(rng, length, 1.0, true),
    };
    let top = machine.client.parameters().top();
    let mut x = machine.seal(plain, Bound::real(1.0), top);
    let degree = [2usize, 3, 7][rng.gen_range(0..3)];
    let chebyshev = move |x: f64| (degree as f64 * x.clamp(-1.0, 1.0).acos()).cos();
    loop {
        let p = halimede_ckks::Polynomial::approximation(
            chebyshev,
            (-1.0, 1.0),
            Accuracy::Degree(degree),
        );
        let y = machine.server.evaluate(&x.ciphertext.bounded(Bound::real(1.0)), &p.unwrap())?;
        x = Value { plain: each(&x, |x| chebyshev(x.re).into()), ciphertext: y };
        report.check(machine, &x, "a Chebyshev polynomial");
    }
}

/// Sums and differences that leave little more than errors, enlarged again.
fn cancelled_operands(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let x = input(machine, rng, true);
    let y = machine.server.mul_number(&x.ciphertext, Complex::from(1.0))?;
    let difference = machine.server.sub(&x.ciphertext, &y)?;
    let mut off = Value { plain: vec![Complex::default(); x.plain.len()], ciphertext: difference };
    report.check(machine, &off, "x − 1·x");
    for _ in 0..2 {
        let ciphertext = machine.server.mul_integer(&off.ciphertext, 1000)?;
        off = Value { plain: off.plain.clone(), ciphertext };
        report.check(machine, &off, "a thousand times x − 1·x");
    }
    let ciphertext = machine.server.mul(&off.ciphertext, &x.ciphertext)?;
    report.check(machine, &Value { plain: off.plain.clone(), ciphertext }, "that times x");
    Ok(())
}

/// Products and rotations done twice, and added.
fn exact_copies(machine: &mut Machine, rng: &mut ChaCha8Rng, report: &mut Report) -> Attempt {
    let length = machine.length(rng).next_power_of_two();
    let [x, y] = [(); 2].map(|()| input_of(machine, rng, length, 1.0, true));
    let server = &machine.server;
    let mut sum = server.mul(&x.ciphertext, &y.ciphertext)?;
    let mut plain = zip(&x, &y, |a, b| a * b);
    let terms = rng.gen_range(2..24);
    for _ in 1..terms {
        sum = match rng.gen() {
            true => server.add(&sum, &server.mul(&x.ciphertext, &y.ciphertext)?)?,
            false => server.add(&sum, &server.mul(&y.ciphertext, &x.ciphertext)?)?,
        };
    }
    plain.iter_mut().for_each(|value| *value = *value * f64::from(terms));
    report.check(machine, &Value { plain, ciphertext: sum }, "one product, many times");
    Ok(())
}
