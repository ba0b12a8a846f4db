// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A simulator of tasks: every unit's arithmetic, limb by limb.

use super::error::CardError;
use super::task::{Factor, LimbId, Task, Tasks, Term, Work};
use crate::ring::{Modulus, Prime, Program};

/// What a product is times: two Montgomery steps by 17 bits.
const LOG_STEP: u32 = 17;
const FRACTION_BITS: u32 = 59;

/// Limbs, and what the tasks of a program make of them.
pub struct Machine<'t> {
    tasks: &'t Tasks,
    moduli: Vec<Modulus>,
    /// Of each prime, the powers of ψ and of its inverse, in the order of the transforms.
    factors: Vec<[Vec<u32>; 2]>,
    limbs: Vec<Option<Vec<u32>>>,
}

impl<'t> Machine<'t> {
    /// A machine for the tasks of a program. `of` has the residues of what comes from outside: of
    /// the external value of an index, modulo the prime at a place.
    ///
    /// # Errors
    /// [`CardError`] where a limb is missing or has another length, or a prime is none.
    pub fn new<'l>(
        program: &Program,
        tasks: &'t Tasks,
        of: impl Fn(usize, u16) -> Option<&'l [u32]>,
    ) -> Result<Self, CardError> {
        let modulus = |prime: &Prime| Modulus::new(prime.modulus);
        let moduli = program.primes.iter().map(modulus).collect::<Result<Vec<_>, _>>()?;
        let factors = moduli.iter().zip(&program.primes).map(|(modulus, prime)| {
            let roots = [prime.root, modulus.inverse(prime.root)];
            roots.map(|root| powers(*modulus, root, program.degree))
        });
        let mut limbs = vec![None; tasks.limbs as usize];
        for (limb, source) in &tasks.externals {
            let external = &program.externals[source.external];
            let wrong = || CardError::Limb { name: external.name.clone(), place: source.place };
            let residues = of(source.external, source.place).ok_or_else(wrong)?;
            if residues.len() * external.run != program.degree {
                return Err(wrong());
            }
            limbs[limb.0 as usize] = Some(residues.to_vec());
        }
        Ok(Self { tasks, factors: factors.collect(), moduli, limbs })
    }

    /// Does all tasks, and gives the residues of the outputs: of each its limbs.
    ///
    /// # Errors
    /// [`CardError::Missing`] where a task takes a limb that is not there.
    pub fn run(mut self) -> Result<Vec<Vec<Vec<u32>>>, CardError> {
        for (number, task) in self.tasks.tasks.iter().enumerate() {
            let missing = CardError::Missing { task: number };
            let residues = self.done(task).ok_or(missing)?;
            self.limbs[task.to.0 as usize] = Some(residues);
        }
        let missing = CardError::Missing { task: self.tasks.tasks.len() };
        let limb = |(_, limb): &(u16, LimbId)| self.get(*limb).map(<[u32]>::to_vec);
        let output = |limbs: &Vec<(u16, LimbId)>| limbs.iter().map(limb).collect::<Option<_>>();
        self.tasks.outputs.iter().map(|limbs| output(limbs).ok_or(missing.clone())).collect()
    }

    fn get(&self, limb: LimbId) -> Option<&[u32]> {
        self.limbs.get(limb.0 as usize)?.as_deref()
    }

    fn done(&self, task: &Task) -> Option<Vec<u32>> {
        let q = *self.moduli.get(usize::from(task.place))?;
        let [forth, back] = self.factors.get(usize::from(task.place))?;
        let degree = self.tasks.degree;
        Some(match &task.work {
            Work::Forward(from) => forward(q, forth, self.get(*from)?),
            Work::Inverse(from) => inverse(q, back, self.get(*from)?),
            Work::Add(a, b) => {
                self.get(*a)?.iter().zip(self.get(*b)?).map(|(a, b)| q.add(*a, *b)).collect()
            }
            Work::Subtract(Some(a), b) => {
                self.get(*a)?.iter().zip(self.get(*b)?).map(|(a, b)| q.sub(*a, *b)).collect()
            }
            Work::Subtract(None, b) => self.get(*b)?.iter().map(|b| q.sub(0, *b)).collect(),
            Work::AddNumbers(a, numbers) => {
                let half = |index: usize| numbers[index / (degree / 2)];
                let places = self.get(*a)?.iter().enumerate();
                places.map(|(index, a)| q.add(*a, half(index))).collect()
            }
            Work::Sum(terms) => {
                let sum = |index: usize| {
                    let products = terms.iter().map(|term| self.product(term, index));
                    products.sum::<Option<u128>>()
                };
                let reduced = |index| Some(reduce(q, sum(index)?));
                (0..degree).map(reduced).collect::<Option<_>>()?
            }
            Work::Whole(terms) => {
                let whole = |index: usize| {
                    let product = |(limb, shift, by): &(LimbId, u32, u32)| {
                        let residue = self.get(*limb)?[index] << shift;
                        Some(u128::from(residue) * u128::from(*by))
                    };
                    let sum: u128 = terms.iter().map(product).sum::<Option<u128>>()?;
                    Some(((sum + (1 << (FRACTION_BITS - 1))) >> FRACTION_BITS) as u32)
                };
                (0..degree).map(whole).collect::<Option<_>>()?
            }
            Work::Permute(from, exponent) => permuted(self.get(*from)?, *exponent),
            Work::Zero => vec![0; degree],
        })
    }

    /// A term's product at a place.
    fn product(&self, term: &Term, index: usize) -> Option<u128> {
        let a = *self.get(term.limb)?.get(index)?;
        let b = match term.factor {
            Factor::Numbers(numbers) => numbers[index / (self.tasks.degree / 2)],
            Factor::Limb { limb, run } => *self.get(limb)?.get(index / run)?,
        };
        Some(u128::from(a) * u128::from(b))
    }
}

