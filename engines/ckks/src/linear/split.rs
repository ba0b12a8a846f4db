// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Splits the steps of diagonals into giant and baby steps.

use std::collections::BTreeSet;

/// The cost of a giant step in baby steps: a giant step decomposes a polynomial into digits,
/// several hundred transforms, while a baby step reads its key and permutes.
const GIANT_COST: usize = 4;

/// The way in which vectors are rotated by several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RotationStrategy {
    /// Each step has its own key, and steps share digits if possible.
    Hoisted,
    /// Rotations run in sequence with the key of one step, of which all steps are multiples
    /// ("Min-KS": Kim et al., "ARK: fully homomorphic encryption accelerator with runtime data
    /// generation and inter-operation key reuse", MICRO 2022). The step is a power of four if
    /// possible, so that keys are shared.
    Repeated,
}

impl RotationStrategy {
    /// Returns the strategy of the fewest keys, or of the least time.
    pub fn of(few_keys: bool) -> Self {
        if few_keys {
            Self::Repeated
        } else {
            Self::Hoisted
        }
    }
}

/// Splits step k into the giant step k − b and the baby step b = k mod `modulus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Split {
    pub modulus: usize,
    /// For repeated rotations, the step of which baby steps are multiples. Giant steps are
    /// multiples of the modulus.
    pub stride: Option<usize>,
}

/// Returns the rotations whose keys a matrix with diagonals at these steps needs.
pub(crate) fn rotations_of(
    steps: &[usize],
    slots: usize,
    strategy: RotationStrategy,
) -> BTreeSet<usize> {
    Split::of(steps, slots, strategy).rotations(steps)
}

impl Split {
    /// Returns the cheapest split of these steps, which are below a power of two.
    pub fn of(steps: &[usize], slots: usize, strategy: RotationStrategy) -> Self {
        // Steps that are all multiples of a power of two are split like their quotients.
        let shift = steps.iter().fold(slots, |all, step| all | step).trailing_zeros();
        let logs = shift..=slots.trailing_zeros();
        let hoisted = |log: u32| Self { modulus: 1 << log, stride: None };
        let repeated = |modulus: usize| Self { modulus, stride: Some(1 << shift) };
        let splits: Vec<Self> = match strategy {
            RotationStrategy::Hoisted => logs.map(hoisted).collect(),
            // The first candidate has no giant steps.
            RotationStrategy::Repeated => std::iter::once(slots)
                .chain(logs.skip(1).filter(|log| log % 2 == 0).map(|log| 1 << log))
                .map(repeated)
                .collect(),
        };
        let cheapest = splits.into_iter().min_by_key(|split| split.cost(steps));
        cheapest.unwrap_or(Self { modulus: slots, stride: None })
    }

    /// Returns the cheapest split that all blocks can share, from the steps of all blocks in each
    /// column, which share baby steps, and in each row, which share giant steps.
    pub fn of_blocks(columns: &[BTreeSet<usize>], rows: &[BTreeSet<usize>], slots: usize) -> Self {
        let all = rows.iter().flatten();
        let shift = all.fold(slots, |all, step| all | step).trailing_zeros();
        let splits =
            (shift..=slots.trailing_zeros()).map(|log| Self { modulus: 1 << log, stride: None });
        let count = |steps: &BTreeSet<usize>, part: &dyn Fn(usize) -> usize| {
            let parts: BTreeSet<usize> = steps.iter().map(|step| part(*step)).collect();
            parts.len() - usize::from(parts.contains(&0))
        };
        let cost = |split: &Self| {
            let babies = columns.iter().map(|steps| count(steps, &|step| split.parts(step).1));
            let giants = rows.iter().map(|steps| count(steps, &|step| split.parts(step).0));
            babies.sum::<usize>() + GIANT_COST * giants.sum::<usize>()
        };
        splits.min_by_key(cost).unwrap_or(Self { modulus: slots, stride: None })
    }

