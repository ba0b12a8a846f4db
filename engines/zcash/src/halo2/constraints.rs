// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The evaluation of the quotient polynomial h that all constraints demand at x (The Halo 2 Book,
//! sections "Vanishing argument", "Permutation argument" and "Lookup argument"): gates, permutation
//! and lookups of all actions, combined with powers of y.

use halimede_arith::Field;

use super::description::{Description, Lookup};
use super::expressions::Evaluations;
use super::proof::{Action, LookupPart, Proof};
use crate::pasta::Fp;

/// The evaluations at x of the polynomials that select rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// The Lagrange polynomial of the first row.
    pub first: Fp,
    /// That of the last row that is not blinding.
    pub last: Fp,
    /// The sum of those of the rows before: 1 − last − blinding.
    pub active: Fp,
}

/// The sum of constraints with powers of y.
struct Sum {
    y: Fp,
    total: Fp,
}

impl Sum {
    fn add(&mut self, constraint: Fp) {
        self.total = self.total * self.y + constraint;
    }
}

/// Returns the sum of all constraints at x, which is h times x^n − 1.
pub fn evaluate(of: &Description, proof: &Proof, rows: &Rows) -> Fp {
    let mut sum = Sum { y: proof.challenges.y, total: Field::ZERO };
    let mut values = of.graph.common(&proof.fixed_evaluations);
    for action in &proof.actions {
        let evaluations = Evaluations {
            instance: &action.instance_evaluations,
            advice: &action.advice_evaluations,
            fixed: &proof.fixed_evaluations,
        };
        of.graph.of_action(&mut values, &evaluations);
        of.gates.iter().for_each(|gate| sum.add(values[*gate]));
        permutation(of, proof, action, &evaluations, rows, &mut sum);
        for (lookup, part) in of.lookups.iter().zip(&action.lookups) {
            constrain_lookup(proof, lookup, part, &values, rows, &mut sum);
        }
    }
    sum.total
}

fn permutation(
    of: &Description,
    proof: &Proof,
    action: &Action,
    evaluations: &Evaluations<'_>,
    rows: &Rows,
    sum: &mut Sum,
) {
    let parts = &action.permutation;
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
    sum.add(rows.first * (Fp::ONE - first.here));
    sum.add((last.here.square() - last.here) * rows.last);
    for (previous, part) in parts.iter().zip(&parts[1..]) {
        sum.add((part.here - previous.last.unwrap_or_default()) * rows.first);
    }
    let challenges = &proof.challenges;
    let (beta, gamma) = (challenges.beta, challenges.gamma);
    let columns = of.columns_of_part();
    let mut coset = beta * challenges.x;
    let delta = of.delta;
    let queries = of.permutation.chunks(columns).zip(proof.sigma_evaluations.chunks(columns));
    for (part, (queries, sigma)) in parts.iter().zip(queries) {
        let (mut left, mut right) = (part.next, part.here);
        for ((kind, query), sigma) in queries.iter().zip(sigma) {
            let evaluation = evaluations.of(*kind, *query) + gamma;
            left *= evaluation + beta * *sigma;
            right *= evaluation + coset;
            coset *= delta;
        }
        sum.add((left - right) * rows.active);
    }
}

fn constrain_lookup(
    proof: &Proof,
    lookup: &Lookup,
    part: &LookupPart,
    values: &[Fp],
    rows: &Rows,
    sum: &mut Sum,
) {
    let challenges = &proof.challenges;
    let (beta, gamma) = (challenges.beta, challenges.gamma);
    let compressed = |nodes: &[usize]| {
        nodes.iter().fold(Fp::ZERO, |sum, node| sum * challenges.theta + values[*node])
    };
    let left = part.product_next * (part.input_here + beta) * (part.table_here + gamma);
    let right = (compressed(&lookup.inputs) + beta) * (compressed(&lookup.tables) + gamma);
    let difference = part.input_here - part.table_here;
    sum.add(rows.first * (Fp::ONE - part.product_here));
    sum.add(rows.last * (part.product_here.square() - part.product_here));
    sum.add((left - part.product_here * right) * rows.active);
    sum.add(rows.first * difference);
    sum.add(difference * (part.input_here - part.input_previous) * rows.active);
}
