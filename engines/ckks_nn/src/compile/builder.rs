// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A network as an expression over vectors of some number of slots.

use halimede_ckks::{Expression, Values};

use super::activation::Approximation;
use crate::error::NetworkError;
use crate::graph::{Graph, Node, NodeId, Operator};
use crate::layout::{place, Affine, Packing, Placed};

/// The name of the input in expressions.
pub(super) const INPUT: &str = "x";
/// The exponent of the guard, whose sum is below 1 only where all arguments are.
const GUARD_EXPONENT: u32 = 16;
/// The promise about the guard's sum, for all results that are valid.
const GUARD_BOUND: f64 = 4.0;

/// A network in slots.
pub(super) struct Circuit {
    pub expression: Expression,
    pub input: Packing,
    pub output: Packing,
    pub guard: Option<usize>,
    pub stages: Vec<Stage>,
}

/// A matrix and what follows it: an activation, or the output.
pub(super) struct Stage {
    /// The name of the activation's node, or of the output's.
    pub name: String,
    /// The layers in the matrix.
    pub layers: Vec<String>,
    pub activation: Option<NodeId>,
    pub diagonals: usize,
    pub rotations: usize,
    pub gap: usize,
}

/// The ciphertexts so far.
struct Builder<'a> {
    graph: &'a Graph,
    slots: usize,
    expressions: Vec<Expression>,
    packings: Vec<Packing>,
    stages: Vec<Stage>,
    guards: Option<Expression>,
    /// Names of layers since the last activation.
    layers: Vec<String>,
}

/// The circuit of a network whose activations are approximated, for vectors of `slots` slots.
///
/// # Errors
/// [`NetworkError::Slots`] where a layer takes more slots.
pub(super) fn circuit(
    graph: &Graph,
    approximations: &[(NodeId, Approximation)],
    has_guard: bool,
    slots: usize,
) -> Result<Circuit, NetworkError> {
    let input = Packing::dense(graph.input_shape());
    if input.extent() > slots {
        let (layer, needed) = (graph.node(graph.input()).name.clone(), input.extent());
        return Err(NetworkError::Slots { layer, needed, slots });
    }
    let mut builder = Builder {
        graph,
        slots,
        expressions: vec![Expression::input(INPUT)],
        packings: vec![input],
        stages: Vec::new(),
        guards: None,
        layers: Vec::new(),
    };
    let used = graph.used();
    let mut values: Vec<Option<Affine>> = Vec::new();
    for (id, node) in graph.nodes() {
        let value = match &node.operator {
            _ if !used[id.0] => None,
            Operator::Input => Some(Affine::of_base(0, node.shape.size(), 1.0)),
            Operator::Activation(_) => {
                let argument = values[node.inputs[0].0].clone();
                let found = approximations.iter().find(|(of, _)| *of == id);
                match (argument, found) {
                    (Some(argument), Some((_, approximation))) => {
                        Some(builder.activation(id, node, argument, approximation, has_guard)?)
                    }
                    _ => return Err(NetworkError::node(&node.name, "it was not calibrated")),
                }
            }
            _ => {
                let operands: Vec<&Affine> =
                    node.inputs.iter().filter_map(|input| values[input.0].as_ref()).collect();
                if !matches!(node.operator, Operator::Reshape(_)) {
                    builder.layers.push(node.name.clone());
                }
                Some(Affine::of_node(graph, node, &operands)?)
            }
        };
        values.push(value);
    }
    let output = values.swap_remove(graph.output().0);
    let name = graph.node(graph.output()).name.clone();
    let affine = output.ok_or_else(|| NetworkError::node(&name, "it has no value"))?;
    builder.finish(&name, affine, has_guard)
}

impl Builder<'_> {
    /// A matrix, or several, and constants, as an expression.
    fn affine(
        &mut self,
        name: &str,
        affine: &Affine,
        of: NodeId,
        spare: usize,
    ) -> Result<(Expression, Placed), NetworkError> {
        let shape = &self.graph.node(of).shape;
        let placed = place(name, affine, shape, &self.packings, self.slots, spare)?;
        let products = placed
            .matrices
            .iter()
            .map(|(base, matrix)| self.expressions[*base].linear_transform(matrix.clone()));
        let sum = products.reduce(|sum, product| sum + product).ok_or_else(|| {
            NetworkError::node(name, "its values do not depend on the network's input")
        })?;
        let mut value = sum;
        if placed.period < self.slots {
            value = value.inner_sum(self.slots / placed.period, placed.period);
        }
        let largest = placed.constants.iter().map(|constant| constant.abs()).fold(0.0, f64::max);
        if largest > 0.0 {
            value = value + Expression::plain(Values::from(&placed.constants).within(largest));
        }
        Ok((value, placed))
    }

    /// An activation. Its argument is scaled to [−1, 1] by the matrix.
    fn activation(
        &mut self,
        id: NodeId,
        node: &Node,
        argument: Affine,
        approximation: &Approximation,
        has_guard: bool,
    ) -> Result<Affine, NetworkError> {
        let interval = approximation.interval;
        let affine = argument.normalized(interval.middle(), interval.radius());
        let (value, placed) = self.affine(&node.name, &affine, id, 0)?;
        let argument = value.between(-1.0, 1.0).labelled(matrix_label(&node.name));
        let result = approximation.expression(&argument)?.labelled(node.name.as_str());
        if has_guard {
            let power = argument.powi(GUARD_EXPONENT);
            self.guards = Some(match self.guards.take() {
                Some(sum) => sum + power,
                None => power,
            });
        }
        self.stage(&node.name, Some(id), &placed);
        self.expressions.push(result);
        self.packings.push(placed.packing);
        let base = self.packings.len() - 1;
        Ok(Affine::of_base(base, node.shape.size(), approximation.factor))
    }

    /// The output, to which the guard is added in all slots.
    fn finish(
        mut self,
        name: &str,
        affine: Affine,
        has_guard: bool,
    ) -> Result<Circuit, NetworkError> {
        let guards = self.guards.take().filter(|_| has_guard);
        let spare = usize::from(guards.is_some());
        let (value, placed) = self.affine(name, &affine, self.graph.output(), spare)?;
        self.stage(name, None, &placed);
        let (value, guard) = match guards {
            None => (value, None),
            Some(guards) => {
                let sum = guards.sum().between(0.0, GUARD_BOUND).labelled("guard");
                (value.labelled(matrix_label(name)) + sum, Some(placed.packing.extent()))
            }
        };
        let (input, output) = (self.packings[0], placed.packing);
        let expression = value.labelled(format!("output {name}"));
        Ok(Circuit { expression, input, output, guard, stages: self.stages })
    }

    fn stage(&mut self, name: &str, activation: Option<NodeId>, placed: &Placed) {
        self.stages.push(Stage {
            name: name.to_owned(),
            layers: std::mem::take(&mut self.layers),
            activation,
            diagonals: placed.matrices.values().map(|matrix| matrix.steps().count()).sum(),
            rotations: placed.rotations,
            gap: placed.packing.gap(),
        });
    }
}

/// The label of an activation's argument.
pub(super) fn matrix_label(name: &str) -> String {
    format!("matrix of {name}")
}
