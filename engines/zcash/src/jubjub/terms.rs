// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The terms of sums, their digits, and the sums of windows combined.

use super::points::{Extended, Niels};
use super::scalars;
use crate::digits::{Raised, Windows};

/// The bits of a short number.
pub const SHORT_BITS: u32 = 127;

/// A point and its factor, a number below 2^127 or 2^252.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    pub point: Niels,
    pub factor: [u64; 4],
}

/// The terms of a sum.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    /// Terms with factors below 2^127.
    pub short: Vec<Term>,
    /// Terms with factors below 2^252.
    pub long: Vec<Term>,
}

/// Returns the windows of short and of long factors.
pub fn windows(width: u32) -> [Windows; 2] {
    [Windows::new(width, SHORT_BITS), Windows::new(width, scalars::BITS)]
}

/// Factors as raised numbers.
pub fn raised(terms: &[Term], windows: Windows) -> Vec<Raised> {
    terms.iter().map(|term| windows.raise(&term.factor)).collect()
}

/// Returns Σ 2^(width·w)·sums\[w\].
#[inline(always)]
pub fn combine(sums: &[Extended], width: u32) -> Extended {
    let mut total = Extended::IDENTITY;
    for sum in sums.iter().rev() {
        for _ in 0..width {
            total = total.double();
        }
        total = total.add(&sum.niels());
    }
    total
}
