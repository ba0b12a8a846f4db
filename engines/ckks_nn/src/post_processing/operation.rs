// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The operations of post-processing on flat vectors.

use super::answer::Label;
use crate::graph::sigmoid;

/// The divisor of a normalization (ONNX, ai.onnx.ml, Normalizer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    /// The sum of absolute values.
    Sum,
    /// The square root of the sum of squares.
    Euclidean,
    /// The largest value.
    Largest,
}

/// An operation. Rows have `width` consecutive values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    /// 1/(1 + e⁻ˣ) of each value.
    Sigmoid,
    /// tanh x of each value.
    Tanh,
    /// eˣ of each value, divided by their sum in the row; or the logarithm of that.
    Softmax { width: usize, is_logarithm: bool },
    /// The place of the largest value of each row: the first one of equals, or the last.
    ArgMax { width: usize, is_last: bool },
    /// 1 for each value above the threshold, or not below it; otherwise 0.
    Above { threshold: f64, or_equal: bool },
    /// Each row divided by its norm, unless that is 0.
    Normalize { width: usize, norm: Norm },
    /// Each value times its factor, plus its summand. A single factor or summand is for all.
    Affine { factors: Vec<f64>, summands: Vec<f64> },
    /// Some of the values, in any order.
    Select(Vec<u32>),
    /// All values of its inputs.
    Concat,
    /// The names of places.
    Labels(Vec<Label>),
}

/// The content of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// Numbers.
    Numbers,
    /// Places of classes, below this number.
    Places(usize),
    /// Places in the table of this step.
    Labels(usize),
}

impl Operation {
    /// Returns the name in reports and errors.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sigmoid => "sigmoid",
            Self::Tanh => "tanh",
            Self::Softmax { is_logarithm: false, .. } => "softmax",
            Self::Softmax { .. } => "log-softmax",
            Self::ArgMax { .. } => "argmax",
            Self::Above { .. } => "threshold",
            Self::Normalize { .. } => "normalization",
            Self::Affine { .. } => "scaling",
            Self::Select(_) => "selection",
            Self::Concat => "concatenation",
            Self::Labels(_) => "labels",
        }
    }

    /// Returns the length and the content of the result of step `step`.
    ///
    /// # Errors
    /// A description of the error.
    pub fn check(
        &self,
        step: usize,
        inputs: &[(usize, Content)],
    ) -> Result<(usize, Content), String> {
        let name = self.name();
        if inputs.len() != 1 && *self != Self::Concat {
            return Err(format!("a {name} of {} inputs", inputs.len()));
        }
        let Some(&(length, content)) = inputs.first() else {
            return Err("a concatenation of nothing".to_owned());
        };
        let rows = |width: usize| match width {
            1.. if length.is_multiple_of(width) => Ok(length / width),
            _ => Err(format!("a {name} of rows of {width} in {length} values")),
        };
        let takes_labels = matches!(self, Self::Select(_) | Self::Labels(_));
        if !takes_labels && content != Content::Numbers {
            return Err(format!("a {name} of labels"));
        }
        match self {
            Self::Sigmoid | Self::Tanh => Ok((length, content)),
            Self::Softmax { width, .. } | Self::Normalize { width, .. } => {
                rows(*width).map(|_| (length, content))
            }
            Self::ArgMax { width, .. } => rows(*width).map(|rows| (rows, Content::Places(*width))),
            Self::Above { threshold, .. } => match threshold.is_finite() {
                true => Ok((length, Content::Places(2))),
                false => Err(format!("a threshold of {threshold}")),
            },
            Self::Affine { factors, summands } => {
                let fits = |of: &[f64]| of.len() == 1 || of.len() == length;
                let is_finite = factors.iter().chain(summands).all(|value| value.is_finite());
                match fits(factors) && fits(summands) && is_finite {
                    true => Ok((length, content)),
                    false => Err(format!(
                        "{} factors and {} summands, which must be finite, for {length} values",
                        factors.len(),
                        summands.len()
                    )),
                }
            }
            Self::Select(places) => {
                match places.is_empty() || places.iter().any(|of| *of as usize >= length) {
                    true => Err(format!("a selection of places that {length} values do not have")),
                    false => Ok((places.len(), content)),
                }
            }
            Self::Concat => match inputs.iter().all(|(_, of)| *of == Content::Numbers) {
                true => {
                    let sum = inputs.iter().fold(0usize, |sum, (of, _)| sum.saturating_add(*of));
                    Ok((sum, content))
                }
                false => Err("a concatenation of labels".to_owned()),
            },
            Self::Labels(table) => match content {
                Content::Places(most) if most <= table.len() => Ok((length, Content::Labels(step))),
                Content::Places(most) => {
                    Err(format!("a table of {} labels for {most} classes", table.len()))
                }
                _ => Err("labels of values that are not places of classes".to_owned()),
            },
        }
    }

    /// Returns the result. Labels stay places in their table.
    pub fn value(&self, inputs: &[&[f64]]) -> Vec<f64> {
        let a = inputs.first().copied().unwrap_or_default();
        match self {
            Self::Sigmoid => a.iter().map(|x| sigmoid(*x)).collect(),
            Self::Tanh => a.iter().map(|x| x.tanh()).collect(),
            Self::Softmax { width, is_logarithm } => {
                a.chunks(*width).flat_map(|row| softmax(row, *is_logarithm)).collect()
            }
            Self::ArgMax { width, is_last } => {
                a.chunks(*width).map(|row| largest(row, *is_last) as f64).collect()
            }
            Self::Above { threshold, or_equal } => {
                let is_above = |x: f64| x > *threshold || (*or_equal && x == *threshold);
                a.iter().map(|x| f64::from(u8::from(is_above(*x)))).collect()
            }
            Self::Normalize { width, norm } => {
                a.chunks(*width).flat_map(|row| normalized(row, *norm)).collect()
            }
            Self::Affine { factors, summands } => {
                let of = |all: &[f64], place: usize| all[if all.len() == 1 { 0 } else { place }];
                let value =
                    |(place, x): (usize, &f64)| x * of(factors, place) + of(summands, place);
                a.iter().enumerate().map(value).collect()
            }
            Self::Select(places) => places.iter().map(|place| a[*place as usize]).collect(),
            Self::Concat => inputs.concat(),
            Self::Labels(_) => a.to_vec(),
        }
    }
}

/// Returns the softmax of a row, whose largest value is subtracted first so that no exponential
/// overflows.
fn softmax(row: &[f64], is_logarithm: bool) -> Vec<f64> {
    let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = row.iter().map(|x| (x - most).exp()).sum();
    row.iter()
        .map(|x| match is_logarithm {
            true => x - most - sum.ln(),
            false => (x - most).exp() / sum,
        })
        .collect()
}

fn largest(row: &[f64], is_last: bool) -> usize {
    let better = |x: f64, than: f64| x > than || (is_last && x >= than);
    let places = 1..row.len();
    places.fold(0, |best, place| if better(row[place], row[best]) { place } else { best })
}

fn normalized(row: &[f64], norm: Norm) -> Vec<f64> {
    let by = match norm {
        Norm::Sum => row.iter().map(|x| x.abs()).sum(),
        Norm::Euclidean => row.iter().map(|x| x * x).sum::<f64>().sqrt(),
        Norm::Largest => row.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    };
    let by: f64 = if by == 0.0 { 1.0 } else { by };
    row.iter().map(|x| x / by).collect()
}
