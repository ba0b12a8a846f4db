// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card in a thread of the test: it speaks the wire format by frame logic of its own, answers
//! through the engines' processor implementations, and can misbehave once.

#![allow(dead_code, reason = "each test binary uses a part")]

pub mod cases;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::thread::{spawn, JoinHandle};

use halimede_arith::job::Compute;
use halimede_poseidon::operations::Permute;
use halimede_poseidon::{Family, Instance, State, Strength};

/// Filecoin and Stark, width 3 and 5.
pub const INSTANCES: u32 = 0b0011 | 0b0101 << 8;

const POSEIDON_REPLY: u32 = 0x8000_0110;

/// What the card does wrong, at the reply to the poseidon request of the given number (from 0,
/// counted since the card was started).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Each burst of replies is sent last first.
    OutOfOrder,
    /// The reply is not sent.
    Drop(usize),
    /// The reply is sent twice.
    Duplicate(usize),
    /// One byte of the reply, counted from its header, is changed.
    FlipByte(usize, usize),
    /// One bit of the reply is flipped.
    FlipBit(usize, usize),
    /// The reply carries the index of no request.
    WrongIndex(usize),
    /// The reply ends early, and its header does not say so.
    Truncate(usize),
    /// The reply has one element too few, and its header says so.
    ShortReply(usize),
    /// A frame of zeros' worth of garbage comes before the reply.
    Garbage(usize),
    /// An ignore reply comes in place of the reply.
    Ignore(usize),
    /// The reply carries this status and no elements.
    Status(usize, u8),
    /// The first element of the reply is all ones.
    NotCanonical(usize),
    /// From here on nothing is answered until a reset.
    SilenceUntilReset(usize),
    /// From here on nothing is ever answered.
    Silence(usize),
    /// The reply comes after the next reset.
    LateReply(usize),
    /// The card closes the link.
    HangUp(usize),
}

/// Starts a card; the host's end of the link.
pub fn start(fault: Fault) -> UnixStream {
    start_with_input(fault, Vec::new())
}

/// Starts a card that has already taken some bytes.
pub fn start_with_input(fault: Fault, input: Vec<u8>) -> UnixStream {
    let (host, card) = UnixStream::pair().unwrap();
    let reader = card.try_clone().unwrap();
    serve(reader, card, fault, input);
    host
}

