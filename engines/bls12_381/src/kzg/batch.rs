// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies batches of openings: e(C − y·g₁ + z·π, −g₂)·e(π, τ·g₂) = 1 for each.

use halimede_arith::Fr;
use rayon::prelude::*;

use super::{Opening, OpeningError, Setup};
use crate::equations::{which_hold, Equations};
use crate::library::{Miller, G1};
use crate::multiples::{sum_of_multiples, sum_of_products};
use crate::multipliers::{as_scalar, Multiplier, MULTIPLIER_BITS};
use crate::pairing::{miller_product_of_few, pair, Pair};
use crate::{Point, PointError};

/// A decoded opening, which claims that the committed polynomial is y at z.
#[derive(Clone, Copy, Debug)]
struct Decoded {
    commitment: Point<G1>,
    z: Fr,
    y: Fr,
    proof: Point<G1>,
}

/// Returns an answer for each opening.
pub(super) fn verdicts(setup: &Setup, openings: &[Opening<'_>]) -> Vec<Result<bool, OpeningError>> {
    let decoded = decode_all(openings);
    let openings = decoded.iter().filter_map(|decoded| decoded.as_ref().ok()).collect();
    let mut holds = which_hold(&Openings { setup, openings }).into_iter();
    decoded
        .iter()
        .map(|decoded| match decoded {
            Ok(_) => Ok(holds.next() == Some(true)),
            Err(error) => Err(error.clone()),
        })
        .collect()
}

type Read = Result<Point<G1>, PointError>;

/// Decodes openings, with the points of all openings together.
fn decode_all(openings: &[Opening<'_>]) -> Vec<Result<Decoded, OpeningError>> {
    let encodings: Vec<&[u8]> = openings
        .iter()
        .map(Opening::commitment)
        .chain(openings.iter().map(Opening::proof))
        .collect();
    let mut commitments = Point::<G1>::all_from_compressed(&encodings);
    let proofs = commitments.split_off(openings.len());
    let points = commitments.into_par_iter().zip(proofs);
    let decode = |(opening, (commitment, proof)): (&Opening<'_>, (Read, Read))| {
        let commitment = commitment.map_err(OpeningError::Commitment)?;
        let proof = proof.map_err(OpeningError::Proof)?;
        let (z, y) = opening.scalars()?;
        Ok(Decoded { commitment, z, y, proof })
    };
    openings.par_iter().zip(points).map(decode).collect()
}

struct Openings<'a> {
    setup: &'a Setup,
    openings: Vec<&'a Decoded>,
}

impl Openings<'_> {
    fn pairs_of_all(&self, openings: &[&Decoded], multipliers: &[Multiplier]) -> Vec<Pair> {
        let (mut points, mut scalars) = (Vec::new(), Vec::new());
        let mut generator = Fr::from(0);
        for (opening, multiplier) in openings.iter().zip(multipliers) {
            let multiplier = as_scalar(multiplier);
            points.extend([opening.commitment, opening.proof]);
            scalars.extend([multiplier, multiplier * opening.z]);
            generator -= multiplier * opening.y;
        }
        points.push(Point::generator());
        scalars.push(generator);
        let left = sum_of_products(&points, &scalars);
        let proofs: Vec<_> = openings.iter().map(|opening| *opening.proof.affine()).collect();
        let right = sum_of_multiples(&proofs, multipliers.as_flattened(), MULTIPLIER_BITS);
        let Setup { generator, tau, .. } = self.setup;
        vec![pair(&left.negated(), &generator.point), pair(&right, &tau.point)]
    }
}

/// Returns the pairs whose product of pairings is 1 if an opening is valid.
pub(crate) fn pairs(setup: &Setup, opening: Opening<'_>) -> Result<[Pair; 2], OpeningError> {
    let mut decoded = decode_all(&[opening]);
    let opening = decoded.pop().unwrap_or(Err(OpeningError::Commitment(PointError::Infinity)))?;
    let left = left_of(&opening).negated();
    Ok([pair(&left, &setup.generator.point), pair(&opening.proof, &setup.tau.point)])
}

/// Returns C − y·g₁ + z·π.
fn left_of(Decoded { commitment, z, y, proof }: &Decoded) -> Point<G1> {
    sum_of_products(&[*proof, Point::generator()], &[*z, -*y]).plus(commitment)
}

impl Equations for Openings<'_> {
    fn len(&self) -> usize {
        self.openings.len()
    }

    fn pairs(&self, multipliers: &[Multiplier]) -> Vec<Pair> {
        self.pairs_of_all(&self.openings, multipliers)
    }

    fn pairs_of(&self, row: usize, multiplier: &Multiplier) -> Vec<Pair> {
        self.pairs_of_all(&self.openings[row..=row], &[*multiplier])
    }

    fn product_of(&self, row: usize) -> Miller {
        let (opening, Setup { generator, tau, .. }) = (self.openings[row], self.setup);
        let left = left_of(opening).negated();
        miller_product_of_few(&[(left, generator), (opening.proof, tau)], &[])
    }
}
