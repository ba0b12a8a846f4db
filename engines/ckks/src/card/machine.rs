// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A simulator of tasks: every unit's arithmetic, limb by limb.

use super::arithmetic::{forward, inverse, permuted, powers, reduce, whole};
use super::error::CardError;
use super::task::{Factor, LimbId, Task, Tasks, Term, Work};
use crate::ring::{Modulus, Prime, Program};

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
            Work::Forward(from) => forward(q, |b, i| q.mul(b, forth[i]), self.get(*from)?),
            Work::Inverse(from) => inverse(q, |b, i| q.mul(b, back[i]), self.get(*from)?),
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
                let of_place = |index: usize| {
                    let product = |(limb, shift, by): &(LimbId, u32, u32)| {
                        let residue = self.get(*limb)?[index] << shift;
                        Some(u128::from(residue) * u128::from(*by))
                    };
                    let sum: u128 = terms.iter().map(product).sum::<Option<u128>>()?;
                    Some(whole(sum))
                };
                (0..degree).map(of_place).collect::<Option<_>>()?
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
