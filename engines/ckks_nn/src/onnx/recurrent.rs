// SPDX-License-Identifier: Apache-2.0 OR MIT
//! LSTM, GRU and RNN, unrolled.

use super::import::Importer;
use super::messages::NodeMessage;
use super::moves::size_of;
use super::tensor::Constant;
use super::value::{Computed, Value};
use crate::error::NetworkError;
use crate::graph::{Activation, Cell, NodeId, Operator, Recurrent, Shape, Unrolled};

impl Importer {
    /// Returns the outputs Y, Y_h and Y_c of a recurrent node, for each direction.
    pub(super) fn recurrent(
        &mut self,
        name: &str,
        kind: &str,
        node: &NodeMessage,
        inputs: &[Option<Value>],
    ) -> Result<Vec<Value>, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, format!("{kind}: {reason}"));
        let Some(Some(Value::Node(sequence))) = inputs.first() else {
            return Err(wrong("its sequence is not computed from the network's input".to_owned()));
        };
        let constants = inputs[1..].iter().map(|input| match input {
            None => Ok(None),
            Some(Value::Constant(constant)) => Ok(Some(constant)),
            Some(_) => Err("more than one input is encrypted".to_owned()),
        });
        let constants = constants.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
        let read = Reader { kind, node, constants: &constants, axes: &sequence.axes };
        let layers = read.layers().map_err(wrong)?;
        let steps = read.steps().map_err(wrong)?;
        let mut unrolled = Vec::new();
        for (direction, layer) in layers.iter().enumerate() {
            let name = match layers.len() {
                1 => name.to_owned(),
                _ => format!("{name}: direction {}", direction + 1),
            };
            unrolled.push(self.graph.push_recurrent(&name, layer, sequence.id, steps)?);
        }
        let (hidden, count) = (layers[0].hidden, layers.len());
        let is_batch_first = read.is_batch_first();
        let all = (0..steps).flat_map(|step| unrolled.iter().map(move |of| of.hidden[step]));
        let axes = match is_batch_first {
            true => vec![1, steps, count, hidden],
            false => vec![steps, count, 1, hidden],
        };
        let all = self.joined(name, &all.collect::<Vec<_>>(), axes)?;
        let last = if is_batch_first { vec![1, count, hidden] } else { vec![count, 1, hidden] };
        let mut values = vec![all];
        let of_states: [fn(&Unrolled) -> Option<NodeId>; 2] =
            [|of| Some(of.last_hidden), |of| of.last_cell];
        for state in of_states {
            let states: Option<Vec<NodeId>> = unrolled.iter().map(state).collect();
            if let Some(states) = states {
                values.push(self.joined(name, &states, last.clone())?);
            }
        }
        Ok(values)
    }

    /// Returns the concatenation of vectors.
    fn joined(
        &mut self,
        name: &str,
        parts: &[NodeId],
        axes: Vec<usize>,
    ) -> Result<Value, NetworkError> {
        size_of(&axes).map_err(|reason| NetworkError::node(name, reason))?;
        let all = match parts {
            [one] => *one,
            parts => self.graph.push(format!("{name}: all"), Operator::Concat, parts)?,
        };
        let size = self.graph.node(all).shape.size();
        let id = self.graph.push(name, Operator::Reshape(Shape::new(&[size])?), &[all])?;
        self.computed(name, id, axes).map(Value::Node)
    }
}

/// Reads the attributes and constants of a node.
struct Reader<'a> {
    kind: &'a str,
    node: &'a NodeMessage,
    /// All inputs except the sequence.
    constants: &'a [Option<&'a Constant>],
    axes: &'a [usize],
}

