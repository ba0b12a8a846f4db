// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Histograms of values.

/// The number of bins of a histogram.
const BINS: usize = 128;

/// The frequencies of values in equal parts of an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    low: f64,
    high: f64,
    counts: Vec<u64>,
}

impl Histogram {
    /// Returns an empty histogram of an interval.
    pub(super) fn new(low: f64, high: f64) -> Self {
        Self { low, high, counts: vec![0; BINS] }
    }

    /// Adds a value. A value outside the interval counts for the nearest end.
    pub(super) fn add(&mut self, value: f64) {
        let part = (value - self.low) / (self.high - self.low) * BINS as f64;
        // A part below 0 or NaN becomes 0.
        self.counts[(part as usize).min(BINS - 1)] += 1;
    }

    /// Returns the interval.
    pub fn interval(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Returns the number of values in each part.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Returns the share of values in the bin of a value; 0 outside the interval.
    pub fn share(&self, value: f64) -> f64 {
        let total: u64 = self.counts.iter().sum();
        let part = (value - self.low) / (self.high - self.low);
        if !(0.0..=1.0).contains(&part) || total == 0 {
            return 0.0;
        }
        let bin = ((part * BINS as f64) as usize).min(BINS - 1);
        self.counts[bin] as f64 / total as f64
    }
}
