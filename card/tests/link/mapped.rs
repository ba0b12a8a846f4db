// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The transport over mapped memory with a bridge in memory, and a card in a thread behind it.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use halimede_arith::job::{Compute, Operation};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_blake3_wire::HashCodec;
use halimede_card::transport::{Bus, ControlWord, Mapped, Transport};
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::operations::Permute;
use halimede_poseidon_wire::PermuteCodec;
use rand::seq::SliceRandom;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::fake_card::{cases, serve_shaped, Fault, WIDE};

const LIMIT: Duration = Duration::from_millis(800);
const OPTIONS: CardOptions = CardOptions { time_limit: LIMIT, window: 512 };
const LINE: usize = 64;
const RING: usize = 32 * LINE;

/// The fault of a bridge.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    None,
    /// The bridge takes no request.
    TakesNothing,
    /// The bridge does not answer.
    Gone,
    /// The identifying word is wrong.
    AnotherId,
    /// The rings have no valid size.
    NoRing,
    /// More bytes are ready than the ring holds.
    Nonsense,
    /// The positions go back to zero, as after a reset of the card.
    Reset,
}

/// A bridge like `card/rtl/axi4_stream_bridge.sv`, behind a bus with the weakest rules: stores
/// arrive in pieces, in any order and some twice; positions arrive late, and reads pass them.
#[derive(Debug)]
struct Bridge {
    generator: ChaCha8Rng,
    requests: UnixStream,
    replies: UnixStream,
    /// Published bytes that the card has not accepted yet, and bytes from the card.
    to_card: VecDeque<u8>,
    from_card: VecDeque<u8>,
    /// Stores on their way: a place and its bytes.
    stores: Vec<(usize, Vec<u8>)>,
    /// Positions on their way, in order.
    positions: VecDeque<(ControlWord, u32)>,
    request_ring: Vec<u8>,
    reply_ring: Vec<u8>,
    produced: u32,
    taken: u32,
    consumed: u32,
    published: u32,
    /// The number of reads that are still answered rightly, and the fault after that.
    answered: Arc<AtomicUsize>,
    harm: Harm,
}

impl Bridge {
    /// Returns a bridge and the number of reads after which the fault begins.
    fn serve(harm: Harm, reads: usize, seed: u64) -> (Self, Arc<AtomicUsize>) {
        let (requests, card_in) = UnixStream::pair().unwrap();
        let (replies, card_out) = UnixStream::pair().unwrap();
        for stream in [&requests, &replies] {
            stream.set_nonblocking(true).unwrap();
        }
        serve_shaped(card_in, card_out, WIDE, Fault::None, vec![]);
        let answered = Arc::new(AtomicUsize::new(reads));
        // Positions shortly before their end, or far from it; at a multiple of the ring.
        let begin = match harm {
            Harm::Reset => 1 << 20,
            _ => 0u32.wrapping_sub(4 * RING as u32),
        };
        let bridge = Self {
            generator: cases::generator(seed),
            requests,
            replies,
            to_card: VecDeque::new(),
            from_card: VecDeque::new(),
            stores: vec![],
            positions: VecDeque::new(),
            request_ring: vec![0x5A; RING],
            reply_ring: vec![0x5A; RING],
            produced: begin,
            taken: begin,
            consumed: begin,
            published: begin,
            answered: answered.clone(),
            harm,
        };
        (bridge, answered)
    }

    /// The fault, if it has begun.
    fn harm(&self) -> Harm {
        match self.answered.load(Ordering::Relaxed) {
            0 => self.harm,
            _ => Harm::None,
        }
    }

    fn count_a_read(&self) {
        let less = |reads: usize| reads.checked_sub(1);
        let _ = self.answered.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }

    /// Applies the oldest position.
    fn apply(&mut self) {
        let Some((word, position)) = self.positions.pop_front() else { return };
        assert_eq!(position as usize % LINE, 0, "a position within a line");
        match word {
            ControlWord::Consumed => {
                let count = position.wrapping_sub(self.consumed);
                assert!(count <= self.produced.wrapping_sub(self.consumed), "not yet produced");
                self.consumed = position;
            }
            ControlWord::Published => {
                let room = RING as u32 - self.published.wrapping_sub(self.taken);
                assert!(position.wrapping_sub(self.published) <= room, "no room");
                self.published = position;
            }
            other => panic!("a write of {other:?}"),
        }
    }

