// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How large a polynomial and its derivative become, which the estimate of errors is made from.

use super::polynomial::{clenshaw, Kind, Polynomial};
use crate::encoding::Complex;
use crate::estimate::Estimate;

/// Where values are taken, in points a degree.
const POINTS_PER_DEGREE: usize = 4;

/// The largest absolute values of a polynomial and of its derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub value: f64,
    /// By the argument in [−1, 1] of Chebyshev polynomials.
    pub slope: f64,
}

impl Polynomial {
    /// What becomes of a vector's estimate, but for the errors of the computation.
    pub(crate) fn estimate(&self, a: Estimate) -> Estimate {
        let bounds = self.bounds(a.magnitude);
        let inherited = bounds.slope * self.map().0.abs() * a.error;
        Estimate { error: inherited.hypot(self.approximation_error()), magnitude: bounds.value }
    }

    /// For arguments of an absolute value up to `magnitude`, or, in the Chebyshev basis, in the interval.
    pub(crate) fn bounds(&self, magnitude: f64) -> Bounds {
        match self.kind() {
            Kind::Monomial => {
                let terms = self.coefficients().iter().enumerate();
                let mut bounds = Bounds { value: 0.0, slope: 0.0 };
                for (degree, c) in terms {
                    bounds.value += c.abs() * magnitude.powi(degree as i32);
                    let below = degree.saturating_sub(1) as i32;
                    bounds.slope += degree as f64 * c.abs() * magnitude.powi(below);
                }
                bounds
            }
            Kind::Chebyshev { .. } => {
                let slope = derivative(self.coefficients());
                // Between m·d such points a polynomial of degree d is at most larger than in them by
                // 1/cos(π/2m) (Ehlich, Zeller, "Schwankung von Polynomen zwischen Gitterpunkten",
                // Math. Z. 86, 1964).
                let points = POINTS_PER_DEGREE * self.degree().max(1);
                let more = (std::f64::consts::FRAC_PI_2 / POINTS_PER_DEGREE as f64).cos().recip();
                let most = |of: &[Complex]| {
                    chebyshev_points(points)
                        .map(|y| clenshaw(of, y.into()).abs())
                        .fold(0.0, f64::max)
                };
                Bounds { value: more * most(self.coefficients()), slope: more * most(&slope) }
            }
        }
    }
}

/// Points of [−1, 1], its ends with them, that are dense at the ends as those of large slopes are.
pub(super) fn chebyshev_points(count: usize) -> impl Iterator<Item = f64> {
    (0..=count).map(move |k| Complex::root(k as u64, 2 * count as u64).re)
}

/// The Chebyshev coefficients of the derivative: dₖ₋₁ = dₖ₊₁ + 2k·cₖ, and d₀ half of that.
fn derivative(coefficients: &[Complex]) -> Vec<Complex> {
    let mut slope = vec![Complex::default(); coefficients.len() + 1];
    for k in (1..coefficients.len()).rev() {
        slope[k - 1] = slope[k + 1] + coefficients[k] * (2 * k) as f64;
    }
    slope[0] = slope[0] * 0.5;
    slope
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn bounds_are_those_of_many_points() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for degree in [0, 1, 2, 7, 30] {
            let coefficients: Vec<f64> = (0..=degree).map(|_| rng.gen_range(-1.0..1.0)).collect();
            let polynomial = Polynomial::chebyshev(&coefficients, (-1.0, 1.0)).unwrap();
            let bounds = polynomial.bounds(1.0);
            let (mut value, mut slope) = (0f64, 0f64);
            for _ in 0..2000 {
                let y: f64 = rng.gen_range(-1.0..1.0);
                let [here, there] = [y - 1e-6, y + 1e-6].map(|y| polynomial.value(y).re);
                value = value.max(here.abs());
                slope = slope.max((there - here).abs() / 2e-6);
            }
            assert!(value < bounds.value * 1.0001 && bounds.value < value * 1.2, "{degree}");
            assert!(slope < bounds.slope * 1.0001 + 1e-6, "{degree}: {slope}, {}", bounds.slope);
            assert!(bounds.slope < slope * 1.5 + 1e-6, "{degree}: {slope}, {}", bounds.slope);
        }
    }

    #[test]
    fn powers_are_bounded_on_a_disc() {
        let polynomial = Polynomial::monomial(&[1.0, -2.0, 0.0, 3.0]).unwrap();
        assert_eq!(polynomial.bounds(2.0), Bounds { value: 1.0 + 4.0 + 24.0, slope: 2.0 + 36.0 });
        let constant = Polynomial::monomial(&[-4.0]).unwrap();
        assert_eq!(constant.bounds(0.0), Bounds { value: 4.0, slope: 0.0 });
    }
}
