// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two parameters of an Equihash puzzle.

use std::fmt;

/// The most bits of an index: indices are 32-bit words.
const MOST_INDEX_BITS: u32 = 32;
/// The most bits of a BLAKE2b output.
const MOST_HASH_BITS: u32 = 512;

/// The parameters n and k of Equihash: 2^k indices whose n-bit hashes XOR to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Params {
    n: u32,
    k: u32,
}

/// Why parameters are rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// n is not a multiple of 8, or exceeds the size of a hash.
    #[error("n is {0}; it must be a multiple of 8 from 8 to 512")]
    N(u32),
    /// k is out of range: the tree needs at least 3 levels, each with a collision of at least one
    /// bit.
    #[error("k is {k} with n = {n}; it must be at least 3 and below n")]
    K {
        /// The size n of a hash in bits.
        n: u32,
        /// The number k of rounds: a solution has 2ᵏ indices.
        k: u32,
    },
    /// The bits of a collision are not a whole number.
    #[error("n is {n} and k is {k}; n must be a multiple of k + 1")]
    Indivisible {
        /// The size n of a hash in bits.
        n: u32,
        /// The number k of rounds: a solution has 2ᵏ indices.
        k: u32,
    },
    /// Indices would not fit in 32-bit words.
    #[error("n is {n} and k is {k}: indices of {index_bits} bits exceed the limit of 32")]
    TooWide {
        /// The size n of a hash in bits.
        n: u32,
        /// The number k of rounds: a solution has 2ᵏ indices.
        k: u32,
        /// The size of an index in bits, n / (k + 1) + 1.
        index_bits: u32,
    },
}

impl Params {
    /// (200, 9): Zcash's main and test networks.
    pub const ZCASH: Self = Self { n: 200, k: 9 };
    /// (144, 5).
    pub const N144_K5: Self = Self { n: 144, k: 5 };
    /// (96, 5).
    pub const N96_K5: Self = Self { n: 96, k: 5 };
    /// (48, 5): Zcash's regression-test network.
    pub const REGTEST: Self = Self { n: 48, k: 5 };
    /// The parameter sets that are in use.
    pub const USUAL: [Self; 4] = [Self::ZCASH, Self::N144_K5, Self::N96_K5, Self::REGTEST];

    /// Checks n and k with the rules of consensus and of the crate `equihash`: n is a multiple of
    /// 8, k is at least 3 and below n, n is a multiple of k + 1, and indices have at most 32 bits.
    ///
    /// # Errors
    /// [`ParamsError`] names the rule that does not hold.
    pub fn new(n: u32, k: u32) -> Result<Self, ParamsError> {
        if n == 0 || n > MOST_HASH_BITS || !n.is_multiple_of(8) {
            return Err(ParamsError::N(n));
        }
        if k < 3 || k >= n {
            return Err(ParamsError::K { n, k });
        }
        if !n.is_multiple_of(k + 1) {
            return Err(ParamsError::Indivisible { n, k });
        }
        let index_bits = n / (k + 1) + 1;
        // A solution has 2^k indices, all distinct.
        if index_bits > MOST_INDEX_BITS || k > index_bits {
            return Err(ParamsError::TooWide { n, k, index_bits });
        }
        Ok(Self { n, k })
    }

    /// The size n of a leaf's hash in bits.
    pub fn n(self) -> u32 {
        self.n
    }

    /// The number k of levels of the tree.
    pub fn k(self) -> u32 {
        self.k
    }

    /// The number of bits that collide on each level except the last, where twice this number
    /// collide.
    pub fn collision_bits(self) -> u32 {
        self.n / (self.k + 1)
    }

    /// The size of an index in bits.
    pub fn index_bits(self) -> u32 {
        self.collision_bits() + 1
    }

    /// The number of indices of a solution.
    pub fn indices(self) -> usize {
        1 << self.k
    }

    /// The length in bytes of a solution in its minimal form.
    pub fn solution_bytes(self) -> usize {
        self.indices() * self.index_bits() as usize / 8
    }

    /// The size of a leaf's hash in bytes.
    pub fn hash_bytes(self) -> usize {
        self.n as usize / 8
    }

    /// The number of leaves per BLAKE2b output.
    pub fn leaves_per_hash(self) -> u32 {
        MOST_HASH_BITS / self.n
    }

    /// The length in bytes of the BLAKE2b output that leaves are cut from; a parameter of BLAKE2b.
    pub fn output_bytes(self) -> usize {
        self.leaves_per_hash() as usize * self.hash_bytes()
    }

    /// BLAKE2b's personalization: `ZcashPoW`, then n and k, 32 bits each, little-endian.
    pub fn personalisation(self) -> [u8; 16] {
        let mut bytes = *b"ZcashPoW\0\0\0\0\0\0\0\0";
        bytes[8..12].copy_from_slice(&self.n.to_le_bytes());
        bytes[12..].copy_from_slice(&self.k.to_le_bytes());
        bytes
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.n, self.k)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_usual_ones() {
        let sizes = |p: Params| (p.collision_bits(), p.indices(), p.solution_bytes());
        assert_eq!(sizes(Params::ZCASH), (20, 512, 1344));
        assert_eq!(sizes(Params::N144_K5), (24, 32, 100));
        assert_eq!(sizes(Params::N96_K5), (16, 32, 68));
        assert_eq!(sizes(Params::REGTEST), (8, 32, 36));
        for p in Params::USUAL {
            assert_eq!(Params::new(p.n(), p.k()), Ok(p));
        }
        assert_eq!((Params::ZCASH.leaves_per_hash(), Params::ZCASH.output_bytes()), (2, 50));
        assert_eq!((Params::REGTEST.leaves_per_hash(), Params::REGTEST.output_bytes()), (10, 60));
    }

    #[test]
    fn numbers_that_make_no_puzzle() {
        for (n, k) in [(0, 5), (7, 3), (201, 9), (520, 9), (200, 2), (200, 200), (200, 8), (512, 3)]
        {
            assert!(Params::new(n, k).is_err(), "{n} {k}");
        }
    }
}
