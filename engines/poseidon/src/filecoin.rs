// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's fixed-length hash: one permutation of [domain tag, preimage…]; the digest is
//! element 1 (Filecoin specification, "Poseidon", domain separation).

use halimede_arith::Fr;
use rayon::prelude::*;

use crate::instance::{Family, Instance, InstanceError, Strength};
use crate::optimized;
use crate::state::Elements;

/// The use of the hash, which determines the domain tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum HashType {
    /// A node of a Merkle tree: tag 2^arity − 1.
    #[default]
    MerkleTree,
    /// A preimage of a fixed length from 1 to the arity, zero-padded: tag length·2⁶⁴.
    ConstantLength,
    /// Encryption: tag 2³².
    Encryption,
    /// Custom, defined by the application: tag id·2⁴⁰ with the id from 1 to 256.
    Custom(CustomId),
}

/// The id of a custom hash type, from 1 to 256.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CustomId(u64);

impl CustomId {
    /// Checks that the id is in 1..=256.
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
        /// The valid lengths, in words.
        expected: String,
        /// The number of elements given.
        got: usize,
    },
    /// No instance has this arity.
    #[error("no Filecoin instance has arity {arity}; the arity must be in 2..=36")]
    Arity {
        /// The given value.
        arity: usize,
    },
    /// The custom id is outside 1..=256.
    #[error("the id of a custom hash type must be in 1..=256, got {got}")]
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
    /// The domain tag. If it depends on the length, the tag of one element.
    tag: Fr,
}

/// A padded preimage with its domain tag: the input of one permutation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preimage {
    instance: Instance,
    strength: Strength,
    elements: Elements<Fr>,
}

impl Hasher {
    /// Returns a hasher of `arity` elements per hash (2 to 36).
    ///
    /// # Errors
    /// [`PreimageError::Arity`].
    pub fn new(
        arity: usize,
        strength: Strength,
        hash_type: HashType,
    ) -> Result<Self, PreimageError> {
        // The width is the arity plus one. Saturation keeps an invalid arity from overflowing into
        // a valid width.
        let instance = Instance::new(Family::Filecoin(strength), arity.saturating_add(1))
            .map_err(|_: InstanceError| PreimageError::Arity { arity })?;
        let tag = unit_tag(hash_type, arity);
        Ok(Self { instance, strength, hash_type, tag })
    }

    /// The number of elements per hash.
    pub fn arity(&self) -> usize {
        self.instance.arity()
    }

    /// The instance whose permutation this hasher uses.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// Returns the preimage of these elements. Their number is the arity, or 1 to the arity if the
    /// hash type is [`HashType::ConstantLength`].
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

    /// Returns the digest of these elements, computed on this thread.
    ///
    /// # Errors
    /// As [`Self::preimage`].
    pub fn hash(&self, elements: &[Fr]) -> Result<Fr, PreimageError> {
        Ok(self.preimage(elements)?.digest())
    }

    /// Returns the digests of many preimages of `arity` elements each, stored contiguously. Uses
    /// all cores of the current thread pool.
    ///
    /// # Errors
    /// [`PreimageError::Length`] if the number of elements is not a multiple of the arity.
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

/// The preimages that one thread hashes at a time: enough for all lanes, few enough for its caches.
const BATCH_PREIMAGES: usize = 256;

/// The domain tag; for constant lengths, the tag of length 1.
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
    /// Returns the digest, computed on this thread.
    pub fn digest(&self) -> Fr {
        // A preimage has the width of its instance, so there is a digest.
        optimized::filecoin_digest(self.strength, &self.elements).unwrap_or_default()
    }

    /// The instance whose permutation hashes the preimage.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// The state before the permutation: tag, elements, padding. Its length is the instance's
    /// width.
    pub fn elements(&self) -> &Elements<Fr> {
        &self.elements
    }
}
