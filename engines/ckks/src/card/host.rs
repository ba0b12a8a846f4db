// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Jobs on a card: the operations of a host on a card's memory and core, and a run of a job from
//! the host's memory on a card and back.
//!
//! The processor has none of these operations, since they act on a card's memory. A failure in
//! between leaves the card's memory partly written, and a repeated job writes it again.

use std::ops::Range;

use halimede_arith::job::{Columns, DeviceError, Execute, Operation};

use super::compiled::Compiled;
use super::error::ProgramFault;
use super::isa::Fault;
use super::memory::CardMemory;
use super::memory_map::Content;

/// The maximal number of bytes in one request to the card's memory.
pub const MOST_DATA_BYTES: usize = 16_384;

/// The alignment of addresses and sizes in the card's memory.
pub const ALIGN_BYTES: usize = 32;

/// Writes bytes to a card's memory.
pub struct WriteMemory;

/// Bytes for a card's memory. Each request has up to [`MOST_DATA_BYTES`].
#[derive(Clone, Copy, Debug)]
pub enum WriteBatch<'a> {
    /// Bytes of one region, from an address on.
    Region(u64, &'a [u8]),
    /// Stored requests.
    Kept(&'a [(u64, Vec<u8>)]),
}

impl<'a> Columns for WriteBatch<'a> {
    type Row = (u64, &'a [u8]);

    fn len(self) -> usize {
        match self {
            Self::Region(_, bytes) => bytes.len().div_ceil(MOST_DATA_BYTES),
            Self::Kept(requests) => requests.len(),
        }
    }

    fn row(self, number: usize) -> Self::Row {
        match self {
            Self::Region(address, bytes) => {
                let start = number * MOST_DATA_BYTES;
                let end = bytes.len().min(start + MOST_DATA_BYTES);
                (address + start as u64, &bytes[start..end])
            }
            Self::Kept(requests) => WriteMemory::row(&requests[number]),
        }
    }

    fn slice(self, range: Range<usize>) -> Self {
        match self {
            Self::Region(address, bytes) => {
                let place = |number: usize| bytes.len().min(number * MOST_DATA_BYTES);
                let (start, end) = (place(range.start), place(range.end));
                Self::Region(address + start as u64, &bytes[start..end])
            }
            Self::Kept(requests) => Self::Kept(&requests[range]),
        }
    }
}

impl Operation for WriteMemory {
    type Request = (u64, Vec<u8>);
    type Row<'a> = (u64, &'a [u8]);
    type Batch<'a> = WriteBatch<'a>;
    type Reply = ();
    type Replies = Vec<()>;
    const NAME: &'static str = "ckks.memory_write";

    fn batch(requests: &[Self::Request]) -> WriteBatch<'_> {
        WriteBatch::Kept(requests)
    }

    fn row((address, bytes): &Self::Request) -> (u64, &[u8]) {
        (*address, bytes)
    }

    fn units((_, bytes): (u64, &[u8])) -> usize {
        bytes.len()
    }

    fn keep((address, bytes): (u64, &[u8])) -> Self::Request {
        (address, bytes.to_vec())
    }
}

/// Reads bytes from a card's memory.
pub struct ReadMemory;

/// A range of a card's memory of at most [`MOST_DATA_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlace {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub bytes: usize,
}

impl MemoryPlace {
    /// Splits a region into ranges of at most the size of a request.
    pub fn of_region(address: u64, bytes: usize) -> Vec<Self> {
        let starts = (0..bytes).step_by(MOST_DATA_BYTES);
        let place = |start: usize| Self {
            address: address + start as u64,
            bytes: (bytes - start).min(MOST_DATA_BYTES),
        };
        starts.map(place).collect()
    }
}

impl Operation for ReadMemory {
    type Request = MemoryPlace;
    type Row<'a> = &'a MemoryPlace;
    type Batch<'a> = &'a [MemoryPlace];
    type Reply = Vec<u8>;
    type Replies = Vec<Vec<u8>>;
    const NAME: &'static str = "ckks.memory_read";

