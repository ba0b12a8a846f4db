// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bases of polynomials.

/// The basis of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PolynomialBasis {
    /// The basis 1, x, x², …
    Monomial,
    /// The basis T₀(y), T₁(y), T₂(y), …, where y maps an interval to [−1, 1].
    Chebyshev {
        /// The lower end of the interval.
        from: f64,
        /// The upper end of the interval.
        to: f64,
    },
}

impl std::fmt::Display for PolynomialBasis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Monomial => f.write_str("powers"),
            Self::Chebyshev { from, to } => write!(f, "Chebyshev polynomials on [{from}, {to}]"),
        }
    }
}
