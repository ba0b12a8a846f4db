// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Recovers the keys of batches: the lane kernel that verifies signatures computes
//! (s/r)·R − (e/r)·G. If its formulas fail, libsecp256k1 recovers the key.

use halimede_arith::job::Bytes;
use halimede_arith::Backend;
use rayon::prelude::*;
use secp256k1::PublicKey;

use super::{key_of, recover, Numbers, RecoverRequest, RecoveredKey, Rejection};
use crate::batch::{group_length, length_in_lanes};
use crate::curve::{sums, Terms};
use crate::key::coordinates;
use crate::keys::parse_keys;
use crate::quotient::{inverses, limbs, modulo_n, multiply, negated};

/// Recovers keys on all cores of the current thread pool, in the order of the requests.
pub fn recover_batch(requests: &[RecoverRequest]) -> Vec<Result<RecoveredKey, Rejection>> {
    keys(Backend::active(), requests)
}

/// Recovers the keys with a backend.
pub(super) fn keys(
    backend: Backend,
    requests: &[RecoverRequest],
) -> Vec<Result<RecoveredKey, Rejection>> {
    match group_length(backend, requests.len(), rayon::current_num_threads()) {
        Some(group) => {
            requests.par_chunks(group).flat_map_iter(|group| together(backend, group)).collect()
        }
        None => requests
            .par_iter()
            .map(|request| recover(request.rules, &request.digest, &request.signature))
            .collect(),
    }
}

/// Recovers the keys of the requests that one thread handles together.
fn together(backend: Backend, requests: &[RecoverRequest]) -> Vec<Result<RecoveredKey, Rejection>> {
    let read = candidates(backend, requests);
    let sound: Vec<(Numbers, PublicKey)> = read.iter().copied().flatten().collect();
    let in_lanes = length_in_lanes(backend, sound.len());
    let sums = sums(backend, &terms(&sound[..in_lanes])).unwrap_or_default().into_iter();
    let mut sums = sums.chain(std::iter::repeat(None));
    let key = |read: Result<(Numbers, PublicKey), Rejection>| {
        let (numbers, _) = read?;
        sums.next().flatten().map_or_else(|| numbers.key(), |sum| Ok(key_of(sum)))
    };
    read.into_iter().map(key).collect()
}

/// Parses signatures, and decompresses their R together.
fn candidates(
    backend: Backend,
    requests: &[RecoverRequest],
) -> Vec<Result<(Numbers, PublicKey), Rejection>> {
    let read = |request: &RecoverRequest| {
        let numbers = Numbers::new(request.rules, &request.digest, &request.signature)?;
        Ok((numbers, numbers.point()?))
    };
    let read: Vec<Result<_, Rejection>> = requests.iter().map(read).collect();
    let rows: Vec<&[u8]> = read.iter().flatten().map(|(_, point)| &point[..]).collect();
    let mut points = parse_keys(backend, Bytes::from(&rows[..]), None).into_iter();
    let candidate = |read: &Result<(Numbers, _), Rejection>| {
        let (numbers, _) = (*read)?;
        let point = points.next().and_then(Result::ok);
        Ok((numbers, point.ok_or(Rejection::NotOnCurve)?))
    };
    read.iter().map(candidate).collect()
}

/// Returns −(e/r)·G and (s/r)·R of each, with one division for all of them.
pub(super) fn terms(sound: &[(Numbers, PublicKey)]) -> Vec<Terms> {
    let divisors: Vec<_> = sound.iter().map(|(numbers, _)| limbs(&numbers.r)).collect();
    let term = |((numbers, point), inverse): (&(Numbers, PublicKey), _)| {
        let opposite = modulo_n(&negated(&modulo_n(&limbs(&numbers.digest))));
        let point = coordinates(point).map(|number| limbs(&number));
        let of_point = multiply(&limbs(&numbers.s), &inverse);
        Terms::new(&multiply(&opposite, &inverse), &of_point, point)
    };
    sound.iter().zip(inverses(divisors.iter())).map(term).collect()
}

#[cfg(test)]
mod tests;
