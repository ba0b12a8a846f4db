// SPDX-License-Identifier: Apache-2.0 OR MIT
//! ONNX's operators as operators of a network.

use super::end::{is_nonlinear_end, only_after_decryption, Use};
use super::import::Importer;
use super::messages::NodeMessage;
use super::moves::{broadcast, broadcast_to, joined, moves, size_of, Move};
use super::tensor::{constant, Constant};
use super::unsupported::{is_supported, kind_of, not_at_end, unsupported};
use super::value::{Computed, Value};
use crate::error::NetworkError;
use crate::graph::{Activation, Convolution, Linear, NodeId, Operator, Selection, Shape};

/// The largest exponent of Pow.
const MOST_POWER: i64 = 63;

/// Numbers up to this one, added before a softmax, are a mask: eˣ is 0 in doubles.
const MASK: f64 = -1e3;

impl Importer {
    /// Returns the values that a node computes, for each of its outputs.
    pub(super) fn operator(
        &mut self,
        name: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
        use_of: &Use,
    ) -> Result<Vec<Value>, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let kind = &kind_of(node)[..];
        if inputs.iter().any(|input| matches!(input, Some(Value::Decrypted(_)))) {
            return self.decrypted(name, kind, node, inputs);
        }
        if !is_supported(kind) {
            return Err(wrong(unsupported(kind, node)));
        }
        let of_kind = |reason: String| wrong(format!("{kind}: {reason}"));
        if let (Some(Some(Value::Node(_))), true) =
            (inputs.first(), is_nonlinear_end(kind) || only_after_decryption(kind))
        {
            match use_of {
                Use::End if self.ends_decrypted || only_after_decryption(kind) => {
                    return self.begin_decrypted(name, kind, node, inputs);
                }
                Use::Inside { user } if only_after_decryption(kind) && kind != "Softmax" => {
                    return Err(wrong(not_at_end(kind, node, user)));
                }
                _ => {}
            }
        }
        let is_masked = |input: &Option<Value>| matches!(input, Some(Value::Node(of)) if self.masks.contains_key(&of.id));
        if kind != "Softmax" && inputs.iter().any(is_masked) {
            return Err(of_kind("it follows a mask of −∞, which only Softmax can".to_owned()));
        }
        if matches!(kind, "LSTM" | "GRU" | "RNN") {
            return self.recurrent(name, kind, node, inputs);
        }
        if let Some(known) = known(kind, node, inputs) {
            return known.map_err(of_kind);
        }
        match inputs {
            [Some(Value::Node(a)), Some(Value::Node(b))]
                if matches!(kind, "Add" | "Sub" | "Mul") =>
            {
                return self.pair(name, kind, a, b).map(|value| vec![value]);
            }
            [Some(Value::Node(a)), Some(Value::Node(b))] if kind == "MatMul" => {
                return Ok(vec![Value::Node(self.computed_product(name, a, b)?)]);
            }
            [Some(Value::Node(a)), Some(Value::Node(b))] if kind == "Div" => {
                return Ok(vec![Value::Node(self.quotient(name, a, b)?)]);
            }
            [Some(Value::Constant(_)), Some(Value::Node(_))] if kind == "Gather" => {
                return Err(of_kind(
                    "its indices are encrypted: look up embeddings before encryption, and export \
                     the model from them on"
                        .to_owned(),
                ));
            }
            [Some(Value::Node(first)), others @ ..] if kind == "Max" => {
                let mut largest = first.clone();
                for other in others {
                    let Some(Value::Node(other)) = other else {
                        return Err(of_kind("an input is a constant".to_owned()));
                    };
                    largest = self.maximum(name, &largest, other)?;
                }
                return Ok(vec![Value::Node(largest)]);
            }
            all if kind == "Concat" => {
                return self.concat(name, node, all).map(|value| vec![value]);
            }
            [Some(Value::Constant(constant)), Some(Value::Node(a))]
                if matches!(kind, "Add" | "Sub" | "Mul") =>
            {
                return self.with_constant(name, kind, a, constant, true).map(|value| vec![value]);
            }
            _ => {}
        }
        let [Some(Value::Node(a)), others @ ..] = inputs else {
            return Err(of_kind("its first input is not computed from the network's".to_owned()));
        };
        let constants = others.iter().map(|other| match other {
            None => Ok(None),
            Some(Value::Constant(constant)) => Ok(Some(constant)),
            Some(_) => Err("more than one input is encrypted".to_owned()),
        });
        let constants = constants.collect::<Result<Vec<_>, _>>().map_err(of_kind)?;
        if let Some(moved) = moves(kind, node, &a.axes, &constants) {
            let moved = moved.map_err(of_kind)?;
            return moved.into_iter().map(|of| self.moved(name, a, of).map(Value::Node)).collect();
        }
        let value = match (kind, constants.first().copied().flatten()) {
            ("Add" | "Sub" | "Mul" | "Div", Some(constant)) => {
                self.with_constant(name, kind, a, constant, false)?
            }
            ("Neg", _) => {
                let minus = Constant { axes: Vec::new(), values: vec![-1.0] };
                self.with_constant(name, "Mul", a, &minus, false)?
            }
            ("ReduceMean" | "ReduceSum", along) => {
                Value::Node(self.reduced(name, kind, node, a, along)?)
            }
            ("ai.onnx.ml.Scaler", _) => self.scaler(name, node, a)?,
            ("ai.onnx.ml.LinearRegressor", _) => {
                self.linear_regressor(name, node, a).map_err(of_kind)?
            }
            ("ai.onnx.ml.LinearClassifier", _) => {
                return self.linear_classifier(name, node, a).map_err(of_kind);
            }
            ("MatMul" | "Gemm", Some(matrix)) if self.has_vectors(kind, a) => {
                let layer = linear(kind, node, matrix, &constants).map_err(of_kind)?;
                Value::Node(self.row_by_row(name, kind, a, &layer)?)
            }
            ("Softmax", _) => Value::Node(self.softmax(name, node, a)?),
            ("LayerNormalization", _) => {
                Value::Node(self.layer_normalization(name, node, a, &constants)?)
            }
            ("MaxPool", _) => {
                let input = self.batched(a).map_err(of_kind)?;
                let [_, height, width] = self.graph.node(input).shape.as_image();
                let window = node.window(None, [height, width]).map_err(of_kind)?;
                let id = self.graph.push_max_pool(name, &window, input)?;
                self.of_batch(id)
            }
            _ => match activation(kind, node, &constants).map_err(of_kind)? {
                Some(mut function) => {
                    if let Activation::Reciprocal { least } = &mut function {
                        *least = self.graph.lower_bound(a.id).unwrap_or(0.0).max(0.0);
                    }
                    let id = self.graph.push_function(name, function, a.id)?;
                    Value::Node(Computed { id, axes: a.axes.clone() })
                }
                None => {
                    let input = self.batched(a).map_err(of_kind)?;
                    let layer = self.layer(kind, node, input, &constants).map_err(of_kind)?;
                    let id = self.graph.push(name, layer, &[input])?;
                    self.of_batch(id)
                }
            },
        };
        Ok(vec![value])
    }

    /// Returns `true` if a matrix applies to several vectors along the last axis of a value.
    fn has_vectors(&self, kind: &str, a: &Computed) -> bool {
        match kind {
            "Gemm" => a.axes.len() == 2 && a.axes[0] != 1,
            _ => self.batched(a).is_err() || a.axes.len() > 2,
        }
    }

    /// Returns the node of a value whose first axis is the batch.
    pub(super) fn batched(&self, of: &Computed) -> Result<NodeId, String> {
        let is_batched = matches!(of.axes[..], [1, _, ..]);
        let fits = is_batched && self.graph.node(of.id).shape.axes() == &of.axes[1..];
        match fits {
            true => Ok(of.id),
            false => Err(format!(
                "its input has the axes {:?}, expected a batch of 1 and up to 4 axes",
                of.axes
            )),
        }
    }

    /// Returns the value of a node without the batch.
    fn of_batch(&self, id: NodeId) -> Value {
        let axes = [&[1], self.graph.node(id).shape.axes()].concat();
        Value::Node(Computed { id, axes })
    }

    /// Returns the values of a node in other places.
    pub(super) fn moved(
        &mut self,
        name: &str,
        a: &Computed,
        by: Move,
    ) -> Result<Computed, NetworkError> {
        let id = match by.places {
            None => a.id,
            Some(places) => {
                let shape = Shape::new(&[places.len()])?;
                let selection = Operator::Select(Selection { places, shape });
                self.graph.push(name, selection, &[a.id])?
            }
        };
        self.computed(name, id, by.axes)
    }

    /// Returns two values in their common axes.
    pub(super) fn together(
        &mut self,
        name: &str,
        a: &Computed,
        b: &Computed,
    ) -> Result<[Computed; 2], NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let axes = broadcast(&a.axes, &b.axes).map_err(wrong)?;
        let of_a = broadcast_to(&a.axes, &axes).map_err(wrong)?;
        let of_b = broadcast_to(&b.axes, &axes).map_err(wrong)?;
        Ok([self.moved(name, a, of_a)?, self.moved(name, b, of_b)?])
    }

    /// Returns a sum, difference or product of two values.
    fn pair(
        &mut self,
        name: &str,
        kind: &str,
        a: &Computed,
        b: &Computed,
    ) -> Result<Value, NetworkError> {
        let function = match kind {
            "Mul" => self.function_of_product(a.id, b.id),
            _ => None,
        };
        if let Some((function, of)) = function {
            let id = self.graph.push(name, Operator::Activation(function), &[of])?;
            let axes = if of == a.id { a.axes.clone() } else { b.axes.clone() };
            return Ok(Value::Node(Computed { id, axes }));
        }
        let gelu = match kind {
            "Mul" if a.axes == b.axes => self.gelu(a.id, b.id),
            _ => None,
        };
        if let Some((of, factor)) = gelu {
            let id = self.graph.push_function(name, Activation::Gelu, of)?;
            let id = self.graph.push_scaled_alike(name, id, (factor, 0.0))?;
            return self.computed(name, id, a.axes.clone()).map(Value::Node);
        }
        let [a, b] = self.together(name, a, b)?;
        let operator = match kind {
            "Add" => Operator::Add,
            "Sub" => Operator::Subtract,
            _ => Operator::Product,
        };
        let id = self.graph.push(name, operator, &[a.id, b.id])?;
        Ok(Value::Node(Computed { id, axes: a.axes }))
    }

    fn maximum(
        &mut self,
        name: &str,
        a: &Computed,
        b: &Computed,
    ) -> Result<Computed, NetworkError> {
        let [a, b] = self.together(name, a, b)?;
        let id = self.graph.push_maximum(name, a.id, b.id)?;
        Ok(Computed { id, axes: a.axes })
    }

    /// Returns the function and its argument for x·σ(x) or a square.
    fn function_of_product(&self, a: NodeId, b: NodeId) -> Option<(Activation, NodeId)> {
        if a == b {
            return Some((Activation::Polynomial(vec![0.0, 0.0, 1.0]), a));
        }
        let is_sigmoid_of = |of: NodeId, argument: NodeId| {
            let node = self.graph.node(of);
            let is_sigmoid = node.operator == Operator::Activation(Activation::Sigmoid);
            is_sigmoid && node.inputs == [argument]
        };
        let found = [(a, b), (b, a)].into_iter().find(|(x, sigmoid)| is_sigmoid_of(*sigmoid, *x));
        found.map(|(x, _)| (Activation::Silu, x))
    }

    /// Returns a sum, difference, product or quotient with constants, which may be the first or the
    /// last operand.
    pub(super) fn with_constant(
        &mut self,
        name: &str,
        kind: &str,
        a: &Computed,
        constant: &Constant,
        is_first: bool,
    ) -> Result<Value, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let axes = broadcast(&a.axes, &constant.axes).map_err(wrong)?;
        let moved = broadcast_to(&a.axes, &axes).map_err(wrong)?;
        let a = self.moved(name, a, moved)?;
        let all = broadcast_to(&constant.axes, &axes).map_err(wrong)?;
        if kind == "Add" && constant.values.iter().any(|value| *value <= MASK) {
            return self.masked(name, a, &all.of(constant).values).map(Value::Node);
        }
        if self.graph.is_repeated(a.id) || self.graph.is_moved(a.id) {
            let id = match constant.values[..] {
                [one] => self.graph.push_scaled_alike(name, a.id, scaling(kind, is_first, one))?,
                _ => {
                    let values = all.of(constant).values;
                    let of = |place: usize| scaling(kind, is_first, values[place]);
                    self.graph.push_scaled(name, a.id, of)?
                }
            };
            return self.computed(name, id, axes).map(Value::Node);
        }
        let shape = self.graph.node(a.id).shape.clone();
        let channels = shape.axes()[0];
        let is_by_channel =
            by_channel(&a.axes, &constant.axes) && constant.values.len() == channels;
        let (values, id) = match constant.values[..] {
            [one] => (vec![one; channels], a.id),
            _ if is_by_channel => (constant.values.clone(), a.id),
            _ => {
                let flat = Operator::Reshape(Shape::new(&[shape.size()])?);
                (all.of(constant).values, self.graph.push(name, flat, &[a.id])?)
            }
        };
        let each = values.into_iter().map(|value| scaling(kind, is_first, value));
        let (factors, summands) = each.unzip();
        let id = self.graph.push(name, Operator::ChannelScale { factors, summands }, &[id])?;
        self.computed(name, id, axes).map(Value::Node)
    }

    /// Returns a sum with constants of which some are a mask of −∞, for a softmax.
    fn masked(
        &mut self,
        name: &str,
        a: Computed,
        constants: &[f64],
    ) -> Result<Computed, NetworkError> {
        let is_used = |place: usize| constants[place] > MASK;
        let summand = |place: usize| if is_used(place) { constants[place] } else { 0.0 };
        let id = self.graph.push_scaled(name, a.id, |place| (1.0, summand(place)))?;
        let mask = (0..constants.len()).map(is_used).collect();
        self.masks.insert(id, mask);
        Ok(Computed { id, axes: a.axes })
    }

    /// Returns the concatenation of values along an axis.
    fn concat(
        &mut self,
        name: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Result<Value, NetworkError> {
        let wrong = |reason: &str| NetworkError::node(name, format!("Concat: {reason}"));
        let mut operands = Vec::new();
        for input in inputs {
            let Some(Value::Node(of)) = input else {
                return Err(wrong("an input is a constant"));
            };
            operands.push(of);
        }
        let axes: Vec<&[usize]> = operands.iter().map(|of| &of.axes[..]).collect();
        let joined = joined(&axes, node.int("axis", i64::MIN)).map_err(|reason| wrong(&reason))?;
        let is_by_channel = joined.places.is_none() && matches!(joined.axes[..], [1, _, ..]);
        if is_by_channel && operands.iter().all(|of| self.batched(of).is_ok()) {
            let ids: Vec<NodeId> = operands.iter().map(|of| of.id).collect();
            let id = self.graph.push(name, Operator::Concat, &ids)?;
            return self.computed(name, id, joined.axes).map(Value::Node);
        }
        let mut flat = Vec::new();
        for of in operands {
            let shape = Shape::new(&[self.graph.node(of.id).shape.size()])?;
            flat.push(self.graph.push(name, Operator::Reshape(shape), &[of.id])?);
        }
        let id = self.graph.push(name, Operator::Concat, &flat)?;
        let all = Computed { id, axes: vec![self.graph.node(id).shape.size()] };
        self.moved(name, &all, joined).map(Value::Node)
    }

    /// Returns a layer on one of the network's values.
    fn layer(
        &self,
        kind: &str,
        node: &NodeMessage,
        a: NodeId,
        constants: &[Option<&Constant>],
    ) -> Result<Operator, String> {
        let [_, height, width] = self.graph.node(a).shape.as_image();
        let given = |place: usize, what: &str| {
            constants.get(place).copied().flatten().ok_or_else(|| format!("it has no {what}"))
        };
        Ok(match kind {
            "Conv" => {
                let weights = given(0, "weights")?;
                let [channels, _, rows, columns] = weights.axes[..] else {
                    let axes = weights.axes.len();
                    return Err(format!("its weights have {axes} axes, expected 4, for images"));
                };
                let groups = usize::try_from(node.int("group", 1)).unwrap_or(0);
                let window = node.window(Some([rows, columns]), [height, width])?;
                let bias = constants.get(1).copied().flatten();
                let bias = bias.map_or_else(Vec::new, |bias| bias.values.clone());
                let weights = weights.values.clone();
                Operator::Convolution(Convolution { channels, groups, window, weights, bias })
            }
            "Gemm" | "MatMul" => {
                Operator::Linear(linear(kind, node, given(0, "weights")?, constants)?)
            }
            "BatchNormalization" => {
                let [scale, shift, mean, variance] =
                    [given(0, "scale")?, given(1, "B")?, given(2, "mean")?, given(3, "var")?]
                        .map(|constant| &constant.values);
                let counts = [shift, mean, variance].map(Vec::len);
                if counts != [scale.len(); 3] {
                    return Err("its constants have different lengths".to_owned());
                }
                let epsilon = node.float("epsilon", 1e-5);
                let factor = |(scale, variance): (&f64, &f64)| scale / (variance + epsilon).sqrt();
                let factors: Vec<f64> = scale.iter().zip(variance).map(factor).collect();
                let each = shift.iter().zip(mean).zip(&factors);
                let summands = each.map(|((shift, mean), factor)| shift - mean * factor).collect();
                Operator::ChannelScale { factors, summands }
            }
            "AveragePool" => {
                let window = node.window(None, [height, width])?;
                let counts_pads = node.int("count_include_pad", 0) != 0;
                Operator::AveragePool { window, counts_pads }
            }
            "GlobalAveragePool" => Operator::GlobalAveragePool,
            _ => return Err("its inputs do not match the ONNX specification".to_owned()),
        })
    }
}

