// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The two forms of a solution: a list of indices, and the indices packed without gaps (minimal).

use crate::Params;

/// Why a solution is malformed: its size is wrong, or an index is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodingError {
    /// The minimal form has the wrong length.
    #[error("expected {expected} bytes with these parameters, got {got}")]
    Bytes {
        /// The length in bytes.
        got: usize,
        /// The required length in bytes.
        expected: usize,
    },
    /// The number of indices is wrong.
    #[error("expected {expected} indices with these parameters, got {got}")]
    Indices {
        /// The number of indices.
        got: usize,
        /// The required number of indices.
        expected: usize,
    },
    /// An index is too large.
    #[error("index {position} is {got}; the limit is {limit}")]
    TooLarge {
        /// The position of the index, from 0.
        position: usize,
        /// The value of the index.
        got: u32,
        /// The largest valid index.
        limit: u32,
    },
}

/// Unpacks the indices of a minimal form: each is big-endian, in the fewest bits, without gaps.
///
/// # Errors
/// [`EncodingError::Bytes`].
pub fn indices_from_minimal(params: Params, minimal: &[u8]) -> Result<Vec<u32>, EncodingError> {
    check_minimal(params, minimal)?;
    Ok((0..params.indices()).map(|number| index_at(params, minimal, number)).collect())
}

/// Checks that a minimal form has the right size.
pub(crate) fn check_minimal(params: Params, minimal: &[u8]) -> Result<(), EncodingError> {
    let expected = params.solution_bytes();
    if minimal.len() != expected {
        return Err(EncodingError::Bytes { got: minimal.len(), expected });
    }
    Ok(())
}

/// Returns one index of a minimal form.
#[inline]
pub(crate) fn index_at(params: Params, minimal: &[u8], number: usize) -> u32 {
    let bits = params.index_bits();
    let begin = number * bits as usize;
    // An index has at most 32 bits and begins within a byte: eight bytes hold it.
    let rest = &minimal[begin / 8..];
    let word = match rest.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => {
            rest.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)) << (64 - 8 * rest.len())
        }
    };
    (word << (begin % 8) >> (64 - bits)) as u32
}

/// Checks the number of indices and that none is too large.
pub(crate) fn check_indices(params: Params, indices: &[u32]) -> Result<(), EncodingError> {
    let expected = params.indices();
    if indices.len() != expected {
        return Err(EncodingError::Indices { got: indices.len(), expected });
    }
    let limit = u32::MAX >> (32 - params.index_bits());
    match indices.iter().position(|index| *index > limit) {
        Some(position) => Err(EncodingError::TooLarge { position, got: indices[position], limit }),
        None => Ok(()),
    }
}

/// Packs indices into the minimal form.
///
/// # Errors
/// [`EncodingError::Indices`] or [`EncodingError::TooLarge`].
pub fn minimal_from_indices(params: Params, indices: &[u32]) -> Result<Vec<u8>, EncodingError> {
    check_indices(params, indices)?;
    let bits = params.index_bits();
    let (mut held, mut held_bits) = (0u64, 0);
    let mut minimal = Vec::with_capacity(params.solution_bytes());
    for index in indices {
        held = held << bits | u64::from(*index);
        held_bits += bits;
        while held_bits >= 8 {
            held_bits -= 8;
            minimal.push((held >> held_bits) as u8);
        }
    }
    Ok(minimal)
}
