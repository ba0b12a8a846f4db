// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 of bytes: one message with any part of its extended output, many messages at once, and
//! streams. Values with a key are wiped from memory when they are dropped.

use halimede_arith::job::{in_pieces, Bytes, Columns, Execute};
use halimede_blake3::operations::{Hash, HashBatch, HashRow};
use halimede_blake3::{Digest, Mode, Outputs, DIGEST_BYTES};
use zeroize::Zeroize;

use super::error::FlatError;
use crate::device::Device;
use halimede_places::processor;

/// The smallest piece of a stream, in bytes, that uses all cores. For smaller pieces, threads cost
/// more than they save; the crate `blake3` recommends this size for
/// [`::blake3::Hasher::update_rayon`].
const PARALLEL_BYTES: usize = 128 << 10;

/// Hashes each message to the digest with the same index.
///
/// # Errors
/// [`FlatError::Count`] or [`FlatError::Device`]; the digests are then unchanged.
pub fn hash_many<'m>(
    device: &Device,
    mode: &Mode,
    messages: impl Into<Bytes<'m>>,
    digests: &mut [Digest],
) -> Result<(), FlatError> {
    let messages = messages.into();
    let count = messages.len();
    if digests.len() != count {
        return Err(FlatError::Count {
            array: "digests",
            got: digests.len() * DIGEST_BYTES,
            digits: "bytes",
            wanted: count as u128 * DIGEST_BYTES as u128,
            reason: format!("{DIGEST_BYTES} for each of {count} messages"),
        });
    }
    let (batch, piece) = (HashBatch::Digests { mode, messages }, device.limits::<Hash>().piece);
    let first_of = |start| piece.first_of::<Hash>(batch.slice(start..count));
    in_pieces(device.name(), count, first_of, |range| {
        let digests = &mut digests[range.clone()];
        match Execute::<Hash>::execute(device, batch.slice(range))?.replies {
            Outputs::Digests(found) => digests.copy_from_slice(&found),
            others => {
                for (digest, output) in digests.iter_mut().zip(others.iter()) {
                    digest.copy_from_slice(output);
                }
            }
        }
        Ok(())
    })
}

/// Hashes one message. `output` becomes its extended output, starting at byte `seek`; the first
/// [`DIGEST_BYTES`] bytes of the extended output are the digest.
///
/// # Errors
/// [`FlatError::Output`] or [`FlatError::Device`]; the output is then unchanged.
pub fn hash(
    device: &Device,
    mode: &Mode,
    message: &[u8],
    seek: u64,
    output: &mut [u8],
) -> Result<(), FlatError> {
    require_output(seek, output.len())?;
    let row = HashRow { mode, message, output_offset: seek, output_bytes: output.len() };
    let replies = Execute::<Hash>::execute(device, HashBatch::One(row))?.replies;
    output.copy_from_slice(&replies[0]);
    Ok(())
}

/// Checks that a part of the extended output does not end beyond its end.
///
/// # Errors
/// [`FlatError::Output`].
pub fn require_output(seek: u64, length: usize) -> Result<(), FlatError> {
    match seek.checked_add(length as u64) {
        Some(_) => Ok(()),
        None => Err(FlatError::Output { seek, length }),
    }
}

/// An incremental hasher, on this processor.
#[derive(Clone)]
pub struct Hasher {
    inner: ::blake3::Hasher,
    /// True for a key, which must be wiped. Wiping takes longer than hashing a short message.
    has_key: bool,
}

impl Hasher {
    /// Creates a hasher that has absorbed nothing.
    pub fn new(mode: &Mode) -> Self {
        processor::watch_forks();
        Self { inner: mode.hasher(), has_key: *mode != Mode::Hash }
    }

    /// Absorbs the next bytes; a large piece is hashed on all cores of the current thread pool.
    pub fn update(&mut self, bytes: &[u8]) {
        if bytes.len() < PARALLEL_BYTES {
            self.inner.update(bytes);
        } else {
            processor::in_pool(|| self.inner.update_rayon(bytes));
        }
    }

    /// Fills `output` with the extended output of all absorbed bytes, starting at byte `seek`. More
    /// bytes may follow.
    ///
    /// # Errors
    /// [`FlatError::Output`]; the output is then unchanged.
    pub fn finalize(&self, seek: u64, output: &mut [u8]) -> Result<(), FlatError> {
        require_output(seek, output.len())?;
        let mut reader = self.inner.finalize_xof();
        reader.set_position(seek);
        reader.fill(output);
        if self.has_key {
            reader.zeroize();
        }
        Ok(())
    }

    /// Forgets all absorbed bytes; keeps the mode and its key.
    pub fn reset(&mut self) {
        self.inner.reset();
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        if self.has_key {
            self.inner.zeroize();
        }
    }
}
