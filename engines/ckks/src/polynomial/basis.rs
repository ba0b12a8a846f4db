// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bases in which polynomials are given.

/// The basis of the coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PolynomialBasis {
    /// Of 1, x, x², …
    Monomial,
    /// Of T₀(y), T₁(y), T₂(y), …, in which y takes an interval to [−1, 1].
    Chebyshev {
        /// The interval's lower end.
        from: f64,
        /// The interval's upper end.
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
