// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ONNX's operators on values after decryption, as post-processing.

use super::after_decryption::AfterDecryption;
use super::import::Importer;
use super::messages::NodeMessage;
use super::moves::{axis_of, broadcast, broadcast_to, joined, moves, Move};
use super::tensor::Constant;
use super::unsupported::{not_after_decryption, ML};
use super::value::{Decrypted, Value};
use crate::error::NetworkError;
use crate::post_processing::{Content, Label, Norm, Operation};

/// The data type numbers of int32, int64, and string.
const INTEGERS: [i64; 2] = [6, 7];
const STRING: i64 = 8;
/// The data type number of truth values.
const BOOLEAN: i64 = 9;

impl Importer {
    /// Adds a node whose values are computed after decryption, for the first such node.
    pub(super) fn begin_decrypted(
        &mut self,
        name: &str,
        kind: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Result<Vec<Value>, NetworkError> {
        self.after.begin_with(name, kind);
        self.decrypted(name, kind, node, inputs)
    }

    /// Adds a node whose values are computed after decryption.
    pub(super) fn decrypted(
        &mut self,
        name: &str,
        kind: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Result<Vec<Value>, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, format!("{kind}: {reason}"));
        let mut all = Vec::with_capacity(inputs.len());
        for input in inputs {
            all.push(match input {
                Some(Value::Node(of)) => {
                    let begun = self.after.begin(&self.graph, of).map_err(wrong)?;
                    Some(Value::Decrypted(begun))
                }
                other => other.clone(),
            });
        }
        match self.decrypted_values(kind, node, &all) {
            Some(values) => values.map_err(wrong),
            None => {
                let reason = not_after_decryption(kind, node, &self.after.first);
                Err(NetworkError::node(name, reason))
            }
        }
    }

