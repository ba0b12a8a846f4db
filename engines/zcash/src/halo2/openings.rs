// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The multipoint opening argument (The Halo 2 Book, section "Multipoint opening argument"): all
//! commitments that are opened at the same rotations of x form a set; each set is combined with
//! powers of x₁, the sets' quotients with powers of x₂, and all with powers of x₄.

use halimede_arith::Field;

use super::plan::{places, Plan, Rotations, HERE, NEXT, PREVIOUS, ROTATIONS};
use super::proof::{Action, Proof};
use crate::pasta::Fp;

/// A commitment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commitment {
    /// That of the instance column of an action.
    Instance(usize),
    /// A point of the proof, by its number.
    Point(usize),
    /// A fixed column.
    Fixed(usize),
    /// A column of the permutation argument.
    Sigma(usize),
    /// The pieces of the quotient polynomial h, combined.
    Pieces,
}

/// A commitment with the evaluations that it is opened to.
#[derive(Clone, Copy, Debug)]
pub struct Opening {
    pub commitment: Commitment,
    pub rotations: Rotations,
    /// By the place of the rotation.
    pub evaluations: [Fp; ROTATIONS],
}

impl Opening {
    fn new(commitment: Commitment) -> Self {
        Self { commitment, rotations: 0, evaluations: [Field::ZERO; ROTATIONS] }
    }

    fn at(mut self, rotation: usize, evaluation: Fp) -> Self {
        self.rotations |= 1 << rotation;
        self.evaluations[rotation] = evaluation;
        self
    }
}

impl Plan {
    /// Returns the openings of a proof, in the order of their first query. `h` is the evaluation of
    /// the quotient polynomial.
    pub fn openings(&self, proof: &Proof, h: Fp) -> Vec<Opening> {
        let mut openings = Vec::with_capacity(32 * proof.actions.len() + 64);
        for (number, action) in proof.actions.iter().enumerate() {
            self.openings_of_action(number, action, &mut openings);
        }
        for (column, queries) in &self.fixed {
            let opening = Opening::new(Commitment::Fixed(*column));
            openings.push(evaluated(opening, queries, &proof.fixed_evaluations));
        }
        for (column, evaluation) in proof.sigma_evaluations.iter().enumerate() {
            openings.push(Opening::new(Commitment::Sigma(column)).at(HERE, *evaluation));
        }
        openings.push(Opening::new(Commitment::Pieces).at(HERE, h));
        let random = Opening::new(Commitment::Point(proof.random));
        openings.push(random.at(HERE, proof.random_evaluation));
        openings
    }

    fn openings_of_action(&self, number: usize, action: &Action, openings: &mut Vec<Opening>) {
        for (_, queries) in &self.instance {
            let opening = Opening::new(Commitment::Instance(number));
            openings.push(evaluated(opening, queries, &action.instance_evaluations));
        }
        for (column, queries) in &self.advice {
            let opening = Opening::new(Commitment::Point(action.advice[*column]));
            openings.push(evaluated(opening, queries, &action.advice_evaluations));
        }
        for part in &action.permutation {
            let opening = Opening::new(Commitment::Point(part.product));
            let opening = opening.at(HERE, part.here).at(NEXT, part.next);
            openings.push(match part.last {
                Some(last) => opening.at(self.last, last),
                None => opening,
            });
        }
        for lookup in &action.lookups {
            let product = Opening::new(Commitment::Point(lookup.product));
            openings.push(product.at(HERE, lookup.product_here).at(NEXT, lookup.product_next));
            let input = Opening::new(Commitment::Point(lookup.input));
            openings.push(input.at(HERE, lookup.input_here).at(PREVIOUS, lookup.input_previous));
            let table = Opening::new(Commitment::Point(lookup.table));
            openings.push(table.at(HERE, lookup.table_here));
        }
    }
}

fn evaluated(opening: Opening, queries: &[(usize, usize)], evaluations: &[Fp]) -> Opening {
    queries
        .iter()
        .fold(opening, |opening, (rotation, query)| opening.at(*rotation, evaluations[*query]))
}

/// The openings combined.
pub struct Combined {
    /// The factor of each commitment.
    pub factors: Vec<(Commitment, Fp)>,
    /// The factor of the commitment to the sets' quotients.
    pub quotient: Fp,
    /// The evaluation at x₃ of the combination.
    pub evaluation: Fp,
}

/// Combines openings. `inverses` are, for each set and rotation of it, 1/Π(x·ω^r − x·ω^s) over the
/// other rotations s; `differences` are x₃ − x·ω^r and its inverse by place.
pub fn combine(
    plan: &Plan,
    proof: &Proof,
    openings: &[Opening],
    inverses: &[[Fp; ROTATIONS]],
    differences: &[(Fp, Fp)],
) -> Option<Combined> {
    let [x1, x2, _, x4] = proof.challenges.opening;
    let sets = plan.sets.len();
    // Powers of x₄: the last set has the power 0, the quotients' commitment the highest.
    let mut scales = vec![Field::ONE; sets];
    for set in (0..sets.saturating_sub(1)).rev() {
        scales[set] = scales[set + 1] * x4;
    }
    let quotient = *scales.first()? * x4;
    let mut powers = vec![Fp::ONE; sets];
    let mut claimed = vec![[Fp::ZERO; ROTATIONS]; sets];
    let mut factors = Vec::with_capacity(openings.len());
    for opening in openings.iter().rev() {
        let set = plan.sets.iter().position(|set| *set == opening.rotations)?;
        for place in places(opening.rotations) {
            claimed[set][place] += opening.evaluations[place] * powers[set];
        }
        factors.push((opening.commitment, powers[set] * scales[set]));
        powers[set] *= x1;
    }
    let mut quotients = Fp::ZERO;
    let mut evaluation = Fp::ZERO;
    for (set, rotations) in plan.sets.iter().enumerate() {
        let claimed_here = *proof.set_evaluations.get(set)?;
        // The polynomial through the claimed evaluations, at x₃ (Lagrange).
        let mut through = Fp::ZERO;
        let mut inverse = Fp::ONE;
        for place in places(*rotations) {
            let others = places(*rotations).filter(|other| *other != place);
            let others = others.map(|other| differences[other].0);
            let basis = others.fold(inverses[set][place], |product, other| product * other);
            through += claimed[set][place] * basis;
            inverse *= differences[place].1;
        }
        quotients = quotients * x2 + (claimed_here - through) * inverse;
        evaluation += claimed_here * scales[set];
    }
    Some(Combined { factors, quotient, evaluation: evaluation + quotients * quotient })
}
