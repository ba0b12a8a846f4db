// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of a card's memory, and their addresses.

use std::sync::Arc;

use super::space::Space;
use crate::card::isa::TRANSFER_BYTES;
use crate::card::{padded, Compiled};
use crate::ring::{Basis, Prime, UniformSeed};

/// Bytes of a job's header, at address 0.
pub(super) const HEADER_BYTES: u64 = TRANSFER_BYTES as u64;

/// An object in a card's memory.
#[derive(Clone)]
pub(super) enum Content {
    /// Tables of factors of all primes of a ring.
    Tables(Arc<TablesOf>),
    /// A compiled program.
    Image(Arc<Compiled>),
    /// The limbs of a polynomial with this name in a basis.
    Limbs(u64, Basis),
    /// The seed of a uniform polynomial.
    Seed(UniformSeed),
    /// The table of a job's regions.
    Regions,
    /// Limbs of a job that do not fit in the scratchpad.
    Scratch,
    /// An output of a job, by its index.
    Output(usize),
}

/// The properties of a ring on which its tables depend, in addition to the card.
#[derive(PartialEq, Eq)]
pub(super) struct TablesOf {
    pub degree: usize,
    pub primes: Vec<Prime>,
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tables(a), Self::Tables(b)) => a == b,
            (Self::Image(a), Self::Image(b)) => Arc::ptr_eq(a, b),
            (Self::Limbs(a, of_a), Self::Limbs(b, of_b)) => a == b && of_a == of_b,
            (Self::Seed(a), Self::Seed(b)) => a == b,
            (Self::Output(a), Self::Output(b)) => a == b,
            (Self::Regions, Self::Regions) | (Self::Scratch, Self::Scratch) => true,
            _ => false,
        }
    }
}

impl Content {
    /// Returns `true` if the content is still valid after its job.
    fn outlives_its_job(&self) -> bool {
        !matches!(self, Self::Regions | Self::Scratch | Self::Output(_))
    }
}

struct Entry {
    content: Content,
    address: u64,
    bytes: u64,
    /// The number of the last job that used it.
    used: u64,
}

/// The address of a content, and whether it must still be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MemorySpot {
    pub address: u64,
    pub is_new: bool,
}

/// A job needs more than the whole memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoRoom {
    pub wanted: u64,
    pub got: u64,
}

/// The contents of a card's memory. A job's header is at address 0.
pub(super) struct Contents {
    memory_bytes: u64,
    space: Space,
    entries: Vec<Entry>,
    job: u64,
}

impl Contents {
    /// An empty memory.
    pub fn new(memory_bytes: u64) -> Self {
        let space = Space::new(HEADER_BYTES, memory_bytes);
        Self { memory_bytes, space, entries: Vec::new(), job: 0 }
    }

    /// Discards all contents.
    pub fn clear(&mut self) {
        *self = Self { job: self.job, ..Self::new(self.memory_bytes) };
    }

    /// Finds addresses for all contents of a job, given with their lengths in bytes. If necessary,
    /// it evicts contents that the job does not need, least recently used first.
    ///
    /// # Errors
    /// [`NoRoom`] if they do not fit even in an empty memory.
    pub fn lay_out(&mut self, wanted: &[(Content, usize)]) -> Result<Vec<MemorySpot>, NoRoom> {
        if let Some(placed) = self.try_lay_out(wanted) {
            return Ok(placed);
        }
        // The free bytes may be fragmented.
        self.clear();
        let bytes = wanted.iter().map(|(_, bytes)| padded(*bytes) as u64).sum::<u64>();
        let no_room = NoRoom { wanted: bytes + HEADER_BYTES, got: self.memory_bytes };
        let placed = self.try_lay_out(wanted).ok_or(no_room);
        if placed.is_err() {
            self.clear();
        }
        placed
    }

    fn try_lay_out(&mut self, wanted: &[(Content, usize)]) -> Option<Vec<MemorySpot>> {
        self.job += 1;
        let job = self.job;
        for entry in &mut self.entries {
            if wanted.iter().any(|(content, _)| *content == entry.content) {
                entry.used = job;
            }
        }
        let placed = wanted.iter().map(|(content, bytes)| {
            let known = self.entries.iter().find(|entry| entry.content == *content);
            if let Some(entry) = known {
                return Some(MemorySpot { address: entry.address, is_new: false });
            }
            let bytes = padded(*bytes) as u64;
            let address = self.make_room(bytes)?;
            self.entries.push(Entry { content: content.clone(), address, bytes, used: job });
            Some(MemorySpot { address, is_new: true })
        });
        placed.collect()
    }

