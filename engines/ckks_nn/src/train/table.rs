// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rows of features with one class each.

use crate::error::NetworkError;

/// Samples with two classes. All rows have the same number of features.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    rows: Vec<Vec<f64>>,
    classes: Vec<bool>,
}

impl Table {
    /// Returns a table of rows and their classes.
    ///
    /// # Errors
    /// [`NetworkError::Training`] if the table is empty, rows have different lengths, the number of
    /// classes is wrong, or a value is not finite.
    pub fn new(rows: Vec<Vec<f64>>, classes: Vec<bool>) -> Result<Self, NetworkError> {
        let wrong = |reason: String| Err(NetworkError::Training { reason });
        let Some(features) = rows.first().map(Vec::len).filter(|features| *features > 0) else {
            return wrong("the samples are empty or have no features".to_owned());
        };
        if rows.len() != classes.len() {
            return wrong(format!("{} samples, but {} classes", rows.len(), classes.len()));
        }
        for (place, row) in rows.iter().enumerate() {
            if row.len() != features {
                let got = row.len();
                return wrong(format!(
                    "sample {place} has {got} features, but the first has {features}"
                ));
            }
            if let Some(feature) = row.iter().position(|value| !value.is_finite()) {
                return wrong(format!("feature {feature} of sample {place} is not finite"));
            }
        }
        Ok(Self { rows, classes })
    }

    /// Returns the samples' features.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// Returns the classes.
    pub fn classes(&self) -> &[bool] {
        &self.classes
    }

    /// Returns the number of samples.
    pub fn samples(&self) -> usize {
        self.rows.len()
    }

    /// Returns the number of features.
    pub fn features(&self) -> usize {
        self.rows[0].len()
    }

    /// Returns the largest absolute value of each feature, or 1 if all are 0.
    pub fn scales(&self) -> Vec<f64> {
        let most = |feature: usize| {
            let largest = self.rows.iter().map(|row| row[feature].abs()).fold(0.0, f64::max);
            if largest > 0.0 {
                largest
            } else {
                1.0
            }
        };
        (0..self.features()).map(most).collect()
    }

    /// Returns the same samples with each feature divided by a number.
    #[must_use]
    pub fn divided(&self, by: &[f64]) -> Self {
        let divided = |row: &Vec<f64>| row.iter().zip(by).map(|(value, by)| value / by).collect();
        Self { rows: self.rows.iter().map(divided).collect(), classes: self.classes.clone() }
    }

    /// Returns the number of samples on their class's side of these weights. The last weight is the
    /// constant's.
    ///
    /// # Panics
    /// If the number of weights is not the number of features plus one.
    pub fn right(&self, weights: &[f64]) -> usize {
        assert_eq!(
            weights.len(),
            self.features() + 1,
            "expected one weight per feature and one more"
        );
        let is_right = |(row, class): (&Vec<f64>, &bool)| (margin(row, weights) > 0.0) == *class;
        self.rows.iter().zip(&self.classes).filter(|pair| is_right(*pair)).count()
    }

    /// Returns the largest absolute value of the sum of a sample's features times weights, plus the
    /// constant.
    ///
    /// # Panics
    /// If the number of weights is not the number of features plus one.
    pub fn largest_sum(&self, weights: &[f64]) -> f64 {
        assert_eq!(
            weights.len(),
            self.features() + 1,
            "expected one weight per feature and one more"
        );
        self.rows.iter().map(|row| margin(row, weights).abs()).fold(0.0, f64::max)
    }

    /// Returns the first samples, and the others.
    ///
    /// # Panics
    /// If one of the two tables would be empty.
    #[must_use]
    pub fn split(mut self, first: usize) -> (Self, Self) {
        assert!((1..self.samples()).contains(&first), "{first} of {} samples", self.samples());
        let (rows, classes) = (self.rows.split_off(first), self.classes.split_off(first));
        (self, Self { rows, classes })
    }

    /// Distributes the samples in turn to `count` batches.
    ///
    /// # Panics
    /// If the number of batches is 0 or exceeds the number of samples.
    #[must_use]
    pub fn batches(self, count: usize) -> Vec<Self> {
        let samples = self.samples();
        assert!((1..=samples).contains(&count), "{count} batches of {samples} samples");
        let empty = || Self { rows: Vec::new(), classes: Vec::new() };
        let mut batches: Vec<Self> = (0..count).map(|_| empty()).collect();
        for (place, (row, class)) in self.rows.into_iter().zip(self.classes).enumerate() {
            let batch = &mut batches[place % count];
            batch.rows.push(row);
            batch.classes.push(class);
        }
        batches
    }

    /// Returns the signed features of a sample, y·(x, 1) with y = ±1 by its class.
    pub(super) fn signed(&self, sample: usize) -> impl Iterator<Item = f64> + '_ {
        let sign = if self.classes[sample] { 1.0 } else { -1.0 };
        self.rows[sample].iter().copied().chain([1.0]).map(move |value| sign * value)
    }
}

/// Returns the sum of a row's features times weights, and the constant.
fn margin(row: &[f64], weights: &[f64]) -> f64 {
    let products = row.iter().zip(weights).map(|(value, weight)| value * weight);
    products.sum::<f64>() + weights[row.len()]
}
