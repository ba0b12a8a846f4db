// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A model of the card that answers at once: bytes in, reply frames out. It has its own frame logic
//! and uses the engines' processor implementations.

pub mod blake3;
mod verify;

use std::collections::HashMap;

use halimede_arith::job::Compute;
use halimede_poseidon::operations::Permute;
use halimede_poseidon::{Family, Instance, State, Strength};

const HEADER_BYTES: usize = 8;
const CHECKSUM_BYTES: usize = 8;
const MOST_FRAME_BYTES: usize = 65_536;
const POSEIDON: u32 = 0x110;
const REPLY: u32 = 0x8000_0000;
const IGNORE_REPLY: u32 = 0x8000_0002;
/// The mask of all instances: Filecoin's arities 2, 4, 8, 11 in both strengths, and StarkWare's
/// widths.
const INSTANCES: u32 = 0x0FFF;
/// The number of cached answers.
const MOST_ANSWERS: usize = 4096;

/// The kind of card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The minor version of its protocol: from 2 on, the verify commands have a form with a
    /// checksum.
    pub minor: u8,
    /// The number of bytes of a beat of its stream.
    pub stream_bytes: usize,
}

/// A reply frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The frame, padded to whole beats.
    pub bytes: Vec<u8>,
    /// True for an answer to a request to an engine or for the status.
    pub is_answer: bool,
}

/// A model of the card.
pub struct ModelCard {
    shape: Shape,
    input: Vec<u8>,
    blake3: blake3::Engine,
    clocks: u64,
    ignored: u32,
    /// The payloads of replies after the index, by the command and the request's payload after the
    /// index.
    answers: HashMap<Vec<u8>, Vec<u8>>,
}

impl ModelCard {
    /// A card of this shape, powered on.
    pub fn new(shape: Shape) -> Self {
        let (input, answers) = (Vec::new(), HashMap::new());
        Self { shape, input, blake3: blake3::Engine::default(), clocks: 0, ignored: 0, answers }
    }

    /// Loses its whole state, as by a pulse of the hardware reset.
    pub fn reset(&mut self) {
        self.input.clear();
        self.blake3.reset();
    }

    /// The number of bytes of a beat of its stream.
    pub fn stream_bytes(&self) -> usize {
        self.shape.stream_bytes
    }

    /// Takes bytes of the stream; returns the replies to the frames that are now complete.
    pub fn take(&mut self, bytes: &[u8]) -> Vec<Reply> {
        self.input.extend_from_slice(bytes);
        let mut input = std::mem::take(&mut self.input);
        let beat = self.shape.stream_bytes;
        let (mut taken, mut replies) = (0, Vec::new());
        while input.len() >= taken + beat {
            let rest = &input[taken..];
            let (length, command) = (u32_at(rest, 0), u32_at(rest, 4));
            let size = length as usize;
            if length == 0 {
                taken += beat;
                continue;
            }
            if !(HEADER_BYTES..=MOST_FRAME_BYTES).contains(&size) {
                taken += beat;
                replies.push(self.ignore(length, command));
                continue;
            }
            let padded = size.next_multiple_of(beat);
            if rest.len() < padded {
                break;
            }
            taken += padded;
            self.clocks += 500;
            replies.extend(self.answer(command, &rest[..size]));
        }
        input.drain(..taken);
        self.input = input;
        replies
    }

    /// The reply to a `get_fpga_status`.
    pub fn status(&self) -> Reply {
        let capabilities: u32 = 0b1111;
        let mut payload = Vec::new();
        let version = 3 << 16 | u32::from(self.shape.minor);
        for word in [version, 0xB01D, capabilities, MOST_FRAME_BYTES as u32] {
            payload.extend_from_slice(&word.to_le_bytes());
        }
        payload.extend_from_slice(&self.clocks.to_le_bytes());
        payload.extend_from_slice(&(self.clocks / 2).to_le_bytes());
        payload.extend_from_slice(&self.ignored.to_le_bytes());
        payload.extend_from_slice(&INSTANCES.to_le_bytes());
        for part in [50, 3, 100, 7, 9] {
            payload.extend_from_slice(&(self.clocks / part).to_le_bytes());
        }
        payload.extend_from_slice(&(self.shape.stream_bytes as u32).to_le_bytes());
        payload.extend_from_slice(&0b1111u32.to_le_bytes());
        self.reply(REPLY | 1, &payload, true, false)
    }

    fn answer(&mut self, command: u32, frame: &[u8]) -> Vec<Reply> {
        let payload = &frame[HEADER_BYTES..];
        let length = frame.len() as u32;
        match command {
            0 if payload.len() <= 8 => {
                self.blake3.reset();
                let mut nonce = payload.to_vec();
                nonce.resize(8, 0);
                vec![self.reply(REPLY, &nonce, false, false)]
            }
            1 if payload.is_empty() => vec![Reply { is_answer: true, ..self.status() }],
            2 if payload.len() == 8 => {
                // Only the registers that the status also reports exist.
                let words = [u32_at(payload, 0), 1, 0, 0].map(u32::to_le_bytes);
                vec![self.reply(REPLY | 3, words.as_flattened(), false, false)]
            }
            0x120 | 0x121 if payload.len() >= 32 => self.blake3(command, frame),
            POSEIDON if payload.len() >= 24 => {
                vec![self.checked(command, frame, poseidon)]
            }
            0x100 | 0x101 => self
                .published(command, payload)
                .map_or_else(|| vec![self.ignore(length, command)], |reply| vec![reply]),
            0x102 | 0x103 if self.shape.minor >= 2 && verify::fits(command, payload.len()) => {
                vec![self.checked(command, frame, |fields| verify::checked(command, fields))]
            }
            _ => vec![self.ignore(length, command)],
        }
    }

