// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finds why an equation does not hold: the sum is the point at infinity, or another point.
//!
//! With u₁ = e/s and u₂ = r/s the sum u₁G + u₂Q is (r/s)(Q + (e/r)G) for every s. So it is infinity
//! exactly if (e/r)G is −Q: this needs one multiple of G, whose table serves all signatures, and no
//! multiple of Q. Failed signatures are processed together: all share one division, and each eight
//! the additions.

use halimede_arith::Backend;
use secp256k1::Scalar;

use crate::candidate::Candidate;
use crate::curve::{compare, Answer, Digits, Question};
use crate::quotient::{bytes, limbs, modulo_n, negated, quotients};
use crate::{Check, Mask};

/// Returns the failed check of each candidate whose equation does not hold, in order.
pub fn reasons(backend: Backend, failures: &[Candidate]) -> Vec<Mask> {
    let number = |failure: &Candidate| (modulo_n(&limbs(&failure.digest)), limbs(&failure.r));
    let pairs: Vec<_> = failures.iter().map(number).collect();
    let quotients = quotients(&pairs);
    let question = |(failure, quotient): (&Candidate, &[u64; 4])| {
        let [x, y] = failure.coordinates();
        // The key is compared with −(e/r)·G.
        Question { multiple: Digits::of(&modulo_n(&negated(quotient))), x, y }
    };
    let questions: Vec<Question> = failures.iter().zip(&quotients).map(question).collect();
    let answers = compare(backend, &questions).into_iter();
    let mask = |(answer, (failure, quotient))| {
        let is_infinity = match answer {
            Answer::Same => true,
            Answer::Different => false,
            Answer::Unknown => leads_to_infinity(failure, quotient),
        };
        if is_infinity {
            failed(Check::Infinity)
        } else {
            mismatch()
        }
    };
    answers.zip(failures.iter().zip(&quotients)).map(mask).collect()
}

/// The failure if the sum is not infinity.
pub fn mismatch() -> Mask {
    failed(Check::Match)
}

fn failed(check: Check) -> Mask {
    let mut mask = Mask::VALID;
    mask.set(check);
    mask
}

/// Returns `true` if the sum is the point at infinity, computed with libsecp256k1: adding a
/// multiple of G to a key then fails.
fn leads_to_infinity(failure: &Candidate, quotient: &[u64; 4]) -> bool {
    // A quotient lies below n, so an addition fails only if the sum is infinity.
    Scalar::from_be_bytes(bytes(quotient))
        .is_ok_and(|multiple| failure.key.add_exp_tweak(&multiple).is_err())
}

#[cfg(test)]
mod tests;
