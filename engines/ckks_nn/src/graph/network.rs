// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A network: nodes in the order of their computation.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::activation::Activation;
use super::operator::Operator;
use super::shape::Shape;
use crate::error::NetworkError;
use crate::post_processing::PostProcessing;

/// The largest number of nodes of a network.
const MOST_NODES: usize = 10_000;

/// A node's place in its network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

/// An operator with its inputs and the shape of its result.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The name in reports and errors.
    pub name: String,
    /// The operation of the node.
    pub operator: Operator,
    /// The nodes of its operands, all before it.
    pub inputs: Vec<NodeId>,
    /// The shape of its result.
    pub shape: Shape,
}

/// A network with one input and one output.
///
/// ```
/// use halimede_ckks_nn::graph::{Activation, Graph, Linear, Operator, Shape};
///
/// let mut graph = Graph::new(Shape::new(&[2])?);
/// let linear = Linear { rows: 1, weights: vec![3.0, -1.0], bias: vec![0.5] };
/// let sum = graph.push("sum", Operator::Linear(linear), &[graph.input()])?;
/// let positive = graph.push("positive", Operator::Activation(Activation::Relu), &[sum])?;
/// graph.set_output(positive);
/// assert_eq!(graph.evaluate(&[1.0, 2.0])?, [1.5]);
/// # Ok::<(), halimede_ckks_nn::NetworkError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    nodes: Vec<Node>,
    output: NodeId,
    /// Activations that share the interval of an earlier activation.
    alike: BTreeMap<NodeId, NodeId>,
    /// For nodes whose values are repeated, the value that each place holds.
    pub(super) copies: BTreeMap<NodeId, Arc<Vec<u32>>>,
    /// The computation of values and labels from the output's values.
    post_processing: Option<PostProcessing>,
}

impl Graph {
    /// Returns a network that returns its input.
    pub fn new(input: Shape) -> Self {
        let (name, operator) = ("input".to_owned(), Operator::Input);
        let input = Node { name, operator, inputs: Vec::new(), shape: input };
        let (output, alike, copies) = (NodeId(0), BTreeMap::new(), BTreeMap::new());
        Self { nodes: vec![input], output, alike, copies, post_processing: None }
    }

    /// Returns the input.
    pub fn input(&self) -> NodeId {
        NodeId(0)
    }

    /// Returns the node whose values are the scores: the network's values, or those from which
    /// post-processing computes them.
    pub fn output(&self) -> NodeId {
        self.output
    }

    /// Makes a node the output.
    ///
    /// # Panics
    /// For a node of another network.
    pub fn set_output(&mut self, output: NodeId) {
        assert!(output.0 < self.nodes.len(), "the node belongs to another network");
        self.output = output;
        self.post_processing = None;
    }

    /// Makes a node the output, with the computation of values and labels from its values.
    pub(crate) fn set_post_processing(&mut self, scores: NodeId, of: PostProcessing) {
        assert_eq!(self.node(scores).shape.size(), of.scores(), "post-processing of other scores");
        self.set_output(scores);
        self.post_processing = Some(of);
    }

    /// Returns the computation of values and labels from the scores, which the client makes after
    /// decryption; `None` if the scores are the network's values.
    pub fn post_processing(&self) -> Option<&PostProcessing> {
        self.post_processing.as_ref()
    }

    /// Adds a node. It becomes the output.
    ///
    /// # Errors
    /// [`NetworkError::Node`] if the operator does not fit its inputs' shapes, and
    /// [`NetworkError::Limit`].
    pub fn push(
        &mut self,
        name: impl Into<String>,
        operator: Operator,
        inputs: &[NodeId],
    ) -> Result<NodeId, NetworkError> {
        let name = name.into();
        if self.nodes.len() >= MOST_NODES {
            let (what, got) = ("nodes of a network".to_owned(), self.nodes.len() + 1);
            return Err(NetworkError::Limit { what, got, limit: MOST_NODES });
        }
        let shapes = inputs.iter().map(|input| self.nodes.get(input.0).map(|node| &node.shape));
        let shapes: Option<Vec<&Shape>> = shapes.collect();
        let shapes = shapes
            .ok_or_else(|| NetworkError::node(&name, "an input belongs to another network"))?;
        let shape = operator.shape(&shapes).map_err(|reason| NetworkError::node(&name, reason))?;
        self.nodes.push(Node { name, operator, inputs: inputs.to_vec(), shape });
        self.set_output(NodeId(self.nodes.len() - 1));
        Ok(self.output)
    }

    /// Gives an activation the interval of another, which is calibrated for the arguments of both:
    /// the same gate of a recurrent cell has one polynomial in all steps.
    ///
    /// # Panics
    /// For an activation that is not before it.
    pub fn calibrate_alike(&mut self, id: NodeId, first: NodeId) {
        assert!(first < id && id.0 < self.nodes.len(), "the other activation must come first");
        self.alike.insert(id, self.calibrated_as(first));
    }

    /// Returns the activation whose interval an activation uses; usually itself.
    pub fn calibrated_as(&self, id: NodeId) -> NodeId {
        self.alike.get(&id).copied().unwrap_or(id)
    }

    /// Returns all nodes, each after its operands.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(place, node)| (NodeId(place), node))
    }

    /// Returns a node.
    ///
    /// # Panics
    /// For a node of another network.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// Returns the shape of the input.
    pub fn input_shape(&self) -> &Shape {
        &self.nodes[0].shape
    }

    /// Returns the shape of the network's values.
    pub fn output_shape(&self) -> &Shape {
        self.post_processing.as_ref().map_or(self.score_shape(), PostProcessing::shape)
    }

    /// Returns the shape of the output node's values, before post-processing.
    pub fn score_shape(&self) -> &Shape {
        &self.node(self.output).shape
    }

    /// Returns the activations that the output depends on.
    pub fn activations(&self) -> Vec<(NodeId, &Activation)> {
        let used = self.used();
        self.nodes()
            .filter(|(id, _)| used[id.0])
            .filter_map(|(id, node)| match &node.operator {
                Operator::Activation(activation) => Some((id, activation)),
                _ => None,
            })
            .collect()
    }

    /// Replaces the operator of a node by one of the same shapes.
    pub(super) fn replace(&mut self, id: NodeId, operator: Operator) {
        self.nodes[id.0].operator = operator;
    }

    /// Returns, for each node, `true` if the output depends on it.
    pub(crate) fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.nodes.len()];
        used[self.output.0] = true;
        for place in (0..self.nodes.len()).rev().filter(|place| *place <= self.output.0) {
            if used[place] {
                self.nodes[place].inputs.iter().for_each(|input| used[input.0] = true);
            }
        }
        used
    }

    /// Returns the last user of each node's value; `None` for the output.
    pub(crate) fn last_users(&self) -> Vec<Option<NodeId>> {
        let mut last = vec![None; self.nodes.len()];
        for (id, node) in self.nodes() {
            node.inputs.iter().for_each(|input| last[input.0] = Some(id));
        }
        last[self.output.0] = None;
        last
    }
}