    /// The *ignore* reply to an invalid frame.
    pub fn ignore(&mut self, length: u32, command: u32) -> Reply {
        self.ignored += 1;
        let header = [length.to_le_bytes(), command.to_le_bytes()].concat();
        self.reply(IGNORE_REPLY, &header, false, false)
    }

    /// The reply to a request with a checksum; `answer` computes it from the fields after the
    /// index.
    fn checked(
        &mut self,
        command: u32,
        frame: &[u8],
        answer: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Reply {
        let (fields, carried) = frame.split_at(frame.len() - CHECKSUM_BYTES);
        let (index, fields) = fields[HEADER_BYTES..].split_at(8);
        let is_whole =
            carried == u64::from(crc32c::crc32c(&frame[..frame.len() - 8])).to_le_bytes();
        let answer = match is_whole {
            true => self.remembered(command, fields, answer),
            false => corrupt(command),
        };
        let payload = [index, &answer].concat();
        self.reply(REPLY | command, &payload, true, is_whole)
    }

    /// The reply to a verify request without a checksum; `None` if the length is invalid.
    fn published(&mut self, command: u32, payload: &[u8]) -> Option<Reply> {
        if !verify::fits(command, payload.len()) {
            return None;
        }
        let (index, fields) = payload.split_at(8);
        let answer = self.remembered(command, fields, |fields| {
            let mask = verify::mask(command, fields);
            vec![mask, 0, 0, 0, 0, 0, 0, 0]
        });
        // A solution with an inconsistent length field gets a mask that no card returns.
        if answer[0] == verify::REFUSED {
            return None;
        }
        Some(self.reply(REPLY | command, &[index, &answer].concat(), false, true))
    }

    /// Returns the cached answer to the same request, or calls `answer`.
    fn remembered(
        &mut self,
        command: u32,
        fields: &[u8],
        answer: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Vec<u8> {
        let question = [&command.to_le_bytes(), fields].concat();
        if let Some(answer) = self.answers.get(&question) {
            return answer.clone();
        }
        let answer = answer(fields);
        if self.answers.len() >= MOST_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(question, answer.clone());
        answer
    }

    fn blake3(&mut self, command: u32, frame: &[u8]) -> Vec<Reply> {
        let (fields, carried) = frame.split_at(frame.len() - CHECKSUM_BYTES);
        let is_whole = carried == u64::from(crc32c::crc32c(fields)).to_le_bytes();
        let answers = self.blake3.take(command, &fields[HEADER_BYTES..], is_whole);
        let reply = |(code, head, output): blake3::Answer| {
            let is_answer = !output.is_empty();
            self.reply(code, &[head, output].concat(), true, is_answer)
        };
        answers.into_iter().map(reply).collect()
    }

    fn reply(&self, code: u32, payload: &[u8], is_checked: bool, is_answer: bool) -> Reply {
        let tail = if is_checked { CHECKSUM_BYTES } else { 0 };
        let length = HEADER_BYTES + payload.len() + tail;
        let mut bytes = (length as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&code.to_le_bytes());
        bytes.extend_from_slice(payload);
        if is_checked {
            let checksum = u64::from(crc32c::crc32c(&bytes));
            bytes.extend_from_slice(&checksum.to_le_bytes());
        }
        bytes.resize(length.next_multiple_of(self.shape.stream_bytes), 0);
        Reply { bytes, is_answer }
    }
}

/// The answer, after the index, to a request with a wrong checksum.
fn corrupt(command: u32) -> Vec<u8> {
    match command {
        POSEIDON => vec![4, 0, 0, 0, 0, 0, 0, 0],
        _ => vec![0, 4, 0, 0, 0, 0, 0, 0],
    }
}

/// The answer of the Poseidon engine, after the index.
pub fn poseidon(request: &[u8]) -> Vec<u8> {
    let mut answer = vec![0; 8];
    let (code, digest_only) = (request[0], request[1] == 1);
    let elements: Vec<[u8; 32]> =
        request[8..].chunks_exact(32).filter_map(|bytes| bytes.try_into().ok()).collect();
    let family = match code >> 4 {
        0 => Family::Filecoin(Strength::Standard),
        1 => Family::Filecoin(Strength::Strengthened),
        _ => Family::Stark,
    };
    let Ok(instance) = Instance::new(family, usize::from(code & 15)) else {
        answer[0] = 1;
        return answer;
    };
    let Ok(state) = State::from_le_bytes(instance, &elements) else {
        answer[0] = 2;
        return answer;
    };
    let permuted = Permute::compute(&state).to_le_bytes();
    match digest_only {
        true => answer.extend_from_slice(&permuted[instance.digest_index()]),
        false => answer.extend_from_slice(permuted.as_flattened()),
    }
    answer
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let word = bytes.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok());
    u32::from_le_bytes(word.unwrap_or_default())
}
