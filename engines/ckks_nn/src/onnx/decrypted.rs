// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ONNX's operators on values after decryption, as post-processing.

use std::collections::HashMap;

use super::import::{Computed, Importer, Value};
use super::linear_models::labels_of;
use super::messages::NodeMessage;
use super::moves::{axis_of, broadcast, broadcast_to, joined, moves, transposed, Move};
use super::tensor::Constant;
use super::unsupported::{not_after_decryption, CHOOSE, ML};
use crate::error::NetworkError;
use crate::graph::{Graph, NodeId, Operator, Shape};
use crate::post_processing::{Content, Label, Norm, Operation, PostProcessing, Step};

/// The data type numbers of int32, int64, and string.
const INTEGERS: [i64; 2] = [6, 7];
const STRING: i64 = 8;
/// The data type number of truth values.
const BOOLEAN: i64 = 9;

/// A value after decryption.
#[derive(Clone, Debug)]
pub(super) struct Decrypted {
    /// Its place among the vectors.
    pub vector: usize,
    /// Its axes, including the batch.
    pub axes: Vec<usize>,
    pub content: Content,
}

/// Post-processing during import.
#[derive(Default)]
pub(super) struct AfterDecryption {
    /// The node whose values are decrypted.
    scores: Option<NodeId>,
    /// The operator that made the first value, and its node.
    first: String,
    steps: Vec<Step>,
    vectors: Vec<(usize, Content)>,
    /// The names of a vector's values.
    names: HashMap<usize, Vec<Label>>,
}

impl AfterDecryption {
    /// Returns a value of the network after decryption.
    ///
    /// # Errors
    /// For a second value: the client decrypts the values of one node.
    pub fn begin(&mut self, graph: &Graph, of: &Computed) -> Result<Decrypted, String> {
        let mut id = of.id;
        while let Operator::Reshape(_) = graph.node(id).operator {
            id = graph.node(id).inputs[0];
        }
        match self.scores {
            None => {
                self.scores = Some(id);
                self.vectors = vec![(graph.node(id).shape.size(), Content::Numbers)];
            }
            Some(scores) if scores == id => {}
            Some(scores) => {
                return Err(format!(
                    "the client computes values from those of {} and of {} after decryption, but \
                     only one of them can be the encrypted result: choose one output ({CHOOSE})",
                    graph.node(scores).name,
                    graph.node(id).name
                ))
            }
        }
        Ok(Decrypted { vector: 0, axes: of.axes.clone(), content: Content::Numbers })
    }

    /// Keeps the name of the first node after decryption, for errors.
    pub fn begin_with(&mut self, name: &str, kind: &str) {
        if self.first.is_empty() {
            self.first = format!("{kind} (node {name})");
        }
    }

    /// Adds a step, and returns its vector.
    pub fn push(&mut self, operation: Operation, inputs: &[usize]) -> Result<usize, String> {
        let vectors: Vec<(usize, Content)> = inputs.iter().map(|of| self.vectors[*of]).collect();
        self.vectors.push(operation.check(self.steps.len(), &vectors)?);
        self.steps.push(Step { operation, inputs: inputs.to_vec() });
        Ok(self.vectors.len() - 1)
    }

    /// Returns the content of a vector.
    pub fn content(&self, vector: usize) -> Content {
        self.vectors[vector].1
    }

    /// Names the values of a vector.
    pub fn name(&mut self, vector: usize, names: Vec<Label>) {
        self.names.insert(vector, names);
    }

    /// Adds a step on one value, which keeps the axes.
    fn of(&mut self, a: &Decrypted, operation: Operation) -> Result<Decrypted, String> {
        let vector = self.push(operation, &[a.vector])?;
        Ok(Decrypted { vector, axes: a.axes.clone(), content: self.content(vector) })
    }

    fn moved(&mut self, a: &Decrypted, by: Move) -> Result<Decrypted, String> {
        let moved = match by.places {
            None => a.clone(),
            Some(places) => self.of(a, Operation::Select(places))?,
        };
        Ok(Decrypted { axes: by.axes, ..moved })
    }

    /// Adds a step on the rows along an axis. The result has the axis with this size.
    fn along(
        &mut self,
        a: &Decrypted,
        axis: usize,
        size: usize,
        operation: Operation,
    ) -> Result<Decrypted, String> {
        let count = a.axes.len();
        let last: Vec<i64> =
            (0..count).filter(|of| *of != axis).chain([axis]).map(|of| of as i64).collect();
        let is_last = a.axes[axis + 1..].iter().all(|size| *size == 1);
        let rows = match is_last {
            true => a.clone(),
            false => self.moved(a, transposed(&a.axes, Some(last))?)?,
        };
        let mut result = self.of(&rows, operation)?;
        if is_last {
            result.axes[axis] = size;
            return Ok(result);
        }
        result.axes[count - 1] = size;
        let back = (0..count).map(|of| match of.cmp(&axis) {
            std::cmp::Ordering::Less => of as i64,
            std::cmp::Ordering::Equal => count as i64 - 1,
            std::cmp::Ordering::Greater => of as i64 - 1,
        });
        let back = transposed(&result.axes, Some(back.collect()))?;
        self.moved(&result, back)
    }

    /// Makes these values and labels the network's.
    pub fn finish(
        self,
        graph: &mut Graph,
        values: Option<Decrypted>,
        labels: Option<Decrypted>,
    ) -> Result<(), String> {
        let scores = self.scores.ok_or("it has no value to decrypt")?;
        let (vector, shape) = match values {
            None => (0, graph.node(scores).shape.clone()),
            Some(of) => {
                let axes = match &of.axes[..] {
                    [] => &[1],
                    [1, axes @ ..] if !axes.is_empty() => axes,
                    axes => axes,
                };
                (of.vector, Shape::new(axes).map_err(|error| error.to_string())?)
            }
        };
        let classes = self.names.get(&vector).cloned().unwrap_or_default();
        let size = graph.node(scores).shape.size();
        let labels = labels.map(|of| of.vector);
        let made = PostProcessing::new(size, self.steps, (vector, shape), labels, classes)?;
        graph.set_post_processing(scores, made);
        Ok(())
    }
}

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
                let names = labels_of(node, "classlabels_int64s", "classlabels_strings");
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
