// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batch verification of equations, each of which states that a product of pairings is 1.
//!
//! With random multipliers rᵢ, the product of all items' products to the power of rᵢ is 1 if every
//! one is 1; if one is not, it is 1 with probability 2⁻¹²⁸. If it is not 1, the failed items are
//! found by bisection: the products of single items, with the same multipliers, are the leaves of a
//! tree, and each node that is not 1 has a child that is not 1. A leaf's verdict is exact, since a
//! multiplier is not 0 modulo r. So an item's Miller loops are computed at most once more, and a
//! bad item costs at most two final exponentiations per level.

use rayon::prelude::*;

use crate::library::Miller;
use crate::multipliers::{multipliers, Multiplier};
use crate::pairing::{are_one, is_product_one, miller_product, miller_products, Pair};

/// Equations that are verified together.
pub(crate) trait Equations: Sync {
    /// The number of equations.
    fn len(&self) -> usize;

    /// Returns the pairs of all equations, each to the power of its multiplier; terms that share a
    /// point are merged.
    fn pairs(&self, multipliers: &[Multiplier]) -> Vec<Pair>;

    /// Returns the pairs of one equation, to the power of its multiplier.
    fn pairs_of(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair>;

    /// Returns the product of one equation's Miller loops, without a multiplier.
    fn product_of(&self, row: usize) -> Miller {
        miller_product(&self.pairs_of(row, &ONE))
    }
}

/// Returns, for each equation, whether it holds.
pub(crate) fn which_hold(equations: &impl Equations) -> Vec<bool> {
    match (equations.len(), multipliers(equations.len())) {
        (0, _) => Vec::new(),
        (1, _) => vec![equations.product_of(0).is_one()],
        (count, None) => {
            let rows = (0..count).into_par_iter();
            are_one(&rows.map(|row| equations.product_of(row)).collect::<Vec<_>>())
        }
        (count, Some(multipliers)) => {
            if is_product_one(&equations.pairs(&multipliers)) {
                return vec![true; count];
            }
            bisect(leaves(equations, &multipliers))
        }
    }
}

/// The multiplier 1, for a single equation.
const ONE: Multiplier = {
    let mut one = [0; size_of::<Multiplier>()];
    one[0] = 1;
    one
};

/// Returns the product of each equation.
fn leaves(equations: &impl Equations, multipliers: &[Multiplier]) -> Vec<Miller> {
    let rows = multipliers.par_iter().enumerate();
    let lists: Vec<Vec<Pair>> =
        rows.map(|(row, multiplier)| equations.pairs_of(row, multiplier)).collect();
    miller_products(&lists)
}

/// Returns which of the values are 1 in GT, given that their product is not.
fn bisect(leaves: Vec<Miller>) -> Vec<bool> {
    let count = leaves.len();
    // Builds the levels from the leaves up; a node is the product of its children, or its only
    // child.
    let mut levels = vec![leaves];
    while let Some(below) = levels.last().filter(|level| level.len() > 1) {
        let product = |children: &[Miller]| match children {
            [left, right] => left.times(right),
            [only, ..] => *only,
            [] => Miller::one(),
        };
        levels.push(below.par_chunks(2).map(product).collect());
    }
    levels.pop();
    let mut bad = vec![0];
    for level in levels.iter().rev() {
        let lefts: Vec<usize> = bad.iter().map(|node| 2 * node).collect();
        // A child without a sibling is not 1, like its parent.
        let paired: Vec<usize> =
            lefts.iter().copied().filter(|left| left + 1 < level.len()).collect();
        let left_is_one = are_one(&pick(level, &paired));
        // If the left child is 1, the right child is not.
        let uncertain: Vec<usize> = zip_if(&paired, &left_is_one, false).map(|l| l + 1).collect();
        let right_is_one = are_one(&pick(level, &uncertain));
        let mut next: Vec<usize> =
            lefts.iter().copied().filter(|left| left + 1 >= level.len()).collect();
        next.extend(zip_if(&paired, &left_is_one, false));
        next.extend(zip_if(&paired, &left_is_one, true).map(|left| left + 1));
        next.extend(zip_if(&uncertain, &right_is_one, false));
        bad = next;
    }
    let mut hold = vec![true; count];
    for row in bad {
        hold[row] = false;
    }
    hold
}

fn pick(level: &[Miller], nodes: &[usize]) -> Vec<Miller> {
    nodes.iter().map(|&node| level[node]).collect()
}

/// Selects the nodes with a given answer.
fn zip_if<'a>(
    nodes: &'a [usize],
    answers: &'a [bool],
    wanted: bool,
) -> impl Iterator<Item = usize> + 'a {
    nodes.iter().zip(answers).filter(move |(_, answer)| **answer == wanted).map(|(node, _)| *node)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use halimede_arith::Fr;

    use super::*;
    use crate::library::{Curve, Ladder, G1};
    use crate::pairing::pair;
    use crate::{Point, G2};

    /// Equation i holds if its error is 0: e((1 + error)·P, Q)·e(−P, Q) = 1.
    struct Errors {
        errors: Vec<Fr>,
        leaves: AtomicUsize,
    }

    impl Errors {
        fn new(errors: Vec<Fr>) -> Self {
            Self { errors, leaves: AtomicUsize::new(0) }
        }
    }

    impl Equations for Errors {
        fn len(&self) -> usize {
            self.errors.len()
        }

        fn pairs(&self, multipliers: &[Multiplier]) -> Vec<Pair> {
            (0..self.len()).flat_map(|row| self.weighted(row, &multipliers[row])).collect()
        }

        fn pairs_of(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair> {
            self.leaves.fetch_add(1, Ordering::Relaxed);
            self.weighted(row, multiplier)
        }
    }

    impl Errors {
        fn weighted(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair> {
            let (g1, g2) = (Point::<G1>::generator(), Point::<G2>::generator());
            let weighted = |point: Point<G1>| {
                let ladder = Ladder { scalars: multiplier, bits: 128 };
                let multiple = G1::multiply(point.affine(), ladder);
                Point::<G1>::of_group(G1::to_affine(&[multiple])[0])
            };
            let wrong = g1.times(&(Fr::from(1) + self.errors[row]));
            vec![pair(&weighted(wrong), &g2), pair(&weighted(g1.negated()), &g2)]
        }
    }

    #[test]
    fn every_set_of_bad_rows_is_named() {
        for count in 0..7usize {
            for set in 0..1u32 << count {
                let bad = |row: usize| set >> row & 1 == 1;
                let errors = (0..count).map(|row| Fr::from(u64::from(bad(row)) * 7)).collect();
                let expected: Vec<bool> = (0..count).map(|row| !bad(row)).collect();
                assert_eq!(which_hold(&Errors::new(errors)), expected, "{count} {set:b}");
            }
        }
    }

    #[test]
    fn errors_that_cancel_without_multipliers_are_found() {
        let errors = [5, 0, 0, 0, 0, 3].map(Fr::from);
        let mut errors = errors.to_vec();
        errors.extend([-Fr::from(5), Fr::from(0), -Fr::from(3)]);
        assert!(errors.iter().copied().sum::<Fr>().is_zero());
        let expected: Vec<bool> = errors.iter().map(Fr::is_zero).collect();
        assert_eq!(which_hold(&Errors::new(errors.clone())), expected);
        // The test relies on a product of 1 without multipliers.
        let equations = Errors::new(errors);
        assert!(is_product_one(&equations.pairs(&vec![ONE; equations.len()])));
    }

    #[test]
    fn a_good_batch_has_no_leaves_and_a_bad_one_each_once() {
        let good = Errors::new(vec![Fr::from(0); 9]);
        assert_eq!(which_hold(&good), [true; 9]);
        assert_eq!(good.leaves.load(Ordering::Relaxed), 0);
        let bad = Errors::new((0..9u64).map(|row| Fr::from(row % 2)).collect());
        assert_eq!(which_hold(&bad), [true, false, true, false, true, false, true, false, true]);
        assert_eq!(bad.leaves.load(Ordering::Relaxed), 9);
    }

    #[test]
    fn multipliers_differ_and_are_never_zero() {
        let drawn = multipliers(1000).unwrap_or_default();
        let mut distinct = drawn.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert!(distinct.len() == 1000 && distinct[0] != [0; 16]);
        assert_ne!(Some(drawn), multipliers(1000));
    }
}
