// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batch normalizations, folded into the layer before.

use super::network::{Graph, NodeId};
use super::operator::Operator;

impl Graph {
    /// Folds each normalization into the convolution or linear layer before it, unless that layer's
    /// values have other users. The network's values stay the same.
    #[must_use]
    pub fn fold_normalizations(mut self) -> Self {
        let mut uses = vec![0usize; self.nodes().count()];
        for (_, node) in self.nodes() {
            node.inputs.iter().for_each(|input| uses[input.0] += 1);
        }
        uses[self.output().0] += 1;
        let ids: Vec<NodeId> = self.nodes().map(|(id, _)| id).collect();
        for id in ids {
            let node = self.node(id);
            let Operator::ChannelScale { factors, summands } = &node.operator else { continue };
            let before = node.inputs[0];
            if uses[before.0] > 1 {
                continue;
            }
            // The channels of a layer on vectors along the last axis are not its first axis.
            let is_of_rows = matches!(self.node(before).operator, Operator::Linear(_))
                && self.node(before).shape.axes().len() > 1;
            if is_of_rows {
                continue;
            }
            let folded = folded(&self.node(before).operator, factors, summands);
            let Some(folded) = folded else { continue };
            let shape = node.shape.clone();
            self.replace(before, folded);
            self.replace(id, Operator::Reshape(shape));
        }
        self
    }
}

/// Returns the layer with each channel multiplied by its factor, and its summand added.
fn folded(layer: &Operator, factors: &[f64], summands: &[f64]) -> Option<Operator> {
    let scale = |weights: &mut [f64], bias: &mut Vec<f64>| {
        let each = weights.len() / factors.len();
        for (row, factor) in weights.chunks_mut(each).zip(factors) {
            row.iter_mut().for_each(|weight| *weight *= factor);
        }
        bias.resize(factors.len(), 0.0);
        for ((bias, factor), summand) in bias.iter_mut().zip(factors).zip(summands) {
            *bias = *bias * factor + summand;
        }
    };
    let mut layer = layer.clone();
    match &mut layer {
        Operator::Convolution(of) => scale(&mut of.weights, &mut of.bias),
        Operator::Linear(of) => scale(&mut of.weights, &mut of.bias),
        _ => return None,
    }
    Some(layer)
}
