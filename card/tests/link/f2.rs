// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transport of an AWS F2 instance with a bridge in memory, and a card in a thread behind it.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use halimede_arith::job::{Compute, Operation};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_blake3_wire::HashCodec;
use halimede_card::transport::{Bus, Transport, F2};
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::operations::Permute;
use halimede_poseidon_wire::PermuteCodec;

use crate::fake_card::{cases, serve_shaped, Fault, WIDE};

const LIMIT: Duration = Duration::from_millis(800);
const OPTIONS: CardOptions = CardOptions { time_limit: LIMIT, window: 512 };
const LINE: usize = 64;
const RING: usize = 64 * LINE;

/// The fault of a bridge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    None,
    /// The bridge never has room.
    NoRoom,
    /// The bridge does not answer.
    Gone,
    /// The identifying word is wrong.
    AnotherId,
    /// More bytes are ready than a window holds.
    Nonsense,
}

/// A bridge like `card/rtl/axi4_stream_bridge.sv`: a ring of replies that are consumed after they
/// were read, room for requests, and only transfers of whole lines.
#[derive(Debug)]
struct Bridge {
    requests: UnixStream,
    replies: UnixStream,
    waiting: Vec<u8>,
    ring: Vec<u8>,
    first: usize,
    ready: usize,
    room: usize,
    reads: usize,
    /// The number of reads that are still answered.
    answered: Arc<AtomicUsize>,
    harm: Harm,
}

impl Bridge {
    /// Returns a bridge and the number of reads that it will still answer.
    fn serve(harm: Harm) -> (Self, Arc<AtomicUsize>) {
        let (requests, card_in) = UnixStream::pair().unwrap();
        let (replies, card_out) = UnixStream::pair().unwrap();
        replies.set_nonblocking(true).unwrap();
        serve_shaped(card_in, card_out, WIDE, Fault::None, vec![]);
        let answered = if harm == Harm::Gone { 0 } else { usize::MAX };
        let answered = Arc::new(AtomicUsize::new(answered));
        let bridge = Self {
            requests,
            replies,
            waiting: vec![],
            ring: vec![0x5A; RING],
            first: 0,
            ready: 0,
            room: 0,
            reads: 0,
            answered: answered.clone(),
            harm,
        };
        (bridge, answered)
    }

    /// Moves the bytes that the card has sent into the ring, in whole lines.
    fn fill(&mut self) {
        let mut chunk = [0; 4096];
        if let Ok(count) = self.replies.read(&mut chunk) {
            self.waiting.extend_from_slice(&chunk[..count]);
        }
        let lines = self.waiting.len().min(RING - self.ready) / LINE * LINE;
        for (index, byte) in self.waiting.drain(..lines).enumerate() {
            let place = (self.first + self.ready + index) % RING;
            self.ring[place] = byte;
        }
        self.ready += lines;
    }

    fn status(&mut self) -> [u8; LINE] {
        self.fill();
        // The number of lines changes each time, and is sometimes zero.
        self.room = match self.harm {
            Harm::NoRoom => 0,
            _ => self.reads * 5 % 17 * LINE,
        };
        let ready = if self.harm == Harm::Nonsense { 1 << 20 } else { self.ready };
        let id = if self.harm == Harm::AnotherId { *b"AXI5" } else { *b"AXI4" };
        let words = [ready as u32, self.first as u32, self.room as u32, u32::from_le_bytes(id)];
        let mut line = [0; LINE];
        line[..16].copy_from_slice(&words.map(u32::to_le_bytes).concat());
        line
    }
}

impl Bus for Bridge {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.reads += 1;
        if self.answered.load(Ordering::Relaxed) == 0 {
            buffer.fill(0xFF);
            return Ok(());
        }
        self.answered.fetch_sub(1, Ordering::Relaxed);
        match address {
            0x2_0000 => buffer.copy_from_slice(&self.status()[..buffer.len()]),
            0x1_0000..0x2_0000 => {
                let offset = (address - 0x1_0000) as usize;
                assert_eq!(offset, self.first, "a read must begin at the first reply");
                assert!(buffer.len() <= self.ready, "a read must not exceed the ready bytes");
                for (index, byte) in buffer.iter_mut().enumerate() {
                    *byte = self.ring[(offset + index) % RING];
                }
            }
            _ => panic!("a read of {address:#x}"),
        }
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> io::Result<()> {
        match address {
            0x2_0000 => {
                let taken = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
                assert!(taken.is_multiple_of(LINE) && taken <= self.ready);
                self.first = (self.first + taken) % RING;
                self.ready -= taken;
            }
            0..0x1_0000 => {
                assert_eq!(bytes.len() % LINE, 0, "a transfer ends within a line");
                assert!(bytes.len() <= self.room, "a write must not exceed the room");
                self.room -= bytes.len();
                self.requests.write_all(bytes)?;
            }
            _ => panic!("a write to {address:#x}"),
        }
        Ok(())
    }

    fn tells_of_replies(&self) -> bool {
        false
    }

    fn wait(&mut self, limit: Duration) -> io::Result<()> {
        assert!(limit <= Duration::from_millis(1), "{limit:?}");
        std::thread::yield_now();
        Ok(())
    }
}