    /// Returns the giant and the baby step of a step.
    pub fn parts(self, step: usize) -> (usize, usize) {
        (step - step % self.modulus, step % self.modulus)
    }

    /// Returns the giant and the baby steps that rotate with their own key.
    pub fn rotations(self, steps: &[usize]) -> BTreeSet<usize> {
        let parts = steps.iter().map(|step| self.parts(*step));
        let by = |giant: usize, baby: usize| match self.stride {
            None => [giant, baby],
            Some(stride) => [giant.min(self.modulus), baby.min(stride)],
        };
        parts.flat_map(|(giant, baby)| by(giant, baby)).filter(|step| *step != 0).collect()
    }

    fn cost(self, steps: &[usize]) -> usize {
        let parts = steps.iter().map(|step| self.parts(*step));
        let (giants, babies): (BTreeSet<_>, BTreeSet<_>) = parts.unzip();
        let Some(stride) = self.stride else {
            let count = |of: BTreeSet<usize>| of.iter().filter(|step| **step != 0).count();
            return count(babies) + GIANT_COST * count(giants);
        };
        let most = |of: &BTreeSet<usize>| of.last().copied().unwrap_or(0);
        most(&babies) / stride + most(&giants) / self.modulus
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_are_the_cheapest() {
        let split = |modulus: usize| Split { modulus, stride: None };
        let of = |steps: &[usize], slots: usize| Split::of(steps, slots, RotationStrategy::Hoisted);
        let all: Vec<usize> = (0..64).collect();
        assert_eq!(of(&all, 64), split(16));
        assert_eq!(of(&all, 64).parts(39), (32, 7));
        // Steps around 0, as in the factors of a Fourier transform, of any stride.
        for stride in [1, 4, 32] {
            let slots = 16 * 8 * stride;
            let steps: Vec<usize> =
                (0..31).map(|k| (k * stride + slots - 15 * stride) % slots).collect();
            assert_eq!(of(&steps, slots), split(8 * stride), "as cheap as 16, with fewer keys");
        }
        assert_eq!(of(&[0], 1), split(1));
        assert_eq!(of(&[5], 8).cost(&[5]), 1);
    }

    #[test]
    fn repeated_turns_take_one_key_for_baby_and_one_for_giant_steps() {
        let check = |count: usize, stride: usize, slots: usize, modulus: usize, cost: usize| {
            let steps: Vec<usize> = (0..count).map(|k| k * stride).collect();
            let split = Split::of(&steps, slots, RotationStrategy::Repeated);
            assert_eq!(split, Split { modulus, stride: Some(stride) });
            assert_eq!(split.cost(&steps), cost);
            let giant = Some(modulus).filter(|giant| *giant < slots);
            assert_eq!(split.rotations(&steps), [stride].into_iter().chain(giant).collect());
        };
        check(31, 1, 1 << 15, 4, 3 + 7);
        check(63, 1, 1 << 15, 4, 3 + 15);
        check(31, 16, 1 << 15, 64, 3 + 7);
        // Giant steps are powers of four for every stride.
        check(63, 32, 1 << 15, 256, 7 + 7);
        check(32, 1 << 10, 1 << 15, 1 << 12, 3 + 7);
        check(8, 1 << 12, 1 << 15, 1 << 14, 3 + 1);
        check(3, 2, 8, 8, 2);
        check(4, 2, 8, 4, 2);
        let none = Split::of(&[0], 8, RotationStrategy::Repeated);
        assert_eq!((none.rotations(&[0]), none.cost(&[0])), (BTreeSet::new(), 0));
        // A first step other than 0 does not matter.
        let steps: Vec<usize> = (1..32).collect();
        let keys = rotations_of(&steps, 1 << 10, RotationStrategy::Repeated);
        assert_eq!(keys, BTreeSet::from([1, 4]));
        // Irregular steps are all multiples of one.
        assert_eq!(
            rotations_of(&[3, 10, 61], 64, RotationStrategy::Repeated),
            BTreeSet::from([1, 16])
        );
    }
}
