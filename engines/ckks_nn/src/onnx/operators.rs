// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What ONNX's operators are in a network.

use super::import::{short, Importer, Value};
use super::messages::NodeMessage;
use super::tensor::{constant, Constant};
use super::SUPPORTED;
use crate::error::NetworkError;
use crate::graph::{Activation, Convolution, Linear, NodeId, Operator, Shape};

/// The largest exponent of Pow.
const MOST_POWER: i64 = 63;

impl Importer {
    /// What a node computes.
    pub(super) fn operator(
        &mut self,
        name: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Result<Value, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let kind = match node.domain.as_str() {
            "" | "ai.onnx" => node.operator.as_str(),
            _ => "",
        };
        if kind == "Constant" {
            let tensor = node.tensor("value");
            let tensor = tensor.ok_or_else(|| wrong("a Constant without a tensor".to_owned()))?;
            return Ok(Value::Constant(constant(tensor).map_err(wrong)?));
        }
        let made = match inputs {
            // What several inputs may be the network's values of.
            [Some(Value::Node(a)), Some(Value::Node(b))] if kind == "Add" => {
                Ok((Operator::Add, vec![*a, *b]))
            }
            [Some(Value::Node(a)), Some(Value::Node(b))] if kind == "Mul" => self.product(*a, *b),
            all if kind == "Concat" => self.concat(node, all),
            [Some(Value::Constant(constant)), Some(Value::Node(a))]
                if matches!(kind, "Add" | "Mul") =>
            {
                self.with_constant(kind, *a, constant)
            }
            [Some(Value::Node(a)), others @ ..] => {
                let constants = others.iter().map(|other| match other {
                    None => Ok(None),
                    Some(Value::Constant(constant)) => Ok(Some(constant)),
                    Some(Value::Node(_)) => Err("more than one input is encrypted".to_owned()),
                });
                match constants.collect::<Result<Vec<_>, _>>() {
                    Ok(constants) => self.of_one(kind, node, *a, &constants),
                    Err(reason) => Err(reason),
                }
            }
            _ => Err("its first input is not computed from the network's".to_owned()),
        };
        let is_supported = SUPPORTED.split(", ").any(|supported| supported == kind);
        let made = made.map_err(|reason| match is_supported {
            true => format!("{kind}: {reason}"),
            false => {
                let domain =
                    if kind.is_empty() { short(&node.domain) + "." } else { String::new() };
                let operator = short(&node.operator);
                format!("{domain}{operator} is not supported; supported are {SUPPORTED}")
            }
        });
        let (operator, operands) = made.map_err(wrong)?;
        Ok(Value::Node(self.graph.push(name, operator, &operands)?))
    }

    /// An operator on one of the network's values, and constants.
    fn of_one(
        &self,
        kind: &str,
        node: &NodeMessage,
        a: NodeId,
        constants: &[Option<&Constant>],
    ) -> Result<(Operator, Vec<NodeId>), String> {
        let shape = &self.graph.node(a).shape;
        let [_, height, width] = shape.as_image();
        let given = |place: usize, what: &str| {
            constants.get(place).copied().flatten().ok_or_else(|| format!("it has no {what}"))
        };
        let operator = match kind {
            "Conv" => {
                let weights = given(0, "weights")?;
                let [channels, _, rows, columns] = weights.axes[..] else {
                    let axes = weights.axes.len();
                    return Err(format!("its weights have {axes} axes: 4 are read, for images"));
                };
                let groups = usize::try_from(node.int("group", 1)).unwrap_or(0);
                let window = node.window(Some([rows, columns]), [height, width])?;
                let bias = constants.get(1).copied().flatten();
                let bias = bias.map_or_else(Vec::new, |bias| bias.values.clone());
                let weights = weights.values.clone();
                Operator::Convolution(Convolution { channels, groups, window, weights, bias })
            }
            "Gemm" | "MatMul" => self.linear(kind, node, given(0, "weights")?, constants)?,
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
            "Add" | "Mul" | "Sub" => return self.with_constant(kind, a, given(0, "constant")?),
            "AveragePool" => {
                let window = node.window(None, [height, width])?;
                let counts_pads = node.int("count_include_pad", 0) != 0;
                Operator::AveragePool { window, counts_pads }
            }
            "GlobalAveragePool" => Operator::GlobalAveragePool,
            "Identity" | "Dropout" => Operator::Reshape(shape.clone()),
            "Flatten" => match node.int("axis", 1) {
                1 => Operator::Reshape(made(&[shape.size()])?),
                axis => return Err(format!("it flattens at axis {axis}: 1 is supported")),
            },
            "Reshape" => Operator::Reshape(reshaped(shape, given(0, "shape")?)?),
            "Relu" => Operator::Activation(Activation::Relu),
            "Sigmoid" => Operator::Activation(Activation::Sigmoid),
            "Tanh" => Operator::Activation(Activation::Tanh),
            "Gelu" => Operator::Activation(match node.text("approximate", "none").as_str() {
                "tanh" => Activation::GeluTanh,
                _ => Activation::Gelu,
            }),
            "Pow" => match given(0, "exponent")?.integers().as_deref() {
                Some([power @ 1..=MOST_POWER]) => {
                    let mut coefficients = vec![0.0; *power as usize];
                    coefficients.push(1.0);
                    Operator::Activation(Activation::Polynomial(coefficients))
                }
                _ => return Err(format!("its exponent is no whole number from 1 to {MOST_POWER}")),
            },
            _ => return Err("not supported".to_owned()),
        };
        Ok((operator, vec![a]))
    }

