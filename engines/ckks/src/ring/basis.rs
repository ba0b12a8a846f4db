// SPDX-License-Identifier: Apache-2.0 OR MIT
//! RNS bases: the primes of a ring for which a polynomial has residues.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Positions of primes in the list of a [`Ring`](super::Ring), in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "Vec<u16>", try_from = "Vec<u16>")]
pub struct Basis(Arc<[u16]>);

impl Basis {
    /// The primes at these positions, in any order. Duplicates count once.
    pub fn new(places: impl IntoIterator<Item = u16>) -> Self {
        let mut places: Vec<u16> = places.into_iter().collect();
        places.sort_unstable();
        places.dedup();
        Self(places.into())
    }

    /// The positions of the primes in the ring's list.
    pub fn places(&self) -> &[u16] {
        &self.0
    }

    /// The number of primes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns `true` if the basis has no primes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The index of the limb with the residues of the prime at `place`.
    pub fn limb_of(&self, place: u16) -> Option<usize> {
        self.0.binary_search(&place).ok()
    }

    /// Returns `true` if every prime of `other` is in this basis.
    pub fn contains(&self, other: &Self) -> bool {
        other.0.iter().all(|place| self.limb_of(*place).is_some())
    }

    /// The union of both bases.
    pub fn union(&self, other: &Self) -> Self {
        Self::new(self.0.iter().chain(other.0.iter()).copied())
    }

    /// The primes that are not in `other`.
    pub fn without(&self, other: &Self) -> Self {
        Self::new(self.0.iter().copied().filter(|place| other.limb_of(*place).is_none()))
    }

    /// The primes in both bases.
    pub fn common(&self, other: &Self) -> Self {
        Self::new(self.0.iter().copied().filter(|place| other.limb_of(*place).is_some()))
    }
}

impl From<Basis> for Vec<u16> {
    fn from(basis: Basis) -> Self {
        basis.0.to_vec()
    }
}

/// The positions are not in ascending order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the places of a basis must ascend; {got} follows {before}")]
pub struct BasisError {
    before: u16,
    got: u16,
}

impl TryFrom<Vec<u16>> for Basis {
    type Error = BasisError;

    fn try_from(places: Vec<u16>) -> Result<Self, BasisError> {
        match places.windows(2).find(|pair| pair[0] >= pair[1]) {
            Some(pair) => Err(BasisError { before: pair[0], got: pair[1] }),
            None => Ok(Self(places.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Basis;

    #[test]
    fn bases_are_sets() {
        let (a, b) = (Basis::new([5, 1, 3, 1]), Basis::new([3, 4]));
        assert_eq!(a.places(), [1, 3, 5]);
        assert_eq!(a.union(&b).places(), [1, 3, 4, 5]);
        assert_eq!(a.without(&b).places(), [1, 5]);
        assert_eq!(a.common(&b).places(), [3]);
        assert!(a.contains(&Basis::new([5, 1])) && !a.contains(&b));
        assert_eq!((a.limb_of(5), a.limb_of(4)), (Some(2), None));
        assert!(a.without(&a).is_empty());
    }
}
