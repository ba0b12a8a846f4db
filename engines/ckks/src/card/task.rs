// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tasks: the work of one unit of the card on whole limbs.

/// The maximal number of terms of a sum: 24 residues, and one number below 2⁵
/// (`ckks_pkg::MaxTerms`).
pub const MAX_TERMS: usize = 25;

/// A limb. Each is computed by one task, or external, and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LimbId(pub u32);

/// The origin of an external limb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The index of the external value in the program.
    pub external: usize,
    /// The position of the prime.
    pub place: u16,
}

/// The second factor of a product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// Two numbers, for the lower and the upper half of the indices.
    Numbers([u32; 2]),
    /// Another limb, whose residues are each repeated `run` times.
    Limb {
        /// The limb.
        limb: LimbId,
        /// A power of two.
        run: usize,
    },
}

/// A product in a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The first factor: any number below 2³⁰.
    pub limb: LimbId,
    /// The second factor: below the prime.
    pub factor: Factor,
}

/// The work of a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Coefficients to values.
    Forward(LimbId),
    /// Values to coefficients, N times too large.
    Inverse(LimbId),
    /// a + b.
    Add(LimbId, LimbId),
    /// a − b; −b without a.
    Subtract(Option<LimbId>, LimbId),
    /// a plus two numbers, for the lower and the upper half of the indices.
    AddNumbers(LimbId, [u32; 2]),
    /// A sum of products times 2⁻³⁴: of 1 to [`MAX_TERMS`] terms.
    Sum(Vec<Term>),
    /// The nearest integer to Σ xᵢ·2^shiftᵢ·reciprocalᵢ·2⁻⁵⁹, for limbs, shifts and reciprocals:
    /// the number of times that a conversion subtracts the product of its primes. It is the same
    /// for all primes.
    Whole(Vec<(LimbId, u32, u32)>),
    /// X → X^exponent of values.
    Permute(LimbId, u64),
    /// 0.
    Zero,
}

/// Work on limbs of one prime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The position of the prime in the program's list.
    pub place: u16,
    /// The work.
    pub work: Work,
    /// The limb that the task computes.
    pub to: LimbId,
}

/// A program as tasks, ordered such that each limb is computed before its use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// The degree N.
    pub degree: usize,
    /// The external limbs.
    pub externals: Vec<(LimbId, Source)>,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The limbs of each output of the program, in the order of its basis.
    pub outputs: Vec<Vec<(u16, LimbId)>>,
    /// The number of limbs.
    pub limbs: u32,
}

impl Work {
    /// The limbs that the work uses, possibly with duplicates.
    pub fn takes(&self) -> Vec<LimbId> {
        match self {
            Self::Forward(from) | Self::Inverse(from) => vec![*from],
            Self::Permute(from, _) | Self::AddNumbers(from, _) => vec![*from],
            Self::Add(a, b) => vec![*a, *b],
            Self::Subtract(a, b) => a.iter().copied().chain([*b]).collect(),
            Self::Sum(terms) => terms.iter().flat_map(Term::limbs).collect(),
            Self::Whole(terms) => terms.iter().map(|(limb, ..)| *limb).collect(),
            Self::Zero => Vec::new(),
        }
    }
}

impl Term {
    /// The limbs of both factors.
    fn limbs(&self) -> impl Iterator<Item = LimbId> {
        let second = match self.factor {
            Factor::Limb { limb, .. } => Some(limb),
            Factor::Numbers(_) => None,
        };
        [self.limb].into_iter().chain(second)
    }
}