    /// Returns the values of a node; `None` for an operator that cannot follow decryption.
    fn decrypted_values(
        &mut self,
        kind: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Option<Result<Vec<Value>, String>> {
        let after = &mut self.after;
        let one = |of: Result<Decrypted, String>| Some(of.map(|of| vec![Value::Decrypted(of)]));
        match (kind.strip_prefix(ML).unwrap_or(kind), inputs) {
            ("ArrayFeatureExtractor" | "Gather", [Some(Value::Texts(texts)), Some(index)]) => {
                let table = texts.iter().cloned().map(Label::Text).collect();
                return one(label(after, node, table, index));
            }
            (
                "ArrayFeatureExtractor" | "Gather",
                [Some(Value::Constant(of)), Some(index @ Value::Decrypted(_))],
            ) => {
                let integers = of.integers().ok_or_else(|| "its labels are not integers".into());
                let table = integers.map(|all| all.into_iter().map(Label::Integer).collect());
                return one(table.and_then(|table| label(after, node, table, index)));
            }
            ("Concat", _) => return one(concat(after, node, inputs)),
            ("Add" | "Sub" | "Mul", [Some(Value::Constant(of)), Some(Value::Decrypted(a))]) => {
                return one(with_constant(after, kind, a, of, true));
            }
            _ => {}
        }
        let [Some(Value::Decrypted(a)), others @ ..] = inputs else { return None };
        let constants = others.iter().map(|other| match other {
            None => Some(None),
            Some(Value::Constant(constant)) => Some(Some(constant)),
            Some(_) => None,
        });
        let constants: Vec<Option<&Constant>> = constants.collect::<Option<_>>()?;
        let minus = Constant { axes: Vec::new(), values: vec![-1.0] };
        match (kind, constants.first().copied().flatten()) {
            ("Sigmoid", _) => one(after.of(a, Operation::Sigmoid)),
            ("Tanh", _) => one(after.of(a, Operation::Tanh)),
            ("Neg", _) => one(with_constant(after, "Mul", a, &minus, false)),
            ("Add" | "Sub" | "Mul" | "Div", Some(of)) => {
                one(with_constant(after, kind, a, of, false))
            }
            ("Greater" | "GreaterOrEqual", Some(Constant { values, .. })) => {
                let [threshold] = values[..] else {
                    return Some(Err("its threshold is not one number".to_owned()));
                };
                let or_equal = kind == "GreaterOrEqual";
                one(after.of(a, Operation::Above { threshold, or_equal }))
            }
            ("Softmax" | "LogSoftmax", _) => one(softmax(after, kind, node, a, self.version)),
            ("ArgMax", _) => one(arg_max(after, node, a)),
            ("Cast", _) => one(cast(node, a)),
            ("ai.onnx.ml.Normalizer", _) => one(normalizer(after, node, a)),
            ("ai.onnx.ml.ZipMap", _) => {
                let names = node.labels("classlabels_int64s", "classlabels_strings");
                if names.len() != a.axes.last().copied().unwrap_or(0) {
                    let (got, axes) = (names.len(), &a.axes);
                    return Some(Err(format!("it has {got} names for values of axes {axes:?}")));
                }
                after.name(a.vector, names);
                one(Ok(a.clone()))
            }
            ("ai.onnx.ml.ArrayFeatureExtractor", Some(index)) => {
                let moved = extracted(&a.axes, index);
                one(moved.and_then(|moved| after.moved(a, moved)))
            }
            _ => {
                let moved = moves(kind, node, &a.axes, &constants)?;
                let of = |moved: Vec<Move>| {
                    moved.into_iter().map(|of| after.moved(a, of).map(Value::Decrypted)).collect()
                };
                Some(moved.and_then(of))
            }
        }
    }
}

/// Returns values at places of the last axis.
fn extracted(axes: &[usize], index: &Constant) -> Result<Move, String> {
    let flat = Constant { axes: vec![index.values.len()], values: index.values.clone() };
    let gather = NodeMessage { operator: "Gather".to_owned(), ..NodeMessage::default() };
    let gather = gather.with_int("axis", -1);
    let moved = moves("Gather", &gather, axes, &[Some(&flat)]);
    let first = moved.transpose()?.and_then(|moved| moved.into_iter().next());
    first.ok_or_else(|| "it selects nothing".to_owned())
}

/// Returns the names of classes by their places.
fn label(
    after: &mut AfterDecryption,
    node: &NodeMessage,
    table: Vec<Label>,
    index: &Value,
) -> Result<Decrypted, String> {
    let Value::Decrypted(places) = index else {
        return Err("its places are not computed".to_owned());
    };
    if node.int("axis", 0) != 0 {
        return Err("its labels have more than one axis".to_owned());
    }
    after.of(places, Operation::Labels(table))
}

fn softmax(
    after: &mut AfterDecryption,
    kind: &str,
    node: &NodeMessage,
    a: &Decrypted,
    version: i64,
) -> Result<Decrypted, String> {
    let is_logarithm = kind == "LogSoftmax";
    // Before version 13, all axes from this one on are one row, and the default is the second axis.
    let default = if version < 13 { 1 } else { -1 };
    let axis = axis_of(node.int("axis", default), a.axes.len())?;
    if version < 13 {
        let width = a.axes[axis..].iter().product();
        return after.of(a, Operation::Softmax { width, is_logarithm });
    }
    let width = a.axes[axis];
    after.along(a, axis, width, Operation::Softmax { width, is_logarithm })
}

fn arg_max(
    after: &mut AfterDecryption,
    node: &NodeMessage,
    a: &Decrypted,
) -> Result<Decrypted, String> {
    let axis = axis_of(node.int("axis", 0), a.axes.len())?;
    let (width, is_last) = (a.axes[axis], node.int("select_last_index", 0) != 0);
    let mut result = after.along(a, axis, 1, Operation::ArgMax { width, is_last })?;
    if node.int("keepdims", 1) == 0 {
        result.axes.remove(axis);
    }
    Ok(result)
}

fn normalizer(
    after: &mut AfterDecryption,
    node: &NodeMessage,
    a: &Decrypted,
) -> Result<Decrypted, String> {
    let norm = match node.text("norm", "MAX").as_str() {
        "L1" => Norm::Sum,
        "L2" => Norm::Euclidean,
        "MAX" => Norm::Largest,
        other => return Err(format!("norm {other} is not defined in ONNX")),
    };
    let width = a.axes.last().copied().unwrap_or(1);
    after.of(a, Operation::Normalize { width, norm })
}

/// Returns the same values: numbers stay real, and labels stay labels.
fn cast(node: &NodeMessage, a: &Decrypted) -> Result<Decrypted, String> {
    let to = node.int("to", 0);
    let fits = match a.content {
        Content::Numbers => !INTEGERS.contains(&to) && to != STRING && to != BOOLEAN,
        Content::Places(_) => INTEGERS.contains(&to) || to == BOOLEAN,
        Content::Labels(_) => INTEGERS.contains(&to) || to == STRING,
    };
    match fits {
        true if a.content != Content::Numbers => Ok(a.clone()),
        true => {
            let moved = moves("Cast", node, &a.axes, &[]).transpose()?;
            moved.map(|_| a.clone()).ok_or_else(|| "it has no type".to_owned())
        }
        false => Err(format!("a cast to the data type {to} is not supported")),
    }
}

fn concat(
    after: &mut AfterDecryption,
    node: &NodeMessage,
    inputs: &[Option<Value>],
) -> Result<Decrypted, String> {
    let mut all = Vec::new();
    for input in inputs {
        let Some(Value::Decrypted(of)) = input else {
            return Err("an input is a constant".to_owned());
        };
        all.push(of);
    }
    let axes: Vec<&[usize]> = all.iter().map(|of| &of.axes[..]).collect();
    let joined = joined(&axes, node.int("axis", i64::MIN))?;
    let inputs: Vec<usize> = all.iter().map(|of| of.vector).collect();
    let vector = after.push(Operation::Concat, &inputs)?;
    let content = Content::Numbers;
    after.moved(&Decrypted { vector, axes: joined.axes.clone(), content }, joined)
}

fn with_constant(
    after: &mut AfterDecryption,
    kind: &str,
    a: &Decrypted,
    constant: &Constant,
    is_first: bool,
) -> Result<Decrypted, String> {
    let axes = broadcast(&a.axes, &constant.axes)?;
    let a = after.moved(a, broadcast_to(&a.axes, &axes)?)?;
    let values = match constant.values[..] {
        [one] => vec![one],
        _ => broadcast_to(&constant.axes, &axes)?.of(constant).values,
    };
    let each = |of: fn(f64) -> f64| values.iter().copied().map(of).collect::<Vec<f64>>();
    let (factors, summands) = match (kind, is_first) {
        ("Mul", _) => (values, vec![0.0]),
        ("Div", _) => (each(|value| 1.0 / value), vec![0.0]),
        ("Sub", true) => (vec![-1.0], values),
        ("Sub", false) => (vec![1.0], each(|value| -value)),
        _ => (vec![1.0], values),
    };
    after.of(&a, Operation::Affine { factors, summands })
}
