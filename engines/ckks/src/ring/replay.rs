// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Replays programs on the processor, one ring operation at a time: the reference for all devices.

use std::collections::HashMap;

use super::basis::Basis;
use super::conversion::Conversion;
use super::modulus::Modulus;
use super::polynomial::Polynomial;
use super::program::{External, Flaw, Operation, Output, Program, ProgramError, Step};
use super::ring::{limb_at, Ring};

/// An available value.
enum ReplayValue<'a> {
    /// A borrowed polynomial, which may have more primes than the program uses.
    Lent(&'a Polynomial, &'a Basis),
    /// The output of a step.
    Own(Polynomial),
}

/// The state of a replay. A value is dropped after its last use.
struct Replay<'a> {
    ring: &'a Ring,
    values: HashMap<u64, ReplayValue<'a>>,
    /// The number of remaining uses of each value.
    uses: HashMap<u64, usize>,
}

impl Program {
    /// Runs all steps in a ring with the same N and primes, on any backend, and returns the outputs
    /// in order. `of` returns the polynomials of external values by name and role. They may have
    /// more primes than stated.
    ///
    /// The program is [checked](Self::check) first.
    ///
    /// # Errors
    /// [`ProgramError`] for a damaged program or one of another ring, and for polynomials that are
    /// missing or lack the stated primes or form.
    pub fn replay<'a>(
        &'a self,
        ring: &'a Ring,
        of: impl Fn(&External) -> Option<&'a Polynomial>,
    ) -> Result<Vec<Polynomial>, ProgramError> {
        self.check()?;
        if self.degree != ring.degree() || self.primes != ring.program_primes() {
            let (degree, primes) = (self.degree, self.primes.len());
            return Err(ProgramError::Ring { degree, primes });
        }
        let mut replay = Replay { ring, values: HashMap::new(), uses: self.uses() };
        for external in &self.externals {
            if replay.uses.contains_key(&external.value) {
                let polynomial = lent(external, self.degree, &of)?;
                replay
                    .values
                    .insert(external.value, ReplayValue::Lent(polynomial, &external.basis));
            }
        }
        for (index, step) in self.steps.iter().enumerate() {
            let (value, operation) = (step.output, step.operation.name());
            let flawed = |flaw| ProgramError::Step { step: index, operation, flaw };
            let result = replay.step(step).map_err(flawed)?;
            if replay.uses.contains_key(&value) {
                replay.values.insert(value, ReplayValue::Own(result));
            }
        }
        let output = |output: &Output| {
            let whole = replay.get(output.value).map(|held| held.basis().clone());
            let taken = whole.and_then(|whole| replay.take(output.value, &whole));
            taken.map_err(|_| ProgramError::NoOutput { name: output.name.clone() })
        };
        self.outputs.iter().map(output).collect()
    }

    /// The number of uses of each value, by steps and as an output.
    pub fn uses(&self) -> HashMap<u64, usize> {
        let mut uses = HashMap::new();
        let outputs = self.outputs.iter().map(|output| &output.value);
        for value in self.steps.iter().flat_map(|step| &step.inputs).chain(outputs) {
            *uses.entry(*value).or_insert(0) += 1;
        }
        uses
    }
}

/// Returns the polynomial of an external value.
///
/// # Errors
/// [`ProgramError`] if it is missing, or lacks the stated primes or form.
pub fn lent<'a>(
    external: &External,
    degree: usize,
    of: impl Fn(&External) -> Option<&'a Polynomial>,
) -> Result<&'a Polynomial, ProgramError> {
    let name = || external.name.clone();
    let polynomial = of(external).ok_or_else(|| ProgramError::Missing { name: name() })?;
    let is_it = polynomial.degree() * external.run == degree
        && polynomial.basis().contains(&external.basis)
        && polynomial.form() == external.form;
    if is_it {
        Ok(polynomial)
    } else {
        Err(ProgramError::Shape { name: name() })
    }
}

impl ReplayValue<'_> {
    fn polynomial(&self) -> &Polynomial {
        match self {
            ReplayValue::Lent(polynomial, _) => polynomial,
            ReplayValue::Own(polynomial) => polynomial,
        }
    }

    fn basis(&self) -> &Basis {
        match self {
            ReplayValue::Lent(_, basis) => basis,
            ReplayValue::Own(polynomial) => polynomial.basis(),
        }
    }
}

impl<'a> Replay<'a> {
    fn step(&mut self, step: &Step) -> Result<Polynomial, Flaw> {
        match &step.operation {
            Operation::Combine { .. }
            | Operation::SumOfProducts
            | Operation::KeyProduct
            | Operation::Select
            | Operation::Zero => {
                let result = self.gathered(step)?;
                self.release(&step.inputs);
                Ok(result)
            }
            _ => self.changed(step),
        }
    }