fn opened(harm: Harm) -> Result<F2<Bridge>, CardError> {
    F2::from_bus(Bridge::serve(harm).0, None, Path::new("a bridge"))
}

#[test]
fn batches_pass_a_ring_that_is_smaller_than_they_are() {
    let card = Card::open("f2", Box::new(opened(Harm::None).unwrap()), OPTIONS).unwrap();
    let requests = cases::states(400, 21);
    let batch = card.execute::<PermuteCodec>(&requests).unwrap();
    assert_eq!(batch.replies, Permute::compute_batch(&requests));
    let mode = Arc::new(Mode::Hash);
    let message = |length: usize| -> Vec<u8> { (0..251).cycle().take(length).collect() };
    let requests: Vec<HashRequest> =
        (0..100).map(|index| HashRequest::digest(&mode, message(index * index * 3))).collect();
    let batch = card.execute::<HashCodec>(Hash::batch(&requests)).unwrap();
    assert!(batch.replies == Hash::compute_batch(Hash::batch(&requests)));
}

#[test]
fn what_is_no_bridge_is_told() {
    for (harm, said) in [
        (Harm::AnotherId, "no card bridge"),
        (Harm::Nonsense, "is inconsistent"),
        (Harm::Gone, "nothing answers on its bus"),
    ] {
        let error = opened(harm).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("a bridge"), "{harm:?}: {error}");
    }
}

#[test]
fn a_bridge_that_goes_away_or_takes_nothing_is_an_error_within_the_limit() {
    for reads in [3, 4, 40, 41] {
        let (bridge, answered) = Bridge::serve(Harm::None);
        let f2 = F2::from_bus(bridge, None, Path::new("a bridge")).unwrap();
        let said = if reads < 10 {
            // While the card is being opened.
            answered.store(reads, Ordering::Relaxed);
            Card::open("f2", Box::new(f2), OPTIONS).unwrap_err().to_string()
        } else {
            let card = Card::open("f2", Box::new(f2), OPTIONS).unwrap();
            answered.store(reads, Ordering::Relaxed);
            let states = cases::states(400, 22);
            card.execute::<PermuteCodec>(&states).unwrap_err().to_string()
        };
        // Reads of replies return ones, which are not frames.
        assert!(said.contains("nothing answers") || said.contains("corrupt stream"), "{said}");
    }

    let start = Instant::now();
    let mut full = opened(Harm::NoRoom).unwrap();
    let mut incoming = Vec::new();
    let limit = Duration::from_millis(50);
    assert_eq!(full.exchange(&[7; 2 * LINE], &mut incoming, limit).unwrap(), 0);
    assert!(incoming.is_empty() && start.elapsed() >= limit);
    let error = Card::open("f2", Box::new(full), OPTIONS).unwrap_err();
    assert!(matches!(error, CardError::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < 10 * LIMIT, "{:?}", start.elapsed());
}

#[test]
fn devices_that_are_files() {
    let directory = tempfile::tempdir().unwrap();
    let device = |suffix: &str| directory.path().join(format!("xdma0_{suffix}"));
    let prefix = directory.path().join("xdma0");
    let error = F2::open(&prefix).unwrap_err();
    assert!(matches!(error, CardError::NotFound { .. }), "{error}");
    // Memory that looks like an idle bridge, and keeps written bytes.
    let mut bus = vec![0; 0x2_0000];
    bus.extend([0, 3 * LINE as u32, 4 * LINE as u32].map(u32::to_le_bytes).concat());
    bus.extend(b"AXI4");
    bus.resize(0x2_0040, 0);
    std::fs::write(device("c2h_0"), &bus).unwrap();
    std::fs::write(device("h2c_0"), vec![0xEE; 0x2_0040]).unwrap();
    std::fs::write(device("user"), b"HALI").unwrap();
    let mut f2 = F2::open(&prefix).unwrap();
    assert_eq!(f2.register_window().unwrap().read(0).unwrap(), u32::from_le_bytes(*b"HALI"));
    let lines: Vec<u8> = (0..251).cycle().take(6 * LINE).collect();
    let limit = Duration::from_millis(20);
    let mut incoming = Vec::new();
    // Sends as much as fits; then nothing arrives within the limit.
    assert_eq!(f2.exchange(&lines, &mut incoming, limit).unwrap(), 4 * LINE);
    assert_eq!(f2.exchange(&[], &mut incoming, limit).unwrap(), 0);
    assert!(incoming.is_empty());
    let written = std::fs::read(device("h2c_0")).unwrap();
    assert_eq!(written[..4 * LINE], lines[..4 * LINE]);
    assert!(written[4 * LINE..0x2_0000].iter().all(|&byte| byte == 0xEE));
    assert_eq!(written[0x2_0000..0x2_0008], [0, 0, 0, 0, 1, 0, 0, 0]);
    // A file that is shorter than an answer.
    std::fs::write(device("c2h_0"), b"short").unwrap();
    let error = f2.exchange(&[], &mut incoming, limit).unwrap_err();
    assert!(error.to_string().contains("read the status of"), "{error}");
}
