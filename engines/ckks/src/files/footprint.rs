// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory of a file of evaluation keys, computed from its header before anything is allocated.

use std::io::Read;

use super::error::FileError;
use super::header::Header;
use super::reader::FileReader;
use crate::ring::Ring;

/// The memory that evaluation keys need, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The ring's tables. All keys of the same parameters can share them.
    pub ring: usize,
    /// The peak memory while the ring is built.
    pub ring_peak: usize,
    /// An upper bound for the keys, including the memory needed to read them: the halves that a
    /// file stores as seeds are expanded in memory, and residues occupy 32 bits there.
    pub keys: usize,
    /// log₂ N.
    pub log_degree: u32,
    /// The number of primes.
    pub primes: usize,
}

impl Footprint {
    /// Returns the memory of a file of `file_bytes` bytes with this header.
    ///
    /// # Errors
    /// [`FileError`] if no such parameters exist.
    pub fn new(header: &Header, file_bytes: u64) -> Result<Self, FileError> {
        let chain = header.chain()?;
        let (log_degree, primes) = (header.shape().chain().log_degree, chain.primes.len());
        // A file stores the first half of each key with the bit lengths of its primes.
        let bits = |prime: &u32| u32::BITS - prime.leading_zeros();
        let least_bits = chain.primes.iter().map(bits).min().unwrap_or(1).max(1);
        let halves = file_bytes.saturating_mul(2 * u64::from(u32::BITS)) / u64::from(least_bits);
        // While a polynomial is read, it exists both as bytes and as residues.
        let reading = (primes << log_degree) * 2 * size_of::<u32>();
        Ok(Self {
            ring: Ring::table_bytes(log_degree, primes),
            ring_peak: Ring::peak_bytes(log_degree, primes),
            keys: usize::try_from(halves).unwrap_or(usize::MAX).saturating_add(reading),
            log_degree,
            primes,
        })
    }
}

impl<R: Read> FileReader<R> {
    /// Returns the memory that the file needs, from its size in bytes.
    ///
    /// # Errors
    /// As [`Footprint::new`].
    pub fn footprint(&self, file_bytes: u64) -> Result<Footprint, FileError> {
        Footprint::new(self.header(), file_bytes)
    }
}
