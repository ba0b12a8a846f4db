// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Verifies the equations of a batch: in SIMD lanes where that is faster, otherwise with
//! libsecp256k1.

use halimede_arith::lanes::LANES;
use halimede_arith::Backend;

use crate::candidate::Candidate;
use crate::curve::{try_equations, Equation, Sum, Worth};
use crate::quotient::{inverses, limbs, modulo_n, multiply};
use crate::reason::mismatch;
use crate::Mask;

/// The state of a candidate after its equation was evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Tried {
    /// The result of all checks.
    Known(Mask),
    /// The equation does not hold. The reason is found later, together with those of other
    /// candidates.
    Failed(Box<Candidate>),
}

/// The maximum number of signatures that a thread tries together. At this size the shared division
/// costs each signature a thirtieth of a microsecond.
const TOGETHER: usize = 64;

/// Returns how many signatures of a batch a thread tries together in lanes, or `None` if each
/// thread has so few that checking them one by one is faster.
pub(crate) fn group_length(backend: Backend, length: usize, threads: usize) -> Option<usize> {
    let share = length.div_ceil(threads.max(1));
    let worth = Worth::here(backend)?;
    (share >= worth.batch).then(|| share.next_multiple_of(LANES).min(TOGETHER))
}

/// Returns how many of `length` equations go to the lanes: all of them, unless the last group would
/// leave too many lanes empty.
pub(crate) fn length_in_lanes(backend: Backend, length: usize) -> usize {
    let rest = length % LANES;
    let is_worth = Worth::here(backend).is_some_and(|worth| rest >= worth.rest);
    if is_worth {
        length
    } else {
        length - rest
    }
}

/// Evaluates one equation with libsecp256k1.
pub(crate) fn try_alone(candidate: Candidate) -> Tried {
    if candidate.holds() {
        Tried::Known(Mask::VALID)
    } else {
        Tried::Failed(Box::new(candidate))
    }
}

/// Evaluates equations in lanes, and with libsecp256k1 those that would leave too many lanes empty.
/// Results keep the order of the candidates.
///
/// A sum computed in lanes is exact: if an addition on the way had two equal or opposite points,
/// the lanes return [`Sum::Unknown`] and libsecp256k1 decides.
pub(crate) fn try_together(backend: Backend, candidates: Vec<Candidate>) -> Vec<Tried> {
    let in_lanes = length_in_lanes(backend, candidates.len());
    let sums = try_equations(backend, &equations(&candidates[..in_lanes])).unwrap_or_default();
    let sums = sums.into_iter().chain(std::iter::repeat(Sum::Unknown));
    let tried = |(candidate, sum)| match sum {
        Sum::Match => Tried::Known(Mask::VALID),
        Sum::Mismatch => Tried::Known(mismatch()),
        Sum::Unknown => try_alone(candidate),
    };
    candidates.into_iter().zip(sums).map(tried).collect()
}

/// Returns u₁ = e/s and u₂ = r/s of each candidate.
fn equations(candidates: &[Candidate]) -> Vec<Equation> {
    let divisors: Vec<_> = candidates.iter().map(|candidate| limbs(&candidate.s)).collect();
    let equation = |(candidate, inverse): (&Candidate, _)| {
        let (e, r) = (modulo_n(&limbs(&candidate.digest)), limbs(&candidate.r));
        Equation::new(&multiply(&e, &inverse), &multiply(&r, &inverse), candidate.coordinates(), &r)
    };
    candidates.iter().zip(inverses(divisors.iter())).map(equation).collect()
}

#[cfg(test)]
mod tests;