    /// Moves some lines out of the ring of requests and into the ring of replies.
    fn work(&mut self) {
        let waiting = self.published.wrapping_sub(self.taken) as usize / LINE;
        let lines = match self.harm() {
            Harm::TakesNothing => 0,
            _ => self.generator.gen_range(0..=waiting),
        };
        for _ in 0..lines {
            let place = self.taken as usize % RING;
            self.to_card.extend(&self.request_ring[place..place + LINE]);
            self.taken = self.taken.wrapping_add(LINE as u32);
        }
        match self.requests.write(self.to_card.make_contiguous()) {
            Ok(count) => drop(self.to_card.drain(..count)),
            Err(error) => assert_eq!(error.kind(), ErrorKind::WouldBlock),
        }
        let mut chunk = [0; 4096];
        if let Ok(count) = self.replies.read(&mut chunk) {
            self.from_card.extend(&chunk[..count]);
        }
        let room = RING - self.produced.wrapping_sub(self.consumed) as usize;
        for _ in 0..self.from_card.len().min(room) / LINE {
            let place = self.produced as usize % RING;
            for (to, byte) in self.reply_ring[place..].iter_mut().zip(self.from_card.drain(..LINE))
            {
                *to = byte;
            }
            self.produced = self.produced.wrapping_add(LINE as u32);
        }
    }

    fn words(&self) -> [u32; 8] {
        let id = if self.harm() == Harm::AnotherId { *b"RUNG" } else { *b"RING" };
        let ring = if self.harm() == Harm::NoRing { 3000 } else { RING as u32 };
        let (produced, taken) = match self.harm() {
            Harm::Nonsense => (self.consumed.wrapping_add(1 << 20), self.taken),
            Harm::Reset => (0, 0),
            _ => (self.produced, self.taken),
        };
        let (id, reply_ring) = (u32::from_le_bytes(id), RING as u32);
        [produced, taken, ring, id, self.consumed, self.published, reply_ring, 0]
    }
}

impl Bus for Bridge {
    fn read_control(&mut self, first: ControlWord) -> [u32; 2] {
        if self.harm() == Harm::Gone {
            return [u32::MAX; 2];
        }
        // A read passes any of the positions on their way.
        for _ in 0..self.generator.gen_range(0..=self.positions.len()) {
            self.apply();
        }
        self.work();
        let (words, index) = (self.words(), first.offset() / 4);
        self.count_a_read();
        [words[index], words[index + 1]]
    }

    fn write_control(&mut self, word: ControlWord, value: u32) {
        self.stores.shuffle(&mut self.generator);
        let twice = self.stores.len() / 3;
        for (place, bytes) in self.stores.iter().chain(&self.stores[..twice]) {
            self.request_ring[*place..place + bytes.len()].copy_from_slice(bytes);
        }
        self.stores.clear();
        self.positions.push_back((word, value));
        if self.generator.gen() {
            self.positions.push_back((word, value));
        }
    }

    fn write_requests(&mut self, offset: usize, lines: &[u8]) {
        assert!((offset | lines.len()).is_multiple_of(LINE) && offset + lines.len() <= RING);
        let mut start = 0;
        while start < lines.len() {
            let length = [4, 8, 16, 32, 64][self.generator.gen_range(0..5)];
            let end = (start + length).min(lines.len());
            self.stores.push((offset + start, lines[start..end].to_vec()));
            start = end;
        }
        // The places are free, whatever positions the host has seen.
        let published =
            self.positions.iter().rev().find(|(word, _)| *word == ControlWord::Published);
        let published = published.map_or(self.published, |(_, position)| *position);
        let waiting = published.wrapping_sub(self.taken) as usize;
        let first = (offset + RING - published as usize % RING) % RING;
        assert!(first + lines.len() + waiting <= RING, "a store to a place that is not free");
    }

