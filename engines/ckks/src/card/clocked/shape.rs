// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The sizes that the parts of a core share.

use super::slots::Partition;

/// Properties of the program and the core that the parts need.
pub(super) struct Shape {
    pub(super) degree: usize,
    pub(super) partitions: usize,
    pub(super) beat_bytes: usize,
    pub(super) term_places: usize,
    pub(super) log_regions: u32,
    /// For each prime, the share of words with the prime's number of bits that are below it.
    pub(super) shares: Vec<f64>,
}

impl Shape {
    pub(super) fn partition(&self, slot: usize) -> Partition {
        (slot & (self.partitions - 1)) as Partition
    }

    pub(super) fn beats(&self, bytes: usize) -> u64 {
        bytes.div_ceil(self.beat_bytes) as u64
    }

    pub(super) fn share(&self, prime: usize) -> f64 {
        self.shares[prime]
    }
}
