// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A model's graph, node by node.

use std::collections::HashMap;

use prost::Message;

use super::messages::{GraphMessage, Model, NodeMessage, ValueInfo};
use super::tensor::{constant, Constant};
use crate::error::NetworkError;
use crate::graph::{Graph, NodeId, Shape};

/// The largest file size that is accepted, in bytes.
pub const MOST_BYTES: usize = 128 << 20;

/// The value of a name in the model.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Node(Computed),
    Constant(Constant),
}

/// A node of the network.
#[derive(Clone, Debug)]
pub(super) struct Computed {
    pub id: NodeId,
    /// Its axes, including the batch, which may be any axis.
    pub axes: Vec<usize>,
}

/// A network during import.
pub(super) struct Importer {
    pub graph: Graph,
    values: HashMap<String, Value>,
}

/// Returns the network of an ONNX file. The axis of the batch, which must have the size 1 or no
/// size, is dropped. Normalizations are folded.
///
/// # Errors
/// [`NetworkError::Onnx`] for damaged files, [`NetworkError::Node`] for operators that are not
/// supported, [`NetworkError::Limit`] for files that are too large.
pub fn read_onnx(bytes: &[u8]) -> Result<Graph, NetworkError> {
    if bytes.len() > MOST_BYTES {
        let (what, got) = ("bytes of an ONNX file".to_owned(), bytes.len());
        return Err(NetworkError::Limit { what, got, limit: MOST_BYTES });
    }
    let damaged = |reason: String| NetworkError::Onnx { reason };
    let model = Model::decode(bytes).map_err(|error| damaged(error.to_string()))?;
    let graph = model.graph.ok_or_else(|| damaged("it has no graph".to_owned()))?;
    let mut importer = Importer::new(&graph)?;
    for (place, node) in graph.nodes.iter().enumerate() {
        importer.node(place, node)?;
    }
    let [output] = &graph.outputs[..] else {
        let got = graph.outputs.len();
        return Err(damaged(format!("it has {got} outputs, but only 1 is supported")));
    };
    match importer.values.get(&output.name) {
        Some(Value::Node(of)) => importer.graph.set_output(of.id),
        _ => {
            let name = short(&output.name);
            return Err(damaged(format!("its output {name} is not computed from its input")));
        }
    }
    Ok(importer.graph.fold_normalizations())
}

impl Importer {
    fn new(message: &GraphMessage) -> Result<Self, NetworkError> {
        let mut values = HashMap::new();
        for tensor in &message.initializers {
            let constant = constant(tensor).map_err(|reason| NetworkError::Onnx {
                reason: format!("the initializer {}: {reason}", short(&tensor.name)),
            })?;
            values.insert(tensor.name.clone(), Value::Constant(constant));
        }
        let is_input = |input: &&ValueInfo| !values.contains_key(&input.name);
        let inputs: Vec<&ValueInfo> = message.inputs.iter().filter(is_input).collect();
        let [input] = inputs[..] else {
            let reason = format!("it has {} inputs, but only 1 is supported", inputs.len());
            return Err(NetworkError::Onnx { reason });
        };
        let shape = input_shape(input)?;
        let axes = [&[1], shape.axes()].concat();
        let graph = Graph::new(shape);
        values.insert(input.name.clone(), Value::Node(Computed { id: graph.input(), axes }));
        Ok(Self { graph, values })
    }

    fn node(&mut self, place: usize, node: &NodeMessage) -> Result<(), NetworkError> {
        let name = match (node.name.as_str(), node.outputs.first()) {
            ("", Some(output)) if !output.is_empty() => output.clone(),
            ("", _) => format!("number {}", place + 1),
            (name, _) => name.to_owned(),
        };
        let name = short(&name);
        let mut inputs = Vec::new();
        for input in &node.inputs {
            let value = self.values.get(input);
            // An empty name is an omitted optional input.
            if value.is_none() && !input.is_empty() {
                let reason = format!("its input {} is not computed before", short(input));
                return Err(NetworkError::node(name, reason));
            }
            inputs.push(value.cloned());
        }
        let values = self.operator(&name, node, &inputs)?;
        for (output, value) in node.outputs.iter().zip(values) {
            self.values.insert(output.clone(), value);
        }
        Ok(())
    }
}

/// Returns the shape of the input without the batch.
fn input_shape(input: &ValueInfo) -> Result<Shape, NetworkError> {
    let wrong = |reason: String| NetworkError::Onnx {
        reason: format!("its input {}: {reason}", short(&input.name)),
    };
    let tensor = input.of.as_ref().and_then(|of| of.tensor.as_ref());
    let shape = tensor.and_then(|tensor| tensor.shape.as_ref());
    let axes = shape.map(|shape| &shape.axes[..]);
    let Some([batch, axes @ ..]) = axes.filter(|axes| axes.len() > 1) else {
        return Err(wrong("its shape is not a batch of vectors or images".to_owned()));
    };
    if let Some(size) = batch.size.filter(|size| *size != 1) {
        return Err(wrong(format!("it is a batch of {size}: export the model with a batch of 1")));
    }
    let sizes = axes.iter().map(|axis| axis.size.and_then(|size| usize::try_from(size).ok()));
    let sizes: Option<Vec<usize>> = sizes.collect();
    let sizes = sizes.ok_or_else(|| {
        wrong(
            "an axis other than the batch has no size: export the model with fixed sizes"
                .to_owned(),
        )
    })?;
    Shape::new(&sizes)
}

/// Returns a name for errors, shortened: in a damaged file it may be long.
pub(super) fn short(name: &str) -> String {
    let shown: String = name.chars().take(80).collect();
    match shown.len() == name.len() {
        true => shown,
        false => format!("{shown}…"),
    }
}
