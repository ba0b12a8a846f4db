// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The uses of the hash, which determine the domain tag (Poseidon paper, section 4.2; Filecoin
//! specification, Poseidon, "Domain separation").

use std::marker::PhantomData;

use ff::PrimeField;
use serde::{Deserialize, Serialize};

use crate::field::power_of_two;
use crate::Arity;

/// The use of a hash.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum HashType<F: PrimeField, A: Arity<F>> {
    /// A node of a Merkle tree whose leaves are all present: tag 2^arity − 1.
    MerkleTree,
    /// A node of a Merkle tree, with a mask of its present leaves. Not supported.
    MerkleTreeSparse(u64),
    /// Any number of elements: tag 2⁶⁴. Not supported.
    VariableLength,
    /// This number of elements: tag length·2⁶⁴.
    ConstantLength(usize),
    /// Encryption: tag 2³².
    Encryption,
    /// A use that the application defines.
    Custom(CType<F, A>),
    /// The permutation of a sponge: tag 0.
    Sponge,
}

impl<F: PrimeField, A: Arity<F>> HashType<F, A> {
    /// Returns the domain tag, the first element of the state.
    ///
    /// # Panics
    /// The number of a custom type is not in 1..=256.
    pub fn domain_tag(&self) -> F {
        match self {
            Self::MerkleTree => A::tag(),
            Self::MerkleTreeSparse(mask) => F::from(*mask),
            Self::VariableLength => power_of_two(64),
            Self::ConstantLength(length) => F::from(*length as u64) * power_of_two::<F>(64),
            Self::Encryption => power_of_two(32),
            Self::Custom(custom) => custom.domain_tag(),
            Self::Sponge => F::ZERO,
        }
    }

    /// Returns `true` if constants can have this type.
    pub const fn is_supported(&self) -> bool {
        !matches!(self, Self::MerkleTreeSparse(_) | Self::VariableLength)
    }
}

// Derived clones would require `A: Clone`.
impl<F: PrimeField, A: Arity<F>> Clone for HashType<F, A> {
    fn clone(&self) -> Self {
        match self {
            Self::MerkleTree => Self::MerkleTree,
            Self::MerkleTreeSparse(mask) => Self::MerkleTreeSparse(*mask),
            Self::VariableLength => Self::VariableLength,
            Self::ConstantLength(length) => Self::ConstantLength(*length),
            Self::Encryption => Self::Encryption,
            Self::Custom(custom) => Self::Custom(custom.clone()),
            Self::Sponge => Self::Sponge,
        }
    }
}

/// A use that an application defines.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound = "")]
pub enum CType<F: PrimeField, A: Arity<F>> {
    /// A number from 1 to 256: tag number·2⁴⁰.
    Arbitrary(u64),
    /// No value: binds the parameters of the type.
    #[doc(hidden)]
    #[serde(skip)]
    _Phantom(PhantomData<(F, A)>),
}

impl<F: PrimeField, A: Arity<F>> CType<F, A> {
    fn domain_tag(&self) -> F {
        let number = match self {
            Self::Arbitrary(number) => *number,
            Self::_Phantom(_) => 0,
        };
        assert!((1..=256).contains(&number), "a custom type must be in 1..=256, got {number}");
        F::from(number) * power_of_two::<F>(40)
    }
}

impl<F: PrimeField, A: Arity<F>> Clone for CType<F, A> {
    fn clone(&self) -> Self {
        match self {
            Self::Arbitrary(number) => Self::Arbitrary(*number),
            Self::_Phantom(_) => Self::_Phantom(PhantomData),
        }
    }
}
