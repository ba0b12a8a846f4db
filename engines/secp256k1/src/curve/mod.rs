// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Multiples of the curve's generator G, compared with points: of public numbers, so that time may
//! depend on them.
//!
//! - [`table`]: odd multiples of 2⁸ʷ·G, and numbers as sums of them.
//! - [`serial`]: points in general registers, one at a time.
//! - [`lanes`]: points in lanes, eight at a time.

use halimede_arith::lanes::{self as eight, LANES};
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::Backend;

mod lanes;
mod serial;
mod table;

pub use table::Digits;
use table::Table;

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
                let comparison = serial::Comparison { table, question };
                halimede_arith::serial::run(backend, comparison)
            })),
        }
    }
    answers
}

#[cfg(test)]
mod tests;
