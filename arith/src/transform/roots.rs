// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Roots of unity in the order of a transform's blocks.

use crate::field::{Bls12381Scalar, Modulus};
use crate::Fr;

/// r − 1 is divisible by 2³² and not by 2³³.
pub const TWO_ADICITY: u32 = 32;

/// A quadratic non-residue, whose power by (r − 1)/2³² has the order 2³²: all other roots are
/// powers of it. The sets of roots are the same for all generators, their order is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Generator {
    /// The least generator of the units, which `bellman`, `blst` and EIP-4844 use.
    Seven,
    /// The least quadratic non-residue, which circom's tools use.
    Five,
}

impl Generator {
    /// Returns the root of order 2³².
    fn root(self) -> Fr {
        let value = match self {
            Self::Seven => 7,
            Self::Five => 5,
        };
        let r = Bls12381Scalar::VALUE;
        // (r − 1)/2³²; the low limb of r − 1 is a multiple of 2³².
        let mut exponent = [0; 4];
        for (limb, place) in exponent.iter_mut().enumerate() {
            let above = r.get(limb + 1).copied().unwrap_or(0);
            *place = r[limb] >> TWO_ADICITY | above << (64 - TWO_ADICITY);
        }
        Fr::from(value).pow(&exponent)
    }

    /// Returns ω of order 2^log_order.
    ///
    /// # Panics
    /// If the order is above 2³².
    pub fn root_of_order(self, log_order: u32) -> Fr {
        assert!(log_order <= TWO_ADICITY, "a root of order 2^{log_order}");
        (log_order..TWO_ADICITY).fold(self.root(), |root, _| root.square())
    }
}

/// Returns ζ₀ to ζ₍ₙ₋₁₎ for n = 2^log_count: with the k bits of an index i reversed, ζᵢ is the
/// root of order 2^(k + 1) to that power, for any k that is large enough. So ζ₀ is 1, ζ₂ᵢ² is ζᵢ,
/// ζ₂ᵢ₊₁² is −ζᵢ, and the roots of a smaller transform are the first ones of a larger.
///
/// # Panics
/// If n is above 2³¹.
pub fn block_roots(generator: Generator, log_count: u32) -> Vec<Fr> {
    assert!(log_count < TWO_ADICITY, "2^{log_count} roots");
    let mut roots = Vec::with_capacity(1 << log_count);
    roots.push(Fr::ONE);
    for level in 0..log_count {
        let root = generator.root_of_order(level + 2);
        for index in 0..1 << level {
            roots.push(roots[index] * root);
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_have_their_orders() {
        for generator in [Generator::Seven, Generator::Five] {
            assert_eq!(generator.root_of_order(0), Fr::ONE);
            for log_order in 1..=TWO_ADICITY {
                let root = generator.root_of_order(log_order);
                assert_eq!(root.pow(&[1 << (log_order - 1)]), -Fr::ONE, "{log_order}");
            }
        }
        assert_ne!(Generator::Seven.root_of_order(32), Generator::Five.root_of_order(32));
    }

    #[test]
    fn roots_of_blocks_are_in_reversed_order() {
        let log_count = 6;
        for generator in [Generator::Seven, Generator::Five] {
            let roots = block_roots(generator, log_count);
            assert_eq!(roots[..8], block_roots(generator, 3));
            let root = generator.root_of_order(log_count + 1);
            for (index, found) in roots.iter().enumerate() {
                let reversed = (index as u64).reverse_bits() >> (64 - log_count);
                assert_eq!(*found, root.pow(&[reversed]), "{index}");
            }
        }
    }
}
