// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks that a program can be run: a recorded one always can, but one from a file may be damaged.

use std::collections::{HashMap, HashSet};

use super::error::{Flaw, ProgramError};
use super::program::{External, Output, Program};
use super::step::{Operation, Step};
use crate::ring::basis::Basis;
use crate::ring::conversion::MAX_SOURCES;
use crate::ring::form::Form;
use crate::ring::kernels::MAX_TERMS;
use crate::ring::limits::{LOG_DEGREES, MIN_VALUES};

/// The properties of a computed value.
#[derive(Clone, Copy)]
struct Shape<'a> {
    basis: &'a Basis,
    form: Form,
    run: usize,
}

type Values<'a> = HashMap<u64, Shape<'a>>;

impl Program {
    /// Checks that every value is computed once and before its first use, that it has the required
    /// primes and form, and that all numbers are present and in range.
    ///
    /// # Errors
    /// [`ProgramError`] for the first violation.
    pub fn check(&self) -> Result<(), ProgramError> {
        let is_degree = self.degree.is_power_of_two()
            && LOG_DEGREES.contains(&self.degree.trailing_zeros())
            && self.primes.len() <= usize::from(u16::MAX);
        if !is_degree {
            return Err(ProgramError::Degree { got: self.degree });
        }
        let mut values = Values::new();
        let mut names = HashSet::new();
        for external in &self.externals {
            let flawed = |flaw| ProgramError::External { name: external.name.clone(), flaw };
            self.check_basis(&external.basis).map_err(flawed)?;
            if !names.insert(&external.name) {
                return Err(flawed(Flaw::Name));
            }
            let External { value, basis, form, run, .. } = external;
            if !(run.is_power_of_two() && *run <= self.degree / MIN_VALUES) {
                return Err(flawed(Flaw::Run { value: *value }));
            }
            let shape = Shape { basis, form: *form, run: *run };
            if values.insert(*value, shape).is_some() {
                return Err(flawed(Flaw::Again { value: *value }));
            }
        }
        for (index, step) in self.steps.iter().enumerate() {
            let operation = step.operation.name();
            self.check_step(step, &values).map_err(|flaw| ProgramError::Step {
                step: index,
                operation,
                flaw,
            })?;
            let shape = Shape { basis: &step.basis, form: step.form, run: 1 };
            values.insert(step.output, shape);
        }
        let is_there = |output: &Output| values.get(&output.value).is_some_and(|of| of.run == 1);
        match self.outputs.iter().find(|output| !is_there(output)) {
            Some(output) => Err(ProgramError::NoOutput { name: output.name.clone() }),
            None => Ok(()),
        }
    }

    fn check_step(&self, step: &Step, values: &Values) -> Result<(), Flaw> {
        self.check_basis(&step.basis)?;
        let count = step.inputs.len();
        if !step.operation.takes(count) {
            return Err(Flaw::Inputs { got: count });
        }
        if values.contains_key(&step.output) {
            return Err(Flaw::Again { value: step.output });
        }
        let (form_in, form_out) = step.operation.forms(step.form);
        if step.form != form_out {
            return Err(Flaw::Form { value: step.output });
        }
        let mut all = Basis::new([]);
        for (index, value) in step.inputs.iter().enumerate() {
            let Shape { basis, form, run } =
                *values.get(value).ok_or(Flaw::Unknown { value: *value })?;
            if form != form_in {
                return Err(Flaw::Form { value: *value });
            }
            let may_repeat = index % 2 == 1 && step.operation == Operation::SumOfProducts;
            if run != 1 && !may_repeat {
                return Err(Flaw::Run { value: *value });
            }
            let is_whole = match &step.operation {
                Operation::Select => {
                    all = all.union(basis);
                    true
                }
                Operation::Convert { from, .. } => basis.contains(from),
                _ => basis.contains(&step.basis),
            };
            if !is_whole {
                return Err(Flaw::Basis { value: *value });
            }
        }
        if matches!(step.operation, Operation::Select) && !all.contains(&step.basis) {
            return Err(Flaw::Basis { value: step.inputs.first().copied().unwrap_or_default() });
        }
        self.check_numbers(step)
    }

