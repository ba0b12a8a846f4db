// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two numbers that an Equihash puzzle is made of.

use std::fmt;

/// Most bits of an index: indices are 32-bit words.
const MOST_INDEX_BITS: u32 = 32;
/// Bits of a BLAKE2b output at most.
const MOST_HASH_BITS: u32 = 512;

/// n and k of Equihash: 2^k indices whose n-bit hashes XOR to zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Params {
    n: u32,
    k: u32,
}

/// Numbers that make no puzzle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsError {
    /// n bits are not whole bytes, or more than a hash has.
    #[error("n is {0}: must be a multiple of 8 from 8 to 512")]
    N(u32),
    /// A tree needs levels, and each a collision of at least a bit.
    #[error("k is {k} with n = {n}: must be at least 3 and below n")]
    K {
        /// Bits of a hash, n.
        n: u32,
        /// Rounds, k: a solution has 2ᵏ indices.
        k: u32,
    },
    /// The bits of a collision are not a whole number.
    #[error("n is {n} and k is {k}: n must be a multiple of k + 1")]
    Indivisible {
        /// Bits of a hash, n.
        n: u32,
        /// Rounds, k: a solution has 2ᵏ indices.
        k: u32,
    },
    /// Indices would not fit into words.
    #[error("n is {n} and k is {k}: indices of {index_bits} bits, where the limit is 32")]
    TooWide {
        /// Bits of a hash, n.
        n: u32,
        /// Rounds, k: a solution has 2ᵏ indices.
        k: u32,
        /// Bits of an index, n / (k + 1) + 1.
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

    /// These n and k, as consensus and the crate `equihash` want them: n a multiple of 8, k from 3
    /// to below n, n a multiple of k + 1; and indices of at most 32 bits.
    ///
    /// # Errors
    /// [`ParamsError`] says which of these does not hold.
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
        // A solution has 2^k indices, all different.
        if index_bits > MOST_INDEX_BITS || k > index_bits {
            return Err(ParamsError::TooWide { n, k, index_bits });
        }
        Ok(Self { n, k })
    }

    /// Bits of a leaf's hash.
    pub fn n(self) -> u32 {
        self.n
    }

    /// Levels of the tree.
    pub fn k(self) -> u32 {
        self.k
    }

    /// Bits that collide on each level but the last, where twice as many do.
    pub fn collision_bits(self) -> u32 {
        self.n / (self.k + 1)
    }

    /// Bits of an index.
    pub fn index_bits(self) -> u32 {
        self.collision_bits() + 1
    }

    /// Indices of a solution.
    pub fn indices(self) -> usize {
        1 << self.k
    }

    /// Bytes of a solution in its minimal form.
    pub fn solution_bytes(self) -> usize {
        self.indices() * self.index_bits() as usize / 8
    }

    /// Bytes of a leaf's hash.
    pub fn hash_bytes(self) -> usize {
        self.n as usize / 8
    }

    /// Leaves that one BLAKE2b output is cut into.
    pub fn leaves_per_hash(self) -> u32 {
        MOST_HASH_BITS / self.n
    }

    /// Bytes of the BLAKE2b output that the leaves are cut from; BLAKE2b is parametrised with it.
    pub fn output_bytes(self) -> usize {
        self.leaves_per_hash() as usize * self.hash_bytes()
    }

    /// BLAKE2b's personalisation: `ZcashPoW`, then n and k, 32 bits each, little-endian.
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