/// A sum times 2⁻³⁴, by two Montgomery steps and a correction (`ckks_reduce`).
fn reduce(modulus: Modulus, sum: u128) -> u32 {
    let q = i128::from(modulus.value());
    let step = |value: i128| (value >> LOG_STEP) - (value & 0x1_ffff) * (q >> LOG_STEP);
    let reduced = step(step(sum as i128));
    let corrected = if reduced < 0 { reduced + q } else { reduced };
    (if corrected >= q { corrected - q } else { corrected }) as u32
}

fn reversed(index: usize, bits: u32) -> usize {
    if bits == 0 {
        0
    } else {
        index.reverse_bits() >> (usize::BITS - bits)
    }
}

/// root^rev(i) of each i below N.
fn powers(modulus: Modulus, root: u32, degree: usize) -> Vec<u32> {
    let bits = degree.trailing_zeros();
    (0..degree).map(|index| modulus.pow(root, reversed(index, bits) as u64)).collect()
}

/// Coefficients to values; factor m + g is that of group g of m.
fn forward(modulus: Modulus, factors: &[u32], from: &[u32]) -> Vec<u32> {
    let mut values = from.to_vec();
    let mut groups = 1;
    while groups < values.len() {
        let half = values.len() / (2 * groups);
        for (group, chunk) in values.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = chunk.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                let product = modulus.mul(*b, factors[groups + group]);
                (*a, *b) = (modulus.add(*a, product), modulus.sub(*a, product));
            }
        }
        groups *= 2;
    }
    values
}

/// The opposite, N times too large.
fn inverse(modulus: Modulus, factors: &[u32], from: &[u32]) -> Vec<u32> {
    let mut values = from.to_vec();
    let mut groups = values.len() / 2;
    while groups > 0 {
        let half = values.len() / (2 * groups);
        for (group, chunk) in values.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = chunk.split_at_mut(half);
            for (a, b) in low.iter_mut().zip(high) {
                let difference = modulus.sub(*a, *b);
                *a = modulus.add(*a, *b);
                *b = modulus.mul(difference, factors[groups + group]);
            }
        }
        groups /= 2;
    }
    values
}

/// X → X^exponent: place i, the value at ψ^(2·rev(i) + 1), comes from ψ^(exponent·(2·rev(i) + 1)).
fn permuted(from: &[u32], exponent: u64) -> Vec<u32> {
    let (degree, bits) = (from.len(), from.len().trailing_zeros());
    let source = |index: usize| {
        let power =
            exponent.wrapping_mul(2 * reversed(index, bits) as u64 + 1) % (2 * degree as u64);
        from[reversed((power >> 1) as usize, bits)]
    };
    (0..degree).map(source).collect()
}