    /// Runs operations that change their first operand, or could.
    fn changed(&mut self, step: &Step) -> Result<Polynomial, Flaw> {
        let (first, others) = step.inputs.split_first().ok_or(Flaw::Inputs { got: 0 })?;
        let basis = match &step.operation {
            Operation::Convert { from, .. } => from,
            _ => &step.basis,
        };
        let mut a = self.take(*first, basis)?;
        let ring = self.ring;
        let numbers = |numbers: &[u32]| by_modulus(ring, &step.basis, numbers);
        let other = |index: usize| self.input(others, index);
        match &step.operation {
            Operation::Forward => ring.forward(&mut a),
            Operation::Inverse => ring.inverse(&mut a),
            Operation::Add => ring.add(&mut a, other(0)?),
            Operation::Subtract => ring.sub(&mut a, other(0)?),
            Operation::Negate => ring.neg(&mut a),
            Operation::Multiply => ring.mul(&mut a, other(0)?),
            Operation::MultiplyAdd => ring.mul_add(&mut a, other(0)?, other(1)?),
            Operation::Scale { factors } => ring.scale(&mut a, at(&numbers(factors))),
            Operation::SubtractScale { factors } => {
                ring.sub_scale(&mut a, other(0)?, at(&numbers(factors)));
            }
            Operation::AddNumber { numbers } => {
                ring.add_number(&mut a, at(&by_modulus(ring, &step.basis, numbers)));
            }
            Operation::Convert { from, from_factors, to_factors } => {
                let [sources, targets] = [from, &step.basis].map(|basis| ring.moduli(basis));
                let (before, after) = (by_modulus(ring, from, from_factors), numbers(to_factors));
                let conversion = Conversion::new(&sources, &targets, at(&before), at(&after));
                a = ring.convert(&a, &conversion, &step.basis);
            }
            Operation::Permute { exponent } => a = ring.automorphism(&a, *exponent),
            _ => return Err(Flaw::Inputs { got: step.inputs.len() }),
        }
        self.release(others);
        Ok(a)
    }

    /// Runs operations with any number of operands, which do not change.
    fn gathered(&self, step: &Step) -> Result<Polynomial, Flaw> {
        let (ring, basis) = (self.ring, &step.basis);
        let inputs = step.inputs.iter().map(|value| self.get(*value));
        let inputs = inputs.collect::<Result<Vec<&ReplayValue<'a>>, Flaw>>()?;
        let polynomials: Vec<&Polynomial> = inputs.iter().map(|held| held.polynomial()).collect();
        Ok(match &step.operation {
            Operation::Combine { numbers } => {
                let by_term = numbers.iter().map(|numbers| by_modulus(ring, basis, numbers));
                let by_term: Vec<_> = by_term.collect();
                ring.combine(basis, &polynomials, |term, modulus| at(&by_term[term])(modulus))
            }
            Operation::Select => {
                let has = |place: u16| {
                    inputs.iter().position(|held| held.basis().limb_of(place).is_some())
                };
                ring.from_places(basis, step.form, |place, _, limb| {
                    if let Some(index) = has(place) {
                        limb.copy_from_slice(limb_at(polynomials[index], place));
                    }
                })
            }
            Operation::Zero => ring.zero(basis, step.form),
            _ => {
                let pairs = polynomials.chunks_exact(2).map(|pair| (pair[0], pair[1]));
                ring.sum_of_products(basis, &pairs.collect::<Vec<_>>())
            }
        })
    }

    fn get(&self, value: u64) -> Result<&ReplayValue<'a>, Flaw> {
        self.values.get(&value).ok_or(Flaw::Unknown { value })
    }

    fn input(&self, values: &[u64], index: usize) -> Result<&Polynomial, Flaw> {
        let value = values.get(index).ok_or(Flaw::Inputs { got: values.len() })?;
        Ok(self.get(*value)?.polynomial())
    }

    /// Returns a value that may be changed: the value itself after its last use, or a copy.
    fn take(&mut self, value: u64, basis: &Basis) -> Result<Polynomial, Flaw> {
        if !self.use_up(value) {
            return Ok(self.ring.restrict(self.get(value)?.polynomial(), basis));
        }
        match self.values.remove(&value) {
            Some(ReplayValue::Own(polynomial)) if polynomial.basis() == basis => Ok(polynomial),
            Some(held) => Ok(self.ring.restrict(held.polynomial(), basis)),
            None => Err(Flaw::Unknown { value }),
        }
    }

    /// Drops values that have no remaining uses.
    fn release(&mut self, values: &[u64]) {
        for value in values {
            if self.use_up(*value) {
                self.values.remove(value);
            }
        }
    }

    /// Counts a use, and returns `true` if it was the last.
    fn use_up(&mut self, value: u64) -> bool {
        let Some(uses) = self.uses.get_mut(&value) else { return false };
        *uses = uses.saturating_sub(1);
        *uses == 0
    }
}

/// Maps the primes of a basis to numbers.
fn by_modulus<T: Copy>(ring: &Ring, basis: &Basis, numbers: &[T]) -> HashMap<u32, T> {
    let moduli = ring.moduli(basis).into_iter().map(Modulus::value);
    moduli.zip(numbers.iter().copied()).collect()
}

/// Returns the number of a prime.
fn at<T: Copy + Default>(numbers: &HashMap<u32, T>) -> impl Fn(Modulus) -> T + Copy + '_ {
    move |modulus| numbers.get(&modulus.value()).copied().unwrap_or_default()
}