/// Serves two streams until the first ends.
pub fn serve(
    mut reader: impl Read + Send + 'static,
    mut writer: impl Write + Send + 'static,
    fault: Fault,
    input: Vec<u8>,
) -> JoinHandle<()> {
    spawn(move || {
        let mut card = FakeCard::new(fault, input);
        let mut chunk = [0; 4096];
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
    fault: Fault,
    input: Vec<u8>,
    replies: usize,
    silent: bool,
    late: Vec<u8>,
    clocks: u64,
    ignored: u32,
}

impl FakeCard {
    fn new(fault: Fault, input: Vec<u8>) -> Self {
        Self { fault, input, replies: 0, silent: false, late: vec![], clocks: 0, ignored: 0 }
    }

    /// Answers the whole frames of the input; `None` hangs up.
    fn take_frames(&mut self) -> Option<Vec<u8>> {
        let mut burst: Vec<Vec<u8>> = Vec::new();
        while self.input.len() >= 8 {
            let (length, command) = (u32_at(&self.input, 0), u32_at(&self.input, 4));
            if length == 0 {
                let idle = |beat: &&[u8]| beat.len() == 8 && u32_at(beat, 0) == 0;
                let beats = self.input.chunks(8).take_while(idle).count();
                self.input.drain(..8 * beats);
                continue;
            }
            if !(8..=65_536).contains(&length) {
                self.input.drain(..8);
                burst.push(self.ignore(length, command));
                continue;
            }
            let padded = (length as usize).div_ceil(8) * 8;
            if self.input.len() < padded {
                break;
            }
            let bytes: Vec<u8> = self.input.drain(..padded).collect();
            let payload = &bytes[8..length as usize];
            self.clocks += 500;
            burst.push(match command {
                0 => self.reset(payload),
                1 if payload.is_empty() => self.status(),
                2 if payload.len() == 8 => self.register(payload),
                0x110 if payload.len() >= 24 => self.poseidon(&bytes)?,
                _ => self.ignore(length, command),
            });
            if self.silent {
                burst.pop();
            }
        }
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
        let mut nonce = payload.to_vec();
        nonce.resize(8, 0);
        let mut reply = frame(0x8000_0000, &nonce);
        reply.append(&mut self.late);
        reply
    }

    fn status(&self) -> Vec<u8> {
        let mut payload = Vec::new();
        for word in [0x0002_0000, 0xB01D, 1 << 2, 65_536] {
            payload.extend_from_slice(&u32::to_le_bytes(word));
        }
        payload.extend_from_slice(&self.clocks.to_le_bytes());
        payload.extend_from_slice(&(self.clocks / 2).to_le_bytes());
        payload.extend_from_slice(&self.ignored.to_le_bytes());
        payload.extend_from_slice(&INSTANCES.to_le_bytes());
        for counter in [self.clocks / 50, self.clocks / 3, self.clocks / 100] {
            payload.extend_from_slice(&counter.to_le_bytes());
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
        let number = self.replies;
        self.replies += 1;
        let (fields, carried) = request.split_at(request.len() - 8);
        let (mut payload, elements) = answer(&fields[8..]);
        if carried != u64::from(checksum(fields)).to_le_bytes() {
            payload[8] = 4;
            return Some(checksummed(POSEIDON_REPLY, &payload));
        }
        let fault = self.fault;
        match fault {
            Fault::WrongIndex(at) if at == number => payload[0] ^= 0xFF,
            Fault::Status(at, status) if at == number => payload[8] = status,
            Fault::NotCanonical(at) if at == number => payload.extend([0xFF; 32]),
            Fault::ShortReply(at) if at == number => {}
            _ => payload.extend_from_slice(elements.as_flattened()),
        }
        let mut reply = checksummed(POSEIDON_REPLY, &payload);
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
            Fault::LateReply(at) if at == number => self.late = std::mem::take(&mut reply),
            Fault::SilenceUntilReset(at) | Fault::Silence(at) if at == number => self.silent = true,
            Fault::HangUp(at) if at == number => return None,
            _ => {}
        }
        Some(reply)
    }
}

/// The reply's payload up to the elements, and the elements.
fn answer(request: &[u8]) -> (Vec<u8>, Vec<[u8; 32]>) {
    let mut payload = request[..8].to_vec();
    payload.resize(16, 0);
    let (code, digest_only) = (request[8], request[9] == 1);
    let elements: Vec<[u8; 32]> =
        request[16..].chunks_exact(32).map(|bytes| bytes.try_into().unwrap()).collect();
    let family = match code >> 4 {
        0 => Family::Filecoin(Strength::Standard),
        1 => Family::Filecoin(Strength::Strengthened),
        _ => Family::Stark,
    };
    let Ok(instance) = Instance::new(family, usize::from(code & 15)) else {
        payload[8] = 1;
        return (payload, vec![]);
    };
    let Ok(state) = State::from_le_bytes(instance, &elements) else {
        payload[8] = 2;
        return (payload, vec![]);
    };
    let permuted = Permute::compute(&state).to_le_bytes();
    if digest_only {
        return (payload, vec![permuted[instance.digest_index()]]);
    }
    (payload, permuted.to_vec())
}

/// CRC-32C, bit by bit.
pub fn checksum(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |state, byte| {
        (0..8).fold(state ^ u32::from(*byte), |state, _| {
            state >> 1 ^ if state & 1 == 1 { 0x82F6_3B78 } else { 0 }
        })
    })
}

/// A frame of whole beats with its checksum behind it.
pub fn checksummed(command: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = frame(command, &[payload, &[0; 8]].concat());
    let fields = frame.len() - 8;
    let carried = u64::from(checksum(&frame[..fields])).to_le_bytes();
    frame[fields..].copy_from_slice(&carried);
    frame
}

/// A frame, padded.
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
