// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multiples of the curve's generator G compared with points, and sums u₁G + u₂Q compared with r:
//! of public numbers, so that time may depend on them.
//!
//! - [`table`]: odd multiples of 2⁸ʷ·G, and numbers as sums of them.
//! - [`halves`]: numbers as sums of two of half the length.
//! - [`serial`]: points in general registers, one at a time.
//! - [`lanes`]: points in lanes, eight at a time.
//! - [`terms`]: u₁G + u₂Q, eight at a time.
//! - [`equation`]: x of those compared with r.
//! - [`affine`]: x and y of those.
//! - [`powers`]: roots and inverses modulo p.
//! - [`roots`]: y of points by their x, sixteen at a time.

use halimede_arith::lanes::{self as eight, LANES};
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;

mod affine;
mod comparison;
mod equation;
mod halves;
mod lanes;
mod powers;
mod roots;
mod serial;
mod table;
mod terms;

pub use affine::Point;
use affine::{Sums, GROUPS};
use equation::Equations;
pub use equation::{Equation, Sum};
use roots::{Roots, ROOTS};
pub use table::Digits;
use table::Table;
pub use terms::Terms;

/// Asks whether a multiple of G is a point.
#[derive(Clone, Debug)]
pub struct Question {
    /// The multiple.
    pub multiple: Digits,
    /// x of the point, in [0, p).
    pub x: Limbs,
    /// y of the point, in [0, p).
    pub y: Limbs,
}

/// Whether a multiple of G is a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is.
    Same,
    /// It is another point.
    Different,
    /// The formulas do not hold for this multiple: 0, or the one whose last addition is a doubling.
    Unknown,
}

/// From how many questions on all lanes at once take less time than one at a time: products of
/// doubles take about three times as long as those of IFMA.
fn worth_lanes(backend: Backend) -> usize {
    match backend {
        Backend::Avx512Ifma => 4,
        _ => LANES,
    }
}

/// The answers, in order.
pub fn compare(backend: Backend, questions: &[Question]) -> Vec<Answer> {
    let table = Table::of_generator();
    let mut answers = Vec::with_capacity(questions.len());
    for group in questions.chunks(LANES) {
        let together = match group {
            [first, ..] if group.len() >= worth_lanes(backend) && eight::available(backend) => {
                // Lanes beyond the last question ask the first one again.
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

/// From how many equations on a backend tries them in lanes: eight take as long as two by
/// libsecp256k1, by products of doubles as long as three and a half. `None` for a backend without
/// lanes.
pub fn worth_trying(backend: Backend) -> Option<usize> {
    let least = match backend {
        Backend::Avx512Ifma => 3,
        Backend::Avx512 => 4,
        _ => return None,
    };
    eight::available(backend).then_some(least)
}

/// Whether equations hold, in order; `None` for a backend without lanes.
pub fn try_equations(backend: Backend, equations: &[Equation]) -> Option<Vec<Sum>> {
    let table = Table::of_generator();
    let mut sums = Vec::with_capacity(equations.len());
    for group in equations.chunks(LANES) {
        // Lanes beyond the last equation try the first one again.
        let mut equations = [group.first()?; LANES];
        for (lane, equation) in equations.iter_mut().zip(group) {
            *lane = equation;
        }
        let together = eight::run(backend, Equations { table, equations })?;
        sums.extend(&together[..group.len()]);
    }
    Some(sums)
}

/// x and y of u₁G + u₂Q, in order; `None` for a backend without lanes.
pub fn sums(backend: Backend, terms: &[Terms]) -> Option<Vec<Point>> {
    let table = Table::of_generator();
    let mut points = Vec::with_capacity(terms.len());
    for together in terms.chunks(GROUPS * LANES) {
        // Lanes beyond the last sum add the first one again.
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

/// For each x in [0, p) a y with which it is a point of the curve, where there is one, else any
/// number of [0, p). `None` for a backend where lanes take longer than one at a time.
pub fn ordinates(backend: Backend, x: &[Limbs]) -> Option<Vec<Limbs>> {
    worth_trying(backend)?;
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
