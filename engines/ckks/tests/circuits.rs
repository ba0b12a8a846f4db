// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random circuits of a server's operations, mirrored on plain vectors: every value on the way lies within
//! what its estimate says. Estimates take errors for independent: where operands share some, an operation may
//! have √2 times the error, which is counted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod setting;

use std::collections::BTreeSet;

use halimede_ckks::params::ParametersBuilder;
use halimede_ckks::{Ciphertext, Complex, EvaluationError, Polynomial};
use proptest::prelude::*;
use setting::{zip, Pair, Setting};

/// Levels, so that most circuits end before the lowest.
const DEPTH: usize = 8;
const STEPS: [i64; 3] = [1, 7, -20];
/// How large values may become; the lowest level has room for 2¹⁹.
const LARGEST: f64 = 4096.0;

/// A value of a circuit.
struct Node {
    pair: Pair,
    /// The steps whose errors it has.
    sources: BTreeSet<usize>,
    /// By how much its error may exceed the estimate, for the errors that its operands shared.
    slack: f64,
}

impl Node {
    fn first(pair: Pair, index: usize) -> Self {
        Self { pair, sources: [index].into(), slack: 1.0 }
    }

    /// The sources and the slack of what is made of two values, or of one.
    fn shared(operation: Operation, a: &Self, b: &Self) -> (BTreeSet<usize>, f64) {
        if !matches!(operation, Operation::Add | Operation::Sub | Operation::Mul) {
            return (a.sources.clone(), a.slack);
        }
        // The server knows an operand and itself.
        let are_apart = std::ptr::eq(a, b) || a.sources.is_disjoint(&b.sources);
        let slack = a.slack.max(b.slack) * if are_apart { 1.0 } else { 2f64.sqrt() };
        (a.sources.union(&b.sources).copied().collect(), slack)
    }
}

/// A step of a circuit: an operation, and two of the values that there are, counted from the last.
#[derive(Clone, Copy, Debug)]
struct Step {
    operation: Operation,
    left: usize,
    right: usize,
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Add,
    Sub,
    Mul,
    Neg,
    Conjugate,
    Rotate(usize),
    AddNumber(f64, f64),
    MulNumber(f64, f64),
    MulInteger(i64),
    MulByI,
    AddPlain,
    MulPlain,
    AtLevel(usize),
    Cubic,
}

fn operations() -> impl Strategy<Value = Operation> {
    use Operation as O;
    let part = || -2.0..2.0f64;
    prop_oneof![
        3 => Just(O::Add),
        2 => Just(O::Sub),
        6 => Just(O::Mul),
        1 => Just(O::Neg),
        1 => Just(O::Conjugate),
        2 => (0..STEPS.len()).prop_map(O::Rotate),
        1 => (part(), part()).prop_map(|(re, im)| O::AddNumber(re, im)),
        1 => (part(), part()).prop_map(|(re, im)| O::MulNumber(re, im)),
        1 => (-5i64..6).prop_filter("not zero", |n| *n != 0).prop_map(O::MulInteger),
        1 => Just(O::MulByI),
        1 => Just(O::AddPlain),
        2 => Just(O::MulPlain),
        1 => (0..DEPTH).prop_map(O::AtLevel),
        1 => Just(O::Cubic),
    ]
}

fn circuits() -> impl Strategy<Value = Vec<Step>> {
    let step = (operations(), 0usize..8, 0usize..8);
    let step = step.prop_map(|(operation, left, right)| Step { operation, left, right });
    prop::collection::vec(step, 1..24)
}

