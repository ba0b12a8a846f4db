// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card in a thread of the test. It implements the wire format with separate frame logic, answers
//! through the engines' processor implementations, and can misbehave once.

#![allow(dead_code, reason = "each test binary uses a part")]

pub mod cases;
pub mod flipped;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::{spawn, JoinHandle};

use halimede_arith::job::{
    Attempts, DeviceError, Failure, Ledger, Operation, RequestPosition, Timing,
};
use halimede_card::codec::{Batch, Codec, Replies, ReplyOf};
use halimede_card::Card;
use halimede_simulation::model::{self, blake3};

/// Filecoin and Stark, width 3 and 5.
pub const INSTANCES: u32 = 0b0011 | 0b0101 << 8;

const POSEIDON_REPLY: u32 = 0x8000_0110;

/// The properties of the card.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The bytes per beat of its stream.
    pub stream_bytes: usize,
    /// The longest frame that its status reports.
    pub max_frame_bytes: usize,
}

/// Executes the requests on a card with this fault. Returns the number of the request that the
/// error names.
///
/// # Panics
/// Panics if the call does not fail, or if the reason does not contain the expected text.
pub fn named_by_the_failure<C: Codec>(
    card: &Card,
    requests: &[<C::Operation as Operation>::Request],
    (fault, expected): (Fault, &str),
) -> usize {
    let error = card.execute::<C>(C::Operation::batch(requests)).unwrap_err();
    let DeviceError::Failed { request_index, requests: count, reason, .. } = error else {
        panic!("{fault:?}: {error}");
    };
    assert!(reason.contains(expected), "{fault:?}: {reason}");
    assert_eq!(count, requests.len(), "{fault:?}: {reason}");
    request_index
}

/// The replies of a card to a batch, up to the first failure.
pub struct Attempt<Reply> {
    /// The replies that arrived, each at the position of its request.
    pub replies: Vec<Option<Reply>>,
    pub failure: Option<Failure>,
}

/// Executes as much as possible of a batch that the card supports.
pub fn attempt<C: Codec>(card: &Card, batch: Batch<'_, C>) -> Attempt<ReplyOf<C>> {
    let (mut attempts, mut ledger) = (card.attempts::<C>(0), Ledger::new());
    let mut places: Vec<RequestPosition> = ledger.push(batch).collect();
    places.retain(|place| !ledger.has_reply(*place));
    attempts.submit(places);
    let failure = attempts.settle(&mut ledger).err();
    Attempt { replies: ledger.take_oldest().unwrap_or_default(), failure }
}

/// A session of a card, without retries.
pub struct Session<'c, C: Codec> {
    pub attempts: Box<dyn Attempts<C::Operation> + 'c>,
    ledger: Ledger<C::Operation>,
}

impl<'c, C: Codec> Session<'c, C> {
    pub fn new(card: &'c Card) -> Self {
        Self { attempts: Box::new(card.attempts::<C>(0)), ledger: Ledger::new() }
    }

    /// Submits a batch that the card supports.
    pub fn submit(&mut self, batch: Batch<'_, C>) {
        let places: Vec<RequestPosition> = self.ledger.push(batch).collect();
        let open = places.into_iter().filter(|place| !self.ledger.has_reply(*place));
        self.attempts.submit(open.collect());
    }

    pub fn advance(&mut self) -> Result<(), Failure> {
        self.attempts.advance(&mut self.ledger)
    }

    /// Returns the replies to the oldest batch.
    pub fn collect(&mut self) -> Result<Option<Replies<C>>, Failure> {
        self.attempts.settle(&mut self.ledger)?;
        let replies = self.ledger.take_oldest();
        Ok(replies.map(|replies| replies.into_iter().flatten().collect()))
    }

    pub fn timing(&mut self) -> Result<Timing, Failure> {
        self.attempts.timing(&mut self.ledger)
    }
}

/// A card with the narrowest stream.
pub const NARROW: Shape = Shape { stream_bytes: 8, max_frame_bytes: 65_536 };
/// A card with the widest stream.
pub const WIDE: Shape = Shape { stream_bytes: 64, ..NARROW };

