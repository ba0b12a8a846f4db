// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The differences between decrypted values and the expected ones.

use crate::complex::Complex;

/// Statistics of the absolute differences between two vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// The mean of the differences.
    pub mean: f64,
    /// The largest difference.
    pub largest: f64,
}

impl Difference {
    /// Compares two vectors over the length of the shorter one. Returns 0 if either is empty.
    pub fn between(values: &[Complex], expected: &[Complex]) -> Self {
        let count = values.len().min(expected.len());
        let distances = values.iter().zip(expected).map(|(value, other)| (*value - *other).abs());
        let (sum, largest) = distances.fold((0.0, 0.0f64), |(sum, largest), distance| {
            // `f64::max` would ignore a NaN.
            let is_largest = !largest.is_nan() && (distance > largest || distance.is_nan());
            (sum + distance, if is_largest { distance } else { largest })
        });
        Self { mean: sum / count.max(1) as f64, largest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_vectors_that_are_known() {
        let vector = |parts: &[(f64, f64)]| -> Vec<Complex> {
            parts.iter().map(|(re, im)| Complex::new(*re, *im)).collect()
        };
        let expected = vector(&[(1.0, 0.0), (0.5, -2.0), (0.25, 0.125)]);
        let values = vector(&[(1.0, 0.5), (3.5, 2.0), (0.25, 0.125), (9.0, 9.0)]);
        let difference = Difference::between(&values, &expected);
        assert_eq!(difference, Difference { mean: 5.5 / 3.0, largest: 5.0 });
        assert_eq!(Difference::between(&values, &[]), Difference::default());
        // A NaN is reported at any position.
        for place in 0..3 {
            let mut values = values.clone();
            values[place].im = f64::NAN;
            let difference = Difference::between(&values, &expected);
            assert!(difference.mean.is_nan() && difference.largest.is_nan(), "{place}");
        }
    }
}
