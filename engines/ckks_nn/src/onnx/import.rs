// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A model's graph, node by node.

use std::collections::HashMap;

use prost::Message;

use super::after_decryption::AfterDecryption;
use super::end::{End, Use};
use super::messages::{GraphMessage, Model, NodeMessage, OperatorSet, ValueInfo};
use super::names::{name_of, short};
use super::tensor::{constant, texts};
use super::unsupported::CHOOSE;
use super::value::{Computed, Value};
use crate::error::NetworkError;
use crate::graph::{Graph, NodeId, Shape};
use crate::post_processing::Content;

/// The largest file size that is accepted, in bytes.
pub const MOST_BYTES: usize = 128 << 20;
/// The number of names in an error.
const SHOWN_NAMES: usize = 12;

/// A network during import.
pub(super) struct Importer {
    pub graph: Graph,
    values: HashMap<String, Value>,
    /// The version of ONNX's operators.
    pub version: i64,
    pub after: AfterDecryption,
    /// `true` if a sigmoid at the end is computed after decryption.
    pub ends_decrypted: bool,
    /// For values to which a mask of −∞ was added, `true` in the places without it: only a softmax
    /// can use them.
    pub masks: HashMap<NodeId, Vec<bool>>,
}

/// Returns the network of an ONNX file. The axis of the batch, which must have the size 1 or no
/// size, is dropped. Normalizations are folded. The end of a classifier becomes
/// [post-processing](crate::post_processing).
///
/// # Errors
/// [`NetworkError::Onnx`] for damaged files, and for several outputs that are not the values and
/// labels of a classifier; [`NetworkError::Node`] for operators that are not supported,
/// [`NetworkError::Limit`] for files that are too large.
pub fn read_onnx(bytes: &[u8]) -> Result<Graph, NetworkError> {
    read(bytes, None)
}

/// As [`read_onnx`], with this value of the file as the only output: any output of a node, by its
/// name. Nodes that the output does not depend on are not read.
///
/// # Errors
/// As [`read_onnx`], and [`NetworkError::Onnx`] if no node has the output.
pub fn read_onnx_output(bytes: &[u8], output: &str) -> Result<Graph, NetworkError> {
    read(bytes, Some(output))
}

fn read(bytes: &[u8], output: Option<&str>) -> Result<Graph, NetworkError> {
    if bytes.len() > MOST_BYTES {
        let (what, got) = ("bytes of an ONNX file".to_owned(), bytes.len());
        return Err(NetworkError::Limit { what, got, limit: MOST_BYTES });
    }
    let damaged = |reason: String| NetworkError::Onnx { reason };
    let model = Model::decode(bytes).map_err(|error| damaged(error.to_string()))?;
    let is_own = |set: &&OperatorSet| matches!(set.domain.as_str(), "" | "ai.onnx");
    let version = model.operator_sets.iter().find(is_own).map_or(i64::MAX, |set| set.version);
    let graph = model.graph.ok_or_else(|| damaged("it has no graph".to_owned()))?;
    let outputs: Vec<&str> = match output {
        Some(output) => vec![known_output(&graph, output).map_err(damaged)?],
        None => graph.outputs.iter().map(|output| output.name.as_str()).collect(),
    };
    let end = End::new(&graph, &outputs);
    let imported = |ends_decrypted: bool| {
        let mut importer = Importer::new(&graph, version)?;
        importer.ends_decrypted = ends_decrypted;
        for (place, node) in graph.nodes.iter().enumerate() {
            if let Some(use_of) = end.use_of(place) {
                importer.node(node, &name_of(place, node), use_of)?;
            }
        }
        importer.finish(&outputs)
    };
    // A sigmoid next to other values at the end must be computed before decryption, like them.
    imported(true).or_else(|error| imported(false).map_err(|_| error))
}

/// Checks that a node has an output of this name.
fn known_output<'a>(graph: &GraphMessage, output: &'a str) -> Result<&'a str, String> {
    let names = || graph.nodes.iter().flat_map(|node| &node.outputs).filter(|of| !of.is_empty());
    if names().any(|of| of == output) {
        return Ok(output);
    }
    let names: Vec<String> = names().rev().take(SHOWN_NAMES).map(|name| short(name)).collect();
    Err(format!("no node has the output {}; the last ones are {}", short(output), names.join(", ")))
}

impl Importer {
    fn new(message: &GraphMessage, version: i64) -> Result<Self, NetworkError> {
        let mut values = HashMap::new();
        for tensor in &message.initializers {
            let value = match texts(tensor) {
                Some(texts) => Ok(Value::Texts(texts)),
                None => constant(tensor).map(Value::Constant),
            };
            let value = value.map_err(|reason| NetworkError::Onnx {
                reason: format!("the initializer {}: {reason}", short(&tensor.name)),
            })?;
            values.insert(tensor.name.clone(), value);
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
        let after = AfterDecryption::default();
        Ok(Self { graph, values, version, after, ends_decrypted: true, masks: HashMap::new() })
    }

    fn node(&mut self, node: &NodeMessage, name: &str, use_of: &Use) -> Result<(), NetworkError> {
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
        let values = self.operator(name, node, &inputs, use_of)?;
        for (output, value) in node.outputs.iter().zip(values) {
            self.values.insert(output.clone(), value);
        }
        Ok(())
    }

    /// Makes the outputs those of the network.
    fn finish(mut self, outputs: &[&str]) -> Result<Graph, NetworkError> {
        let damaged = |reason: String| NetworkError::Onnx { reason };
        let several = || {
            let names: Vec<String> = outputs.iter().map(|name| short(name)).collect();
            damaged(format!(
                "it has {} outputs ({}), but a network has one, or the values and labels of a \
                 classifier: choose one by its name ({CHOOSE})",
                names.len(),
                names.join(", ")
            ))
        };
        let mut found = Vec::new();
        for name in outputs {
            match self.values.remove(*name) {
                Some(value @ (Value::Node(_) | Value::Decrypted(_))) => found.push(value),
                _ => {
                    let name = short(name);
                    let reason = format!("its output {name} is not computed from its input");
                    return Err(damaged(reason));
                }
            }
        }
        match &found[..] {
            [Value::Node(of)] => self.graph.set_output(of.id),
            [] | [Value::Node(_), ..] if !found.iter().any(is_decrypted) => return Err(several()),
            _ => {
                let (mut values, mut labels) = (None, None);
                for value in found {
                    let value = match value {
                        Value::Node(of) => self.after.begin(&self.graph, &of).map_err(damaged)?,
                        Value::Decrypted(of) => of,
                        _ => continue,
                    };
                    let kind = match value.content {
                        Content::Numbers => &mut values,
                        _ => &mut labels,
                    };
                    if kind.replace(value).is_some() {
                        return Err(several());
                    }
                }
                let (graph, after) = (&mut self.graph, self.after);
                after.finish(graph, values, labels).map_err(damaged)?;
            }
        }
        Ok(self.graph.fold_normalizations())
    }
}

fn is_decrypted(value: &Value) -> bool {
    matches!(value, Value::Decrypted(_))
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
