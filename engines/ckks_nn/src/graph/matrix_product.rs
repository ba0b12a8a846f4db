// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Products of two computed matrices.

use std::collections::{BTreeMap, BTreeSet};

use super::activation::Activation;
use super::network::{Graph, NodeId};
use super::operator::{Operator, Selection, Sums};
use super::shape::Shape;
use super::views::View;
use crate::error::NetworkError;

/// The approximate cost of a rotation in products with plaintexts.
const ROTATION: f64 = 16.0;

/// The sizes of products Aᵣ·Bᵣ of several pairs of matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixProduct {
    /// The number of pairs, such as the heads of an attention.
    pub count: usize,
    /// The rows of each A.
    pub rows: usize,
    /// The columns of each A, and the rows of each B.
    pub inner: usize,
    /// The columns of each B.
    pub columns: usize,
}

/// The index of a product in its matrices: pair, row, inner place, column.
type Index = [usize; 4];

impl MatrixProduct {
    fn sizes(&self) -> [usize; 4] {
        [self.count, self.rows, self.inner, self.columns]
    }

    /// Returns the places of the factors and of the sum of a product.
    fn places(&self, [pair, row, inner, column]: Index) -> [usize; 3] {
        [
            (pair * self.rows + row) * self.inner + inner,
            (pair * self.inner + inner) * self.columns + column,
            (pair * self.rows + row) * self.columns + column,
        ]
    }

    /// Returns all products in an order of their axes, the slowest first.
    fn products(self, order: [usize; 4]) -> impl Iterator<Item = Index> {
        let sizes = self.sizes();
        let size: usize = sizes.iter().product();
        (0..size).map(move |place| {
            let (mut index, mut rest) = ([0; 4], place);
            for axis in order.into_iter().rev() {
                index[axis] = rest % sizes[axis];
                rest /= sizes[axis];
            }
            index
        })
    }
}

/// The places of a factor's values.
struct Factor {
    view: View,
    /// The number of slots after which the values are assumed to repeat; `None` for values that are
    /// repeated in other places, of which the nearest is used.
    period: Option<usize>,
    /// The slot of each value of the view; empty without a period.
    slots: Vec<usize>,
}

impl Factor {
    fn new(graph: &Graph, id: NodeId) -> Self {
        let (repeated, values) = graph.repeated(id);
        if repeated != id {
            // Repeated values are chosen by their place.
            let view = View { source: repeated, places: values };
            return Self { view, period: None, slots: Vec::new() };
        }
        let view = graph.view(id);
        let used: BTreeSet<u32> = view.places.iter().copied().collect();
        let ranks: BTreeMap<u32, usize> = used.iter().copied().zip(0..).collect();
        let slots = view.places.iter().map(|place| ranks[place]).collect();
        let period = Some(used.len().next_power_of_two());
        Self { view, period, slots }
    }

    /// Returns the place in the source of each product's factor, in an order, and the number of
    /// diagonals of the matrix that brings it to the product.
    fn arranged(&self, factors: impl Iterator<Item = usize>) -> (Vec<u32>, usize) {
        let mut places = Vec::new();
        let mut diagonals = BTreeSet::new();
        if let Some(period) = self.period {
            for (product, value) in factors.enumerate() {
                places.push(self.view.places[value]);
                diagonals.insert((self.slots[value] + period - product % period) % period);
            }
            return (places, diagonals.len());
        }
        let mut of_value = BTreeMap::<u32, Vec<u32>>::new();
        for (place, value) in self.view.places.iter().enumerate() {
            of_value.entry(*value).or_default().push(place as u32);
        }
        let size = self.view.places.len();
        for (product, value) in factors.enumerate() {
            let all = of_value.get(&(value as u32)).map_or(&[][..], |all| all);
            // The product's own place, or the same one for all products.
            let own = all.iter().find(|place| **place as usize == product);
            let place = own.or(all.first()).copied().unwrap_or(0);
            places.push(place);
            diagonals.insert((place as usize + size - product % size) % size);
        }
        (places, diagonals.len())
    }
}