/// What a step gives, in the open and sealed.
fn apply(
    setting: &mut Setting,
    operation: Operation,
    a: &Pair,
    b: &Pair,
) -> (Vec<Complex>, Result<Ciphertext, EvaluationError>) {
    use Operation as O;
    let vector = setting.values(a.plain.len());
    let (server, x) = (&setting.server, &a.sealed);
    let each = |of: &dyn Fn(Complex) -> Complex| a.plain.iter().map(|a| of(*a)).collect();
    match operation {
        O::Add => (zip(&a.plain, &b.plain, |a, b| a + b), server.add(x, &b.sealed)),
        O::Sub => (zip(&a.plain, &b.plain, |a, b| a - b), server.sub(x, &b.sealed)),
        O::Mul => (zip(&a.plain, &b.plain, |a, b| a * b), server.mul(x, &b.sealed)),
        O::Neg => (each(&|a| -a), server.neg(x)),
        O::Conjugate => (each(&Complex::conjugate), server.conjugate(x)),
        O::Rotate(step) => {
            let mut plain = a.plain.clone();
            plain.rotate_left(STEPS[step].rem_euclid(a.plain.len() as i64) as usize);
            (plain, server.rotate(x, STEPS[step]))
        }
        O::AddNumber(re, im) => {
            let number = Complex::new(re, im);
            (each(&|a| a + number), server.add_number(x, number))
        }
        O::MulNumber(re, im) => {
            let number = Complex::new(re, im);
            (each(&|a| a * number), server.mul_number(x, number))
        }
        O::MulInteger(n) => (each(&|a| a * n as f64), server.mul_integer(x, n)),
        O::MulByI => (each(&|a| a * Complex::new(0.0, 1.0)), server.mul_by_i(x)),
        O::AddPlain => (zip(&a.plain, &vector, |a, b| a + b), server.add_plain(x, &vector)),
        O::MulPlain => (zip(&a.plain, &vector, |a, b| a * b), server.mul_plain(x, &vector)),
        O::AtLevel(level) => (a.plain.clone(), server.at_level(x, level)),
        O::Cubic => {
            let cubic = Polynomial::monomial(&[0.25, -1.0, 0.5, 1.0]).unwrap();
            (each(&|a| cubic.value(a)), server.evaluate(x, &cubic))
        }
    }
}

/// The level that a step's result has; `None` where there are too few.
fn level_after(operation: Operation, a: &Ciphertext, b: &Ciphertext) -> Option<usize> {
    use Operation as O;
    let common = a.level().min(b.level());
    match operation {
        O::Add | O::Sub => Some(common),
        O::Mul => common.checked_sub(1),
        O::MulNumber(..) | O::MulPlain => a.level().checked_sub(1),
        O::Cubic => a.level().checked_sub(2),
        O::AtLevel(level) => (level <= a.level()).then_some(level),
        _ => Some(a.level()),
    }
}

/// A bound of the result, so that no value leaves the modulus.
fn bound(operation: Operation, a: &Ciphertext, b: &Ciphertext) -> f64 {
    let [a, b] = [a, b].map(|sealed| sealed.estimate().magnitude());
    (a + b + 8.0).max(a * b).max(match operation {
        Operation::Cubic => a * a * a,
        _ => 3.0 * a,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_value_of_a_circuit_is_within_its_estimate(steps in circuits(), seed in any::<u64>()) {
        thread_local!(static SETTING: std::cell::RefCell<Setting> = {
            let builder = ParametersBuilder::new().depth(DEPTH).precision_bits(18.0);
            Setting::of(&builder.build_insecure(10).unwrap(), &STEPS).into()
        });
        SETTING.with_borrow_mut(|setting| {
            setting.rng = rand::SeedableRng::seed_from_u64(seed);
            let slots = setting.client.parameters().slots();
            let levels = [DEPTH, DEPTH, DEPTH - 2].into_iter().enumerate();
            let mut values: Vec<Node> =
                levels.map(|(place, level)| Node::first(setting.pair(slots, level), place)).collect();
            for Step { operation, left, right } in steps {
                let nth = |back: usize| &values[values.len() - 1 - back % values.len()];
                let (a, b) = (nth(left), nth(right));
                let (mut sources, slack) = Node::shared(operation, a, b);
                let (a, b) = (&a.pair, &b.pair);
                if bound(operation, &a.sealed, &b.sealed) > LARGEST {
                    continue;
                }
                let expected = level_after(operation, &a.sealed, &b.sealed);
                let (plain, sealed) = apply(setting, operation, a, b);
                match (sealed, expected) {
                    (Ok(sealed), Some(level)) => {
                        prop_assert_eq!(sealed.level(), level, "{:?}", operation);
                        setting.check_worst(&sealed, &plain, slack, &format!("{operation:?}"));
                        sources.insert(values.len());
                        values.push(Node { pair: Pair { plain, sealed }, sources, slack });
                    }
                    (Err(error), None) => {
                        prop_assert!(matches!(error, EvaluationError::Level { .. }), "{}", error);
                    }
                    (sealed, _) => prop_assert!(false, "{operation:?}: {sealed:?}, {expected:?}"),
                }
            }
            Ok(())
        })?;
    }
}
