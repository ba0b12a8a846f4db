// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An expression as a list of steps, each after its operands.
//!
//! Equal parts become one step: a node that several expressions share, the uses of an input's name,
//! or the same operation on the same operands. Parts without encrypted values are computed here.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::error::CircuitError;
use super::expression::{Expression, Node, NodeKind};
use super::input::Input;
use super::plain::{self, Plain};
use super::unary::{of_product, Unary};
use crate::complex::Complex;
use crate::encoding::EncodingError;
use crate::estimate::Estimate;
use crate::evaluator::EvaluationError;
use crate::linear::{BlockMatrix, LinearError};
use crate::polynomial::{Allowance, BlockPolynomials, Polynomial, PolynomialError};

/// The operation of a step.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operation {
    Input(Arc<str>),
    Add,
    Subtract,
    Multiply,
    AddPlain(Plain),
    MultiplyPlain(Plain),
    /// Multiplication by an integer, or by i times an integer.
    MultiplyInteger {
        integer: i64,
        is_imaginary: bool,
    },
    Unary(Unary),
    /// A row of a matrix of blocks times all operands.
    Blocks {
        matrix: Arc<BlockMatrix>,
        row: usize,
    },
}

/// An operation on ciphertexts.
#[derive(Clone, Debug)]
pub(super) struct GraphStep {
    pub operation: Operation,
    /// The steps before it that it uses.
    pub operands: Vec<usize>,
    pub label: Option<Arc<str>>,
    pub length: usize,
    /// The number of levels that it needs.
    pub cost: usize,
    pub estimate: Estimate,
}

/// The value of a node.
#[derive(Clone)]
enum Value {
    Plain(Plain),
    /// A step.
    Encrypted(usize),
}

/// A fingerprint: the kind, operands and numbers of a step. Different steps may share one.
type Fingerprint = (u8, Vec<usize>, u64);

/// The steps found so far.
struct Builder<'a> {
    inputs: &'a BTreeMap<String, Input>,
    default_bound: f64,
    allowance: &'a Allowance,
    steps: Vec<GraphStep>,
    known: HashMap<Fingerprint, Vec<usize>>,
}

/// The number of standard deviations of its error by which a value may exceed its bound.
const MARGIN: f64 = 16.0;

/// The largest integer factor that needs no level. The lowest level limits the room for it, and a
/// value that is multiplied again should have its level's scale.
const MOST_INTEGER: f64 = 1024.0;

/// Returns the steps of expressions, and the step of each expression's value.
///
/// # Errors
/// [`CircuitError`] for a missing input, for vectors of different lengths, for invalid functions,
/// and for expressions without encrypted values.
pub(super) fn steps_of(
    expressions: &[Expression],
    inputs: &BTreeMap<String, Input>,
    default_bound: f64,
    allowance: &Allowance,
) -> Result<(Vec<GraphStep>, Vec<usize>), CircuitError> {
    let (steps, known) = (Vec::new(), HashMap::new());
    let mut builder = Builder { inputs, default_bound, allowance, steps, known };
    // Operands come before their users. A loop replaces recursion.
    let mut values: HashMap<*const Node, Value> = HashMap::new();
    let mut pending: Vec<(&Expression, bool)> =
        expressions.iter().rev().map(|expression| (expression, false)).collect();
    while let Some((next, is_ready)) = pending.pop() {
        let node = Arc::as_ptr(&next.0);
        if values.contains_key(&node) {
            continue;
        }
        if !is_ready {
            pending.push((next, true));
            pending.extend(next.0.operands.iter().rev().map(|operand| (operand, false)));
            continue;
        }
        allowance.take(0)?;
        let operands = next.0.operands.iter();
        let operands = operands.filter_map(|operand| values.get(&Arc::as_ptr(&operand.0)).cloned());
        let value = builder.node(&next.0, operands.collect())?;
        values.insert(node, value);
    }
    let result = |expression: &Expression| match values.get(&Arc::as_ptr(&expression.0)) {
        Some(Value::Encrypted(step)) => Ok(*step),
        _ => Err(CircuitError::NothingEncrypted),
    };
    let results = expressions.iter().map(result).collect::<Result<Vec<_>, _>>()?;
    if results.is_empty() {
        return Err(CircuitError::NothingEncrypted);
    }
    Ok((builder.steps, results))
}

