// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Functions that exporters divide into several operators.

use super::import::Importer;
use super::value::Computed;
use crate::error::NetworkError;
use crate::graph::{Activation, NodeId, Operator};

impl Importer {
    /// Returns x and k if a product is k·x·(1 + erf(x/√2)) = 2·k·GELU(x), with the factor 2·k.
    pub(super) fn gelu(&self, a: NodeId, b: NodeId) -> Option<(NodeId, f64)> {
        [(a, b), (b, a)].into_iter().find_map(|(x, sum)| {
            let (erf, one, summand) = self.scaled_source(sum);
            let node = self.graph.node(erf);
            let is_erf = node.operator == Operator::Activation(Activation::Erf);
            let (argument, factor, zero) =
                self.scaled_source(*node.inputs.first().filter(|_| is_erf)?);
            let (source, scale, own) = self.scaled_source(x);
            let near = |x: f64, y: f64| (x - y).abs() < 1e-6;
            let fits = source == argument
                && near(factor, std::f64::consts::FRAC_1_SQRT_2)
                && near(summand, one)
                && zero == 0.0
                && own == 0.0;
            fits.then_some((source, 2.0 * scale * one))
        })
    }

    /// Returns the node x of a value k·x + c for two numbers k and c, and both numbers.
    fn scaled_source(&self, mut id: NodeId) -> (NodeId, f64, f64) {
        let (mut factor, mut summand) = (1.0, 0.0);
        let only = |all: &[f64]| all.first().copied().filter(|x| all.iter().all(|y| y == x));
        loop {
            let node = self.graph.node(id);
            match &node.operator {
                Operator::Reshape(_) => {}
                Operator::ChannelScale { factors, summands } => {
                    let Some((k, c)) = only(factors).zip(only(summands)) else { break };
                    (factor, summand) = (factor * k, summand + factor * c);
                }
                _ => break,
            }
            id = node.inputs[0];
        }
        (id, factor, summand)
    }

    /// Returns a/b as a product with 1/b, or with 1/√c if b is √c.
    pub(super) fn quotient(
        &mut self,
        name: &str,
        a: &Computed,
        b: &Computed,
    ) -> Result<Computed, NetworkError> {
        let root = self.graph.node(b.id);
        let argument = match (&root.operator, &root.inputs[..]) {
            (Operator::Activation(Activation::SquareRoot), [argument]) => Some(*argument),
            _ => None,
        };
        let least = self.graph.lower_bound(argument.unwrap_or(b.id)).unwrap_or(0.0).max(0.0);
        let (function, argument) = match argument {
            Some(argument) => (Activation::InverseSquareRoot { least }, argument),
            None => (Activation::Reciprocal { least }, b.id),
        };
        let argument = Computed { id: argument, axes: b.axes.clone() };
        // The function of the repeated values, so that the product needs no other matrix.
        let [a, argument] = self.together(name, a, &argument)?;
        let part = format!("{name}: {}", function.name());
        let inverse = self.graph.push(part, Operator::Activation(function), &[argument.id])?;
        let id = self.graph.push(name, Operator::Product, &[a.id, inverse])?;
        Ok(Computed { id, axes: a.axes })
    }
}