/// The fault of the card. The number is that of the reply to a poseidon or blake3 request, counted
/// from 0 since the card was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault.
    None,
    /// Each burst of replies is sent in reverse order.
    OutOfOrder,
    /// The reply is not sent.
    Drop(usize),
    /// The reply is sent twice.
    Duplicate(usize),
    /// One byte of the reply, counted from its header, is changed.
    FlipByte(usize, usize),
    /// One bit of the reply is flipped.
    FlipBit(usize, usize),
    /// The reply carries an index that no request has.
    WrongIndex(usize),
    /// The reply is shorter than its header says.
    Truncate(usize),
    /// The reply has one element too few, and its header has the matching length.
    ShortReply(usize),
    /// Garbage with the length of one frame of zeros comes before the reply.
    Garbage(usize),
    /// An ignore reply replaces the reply.
    Ignore(usize),
    /// The notice that the engine has failed replaces the reply.
    EngineFailed(usize),
    /// The reply carries this status and no elements.
    Status(usize, u8),
    /// The first element of the reply is all ones.
    NotCanonical(usize),
    /// From here on nothing is answered until a reset.
    SilenceUntilReset(usize),
    /// From here on nothing is answered.
    Silence(usize),
    /// The reply comes after the next reset.
    LateReply(usize),
    /// The card closes the link.
    HangUp(usize),
    /// From the blake3 frame of this number on, no frame is received until a reset.
    DeafFromFrame(usize),
    /// At the blake3 frame of this number, the message in progress is dropped.
    ForgetAtFrame(usize),
    /// The status reports stream beats of this number of bytes.
    SaysStreamBytes(u32),
    /// The status is that of protocol 2.0.
    OldProtocol,
}

/// Starts a card with the narrowest stream. Returns the host's end of the link.
pub fn start(fault: Fault) -> UnixStream {
    start_with_input(NARROW, fault, Vec::new())
}

/// Starts a card that has already received some bytes.
pub fn start_with_input(shape: Shape, fault: Fault, input: Vec<u8>) -> UnixStream {
    let (host, card) = UnixStream::pair().unwrap();
    let reader = card.try_clone().unwrap();
    serve_shaped(reader, card, shape, fault, input);
    host
}

/// Acts as a card with the narrowest stream on two streams, until the first ends.
pub fn serve(
    reader: impl Read + Send + 'static,
    writer: impl Write + Send + 'static,
    fault: Fault,
    input: Vec<u8>,
) -> JoinHandle<()> {
    serve_shaped(reader, writer, NARROW, fault, input)
}

/// Acts as a card on two streams, until the first ends.
pub fn serve_shaped(
    mut reader: impl Read + Send + 'static,
    mut writer: impl Write + Send + 'static,
    shape: Shape,
    fault: Fault,
    input: Vec<u8>,
) -> JoinHandle<()> {
    spawn(move || {
        let mut card = FakeCard::new(shape, fault, input);
        let mut chunk = [0; 65_536];
        loop {
            let Some(output) = card.take_frames() else { return };
            if writer.write_all(&output).is_err() {
                return;
            }
            match reader.read(&mut chunk) {
                Ok(count @ 1..) => card.input.extend_from_slice(&chunk[..count]),
                _ => return,
            }
        }
    })
}

struct FakeCard {
    shape: Shape,
    fault: Fault,
    blake3: blake3::Engine,
    input: Vec<u8>,
    replies: usize,
    silent: bool,
    late: Vec<u8>,
    clocks: u64,
    ignored: u32,
}

impl FakeCard {
    fn new(shape: Shape, fault: Fault, input: Vec<u8>) -> Self {
        let blake3 = blake3::Engine::default();
        let (replies, silent, late, clocks, ignored) = (0, false, vec![], 0, 0);
        Self { shape, fault, blake3, input, replies, silent, late, clocks, ignored }
    }