/// Returns `true` if a constant has one number per channel of a value whose first axis is the
/// batch.
fn by_channel(axes: &[usize], constant: &[usize]) -> bool {
    let [1, channels, ..] = axes else { return false };
    match axes.len().checked_sub(constant.len()) {
        Some(0) => constant.get(1) == Some(channels),
        Some(1) => constant.first() == Some(channels),
        _ => false,
    }
}

/// Returns the factor and the summand of a sum, difference, product or quotient with a constant.
fn scaling(kind: &str, is_first: bool, value: f64) -> (f64, f64) {
    match (kind, is_first) {
        ("Mul", _) => (value, 0.0),
        ("Div", _) => (1.0 / value, 0.0),
        ("Sub", true) => (-1.0, value),
        ("Sub", false) => (1.0, -value),
        _ => (1.0, value),
    }
}

/// Returns the elementwise function of an operator.
fn activation(
    kind: &str,
    node: &NodeMessage,
    constants: &[Option<&Constant>],
) -> Result<Option<Activation>, String> {
    Ok(Some(match kind {
        "Abs" => Activation::Absolute,
        "Erf" => Activation::Erf,
        "Exp" => Activation::Exponential,
        "Reciprocal" => Activation::Reciprocal { least: 0.0 },
        "Sqrt" => Activation::SquareRoot,
        "Relu" => Activation::Relu,
        "Sigmoid" => Activation::Sigmoid,
        "Tanh" => Activation::Tanh,
        "Gelu" => match node.text("approximate", "none").as_str() {
            "tanh" => Activation::GeluTanh,
            _ => Activation::Gelu,
        },
        "Pow" => {
            let exponent = constants.first().copied().flatten();
            let exponent = exponent.ok_or_else(|| "it has no exponent".to_owned())?;
            let exponent = exponent.integers().unwrap_or_default();
            let [power @ 1..=MOST_POWER] = exponent[..] else {
                return Err(format!("its exponent is not an integer from 1 to {MOST_POWER}"));
            };
            let mut coefficients = vec![0.0; power as usize];
            coefficients.push(1.0);
            Activation::Polynomial(coefficients)
        }
        _ => return Ok(None),
    }))
}

