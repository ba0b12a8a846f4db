// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The instructions of a trace.

use crate::ring::Form;

/// The entry 0 of the table of moduli, for operations without one.
pub const COPY_MODULUS: u64 = u64::MAX;

/// A trace: operations on polynomials, each modulo one number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// The degree N of the polynomials.
    pub degree: usize,
    /// The moduli; the first is [`COPY_MODULUS`].
    pub moduli: Vec<u64>,
    /// The polynomials that are given.
    pub inputs: Vec<Port>,
    /// The results.
    pub outputs: Vec<Port>,
    /// The instructions, in order.
    pub instructions: Vec<Instruction>,
}

/// A polynomial that is given or returned: one limb of a value of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its address.
    pub address: u64,
    /// The index of its modulus.
    pub modulus: usize,
    /// Coefficients, or values in bit-reversed order.
    pub form: Form,
    /// The name of the value. The limbs of a value have the same name.
    pub name: String,
}

/// An operation and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The address of the result.
    pub to: u64,
    /// The index of the modulus q.
    pub modulus: usize,
    /// The operation.
    pub operation: Operation,
}

/// An operation on polynomials, which are given by their addresses. Numbers and results are
/// residues modulo q, component by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `sr_addp`: a + b, for residues.
    Add(u64, u64),
    /// `sr_subp`: a − b, for residues.
    Subtract(u64, u64),
    /// `sr_mulp`: a·b, for residues.
    Multiply(u64, u64),
    /// `sr_addps`: a + n; n = 0 copies a without a reduction.
    AddNumber(u64, u64),
    /// `sr_subps`: a − n.
    SubtractNumber(u64, u64),
    /// `sr_mulps`: a·n, also for an a of another modulus; n = 0 gives 0 and reads nothing.
    MultiplyNumber(u64, u64),
    /// `sr_negp`: −a.
    Negate(u64),
    /// `sr_ntt` with `omega` = ψ: index i of the result is the value at ψ^(2·rev(i) + 1).
    Forward(u64, u64),
    /// `sr_intt` with `omega` = ψ: the inverse.
    Inverse(u64, u64),
    /// `sr_automorph_eval`: a(X^k) of values.
    Automorphism(u64, u64),
    /// `sr_rot_automorph_coeff`: a·X^(−offset) of coefficients.
    Shift(u64, u64),
}

impl Operation {
    /// The name, the first argument and the second.
    pub(super) fn parts(self) -> (&'static str, u64, u64) {
        match self {
            Self::Add(a, b) => ("sr_addp", a, b),
            Self::Subtract(a, b) => ("sr_subp", a, b),
            Self::Multiply(a, b) => ("sr_mulp", a, b),
            Self::AddNumber(a, n) => ("sr_addps", a, n),
            Self::SubtractNumber(a, n) => ("sr_subps", a, n),
            Self::MultiplyNumber(a, n) => ("sr_mulps", a, n),
            Self::Negate(a) => ("sr_negp", a, 0),
            Self::Forward(a, root) => ("sr_ntt", a, root),
            Self::Inverse(a, root) => ("sr_intt", a, root),
            Self::Automorphism(a, k) => ("sr_automorph_eval", a, k),
            Self::Shift(a, offset) => ("sr_rot_automorph_coeff", a, offset),
        }
    }

    /// The addresses that are read.
    pub(super) fn reads(self) -> impl Iterator<Item = u64> {
        let (_, a, b) = self.parts();
        let first = (!matches!(self, Self::MultiplyNumber(_, 0))).then_some(a);
        let is_pair = matches!(self, Self::Add(..) | Self::Subtract(..) | Self::Multiply(..));
        first.into_iter().chain(is_pair.then_some(b))
    }
}