    /// Answers the complete frames of the input. `None` means that the card hangs up.
    fn take_frames(&mut self) -> Option<Vec<u8>> {
        let mut burst: Vec<Vec<u8>> = Vec::new();
        let beat = self.shape.stream_bytes;
        let mut taken = 0;
        while self.input.len() >= taken + beat {
            let rest = &self.input[taken..];
            let (length, command) = (u32_at(rest, 0), u32_at(rest, 4));
            if length == 0 {
                taken += beat;
                continue;
            }
            if !(8..=65_536).contains(&length) {
                taken += beat;
                burst.push(self.ignore(length, command));
                continue;
            }
            let padded = (length as usize).next_multiple_of(beat);
            if rest.len() < padded {
                break;
            }
            let bytes = rest[..length as usize].to_vec();
            taken += padded;
            let payload = &bytes[8..];
            self.clocks += 500;
            let replies = match command {
                0 => vec![self.reset(payload)],
                1 if payload.is_empty() => vec![self.status()],
                2 if payload.len() == 8 => vec![self.register(payload)],
                0x110 if payload.len() >= 24 => vec![self.poseidon(&bytes)?],
                0x120 | 0x121 if payload.len() >= 32 => self.blake3(command, &bytes)?,
                _ => vec![self.ignore(length, command)],
            };
            if !self.silent {
                burst.extend(replies.into_iter().map(|mut reply| {
                    reply.resize(reply.len().next_multiple_of(beat), 0);
                    reply
                }));
            }
        }
        self.input.drain(..taken);
        if self.fault == Fault::OutOfOrder {
            burst.reverse();
        }
        Some(burst.concat())
    }

    fn ignore(&mut self, length: u32, command: u32) -> Vec<u8> {
        self.ignored += 1;
        let header = [length.to_le_bytes(), command.to_le_bytes()].concat();
        frame(0x8000_0002, &header)
    }

    fn reset(&mut self, payload: &[u8]) -> Vec<u8> {
        if !matches!(self.fault, Fault::Silence(_)) {
            self.silent = false;
        }
        self.blake3.reset();
        let mut nonce = payload.to_vec();
        nonce.resize(8, 0);
        let mut reply = frame(0x8000_0000, &nonce);
        reply.append(&mut self.late);
        reply
    }

    fn status(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        for word in [0x0003_0000, 0xB01D, 1 << 2 | 1 << 3, self.shape.max_frame_bytes as u32] {
            payload.extend_from_slice(&u32::to_le_bytes(word));
        }
        payload.extend_from_slice(&self.clocks.to_le_bytes());
        payload.extend_from_slice(&(self.clocks / 2).to_le_bytes());
        payload.extend_from_slice(&self.ignored.to_le_bytes());
        payload.extend_from_slice(&INSTANCES.to_le_bytes());
        for part in [50, 3, 100, 7, 9] {
            payload.extend_from_slice(&(self.clocks / part).to_le_bytes());
        }
        let stream_bytes = match self.fault {
            Fault::SaysStreamBytes(bytes) => u64::from(bytes),
            _ => self.shape.stream_bytes as u64,
        };
        payload.extend_from_slice(&stream_bytes.to_le_bytes());
        if self.fault == Fault::OldProtocol {
            payload[..4].copy_from_slice(&0x0002_0000u32.to_le_bytes());
            payload.truncate(64);
        }
        checksummed(0x8000_0001, &payload)
    }

    fn register(&self, payload: &[u8]) -> Vec<u8> {
        let address = u32_at(payload, 0);
        let (status, value) = match address {
            0 => (0u32, 0x494C_4148u32),
            0x100 => (0, INSTANCES),
            _ => (1, 0),
        };
        let words = [address, status, value, 0].map(u32::to_le_bytes);
        frame(0x8000_0003, words.as_flattened())
    }

