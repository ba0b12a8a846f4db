// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names for the inputs, keys, constants and outputs of a program.

use std::collections::{HashMap, HashSet};

use super::error::ProgramError;
use super::program::{External, Named, Output, Program, Role};
use super::step::Operation;
use crate::ring::polynomial::Value;

impl Program {
    /// Sets the external values, in the order of their first use.
    pub(in crate::ring) fn set_externals(&mut self, values: Vec<Value>) {
        let is_product = |operation: &Operation| matches!(operation, Operation::KeyProduct);
        let products = self.steps.iter().filter(|step| is_product(&step.operation));
        let second = products.flat_map(|step| step.inputs.iter().skip(1).step_by(2));
        let keys: HashSet<u64> = second.copied().collect();
        let all = self.degree;
        let external = |(index, Value { name: value, basis, form, degree }): (usize, Value)| {
            let run = all / degree;
            let is_key = keys.contains(&value);
            let role = if is_key { Role::Key } else { Role::Constant };
            let name = format!("{} {index}", if is_key { "key" } else { "constant" });
            External { value, name, role, basis, form, run }
        };
        self.externals = values.into_iter().enumerate().map(external).collect();
    }

    /// Returns the program with the names of the inputs, which come first, of the outputs, and of
    /// those polynomials of `held` that occur. Values are renumbered in order, so that the same
    /// work always produces the same program. Parts of keys and plaintexts without a name get a
    /// number.
    ///
    /// # Errors
    /// [`ProgramError::NoInput`] for an input that a step computed, and [`ProgramError::NoOutput`]
    /// for an output that is neither computed nor an external value.
    pub fn identified<'a>(
        mut self,
        inputs: &[Named<'_>],
        held: impl IntoIterator<Item = Named<'a>>,
        outputs: &[Named<'_>],
    ) -> Result<Self, ProgramError> {
        let computed: HashSet<u64> = self.steps.iter().map(|step| step.output).collect();
        let mut by_value: HashMap<u64, External> =
            self.externals.iter().map(|external| (external.value, external.clone())).collect();
        let order: Vec<u64> = self.externals.iter().map(|external| external.value).collect();
        let mut externals = Vec::with_capacity(order.len() + inputs.len());
        for (name, polynomial) in inputs {
            if computed.contains(&polynomial.name()) {
                return Err(ProgramError::NoInput { name: name.clone() });
            }
            by_value.remove(&polynomial.name());
            let Value { name: value, basis, form, degree } = polynomial.value();
            let (name, run) = (name.clone(), self.degree / degree);
            externals.push(External { value, name, role: Role::Input, basis, form, run });
        }
        for (name, polynomial) in held {
            if let Some(external) = by_value.get_mut(&polynomial.name()) {
                external.name = name;
                external.basis = polynomial.basis().clone();
            }
        }
        externals.extend(order.iter().filter_map(|value| by_value.remove(value)));
        self.externals = externals;
        let output = |(name, polynomial): &Named<'_>| Output {
            name: name.clone(),
            value: polynomial.name(),
        };
        self.outputs = outputs.iter().map(output).collect();
        self.renumber()?;
        self.check()?;
        Ok(self)
    }

    /// Renumbers values in the order of their appearance. An input that appears twice counts as the
    /// first one, and the second one is unused.
    fn renumber(&mut self) -> Result<(), ProgramError> {
        let mut numbers: HashMap<u64, u64> = HashMap::new();
        for (number, external) in (0..).zip(&mut self.externals) {
            numbers.entry(external.value).or_insert(number);
            external.value = number;
        }
        for (number, step) in (self.externals.len() as u64..).zip(&mut self.steps) {
            numbers.insert(step.output, number);
            step.output = number;
        }
        let unknown = u64::MAX;
        let number = |value: &u64| numbers.get(value).copied().unwrap_or(unknown);
        for step in &mut self.steps {
            step.inputs.iter_mut().for_each(|input| *input = number(input));
        }
        for output in &mut self.outputs {
            output.value = number(&output.value);
            if output.value == unknown {
                return Err(ProgramError::NoOutput { name: output.name.clone() });
            }
        }
        Ok(())
    }
}
