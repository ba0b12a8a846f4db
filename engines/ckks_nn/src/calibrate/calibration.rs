// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ranges and histograms of the arguments of activations.

use std::collections::BTreeMap;

use super::histogram::Histogram;
use crate::error::NetworkError;
use crate::graph::{Graph, NodeId};

/// The factor by which an interval is wider than the range of the samples. With 1.5 instead, one
/// image of a hundred left its interval in a residual network of 20 layers, and the result was
/// meaningless.
const MARGIN: f64 = 2.0;

/// The smallest radius of an interval, relative to the size of the values: low levels have no room
/// for matrices whose values are divided by a smaller radius.
const LEAST_RADIUS: f64 = 1e-3;

/// The relative rounding error by which an argument may fall below its lower bound.
const ROUNDING: f64 = 1e-9;

/// The range of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
}

/// The properties of a network in sample inputs.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    margin: f64,
    input: Range,
    output: Range,
    activations: BTreeMap<NodeId, (Range, Histogram)>,
    /// The lower bounds of the arguments of functions that are not defined everywhere.
    least: BTreeMap<NodeId, f64>,
}

impl Calibration {
    /// Evaluates a network on samples. Intervals get a margin of 2.
    ///
    /// # Errors
    /// [`NetworkError::Calibration`] for an empty list of samples or a value that is not finite,
    /// [`NetworkError::Input`].
    pub fn new(graph: &Graph, samples: &[Vec<f64>]) -> Result<Self, NetworkError> {
        Self::with_margin(graph, samples, MARGIN)
    }

    /// As [`Self::new`], with intervals whose radius is `margin` times that of the samples' range.
    ///
    /// # Errors
    /// As [`Self::new`], and for a margin that is not from 1 to 1,000.
    pub fn with_margin(
        graph: &Graph,
        samples: &[Vec<f64>],
        margin: f64,
    ) -> Result<Self, NetworkError> {
        if !(1.0..=1000.0).contains(&margin) {
            let reason = format!("the margin is {margin}, expected 1 to 1000");
            return Err(NetworkError::Calibration { reason });
        }
        let (mut input, mut output) = (Range::EMPTY, Range::EMPTY);
        let mut ranges: BTreeMap<NodeId, Range> = BTreeMap::new();
        for sample in samples {
            input.extend(sample);
            let values = graph.evaluate_with(sample, |id, activation, values| {
                let id = graph.calibrated_as(id);
                ranges.entry(id).or_insert(Range::EMPTY).extend(values);
                values.iter_mut().for_each(|x| *x = activation.value(*x));
            })?;
            output.extend(&values);
        }
        if samples.is_empty() {
            let reason = "no samples: give at least one input".to_owned();
            return Err(NetworkError::Calibration { reason });
        }
        let mut least = BTreeMap::new();
        for (id, activation) in graph.activations() {
            let low = ranges.get(&graph.calibrated_as(id)).map(|range| range.low);
            let Some((bound, low)) = activation.least().zip(low) else { continue };
            if low <= 0.0 || low < bound * (1.0 - ROUNDING) {
                let (name, function) = (&graph.node(id).name, activation.name());
                let reason = format!(
                    "an argument of the {function} at {name} is {low}, expected numbers above 0 and \
                     at least {bound}"
                );
                return Err(NetworkError::Calibration { reason });
            }
            least.insert(id, bound);
        }
        let named = ranges.iter().map(|(id, range)| (graph.node(*id).name.as_str(), range));
        for (name, range) in named.chain([("input", &input), ("output", &output)]) {
            if !(range.low.is_finite() && range.high.is_finite()) {
                let reason = format!("the values at {name} are not finite");
                return Err(NetworkError::Calibration { reason });
            }
        }
        let with_histogram = |(id, range): (NodeId, Range)| {
            let wide = range.widened(1.0);
            (id, (range, Histogram::new(wide.low, wide.high)))
        };
        let mut activations: BTreeMap<NodeId, (Range, Histogram)> =
            ranges.into_iter().map(with_histogram).collect();
        for sample in samples {
            graph.evaluate_with(sample, |id, activation, values| {
                let id = graph.calibrated_as(id);
                let histogram = activations.get_mut(&id).map(|(_, histogram)| histogram);
                if let Some(histogram) = histogram {
                    values.iter().for_each(|value| histogram.add(*value));
                }
                values.iter_mut().for_each(|x| *x = activation.value(*x));
            })?;
        }
        for (id, _) in graph.activations() {
            if let Some(found) = activations.get(&graph.calibrated_as(id)).cloned() {
                activations.insert(id, found);
            }
        }
        Ok(Self { margin, input, output, activations, least })
    }

    /// Returns the margin.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Returns the declared interval of inputs, which contains the samples with the margin.
    pub fn input(&self) -> Range {
        self.input.widened(self.margin)
    }

    /// Returns the range of the network's values in the samples.
    pub fn output(&self) -> Range {
        self.output
    }

    /// Returns the range of an activation's arguments in the samples.
    pub fn range(&self, of: NodeId) -> Option<Range> {
        self.activations.get(&of).map(|(range, _)| *range)
    }

    /// Returns the interval of an activation's arguments, with the margin. The interval of a
    /// function of positive numbers stays positive: from the smallest argument over the square of
    /// the margin, or the proven bound of the arguments if that is larger, to the largest times the
    /// margin.
    pub fn interval(&self, of: NodeId) -> Option<Range> {
        let (range, margin) = (self.range(of)?, self.margin);
        Some(match self.least.get(&of) {
            None => range.widened(margin),
            Some(least) => {
                let low = least.max(range.low / (margin * margin));
                Range { low, high: (range.high * margin).max(low * (1.0 + LEAST_RADIUS)) }
            }
        })
    }

    /// Returns the interval around 0, with the margin, of the arguments of an even or odd function,
    /// whose polynomial is then even or odd too. `None` if the arguments stay on one side of 0:
    /// [`Self::interval`] is smaller.
    pub fn interval_around_zero(&self, of: NodeId) -> Option<Range> {
        let has_zero = |interval: &Range| interval.low <= 0.0 && interval.high >= 0.0;
        self.interval(of).filter(has_zero)?;
        self.range(of).map(|range| range.around_zero().widened(self.margin))
    }

    /// Returns the histogram of an activation's arguments.
    pub fn histogram(&self, of: NodeId) -> Option<&Histogram> {
        self.activations.get(&of).map(|(_, histogram)| histogram)
    }
}

impl Range {
    const EMPTY: Self = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };

    fn extend(&mut self, values: &[f64]) {
        for value in values {
            // A NaN must not be lost.
            if value.is_nan() {
                self.high = f64::NAN;
            }
            self.low = self.low.min(*value);
            self.high = if self.high.is_nan() { f64::NAN } else { self.high.max(*value) };
        }
    }

    /// Returns the smallest interval around 0 that contains the range.
    pub(crate) fn around_zero(self) -> Self {
        Self { low: -self.magnitude(), high: self.magnitude() }
    }

    /// Returns the same middle with another radius, which is not 0.
    fn widened(self, margin: f64) -> Self {
        let (middle, radius) = (self.middle(), self.radius() * margin);
        let radius = radius.max(LEAST_RADIUS * middle.abs().max(1.0));
        Self { low: middle - radius, high: middle + radius }
    }

    /// Returns the middle of both ends.
    pub fn middle(self) -> f64 {
        self.low / 2.0 + self.high / 2.0
    }

    /// Returns half of the width.
    pub fn radius(self) -> f64 {
        self.high / 2.0 - self.low / 2.0
    }

    /// Returns the largest absolute value.
    pub fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}
