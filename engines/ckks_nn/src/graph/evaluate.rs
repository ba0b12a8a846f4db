// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Plaintext evaluation in f64: the oracle of all encrypted computations.

use super::activation::Activation;
use super::network::{Graph, Node, NodeId};
use super::operator::{Convolution, Linear, Operator};
use super::window::Window;
use crate::error::NetworkError;
use crate::post_processing::Answer;

impl Graph {
    /// Returns the network's values for an input, after post-processing.
    ///
    /// # Errors
    /// [`NetworkError::Input`] if the number of values is wrong.
    pub fn evaluate(&self, input: &[f64]) -> Result<Vec<f64>, NetworkError> {
        self.answer(input).map(|answer| answer.values)
    }

    /// Returns the network's values and labels for an input.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn answer(&self, input: &[f64]) -> Result<Answer, NetworkError> {
        Ok(self.answer_of(self.scores(input)?))
    }

    /// Returns the scores of an input: the values before post-processing.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn scores(&self, input: &[f64]) -> Result<Vec<f64>, NetworkError> {
        self.evaluate_with(input, |_, activation, values| {
            values.iter_mut().for_each(|x| *x = activation.value(*x));
        })
    }

    /// Returns the network's values and labels of scores.
    pub(crate) fn answer_of(&self, scores: Vec<f64>) -> Answer {
        match self.post_processing() {
            Some(of) => of.answer(&scores),
            None => Answer { values: scores, labels: Vec::new() },
        }
    }

    /// Returns the scores of an input, with `apply` instead of each activation.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn evaluate_with(
        &self,
        input: &[f64],
        mut apply: impl FnMut(NodeId, &Activation, &mut [f64]),
    ) -> Result<Vec<f64>, NetworkError> {
        let shape = self.input_shape();
        if input.len() != shape.size() {
            let (got, wanted) = (input.len(), shape.size());
            return Err(NetworkError::Input { got, wanted, shape: shape.to_string() });
        }
        let used = self.used();
        let mut values: Vec<Vec<f64>> = Vec::new();
        for (id, node) in self.nodes() {
            let operands: Vec<&[f64]> = node.inputs.iter().map(|of| &values[of.0][..]).collect();
            let value = match &node.operator {
                _ if !used[id.0] => Vec::new(),
                Operator::Input => input.to_vec(),
                Operator::Activation(activation) => {
                    let mut value = operands[0].to_vec();
                    apply(id, activation, &mut value);
                    value
                }
                _ => self.value(node, &operands),
            };
            values.push(value);
        }
        Ok(values.swap_remove(self.output().0))
    }

    fn value(&self, node: &Node, operands: &[&[f64]]) -> Vec<f64> {
        let a = operands[0];
        let [channels, height, width] = self.node(node.inputs[0]).shape.as_image();
        match &node.operator {
            Operator::Convolution(of) => convolution(of, a, [channels, height, width]),
            Operator::Linear(of) => {
                let columns = of.weights.len() / of.rows;
                a.chunks(columns).flat_map(|vector| linear(of, vector)).collect()
            }
            Operator::Sums(of) => {
                let sum = |row: &Vec<(u32, f64)>| {
                    of.constant + row.iter().map(|(place, x)| x * a[*place as usize]).sum::<f64>()
                };
                of.rows.iter().map(sum).collect()
            }
            Operator::ChannelScale { factors, summands } => {
                let each = a.len() / factors.len();
                let value =
                    |(place, x): (usize, &f64)| x * factors[place / each] + summands[place / each];
                a.iter().enumerate().map(value).collect()
            }
            Operator::AveragePool { window, counts_pads } => {
                let images = a.chunks(height * width);
                images
                    .flat_map(|image| pool(window, *counts_pads, image, [height, width]))
                    .collect()
            }
            Operator::GlobalAveragePool => {
                let mean = |image: &[f64]| image.iter().sum::<f64>() / image.len() as f64;
                a.chunks(height * width).map(mean).collect()
            }
            Operator::Add => a.iter().zip(operands[1]).map(|(a, b)| a + b).collect(),
            Operator::Subtract => a.iter().zip(operands[1]).map(|(a, b)| a - b).collect(),
            Operator::Product => a.iter().zip(operands[1]).map(|(a, b)| a * b).collect(),
            Operator::Select(of) => of.places.iter().map(|place| a[*place as usize]).collect(),
            Operator::Carried(of) => operands[of.which].to_vec(),
            Operator::Concat => operands.concat(),
            Operator::Input | Operator::Reshape(_) | Operator::Activation(_) => a.to_vec(),
        }
    }
}

fn convolution(of: &Convolution, a: &[f64], [channels, height, width]: [usize; 3]) -> Vec<f64> {
    let size = [height, width];
    let [before, after] = of.group_sizes(channels);
    let Ok([rows, columns]) = of.window.output(size) else { return Vec::new() };
    let places = rows * columns;
    let kernel: usize = of.window.kernel.iter().product();
    // For each element of the kernel, the places of the result that it adds to, and their sources.
    let moves: Vec<Vec<(usize, usize)>> = of
        .window
        .elements()
        .map(|element| {
            let source = |place: usize| {
                let source = of.window.source([place / columns, place % columns], element, size);
                source.map(|[row, column]| (place, row * width + column))
            };
            (0..places).filter_map(source).collect()
        })
        .collect();
    let mut result = Vec::with_capacity(of.channels * places);
    for channel in 0..of.channels {
        let first = channel / after * before;
        let mut sums = vec![of.bias.get(channel).copied().unwrap_or(0.0); places];
        let images = a[first * height * width..].chunks(height * width).take(before);
        for (within, image) in images.enumerate() {
            for (index, moves) in moves.iter().enumerate() {
                let weight = of.weights[(channel * before + within) * kernel + index];
                if weight != 0.0 {
                    moves.iter().for_each(|(to, from)| sums[*to] += weight * image[*from]);
                }
            }
        }
        result.extend(sums);
    }
    result
}

fn linear(of: &Linear, a: &[f64]) -> Vec<f64> {
    let product = |(row, weights): (usize, &[f64])| {
        let bias = of.bias.get(row).copied().unwrap_or(0.0);
        bias + weights.iter().zip(a).map(|(weight, x)| weight * x).sum::<f64>()
    };
    of.weights.chunks(a.len()).enumerate().map(product).collect()
}

fn pool(window: &Window, counts_pads: bool, image: &[f64], size: [usize; 2]) -> Vec<f64> {
    let Ok([rows, columns]) = window.output(size) else { return Vec::new() };
    let mean = |place: usize| {
        let place = [place / columns, place % columns];
        let sources = window.elements().filter_map(|of| window.source(place, of, size));
        let (mut sum, mut count) = (0.0, 0usize);
        for [row, column] in sources {
            sum += image[row * size[1] + column];
            count += 1;
        }
        let count = if counts_pads { window.kernel.iter().product() } else { count };
        sum / count as f64
    };
    (0..rows * columns).map(mean).collect()
}