/// Returns the values of a node that does not depend on encrypted values.
fn known(
    kind: &str,
    node: &NodeMessage,
    inputs: &[Option<Value>],
) -> Option<Result<Vec<Value>, String>> {
    let one = |result: Result<Constant, String>| Some(result.map(|of| vec![Value::Constant(of)]));
    let sizes = |axes: &[usize]| {
        let values = axes.iter().map(|size| *size as f64).collect();
        one(Ok(Constant { axes: vec![axes.len()], values }))
    };
    match (kind, inputs) {
        ("Constant", _) => {
            let tensor = node.tensor("value").ok_or_else(|| "it has no tensor".to_owned());
            return one(tensor.and_then(constant));
        }
        ("Cast", [Some(Value::Constant(of))]) => {
            let is_whole = matches!(node.int("to", 0), 6 | 7) && of.integers().is_some();
            if is_whole {
                return one(Ok(of.clone()));
            }
        }
        ("Shape", [Some(Value::Node(of))]) => return sizes(&of.axes),
        ("Shape", [Some(Value::Constant(of))]) => return sizes(&of.axes),
        _ => {}
    }
    let constants = inputs.iter().map(|input| match input {
        None => Some(None),
        Some(Value::Constant(constant)) => Some(Some(constant)),
        Some(_) => None,
    });
    let constants: Vec<Option<&Constant>> = constants.collect::<Option<_>>()?;
    let [Some(first), others @ ..] = &constants[..] else { return None };
    match kind {
        "Add" | "Sub" | "Mul" | "Div" | "Pow" => {
            let second = others.first().copied().flatten()?;
            one(elementwise(kind, first, second))
        }
        "Sqrt" => {
            let values = first.values.iter().map(|x| x.sqrt()).collect();
            one(Ok(Constant { axes: first.axes.clone(), values }))
        }
        "ConstantOfShape" => one(of_shape(node, first)),
        "Concat" => {
            let all: Option<Vec<&Constant>> = constants.iter().copied().collect();
            let all = all?;
            let axes: Vec<&[usize]> = all.iter().map(|of| &of.axes[..]).collect();
            let values = all.iter().flat_map(|of| of.values.iter().copied()).collect();
            let flat = Constant { axes: Vec::new(), values };
            one(joined(&axes, node.int("axis", i64::MIN)).map(|of| of.of(&flat)))
        }
        _ => {
            let moved = moves(kind, node, &first.axes, others)?;
            let of = |moved: Vec<Move>| {
                moved.iter().map(|of| Value::Constant(of.of(first))).collect::<Vec<_>>()
            };
            Some(moved.map(of))
        }
    }
}

