// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How the steps of diagonals are split into giant and baby steps.

use std::collections::BTreeSet;

/// What a giant step costs, in baby steps: it takes a polynomial apart into digits, some hundred
/// transforms, where a baby step reads its key and permutes.
const GIANT_COST: usize = 4;

/// Step k is the giant step k − b and the baby step b = k mod `modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Split {
    pub modulus: usize,
}

/// The rotations that a matrix with diagonals at these steps takes.
pub(crate) fn rotations_of(steps: &[usize], slots: usize) -> BTreeSet<usize> {
    Split::of(steps, slots).rotations(steps)
}

impl Split {
    /// The cheapest split of these steps, which are below a power of two.
    pub fn of(steps: &[usize], slots: usize) -> Self {
        // Steps that are all multiples of a power of two are split like their quotients.
        let shift = steps.iter().fold(slots, |all, step| all | step).trailing_zeros();
        let moduli = (shift..=slots.trailing_zeros()).map(|log| Self { modulus: 1 << log });
        let cheapest = moduli.min_by_key(|split| split.cost(steps));
        cheapest.unwrap_or(Self { modulus: slots })
    }

    /// The giant and the baby step of a step.
    pub fn parts(self, step: usize) -> (usize, usize) {
        (step - step % self.modulus, step % self.modulus)
    }

    /// The giant and the baby steps that rotate.
    pub fn rotations(self, steps: &[usize]) -> BTreeSet<usize> {
        let parts = steps.iter().map(|step| self.parts(*step));
        parts.flat_map(|(giant, baby)| [giant, baby]).filter(|step| *step != 0).collect()
    }

    fn cost(self, steps: &[usize]) -> usize {
        let parts = steps.iter().map(|step| self.parts(*step));
        let (giants, babies): (BTreeSet<_>, BTreeSet<_>) = parts.unzip();
        let count = |of: BTreeSet<usize>| of.iter().filter(|step| **step != 0).count();
        count(babies) + GIANT_COST * count(giants)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_the_cheapest() {
        let all: Vec<usize> = (0..64).collect();
        assert_eq!(Split::of(&all, 64), Split { modulus: 16 });
        assert_eq!(Split::of(&all, 64).parts(39), (32, 7));
        // Steps around 0, as the factors of a Fourier transform have them, of any stride.
        for stride in [1, 4, 32] {
            let slots = 16 * 8 * stride;
            let steps: Vec<usize> =
                (0..31).map(|k| (k * stride + slots - 15 * stride) % slots).collect();
            let split = Split::of(&steps, slots);
            assert_eq!(split, Split { modulus: 8 * stride }, "as cheap as 16, with fewer keys");
        }
        assert_eq!(Split::of(&[0], 1), Split { modulus: 1 });
        assert_eq!(Split::of(&[5], 8).cost(&[5]), 1);
    }
}
