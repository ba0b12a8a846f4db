// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashes of 1 to 16 elements.

use halimede_arith::field::FieldError;
use halimede_arith::{Backend, Field};
use smallvec::SmallVec;

use super::{Element, MAX_INPUTS};
use crate::merkle::{self, MerkleError};
use crate::optimized::circom_digests_with;

/// The reason why inputs are refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CircomError {
    /// The number of elements has no instance.
    #[error("circom's Poseidon hashes 1 to {MAX_INPUTS} elements, got {got}")]
    Count {
        /// The number of elements.
        got: usize,
    },
    /// A number is not below the modulus.
    #[error("element {position}: {error}")]
    Element {
        /// The index of the number, from 0.
        position: usize,
        /// The reason.
        error: FieldError,
    },
}

/// The inputs of a hash: 1 to 16 elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Inputs(SmallVec<[Element; 4]>);

impl Inputs {
    /// Copies elements.
    ///
    /// # Errors
    /// [`CircomError::Count`].
    pub fn new(elements: &[Element]) -> Result<Self, CircomError> {
        if !(1..=MAX_INPUTS).contains(&elements.len()) {
            return Err(CircomError::Count { got: elements.len() });
        }
        Ok(Self(elements.iter().copied().collect()))
    }

    /// Reads canonical little-endian numbers.
    ///
    /// # Errors
    /// [`CircomError`].
    pub fn from_le_bytes(numbers: &[[u8; 32]]) -> Result<Self, CircomError> {
        if !(1..=MAX_INPUTS).contains(&numbers.len()) {
            return Err(CircomError::Count { got: numbers.len() });
        }
        let element = |(position, number)| {
            Field::from_le_bytes(number).map_err(|error| CircomError::Element { position, error })
        };
        numbers.iter().enumerate().map(element).collect::<Result<_, _>>().map(Self)
    }

    /// The elements.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// The width of the state.
    pub fn width(&self) -> usize {
        self.0.len() + 1
    }
}

/// Returns the hash of 1 to 16 elements.
///
/// # Errors
/// [`CircomError::Count`].
///
/// ```
/// use halimede_poseidon::circom::{hash, Element};
///
/// let digest = hash(&[Element::from(1), Element::from(2)])?;
/// let known = "0x115cc0f5e7d690413df64c6b9662e9cf2a3617f2743245519e19607a4417189a";
/// assert_eq!(digest.to_string(), known);
/// # Ok::<(), halimede_poseidon::circom::CircomError>(())
/// ```
pub fn hash(elements: &[Element]) -> Result<Element, CircomError> {
    let digests = hash_all_with(Backend::active(), &[&Inputs::new(elements)?]);
    Ok(digests.first().copied().unwrap_or_default())
}

/// Returns the hashes of inputs of the same number of elements.
pub(crate) fn hash_all_with(backend: Backend, inputs: &[&Inputs]) -> Vec<Element> {
    let width = inputs.first().map_or(2, |inputs| inputs.width());
    let mut states = Vec::with_capacity(width * inputs.len());
    for inputs in inputs {
        states.push(Field::ZERO);
        states.extend_from_slice(inputs.elements());
    }
    circom_digests_with(backend, width, &states)
}

/// Returns the rows of the full Merkle tree over these leaves, which are row 0; the last row is the
/// root. Each node is the hash of `arity` nodes of the row below.
///
/// # Errors
/// [`MerkleError`] if the arity is not from 2 to 16 or the number of leaves is not a positive power
/// of the arity.
pub fn tree(arity: usize, leaves: &[Element]) -> Result<Vec<Vec<Element>>, MerkleError> {
    merkle::rows(arity, MAX_INPUTS, leaves, |children| {
        let mut states = Vec::with_capacity(children.len() / arity * (arity + 1));
        for children in children.chunks_exact(arity) {
            states.push(Field::ZERO);
            states.extend_from_slice(children);
        }
        circom_digests_with(Backend::active(), arity + 1, &states)
    })
}