    fn make_room(&mut self, bytes: u64) -> Option<u64> {
        if bytes == 0 {
            return Some(TRANSFER_BYTES as u64);
        }
        loop {
            if let Some(address) = self.space.take(bytes) {
                return Some(address);
            }
            let others = self.entries.iter().enumerate().filter(|(_, of)| of.used < self.job);
            let index = others.min_by_key(|(_, entry)| entry.used)?.0;
            self.remove(index);
        }
    }

    fn remove(&mut self, index: usize) {
        let entry = self.entries.swap_remove(index);
        self.space.give(entry.address, entry.bytes);
    }

    /// Frees the limbs of a polynomial.
    pub fn free(&mut self, name: u64) {
        let is_it = |entry: &Entry| matches!(entry.content, Content::Limbs(of, _) if of == name);
        while let Some(index) = self.entries.iter().position(is_it) {
            self.remove(index);
        }
    }

    /// Ends a job: its outputs become the limbs of polynomials, by their index, and other contents
    /// that only the job used are freed.
    pub fn end_job<'b>(&mut self, outputs: impl IntoIterator<Item = (u64, &'b Basis)>) {
        for (index, (name, basis)) in outputs.into_iter().enumerate() {
            let output = Content::Output(index);
            if let Some(entry) = self.entries.iter_mut().find(|entry| entry.content == output) {
                entry.content = Content::Limbs(name, basis.clone());
            }
        }
        let is_left = |entry: &Entry| !entry.content.outlives_its_job();
        while let Some(index) = self.entries.iter().position(is_left) {
            self.remove(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limbs(name: u64) -> (Content, usize) {
        (Content::Limbs(name, Basis::new([0])), 64)
    }

    fn is_new(placed: &[MemorySpot]) -> Vec<bool> {
        placed.iter().map(|placed| placed.is_new).collect()
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        // Room for four.
        let mut contents = Contents::new(5 * 64);
        assert_eq!(is_new(&contents.lay_out(&[limbs(1), limbs(2)]).unwrap()), [true, true]);
        assert_eq!(is_new(&contents.lay_out(&[limbs(3), limbs(4)]).unwrap()), [true, true]);
        assert_eq!(is_new(&contents.lay_out(&[limbs(1)]).unwrap()), [false]);
        // 5 replaces 2; then 2 and 6 replace 3 and 4.
        assert_eq!(is_new(&contents.lay_out(&[limbs(5), limbs(1)]).unwrap()), [true, false]);
        let placed = contents.lay_out(&[limbs(1), limbs(2), limbs(6), limbs(5)]).unwrap();
        assert_eq!(is_new(&placed), [false, true, true, false]);
        let mut addresses: Vec<_> = placed.iter().map(|placed| placed.address).collect();
        addresses.sort_unstable();
        assert_eq!(addresses, [64, 128, 192, 256]);
    }

    #[test]
    fn a_job_that_fits_alone_fits_also_among_pieces() {
        let mut contents = Contents::new(5 * 64);
        contents.lay_out(&[limbs(1), limbs(2), limbs(3), limbs(4)]).unwrap();
        [1, 3].into_iter().for_each(|name| contents.free(name));
        // 2 stays, between two ranges of 64 bytes.
        let wide = (Content::Scratch, 192);
        let placed = contents.lay_out(&[limbs(2), wide]).unwrap();
        assert_eq!(is_new(&placed), [true, true]);
        contents.end_job([]);
        let most = (Content::Scratch, 257);
        assert_eq!(contents.lay_out(&[most]), Err(NoRoom { wanted: 384, got: 320 }));
        // All of it is freed.
        assert_eq!(contents.space.free_bytes(), 256);
    }

    #[test]
    fn outputs_stay_under_the_names_of_their_polynomials() {
        let mut contents = Contents::new(1024);
        let job = [(Content::Regions, 24), (Content::Scratch, 0), (Content::Output(0), 64)];
        let output = contents.lay_out(&job).unwrap()[2].address;
        contents.end_job([(7, &Basis::new([0]))]);
        let again = contents.lay_out(&[limbs(7), (Content::Regions, 24)]).unwrap();
        assert_eq!(again[0], MemorySpot { address: output, is_new: false });
        assert!(again[1].is_new);
        contents.end_job([]);
        contents.free(7);
        assert_eq!(contents.space.free_bytes(), 960);
    }
}
