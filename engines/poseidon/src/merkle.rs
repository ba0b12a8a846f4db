// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Full Merkle trees in memory, for the hashes of [`circom`](crate::circom) and
//! [`poseidon2`](crate::poseidon2). [`tree`](crate::tree) streams Filecoin's trees of any size.

/// The reason why leaves have no tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MerkleError {
    /// The hash has no such arity.
    #[error("the arity of this hash is from 2 to {most}, got {got}")]
    Arity {
        /// The arity.
        got: usize,
        /// The largest arity.
        most: usize,
    },
    /// The tree would not be full.
    #[error("{leaves} leaves are not a positive power of the arity {arity}")]
    NotFull {
        /// The number of leaves.
        leaves: usize,
        /// The arity.
        arity: usize,
    },
    /// The instance has no compression with one published definition.
    #[error("{instance} has no published compression of two elements")]
    NoCompression {
        /// The name of the instance.
        instance: &'static str,
    },
}

/// Returns the rows of a full tree; row 0 is the leaves and the last row is the root. `hash`
/// returns the hashes of groups of `arity` nodes each.
pub(crate) fn rows<T: Copy>(
    arity: usize,
    most: usize,
    leaves: &[T],
    hash: impl Fn(&[T]) -> Vec<T>,
) -> Result<Vec<Vec<T>>, MerkleError> {
    if !(2..=most).contains(&arity) {
        return Err(MerkleError::Arity { got: arity, most });
    }
    let mut count = leaves.len();
    while count > 1 && count.is_multiple_of(arity) {
        count /= arity;
    }
    if count != 1 || leaves.len() < arity {
        return Err(MerkleError::NotFull { leaves: leaves.len(), arity });
    }
    let mut rows = vec![leaves.to_vec()];
    while let Some(last) = rows.last().filter(|row| row.len() > 1) {
        let next = hash(last);
        rows.push(next);
    }
    Ok(rows)
}
