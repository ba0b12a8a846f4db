// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Filecoin's hash of a constant length that exceeds one permutation: neptune's simplex sponge.
//!
//! The capacity is initialized with the tag of
//! [`HashType::ConstantLength`](crate::filecoin::HashType), length·2⁶⁴. Whole blocks are added to
//! the rate. If the last block is partial, its elements are added and the rest of the rate is *set*
//! to zero. A permutation follows each input block, and one more precedes each output block after
//! the first. For up to `arity` input elements, the first output element is the digest of the
//! fixed-length hash.

use halimede_arith::Fr;

use super::{SpongeError, MAX_COUNT};
use crate::instance::{Family, Instance};
use crate::optimized;
use crate::state::Elements;

/// Hashes `input`, whose length is part of the definition of the hash function, into all of
/// `output`.
///
/// # Errors
/// [`SpongeError::Instance`] if the instance is not Filecoin's, [`SpongeError::Length`] if the
/// input or the output is empty or exceeds 2³¹ − 1 elements.
pub fn constant_length(
    instance: Instance,
    input: &[Fr],
    output: &mut [Fr],
) -> Result<(), SpongeError> {
    let Family::Filecoin(strength) = instance.family() else {
        return Err(SpongeError::Instance { instance, field: "Fr" });
    };
    for (what, got) in [("input", input.len()), ("output", output.len())] {
        if got == 0 || got as u64 > MAX_COUNT {
            return Err(SpongeError::Length { what, got });
        }
    }
    let mut state: Elements<Fr> = Elements::with_capacity(instance.width());
    state.push(Fr::from(input.len() as u64) * Fr::from(1 << 32).square());
    state.resize(instance.width(), Fr::ZERO);
    for block in input.chunks(instance.arity()) {
        let (taken, rest) = state[1..].split_at_mut(block.len());
        for (element, addend) in taken.iter_mut().zip(block) {
            *element += *addend;
        }
        rest.fill(Fr::ZERO);
        optimized::permute_filecoin(strength, &mut state);
    }
    for (index, block) in output.chunks_mut(instance.arity()).enumerate() {
        if index > 0 {
            optimized::permute_filecoin(strength, &mut state);
        }
        block.copy_from_slice(&state[1..=block.len()]);
    }
    Ok(())
}
