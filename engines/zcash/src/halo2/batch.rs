// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many proofs together: the sum of their claims with random multipliers. The claims of valid
//! proofs are 0, so their sum is 0. If a claim is not, the sum is 0 for at most one of its 2¹²⁸
//! multipliers.

use halimede_arith::field::VestaBase;
use orchard::circuit::OrchardCircuitVersion;
use rayon::prelude::*;

use super::claim::{Claim, LOW_BITS};
use super::proof::{points, Proof};
use super::setup::{Instance, Setup};
use crate::numbers::from_number;
use crate::pasta::{decode, sum, Affine, Decoded, Fp, Machine, Row, Terms};

/// A proof with its public input.
#[derive(Clone, Debug)]
pub struct Statement<'a> {
    pub proof: &'a [u8],
    /// The public inputs of its actions, at least one.
    pub instances: Vec<Instance>,
}

/// The points of a proof and those of its instances.
struct Points {
    proof: Vec<Option<Affine<VestaBase>>>,
    instances: Vec<Affine<VestaBase>>,
}

/// Returns `true` if the proofs of a version hold, each with a random multiplier that is not 0.
/// `None` without lanes.
pub fn hold(
    machine: Machine,
    version: OrchardCircuitVersion,
    statements: &[Statement<'_>],
    multipliers: &[u128],
) -> Option<bool> {
    let setup = Setup::get(machine)?;
    let key = setup.key(version)?;
    let Some(all) = decoded(machine, setup, statements)? else { return Some(false) };
    let items = statements.par_iter().zip(&all).zip(multipliers);
    let claims = items.map(|((statement, points), multiplier)| {
        let Points { proof, instances } = points;
        let of = &setup.description;
        let read = Proof::read(of, &key.key, instances, statement.proof, proof)?;
        Claim::new(of, &read, proof.len(), from_number(*multiplier))
    });
    let Some(claims) = claims.collect::<Option<Vec<Claim>>>() else { return Some(false) };

    let mut terms = Terms::<VestaBase>::default();
    for (claim, points) in claims.iter().zip(&all) {
        let of_proof = points.proof.iter().flatten().zip(&claim.points);
        let of_instances = points.instances.iter().zip(&claim.instances);
        let all = of_proof.chain(of_instances);
        terms.extend(all.map(|(point, factor)| (Row::new(point), factor.canonical_limbs())));
    }
    let mut extend = |rows: &[Row], factors: Vec<Fp>| {
        let factors = factors.iter().map(Fp::canonical_limbs);
        terms.extend(rows.iter().copied().zip(factors));
    };
    let added = |of: &dyn Fn(&Claim) -> Fp| claims.iter().map(of).sum::<Fp>();
    let column = |count: usize, of: &dyn Fn(&Claim, usize) -> Fp| -> Vec<Fp> {
        (0..count).map(|column| added(&|claim| of(claim, column))).collect()
    };
    extend(&key.fixed, column(key.fixed.len(), &|claim, column| claim.fixed[column]));
    extend(&key.sigma, column(key.sigma.len(), &|claim, column| claim.sigma[column]));
    extend(&[setup.w, setup.u], vec![added(&|claim| claim.w), added(&|claim| claim.u)]);
    let mut of_g = factors_of_g(&claims);
    if let Some(first) = of_g.first_mut() {
        *first += added(&|claim| claim.g0);
    }
    extend(&setup.g, of_g);
    Some(sum(machine, &terms)?.is_identity())
}

/// Returns the points of all proofs and instances; `None` without lanes, `Some(None)` if one is
/// invalid or missing.
fn decoded(
    machine: Machine,
    setup: &Setup,
    statements: &[Statement<'_>],
) -> Option<Option<Vec<Points>>> {
    let instances: Vec<Instance> =
        statements.iter().flat_map(|statement| &statement.instances).copied().collect();
    let commitments = setup.commitments(machine, &instances)?;
    let encodings = statements
        .iter()
        .map(|statement| points(&setup.description, statement.proof, statement.instances.len()));
    let encodings: Vec<Vec<&[u8; 32]>> = encodings.collect();
    let all: Vec<[u8; 32]> = encodings.iter().flatten().map(|encoding| **encoding).collect();
    let mut points = decode::<VestaBase>(machine, &all)?.into_iter().map(Decoded::point);
    let mut commitments = commitments.into_iter();
    let per_proof = statements.iter().zip(&encodings).map(|(statement, encodings)| {
        let instances = commitments.by_ref().take(statement.instances.len());
        let instances = instances.collect::<Option<Vec<_>>>();
        let proof: Vec<_> = points.by_ref().take(encodings.len()).collect();
        Some(Points { proof, instances: instances? })
    });
    let all: Vec<Option<Points>> = per_proof.collect();
    Some(all.into_iter().collect())
}

/// Returns the factors of G.
fn factors_of_g(claims: &[Claim]) -> Vec<Fp> {
    let Some(first) = claims.first() else { return Vec::new() };
    let column = |part: fn(&Claim) -> &[Fp], number: usize| -> Vec<Fp> {
        claims.iter().map(|claim| part(claim)[number]).collect()
    };
    let low: Vec<Vec<Fp>> =
        (0..first.low.len()).map(|number| column(|claim| &claim.low, number)).collect();
    let high: Vec<Vec<Fp>> =
        (0..first.high.len()).map(|number| column(|claim| &claim.high, number)).collect();
    let factor = |number: usize| {
        let (low, high) = (&low[number & ((1 << LOW_BITS) - 1)], &high[number >> LOW_BITS]);
        Fp::inner_product(low, high)
    };
    (0..low.len() * high.len()).into_par_iter().map(factor).collect()
}
