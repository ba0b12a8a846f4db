// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Elements of any of the fields.

use halimede_arith::field::{Bls12381Scalar, Bn254Scalar, FieldError, PallasBase, VestaBase};
use halimede_arith::Field;
use smallvec::SmallVec;

use super::field::{Poseidon2Field, PrimeField};

/// A number is not an element of the field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("element {position}: {error}")]
pub struct ElementError {
    /// The index of the number, from 0.
    pub position: usize,
    /// The reason.
    pub error: FieldError,
}

/// Elements of one of the fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    field: PrimeField,
    /// Reduced Montgomery forms.
    limbs: SmallVec<[[u64; 4]; 4]>,
}

impl Elements {
    /// Copies elements.
    pub fn new<M: Poseidon2Field>(elements: &[Field<M>]) -> Self {
        let limbs = elements.iter().map(Field::montgomery_limbs).collect();
        Self { field: M::FIELD, limbs }
    }

    /// Reads canonical little-endian numbers.
    ///
    /// # Errors
    /// [`ElementError`] for a number at or above the modulus.
    pub fn from_le_bytes(field: PrimeField, numbers: &[[u8; 32]]) -> Result<Self, ElementError> {
        let limbs = match field {
            PrimeField::Bls12381 => read::<Bls12381Scalar>(numbers),
            PrimeField::Bn254 => read::<Bn254Scalar>(numbers),
            PrimeField::Pallas => read::<PallasBase>(numbers),
            PrimeField::Vesta => read::<VestaBase>(numbers),
        };
        Ok(Self { field, limbs: limbs? })
    }

    /// Returns canonical little-endian numbers.
    pub fn to_le_bytes(&self) -> Vec<[u8; 32]> {
        match self.field {
            PrimeField::Bls12381 => written::<Bls12381Scalar>(self),
            PrimeField::Bn254 => written::<Bn254Scalar>(self),
            PrimeField::Pallas => written::<PallasBase>(self),
            PrimeField::Vesta => written::<VestaBase>(self),
        }
    }

    /// The field.
    pub fn field(&self) -> PrimeField {
        self.field
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.limbs.len()
    }

    /// Returns `true` if there are no elements.
    pub fn is_empty(&self) -> bool {
        self.limbs.is_empty()
    }

    /// Returns the elements; none if they are of another field.
    pub fn of<M: Poseidon2Field>(&self) -> impl Iterator<Item = Field<M>> + '_ {
        let is_field = self.field == M::FIELD;
        let limbs = if is_field { &self.limbs[..] } else { &[] };
        // The forms are reduced, so that the conversion cannot fail.
        limbs.iter().map(|limbs| Field::from_montgomery_limbs(*limbs).unwrap_or_default())
    }
}

fn read<M: Poseidon2Field>(numbers: &[[u8; 32]]) -> Result<SmallVec<[[u64; 4]; 4]>, ElementError> {
    let element = |(position, number)| {
        let element = Field::<M>::from_le_bytes(number);
        element
            .map(|element| element.montgomery_limbs())
            .map_err(|error| ElementError { position, error })
    };
    numbers.iter().enumerate().map(element).collect()
}

fn written<M: Poseidon2Field>(elements: &Elements) -> Vec<[u8; 32]> {
    elements.of::<M>().map(|element| element.to_le_bytes()).collect()
}
