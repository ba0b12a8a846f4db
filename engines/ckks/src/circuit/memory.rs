// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that a plan needs while it runs, computed beforehand.

use std::collections::BTreeMap;

use super::graph::Operation;
use super::plan::Plan;
use super::step::Step;
use super::unary::Unary;
use crate::bootstrap::BootstrapMemory;

/// The largest number of ciphertexts that a function of several polynomials uses at once.
const FUNCTION_CIPHERTEXTS: usize = 64;
/// The number of polynomials with all primes in a key switch, besides the digits, and in the
/// operation around it.
const SWITCH_POLYNOMIALS: usize = 12;

impl Plan {
    /// Returns an upper bound for the bytes that a run of the plan needs besides the inputs, the
    /// keys and the matrices: the values kept for later steps, and the working memory of the
    /// largest step.
    pub fn memory_bytes(&self) -> usize {
        let mut uses = vec![0usize; self.steps.len()];
        let mut rotations: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (place, step) in self.steps.iter().enumerate() {
            step.operands.iter().for_each(|operand| uses[*operand] += 1);
            if let (Operation::Unary(Unary::Rotate(_)), [of]) =
                (&step.operation, &step.operands[..])
            {
                rotations.entry(*of).or_default().push(place);
            }
        }
        self.results.iter().for_each(|result| uses[*result] += 1);
        let mut is_there = vec![false; self.steps.len()];
        let (mut kept, mut most) = (0usize, 0usize);
        for (place, step) in self.steps.iter().enumerate() {
            let images = match (&step.operation, &step.operands[..]) {
                // All rotations of a value run at once.
                (Operation::Unary(Unary::Rotate(_)), [of]) => rotations.remove(of),
                _ => None,
            };
            for made in images.unwrap_or_default().into_iter().chain([place]) {
                if !is_there[made] {
                    is_there[made] = true;
                    kept = kept.saturating_add(self.ciphertext_bytes(self.steps[made].level));
                }
            }
            most = most.max(kept.saturating_add(self.working_bytes(step)));
            for operand in &step.operands {
                uses[*operand] -= 1;
                if uses[*operand] == 0 {
                    kept = kept.saturating_sub(self.ciphertext_bytes(self.steps[*operand].level));
                }
            }
        }
        most
    }

    /// Returns the size of a ciphertext of a level in bytes.
    fn ciphertext_bytes(&self, level: usize) -> usize {
        2 * self.polynomial_bytes(self.parameters.level(level).basis.len())
    }

    fn polynomial_bytes(&self, primes: usize) -> usize {
        primes * self.parameters.degree() * size_of::<u32>()
    }

    /// Returns the memory that a step needs besides its operands and results.
    fn working_bytes(&self, step: &Step) -> usize {
        let chain = self.parameters.chain();
        let level = self.working_level(step);
        let extended = self.parameters.level(level).basis.union(&chain.special).len();
        let switch = self.polynomial_bytes(extended) * (SWITCH_POLYNOMIALS + chain.digits.len());
        let ciphertexts = match &step.operation {
            Operation::Input(_) => return self.ciphertext_bytes(step.level),
            // Powers, and the same at lower levels.
            Operation::Unary(Unary::Polynomial(p)) => 2 * p.cost().products + 8,
            Operation::Unary(Unary::BlockPolynomials(p)) => 2 * p.cost().products + 8,
            Operation::Unary(Unary::Bootstrap) => {
                let memory = BootstrapMemory::new(&self.parameters);
                return memory.map_or(0, |memory| memory.working);
            }
            Operation::Unary(
                Unary::Sign(_)
                | Unary::IsPositive(_)
                | Unary::Relu(_)
                | Unary::Inverse { .. }
                | Unary::SquareRoot { .. }
                | Unary::InverseSquareRoot { .. },
            ) => FUNCTION_CIPHERTEXTS,
            // The baby steps and the sums of a matrix.
            Operation::Unary(Unary::Transform(matrix)) => 2 * matrix.steps().count() + 4,
            Operation::Blocks { matrix, .. } => {
                let blocks = matrix.rows().iter().flatten().flatten();
                2 * blocks.map(|block| block.steps().count()).sum::<usize>() + 4
            }
            _ => 4,
        };
        switch.saturating_add(ciphertexts.saturating_mul(2 * self.polynomial_bytes(extended)))
    }
}
