// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Operators as matrices and constants.

use super::matrix::Matrix;
use crate::graph::{Convolution, Operator, Shape, Window};

/// Returns the matrix of an operator on values of a shape, and its constants. Operators without a
/// matrix return the identity.
pub fn matrix_of(operator: &Operator, shape: &Shape) -> (Matrix, Vec<f64>) {
    let [channels, height, width] = shape.as_image();
    match operator {
        Operator::Convolution(of) => convolution(of, [channels, height, width]),
        Operator::Linear(of) => {
            let row = |weights: &[f64]| {
                let columns = weights.iter().enumerate();
                columns.map(|(column, weight)| (column as u32, *weight)).collect()
            };
            let each: Vec<Vec<(u32, f64)>> =
                of.weights.chunks(of.weights.len() / of.rows).map(row).collect();
            let columns = of.weights.len() / of.rows;
            let vectors = shape.size() / columns;
            let of_vector = |vector: usize| {
                let first = (vector * columns) as u32;
                let moved = move |terms: &Vec<(u32, f64)>| {
                    terms.iter().map(|(column, x)| (first + column, *x)).collect()
                };
                each.iter().map(moved)
            };
            let rows = (0..vectors).flat_map(of_vector).collect();
            (Matrix::new(rows), or_zeros(&of.bias, of.rows).repeat(vectors))
        }
        Operator::Sums(of) => (Matrix::new(of.rows.clone()), vec![of.constant; of.rows.len()]),
        Operator::ChannelScale { factors, summands } => {
            let each = shape.size() / factors.len();
            let row = |place: usize| vec![(place as u32, factors[place / each])];
            let rows = (0..shape.size()).map(row).collect();
            let constants = (0..shape.size()).map(|place| summands[place / each]).collect();
            (Matrix::new(rows), constants)
        }
        Operator::AveragePool { window, counts_pads } => {
            pool(window, *counts_pads, [channels, height, width])
        }
        Operator::GlobalAveragePool => {
            let each = height * width;
            let row = |channel: usize| {
                let places = channel * each..(channel + 1) * each;
                places.map(|place| (place as u32, 1.0 / each as f64)).collect()
            };
            (Matrix::new((0..channels).map(row).collect()), vec![0.0; channels])
        }
        Operator::Select(of) => {
            let rows = of.places.iter().map(|place| vec![(*place, 1.0)]);
            (Matrix::new(rows.collect()), vec![0.0; of.places.len()])
        }
        Operator::Input
        | Operator::Add
        | Operator::Subtract
        | Operator::Product
        | Operator::Carried(_)
        | Operator::Concat
        | Operator::Reshape(_)
        | Operator::Activation(_) => {
            (Matrix::scaled_identity(shape.size(), 1.0), vec![0.0; shape.size()])
        }
    }
}

fn convolution(of: &Convolution, [channels, height, width]: [usize; 3]) -> (Matrix, Vec<f64>) {
    let Ok([rows, columns]) = of.window.output([height, width]) else {
        return (Matrix::new(Vec::new()), Vec::new());
    };
    let [before, after] = of.group_sizes(channels);
    let kernel: usize = of.window.kernel.iter().product();
    let row = |result: usize| {
        let (channel, place) = (result / (rows * columns), result % (rows * columns));
        let (place, group) = ([place / columns, place % columns], channel / after);
        let mut terms = Vec::with_capacity(before * kernel);
        for within in 0..before {
            let image = (group * before + within) * height * width;
            for (index, element) in of.window.elements().enumerate() {
                let source = of.window.source(place, element, [height, width]);
                let Some([row, column]) = source else { continue };
                let weight = of.weights[(channel * before + within) * kernel + index];
                terms.push(((image + row * width + column) as u32, weight));
            }
        }
        terms
    };
    let bias = or_zeros(&of.bias, of.channels);
    let constants = (0..of.channels * rows * columns).map(|place| bias[place / (rows * columns)]);
    let matrix = Matrix::new((0..of.channels * rows * columns).map(row).collect());
    (matrix, constants.collect())
}

fn pool(
    window: &Window,
    counts_pads: bool,
    [channels, height, width]: [usize; 3],
) -> (Matrix, Vec<f64>) {
    let Ok([rows, columns]) = window.output([height, width]) else {
        return (Matrix::new(Vec::new()), Vec::new());
    };
    let row = |result: usize| {
        let (channel, place) = (result / (rows * columns), result % (rows * columns));
        let place = [place / columns, place % columns];
        let sources = window.elements().filter_map(|of| window.source(place, of, [height, width]));
        let places: Vec<usize> =
            sources.map(|[row, column]| (channel * height + row) * width + column).collect();
        let count = if counts_pads { window.kernel.iter().product() } else { places.len() };
        places.into_iter().map(|place| (place as u32, 1.0 / count as f64)).collect()
    };
    let size = channels * rows * columns;
    (Matrix::new((0..size).map(row).collect()), vec![0.0; size])
}

fn or_zeros(bias: &[f64], count: usize) -> Vec<f64> {
    if bias.is_empty() {
        return vec![0.0; count];
    }
    bias.to_vec()
}
