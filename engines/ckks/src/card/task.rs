// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tasks: what one unit of the card does with whole limbs.

/// Most terms of a sum: 24 residues, and one number below 2⁵ (`ckks_pkg::MaxTerms`).
pub const MAX_TERMS: usize = 25;

/// A limb. Each is given by one task, or from outside, and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LimbId(pub u32);

/// Where a limb from outside comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The index of the external value in the program.
    pub external: usize,
    /// The place of the prime.
    pub place: u16,
}

/// What a limb is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factor {
    /// Two numbers, for the lower half of the places and the upper one.
    Numbers([u32; 2]),
    /// Another limb, each of whose residues stands `run` times in a row.
    Limb {
        /// The limb.
        limb: LimbId,
        /// A power of two.
        run: usize,
    },
}

/// A product of a sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The first factor: any number below 2³⁰.
    pub limb: LimbId,
    /// The second factor: below the prime.
    pub factor: Factor,
}

/// What a unit does.
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
    /// a and two numbers, added to the lower half of the places and the upper one.
    AddNumbers(LimbId, [u32; 2]),
    /// A sum of products times 2⁻³⁴: of 1 to [`MAX_TERMS`] terms.
    Sum(Vec<Term>),
    /// The nearest whole number to Σ xᵢ·2^shiftᵢ·reciprocalᵢ·2⁻⁵⁹, of limbs, shifts and reciprocals:
    /// how often a conversion takes off the product of its primes. The prime does not matter.
    Whole(Vec<(LimbId, u32, u32)>),
    /// X → X^exponent of values.
    Permute(LimbId, u64),
    /// 0.
    Zero,
}

/// Work on limbs of one prime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The place of the prime in the program's list.
    pub place: u16,
    /// What is done.
    pub work: Work,
    /// The limb that it gives.
    pub to: LimbId,
}

/// A program as tasks, in an order in which each limb is given before it is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tasks {
    /// The degree N.
    pub degree: usize,
    /// The limbs that come from outside.
    pub externals: Vec<(LimbId, Source)>,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// Of each output of the program its limbs, in the order of its basis.
    pub outputs: Vec<Vec<(u16, LimbId)>>,
    /// Limbs are numbered below this.
    pub limbs: u32,
}

impl Work {
    /// The limbs that it takes, some perhaps twice.
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
