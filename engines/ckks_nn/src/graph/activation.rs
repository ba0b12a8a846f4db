// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Activations: functions of one number.

/// A function of one number.
#[derive(Clone, Debug, PartialEq)]
pub enum Activation {
    /// max(0, x).
    Relu,
    /// x·σ(x).
    Silu,
    /// x·Φ(x), with Φ the distribution function of the normal distribution.
    Gelu,
    /// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2.
    GeluTanh,
    /// 1/(1 + e⁻ˣ).
    Sigmoid,
    /// tanh x.
    Tanh,
    /// |x|.
    Absolute,
    /// erf x = 2/√π·∫₀ˣ e^(−t²) dt.
    Erf,
    /// eˣ.
    Exponential,
    /// 1/x, for arguments above 0.
    Reciprocal {
        /// A proven lower bound of all arguments; 0 if none is known.
        least: f64,
    },
    /// √x, for arguments of at least 0.
    SquareRoot,
    /// 1/√x, for arguments above 0.
    InverseSquareRoot {
        /// A proven lower bound of all arguments; 0 if none is known.
        least: f64,
    },
    /// x: values that are declared to lie in their calibrated interval, which the guard checks.
    Declared,
    /// Σ cₖ·xᵏ, the constant first.
    Polynomial(Vec<f64>),
}

/// The parity of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// f(−x) = f(x).
    Even,
    /// f(−x) = −f(x).
    Odd,
    /// Neither.
    Neither,
}

impl Activation {
    /// Returns the parity of the function. On an interval around 0, its polynomial has the same
    /// parity.
    pub fn parity(&self) -> Parity {
        match self {
            Self::Absolute => Parity::Even,
            Self::Tanh | Self::Erf => Parity::Odd,
            _ => Parity::Neither,
        }
    }

    /// Returns the lower bound of the arguments for which the function is defined and smooth;
    /// `None` for all numbers. A bound of 0 itself is not in the domain.
    pub fn least(&self) -> Option<f64> {
        match self {
            Self::Reciprocal { least } | Self::InverseSquareRoot { least } => Some(*least),
            Self::SquareRoot => Some(0.0),
            _ => None,
        }
    }

    /// Returns the name in reports.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Relu => "ReLU",
            Self::Silu => "SiLU",
            Self::Gelu | Self::GeluTanh => "GELU",
            Self::Sigmoid => "sigmoid",
            Self::Tanh => "tanh",
            Self::Absolute => "absolute value",
            Self::Erf => "error function",
            Self::Exponential => "exponential function",
            Self::Reciprocal { .. } => "reciprocal",
            Self::SquareRoot => "square root",
            Self::InverseSquareRoot { .. } => "inverse square root",
            Self::Declared => "declared range",
            Self::Polynomial(_) => "polynomial",
        }
    }

    /// Returns the value of the function.
    pub fn value(&self, x: f64) -> f64 {
        match self {
            Self::Relu => x.max(0.0),
            Self::Silu => x * sigmoid(x),
            Self::Gelu => x * normal_distribution(x),
            Self::GeluTanh => {
                let inner = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
                x * (1.0 + inner.tanh()) / 2.0
            }
            Self::Sigmoid => sigmoid(x),
            Self::Tanh => x.tanh(),
            Self::Absolute => x.abs(),
            Self::Erf => 2.0 * normal_distribution(x * std::f64::consts::SQRT_2) - 1.0,
            Self::Exponential => x.exp(),
            Self::Reciprocal { .. } => 1.0 / x,
            Self::SquareRoot => x.sqrt(),
            Self::InverseSquareRoot { .. } => 1.0 / x.sqrt(),
            Self::Declared => x,
            Self::Polynomial(coefficients) => {
                coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
            }
        }
    }
}

pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns Φ(x): the series Σ x²ⁿ⁺¹/(1·3·5·…·(2n + 1)) near 0 (Marsaglia, "Evaluating the normal
/// distribution", Journal of Statistical Software 11, 2004), and 0 or 1 where doubles cannot
/// represent the difference.
fn normal_distribution(x: f64) -> f64 {
    if x.abs() > 8.3 {
        return f64::from(u8::from(x > 0.0));
    }
    let (mut term, mut sum, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_tables() {
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
        near(normal_distribution(1.0), 0.841344746068543);
        near(normal_distribution(-2.0), 0.022750131948179);
        near(Activation::Gelu.value(-1.0), -0.158655253931457);
        near(Activation::Silu.value(1.0), 0.731058578630005);
        assert!((Activation::GeluTanh.value(1.0) - Activation::Gelu.value(1.0)).abs() < 1e-3);
        assert_eq!(Activation::Relu.value(-3.0), 0.0);
        near(Activation::Polynomial(vec![1.0, -2.0, 3.0]).value(2.0), 9.0);
        assert_eq!(Activation::Absolute.value(-3.0), 3.0);
        near(Activation::Erf.value(0.5), 0.520499877813047);
        near(Activation::Erf.value(-2.0), -0.995322265018953);
        near(Activation::InverseSquareRoot { least: 0.0 }.value(4.0), 0.5);
        near(Activation::Exponential.value(-1.0), 0.367879441171442);
        for x in [-40.0, -9.0, 0.0, 9.0, 40.0] {
            assert!(Activation::Gelu.value(x).is_finite());
            assert_eq!(Activation::Tanh.value(-x), -Activation::Tanh.value(x));
        }
    }
}
