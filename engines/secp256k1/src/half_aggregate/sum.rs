// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies an aggregate by one sum of multiples of points (section "VerifyAggregate").

use std::iter::repeat;

use halimede_arith::job::Bytes;
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;
use rayon::prelude::*;
use secp256k1::{PublicKey, Scalar, SecretKey};

use super::{check_lengths, halves, reduced, Randomizers, Rejection, Signer, HALF_BYTES};
use crate::curve::{compare_sum, sums, Answer, Term, Terms, Worth};
use crate::key::{coordinates, of_coordinates, KeyError, COMPRESSED_BYTES};
use crate::keys::parse_keys;
use crate::quotient::{bytes, limbs, modulo_n, multiply, negated};
use crate::schnorr::{self, challenge, tagged, Signed, CHALLENGE};

/// The number of points that a thread decompresses at a time.
const TOGETHER: usize = 64;

/// The largest number of terms whose multiples are faster one by one in lanes than in buckets.
const FEW_IN_LANES: usize = 80;

/// The largest number of terms for which the library is faster than buckets without lanes.
const FEW_ALONE: usize = 8;

/// Verifies an aggregate of the given signers, on all cores of the current thread pool. An
/// aggregate of no signatures is valid if it is 32 zero bytes.
///
/// # Errors
/// [`Rejection`] if the aggregate is not valid. Of several reasons it names, in this order: the
/// number of signatures, the length, s, the length of a key or a message, a key, an r, the
/// equation.
pub fn verify(aggregate: &[u8], signers: &[Signer<'_>]) -> Result<(), Rejection> {
    verdict(Backend::active(), aggregate, signers)
}

/// Returns the verdict, computed with a backend.
pub(super) fn verdict(
    backend: Backend,
    aggregate: &[u8],
    signers: &[Signer<'_>],
) -> Result<(), Rejection> {
    if signers.len() > super::MOST_SIGNATURES {
        return Err(Rejection::TooMany { got: signers.len() });
    }
    let (nonces, s) = halves(aggregate, signers.len())?;
    let s = reduced(s).ok_or(Rejection::SRange)?;
    for (number, signer) in signers.iter().enumerate() {
        check_lengths(number, signer)?;
    }
    let keys: Vec<&[u8]> = signers.iter().map(|signer| signer.key).collect();
    let keys =
        points(backend, &keys).map_err(|(number, reason)| Rejection::Key { number, reason })?;
    let nonces: Vec<&[u8]> = nonces.chunks_exact(HALF_BYTES).collect();
    let points_of_nonces = points(backend, &nonces).map_err(|(number, reason)| match reason {
        KeyError::XRange => Rejection::RRange { number },
        _ => Rejection::NotOnCurve { number },
    })?;
    let holds = if let [Signer { key, message }] = *signers {
        // The aggregate of one signature is that signature.
        schnorr::verify(Signed { key, message, signature: aggregate }).is_ok()
    } else {
        holds(backend, &terms(signers, &nonces, &keys, &points_of_nonces), &s)
    };
    holds.then_some(()).ok_or(Rejection::Mismatch)
}

/// Returns `true` if Σ factor·point is s·G, computed in the fastest way for this number of terms.
pub(super) fn holds(backend: Backend, terms: &[Term], s: &Limbs) -> bool {
    let has_lanes = Worth::here(backend).is_some();
    let few = if has_lanes { FEW_IN_LANES } else { FEW_ALONE };
    let known = match terms.len() <= few {
        true if has_lanes => holds_in_lanes(backend, terms, s),
        true => None,
        false => match compare_sum(backend, terms, s) {
            Answer::Same => Some(true),
            Answer::Different => Some(false),
            Answer::Unknown => None,
        },
    };
    known.unwrap_or_else(|| holds_by_library(terms, &bytes(s)))
}

/// Computes the multiple of each point in lanes, and their sum with libsecp256k1. `None` without
/// lanes, or if the formulas of a lane failed.
fn holds_in_lanes(backend: Backend, terms: &[Term], s: &Limbs) -> Option<bool> {
    // −s·G is added to the first multiple.
    let of_generator = [modulo_n(&negated(s))].into_iter().chain(repeat([0; 4]));
    let terms: Vec<Terms> = terms
        .iter()
        .zip(of_generator)
        .map(|(term, generator)| Terms::new(&generator, &term.factor, term.point))
        .collect();
    let multiples: Option<Vec<PublicKey>> = sums(backend, &terms)?
        .into_iter()
        .map(|point| {
            let [x, y] = point?.map(|number| bytes(&number));
            of_coordinates([&x, &y])
        })
        .collect();
    let multiples = multiples?;
    let (last, others) = multiples.split_last()?;
    let others: Vec<&PublicKey> = others.iter().collect();
    // The library's error means that the sum of the others is the point at infinity.
    Some(PublicKey::combine_keys(&others).is_ok_and(|sum| sum == last.negate()))
}

/// Returns the points with these x-coordinates and even y, or the position of the first x without
/// one.
fn points(backend: Backend, x: &[&[u8]]) -> Result<Vec<PublicKey>, (usize, KeyError)> {
    let parsed: Vec<_> = x
        .par_chunks(TOGETHER)
        .flat_map_iter(|x| {
            let compressed: Vec<[u8; COMPRESSED_BYTES]> =
                x.iter().map(|x| with_even_y(x)).collect();
            let rows: Vec<&[u8]> = compressed.iter().map(|row| &row[..]).collect();
            parse_keys(backend, Bytes::from(&rows[..]), None)
        })
        .collect();
    let numbered = parsed.into_iter().enumerate();
    numbered.map(|(number, point)| point.map_err(|reason| (number, reason))).collect()
}

/// Returns the compressed form of the point with this x, of 32 bytes, and an even y.
fn with_even_y(x: &[u8]) -> [u8; COMPRESSED_BYTES] {
    let mut bytes = [2; COMPRESSED_BYTES];
    bytes[1..].copy_from_slice(x);
    bytes
}

/// Returns zᵢ·Rᵢ and zᵢ·eᵢ·Pᵢ.
fn terms(
    signers: &[Signer<'_>],
    nonces: &[&[u8]],
    keys: &[PublicKey],
    points_of_nonces: &[PublicKey],
) -> Vec<Term> {
    let mut randomizers = Randomizers::new();
    let tagged = tagged(CHALLENGE);
    let mut terms = Vec::with_capacity(2 * signers.len());
    for (number, (signer, r)) in signers.iter().zip(nonces).enumerate() {
        randomizers.absorb(r, signer);
        let randomizer = randomizers.last();
        let challenge = challenge(tagged.clone(), r, signer.key, signer.message);
        let factors = [randomizer, multiply(&randomizer, &challenge)];
        for (factor, point) in factors.into_iter().zip([&points_of_nonces[number], &keys[number]]) {
            let point = coordinates(point).map(|number| limbs(&number));
            terms.push(Term { factor, point });
        }
    }
    terms
}

/// Returns `true` if Σ factor·point is s·G, computed with libsecp256k1, whose additions never fail.
pub(super) fn holds_by_library(terms: &[Term], s: &[u8; HALF_BYTES]) -> bool {
    // `None` is the point at infinity.
    let multiple = |term: &Term| {
        let [x, y] = term.point.map(|number| bytes(&number));
        let factor = Scalar::from_be_bytes(bytes(&term.factor)).ok()?;
        of_coordinates([&x, &y])?.mul_tweak(&factor).ok()
    };
    let add = |sum: Option<PublicKey>, point: Option<PublicKey>| match (sum, point) {
        (Some(sum), Some(point)) => sum.combine(&point).ok(),
        (sum, point) => sum.or(point),
    };
    let sum = terms.iter().map(multiple).fold(None, add);
    let expected = SecretKey::from_secret_bytes(*s).ok();
    sum == expected.map(|multiple| PublicKey::from_secret_key(&multiple))
}
