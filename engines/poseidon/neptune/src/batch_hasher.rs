// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hashers of many preimages, as neptune's callers choose them.

use generic_array::GenericArray;

use crate::poseidon::SimplePoseidonBatchHasher;
use crate::{Arity, BatchHasher, Error, NeptuneField, Strength};

/// A hasher of many preimages on a place. The processor is the only one.
pub enum Batcher<F, A>
where
    F: NeptuneField,
    A: Arity<F>,
{
    /// The processor.
    Cpu(SimplePoseidonBatchHasher<F, A>),
}

impl<F, A> Batcher<F, A>
where
    F: NeptuneField,
    A: Arity<F>,
{
    /// Returns a hasher of a Merkle tree, of standard strength.
    pub fn new_cpu(max_batch_size: usize) -> Self {
        Self::with_strength_cpu(Strength::Standard, max_batch_size)
    }

    /// Returns a hasher of a Merkle tree.
    pub fn with_strength_cpu(strength: Strength, max_batch_size: usize) -> Self {
        Self::Cpu(SimplePoseidonBatchHasher::new_with_strength(strength, max_batch_size))
    }

    /// As [`Self::new_cpu`]: callers that request a GPU get the processor's kernels.
    ///
    /// # Errors
    /// None; neptune's GPU may be missing.
    pub fn pick_gpu(max_batch_size: usize) -> Result<Self, Error> {
        Ok(Self::new_cpu(max_batch_size))
    }
}

impl<F, A> BatchHasher<F, A> for Batcher<F, A>
where
    F: NeptuneField,
    A: Arity<F>,
{
    fn hash(&mut self, preimages: &[GenericArray<F, A>]) -> Result<Vec<F>, Error> {
        let Self::Cpu(hasher) = self;
        hasher.hash(preimages)
    }

    fn max_batch_size(&self) -> usize {
        let Self::Cpu(hasher) = self;
        hasher.max_batch_size()
    }
}