impl Builder<'_> {
    fn node(&mut self, node: &Node, operands: Vec<Value>) -> Result<Value, CircuitError> {
        let label = &node.label;
        let value = match (&node.kind, &operands[..]) {
            (NodeKind::Plain(values), _) => {
                Ok(Value::Plain(Plain::checked(values, self.default_bound)?))
            }
            (NodeKind::Input(name), _) => self.input(name, label),
            (NodeKind::Unary(of), [Value::Plain(a)]) => plain::unary(a, of).map(Value::Plain),
            (NodeKind::Unary(of), [Value::Encrypted(a)]) => self.unary(of.clone(), *a, label),
            (NodeKind::Function { function, .. }, [Value::Plain(a)]) => {
                plain::function(a, function, self.default_bound).map(Value::Plain)
            }
            (NodeKind::Function { function, interval, accuracy }, [Value::Encrypted(a)]) => {
                let interval = interval.map_or_else(|| interval_of(self.steps[*a].estimate), Ok)?;
                Polynomial::approximation_within(
                    |x| function(x),
                    interval,
                    *accuracy,
                    self.allowance,
                )
                .map_err(CircuitError::from)
                .and_then(|p| self.unary(Unary::Polynomial(Arc::new(p)), *a, label))
            }
            (NodeKind::Polynomials { polynomials, block }, [a]) => {
                let all = BlockPolynomials::new(polynomials.to_vec(), *block);
                let of = all.map(|all| Unary::BlockPolynomials(Arc::new(all)));
                match (of, a) {
                    (Ok(of), Value::Plain(a)) => plain::unary(a, &of).map(Value::Plain),
                    (Ok(of), Value::Encrypted(a)) => self.unary(of, *a, label),
                    (Err(error), _) => Err(error.into()),
                }
            }
            (NodeKind::Blocks { matrix, row }, vectors) => {
                self.blocks(matrix, *row, vectors, label).map(Value::Encrypted)
            }
            (kind, [a, b]) => self.binary(kind, a, b, label),
            // Each kind was constructed with its operands.
            _ => Err(CircuitError::NothingEncrypted),
        };
        let value = value.and_then(finite);
        value.map_err(|reason| match label {
            Some(label) => CircuitError::at(label, reason),
            None => reason,
        })
    }

    fn input(&mut self, name: &Arc<str>, label: &Option<Arc<str>>) -> Result<Value, CircuitError> {
        let Some(input) = self.inputs.get(&**name) else {
            let given = self.inputs.keys().cloned().collect::<Vec<_>>().join(", ");
            return Err(CircuitError::NoInput { name: name.to_string(), given });
        };
        let (length, estimate) = (input.length, input.estimate);
        let operation = Operation::Input(name.clone());
        let label = label.clone();
        let step = GraphStep { operation, operands: Vec::new(), label, length, cost: 0, estimate };
        Ok(Value::Encrypted(self.push(step)))
    }

    fn unary(
        &mut self,
        of: Unary,
        a: usize,
        label: &Option<Arc<str>>,
    ) -> Result<Value, CircuitError> {
        let GraphStep { length, estimate, .. } = self.steps[a];
        match &of {
            Unary::InnerSum { count, batch } | Unary::Replicate { count, batch } => {
                let (count, batch) = (*count, *batch);
                let slots = length.next_power_of_two();
                if count == 0 || batch == 0 || count.checked_mul(batch).is_none_or(|n| n > slots) {
                    return Err(EvaluationError::Batches { count, batch, slots }.into());
                }
                if length != slots {
                    let what = "a sum of batches";
                    return Err(EvaluationError::Ragged { what, length, slots }.into());
                }
                if count == 1 {
                    return Ok(Value::Encrypted(a));
                }
            }
            Unary::Rotate(by) if by.rem_euclid(length as i64) == 0 => {
                return Ok(Value::Encrypted(a))
            }
            Unary::Transform(matrix) if matrix.columns() != length => {
                return Err(
                    EvaluationError::Length { left: length, right: matrix.columns() }.into()
                );
            }
            Unary::BlockPolynomials(p) => p.check_length(length)?,
            Unary::Slice { from, to } if from >= to || *to > length => {
                return Err(EvaluationError::Range { from: *from, to: *to, length }.into());
            }
            Unary::Bounded(bound) if !bound.is_valid() => {
                return Err(EncodingError::Bound { bound: *bound }.into());
            }
            _ => {}
        }
        let (cost, estimate) = (of.levels(length)?, of.estimate(estimate, length)?);
        let length = of.length(length);
        let operation = Operation::Unary(of);
        let step = self.step(operation, a, label);
        Ok(Value::Encrypted(self.push(GraphStep { cost, estimate, length, ..step })))
    }

    /// Adds a row of a matrix of blocks times vectors. All rows have all vectors as operands, so
    /// that they are computed together.
    fn blocks(
        &mut self,
        matrix: &Arc<BlockMatrix>,
        row: usize,
        vectors: &[Value],
        label: &Option<Arc<str>>,
    ) -> Result<usize, CircuitError> {
        let blocks = matrix.rows().get(row).map_or(&[][..], Vec::as_slice);
        if vectors.len() != blocks.len() {
            let (got, wanted) = (vectors.len(), blocks.len());
            return Err(LinearError::Vectors { got, wanted }.into());
        }
        let (mut operands, mut sum) = (Vec::with_capacity(vectors.len()), None);
        for (vector, block) in vectors.iter().zip(blocks) {
            let Value::Encrypted(a) = vector else { return Err(CircuitError::PlainBlock) };
            let GraphStep { length, estimate, .. } = self.steps[*a];
            if length != matrix.slots() {
                let (left, right) = (length, matrix.slots());
                return Err(EvaluationError::Length { left, right }.into());
            }
            operands.push(*a);
            if let Some(block) = block {
                let product = of_product(block, estimate)?;
                sum = Some(sum.map_or(product, |sum: Estimate| sum.sum(product)));
            }
        }
        let estimate = sum.ok_or(CircuitError::NothingEncrypted)?;
        let operation = Operation::Blocks { matrix: Arc::clone(matrix), row };
        let (label, length) = (label.clone(), matrix.slots());
        Ok(self.push(GraphStep { operation, operands, label, length, cost: 1, estimate }))
    }

    fn binary(
        &mut self,
        kind: &NodeKind,
        a: &Value,
        b: &Value,
        label: &Option<Arc<str>>,
    ) -> Result<Value, CircuitError> {
        let (a, b) = match (a, b) {
            (Value::Plain(a), Value::Plain(b)) => {
                let of = |a: Complex, b: Complex| match kind {
                    NodeKind::Add => a + b,
                    NodeKind::Subtract => a - b,
                    _ => a * b,
                };
                let bound = match kind {
                    NodeKind::Add => a.bound.sum(b.bound),
                    NodeKind::Subtract => a.bound.sum(b.bound.negative()),
                    _ => a.bound.product(b.bound),
                };
                return plain::binary(a, b, bound, of).map(Value::Plain);
            }
            (Value::Encrypted(a), Value::Plain(b)) => {
                let b = match kind {
                    NodeKind::Subtract => plain::unary(b, &Unary::Negate)?,
                    _ => b.clone(),
                };
                return self.with_plain(matches!(kind, NodeKind::Multiply), *a, b, label);
            }
            (Value::Plain(a), Value::Encrypted(b)) => {
                let mut b = *b;
                if let NodeKind::Subtract = kind {
                    let negative = self.unary(Unary::Negate, b, label)?;
                    if let Value::Encrypted(negative) = negative {
                        b = negative;
                    }
                }
                return self.with_plain(matches!(kind, NodeKind::Multiply), b, a.clone(), label);
            }
            (Value::Encrypted(a), Value::Encrypted(b)) => (*a, *b),
        };
        let [left, right] = [&self.steps[a], &self.steps[b]];
        let (length, of_b) = (left.length, right.length);
        if length != of_b {
            return Err(EvaluationError::Length { left: length, right: of_b }.into());
        }
        let (operation, cost, estimate) = match kind {
            NodeKind::Add => (Operation::Add, 0, left.estimate.sum(right.estimate)),
            NodeKind::Subtract => {
                let bound = right.estimate.bound.negative();
                let negative = Estimate { bound, ..right.estimate };
                (Operation::Subtract, 0, left.estimate.sum(negative))
            }
            _ => (Operation::Multiply, 1, left.estimate.product(right.estimate)),
        };
        // Sums and products are commutative.
        let is_ordered = matches!(operation, Operation::Subtract);
        let operands = if is_ordered { vec![a, b] } else { vec![a.min(b), a.max(b)] };
        let label = label.clone();
        let step = GraphStep { operation, operands, label, length, cost, estimate };
        Ok(Value::Encrypted(self.push(step)))
    }

    /// Adds a sum or a product with an unencrypted value.
    fn with_plain(
        &mut self,
        is_product: bool,
        a: usize,
        values: Plain,
        label: &Option<Arc<str>>,
    ) -> Result<Value, CircuitError> {
        let GraphStep { length, estimate, .. } = self.steps[a];
        let count = values.values.len();
        if !values.is_number() && count != length {
            return Err(EvaluationError::Length { left: length, right: count }.into());
        }
        let of_values = Estimate { error: 0.0, bound: values.bound };
        let factor = values.public_number().and_then(small_gaussian);
        let (operation, cost) = match factor {
            Some((0, _)) if !is_product => return Ok(Value::Encrypted(a)),
            _ if !is_product => (Operation::AddPlain(values), 0),
            Some((1, false)) => return Ok(Value::Encrypted(a)),
            Some((-1, false)) => return self.unary(Unary::Negate, a, label),
            Some((integer, is_imaginary)) => {
                (Operation::MultiplyInteger { integer, is_imaginary }, 0)
            }
            None => (Operation::MultiplyPlain(values), 1),
        };
        let estimate =
            if is_product { estimate.product(of_values) } else { estimate.sum(of_values) };
        let step = self.step(operation, a, label);
        Ok(Value::Encrypted(self.push(GraphStep { cost, estimate, ..step })))
    }

    /// Returns a step on one vector that needs no level and does not change the size of values.
    fn step(&self, operation: Operation, a: usize, label: &Option<Arc<str>>) -> GraphStep {
        let GraphStep { length, estimate, .. } = self.steps[a];
        let label = label.clone();
        GraphStep { operation, operands: vec![a], label, length, cost: 0, estimate }
    }

    /// Adds a step, or returns an equal one.
    fn push(&mut self, step: GraphStep) -> usize {
        let (kind, number) = step.operation.fingerprint();
        let known = self.known.entry((kind, step.operands.clone(), number)).or_default();
        let equal = known.iter().find(|other| self.steps[**other].operation == step.operation);
        if let Some(equal) = equal {
            return *equal;
        }
        known.push(self.steps.len());
        self.steps.push(step);
        self.steps.len() - 1
    }
}

