// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card made of the instruction simulator and a memory: a device for jobs that needs no RTL.

use std::sync::{Mutex, MutexGuard, PoisonError};

use halimede_arith::job::{Answered, DeviceError, Execute, Operation, Timing};

use super::error::{CardError, ProgramFault};
use super::host::{JobEnd, MemoryPlace, ReadMemory, RunJob, WriteBatch, WriteMemory};
use super::isa::Fault;
use super::memory::CardMemory;
use super::simulator::simulate;

/// A device that runs jobs by [`simulate()`]. Its clocks are 0: nothing is timed.
pub struct InstructionCard {
    memory: Mutex<CardMemory>,
}

impl InstructionCard {
    /// The name in errors.
    pub const NAME: &'static str = "instructions";

    /// A card with this number of bytes of memory, all zero.
    pub fn new(memory_bytes: usize) -> Self {
        Self { memory: Mutex::new(CardMemory { bytes: vec![0; memory_bytes] }) }
    }

    fn memory(&self) -> MutexGuard<'_, CardMemory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The error of the request of an index.
fn failed(request_index: usize, requests: usize, reason: &str) -> DeviceError {
    let (device, reason) = (InstructionCard::NAME.to_owned(), reason.to_owned());
    DeviceError::Failed { device, request_index, requests, reason }
}

/// Answers requests one after the other, up to the first one that fails.
fn each<Op: Operation, T>(
    rows: impl ExactSizeIterator<Item = T>,
    mut answer: impl FnMut(T) -> Result<Op::Reply, Fault>,
) -> Result<Answered<Op::Replies>, DeviceError> {
    let count = rows.len();
    let replies = rows
        .enumerate()
        .map(|(index, row)| answer(row).map_err(|fault| failed(index, count, fault.text())));
    let replies = replies.collect::<Result<_, _>>()?;
    Ok(Answered { replies, timing: Timing::default() })
}

impl Execute<WriteMemory> for InstructionCard {
    fn execute(&self, batch: WriteBatch<'_>) -> Result<Answered<Vec<()>>, DeviceError> {
        let mut memory = self.memory();
        let rows = WriteMemory::keep_all(batch);
        each::<WriteMemory, _>(rows.into_iter(), |(address, bytes)| {
            memory.set_bytes(address, &bytes)
        })
    }
}

impl Execute<ReadMemory> for InstructionCard {
    fn execute(&self, batch: &[MemoryPlace]) -> Result<Answered<Vec<Vec<u8>>>, DeviceError> {
        let memory = self.memory();
        each::<ReadMemory, _>(batch.iter(), |place| {
            memory.get_bytes(place.address, place.bytes).map(<[u8]>::to_vec)
        })
    }
}

impl Execute<RunJob> for InstructionCard {
    /// A job lies at address 0.
    fn execute(&self, batch: &[u64]) -> Result<Answered<Vec<JobEnd>>, DeviceError> {
        let mut memory = self.memory();
        each::<RunJob, _>(batch.iter(), |job| {
            if *job != 0 {
                return Err(Fault::Address);
            }
            let ended = |fault, number| JobEnd { fault, number, clocks: 0 };
            match simulate(&mut memory, |_, _, _| {}) {
                Ok(()) => Ok(ended(None, 0)),
                Err(CardError::Fault(ProgramFault { fault, at })) => {
                    Ok(ended(Some(fault), at as u32))
                }
                Err(_) => Ok(ended(Some(Fault::Prime), 0)),
            }
        })
    }
}
