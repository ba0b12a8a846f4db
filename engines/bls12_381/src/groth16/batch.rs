// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies batches of proofs: e(A, B)·e(−X, γ)·e(−C, δ)·e(−α, β) = 1 for each, where X is the sum
//! of the key's terms weighted by 1 and the inputs.

use std::ops::Range;

use halimede_arith::Fr;

use super::{finite, Proof, Rejection, VerifyingKey, PROOF_BYTES};
use crate::equations::{which_hold, Equations};
use crate::library::{Curve, Miller, G1, G2};
use crate::multiples::{multiples, sum_of_multiples, sum_of_products};
use crate::multipliers::{as_scalar, Multiplier, MULTIPLIER_BITS};
use crate::pairing::{miller_product_of_few, pair, Pair};
use crate::{Point, PointError};

/// A parsed proof.
#[derive(Clone, Copy, Debug)]
struct Read<'a> {
    a: Point<G1>,
    b: Point<G2>,
    c: Point<G1>,
    inputs: &'a [Fr],
}

/// Returns a verdict for each proof.
pub(super) fn verdicts(key: &VerifyingKey, proofs: &[Proof<'_>]) -> Vec<Result<(), Rejection>> {
    let read = read_all(key, proofs);
    let proofs = read.iter().filter_map(|read| read.as_ref().ok()).collect();
    let mut holds = which_hold(&Proofs { key, proofs }).into_iter();
    read.iter()
        .map(|read| match read {
            Ok(_) if holds.next() == Some(true) => Ok(()),
            Ok(_) => Err(Rejection::Mismatch),
            Err(rejection) => Err(rejection.clone()),
        })
        .collect()
}

/// Parses proofs, with the points of all proofs together.
fn read_all<'a>(key: &VerifyingKey, proofs: &[Proof<'a>]) -> Vec<Result<Read<'a>, Rejection>> {
    let part = |range: Range<usize>| -> Vec<&[u8]> {
        proofs.iter().map(|proof| proof.proof.get(range.clone()).unwrap_or_default()).collect()
    };
    let of_g1 = [part(0..48), part(144..PROOF_BYTES)].concat();
    let mut a = Point::<G1>::all_from_compressed(&of_g1);
    let c = a.split_off(proofs.len());
    let b = Point::<G2>::all_from_compressed(&part(48..144));
    let rows = proofs.iter().zip(a).zip(b).zip(c);
    let read = rows.map(|(((Proof { proof, inputs }, a), b), c)| {
        if inputs.len() != key.inputs() {
            return Err(Rejection::Inputs { expected: key.inputs(), got: inputs.len() });
        }
        if proof.len() != PROOF_BYTES {
            return Err(Rejection::Length { got: proof.len() });
        }
        Ok(Read { a: check("A", a)?, b: check("B", b)?, c: check("C", c)?, inputs })
    });
    read.collect()
}

/// Returns the pairs and the factor whose product is 1 if a proof is valid.
pub(super) fn pairs(
    key: &VerifyingKey,
    proof: Proof<'_>,
) -> Result<([Pair; 3], Miller), Rejection> {
    let read = read_all(key, &[proof]).pop().unwrap_or(Err(Rejection::Mismatch))?;
    let x = sum_of_terms(key, read.inputs).negated();
    let (gamma, delta) = (&key.gamma.point, &key.delta.point);
    let pairs = [pair(&read.a, &read.b), pair(&x, gamma), pair(&read.c.negated(), delta)];
    Ok((pairs, key.alpha_beta))
}

/// Returns X: the sum of the key's terms, weighted by 1 and the inputs.
fn sum_of_terms(key: &VerifyingKey, inputs: &[Fr]) -> Point<G1> {
    sum_of_products(&key.terms[1..], inputs).plus(&key.terms[0])
}

fn check<C: Curve>(
    part: &'static str,
    point: Result<Point<C>, PointError>,
) -> Result<Point<C>, Rejection> {
    point.and_then(finite).map_err(|error| Rejection::Point { part, error })
}

struct Proofs<'a> {
    key: &'a VerifyingKey,
    proofs: Vec<&'a Read<'a>>,
}

impl Proofs<'_> {
    fn pairs_of_all(&self, proofs: &[&Read<'_>], multipliers: &[Multiplier]) -> Vec<Pair> {
        let key = self.key;
        // The weights of the key's terms; that of 1 comes first.
        let mut weights = vec![Fr::from(0); key.terms.len()];
        for (proof, multiplier) in proofs.iter().zip(multipliers) {
            let multiplier = as_scalar(multiplier);
            weights[0] += multiplier;
            for (weight, input) in weights[1..].iter_mut().zip(proof.inputs) {
                *weight += multiplier * *input;
            }
        }
        let all_a: Vec<_> = proofs.iter().map(|proof| *proof.a.affine()).collect();
        let multiples = multiples::<G1>(&all_a, multipliers);
        let mut pairs: Vec<Pair> =
            multiples.into_iter().zip(proofs).map(|(a, proof)| (a, *proof.b.affine())).collect();
        let cs: Vec<_> = proofs.iter().map(|proof| *proof.c.affine()).collect();
        let c = sum_of_multiples::<G1>(&cs, multipliers.as_flattened(), MULTIPLIER_BITS);
        let x = sum_of_products(&key.terms, &weights);
        let alpha = sum_of_products(&[key.alpha], &weights[..1]);
        pairs.extend([
            pair(&x.negated(), &key.gamma.point),
            pair(&c.negated(), &key.delta.point),
            pair(&alpha.negated(), &key.beta),
        ]);
        pairs
    }
}

impl Equations for Proofs<'_> {
    fn len(&self) -> usize {
        self.proofs.len()
    }

    fn pairs(&self, multipliers: &[Multiplier]) -> Vec<Pair> {
        self.pairs_of_all(&self.proofs, multipliers)
    }

    fn pairs_of(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair> {
        self.pairs_of_all(&self.proofs[row..=row], &[*multiplier])
    }

    fn product_of(&self, row: usize) -> Miller {
        let (key, Read { a, b, c, inputs }) = (self.key, self.proofs[row]);
        let x = sum_of_terms(key, inputs);
        let prepared = [(x.negated(), &key.gamma), (c.negated(), &key.delta)];
        miller_product_of_few(&prepared, &[(*a, *b)]).times(&key.alpha_beta)
    }
}
