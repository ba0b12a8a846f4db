// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that meet place by place: products, and sums without a matrix.

use std::ops::Range;

use halimede_ckks::Expression;

use super::builder::{concat, matrix_label, Builder, Follows, StageKind};
use super::layer_values::LayerValues;
use super::slots::{part_name, Part, Slots, Sum};
use crate::error::NetworkError;
use crate::graph::{Activation, Node, NodeId, Operator};
use crate::layout::{Affine, SlotPlace};

impl Builder<'_> {
    /// Computes a product of two values. Each needs a matrix unless a ciphertext holds it in the
    /// place.
    pub fn product(
        &mut self,
        id: NodeId,
        node: &Node,
        operands: [&Affine; 2],
    ) -> Result<Affine, NetworkError> {
        let mut wanted = operands.iter().find_map(|affine| self.layout_of(id, affine));
        let mut found = operands.map(|affine| self.in_places(affine, wanted.as_ref()?));
        let mut made = Slots::default();
        for place in 0..2 {
            if found[place].is_some() {
                continue;
            }
            let largest = operands[place].largest(|base| self.held[base].bound);
            // The divisor of each part is the requested factor of the other.
            let factor = |part: usize| {
                let other = found[1 - place].as_ref().map(|held| held[part].1);
                let wanted = self.source.groups.wanted(id).zip(other);
                let factor = wanted.map(|(wanted, other)| wanted / other);
                factor.unwrap_or(largest).max(f64::MIN_POSITIVE)
            };
            let affine = match &wanted {
                None => operands[place].times(1.0 / factor(0)),
                Some(layout) => {
                    let part = |(part, (range, _)): (usize, &(Range<usize>, SlotPlace))| {
                        operands[place].rows(range.clone()).times(1.0 / factor(part))
                    };
                    concat(&layout.iter().enumerate().map(part).collect::<Vec<_>>())
                }
            };
            let follows = Follows::Switches(1);
            let slots = self.affine(&node.name, &affine, id, follows, wanted.as_ref())?;
            let count = slots.ciphertexts();
            let mut names = (0..count).map(|place| part_name(&node.name, place, count));
            let held = |(place, part): (usize, &Part)| {
                let factor = factor(place);
                let bound = largest / factor;
                let names = names.by_ref().take(part.sums.len());
                let of_sum = |(sum, name): (&Sum, String)| sum.halves(bound, matrix_label(&name));
                let halves = part.sums.iter().zip(names).map(of_sum).collect();
                let (place, size) = (part.placed.place, part.range.len());
                let beside = part.beside;
                let empty = LayerValues {
                    ciphertexts: Vec::new(),
                    place,
                    size,
                    bound,
                    beside,
                    is_square: false,
                };
                (empty.with(halves, bound), factor)
            };
            found[place] = Some(slots.parts.iter().enumerate().map(held).collect());
            let layout = slots.parts.iter().map(|part| (part.range.clone(), part.placed.place));
            wanted.get_or_insert_with(|| layout.collect());
            made = slots;
        }
        let ([Some(a), Some(b)], Some(layout)) = (found, wanted) else {
            return Err(NetworkError::node(&node.name, "its values have no slots"));
        };
        self.settle(id, layout);
        let count = a.iter().map(|(held, _)| held.ciphertexts.len()).sum();
        self.stage_of(id, StageKind::Product, count, a[0].0.place.packing.gap(), &made);
        let mut names = (0..count).map(|place| part_name(&node.name, place, count));
        let is_square = node.inputs[0] == node.inputs[1];
        let product = |((a, factor_a), (b, factor_b)): ((LayerValues, f64), (LayerValues, f64))| {
            let pairs = a.halves().into_iter().zip(b.halves()).zip(&mut names);
            let of_ciphertext = |((a, b), name): ((Vec<Expression>, Vec<Expression>), String)| {
                let product = |(a, b): (Expression, Expression)| (a * b).labeled(name.as_str());
                a.into_iter().zip(b).map(product).collect()
            };
            let halves = pairs.map(of_ciphertext).collect();
            let (bound, beside) = (a.bound * b.bound, a.beside * b.beside);
            let held = LayerValues { beside, is_square, ..a }.with(halves, bound);
            self.hold(held, factor_a * factor_b)
        };
        let products: Vec<Affine> = a.into_iter().zip(b).map(product).collect();
        Ok(concat(&products))
    }

    /// Returns a sum, as ciphertexts if it needs no matrix, so that its users share one bootstrap.
    /// `most` is the known bound of its values.
    pub fn sum(&mut self, id: NodeId, sum: Affine, most: Option<f64>) -> Affine {
        let layout = self.layout_of(id, &sum);
        let Some(layout) = layout.filter(|layout| sum.terms.len() > layout.len()) else {
            return sum;
        };
        let Some(found) = self.in_places(&sum, &layout) else { return sum };
        let held = |(held, factor): (LayerValues, f64)| {
            let narrow = most.map(|most| held.bound.min((most / factor).max(held.beside)));
            let bound = narrow.unwrap_or(held.bound);
            let mut halves = held.halves();
            halves.iter_mut().flatten().for_each(|value| *value = value.between(-bound, bound));
            self.hold(held.with(halves, bound), factor)
        };
        concat(&found.into_iter().map(held).collect::<Vec<_>>())
    }

    /// Returns the bound of x + z·(y − x): z is a sigmoid's polynomial, from −e to 1 + e, so that
    /// |1 − z| + |z| ≤ 1 + 2·e.
    pub fn largest_blend(&self, sum: &Node, values: &[Option<Affine>]) -> Option<f64> {
        let graph = self.source.graph;
        let largest =
            |id: NodeId| Some(values[id.0].as_ref()?.largest(|base| self.held[base].bound));
        let both = |of: &Node| Some([*of.inputs.first()?, *of.inputs.get(1)?]);
        let of_product = |x: NodeId, product: NodeId| {
            let product = graph.node(product);
            let [a, b] = both(product).filter(|_| product.operator == Operator::Product)?;
            let of_gate = |gate: NodeId, change: NodeId| {
                let is_sigmoid =
                    graph.node(gate).operator == Operator::Activation(Activation::Sigmoid);
                let approximations = self.source.approximations.iter();
                let (_, found) =
                    approximations.clone().find(|(id, _)| is_sigmoid && *id == gate)?;
                let change = graph.node(change);
                let y = match (&change.operator, &change.inputs[..]) {
                    (Operator::Subtract, [y, from]) if *from == x => largest(*y)?,
                    (Operator::ChannelScale { factors, summands }, [from])
                        if *from == x && factors.iter().all(|factor| *factor == -1.0) =>
                    {
                        summands.iter().map(|y| y.abs()).fold(0.0, f64::max)
                    }
                    _ => return None,
                };
                Some((1.0 + 2.0 * found.largest_error) * largest(x)?.max(y))
            };
            of_gate(a, b).or_else(|| of_gate(b, a))
        };
        let [a, b] = both(sum).filter(|_| sum.operator == Operator::Add)?;
        of_product(a, b).or_else(|| of_product(b, a))
    }
}
