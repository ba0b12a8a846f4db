// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One operation of the ring, with everything that is needed to repeat it.

use serde::{Deserialize, Serialize};

use crate::ring::basis::Basis;
use crate::ring::conversion::Conversion;
use crate::ring::form::Form;
use crate::ring::modulus::Gaussian;

/// One operation of the ring. It works on whole limbs of N residues, for the primes of its step's
/// basis. Every input must have these primes unless stated otherwise, and may have more.
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
    /// a · b, elementwise, of values.
    Multiply,
    /// a + b · c, elementwise, of values.
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
    /// a + n of values, where n is a Gaussian integer for each prime: re + im·X^(N/2).
    AddNumber {
        /// The Gaussian integers.
        numbers: Vec<Gaussian>,
    },
    /// Σ aᵢ·nᵢ of values, where nᵢ is a Gaussian integer for each prime. 0 without inputs.
    Combine {
        /// For each input, the Gaussian integers.
        numbers: Vec<Vec<Gaussian>>,
    },
    /// a₀·a₁·2⁻³² + a₂·a₃·2⁻³² + …, elementwise, of values. Each second factor may be a repeated
    /// [external value](super::External::run).
    SumOfProducts,
    /// Like `SumOfProducts`, where the second factor of each product is a part of a key, which is
    /// read for this step.
    KeyProduct,
    /// Converts coefficients x modulo some primes to coefficients f·x' modulo others, where x' is
    /// x·g of least absolute value. The input has the primes of `from`.
    Convert {
        /// The source primes.
        from: Basis,
        /// g modulo each source prime.
        from_factors: Vec<u32>,
        /// f modulo each prime of the step's basis.
        to_factors: Vec<u32>,
    },
    /// The automorphism X → X^exponent of values.
    Permute {
        /// An odd number below 2N.
        exponent: u64,
    },
    /// The limbs of some primes, each from the first input that has it. This needs no computation
    /// and no copy.
    Select,
    /// 0, without inputs.
    Zero,
}

/// An operation and its output, which no other step changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The operation.
    #[serde(flatten)]
    pub operation: Operation,
    /// The inputs.
    pub inputs: Vec<u64>,
    /// The output.
    pub output: u64,
    /// The primes of the output.
    pub basis: Basis,
    /// The form of the output: coefficients or values.
    pub form: Form,
}

impl Operation {
    /// The conversion from the primes of a basis.
    pub(in crate::ring) fn of_conversion(conversion: &Conversion, from: &Basis) -> Self {
        let [from_factors, to_factors] = conversion.given().clone();
        Self::Convert { from: from.clone(), from_factors, to_factors }
    }

    /// The name of the operation in JSON.
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
    /// The number of limbs of the output.
    pub fn limbs(&self) -> usize {
        self.basis.len()
    }
}