/// Returns a function of each pair of numbers of two constants.
fn elementwise(kind: &str, a: &Constant, b: &Constant) -> Result<Constant, String> {
    let axes = broadcast(&a.axes, &b.axes)?;
    let [a, b] =
        [broadcast_to(&a.axes, &axes)?.of(a).values, broadcast_to(&b.axes, &axes)?.of(b).values];
    let function = |a: f64, b: f64| match kind {
        "Add" => a + b,
        "Sub" => a - b,
        "Mul" => a * b,
        "Div" => a / b,
        _ => a.powf(b),
    };
    let values = a.into_iter().zip(b).map(|(a, b)| function(a, b)).collect();
    Ok(Constant { axes, values })
}

/// Returns a tensor filled with one number.
fn of_shape(node: &NodeMessage, shape: &Constant) -> Result<Constant, String> {
    let sizes = shape.integers().unwrap_or_default();
    let axes: Option<Vec<usize>> = sizes.iter().map(|size| usize::try_from(*size).ok()).collect();
    let axes = axes.ok_or_else(|| "its shape has sizes below 0".to_owned())?;
    let value = match node.tensor("value") {
        None => 0.0,
        Some(tensor) => match constant(tensor)?.values[..] {
            [value] => value,
            _ => return Err("its value is not one number".to_owned()),
        },
    };
    Ok(Constant { values: vec![value; size_of(&axes)?], axes })
}

