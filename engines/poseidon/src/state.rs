// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state of a permutation, with its instance.

use halimede_arith::field::FieldError;
use halimede_arith::{Felt, Fr};
use smallvec::SmallVec;

use crate::instance::{Family, Instance, InstanceError, Strength};

/// The elements of a state: up to 12 are stored inline, more on the heap.
pub type Elements<F> = SmallVec<[F; 12]>;

/// A state of one of the instances; its length is the width of the instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    instance: Instance,
    elements: StateElements,
}

/// The elements of a [`State`], in its instance's field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateElements {
    /// A Filecoin state.
    Filecoin(Elements<Fr>),
    /// A StarkWare state.
    Stark(Elements<Felt>),
}

/// Why a state is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The number of elements is not the instance's width.
    #[error("{instance} needs {} elements, got {got}", instance.width())]
    Length {
        /// The instance.
        instance: Instance,
        /// The number of elements given.
        got: usize,
    },
    /// No instance has this width.
    #[error(transparent)]
    Instance(#[from] InstanceError),
    /// An element is not a canonical element of the field.
    #[error("element {position}: {error}")]
    Element {
        /// The index of the element in the state, from 0.
        position: usize,
        /// The reason.
        error: FieldError,
    },
}

impl State {
    /// Creates a Filecoin state; its width is the number of elements.
    ///
    /// # Errors
    /// [`StateError::Instance`] if no instance has that width.
    pub fn filecoin(strength: Strength, elements: &[Fr]) -> Result<Self, StateError> {
        let instance = Instance::new(Family::Filecoin(strength), elements.len())?;
        let elements = StateElements::Filecoin(elements.iter().copied().collect());
        Ok(Self { instance, elements })
    }

    /// Creates a StarkWare state; its width is the number of elements.
    ///
    /// # Errors
    /// [`StateError::Instance`] if no instance has that width.
    pub fn stark(elements: &[Felt]) -> Result<Self, StateError> {
        let instance = Instance::new(Family::Stark, elements.len())?;
        let elements = StateElements::Stark(elements.iter().copied().collect());
        Ok(Self { instance, elements })
    }

    /// Reads a state from canonical little-endian bytes, one array per element.
    ///
    /// # Errors
    /// [`StateError::Length`] or [`StateError::Element`].
    pub fn from_le_bytes(instance: Instance, elements: &[[u8; 32]]) -> Result<Self, StateError> {
        if elements.len() != instance.width() {
            return Err(StateError::Length { instance, got: elements.len() });
        }
        let elements = match instance.family() {
            Family::Filecoin(_) => StateElements::Filecoin(parse(elements, Fr::from_le_bytes)?),
            Family::Stark => StateElements::Stark(parse(elements, Felt::from_le_bytes)?),
        };
        Ok(Self { instance, elements })
    }

    /// Returns the elements as canonical little-endian bytes.
    pub fn to_le_bytes(&self) -> Elements<[u8; 32]> {
        match &self.elements {
            StateElements::Filecoin(elements) => elements.iter().map(Fr::to_le_bytes).collect(),
            StateElements::Stark(elements) => elements.iter().map(Felt::to_le_bytes).collect(),
        }
    }

    /// The instance.
    pub fn instance(&self) -> Instance {
        self.instance
    }

    /// The elements.
    pub fn elements(&self) -> &StateElements {
        &self.elements
    }

    /// The elements, mutable.
    pub(crate) fn elements_mut(&mut self) -> &mut StateElements {
        &mut self.elements
    }
}

fn parse<F, T>(
    elements: &[T],
    parse_one: impl Fn(&T) -> Result<F, FieldError>,
) -> Result<Elements<F>, StateError> {
    let parse_at = |(position, element)| {
        parse_one(element).map_err(|error| StateError::Element { position, error })
    };
    elements.iter().enumerate().map(parse_at).collect()
}
