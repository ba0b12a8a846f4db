// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Matrices on the last axis of a tensor: the same for each of its rows.

use super::import::Importer;
use super::moves::transposed;
use super::tensor::Constant;
use super::value::Computed;
use crate::error::NetworkError;
use crate::graph::{Convolution, Operator, Shape, Window};

impl Importer {
    /// Adds MatMul of a tensor and a constant matrix: a convolution of 1 × 1 on an image whose
    /// channels are the last axis.
    pub(super) fn row_by_row(
        &mut self,
        name: &str,
        a: &Computed,
        matrix: &Constant,
    ) -> Result<Computed, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, format!("MatMul: {reason}"));
        let [inner, columns] = matrix.axes[..] else {
            return Err(wrong(format!("its weights have {} axes, expected 2", matrix.axes.len())));
        };
        let Some((last, leading)) = a.axes.split_last().filter(|(last, _)| **last == inner) else {
            return Err(wrong(format!("{:?} and {:?} do not match", a.axes, matrix.axes)));
        };
        let rows: usize = leading.iter().product();
        let turned = |axes: [usize; 2]| transposed(&axes, Some(vec![1, 0])).map_err(wrong);
        let values = Computed { id: a.id, axes: vec![rows, *last] };
        let image = self.moved(name, &values, turned([rows, inner])?)?;
        let shape = Operator::Reshape(Shape::new(&[inner, rows, 1])?);
        let image = self.graph.push(name, shape, &[image.id])?;
        let weights = (0..columns * inner)
            .map(|place| matrix.values[place % inner * columns + place / inner])
            .collect();
        let (channels, groups, window, bias) = (columns, 1, Window::new([1, 1]), Vec::new());
        let layer = Convolution { channels, groups, window, weights, bias };
        let id = self.graph.push(name, Operator::Convolution(layer), &[image])?;
        let result = Computed { id, axes: vec![columns, rows] };
        let result = self.moved(name, &result, turned([columns, rows])?)?;
        self.computed(name, result.id, [leading, &[columns]].concat())
    }
}
