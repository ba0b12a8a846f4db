// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares multiples of the generator G with points, and sums u₁G + u₂Q with r. The numbers are
//! public, so that the running time may depend on them.
//!
//! - [`table`]: odd multiples of 2⁸ʷ·G, and scalars as sums of them.
//! - [`halves`]: scalars as sums of two of half the length.
//! - [`serial`]: points in general registers, one at a time.
//! - [`lanes`]: points in lanes, eight at a time.
//! - [`terms`]: u₁G + u₂Q, eight at a time.
//! - [`equation`]: comparison of x of those sums with r.
//! - [`affine`]: x and y of those sums.
//! - [`buckets`]: sums of multiples of many points.
//! - [`powers`]: square roots and inverses modulo p.
//! - [`roots`]: y of points from their x, sixteen at a time.

use halimede_arith::lanes::{self as eight, LANES};
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;

mod affine;
mod buckets;
mod comparison;
mod equation;
mod halves;
mod lanes;
mod powers;
mod roots;
mod serial;
mod table;
mod terms;
mod worth;

pub use affine::Point;
use affine::{Sums, GROUPS};
pub use buckets::{compare_sum, Term};
use equation::Equations;
pub use equation::{Equation, Sum};
use roots::{Roots, ROOTS};
pub use table::Digits;
use table::Table;
pub use terms::Terms;
pub use worth::Worth;

/// The question whether a multiple of G is a given point.
#[derive(Clone, Debug)]
pub struct Question {
    /// The multiple.
    pub multiple: Digits,
    /// x of the point, in [0, p).
    pub x: Limbs,
    /// y of the point, in [0, p).
    pub y: Limbs,
}

/// The result of comparing a multiple of G with a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// They are equal.
    Same,
    /// They differ.
    Different,
    /// The formulas fail for this multiple: 0, or the one whose last addition is a doubling.
    Unknown,
}

/// The number of questions from which all lanes at once are faster than one question at a time.
/// Products of doubles take about three times as long as those of IFMA.
fn worth_lanes(backend: Backend) -> usize {
    match backend {
        Backend::Avx512Ifma => 4,
        _ => LANES,
    }
}

/// Returns the answers, in order.
pub fn compare(backend: Backend, questions: &[Question]) -> Vec<Answer> {
    let table = Table::of_generator();
    let mut answers = Vec::with_capacity(questions.len());
    for group in questions.chunks(LANES) {
        let together = match group {
            [first, ..] if group.len() >= worth_lanes(backend) && eight::available(backend) => {
                // Lanes beyond the last question repeat the first one.
                let mut questions = [first; LANES];
                for (lane, question) in questions.iter_mut().zip(group) {
                    *lane = question;
                }
                eight::run(backend, lanes::Comparison { table, questions })
            }
            _ => None,
        };
        match together {
            Some(together) => answers.extend(&together[..group.len()]),
            None => answers.extend(group.iter().map(|question| {
                let comparison = comparison::Comparison { table, question };
                halimede_arith::serial::run(backend, comparison)
            })),
        }
    }
    answers
}

/// Evaluates equations, in order; `None` for a backend without lanes.
pub fn try_equations(backend: Backend, equations: &[Equation]) -> Option<Vec<Sum>> {
    let table = Table::of_generator();
    let mut sums = Vec::with_capacity(equations.len());
    for group in equations.chunks(LANES) {
        // Lanes beyond the last equation repeat the first one.
        let mut equations = [group.first()?; LANES];
        for (lane, equation) in equations.iter_mut().zip(group) {
            *lane = equation;
        }
        let together = eight::run(backend, Equations { table, equations })?;
        sums.extend(&together[..group.len()]);
    }
    Some(sums)
}

/// Returns x and y of u₁G + u₂Q, in order; `None` for a backend without lanes.
pub fn sums(backend: Backend, terms: &[Terms]) -> Option<Vec<Point>> {
    let table = Table::of_generator();
    let mut points = Vec::with_capacity(terms.len());
    for together in terms.chunks(GROUPS * LANES) {
        // Lanes beyond the last sum repeat the first one.
        let mut groups = Vec::with_capacity(GROUPS);
        for group in together.chunks(LANES) {
            let mut lanes = [group.first()?; LANES];
            for (lane, terms) in lanes.iter_mut().zip(group) {
                *lane = terms;
            }
            groups.push(lanes);
        }
        let found = eight::run(backend, Sums { table, groups: &groups })?;
        points.extend(found.iter().flatten().take(together.len()));
    }
    Some(points)
}

/// Returns, for each x in [0, p), a y such that (x, y) is on the curve, or an arbitrary number in
/// [0, p) if there is no such y. `None` for a backend where lanes are slower than one point at a
/// time.
pub fn ordinates(backend: Backend, x: &[Limbs]) -> Option<Vec<Limbs>> {
    Worth::here(backend)?;
    let mut ordinates = Vec::with_capacity(x.len());
    for group in x.chunks(ROOTS) {
        let mut x = [group.first()?; ROOTS];
        for (lane, number) in x.iter_mut().zip(group) {
            *lane = number;
        }
        ordinates.extend(&eight::run(backend, Roots(x))?[..group.len()]);
    }
    Some(ordinates)
}

#[cfg(test)]
mod tests;