    fn batch(requests: &[MemoryPlace]) -> &[MemoryPlace] {
        requests
    }

    fn row(request: &MemoryPlace) -> &MemoryPlace {
        request
    }

    fn units(place: &MemoryPlace) -> usize {
        place.bytes
    }

    fn keep(place: &MemoryPlace) -> MemoryPlace {
        *place
    }
}

/// Runs a job in a card's memory. The request is its address.
pub struct RunJob;

/// The outcome of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobEnd {
    /// The first fault, if any.
    pub fault: Option<Fault>,
    /// The number of the instruction word at that time.
    pub number: u32,
    /// The number of clocks of the card.
    pub clocks: u32,
}

impl Operation for RunJob {
    type Request = u64;
    type Row<'a> = &'a u64;
    type Batch<'a> = &'a [u64];
    type Reply = JobEnd;
    type Replies = Vec<JobEnd>;
    const NAME: &'static str = "ckks.run";

    fn batch(requests: &[u64]) -> &[u64] {
        requests
    }

    fn row(request: &u64) -> &u64 {
        request
    }

    fn keep(job: &u64) -> u64 {
        *job
    }
}

/// A device with the memory and core of a card.
pub trait JobDevice: Execute<WriteMemory> + Execute<ReadMemory> + Execute<RunJob> {}

impl<D: Execute<WriteMemory> + Execute<ReadMemory> + Execute<RunJob>> JobDevice for D {}

/// The reason why a job has no results.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// The card did not answer, or its memory failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The card stopped the program.
    #[error(transparent)]
    Fault(#[from] ProgramFault),
}

impl CardMemory {
    /// Writes the job and all its regions to a device, runs it there, and reads the outputs back to
    /// this memory, whose other regions do not change. Returns the card's clocks.
    ///
    /// Callers that share a device must take turns: a card has one memory, and a job is at address
    /// 0.
    ///
    /// # Errors
    /// [`JobError`] if the device fails or the program ends with a fault.
    pub fn run_on(
        &mut self,
        compiled: &Compiled,
        device: &impl JobDevice,
    ) -> Result<u32, JobError> {
        Execute::<WriteMemory>::execute(device, WriteBatch::Region(0, self.bytes()))?;
        let ended = Execute::<RunJob>::execute(device, &[0])?.replies;
        let [JobEnd { fault, number, clocks }] = ended[..] else {
            unreachable!("a device returns a reply for each request");
        };
        if let Some(fault) = fault {
            return Err(ProgramFault { fault, at: number as usize }.into());
        }
        for (number, segment) in compiled.map.segments.iter().enumerate() {
            if matches!(segment.content, Content::Output(_)) {
                let at = |fault| ProgramFault { fault, at: 0 };
                let address = self.segment(number).map_err(at)?;
                let places = MemoryPlace::of_region(address, segment.bytes);
                let pieces = Execute::<ReadMemory>::execute(device, &places)?.replies;
                self.set_bytes(address, &pieces.concat()).map_err(at)?;
            }
        }
        Ok(clocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_cut_into_requests() {
        let bytes: Vec<u8> = (0..40_000u32).map(|number| number as u8).collect();
        let batch = WriteBatch::Region(64, &bytes);
        assert_eq!(batch.len(), 3);
        let kept = WriteMemory::keep_all(batch);
        let addresses: Vec<u64> = kept.iter().map(|(address, _)| *address).collect();
        assert_eq!(addresses, [64, 64 + 16_384, 64 + 32_768]);
        assert_eq!(kept.iter().flat_map(|(_, piece)| piece).copied().collect::<Vec<_>>(), bytes);
        for range in [0..3, 1..2, 1..3, 2..3, 3..3] {
            let part = WriteMemory::keep_all(batch.slice(range.clone()));
            assert_eq!(part, kept[range]);
        }
        let places = MemoryPlace::of_region(64, 40_000);
        assert_eq!(places.iter().map(|place| place.address).collect::<Vec<_>>(), addresses);
        assert_eq!(places.iter().map(|place| place.bytes).sum::<usize>(), 40_000);
    }
}
