// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's fixed-length hash: one permutation of [domain tag, preimage…]; the digest is
//! element 1 (Filecoin specification, "Poseidon", domain separation).

use halimede_arith::Fr;
use rayon::prelude::*;

use crate::instance::{Family, Instance, InstanceError, Strength};
use crate::optimized;
use crate::state::Elements;

/// The use of the hash; it determines the domain tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum HashType {
    /// A node of a Merkle tree: tag 2^arity − 1.
    #[default]
    MerkleTree,
    /// A preimage of a fixed length from 1 to the arity, zero-padded: tag length·2⁶⁴.
    ConstantLength,
    /// Encryption: tag 2³².
    Encryption,
    /// An application's own: tag id·2⁴⁰ with the id from 1 to 256.
    Custom(CustomId),
}

/// The number of an application's own hash type, from 1 to 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CustomId(u64);

impl CustomId {
    /// The id, or an error outside 1..=256.
    ///
    /// # Errors
    /// [`PreimageError::CustomId`].
    pub fn new(id: u64) -> Result<Self, PreimageError> {
        if (1..=256).contains(&id) {
            return Ok(Self(id));
        }
        Err(PreimageError::CustomId { got: id })
    }
}

/// Why a preimage is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PreimageError {
    /// The number of elements does not fit the hash type.
    #[error("expected {expected} elements, got {got}")]
    Length {
        /// The values that fit, in words.
        expected: String,
        /// Elements given.
        got: usize,
    },
    /// No instance has this arity.
    #[error("no Filecoin instance of arity {arity}; there are 2 to 36")]
    Arity {
        /// The given value.
        arity: usize,
    },
    /// The custom id is outside 1..=256.
    #[error("a custom hash type's id lies in 1..=256, got {got}")]
    CustomId {
        /// The given value.
        got: u64,
    },
}

/// A hasher of one arity, strength and type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hasher {
    instance: Instance,
    strength: Strength,
    hash_type: HashType,
    /// The domain tag; where it depends on the length, what it is for one element.
    tag: Fr,
}

/// A preimage, padded, with its tag: what one permutation hashes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preimage {
    instance: Instance,
    strength: Strength,
    elements: Elements<Fr>,
}

impl Hasher {
    /// A hasher of `arity` elements at once (2 to 36).
    ///
    /// # Errors
    /// [`PreimageError::Arity`].
    pub fn new(
        arity: usize,
        strength: Strength,
        hash_type: HashType,
    ) -> Result<Self, PreimageError> {
        // A width is the arity and one; an arity that has none cannot overflow into one that has.
        let instance = Instance::new(Family::Filecoin(strength), arity.saturating_add(1))
            .map_err(|_: InstanceError| PreimageError::Arity { arity })?;
        let tag = unit_tag(hash_type, arity);
        Ok(Self { instance, strength, hash_type, tag })
    }

    /// Elements hashed at once.
    pub fn arity(&self) -> usize {
        self.instance.arity()
    }

    /// The instance whose permutation this uses.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// The preimage of these elements: exactly the arity, or from 1 to the arity where the hash
    /// type is [`HashType::ConstantLength`].
    ///
    /// # Errors
    /// [`PreimageError::Length`].
    pub fn preimage(&self, elements: &[Fr]) -> Result<Preimage, PreimageError> {
        let arity = self.arity();
        let fits = match self.hash_type {
            HashType::ConstantLength => (1..=arity).contains(&elements.len()),
            _ => elements.len() == arity,
        };
        if !fits {
            let expected = match self.hash_type {
                HashType::ConstantLength => format!("1 to {arity}"),
                _ => arity.to_string(),
            };
            return Err(PreimageError::Length { expected, got: elements.len() });
        }
        let tag = self.tag_of(elements.len());
        let mut state = Elements::with_capacity(self.instance.width());
        state.push(tag);
        state.extend_from_slice(elements);
        state.resize(self.instance.width(), Fr::ZERO);
        Ok(Preimage { instance: self.instance, strength: self.strength, elements: state })
    }

    /// The digest of these elements, on this thread.
    ///
    /// # Errors
    /// As [`Self::preimage`].
    pub fn hash(&self, elements: &[Fr]) -> Result<Fr, PreimageError> {
        Ok(self.preimage(elements)?.digest())
    }

    /// The digests of many preimages of as many elements as the arity, one after the other, over
    /// all cores of the current thread pool.
    ///
    /// # Errors
    /// [`PreimageError::Length`] where the last preimage is not whole.
    pub fn hash_batch(&self, elements: &[Fr]) -> Result<Vec<Fr>, PreimageError> {
        let (arity, width) = (self.arity(), self.instance.width());
        if !elements.len().is_multiple_of(arity) {
            let expected = format!("a multiple of {arity}");
            return Err(PreimageError::Length { expected, got: elements.len() });
        }
        let tag = self.tag_of(arity);
        let digests = |preimages: &[Fr]| {
            let mut states = Vec::with_capacity(preimages.len() / arity * width);
            for preimage in preimages.chunks_exact(arity) {
                states.push(tag);
                states.extend_from_slice(preimage);
            }
            optimized::filecoin_digests(self.strength, width, &states)
        };
        Ok(elements.par_chunks(BATCH_PREIMAGES * arity).flat_map_iter(digests).collect())
    }

    fn tag_of(&self, length: usize) -> Fr {
        match self.hash_type {
            HashType::ConstantLength => self.tag * Fr::from(length as u64),
            _ => self.tag,
        }
    }
}

/// Preimages that one thread hashes in one go: enough for all lanes, few enough for its caches.
const BATCH_PREIMAGES: usize = 256;

/// The first element of the state; for constant lengths, that of length 1.
fn unit_tag(hash_type: HashType, arity: usize) -> Fr {
    let power_of_two = |exponent: u64| Fr::from(2).pow(&[exponent]);
    match hash_type {
        HashType::MerkleTree => power_of_two(arity as u64) - Fr::ONE,
        HashType::ConstantLength => power_of_two(64),
        HashType::Encryption => power_of_two(32),
        HashType::Custom(CustomId(id)) => Fr::from(id) * power_of_two(40),
    }
}

impl Preimage {
    /// Hashes it, on this thread.
    pub fn digest(&self) -> Fr {
        // A preimage is as wide as its instance, so there is a digest.
        optimized::filecoin_digest(self.strength, &self.elements).unwrap_or_default()
    }

    /// The instance whose permutation hashes it.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// The elements before the permutation, as many as the instance is wide: tag, elements,
    /// padding.
    pub fn elements(&self) -> &Elements<Fr> {
        &self.elements
    }
}
