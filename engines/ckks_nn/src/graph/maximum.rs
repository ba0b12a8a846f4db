// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Maxima: max(a, b) = (a + b)/2 + |a − b|/2, so that only the absolute value is not linear.

use super::activation::Activation;
use super::network::{Graph, NodeId};
use super::operator::{Operator, Selection};
use super::shape::Shape;
use super::window::Window;
use crate::error::NetworkError;

impl Graph {
    /// Adds the nodes of the larger of two values in each place. The last node is the output.
    ///
    /// # Errors
    /// As [`Self::push`], for values of different shapes.
    pub fn push_maximum(
        &mut self,
        name: &str,
        a: NodeId,
        b: NodeId,
    ) -> Result<NodeId, NetworkError> {
        let difference = self.push(format!("{name}: difference"), Operator::Subtract, &[a, b])?;
        let absolute = Operator::Activation(Activation::Absolute);
        let absolute = self.push(name, absolute, &[difference])?;
        let sum = self.push(format!("{name}: sum"), Operator::Add, &[a, b])?;
        let both = self.push(format!("{name}: both"), Operator::Add, &[sum, absolute])?;
        let channels = self.node(both).shape.axes()[0];
        let (factors, summands) = (vec![0.5; channels], vec![0.0; channels]);
        let half = Operator::ChannelScale { factors, summands };
        self.push(format!("{name}: half"), half, &[both])
    }

    /// Adds the nodes of the largest value in each window. Padding does not count.
    ///
    /// Maxima of 1, 2, 4, … neighbors are computed from each other, so that a window of k columns
    /// needs ⌈log₂ k⌉ rounds, and rows likewise: each round is one maximum in all places of the
    /// image at once.
    ///
    /// # Errors
    /// [`NetworkError::Node`] for a value that is not an image, and for a window that has
    /// dilations, does not fit the image, or has places without a value.
    pub fn push_max_pool(
        &mut self,
        name: &str,
        window: &Window,
        input: NodeId,
    ) -> Result<NodeId, NetworkError> {
        let wrong = |reason: String| NetworkError::node(name, reason);
        let shape = self.node(input).shape.clone();
        let [channels, height, width] = shape.image().ok_or_else(|| {
            wrong(format!("expected an image of channels × height × width, got {shape}"))
        })?;
        window.check_pool("max", [height, width]).map_err(wrong)?;
        let Window { kernel, strides, pads, .. } = *window;
        // The image with its edge repeated in the padding: a value of every window that reaches
        // into it.
        let mut size = [height + pads[0] + pads[2], width + pads[1] + pads[3]];
        let within =
            |place: usize, pad: usize, most: usize| place.saturating_sub(pad).min(most - 1);
        let padded = |[channel, row, column]: [usize; 3]| {
            let (row, column) = (within(row, pads[0], height), within(column, pads[1], width));
            (channel * height + row) * width + column
        };
        let mut image = input;
        if size != [height, width] {
            let of = selection([channels, size[0], size[1]], padded)?;
            image = self.push(format!("{name}: edges"), of, &[image])?;
        }
        let output = window.output([height, width]).map_err(wrong)?;
        let steps: Vec<(usize, usize)> = [1, 0]
            .into_iter()
            .flat_map(|axis| doublings(kernel[axis]).map(move |by| (axis, by)))
            .collect();
        let mut before = size;
        for (round, (axis, by)) in steps.iter().enumerate() {
            let is_last = round + 1 == steps.len();
            size[*axis] -= by;
            let (result, stride) = if is_last { (output, strides) } else { (size, [1; 2]) };
            let [a, b] = [0, *by].map(|shift| {
                let mut shifts = [0; 2];
                shifts[*axis] = shift;
                selection([channels, result[0], result[1]], |[channel, row, column]| {
                    let row = row * stride[0] + shifts[0];
                    (channel * before[0] + row) * before[1] + column * stride[1] + shifts[1]
                })
            });
            let a = self.push(format!("{name}: round {}, first", round + 1), a?, &[image])?;
            let b = self.push(format!("{name}: round {}, second", round + 1), b?, &[image])?;
            let of_round = format!("{name}: round {}", round + 1);
            image = self.push_maximum(if is_last { name } else { &of_round }, a, b)?;
            before = size;
        }
        if steps.is_empty() {
            let strided = |[channel, row, column]: [usize; 3]| {
                (channel * size[0] + row * strides[0]) * size[1] + column * strides[1]
            };
            let of = selection([channels, output[0], output[1]], strided)?;
            image = self.push(name, of, &[image])?;
        }
        Ok(image)
    }
}

/// Returns the distances by which maxima of neighbors are moved in sequence, for `count` neighbors.
fn doublings(count: usize) -> impl Iterator<Item = usize> {
    let mut covered = 1;
    std::iter::from_fn(move || {
        let step = covered.min(count - covered);
        covered += step;
        (step > 0).then_some(step)
    })
}

/// Returns the selection of an image whose value in a place is that of another place.
fn selection(
    axes: [usize; 3],
    source: impl Fn([usize; 3]) -> usize,
) -> Result<Operator, NetworkError> {
    let shape = Shape::new(&axes)?;
    let [_, rows, columns] = axes;
    let place = |index: usize| {
        source([index / (rows * columns), index / columns % rows, index % columns]) as u32
    };
    let places = (0..shape.size()).map(place).collect();
    Ok(Operator::Select(Selection { places, shape }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doublings_cover_all_neighbors() {
        assert_eq!(doublings(1).count(), 0);
        for count in 2..40 {
            let steps: Vec<usize> = doublings(count).collect();
            assert_eq!(1 + steps.iter().sum::<usize>(), count);
            assert_eq!(steps.len() as u32, (count - 1).ilog2() + 1);
        }
    }
}
