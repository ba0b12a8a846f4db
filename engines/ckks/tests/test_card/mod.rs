// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card without RTL: the instruction simulator behind a link that records, fails and is reset.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use halimede_arith::job::{Answered, Columns, DeviceError, Execute, Operation};
use halimede_ckks::card::{InstructionCard, JobEnd, MemoryPlace, ReadMemory, RunJob};
use halimede_ckks::card::{WriteBatch, WriteMemory};
use halimede_ckks::executor::{CardLink, CardPlace, CardSize, ProgramPlace, ProgramServer};
use halimede_ckks::{Ciphertext, Server};

/// The simulated card of the RTL (engines/ckks/engine.toml), with more or less memory.
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

/// A card, and what is done to it. Copies are the same card.
#[derive(Clone)]
pub struct TestCard(Arc<State>);

struct State {
    card: Mutex<InstructionCard>,
    memory_bytes: usize,
    resets: AtomicU64,
    /// Requests until one fails; none does at 0.
    fails_in: AtomicUsize,
    written: Mutex<Vec<u8>>,
}

impl TestCard {
    pub fn new(log_memory_bytes: u32) -> Self {
        let memory_bytes = 1 << log_memory_bytes;
        Self(Arc::new(State {
            card: Mutex::new(InstructionCard::new(memory_bytes)),
            memory_bytes,
            resets: AtomicU64::new(0),
            fails_in: AtomicUsize::new(0),
            written: Mutex::default(),
        }))
    }

    /// Resets the card, whose memory is lost.
    pub fn reset(&self) {
        *self.0.card.lock().unwrap() = InstructionCard::new(self.0.memory_bytes);
        self.0.resets.fetch_add(1, Ordering::Relaxed);
    }

    /// Lets a request fail, and those behind it: the next one is number 1.
    pub fn fail_in(&self, requests: usize) {
        self.0.fails_in.store(requests, Ordering::Relaxed);
    }

    /// All that was written so far.
    pub fn written(&self) -> Vec<u8> {
        self.0.written.lock().unwrap().clone()
    }

    /// As a place of programs.
    pub fn place(&self) -> CardPlace<Self> {
        let log_memory_bytes = self.0.memory_bytes.ilog2();
        CardPlace::new(self.clone(), size(log_memory_bytes))
    }

    /// A failure leaves the card reset, as that of a real one does.
    fn answer<Op: Operation>(
        &self,
        batch: Op::Batch<'_>,
    ) -> Result<Answered<Op::Replies>, DeviceError>
    where
        InstructionCard: Execute<Op>,
    {
        let left = self.0.fails_in.load(Ordering::Relaxed);
        self.0.fails_in.store(left.saturating_sub(1), Ordering::Relaxed);
        if left == 1 {
            self.reset();
            let (device, reason) = ("card".to_owned(), "the link broke".to_owned());
            return Err(DeviceError::Failed { device, request_index: 0, requests: 1, reason });
        }
        Execute::<Op>::execute(&*self.0.card.lock().unwrap(), batch)
    }
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
        let mut written = self.0.written.lock().unwrap();
        batch.rows().for_each(|(_, bytes)| written.extend(bytes));
        drop(written);
        self.answer::<WriteMemory>(batch)
    }
}

impl Execute<ReadMemory> for TestCard {
    fn execute(&self, batch: &[MemoryPlace]) -> Result<Answered<Vec<Vec<u8>>>, DeviceError> {
        self.answer::<ReadMemory>(batch)
    }
}

impl Execute<RunJob> for TestCard {
    fn execute(&self, batch: &[u64]) -> Result<Answered<Vec<JobEnd>>, DeviceError> {
        self.answer::<RunJob>(batch)
    }
}

/// A server whose operations a place runs.
pub fn remote(server: &Arc<Server>, place: &impl ProgramPlace) -> ProgramServer {
    let executor = place.executor(server.parameters()).unwrap();
    ProgramServer::new(Arc::clone(server), executor)
}

/// A hash of a ciphertext's residues.
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