    fn read_replies(&mut self, offset: usize, lines: &mut [u8]) {
        if self.harm() == Harm::Gone {
            return lines.fill(0xFF);
        }
        self.count_a_read();
        assert!((offset | lines.len()).is_multiple_of(LINE) && offset + lines.len() <= RING);
        lines.copy_from_slice(&self.reply_ring[offset..offset + lines.len()]);
    }
}

fn opened(harm: Harm) -> Result<Mapped<Bridge>, CardError> {
    Mapped::from_bus(Bridge::serve(harm, 0, 1).0, None, Path::new("a bridge"))
}

/// Permutations, and messages from nothing to several frames, against the processor.
pub fn computes_like_the_processor(card: &Card, count: usize) {
    let requests = cases::states(4 * count, 21);
    let batch = card.execute::<PermuteCodec>(&requests).unwrap();
    assert_eq!(batch.replies, Permute::compute_batch(&requests));
    let mode = Arc::new(Mode::Hash);
    let message = |length: usize| -> Vec<u8> { (0..251).cycle().take(length).collect() };
    let requests: Vec<HashRequest> =
        (0..count).map(|index| HashRequest::digest(&mode, message(index * index * 3))).collect();
    let batch = card.execute::<HashCodec>(Hash::batch(&requests)).unwrap();
    assert!(batch.replies == Hash::compute_batch(Hash::batch(&requests)));
}

#[test]
fn batches_pass_rings_that_are_smaller_than_they_are_on_a_bus_with_weak_rules() {
    for seed in 0..3 {
        let bridge = Bridge::serve(Harm::None, 0, seed).0;
        let mapped = Mapped::from_bus(bridge, None, Path::new("a bridge")).unwrap();
        let card = Card::open("mapped", Box::new(mapped), OPTIONS).unwrap();
        computes_like_the_processor(&card, 100);
    }
}

#[test]
fn memory_without_a_bridge_is_refused() {
    for (harm, said) in [
        (Harm::AnotherId, "no card bridge behind it (expected 0x474e4952, got 0x474e5552)"),
        (Harm::NoRing, "its rings have 3000 and 2048 bytes"),
        (Harm::Nonsense, "positions are inconsistent"),
        (Harm::Gone, "nothing answers on its bus"),
    ] {
        let error = opened(harm).unwrap_err().to_string();
        assert!(error.contains(said) && error.contains("a bridge"), "{harm:?}: {error}");
    }
}

#[test]
fn a_bridge_that_goes_away_or_is_reset_is_an_error_at_once() {
    for (harm, said) in [(Harm::Gone, "nothing answers"), (Harm::Reset, "inconsistent")] {
        for (reads, seed) in [0, 1, 2, 5, 50, 51, 52, 53].into_iter().zip(0..) {
            let (bridge, answered) = Bridge::serve(harm, usize::MAX, seed);
            let mapped = Mapped::from_bus(bridge, None, Path::new("a bridge")).unwrap();
            let start = Instant::now();
            let error = if reads < 10 {
                // While the card is being opened.
                answered.store(reads, Ordering::Relaxed);
                Card::open("mapped", Box::new(mapped), OPTIONS).unwrap_err().to_string()
            } else {
                let card = Card::open("mapped", Box::new(mapped), OPTIONS).unwrap();
                answered.store(reads, Ordering::Relaxed);
                let states = cases::states(4000, 22);
                card.execute::<PermuteCodec>(&states).unwrap_err().to_string()
            };
            assert!(error.contains(said), "{harm:?} after {reads} reads: {error}");
            assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
        }
    }
}

#[test]
fn a_bridge_that_takes_nothing_is_an_error_within_the_limit() {
    let start = Instant::now();
    let mut full = opened(Harm::TakesNothing).unwrap();
    let mut incoming = Vec::new();
    let limit = Duration::from_millis(50);
    // The ring accepts its size, then nothing.
    let lines = [7; RING + 2 * LINE];
    assert_eq!(full.exchange(&lines, &mut incoming, limit).unwrap(), RING);
    assert_eq!(full.exchange(&lines, &mut incoming, limit).unwrap(), 0);
    assert!(incoming.is_empty() && start.elapsed() >= limit);
    let error = Card::open("mapped", Box::new(full), OPTIONS).unwrap_err();
    assert!(matches!(error, CardError::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < 10 * LIMIT, "{:?}", start.elapsed());
}