impl Operation {
    /// Returns a fingerprint, which is equal for equal operations and mostly different for others.
    fn fingerprint(&self) -> (u8, u64) {
        let of_plain = |values: &Plain| {
            let first = values.values.first();
            first.map_or(0, |value| value.re.to_bits() ^ value.im.to_bits().rotate_left(7))
        };
        match self {
            Self::Input(name) => {
                (0, name.bytes().fold(0, |sum, b| sum * 257 % (1 << 40) + u64::from(b)))
            }
            Self::Add => (1, 0),
            Self::Subtract => (2, 0),
            Self::Multiply => (3, 0),
            Self::AddPlain(values) => (4, of_plain(values)),
            Self::MultiplyPlain(values) => (5, of_plain(values)),
            Self::MultiplyInteger { integer, .. } => (6, *integer as u64),
            Self::Unary(Unary::Rotate(by)) => (7, *by as u64),
            Self::Unary(of) => (8, of.name().len() as u64),
            Self::Blocks { row, .. } => (9, *row as u64),
        }
    }
}

/// Returns the known range of values.
fn interval_of(estimate: Estimate) -> Result<(f64, f64), CircuitError> {
    let Some((low, high)) = estimate.bound.interval() else {
        return Err(PolynomialError::NotReal { magnitude: estimate.magnitude() }.into());
    };
    let margin = (MARGIN * estimate.error).max(f64::EPSILON * estimate.magnitude());
    Ok((low - margin, (high + margin).max(low - margin + f64::MIN_POSITIVE)))
}

/// Checks that an unencrypted value is finite: 1/0 is not a number.
fn finite(value: Value) -> Result<Value, CircuitError> {
    match &value {
        Value::Plain(plain) if plain.values.iter().any(|value| !value.is_finite()) => {
            Err(CircuitError::NotFinite)
        }
        _ => Ok(value),
    }
}

/// Returns the integer part of a multiplication that needs no level: by an integer (`false`) or by
/// i times an integer (`true`).
fn small_gaussian(number: Complex) -> Option<(i64, bool)> {
    let is_imaginary = number.im != 0.0;
    let (part, other) = if is_imaginary { (number.im, number.re) } else { (number.re, number.im) };
    let is_small = other == 0.0 && part.fract() == 0.0 && part.abs() <= MOST_INTEGER;
    is_small.then_some((part as i64, is_imaginary))
}
