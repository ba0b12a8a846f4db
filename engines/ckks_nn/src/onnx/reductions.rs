// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sums and means along axes.

use super::import::Importer;
use super::messages::NodeMessage;
use super::moves::{axis_of, transposed, Move};
use super::tensor::Constant;
use super::value::Computed;
use crate::error::NetworkError;
use crate::graph::{Operator, Shape};

/// A reduction of some axes of its input.
struct Reduction {
    /// The values in an order in which the summands of each sum are consecutive.
    ordered: Move,
    /// The number of summands of each sum.
    count: usize,
    /// The axes of the result.
    axes: Vec<usize>,
}

impl Importer {
    /// Adds ReduceMean or ReduceSum: means of channels, for values in an order that makes them
    /// channels.
    pub(super) fn reduced(
        &mut self,
        name: &str,
        kind: &str,
        node: &NodeMessage,
        a: &Computed,
        along: Option<&Constant>,
    ) -> Result<Computed, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, format!("{kind}: {reason}"));
        let Some(Reduction { ordered, count, axes }) =
            reduction(node, &a.axes, along).map_err(wrong)?
        else {
            return Ok(a.clone());
        };
        let ordered = self.moved(name, a, ordered)?;
        let sums = self.graph.node(ordered.id).shape.size() / count;
        let rows = Operator::Reshape(Shape::new(&[sums, count, 1])?);
        let rows = self.graph.push(name, rows, &[ordered.id])?;
        let mut id = self.graph.push(name, Operator::GlobalAveragePool, &[rows])?;
        if kind == "ReduceSum" {
            let (factors, summands) = (vec![count as f64; sums], vec![0.0; sums]);
            id = self.graph.push(name, Operator::ChannelScale { factors, summands }, &[id])?;
        }
        self.computed(name, id, axes)
    }
}

/// Returns the reduction of a node; `None` if it leaves its input unchanged.
fn reduction(
    node: &NodeMessage,
    axes: &[usize],
    along: Option<&Constant>,
) -> Result<Option<Reduction>, String> {
    let given = match along {
        Some(constant) => constant.integers().ok_or("its axes are not integers")?,
        None => node.ints("axes").unwrap_or_default(),
    };
    if given.is_empty() && node.int("noop_with_empty_axes", 0) != 0 {
        return Ok(None);
    }
    let mut is_reduced = vec![given.is_empty(); axes.len()];
    for axis in given {
        let axis = axis_of(axis, axes.len())?;
        if std::mem::replace(&mut is_reduced[axis], true) {
            return Err(format!("axis {axis} is named twice"));
        }
    }
    let (reduced, kept): (Vec<usize>, Vec<usize>) =
        (0..axes.len()).partition(|axis| is_reduced[*axis]);
    let count = reduced.iter().map(|axis| axes[*axis]).product();
    let order: Vec<i64> = kept.iter().chain(&reduced).map(|axis| *axis as i64).collect();
    let ordered = match order.is_sorted() {
        true => Move::of_shape(axes.to_vec()),
        false => transposed(axes, Some(order)),
    }?;
    let result = match node.int("keepdims", 1) {
        0 => kept.iter().map(|axis| axes[*axis]).collect(),
        _ => (0..axes.len()).map(|axis| if is_reduced[axis] { 1 } else { axes[axis] }).collect(),
    };
    Ok(Some(Reduction { ordered, count, axes: result }))
}
