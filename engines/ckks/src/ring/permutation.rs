// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Automorphisms of the ring, which permute the values that the forward transform gives.

use super::twiddles::reverse_bits;

/// A permutation of N words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permutation {
    /// All below their number.
    places: Vec<u32>,
}

impl Permutation {
    /// What X → X^`exponent` does to the values of a polynomial in bit-reversed order: place i takes
    /// the value of place `places()[i]`. `None` for an even exponent, which is no automorphism, and
    /// for N of less than 2 or more than 2³¹.
    pub fn automorphism(log_degree: u32, exponent: u64) -> Option<Self> {
        if exponent % 2 == 0 || !(1..=31).contains(&log_degree) {
            return None;
        }
        // Place i has the value at ψ^(2·rev(i) + 1); that of the image is the value of the
        // polynomial at the power of it.
        let mask = (2u64 << log_degree) - 1;
        let place = |i: usize| {
            let power = (2 * reverse_bits(i, log_degree) as u64 + 1).wrapping_mul(exponent) & mask;
            reverse_bits((power >> 1) as usize, log_degree) as u32
        };
        Some(Self { places: (0..1 << log_degree).map(place).collect() })
    }

    /// Where each place takes its word from.
    pub fn places(&self) -> &[u32] {
        &self.places
    }
}