impl Graph {
    /// Adds the products of two lists of matrices, both computed. The result has the shape count ×
    /// rows × columns. Both factors are declared to lie in their calibrated ranges.
    ///
    /// Each of count·rows·inner·columns products has its own slot, and one product of ciphertexts
    /// computes all of them. If the first factor is a softmax that holds its values in these slots,
    /// its exponentials are multiplied by the second factor before they are divided by their sum:
    /// that product waits for no reciprocal, and needs two levels less. The order of the axes is
    /// the one in which moving both factors takes the fewest diagonals. The sums are computed in
    /// the slots of all their summands.
    ///
    /// # Errors
    /// As [`Self::push`], for factors of other sizes, and for more products than a tensor may have
    /// values.
    pub fn push_matrix_product(
        &mut self,
        name: &str,
        a: NodeId,
        b: NodeId,
        sizes: MatrixProduct,
    ) -> Result<NodeId, NetworkError> {
        let MatrixProduct { count, rows, inner, columns } = sizes;
        for (what, id, axes) in
            [("first", a, [count, rows, inner]), ("second", b, [count, inner, columns])]
        {
            let (got, wanted) = (self.node(id).shape.size(), Shape::new(&axes)?.size());
            if got != wanted {
                let reason = format!("its {what} factor has {got} values, expected {wanted}");
                return Err(NetworkError::node(name, reason));
            }
        }
        // More values are an error with the numbers.
        let all = Shape::new(&[count, rows, inner, columns])?;
        let factors = [a, b].map(|id| Factor::new(self, id));
        let cost = |order: &[usize; 4]| -> f64 {
            let of = |which: usize| {
                let products = sizes.products(*order);
                let (_, diagonals) =
                    factors[which].arranged(products.map(|index| sizes.places(index)[which]));
                diagonals as f64 + 2.0 * ROTATION * (diagonals as f64).sqrt()
            };
            of(0) + of(1)
        };
        let orders = orders();
        let costs = orders.iter().map(|order| (cost(order), *order));
        let best = costs.min_by(|(one, _), (other, _)| one.total_cmp(other));
        let order = best.map_or([0, 1, 2, 3], |(_, order)| order);
        let size = Shape::new(&[all.size()])?;
        let arranged = [0, 1].map(|which| {
            let products = sizes.products(order).map(|index| sizes.places(index)[which]);
            factors[which].arranged(products).0
        });
        let stays = |which: usize| {
            let size = self.node(factors[which].view.source).shape.size();
            arranged[which].iter().copied().eq(0..size as u32)
        };
        let softmax = self.softmax_of(factors[0].view.source).filter(|_| stays(0));
        let moves = [0, 1].map(|which| !stays(which));
        let mut wide = Vec::new();
        for (which, (factor, places)) in factors.iter().zip(arranged).enumerate() {
            if let (0, Some(softmax)) = (which, &softmax) {
                wide.push(softmax.exponential);
                continue;
            }
            let part = format!("{name}: {}", ["first factor", "second factor"][which]);
            let mut id = factor.view.source;
            if moves[which] {
                let moved = Operator::Select(Selection { places, shape: size.clone() });
                id = self.push(part.as_str(), moved, &[id])?;
            }
            if let Some(factors) = softmax.as_ref().and_then(|softmax| softmax.factors.clone()) {
                let summands = vec![0.0; factors.len()];
                let flat = self.push(part.as_str(), Operator::Reshape(size.clone()), &[id])?;
                let scaled = Operator::ChannelScale { factors, summands };
                id = self.push(part.as_str(), scaled, &[flat])?;
            }
            wide.push(self.push(part, Operator::Activation(Activation::Declared), &[id])?);
        }
        let mut products = self.push(format!("{name}: products"), Operator::Product, &wide)?;
        if let Some(Softmax { reciprocal, .. }) = softmax {
            let both = [products, reciprocal];
            products = self.push(format!("{name}: quotients"), Operator::Product, &both)?;
        }
        let sums: Vec<u32> =
            sizes.products(order).map(|index| sizes.places(index)[2] as u32).collect();
        let shape = Shape::new(&[count, rows, columns])?;
        let mut summands = vec![Vec::new(); shape.size()];
        for (place, sum) in sums.iter().enumerate() {
            summands[*sum as usize].push((place as u32, 1.0));
        }
        let rows = sums.iter().map(|sum| summands[*sum as usize].clone()).collect();
        let all = Operator::Sums(Sums { rows, constant: 0.0, shape: size });
        let all = self.push(format!("{name}: sums"), all, &[products])?;
        self.push_view(name, all, sums, shape)
    }

    /// Returns the parts of a softmax, from the node that holds its values.
    fn softmax_of(&self, id: NodeId) -> Option<Softmax> {
        let node = self.node(id);
        let is = |id: NodeId, wanted: fn(&Activation) -> bool| matches!(&self.node(id).operator, Operator::Activation(of) if wanted(of));
        match (&node.operator, &node.inputs[..]) {
            (Operator::Product, [exponential, reciprocal])
                if is(*exponential, |of| *of == Activation::Exponential)
                    && is(*reciprocal, |of| matches!(of, Activation::Reciprocal { .. })) =>
            {
                Some(Softmax { exponential: *exponential, reciprocal: *reciprocal, factors: None })
            }
            (Operator::ChannelScale { factors, summands }, [quotient])
                if summands.iter().all(|summand| *summand == 0.0) =>
            {
                let softmax = self.softmax_of(*quotient).filter(|of| of.factors.is_none())?;
                let is_each = factors.len() == node.shape.size();
                is_each.then(|| Softmax { factors: Some(factors.clone()), ..softmax })
            }
            _ => None,
        }
    }
}

/// The parts of a softmax: exponentials times reciprocals times numbers.
struct Softmax {
    exponential: NodeId,
    reciprocal: NodeId,
    /// The numbers of its values; `None` for ones.
    factors: Option<Vec<f64>>,
}

/// Returns all orders of four axes.
fn orders() -> Vec<[usize; 4]> {
    let mut found = Vec::new();
    for code in 0..4usize.pow(4) {
        let order = [code / 64, code / 16 % 4, code / 4 % 4, code % 4];
        if (0..4).all(|axis| order.contains(&axis)) {
            found.push(order);
        }
    }
    found
}