    fn check_basis(&self, basis: &Basis) -> Result<(), Flaw> {
        let last = basis.places().last().copied().map(usize::from);
        match last.filter(|last| *last < self.primes.len()) {
            Some(_) => Ok(()),
            None => Err(Flaw::Primes),
        }
    }

    fn check_numbers(&self, step: &Step) -> Result<(), Flaw> {
        let basis = &step.basis;
        let are_right = match &step.operation {
            Operation::Scale { factors } | Operation::SubtractScale { factors } => {
                self.are_residues::<1>(factors, basis)
            }
            Operation::AddNumber { numbers } => {
                self.are_residues::<2>(numbers.as_flattened(), basis)
            }
            Operation::Combine { numbers } => {
                let mut terms = numbers.iter().map(|numbers| numbers.as_flattened());
                terms.all(|numbers| self.are_residues::<2>(numbers, basis))
            }
            Operation::Convert { from, from_factors, to_factors } => {
                self.check_basis(from)?;
                from.len() <= MAX_SOURCES
                    && self.are_residues::<1>(from_factors, from)
                    && self.are_residues::<1>(to_factors, basis)
            }
            Operation::Permute { exponent } => {
                let is_one = exponent % 2 == 1 && *exponent < 2 * self.degree as u64;
                return if is_one { Ok(()) } else { Err(Flaw::Exponent { exponent: *exponent }) };
            }
            _ => true,
        };
        if are_right {
            Ok(())
        } else {
            Err(Flaw::Numbers)
        }
    }

    /// Returns `true` if there are `EACH` numbers for each prime, all below it.
    fn are_residues<const EACH: usize>(&self, numbers: &[u32], basis: &Basis) -> bool {
        let prime = |place: &u16| self.primes[usize::from(*place)].modulus;
        let mut of_primes = numbers.chunks(EACH).zip(basis.places());
        numbers.len() == EACH * basis.len()
            && of_primes.all(|(numbers, place)| numbers.iter().all(|n| *n < prime(place)))
    }
}

impl Operation {
    /// Returns `true` if the operation can have this number of inputs.
    fn takes(&self, count: usize) -> bool {
        match self {
            Self::Zero => count == 0,
            Self::Forward
            | Self::Inverse
            | Self::Negate
            | Self::Scale { .. }
            | Self::AddNumber { .. }
            | Self::Convert { .. }
            | Self::Permute { .. } => count == 1,
            Self::Add | Self::Subtract | Self::Multiply | Self::SubtractScale { .. } => count == 2,
            Self::MultiplyAdd => count == 3,
            Self::Combine { numbers } => count == numbers.len(),
            Self::SumOfProducts => count.is_multiple_of(2),
            Self::KeyProduct => count.is_multiple_of(2) && (2..=2 * MAX_TERMS).contains(&count),
            Self::Select => count > 0,
        }
    }

    /// The forms of the inputs and of the output. If one may have any form, both have the form
    /// `any`.
    fn forms(&self, any: Form) -> (Form, Form) {
        match self {
            Self::Forward => (Form::Coefficients, Form::Values),
            Self::Inverse => (Form::Values, Form::Coefficients),
            Self::Convert { .. } => (Form::Coefficients, Form::Coefficients),
            Self::Add
            | Self::Subtract
            | Self::Negate
            | Self::Scale { .. }
            | Self::SubtractScale { .. }
            | Self::Select
            | Self::Zero => (any, any),
            Self::Multiply
            | Self::MultiplyAdd
            | Self::AddNumber { .. }
            | Self::Combine { .. }
            | Self::SumOfProducts
            | Self::KeyProduct
            | Self::Permute { .. } => (Form::Values, Form::Values),
        }
    }
}
