// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Layers along the last axis of a tensor: the same for each of its vectors.

use super::import::Importer;
use super::messages::NodeMessage;
use super::moves::{axis_of, broadcast, broadcast_to, Move};
use super::tensor::Constant;
use super::value::Computed;
use crate::error::NetworkError;
use crate::graph::{LayerNormalization, Linear, MatrixProduct, Operator, Selection, Shape};

/// The default of ONNX's LayerNormalization.
const EPSILON: f32 = 1e-5;

impl Importer {
    /// Adds a layer on each vector along the last axis of a tensor.
    ///
    /// A matrix whose columns are two or more times its rows is divided into square blocks, whose
    /// results follow each other: each is as cheap as the first, since its values stay near their
    /// sources.
    pub(super) fn row_by_row(
        &mut self,
        name: &str,
        kind: &str,
        a: &Computed,
        layer: &Linear,
    ) -> Result<Computed, NetworkError> {
        let columns = layer.rows;
        let inner = layer.weights.len().checked_div(columns).unwrap_or(0);
        let Some((_, leading)) = a.axes.split_last().filter(|(last, _)| **last == inner) else {
            let reason = format!("{kind}: {:?} and {:?} do not match", a.axes, [inner, columns]);
            return Err(NetworkError::node(name, reason));
        };
        let vectors: usize = leading.iter().product();
        let shape = Operator::Reshape(Shape::new(&[vectors, inner])?);
        let values = self.graph.push(name, shape, &[a.id])?;
        let width = match vectors > 1 && columns > inner && columns.is_multiple_of(inner) {
            true => inner,
            false => columns,
        };
        let mut blocks = Vec::new();
        for first in (0..columns).step_by(width) {
            let weights = layer.weights[first * inner..(first + width) * inner].to_vec();
            let bias = layer.bias.get(first..first + width).unwrap_or_default().to_vec();
            let layer = Linear { rows: width, weights, bias };
            blocks.push(self.graph.push(name, Operator::Linear(layer), &[values])?);
        }
        let axes = [leading, &[columns]].concat();
        if let [only] = blocks[..] {
            return self.computed(name, only, axes);
        }
        let all = self.graph.push(name, Operator::Concat, &blocks)?;
        let place = |place: usize| {
            let (vector, column) = (place / columns, place % columns);
            ((column / width * vectors + vector) * width + column % width) as u32
        };
        let places = (0..vectors * columns).map(place).collect();
        let shape = Shape::new(&[vectors * columns])?;
        let id = self.graph.push(name, Operator::Select(Selection { places, shape }), &[all])?;
        self.computed(name, id, axes)
    }

    /// Adds MatMul of two computed tensors (ONNX, MatMul, as numpy.matmul).
    pub(super) fn computed_product(
        &mut self,
        name: &str,
        a: &Computed,
        b: &Computed,
    ) -> Result<Computed, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, format!("MatMul: {reason}"));
        let mismatch = || wrong(format!("{:?} and {:?} do not match", a.axes, b.axes));
        let ([of_a @ .., rows, inner], [of_b @ .., other, columns]) = (&a.axes[..], &b.axes[..])
        else {
            return Err(wrong("products of encrypted vectors need two axes".to_owned()));
        };
        if inner != other {
            return Err(mismatch());
        }
        let leading = broadcast(of_a, of_b).map_err(|_| mismatch())?;
        let whole = |own: &Computed, last: [usize; 2]| -> Result<Move, String> {
            broadcast_to(&own.axes, &[&leading[..], &last].concat())
        };
        let a = self.moved(name, a, whole(a, [*rows, *inner]).map_err(wrong)?)?;
        let b = self.moved(name, b, whole(b, [*inner, *columns]).map_err(wrong)?)?;
        let (count, rows, inner, columns) = (leading.iter().product(), *rows, *inner, *columns);
        let sizes = MatrixProduct { count, rows, inner, columns };
        let id = self.graph.push_matrix_product(name, a.id, b.id, sizes)?;
        self.computed(name, id, [&leading[..], &[rows, columns]].concat())
    }

    /// Adds Softmax along the last axis, with the mask that was added before.
    pub(super) fn softmax(
        &mut self,
        name: &str,
        node: &NodeMessage,
        a: &Computed,
    ) -> Result<Computed, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, format!("Softmax: {reason}"));
        if self.version < 13 {
            let reason = "within a network, it is supported from version 13 of ONNX's operators";
            return Err(wrong(reason.to_owned()));
        }
        let axis = axis_of(node.int("axis", -1), a.axes.len()).map_err(wrong)?;
        if axis + 1 != a.axes.len() {
            return Err(wrong(format!(
                "within a network, it is only supported along the last axis, not along axis {axis} \
                 of {:?}: transpose its input",
                a.axes
            )));
        }
        let id = match self.graph.node(a.id).shape.axes().last() == Some(&a.axes[axis]) {
            true => a.id,
            false => {
                let size = self.graph.node(a.id).shape.size();
                let shape = Shape::new(&[size / a.axes[axis], a.axes[axis]])?;
                self.graph.push(name, Operator::Reshape(shape), &[a.id])?
            }
        };
        let mask = self.masks.get(&a.id).cloned();
        let id = self.graph.push_softmax(name, id, mask.as_deref())?;
        self.computed(name, id, a.axes.clone())
    }

    /// Adds LayerNormalization over the last axes.
    pub(super) fn layer_normalization(
        &mut self,
        name: &str,
        node: &NodeMessage,
        a: &Computed,
        constants: &[Option<&Constant>],
    ) -> Result<Computed, NetworkError> {
        let wrong =
            |reason: String| NetworkError::node(name, format!("LayerNormalization: {reason}"));
        let axis = axis_of(node.int("axis", -1), a.axes.len()).map_err(wrong)?;
        let count: usize = a.axes[axis..].iter().product();
        let given = |place: usize, what: &str| match constants.get(place).copied().flatten() {
            None => Ok(None),
            Some(of) if of.values.len() == count => Ok(Some(of.values.clone())),
            Some(of) => {
                Err(wrong(format!("its {what} has {} numbers, expected {count}", of.values.len())))
            }
        };
        if node.outputs.iter().skip(1).any(|output| !output.is_empty()) {
            return Err(wrong("its mean and deviation are not supported as outputs".to_owned()));
        }
        let scale = given(0, "scale")?.ok_or_else(|| wrong("it has no scale".to_owned()))?;
        let bias = given(1, "bias")?.unwrap_or_default();
        let epsilon = node.float("epsilon", EPSILON);
        let of = LayerNormalization { scale, bias, epsilon };
        let id = self.graph.push_layer_normalization(name, a.id, &of)?;
        Ok(Computed { id, axes: a.axes.clone() })
    }
}