    fn poseidon(&mut self, request: &[u8]) -> Option<Vec<u8>> {
        let (fields, carried) = request.split_at(request.len() - 8);
        let (index, question) = fields[8..].split_at(8);
        let mut answer = model::poseidon(question);
        let elements = answer.split_off(8);
        let mut payload = [index, &answer].concat();
        if carried != u64::from(checksum(fields)).to_le_bytes() {
            payload[8] = 4;
            return Some(checksummed(POSEIDON_REPLY, &payload));
        }
        self.reply(POSEIDON_REPLY, payload, &elements)
    }

    fn blake3(&mut self, command: u32, request: &[u8]) -> Option<Vec<Vec<u8>>> {
        let (fields, carried) = request.split_at(request.len() - 8);
        let is_whole = carried == u64::from(checksum(fields)).to_le_bytes();
        if matches!(self.fault, Fault::DeafFromFrame(frame) if frame == self.blake3.frames()) {
            self.fault = Fault::None;
            self.silent = true;
        }
        if matches!(self.fault, Fault::ForgetAtFrame(frame) if frame == self.blake3.frames()) {
            self.blake3.reset();
        }
        let answers = self.blake3.take(command, &fields[8..], is_whole);
        answers.into_iter().map(|(code, head, data)| self.reply(code, head, &data)).collect()
    }

    /// Returns the next reply of an engine, given its payload up to the data, and the data, with
    /// the fault if it applies to this reply. `None` means that the card hangs up.
    fn reply(&mut self, code: u32, mut payload: Vec<u8>, data: &[u8]) -> Option<Vec<u8>> {
        let number = self.replies;
        self.replies += 1;
        let fault = self.fault;
        match fault {
            Fault::WrongIndex(at) if at == number => payload[0] ^= 0xFF,
            Fault::Status(at, status) if at == number => payload[8] = status,
            Fault::NotCanonical(at) if at == number => payload.extend([0xFF; 32]),
            Fault::ShortReply(at) if at == number => {}
            _ => payload.extend_from_slice(data),
        }
        let mut reply = checksummed(code, &payload);
        match fault {
            Fault::Drop(at) if at == number => reply.clear(),
            Fault::Duplicate(at) if at == number => reply = reply.repeat(2),
            Fault::FlipByte(at, byte) if at == number => reply[byte] ^= 0x55,
            Fault::FlipBit(at, bit) if at == number => reply[bit / 8] ^= 1 << (bit % 8),
            Fault::Truncate(at) if at == number => reply.truncate(reply.len() - 16),
            Fault::Garbage(at) if at == number => {
                let garbage: Vec<u8> = (0..77u8).map(|byte| byte.wrapping_mul(37) | 1).collect();
                reply.splice(0..0, garbage);
            }
            Fault::Ignore(at) if at == number => {
                reply = frame(0x8000_0002, &[120, 0, 0, 0, 1, 1, 0, 0])
            }
            Fault::EngineFailed(at) if at == number => {
                reply = frame(0x8000_0005, &[2, 0, 0, 0, 1, 0, 0, 0])
            }
            Fault::LateReply(at) if at == number => self.late = std::mem::take(&mut reply),
            Fault::SilenceUntilReset(at) | Fault::Silence(at) if at == number => self.silent = true,
            Fault::HangUp(at) if at == number => return None,
            _ => {}
        }
        Some(reply)
    }
}

/// Returns the CRC-32C, computed bit by bit.
pub fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |state, byte| {
        (0..8).fold(state ^ u32::from(*byte), |state, _| {
            state >> 1 ^ if state & 1 == 1 { 0x82F6_3B78 } else { 0 }
        })
    })
}

/// Returns a padded frame with a checksum.
pub fn checksummed(command: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = frame(command, &[payload, &[0; 8]].concat());
    let fields = 8 + payload.len();
    let carried = u64::from(checksum(&frame[..fields])).to_le_bytes();
    frame[fields..fields + 8].copy_from_slice(&carried);
    frame
}

/// Returns a padded frame.
pub fn frame(command: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = (payload.len() as u32 + 8).to_le_bytes().to_vec();
    frame.extend_from_slice(&command.to_le_bytes());
    frame.extend_from_slice(payload);
    frame.resize(frame.len().div_ceil(8) * 8, 0);
    frame
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap())
}
