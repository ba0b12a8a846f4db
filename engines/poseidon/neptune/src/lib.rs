// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The interface of the crate `neptune`, with hashes by `halimede-poseidon`.
//!
//! `[patch.crates-io]` puts this crate in place of `neptune` without a change to the crates that
//! depend on it; see the page of this folder. The scalars of BLS12-381 (`blstrs::Scalar`) at
//! arities from 2 to 36 use halimede-poseidon's kernels. Any other prime field, arity or set of
//! constants uses a portable implementation of the same rounds.
//!
//! - [`poseidon`]: constants and the hasher; [`hash_type`]: domain tags.
//! - [`circuit`], [`circuit2`]: constraints, equal to neptune's one by one.
//! - [`batch_hasher`], [`tree_builder`], [`column_tree_builder`]: many hashes, and trees.
//!
//! Sources: Poseidon (Grassi, Khovratovich, Rechberger, Roy, Schofnegger, USENIX Security 2021),
//! and "Poseidon" in Filecoin's specification, which neptune's package contains.
//!
//! Functions panic where neptune's do, because its signatures have no errors. Each such function
//! has a section "Panics".

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![allow(deprecated, reason = "neptune's interface has types of generic-array 0.14")]

mod arity;
pub mod batch_hasher;
pub mod circuit;
pub mod circuit2;
pub mod column_tree_builder;
mod constants;
pub mod error;
mod field;
pub mod hash_type;
mod matrix;
mod native;
pub mod poseidon;
mod rounds;
pub mod tree_builder;

use std::fmt;

use ff::PrimeField;
use generic_array::GenericArray;
use serde::{Deserialize, Serialize};

pub use error::Error;
pub use poseidon::{Arity, Poseidon};

/// The fields of the batch hashers: all prime fields. (neptune also requires names of GPU code.)
pub trait NeptuneField: PrimeField {}

impl<F: PrimeField> NeptuneField for F {}

/// The security margin, which sets the number of partial rounds.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Strength {
    /// 128 bits of security with the usual margin.
    Standard,
    /// A quarter more partial rounds.
    Strengthened,
}

impl fmt::Display for Strength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Standard => "standard",
            Self::Strengthened => "strengthened",
        })
    }
}

impl From<Strength> for halimede_poseidon::Strength {
    fn from(strength: Strength) -> Self {
        match strength {
            Strength::Standard => Self::Standard,
            Strength::Strengthened => Self::Strengthened,
        }
    }
}

/// Hashes many preimages of one arity.
pub trait BatchHasher<F, A>
where
    F: PrimeField,
    A: Arity<F>,
{
    /// Returns the digests, in order.
    ///
    /// # Errors
    /// [`Error`] of the implementation.
    fn hash(&mut self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>, Error>;

    /// Writes the digests into a slice of the same length.
    ///
    /// # Errors
    /// As [`Self::hash`].
    ///
    /// # Panics
    /// The lengths differ.
    fn hash_into_slice(
        &mut self,
        target_slice: &mut [F],
        preimages: &[GenericArray<F, A>],
    ) -> Result<(), Error> {
        let (got, expected) = (target_slice.len(), preimages.len());
        assert_eq!(got, expected, "the slice must have one place for each preimage");
        target_slice.copy_from_slice(&self.hash(preimages)?);
        Ok(())
    }

    /// The maximum number of preimages that a caller should pass at a time.
    fn max_batch_size(&self) -> usize {
        700_000
    }
}

/// Returns the numbers of full and partial rounds of an arity.
pub fn round_numbers(arity: usize, strength: &Strength) -> (usize, usize) {
    constants::round_numbers(arity, *strength)
}
