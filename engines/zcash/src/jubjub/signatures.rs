// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Batches of RedJubjub signatures.
//!
//! A signature (R, s) of a message under a key A holds if 8·(R + c·A − s·G) is the neutral element,
//! where c is a hash and G the generator of the key's role (Zcash protocol specification, section
//! 5.4.7). With random multipliers zᵢ, the sum Σ zᵢ·(Rᵢ + cᵢ·Aᵢ − sᵢ·Gᵢ) of valid signatures has an
//! order that divides 8; if one signature does not hold, the sum has with probability 2⁻¹²⁷
//! (section B.1).
//!
//! If the sum fails, the failed signatures are found by bisection. With the same multipliers, the
//! sum of the second half is the difference of the sums of all and of the first half, so one failed
//! signature costs at most one more sum of all terms, and any number at most one for two levels.
//! The verdict on a single signature is exact, since its multiplier is not 0 modulo the order.

use std::ops::Range;
use std::sync::OnceLock;

use halimede_arith::{Backend, Fr};
use rayon::prelude::*;

use super::encodings::decode;
use super::points::{Affine, Extended, Niels};
use super::scalars::{from_number, Scalar};
use super::sums::sum;
use super::terms::{Term, Terms};
use crate::reddsa::{challenges, multipliers, Multiplier, Role, Signed, ONE, ROLES};

/// The personalization of challenges (section 5.4.7).
const PERSONALIZATION: &[u8; 16] = b"Zcash_RedJubjubH";

/// The encodings of the generators, in the order of the roles.
const GENERATORS: [[u8; 32]; ROLES] = [
    [
        0x30, 0xb5, 0xf2, 0xaa, 0xad, 0x32, 0x56, 0x30, 0xbc, 0xdd, 0xdb, 0xce, 0x4d, 0x67, 0x65,
        0x6d, 0x05, 0xfd, 0x1c, 0xc2, 0xd0, 0x37, 0xbb, 0x53, 0x75, 0xb6, 0xe9, 0x6d, 0x9e, 0x01,
        0xa1, 0xd7,
    ],
    [
        0x8b, 0x6a, 0x0b, 0x38, 0xb9, 0xfa, 0xae, 0x3c, 0x3b, 0x80, 0x3b, 0x47, 0xb0, 0xf1, 0x46,
        0xad, 0x50, 0xab, 0x22, 0x1e, 0x6e, 0x2a, 0xfb, 0xe6, 0xdb, 0xde, 0x45, 0xcb, 0xa9, 0xd3,
        0x81, 0xed,
    ],
];

/// The number of signatures that one thread decodes together.
const PART: usize = 256;

/// Returns, for each signature, whether it holds, on all cores of the current thread pool. Keys of
/// small order are allowed, as in the specification; encodings that are not canonical are not (ZIP
/// 216).
pub fn which_hold(backend: Backend, signed: &[Signed]) -> Vec<bool> {
    let random = multipliers(signed.len());
    let multipliers = random.clone().unwrap_or_else(|| vec![ONE; signed.len()]);
    let parts = signed.par_chunks(PART).zip(multipliers.par_chunks(PART));
    let equations: Vec<Option<Equation>> = parts
        .flat_map_iter(|(signed, multipliers)| equations(backend, signed, multipliers))
        .collect();
    let mut hold: Vec<bool> = equations.iter().map(Option::is_some).collect();
    let rows = equations.into_iter().enumerate();
    let (rows, equations): (Vec<usize>, Vec<Equation>) =
        rows.filter_map(|(row, equation)| Some((row, equation?))).unzip();
    let search = Search { backend, equations: &equations };
    let failed = match random {
        Some(_) => search.failed(),
        None => search.failed_alone(),
    };
    for row in failed {
        hold[rows[row]] = false;
    }
    hold
}

/// The equation of a signature, times its multiplier.
struct Equation {
    /// ±R.
    nonce: Niels,
    /// The factor of ±R.
    magnitude: u128,
    key: Niels,
    /// The factor of the key.
    challenge: Scalar,
    /// The factor of the generator.
    response: Scalar,
    role: Role,
}

