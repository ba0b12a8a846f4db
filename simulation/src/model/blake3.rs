// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The model's BLAKE3: messages collected from their frames, and hashed by the crate `blake3`.

use halimede_blake3::blake3::hazmat::HasherExt;
use halimede_blake3::blake3::Hasher;
use halimede_blake3::CHUNK_BYTES;

const HASH: u32 = 0x120;
const HASH_REPLY: u32 = 0x8000_0120;
const DATA_REPLY: u32 = 0x8000_0121;
const MAX_OUTPUT_BYTES: u16 = 65_472;

/// A reply: its code, its payload up to the output, and the output.
pub type Answer = (u32, Vec<u8>, Vec<u8>);

/// An incomplete message.
struct Message {
    index: [u8; 8],
    length: u64,
    mode: u8,
    output_bytes: u16,
    first_block: u32,
    key: Vec<u8>,
    data: Vec<u8>,
}

/// The engine: at most one message is open.
#[derive(Default)]
pub struct Engine {
    open: Option<Message>,
    frames: usize,
}

impl Engine {
    /// Forgets the open message.
    pub fn reset(&mut self) {
        self.open = None;
    }

    /// The number of frames so far.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Handles a frame, given its payload without the checksum; `is_whole` if the checksum is
    /// right.
    pub fn take(&mut self, command: u32, payload: &[u8], is_whole: bool) -> Vec<Answer> {
        self.frames += 1;
        let index = payload[..8].try_into().unwrap();
        match command {
            HASH => self.begin(index, payload, is_whole),
            _ => self.go_on(index, payload, is_whole),
        }
    }

    fn begin(&mut self, index: [u8; 8], payload: &[u8], is_whole: bool) -> Vec<Answer> {
        let mut answers: Vec<Answer> = self
            .open
            .take()
            .map(|message| refusal(HASH_REPLY, message.index, 3))
            .into_iter()
            .collect();
        let mode = payload[16];
        let key_bytes = if matches!(mode, 1 | 3) { 32 } else { 0 };
        let output_bytes = u16::from_le_bytes(payload[18..20].try_into().unwrap());
        let status = match () {
            () if !is_whole => 4,
            () if mode > 3 => 2,
            () if !(1..=MAX_OUTPUT_BYTES).contains(&output_bytes) => 7,
            () if payload.len() < 24 + key_bytes => 1,
            () => 0,
        };
        if status != 0 {
            answers.push(refusal(HASH_REPLY, index, status));
            return answers;
        }
        let (key, data) = payload[24..].split_at(key_bytes);
        answers.extend(self.extend(Message {
            index,
            length: u64::from_le_bytes(payload[8..16].try_into().unwrap()),
            mode,
            output_bytes,
            first_block: u32::from_le_bytes(payload[20..24].try_into().unwrap()),
            key: key.to_vec(),
            data: data.to_vec(),
        }));
        answers
    }

    fn go_on(&mut self, index: [u8; 8], payload: &[u8], is_whole: bool) -> Vec<Answer> {
        let Some(mut message) = self.open.take() else {
            return vec![refusal(DATA_REPLY, index, if is_whole { 5 } else { 4 })];
        };
        if !is_whole {
            return vec![refusal(HASH_REPLY, message.index, 4)];
        }
        if message.index != index {
            self.open = Some(message);
            return vec![refusal(DATA_REPLY, index, 5)];
        }
        if payload[8..16] != (message.data.len() as u64).to_le_bytes() {
            return vec![refusal(HASH_REPLY, index, 6)];
        }
        message.data.extend_from_slice(&payload[24..]);
        self.extend(message).into_iter().collect()
    }

    /// Takes a message extended by one more frame. Returns its answer if it is complete.
    fn extend(&mut self, message: Message) -> Option<Answer> {
        let bytes = message.data.len() as u64;
        if bytes == message.length {
            return Some(answer(&message));
        }
        if bytes > message.length || !bytes.is_multiple_of(CHUNK_BYTES as u64) {
            return Some(refusal(HASH_REPLY, message.index, 1));
        }
        self.open = Some(message);
        None
    }
}

fn refusal(code: u32, index: [u8; 8], status: u8) -> Answer {
    let mut payload = index.to_vec();
    payload.extend([status, 0, 0, 0, 0, 0, 0, 0]);
    (code, payload, vec![])
}

fn answer(message: &Message) -> Answer {
    let key = || message.key.as_slice().try_into().unwrap();
    let mut hasher = match message.mode {
        0 => Hasher::new(),
        1 => Hasher::new_keyed(key()),
        3 => Hasher::new_from_context_key(key()),
        _ => unreachable!("the host hashes contexts itself"),
    };
    let mut reader = hasher.update(&message.data).finalize_xof();
    reader.set_position(64 * u64::from(message.first_block));
    let mut output = vec![0; usize::from(message.output_bytes)];
    reader.fill(&mut output);
    let (code, payload, _) = refusal(HASH_REPLY, message.index, 0);
    (code, payload, output)
}
