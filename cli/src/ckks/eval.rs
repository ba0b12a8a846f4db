// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `halimede ckks eval`: an expression over ciphertexts.

use std::collections::{BTreeMap, HashSet};

use halimede_ckks::keys::KeyUse;
use halimede_ckks::polynomial::Accuracy;
use halimede_ckks::{Ciphertext, Complex, EvaluationError, EvaluationKeys, Evaluator, Parameters};

use super::expression::{parse, Action, ExpressionError, Step};
use super::{bad_input, of_file, open_ciphertext, open_with_parameters, warn_insecure};
use super::{write_ciphertext, CommandError};
use crate::arguments::{EvalOptions, NamedFile};
use crate::progress::steps_bar;

/// What stands on the stack.
enum Value {
    Number(Complex),
    Sealed(Box<Ciphertext>),
}

pub fn run(options: &EvalOptions, json: bool) -> Result<(), CommandError> {
    let steps = parse(&options.expression).map_err(bad_input)?;
    check_names(&steps, &options.inputs)?;
    let (reader, parameters) = open_with_parameters(&options.keys)?;
    warn_insecure(&parameters);
    let mut inputs = BTreeMap::new();
    for NamedFile { name, path } in &options.inputs {
        inputs.insert(name.as_str(), open_ciphertext(path, &parameters)?);
    }
    let mut keys = EvaluationKeys::new(&parameters);
    for key in reader.keys(&parameters).map_err(of_file(&options.keys))? {
        let (of, key) = key.map_err(of_file(&options.keys))?;
        if is_wanted(of, &steps, &parameters) {
            keys.insert(of, key);
        }
    }
    let evaluator = Evaluator::new(keys);
    let bar = steps_bar(steps.len() as u64);
    let mut stack = Vec::new();
    for step in &steps {
        apply(&evaluator, step, &mut stack, &inputs, options.error).map_err(bad_input)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    match stack.pop() {
        Some(Value::Sealed(result)) => write_ciphertext(&options.out, &result, &parameters, json),
        _ => Err(bad_input("the expression has no ciphertext in it: there is nothing to compute")),
    }
}

/// That each name of the expression is a file's, and each file's is in it, once.
fn check_names(steps: &[Step], inputs: &[NamedFile]) -> Result<(), CommandError> {
    let mut given = HashSet::new();
    for NamedFile { name, .. } in inputs {
        if !given.insert(name.as_str()) {
            return Err(bad_input(format!("there are two files called {name}")));
        }
    }
    for step in steps {
        let Action::Name(name) = &step.action else { continue };
        if !inputs.iter().any(|input| input.name == *name) {
            let reason = format!("there is no ciphertext called {name}: give {name}=FILE");
            return Err(bad_input(ExpressionError { column: step.column, reason }));
        }
        given.remove(name.as_str());
    }
    match given.into_iter().min() {
        Some(name) => Err(bad_input(format!("{name} does not stand in the expression"))),
        None => Ok(()),
    }
}

/// Whether the expression may need a key. Rotations are composed of those that there are.
fn is_wanted(of: KeyUse, steps: &[Step], parameters: &Parameters) -> bool {
    let conjugation = KeyUse::Automorphism(2 * parameters.degree() as u64 - 1);
    steps.iter().any(|step| match step.action {
        Action::Multiply | Action::Square | Action::Function(..) => of == KeyUse::Multiply,
        Action::Conjugate => of == conjugation,
        Action::Rotate(_) => of != KeyUse::Multiply && of != conjugation,
        _ => false,
    })
}

fn apply(
    evaluator: &Evaluator,
    step: &Step,
    stack: &mut Vec<Value>,
    inputs: &BTreeMap<&str, Ciphertext>,
    error: f64,
) -> Result<(), ExpressionError> {
    let wrong = |reason: String| ExpressionError { column: step.column, reason };
    let failed = |error: EvaluationError| wrong(error.to_string());
    let missing = || wrong("an operand is missing".to_owned());
    let value = match &step.action {
        Action::Number(number) => Value::Number(*number),
        Action::Name(name) => {
            let input = inputs.get(name.as_str());
            Value::Sealed(Box::new(input.cloned().ok_or_else(missing)?))
        }
        action @ (Action::Add | Action::Subtract | Action::Multiply) => {
            let (right, left) =
                (stack.pop().ok_or_else(missing)?, stack.pop().ok_or_else(missing)?);
            binary(evaluator, action, left, right).map_err(failed)?
        }
        Action::Function(of, interval) => match stack.pop().ok_or_else(missing)? {
            Value::Sealed(a) => {
                let interval = interval.unwrap_or_else(|| interval_of(&a));
                let accuracy = Accuracy::Error(error);
                let image = evaluator.evaluate_function(&a, of.value, interval, accuracy);
                Value::Sealed(Box::new(image.map_err(failed)?))
            }
            Value::Number(number) if number.im == 0.0 => {
                Value::Number((of.value)(number.re).into())
            }
            Value::Number(_) => return Err(wrong(format!("{} is of real numbers", of.name))),
        },
        action => {
            let operand = stack.pop().ok_or_else(missing)?;
            unary(evaluator, action, operand).map_err(failed)?
        }
    };
    if let Value::Number(number) = &value {
        if !number.is_finite() {
            return Err(wrong("this number is infinite or none".to_owned()));
        }
    }
    stack.push(value);
    Ok(())
}

/// Where the values of a ciphertext lie, as far as is known.
fn interval_of(a: &Ciphertext) -> (f64, f64) {
    let estimate = a.estimate();
    // Far above the error, so that no value lies outside.
    let bound = (estimate.magnitude + 16.0 * estimate.error).max(f64::MIN_POSITIVE);
    (-bound, bound)
}

/// The number as one that takes no level to multiply by.
fn small_integer(number: Complex) -> Option<i64> {
    let is_small = number.im == 0.0 && number.re.fract() == 0.0 && number.re.abs() <= 1024.0;
    is_small.then_some(number.re as i64)
}

fn binary(
    evaluator: &Evaluator,
    action: &Action,
    left: Value,
    right: Value,
) -> Result<Value, EvaluationError> {
    let sealed = match (action, left, right) {
        (Action::Add, Value::Number(a), Value::Number(b)) => return Ok(Value::Number(a + b)),
        (Action::Subtract, Value::Number(a), Value::Number(b)) => return Ok(Value::Number(a - b)),
        (_, Value::Number(a), Value::Number(b)) => return Ok(Value::Number(a * b)),
        (Action::Add, Value::Sealed(a), Value::Sealed(b)) => evaluator.add(&a, &b),
        (Action::Subtract, Value::Sealed(a), Value::Sealed(b)) => evaluator.sub(&a, &b),
        (_, Value::Sealed(a), Value::Sealed(b)) => evaluator.mul(&a, &b),
        (Action::Add, Value::Sealed(a), Value::Number(b))
        | (Action::Add, Value::Number(b), Value::Sealed(a)) => evaluator.add_number(&a, b),
        (Action::Subtract, Value::Sealed(a), Value::Number(b)) => evaluator.add_number(&a, -b),
        (Action::Subtract, Value::Number(a), Value::Sealed(b)) => {
            evaluator.add_number(&evaluator.neg(&b), a)
        }
        (_, Value::Sealed(a), Value::Number(b)) | (_, Value::Number(b), Value::Sealed(a)) => {
            match small_integer(b) {
                Some(integer) => Ok(evaluator.mul_integer(&a, integer)),
                None => evaluator.mul_number(&a, b),
            }
        }
    };
    sealed.map(|sealed| Value::Sealed(Box::new(sealed)))
}

fn unary(evaluator: &Evaluator, action: &Action, operand: Value) -> Result<Value, EvaluationError> {
    let a = match operand {
        Value::Sealed(a) => a,
        // A number stands in every slot: turning changes nothing.
        Value::Number(number) => {
            return Ok(Value::Number(match action {
                Action::Negate => -number,
                Action::Conjugate => number.conjugate(),
                Action::Square => number * number,
                _ => number,
            }));
        }
    };
    let sealed = match action {
        Action::Negate => Ok(evaluator.neg(&a)),
        Action::Rotate(by) => evaluator.rotate(&a, *by),
        Action::Conjugate => evaluator.conjugate(&a),
        _ => evaluator.mul(&a, &a),
    };
    sealed.map(|sealed| Value::Sealed(Box::new(sealed)))
}
