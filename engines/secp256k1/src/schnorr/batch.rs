// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies batches: the lane kernel that verifies ECDSA computes s·G − e·P, whose x and y are
//! compared with r. If the formulas of the lanes fail, libsecp256k1 verifies the signature.

use halimede_arith::job::Bytes;
use halimede_arith::Backend;
use rayon::prelude::*;

use super::{compressed, verify, Candidate, Rejection, Signed};
use crate::batch::{group_length, length_in_lanes};
use crate::curve::{sums, Terms};
use crate::key::coordinates;
use crate::keys::parse_keys;
use crate::quotient::{limbs, modulo_n, negated};

/// Verifies signatures on all cores of the current thread pool; verdicts are in the order of the
/// signatures.
pub fn verify_batch(signed: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    verdicts(Backend::active(), signed)
}

/// Returns the verdicts, computed with a backend.
pub(super) fn verdicts(backend: Backend, signed: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    match group_length(backend, signed.len(), rayon::current_num_threads()) {
        Some(group) => {
            signed.par_chunks(group).flat_map_iter(|group| together(backend, group)).collect()
        }
        None => signed.par_iter().map(|signed| verify(*signed)).collect(),
    }
}

/// Returns the verdicts of the signatures that one thread verifies together.
fn together(backend: Backend, signed: &[Signed<'_>]) -> Vec<Result<(), Rejection>> {
    let read = candidates(backend, signed);
    let sound: Vec<Candidate<'_>> = read.iter().copied().flatten().collect();
    let in_lanes = length_in_lanes(backend, sound.len());
    let terms: Vec<Terms> = sound[..in_lanes].iter().map(terms).collect();
    let sums = sums(backend, &terms).unwrap_or_default().into_iter();
    let mut sums = sums.chain(std::iter::repeat(None));
    let verdict = |read: Result<Candidate<'_>, Rejection>| {
        let candidate = read?;
        match sums.next().flatten() {
            Some(sum) => candidate.compare(Some(sum)),
            None => candidate.verdict(),
        }
    };
    read.into_iter().map(verdict).collect()
}

/// Parses keys together, and performs all checks except the equations.
fn candidates<'a>(
    backend: Backend,
    signed: &[Signed<'a>],
) -> Vec<Result<Candidate<'a>, Rejection>> {
    let keys: Vec<_> = signed.iter().map(|signed| compressed(signed.key)).collect();
    let rows: Vec<&[u8]> = keys.iter().flatten().map(|key| &key[..]).collect();
    let mut points = parse_keys(backend, Bytes::from(&rows[..]), None).into_iter();
    let candidate = |(signed, key): (&Signed<'a>, &Result<_, Rejection>)| {
        key.as_ref().map_err(|rejection| *rejection)?;
        // `points` has one entry per key of the right length.
        let point = points.next().unwrap_or(Err(crate::KeyError::NotOnCurve))?;
        Candidate::under(point, *signed)
    };
    signed.iter().zip(&keys).map(candidate).collect()
}

/// Returns s·G and −e·P.
fn terms(candidate: &Candidate<'_>) -> Terms {
    let key = coordinates(&candidate.key).map(|number| limbs(&number));
    let opposite = modulo_n(&negated(&candidate.challenge()));
    Terms::new(&limbs(&candidate.s), &opposite, key)
}

#[cfg(test)]
mod tests;