/// Returns the equations of signatures; `None` for an invalid encoding.
fn equations(
    backend: Backend,
    signed: &[Signed],
    multipliers: &[Multiplier],
) -> Vec<Option<Equation>> {
    let encodings: Vec<[u8; 32]> =
        signed.iter().map(Signed::nonce).chain(signed.iter().map(|signed| signed.key)).collect();
    let points = decode(backend, &encodings);
    let (nonces, keys) = points.split_at(signed.len());
    let challenges = challenges(PERSONALIZATION, signed);
    let rows = signed.iter().zip(multipliers).enumerate();
    rows.map(|(row, (signed, multiplier))| {
        let response = signed.response()?;
        let (nonce, key) = (nonces[row]?.niels(), keys[row]?.niels());
        let is_negative = multiplier.is_negative;
        let factor = from_number(multiplier.magnitude);
        let factor = if is_negative { -factor } else { factor };
        Some(Equation {
            nonce: if is_negative { nonce.negated() } else { nonce },
            magnitude: multiplier.magnitude,
            key,
            challenge: factor * challenges[row],
            response: -(factor * response),
            role: signed.role,
        })
    })
    .collect()
}

/// Returns the generators as terms of a sum.
fn generators() -> &'static [Niels; ROLES] {
    static GENERATOR_POINTS: OnceLock<[Niels; ROLES]> = OnceLock::new();
    GENERATOR_POINTS.get_or_init(|| {
        let points = decode(Backend::Portable, &GENERATORS);
        let identity = Affine { u: Fr::ZERO, v: Fr::ONE };
        std::array::from_fn(|role| points[role].unwrap_or(identity).niels())
    })
}

/// The search for equations that do not hold.
struct Search<'a> {
    backend: Backend,
    equations: &'a [Equation],
}

/// The minimum number of equations for which another thread computes a part of their sum: each part
/// has separate buckets.
const LEAST_PART: usize = 256;

impl Search<'_> {
    /// Returns the sum of some equations, on all cores.
    fn sum(&self, rows: Range<usize>) -> Extended {
        let equations = &self.equations[rows];
        let part = equations.len().div_ceil(rayon::current_num_threads()).max(LEAST_PART);
        let sums: Vec<Extended> =
            equations.par_chunks(part).map(|part| self.sum_of(part)).collect();
        sums.iter().fold(Extended::IDENTITY, |sum, part| sum.add(&part.niels()))
    }

    /// Returns the sum of some equations.
    fn sum_of(&self, equations: &[Equation]) -> Extended {
        let mut terms = Terms::default();
        let mut responses = [Scalar::ZERO; ROLES];
        for equation in equations {
            let Equation { nonce, magnitude, key, challenge, response, role } = equation;
            let magnitude = [*magnitude as u64, (magnitude >> 64) as u64, 0, 0];
            terms.short.push(Term { point: *nonce, factor: magnitude });
            terms.long.push(Term { point: *key, factor: challenge.canonical_limbs() });
            responses[*role as usize] += *response;
        }
        let responses = generators().iter().zip(responses);
        let responses = responses.filter(|(_, response)| !response.is_zero());
        terms.long.extend(responses.map(|(generator, response)| Term {
            point: *generator,
            factor: response.canonical_limbs(),
        }));
        sum(self.backend, &terms)
    }

    /// Returns the rows that do not hold.
    fn failed(&self) -> Vec<usize> {
        bisect(self.equations.len(), |rows| self.sum(rows))
    }

    /// Returns the rows that do not hold, each verified alone.
    fn failed_alone(&self) -> Vec<usize> {
        let rows = (0..self.equations.len()).into_par_iter();
        rows.filter(|row| !self.sum_of(&self.equations[*row..=*row]).has_small_order()).collect()
    }
}

/// Returns the rows that do not hold, given the sums of ranges of rows.
fn bisect(count: usize, sum: impl Fn(Range<usize>) -> Extended) -> Vec<usize> {
    let mut failed = Vec::new();
    let mut open = vec![(0..count, sum(0..count))];
    while let Some((rows, total)) = open.pop() {
        if total.has_small_order() {
            continue;
        }
        if rows.len() == 1 {
            failed.push(rows.start);
            continue;
        }
        let middle = rows.start + rows.len() / 2;
        let first = sum(rows.start..middle);
        let second = total.add(&first.negated().niels());
        open.push((rows.start..middle, first));
        open.push((middle..rows.end, second));
    }
    failed
}

#[cfg(test)]
mod tests;