impl Reader<'_> {
    fn is_batch_first(&self) -> bool {
        self.node.int("layout", 0) != 0
    }

    /// Returns the steps of the sequence.
    fn steps(&self) -> Result<usize, String> {
        let [first, second, _] = self.axes[..] else {
            return Err(format!("its sequence has the axes {:?}, expected 3", self.axes));
        };
        let (steps, batch) = if self.is_batch_first() { (second, first) } else { (first, second) };
        if batch != 1 {
            return Err(format!("its sequence has the axes {:?}: a batch of {batch}", self.axes));
        }
        if let Some(lengths) = self.input(3) {
            if lengths.values != [steps as f64] {
                return Err(format!("sequence_lens other than {steps} is not supported"));
            }
        }
        Ok(steps)
    }

    fn input(&self, place: usize) -> Option<&Constant> {
        self.constants.get(place).copied().flatten()
    }

    /// Returns the part of a constant that belongs to a direction.
    fn part(&self, place: usize, direction: usize, directions: usize) -> Result<Vec<f64>, String> {
        let Some(constant) = self.input(place) else { return Ok(Vec::new()) };
        let size = constant.values.len();
        if !size.is_multiple_of(directions) {
            return Err(format!(
                "input {} has {size} values for {directions} directions",
                place + 2
            ));
        }
        let each = size / directions;
        Ok(constant.values[direction * each..(direction + 1) * each].to_vec())
    }

    fn layers(&self) -> Result<Vec<Recurrent>, String> {
        let directions = match self.node.text("direction", "forward").as_str() {
            "forward" => vec![false],
            "reverse" => vec![true],
            "bidirectional" => vec![false, true],
            other => return Err(format!("direction {other:?} is not defined in ONNX")),
        };
        if self.node.has("clip") || self.node.int("input_forget", 0) != 0 {
            return Err("clip and input_forget are not supported".to_owned());
        }
        if ["activation_alpha", "activation_beta"].iter().any(|name| self.node.has(name)) {
            return Err("parameters of activations are not supported".to_owned());
        }
        if self.input(6).is_some_and(|of| of.values.iter().any(|x| *x != 0.0)) {
            return Err("peepholes are not supported".to_owned());
        }
        let Some([_, rows, hidden]) = self.input(1).map(|of| &of.axes[..]) else {
            return Err(
                "the axes of its R do not match its directions, gates and states".to_owned()
            );
        };
        let (count, hidden) = (directions.len(), *hidden);
        let layer = |(direction, is_reverse): (usize, &bool)| {
            let cell = self.cell(direction, count)?;
            if *rows != cell.gates() * hidden || hidden == 0 {
                return Err(format!("its R has {rows} rows for {hidden} states"));
            }
            let part = |place| self.part(place, direction, count);
            let bias = part(2)?;
            let (input_bias, state_bias) = match bias.len() {
                0 => (Vec::new(), Vec::new()),
                size if size == 2 * rows => (bias[..*rows].to_vec(), bias[*rows..].to_vec()),
                size => return Err(format!("its B has {size} values, expected {}", 2 * rows)),
            };
            Ok(Recurrent {
                cell,
                hidden,
                input_weights: part(0)?,
                state_weights: part(1)?,
                input_bias,
                state_bias,
                first_hidden: part(4)?,
                first_cell: if self.kind == "LSTM" { part(5)? } else { Vec::new() },
                is_reverse: *is_reverse,
            })
        };
        directions.iter().enumerate().map(layer).collect()
    }

    /// Returns the cell of a direction, with its functions.
    fn cell(&self, direction: usize, directions: usize) -> Result<Cell, String> {
        let default: &[&str] = match self.kind {
            "LSTM" => &["Sigmoid", "Tanh", "Tanh"],
            "GRU" => &["Sigmoid", "Tanh"],
            _ => &["Tanh"],
        };
        let given = self.node.texts("activations");
        let each = default.len();
        let names = match given.len() {
            0 => default.iter().map(|name| (*name).to_owned()).collect(),
            count if count == each * directions => {
                given[direction * each..(direction + 1) * each].to_vec()
            }
            count => {
                return Err(format!("it has {count} activations, expected {each} per direction"))
            }
        };
        let function = |place: usize| match names[place].as_str() {
            "Sigmoid" => Ok(Activation::Sigmoid),
            "Tanh" => Ok(Activation::Tanh),
            "Relu" => Ok(Activation::Relu),
            other => {
                Err(format!("activation {other:?} is not supported: use Sigmoid, Tanh or Relu"))
            }
        };
        Ok(match self.kind {
            "LSTM" => {
                Cell::Lstm { gate: function(0)?, candidate: function(1)?, output: function(2)? }
            }
            "GRU" => {
                let resets_product = self.node.int("linear_before_reset", 0) != 0;
                Cell::Gru { gate: function(0)?, candidate: function(1)?, resets_product }
            }
            _ => Cell::Simple(function(0)?),
        })
    }
}

impl Importer {
    /// Returns a node with its axes, including the batch.
    pub(super) fn computed(
        &mut self,
        name: &str,
        id: NodeId,
        axes: Vec<usize>,
    ) -> Result<Computed, NetworkError> {
        let shape = stored_shape(&axes)?;
        let id = match self.graph.node(id).shape == shape {
            true => id,
            false => self.graph.push(name, Operator::Reshape(shape), &[id])?,
        };
        Ok(Computed { id, axes })
    }
}

/// Returns the shape of a node with these axes: a leading batch axis is dropped.
fn stored_shape(axes: &[usize]) -> Result<Shape, NetworkError> {
    match axes {
        [1, others @ ..] if (1..=4).contains(&others.len()) => Shape::new(others),
        [] => Shape::new(&[1]),
        axes if axes.len() <= 4 => Shape::new(axes),
        axes => Shape::new(&[axes.iter().product()]),
    }
}
