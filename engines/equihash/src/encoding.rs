// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A solution's two forms: indices, and the same packed without gaps (minimal).

use crate::Params;

/// A solution of the wrong size, or with an index that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodingError {
    /// A minimal form of another length.
    #[error("a solution of {got} bytes: with these parameters it has {expected}")]
    Bytes {
        /// Its bytes.
        got: usize,
        /// The required number.
        expected: usize,
    },
    /// Another number of indices.
    #[error("{got} indices: with these parameters a solution has {expected}")]
    Indices {
        /// How many.
        got: usize,
        /// The required number.
        expected: usize,
    },
    /// An index beyond the list.
    #[error("index {position} is {got}: the limit is {limit}")]
    TooLarge {
        /// Which one.
        position: usize,
        /// Its value.
        got: u32,
        /// The largest that fits.
        limit: u32,
    },
}

/// The indices of a minimal form: each big-endian, in as few bits as it needs, without gaps.
///
/// # Errors
/// [`EncodingError::Bytes`].
pub fn indices_from_minimal(params: Params, minimal: &[u8]) -> Result<Vec<u32>, EncodingError> {
    check_minimal(params, minimal)?;
    Ok((0..params.indices()).map(|number| index_at(params, minimal, number)).collect())
}

/// Whether a minimal form is of the right size.
pub(crate) fn check_minimal(params: Params, minimal: &[u8]) -> Result<(), EncodingError> {
    let expected = params.solution_bytes();
    if minimal.len() != expected {
        return Err(EncodingError::Bytes { got: minimal.len(), expected });
    }
    Ok(())
}

/// One of the indices of a minimal form.
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

/// Whether there are as many indices as there must be, each of them in the list.
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

/// The minimal form of indices.
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
