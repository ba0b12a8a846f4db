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
        /// What it must have.
        expected: usize,
    },
    /// Another number of indices.
    #[error("{got} indices: with these parameters a solution has {expected}")]
    Indices {
        /// How many.
        got: usize,
        /// What there must be.
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
    let expected = params.solution_bytes();
    if minimal.len() != expected {
        return Err(EncodingError::Bytes { got: minimal.len(), expected });
    }
    let bits = params.index_bits();
    let mask = u32::MAX >> (32 - bits);
    let (mut held, mut held_bits) = (0u64, 0);
    let mut indices = Vec::with_capacity(params.indices());
    for byte in minimal {
        held = held << 8 | u64::from(*byte);
        held_bits += 8;
        while held_bits >= bits {
            held_bits -= bits;
            indices.push((held >> held_bits) as u32 & mask);
        }
    }
    Ok(indices)
}

/// The minimal form of indices.
///
/// # Errors
/// [`EncodingError::Indices`] or [`EncodingError::TooLarge`].
pub fn minimal_from_indices(params: Params, indices: &[u32]) -> Result<Vec<u8>, EncodingError> {
    let expected = params.indices();
    if indices.len() != expected {
        return Err(EncodingError::Indices { got: indices.len(), expected });
    }
    let bits = params.index_bits();
    let limit = u32::MAX >> (32 - bits);
    let (mut held, mut held_bits) = (0u64, 0);
    let mut minimal = Vec::with_capacity(params.solution_bytes());
    for (position, &got) in indices.iter().enumerate() {
        if got > limit {
            return Err(EncodingError::TooLarge { position, got, limit });
        }
        held = held << bits | u64::from(got);
        held_bits += bits;
        while held_bits >= 8 {
            held_bits -= 8;
            minimal.push((held >> held_bits) as u8);
        }
    }
    Ok(minimal)
}
