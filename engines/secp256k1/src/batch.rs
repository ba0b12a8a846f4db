// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The equations of a batch: in lanes where those take less time, else by libsecp256k1.

use halimede_arith::lanes::LANES;
use halimede_arith::Backend;

use crate::candidate::Candidate;
use crate::curve::{try_equations, worth_trying, Equation, Sum};
use crate::quotient::{inverses, limbs, modulo_n, multiply};
use crate::reason::mismatch;
use crate::Mask;

/// What is known of a candidate once its equation was tried.
#[derive(Clone, Debug)]
pub(crate) enum Tried {
    /// The result of all checks.
    Known(Mask),
    /// The equation does not hold; the reason is to be found, with those of others.
    Failed(Box<Candidate>),
}

/// Most signatures that a thread tries together: their one division costs each of them a thirtieth
/// of a microsecond.
const TOGETHER: usize = 64;

/// How many signatures of a batch a thread tries together in lanes; `None` where one by one takes
/// less time, since each of the threads has few of them.
pub(crate) fn group_length(backend: Backend, length: usize, threads: usize) -> Option<usize> {
    let share = length.div_ceil(threads.max(1));
    let worth = worth_trying(backend)?;
    (share >= worth).then(|| share.next_multiple_of(LANES).min(TOGETHER))
}

/// How many of these equations lanes are to try: all but those that the last lanes would be too
/// empty for.
pub(crate) fn length_in_lanes(backend: Backend, length: usize) -> usize {
    let rest = length % LANES;
    let is_worth = worth_trying(backend).is_some_and(|worth| rest >= worth);
    if is_worth {
        length
    } else {
        length - rest
    }
}

/// Tries an equation by libsecp256k1.
pub(crate) fn try_alone(candidate: Candidate) -> Tried {
    if candidate.holds() {
        Tried::Known(Mask::VALID)
    } else {
        Tried::Failed(Box::new(candidate))
    }
}

/// Tries equations in lanes, those that the last lanes would be too empty for by libsecp256k1. In
/// order.
///
/// What lanes say of a sum is so, since they say nothing where an addition on the way had two equal
/// or opposite points ([`Sum::Unknown`]): libsecp256k1 then answers.
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

/// u₁ = e/s and u₂ = r/s of each.
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
