// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Replays a trace.

use std::collections::HashMap;

use super::arithmetic::{add, forward, inverse_transform, multiply, power, reversed, subtract};
use super::error::FhetchError;
use super::trace::{Instruction, Operation, Port, Trace, COPY_MODULUS};

/// The largest number of 64-bit words of polynomials that are needed at the same time.
pub const MAX_LIVE_WORDS: usize = 1 << 28;

type Memory = HashMap<u64, Vec<u64>>;

impl Trace {
    /// Computes the outputs, in order. `of` returns the residues of an input, and is called
    /// once for each input that is read.
    ///
    /// # Errors
    /// [`FhetchError`] for inputs that are missing or do not fit, for a read of an address that
    /// nothing wrote, for a wrong root, and if [`MAX_LIVE_WORDS`] do not suffice.
    pub fn replay(
        &self,
        mut of: impl FnMut(&Port) -> Option<Vec<u64>>,
    ) -> Result<Vec<Vec<u64>>, FhetchError> {
        let last_use = self.last_uses();
        self.check_memory(&last_use)?;
        let mut memory = Memory::new();
        for input in &self.inputs {
            if last_use.contains_key(&input.address) {
                memory.insert(input.address, self.given(input, &mut of)?);
            }
        }
        for (index, instruction) in self.instructions.iter().enumerate() {
            let failed = |reason: String| FhetchError::Instruction { instruction: index, reason };
            let result = self.computed(instruction, &memory).map_err(failed)?;
            for address in instruction.operation.reads() {
                if last_use.get(&address) == Some(&index) {
                    memory.remove(&address);
                }
            }
            if last_use.get(&instruction.to).is_some_and(|last| *last > index) {
                memory.insert(instruction.to, result);
            }
        }
        let output = |Port { address, .. }: &Port| {
            let reason = || "nothing wrote this output".to_owned();
            let found = memory.get(address).cloned();
            found.ok_or_else(|| FhetchError::Input { address: *address, reason: reason() })
        };
        self.outputs.iter().map(output).collect()
    }

    /// The index of the last instruction that reads an address; behind all for outputs.
    fn last_uses(&self) -> HashMap<u64, usize> {
        let mut last = HashMap::new();
        for (index, instruction) in self.instructions.iter().enumerate() {
            last.extend(instruction.operation.reads().map(|address| (address, index)));
        }
        last.extend(self.outputs.iter().map(|port| (port.address, self.instructions.len())));
        last
    }

    /// Checks that the values that live at the same time fit in the limit.
    fn check_memory(&self, last_use: &HashMap<u64, usize>) -> Result<(), FhetchError> {
        let mut live: std::collections::HashSet<u64> = self
            .inputs
            .iter()
            .map(|port| port.address)
            .filter(|address| last_use.contains_key(address))
            .collect();
        let mut most = live.len() + self.outputs.len();
        for (index, Instruction { to, operation, .. }) in self.instructions.iter().enumerate() {
            for address in operation.reads() {
                if last_use.get(&address) == Some(&index) {
                    live.remove(&address);
                }
            }
            if last_use.get(to).is_some_and(|last| *last > index) {
                live.insert(*to);
            }
            most = most.max(live.len() + self.outputs.len() + 3);
        }
        let (needed, limit) = (most.saturating_mul(self.degree), MAX_LIVE_WORDS);
        match needed <= limit {
            true => Ok(()),
            false => Err(FhetchError::Memory { needed, limit }),
        }
    }

    /// Returns the residues of an input.
    fn given(
        &self,
        port: &Port,
        of: &mut impl FnMut(&Port) -> Option<Vec<u64>>,
    ) -> Result<Vec<u64>, FhetchError> {
        let failed =
            |reason: &str| FhetchError::Input { address: port.address, reason: reason.to_owned() };
        let values = of(port).ok_or_else(|| failed("it is missing"))?;
        if values.len() != self.degree {
            return Err(failed("it does not have N residues"));
        }
        let q = self.moduli.get(port.modulus).copied().unwrap_or_default();
        match values.iter().all(|value| *value < q) {
            true => Ok(values),
            false => Err(failed("a residue is not below its modulus")),
        }
    }

    fn computed(&self, of: &Instruction, memory: &Memory) -> Result<Vec<u64>, String> {
        let q = self.moduli.get(of.modulus).copied().ok_or("the modulus is not in the table")?;
        let needs_modulus =
            !matches!(of.operation, Operation::Automorphism(..) | Operation::AddNumber(_, 0));
        if needs_modulus && q == COPY_MODULUS {
            return Err("this operation needs a modulus".to_owned());
        }
        let get = |address: u64| {
            let found = memory.get(&address).map(Vec::as_slice);
            found.ok_or_else(|| format!("nothing wrote %{address} before"))
        };
        // Operands of operations without a reduction must be residues.
        let residues = |address: u64| {
            let values = get(address)?;
            match values.iter().all(|value| *value < q) {
                true => Ok(values),
                false => Err(format!("%{address} has values that are not below the modulus {q}")),
            }
        };
        let both = |a: u64, b: u64, of: fn(u64, u64, u64) -> u64| {
            let (a, b) = (residues(a)?, residues(b)?);
            Ok(a.iter().zip(b).map(|(a, b)| of(*a, *b, q)).collect())
        };
        let each = |a: &[u64], of: &dyn Fn(u64) -> u64| Ok(a.iter().map(|a| of(*a)).collect());
        match of.operation {
            Operation::Add(a, b) => both(a, b, add),
            Operation::Subtract(a, b) => both(a, b, subtract),
            Operation::Multiply(a, b) => both(a, b, multiply),
            Operation::AddNumber(a, 0) => Ok(get(a)?.to_vec()),
            Operation::AddNumber(a, n) => each(residues(a)?, &|a| add(a, n % q, q)),
            Operation::SubtractNumber(a, n) => each(residues(a)?, &|a| subtract(a, n % q, q)),
            Operation::MultiplyNumber(_, 0) => Ok(vec![0; self.degree]),
            Operation::MultiplyNumber(a, n) => each(get(a)?, &|a| multiply(a, n % q, q)),
            Operation::Negate(a) => each(residues(a)?, &|a| subtract(0, a, q)),
            Operation::Forward(a, root) | Operation::Inverse(a, root) => {
                let degree = self.degree as u64;
                if root >= q || power(root, degree, q) != q - 1 {
                    return Err(format!("{root} is not a primitive root of order 2N modulo {q}"));
                }
                let mut a = residues(a)?.to_vec();
                match of.operation {
                    Operation::Forward(..) => forward(&mut a, root, q),
                    _ => inverse_transform(&mut a, root, q),
                }
                Ok(a)
            }
            Operation::Automorphism(a, k) => {
                let (a, bits) = (get(a)?, self.degree.trailing_zeros());
                if k % 2 == 0 || k >= 2 * self.degree as u64 {
                    return Err(format!("the exponent {k} is not odd and below 2N"));
                }
                let from = |to: usize| {
                    let odd = (2 * reversed(to, bits) + 1).wrapping_mul(k as usize);
                    a[reversed((odd >> 1) & (self.degree - 1), bits)]
                };
                Ok((0..self.degree).map(from).collect())
            }
            Operation::Shift(a, offset) => {
                let (a, degree) = (residues(a)?, self.degree);
                let offset = usize::try_from(offset).ok().filter(|offset| *offset < degree);
                let offset = offset.ok_or("the offset is not below N")?;
                let (low, high) = a.split_at(offset);
                let wrapped = low.iter().map(|value| subtract(0, *value, q));
                Ok(high.iter().copied().chain(wrapped).collect())
            }
        }
    }
}