    fn linear(
        &self,
        kind: &str,
        node: &NodeMessage,
        matrix: &Constant,
        constants: &[Option<&Constant>],
    ) -> Result<Operator, String> {
        let [first, second] = matrix.axes[..] else {
            return Err(format!("its weights have {} axes: 2 are read", matrix.axes.len()));
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
        Ok(Operator::Linear(Linear { rows, weights, bias }))
    }

    /// A sum, difference or product with a number for each channel.
    fn with_constant(
        &self,
        kind: &str,
        a: NodeId,
        constant: &Constant,
    ) -> Result<(Operator, Vec<NodeId>), String> {
        let shape = &self.graph.node(a).shape;
        let channels = shape.axes()[0];
        // Axes of a constant stand for the last axes of the other, the batch included.
        let lacking = (shape.axes().len() + 1).checked_sub(constant.axes.len());
        let own = match lacking {
            Some(0) => constant.axes.get(1).copied(),
            Some(1) => constant.axes.first().copied(),
            _ => None,
        };
        let is_by_channel = own == Some(channels) && constant.values.len() == channels;
        let values = match constant.values[..] {
            [one] => vec![one; channels],
            _ if is_by_channel => constant.values.clone(),
            _ => {
                let axes = &constant.axes;
                return Err(format!("a constant of axes {axes:?} is no number for each channel"));
            }
        };
        let (factors, summands) = match kind {
            "Mul" => (values, vec![0.0; channels]),
            "Sub" => (vec![1.0; channels], values.iter().map(|value| -value).collect()),
            _ => (vec![1.0; channels], values),
        };
        Ok((Operator::ChannelScale { factors, summands }, vec![a]))
    }

    /// x·σ(x), or a square.
    fn product(&self, a: NodeId, b: NodeId) -> Result<(Operator, Vec<NodeId>), String> {
        if a == b {
            let square = Activation::Polynomial(vec![0.0, 0.0, 1.0]);
            return Ok((Operator::Activation(square), vec![a]));
        }
        let is_sigmoid_of = |of: NodeId, argument: NodeId| {
            let node = self.graph.node(of);
            let is_sigmoid = node.operator == Operator::Activation(Activation::Sigmoid);
            is_sigmoid && node.inputs == [argument]
        };
        for (x, sigmoid) in [(a, b), (b, a)] {
            if is_sigmoid_of(sigmoid, x) {
                return Ok((Operator::Activation(Activation::Silu), vec![x]));
            }
        }
        Err("a product of two values is supported for x·x and x·Sigmoid(x) alone".to_owned())
    }

    fn concat(
        &self,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Result<(Operator, Vec<NodeId>), String> {
        let axis = node.int("axis", i64::MIN);
        let mut operands = Vec::new();
        for input in inputs {
            let Some(Value::Node(id)) = input else {
                return Err("an input is a constant".to_owned());
            };
            let axes = self.graph.node(*id).shape.axes().len() as i64 + 1;
            if axis != 1 && axis != 1 - axes {
                return Err(format!("it joins along axis {axis}: 1, the channels, is supported"));
            }
            operands.push(*id);
        }
        Ok((Operator::Concat, operands))
    }
}

fn made(axes: &[usize]) -> Result<Shape, String> {
    Shape::new(axes).map_err(|error| error.to_string())
}

/// The shape that a constant gives, without its batch: 0 keeps an axis, −1 is what remains.
fn reshaped(shape: &Shape, wanted: &Constant) -> Result<Shape, String> {
    let wanted = wanted.integers().unwrap_or_default();
    let unclear = || format!("{shape} cannot be reshaped to {wanted:?}");
    let [batch, axes @ ..] = &wanted[..] else { return Err(unclear()) };
    let mut sizes = Vec::new();
    for (place, axis) in axes.iter().enumerate() {
        sizes.push(match axis {
            0 => Some(*shape.axes().get(place).ok_or_else(unclear)?),
            -1 => None,
            size => Some(usize::try_from(*size).map_err(|_| unclear())?),
        });
    }
    let known = sizes.iter().flatten().try_fold(1usize, |size, axis| size.checked_mul(*axis));
    let known = known.filter(|known| *known > 0).ok_or_else(unclear)?;
    let open = sizes.iter().filter(|size| size.is_none()).count();
    let is_batch = matches!(batch, 0 | 1) || (*batch == -1 && open == 0);
    if !is_batch || open > 1 || !shape.size().is_multiple_of(known) {
        return Err(unclear());
    }
    let axes: Vec<usize> = sizes.iter().map(|size| size.unwrap_or(shape.size() / known)).collect();
    made(&axes)
}
