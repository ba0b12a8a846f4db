// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One operation of the ring, with all that is needed to do it again.

use serde::{Deserialize, Serialize};

use crate::ring::basis::Basis;
use crate::ring::conversion::Conversion;
use crate::ring::form::Form;
use crate::ring::modulus::Gaussian;

/// One operation of the ring. Each stands for work on whole limbs of N residues: those of the
/// primes of its step's basis, which every input has unless it is said otherwise. Inputs may have
/// more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "operation", rename_all = "snake_case")]
pub enum Operation {
    /// Coefficients to values.
    Forward,
    /// Values to coefficients.
    Inverse,
    /// a + b.
    Add,
    /// a − b.
    Subtract,
    /// −a.
    Negate,
    /// a · b, place by place, of values.
    Multiply,
    /// a + b · c, place by place, of values.
    MultiplyAdd,
    /// a times a number for each prime.
    Scale {
        /// The numbers.
        factors: Vec<u32>,
    },
    /// (a − b) times a number for each prime.
    SubtractScale {
        /// The numbers.
        factors: Vec<u32>,
    },
    /// a + n of values, n being a Gaussian integer for each prime: re + im·X^(N/2).
    AddNumber {
        /// The Gaussian integers.
        numbers: Vec<Gaussian>,
    },
    /// Σ aᵢ·nᵢ of values, nᵢ being a Gaussian integer for each prime; 0 of no inputs.
    Combine {
        /// For each input, the Gaussian integers.
        numbers: Vec<Vec<Gaussian>>,
    },
    /// a₀·a₁·2⁻³² + a₂·a₃·2⁻³² + …, place by place, of values. Each second factor may be an
    /// [external one](super::External::run) whose values repeat themselves.
    SumOfProducts,
    /// The same with limbs of a key as the second factor of each product, which are read for it.
    KeyProduct,
    /// Coefficients x modulo some primes to coefficients modulo others: f·x', x' being x·g of least
    /// absolute value. The input has the primes of `from`.
    Convert {
        /// The primes that are converted from.
        from: Basis,
        /// g modulo each of them.
        from_factors: Vec<u32>,
        /// f modulo each prime of the step's basis.
        to_factors: Vec<u32>,
    },
    /// The automorphism X → X^exponent of values.
    Permute {
        /// An odd number below 2N.
        exponent: u64,
    },
    /// The limbs of some primes, each of the first input that has it. Nothing is computed, and
    /// nothing need be moved.
    Select,
    /// 0, of no input.
    Zero,
}

/// An operation and the value that it gives, which no other step changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The operation.
    #[serde(flatten)]
    pub operation: Operation,
    /// The values that went in.
    pub inputs: Vec<u64>,
    /// The value that came out.
    pub output: u64,
    /// Its primes.
    pub basis: Basis,
    /// Coefficients or values.
    pub form: Form,
}

impl Operation {
    /// The conversion from the primes of a basis.
    pub(in crate::ring) fn of_conversion(conversion: &Conversion, from: &Basis) -> Self {
        let [from_factors, to_factors] = conversion.given().clone();
        Self::Convert { from: from.clone(), from_factors, to_factors }
    }

    /// Its name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Inverse => "inverse",
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Negate => "negate",
            Self::Multiply => "multiply",
            Self::MultiplyAdd => "multiply_add",
            Self::Scale { .. } => "scale",
            Self::SubtractScale { .. } => "subtract_scale",
            Self::AddNumber { .. } => "add_number",
            Self::Combine { .. } => "combine",
            Self::SumOfProducts => "sum_of_products",
            Self::KeyProduct => "key_product",
            Self::Convert { .. } => "convert",
            Self::Permute { .. } => "permute",
            Self::Select => "select",
            Self::Zero => "zero",
        }
    }
}

impl Step {
    /// The number of limbs of its output.
    pub fn limbs(&self) -> usize {
        self.basis.len()
    }
}
