// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The memory that a file of evaluation keys takes, known from its header before anything is made.

use std::io::Read;

use super::error::FileError;
use super::header::Header;
use super::reader::FileReader;
use crate::ring::Ring;

/// The bytes of memory that evaluation keys will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    /// The ring's tables. All keys of the same parameters can share them.
    pub ring: usize,
    /// The most that the ring takes while it is made.
    pub ring_peak: usize,
    /// An upper bound of the keys, and of what reading them takes: halves that files have as seeds are
    /// in memory as a whole, and residues have 32 bits there.
    pub keys: usize,
    /// log₂ N.
    pub log_degree: u32,
    /// The number of primes.
    pub primes: usize,
}

impl Footprint {
    /// What a file of so many bytes with this header takes.
    ///
    /// # Errors
    /// [`FileError`] where there are no such parameters.
    pub fn new(header: &Header, file_bytes: u64) -> Result<Self, FileError> {
        let chain = header.chain()?;
        let (log_degree, primes) = (header.shape().chain().log_degree, chain.primes.len());
        // A file has each first half in as many bits as its primes have.
        let bits = |prime: &u32| u32::BITS - prime.leading_zeros();
        let least_bits = chain.primes.iter().map(bits).min().unwrap_or(1).max(1);
        let halves = file_bytes.saturating_mul(2 * u64::from(u32::BITS)) / u64::from(least_bits);
        // One polynomial is there as bytes and as residues while it is read.
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
    /// What the file takes in memory, which has so many bytes.
    ///
    /// # Errors
    /// As [`Footprint::new`].
    pub fn footprint(&self, file_bytes: u64) -> Result<Footprint, FileError> {
        Footprint::new(self.header(), file_bytes)
    }
}
