// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The hasher of one preimage, and a hasher of many.

use ff::PrimeField;
use generic_array::typenum::U2;
use generic_array::GenericArray;

pub use crate::arity::Arity;
pub use crate::constants::{MdsMatrices, PoseidonConstants, SparseMatrix};
use crate::hash_type::HashType;
use crate::{native, rounds, BatchHasher, Error, Strength};

/// The rounds by which a hash is computed. All give the same digest.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum HashMode {
    /// The rounds as the paper prints them.
    Correct,
    /// Optimized rounds, in portable code.
    OptimizedDynamic,
    /// The fastest there is: halimede-poseidon's kernels or optimized rounds.
    OptimizedStatic,
}

/// The mode of [`Poseidon::hash`].
pub const DEFAULT_HASH_MODE: HashMode = HashMode::OptimizedStatic;

/// A hasher: takes elements up to the arity, then permutes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Poseidon<'a, F, A = U2>
where
    F: PrimeField,
    A: Arity<F>,
{
    /// The state: the domain tag, then the elements.
    pub elements: GenericArray<F, A::ConstantsSize>,
    /// The index of the next element.
    position: usize,
    constants: &'a PoseidonConstants<F, A>,
}

impl<'a, F, A> Poseidon<'a, F, A>
where
    F: PrimeField,
    A: Arity<F>,
{
    /// Returns a hasher without elements; missing elements are zeros.
    pub fn new(constants: &'a PoseidonConstants<F, A>) -> Self {
        let mut hasher = Self { elements: GenericArray::default(), position: 1, constants };
        hasher.reset();
        hasher
    }

    /// Returns a hasher of these elements.
    ///
    /// # Panics
    /// Their number is neither the arity nor, for [`HashType::ConstantLength`], the length.
    pub fn new_with_preimage(preimage: &[F], constants: &'a PoseidonConstants<F, A>) -> Self {
        let expected = match constants.hash_type {
            HashType::ConstantLength(length) => length,
            _ => A::to_usize(),
        };
        let got = preimage.len();
        assert_eq!(got, expected, "expected {expected} elements, got {got}");
        let mut hasher = Self::new(constants);
        hasher.elements[1..=got].copy_from_slice(preimage);
        hasher.position = got + 1;
        hasher
    }

    /// Replaces all elements.
    ///
    /// # Panics
    /// Their number is not the arity.
    pub fn set_preimage(&mut self, preimage: &[F]) {
        self.reset();
        self.elements[1..].copy_from_slice(preimage);
        self.position = self.elements.len();
    }

    /// Removes all elements.
    pub fn reset(&mut self) {
        self.position = 1;
        self.elements[1..].fill(F::ZERO);
        self.elements[0] = self.constants.domain_tag;
    }

    /// Adds an element; returns its index in the state, from 1.
    ///
    /// # Errors
    /// [`Error::FullBuffer`] if the arity is reached.
    pub fn input(&mut self, element: F) -> Result<usize, Error> {
        let index = self.position;
        *self.elements.get_mut(index).ok_or(Error::FullBuffer)? = element;
        self.position += 1;
        Ok(index)
    }

    /// Permutes the state, and returns the digest.
    pub fn hash(&mut self) -> F {
        self.hash_in_mode(DEFAULT_HASH_MODE)
    }

    /// Permutes the state by these rounds, and returns the digest.
    pub fn hash_in_mode(&mut self, mode: HashMode) -> F {
        match mode {
            HashMode::Correct => rounds::permute_plain(self.constants, &mut self.elements),
            HashMode::OptimizedStatic if self.constants.is_native => {
                native::permute(self.constants.strength, &mut self.elements);
            }
            _ => rounds::permute(self.constants, &mut self.elements),
        }
        self.position = 1;
        self.extract_output()
    }

    /// As [`Self::hash`].
    pub fn hash_optimized_static(&mut self) -> F {
        self.hash()
    }

    /// Returns the element of the state that is the digest after a permutation.
    pub fn extract_output(&self) -> F {
        self.elements[1]
    }
}

/// Hashes many preimages, on all threads of the pool.
pub struct SimplePoseidonBatchHasher<F, A>
where
    F: PrimeField,
    A: Arity<F>,
{
    constants: PoseidonConstants<F, A>,
    max_batch_size: usize,
}

impl<F, A> SimplePoseidonBatchHasher<F, A>
where
    F: PrimeField,
    A: Arity<F>,
{
    pub(crate) fn new_with_strength(strength: Strength, max_batch_size: usize) -> Self {
        Self { constants: PoseidonConstants::new_with_strength(strength), max_batch_size }
    }
}

impl<F, A> BatchHasher<F, A> for SimplePoseidonBatchHasher<F, A>
where
    F: PrimeField,
    A: Arity<F>,
{
    fn hash(&mut self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>, Error> {
        let elements = preimages.iter().flat_map(|preimage| preimage.iter().copied());
        Ok(hash_many(&self.constants, &elements.collect::<Vec<F>>()))
    }

    fn max_batch_size(&self) -> usize {
        self.max_batch_size
    }
}

/// Returns the digests of whole preimages, which are contiguous.
pub(crate) fn hash_many<F, A>(constants: &PoseidonConstants<F, A>, preimages: &[F]) -> Vec<F>
where
    F: PrimeField,
    A: Arity<F>,
{
    let arity = A::to_usize();
    if constants.is_native {
        return native::digests(constants.strength, constants.domain_tag, arity, preimages);
    }
    let hash = |preimage| Poseidon::new_with_preimage(preimage, constants).hash();
    preimages.chunks_exact(arity).map(hash).collect()
}
