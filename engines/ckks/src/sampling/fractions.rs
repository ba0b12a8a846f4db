// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Random numbers that decide whether a coefficient is rounded up or down.

use zeroize::{Zeroize, Zeroizing};

use super::Random;

/// Pairs of uniform numbers in [0, 1).
pub(crate) fn uniform_pairs(random: &mut Random, count: usize) -> Zeroizing<Vec<[f64; 2]>> {
    let mut words = vec![0u64; count];
    random.words(&mut words);
    // Each half of a word makes one number: steps of 2⁻³² are far smaller than a rounding error.
    let fraction = |bits: u32| f64::from(bits) / 2f64.powi(32);
    let pair = |word: &u64| [fraction(*word as u32), fraction((word >> 32) as u32)];
    let pairs = words.iter().map(pair).collect();
    words.zeroize();
    Zeroizing::new(pairs)
}
