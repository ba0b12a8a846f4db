// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The Merkle tree of a block's transactions: double SHA-256 of pairs, where the last node of an
//! odd row is paired with itself (Zcash protocol specification, section 7.6, as in Bitcoin).

use crate::hash::{double_sha256, Hash};

/// A Merkle root, and whether other transactions have the same root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerkleRoot {
    /// The root; zeros without transactions.
    pub root: Hash,
    /// Set if two neighbors that form a pair are equal. Transactions that end with copies of the
    /// last ones have the same root as those without (CVE-2012-2459), so the root proves neither.
    pub ambiguous: bool,
}

/// Computes the root of these leaves.
pub fn merkle_root(leaves: impl IntoIterator<Item = Hash>) -> MerkleRoot {
    let mut row: Vec<Hash> = leaves.into_iter().collect();
    let mut ambiguous = false;
    while row.len() > 1 {
        ambiguous |= row.chunks_exact(2).any(|pair| pair[0] == pair[1]);
        let parents = row.chunks(2).map(|pair| parent(pair[0], pair[pair.len() - 1]));
        row = parents.collect();
    }
    MerkleRoot { root: row.first().copied().unwrap_or_default(), ambiguous }
}

fn parent(left: Hash, right: Hash) -> Hash {
    let mut both = [0; 64];
    both[..32].copy_from_slice(&left.0);
    both[32..].copy_from_slice(&right.0);
    double_sha256(&both)
}

#[cfg(test)]
mod tests {
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn leaves(count: usize) -> Vec<Hash> {
        let mut random = ChaCha8Rng::seed_from_u64(count as u64);
        (0..count).map(|_| Hash(random.gen())).collect()
    }

    /// Computes the root by recursion: the left subtree is the largest full one.
    fn recursive(leaves: &[Hash], height: u32) -> Hash {
        if height == 0 {
            return leaves[0];
        }
        let half = 1 << (height - 1);
        let left = recursive(&leaves[..leaves.len().min(half)], height - 1);
        let right = match leaves.len() > half {
            true => recursive(&leaves[half..], height - 1),
            false => left,
        };
        parent(left, right)
    }

    #[test]
    fn roots_of_all_small_sizes() {
        assert_eq!(merkle_root([]).root, Hash::default());
        for count in 1..70usize {
            let leaves = leaves(count);
            let height = count.next_power_of_two().trailing_zeros();
            let expected = MerkleRoot { root: recursive(&leaves, height), ambiguous: false };
            assert_eq!(merkle_root(leaves), expected, "{count}");
        }
    }

    #[test]
    fn copies_at_the_end_keep_the_root_and_are_told() {
        for (count, copied) in [(3, 1), (6, 2), (12, 4), (5, 1), (10, 2), (7, 1)] {
            let short = leaves(count);
            let mut long = short.clone();
            long.extend_from_slice(&short[count - copied..]);
            let (short, long) = (merkle_root(short), merkle_root(long));
            assert_eq!(short.root, long.root, "{count} {copied}");
            assert_eq!((short.ambiguous, long.ambiguous), (false, true), "{count} {copied}");
        }
        // Copies that form no pair change the root.
        let mut apart = leaves(6);
        apart[3] = apart[0];
        assert!(!merkle_root(apart).ambiguous);
    }
}