/// Returns a matrix and a bias.
fn linear(
    kind: &str,
    node: &NodeMessage,
    matrix: &Constant,
    constants: &[Option<&Constant>],
) -> Result<Linear, String> {
    let [first, second] = matrix.axes[..] else {
        return Err(format!("its weights have {} axes, expected 2", matrix.axes.len()));
    };
    let is_gemm = kind == "Gemm";
    let is_by_row = is_gemm && node.int("transB", 0) != 0;
    if is_gemm && node.int("transA", 0) != 0 {
        return Err("transA is not supported".to_owned());
    }
    let alpha = if is_gemm { node.float("alpha", 1.0) } else { 1.0 };
    let beta = if is_gemm { node.float("beta", 1.0) } else { 1.0 };
    let (rows, columns) = if is_by_row { (first, second) } else { (second, first) };
    let place = |index: usize| match is_by_row {
        true => index,
        false => index % columns * rows + index / columns,
    };
    let entries = 0..matrix.values.len();
    let weights = entries.map(|index| alpha * matrix.values[place(index)]).collect();
    let bias = constants.get(1).copied().flatten().map_or(&[][..], |bias| &bias.values);
    let bias = match bias {
        [one] => vec![beta * one; rows],
        bias => bias.iter().map(|bias| beta * bias).collect(),
    };
    Ok(Linear { rows, weights, bias })
}
