// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Compares Σ kᵢ·Pᵢ with a multiple of G: Pippenger's buckets ("On the evaluation of powers and
//! related problems", 1976) over the halves of the scalars (the GLV decomposition).
//!
//! Each half is cut into windows of signed digits. A window's point is added to the bucket of the
//! absolute value of its digit, or subtracted; the sum of a window is Σ b·B(b), by running sums.
//!
//! - [`windows`]: digits, and the points of each bucket.
//! - [`lanes`]: eight buckets, then eight windows, at a time.
//! - [`serial`]: one window at a time, and the sum of all windows.
//!
//! **No comparison is wrong.** The addition formulas fail only for equal or opposite points, or
//! where Z is 0, and then give Z = 0, which remains 0 up to the end. So Z ≠ 0 at the end means that
//! every addition was right. For that, no bucket may be empty, and no adder may choose equal
//! points: bucket b starts with b·T, where T is a random point of the process. The sum of all these
//! starts is a known multiple of G, which is added to the other side of the comparison. Running
//! sums of buckets without points have different multiples of T as operands: the partial sums of
//! B, …, b are above b − 1, and the sum of those partial sums exceeds the next one. Nobody who does
//! not know T can choose points for which the formulas fail.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::OnceLock;

use halimede_arith::lanes::LANES;
use halimede_arith::serial::limbs::Limbs;
use halimede_arith::serial::{self as general, secp256k1::multiply as multiply_field, Portable};
use halimede_arith::Backend;
use rayon::prelude::*;

use super::halves::BETA;
use super::serial::{Jacobian, Row};
use super::table::GENERATOR;
use super::{compare, Answer, Digits, Question, Worth};
use crate::quotient::{add_modulo_n, modulo_n, multiply};

mod lanes;
mod serial;
mod windows;

use serial::{Total, Window};
use windows::{Lists, Windows, MOST_BITS};

/// A multiple of a point.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The factor, in [0, n).
    pub factor: Limbs,
    /// x and y of the point, in [0, p).
    pub point: [Limbs; 2],
}

/// A random point T and its small multiples.
struct Blinding {
    /// The discrete logarithm of T.
    logarithm: Limbs,
    /// T, 2T, 3T and so on, one for each bucket of the widest windows.
    multiples: Vec<Row>,
}

impl Blinding {
    /// Returns the process's random point, which the first call computes.
    fn of_process() -> &'static Self {
        static BLINDING: OnceLock<Blinding> = OnceLock::new();
        BLINDING.get_or_init(|| {
            // The standard library's keys of hash tables are random.
            let random = std::array::from_fn(|_| RandomState::new().build_hasher().finish());
            Self::new(Backend::active(), &modulo_n(&random))
        })
    }

    /// Returns the multiples of `logarithm`·G, or of G for 0.
    fn new(backend: Backend, logarithm: &Limbs) -> Self {
        let logarithm = if *logarithm == [0; 4] { [1, 0, 0, 0] } else { *logarithm };
        let buckets = 1 << (MOST_BITS - 1);
        let multiples = serial::Multiples { point: &GENERATOR, factor: &logarithm, buckets };
        Self { logarithm, multiples: general::run(backend, multiples) }
    }

    /// Returns the discrete logarithm of the sum of all starts: Σ 2ᵂʷ·Σ b²·T, for windows w of W
    /// bits.
    fn sum(&self, windows: Windows) -> Limbs {
        let buckets = windows.buckets() as u64;
        let squares = buckets * (buckets + 1) * (2 * buckets + 1) / 6;
        let mut powers = [0; 4];
        for window in 0..windows.count {
            let bit = windows.shift(window) as usize;
            powers[bit / 64] |= 1 << (bit % 64);
        }
        multiply(&multiply(&powers, &[squares, 0, 0, 0]), &self.logarithm)
    }
}

/// Compares Σ factor·point with multiple·G, for a multiple in [0, n). [`Answer::Unknown`] if the
/// formulas fail, which nobody can provoke.
pub fn compare_sum(backend: Backend, terms: &[Term], multiple: &Limbs) -> Answer {
    let lanes = if Worth::here(backend).is_some() { LANES } else { 1 };
    let windows = Windows::best(2 * terms.len(), lanes);
    compare_blinded(backend, Blinding::of_process(), windows, terms, multiple)
}

/// Compares like [`compare_sum`], with a given random point and width of windows.
fn compare_blinded(
    backend: Backend,
    blinding: &Blinding,
    windows: Windows,
    terms: &[Term],
    multiple: &Limbs,
) -> Answer {
    let Some([x, y]) = blinded_sum(backend, blinding, windows, terms) else {
        return Answer::Unknown;
    };
    let multiple = Digits::of(&add_modulo_n(multiple, &blinding.sum(windows)));
    let answers = compare(backend, &[Question { multiple, x, y }]);
    answers.first().copied().unwrap_or(Answer::Unknown)
}

/// Returns x and y of the sum of all terms and starts; `None` if the formulas failed.
fn blinded_sum(
    backend: Backend,
    blinding: &Blinding,
    windows: Windows,
    terms: &[Term],
) -> Option<[Limbs; 2]> {
    let rows: Vec<Row> = terms.iter().flat_map(|term| rows(term.point)).collect();
    let lists = Lists::new(windows, terms.iter().map(|term| &term.factor));
    let starts = &blinding.multiples;
    let in_lanes = Worth::here(backend).and_then(|_| {
        let buckets = lanes::buckets(backend, &rows, &lists, starts)?;
        lanes::window_sums(backend, windows, &buckets)
    });
    let sums: Vec<Jacobian> = in_lanes.unwrap_or_else(|| {
        let window = |window| Window { rows: &rows, lists: &lists, starts, window };
        let numbers = (0..windows.count).into_par_iter();
        numbers.map(|number| general::run(backend, window(number))).collect()
    });
    general::run(backend, Total { sums: &sums, bits: windows.bits })
}

/// Returns P and λP.
fn rows([x, y]: [Limbs; 2]) -> [Row; 2] {
    let by_lambda = general::secp256k1::canonical::<Portable>(multiply_field::<Portable>(x, BETA));
    [row(x, y), row(by_lambda, y)]
}

fn row([a, b, c, d]: Limbs, [e, f, g, h]: Limbs) -> Row {
    Row([a, b, c, d, e, f, g, h])
}

#[cfg(test)]
mod tests;
