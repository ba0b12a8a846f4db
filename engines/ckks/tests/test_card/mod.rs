// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card without RTL: the instruction simulator behind a link that records requests, fails and is
//! reset.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use halimede_arith::job::{Answered, DeviceError, Execute, Operation, Timing};
use halimede_ckks::card::isa::Fault;
use halimede_ckks::card::{simulate, CardError, CardMemory, JobEnd, MemoryPlace, ProgramFault};
use halimede_ckks::card::{ReadMemory, RunJob, WriteBatch, WriteMemory};
use halimede_ckks::executor::{CardLink, CardPlace, CardSize, ProgramPlace, ProgramServer};
use halimede_ckks::{Ciphertext, Server};

/// Returns the simulated card of the RTL (engines/ckks/engine.toml), with more or less memory.
pub fn size(log_memory_bytes: u32) -> CardSize {
    CardSize {
        log_lanes: 3,
        columns: 3,
        max_log_degree: 10,
        version: 1,
        log_memory_bytes,
        log_rows: 13,
        slots: 64,
    }
}

/// A card, and its recorded requests. Copies are the same card.
#[derive(Clone)]
pub struct TestCard(Arc<State>);

struct State {
    memory: Mutex<CardMemory>,
    size: CardSize,
    resets: AtomicU64,
    /// The number of requests until one fails; 0 for no failure.
    fails_in: AtomicUsize,
    written: Mutex<Vec<u8>>,
}

impl TestCard {
    pub fn new(log_memory_bytes: u32) -> Self {
        Self::of_size(size(log_memory_bytes))
    }

    pub fn of_size(size: CardSize) -> Self {
        Self(Arc::new(State {
            memory: Mutex::new(blank(&size)),
            size,
            resets: AtomicU64::new(0),
            fails_in: AtomicUsize::new(0),
            written: Mutex::default(),
        }))
    }

    /// Resets the card, whose memory is lost.
    pub fn reset(&self) {
        *self.0.memory.lock().unwrap() = blank(&self.0.size);
        self.0.resets.fetch_add(1, Ordering::Relaxed);
    }

    /// Makes a request and all later ones fail: the next one is number 1.
    pub fn fail_in(&self, requests: usize) {
        self.0.fails_in.store(requests, Ordering::Relaxed);
    }

    /// Returns all that was written so far.
    pub fn written(&self) -> Vec<u8> {
        self.0.written.lock().unwrap().clone()
    }

    /// Returns the card as a place of programs.
    pub fn place(&self) -> CardPlace<Self> {
        CardPlace::new(self.clone(), self.0.size)
    }

    /// Answers requests in sequence, up to the first one that fails. A failure of the link resets
    /// the card, like a real one.
    fn each<Op: Operation, T>(
        &self,
        rows: impl ExactSizeIterator<Item = T>,
        mut answer: impl FnMut(&mut CardMemory, T) -> Result<Op::Reply, Fault>,
    ) -> Result<Answered<Op::Replies>, DeviceError> {
        let requests = rows.len();
        let failed = |request_index, reason: &str| {
            let (device, reason) = ("card".to_owned(), reason.to_owned());
            DeviceError::Failed { device, request_index, requests, reason }
        };
        let left = self.0.fails_in.load(Ordering::Relaxed);
        self.0.fails_in.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 1 {
            self.reset();
            return Err(failed(0, "the link broke"));
        }
        let mut memory = self.0.memory.lock().unwrap();
        let replies = rows.enumerate().map(|(index, row)| {
            answer(&mut memory, row).map_err(|fault| failed(index, fault.text()))
        });
        Ok(Answered { replies: replies.collect::<Result<_, _>>()?, timing: Timing::default() })
    }
}

fn blank(size: &CardSize) -> CardMemory {
    CardMemory::zeroed(size.memory_bytes() as usize)
}

impl CardLink for TestCard {
    fn name(&self) -> &str {
        "card"
    }

    fn resets(&self) -> u64 {
        self.0.resets.load(Ordering::Relaxed)
    }
}

impl Execute<WriteMemory> for TestCard {
    fn execute(&self, batch: WriteBatch<'_>) -> Result<Answered<Vec<()>>, DeviceError> {
        let rows = WriteMemory::keep_all(batch);
        let mut written = self.0.written.lock().unwrap();
        rows.iter().for_each(|(_, bytes)| written.extend(bytes));
        self.each::<WriteMemory, _>(rows.iter(), |memory, (address, bytes)| {
            memory.set_bytes(*address, bytes)
        })
    }
}

impl Execute<ReadMemory> for TestCard {
    fn execute(&self, batch: &[MemoryPlace]) -> Result<Answered<Vec<Vec<u8>>>, DeviceError> {
        self.each::<ReadMemory, _>(batch.iter(), |memory, place| {
            memory.get_bytes(place.address, place.bytes).map(<[u8]>::to_vec)
        })
    }
}

/// A job is at address 0. Nothing is timed.
impl Execute<RunJob> for TestCard {
    fn execute(&self, batch: &[u64]) -> Result<Answered<Vec<JobEnd>>, DeviceError> {
        self.each::<RunJob, _>(batch.iter(), |memory, job| {
            if *job != 0 {
                return Err(Fault::Address);
            }
            let ended = |fault, number| JobEnd { fault, number, clocks: 0 };
            Ok(match simulate(memory, |_, _, _| {}) {
                Ok(()) => ended(None, 0),
                Err(CardError::Fault(ProgramFault { fault, at })) => ended(Some(fault), at as u32),
                Err(_) => ended(Some(Fault::Prime), 0),
            })
        })
    }
}

/// Returns a server whose operations run on a place.
pub fn remote(server: &Arc<Server>, place: &impl ProgramPlace) -> ProgramServer {
    let executor = place.executor(server.parameters()).unwrap();
    ProgramServer::new(Arc::clone(server), executor)
}

/// Returns a hash of a ciphertext's residues.
pub fn hash(ciphertext: &Ciphertext) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for part in ciphertext.parts() {
        for place in part.basis().places() {
            hasher.update(&place.to_le_bytes());
        }
        for word in part.limbs().flatten() {
            hasher.update(&word.to_le_bytes());
        }
    }
    hasher.finalize().into()
}
