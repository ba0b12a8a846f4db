// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 on the wire: one step is one message with the part of its output that fits in a reply.
//! The message's first bytes follow the head; the rest is sent in frames of whole chunks.

use std::ops::Range;

use halimede_arith::job::{Compute, Offer};
use halimede_blake3::operations::{Hash, HashRow};
use halimede_blake3::{Mode, BLOCK_BYTES, CHUNK_BYTES, KEY_BYTES};
use halimede_card::codec::{Codec, Row, INDEX_BYTES};
use halimede_card::command::Status;
use halimede_card::frame::FrameWriter;
use halimede_card::spec::{
    Capability, Command, Register, HEADER_BYTES, MAX_ALIGNMENT_BYTES, MAX_FRAME_BYTES,
};
use halimede_card::Opening;

use crate::spec::offset::blake3_hash_reply as reply;
use crate::spec::{status, Blake3ModeStatus, Blake3Status, FRAME_DATA_BYTES, MAX_OUTPUT_BYTES};

/// A message in progress.
#[derive(Debug)]
pub struct Hashing {
    /// The most message bytes of a frame, in whole chunks.
    frame_data_bytes: usize,
    /// The block of the extended output in which the reply begins.
    first_block: u64,
    /// The bytes of output from the start of that block to the end of the reply.
    wanted_bytes: usize,
    /// The output received so far, in whole blocks.
    output: Vec<u8>,
}

impl Hashing {
    /// The number of output bytes that the next step requests.
    fn step_output_bytes(&self) -> usize {
        (self.wanted_bytes - self.output.len()).min(MAX_OUTPUT_BYTES)
    }

    /// The first block of these bytes; [`Codec::begin`] has checked that it fits.
    fn step_output_block(&self) -> u32 {
        let block = self.first_block + (self.output.len() / BLOCK_BYTES) as u64;
        u32::try_from(block).unwrap_or(u32::MAX)
    }

    /// The range of the message's bytes in a frame.
    fn data_of(&self, frame: u64, message: &[u8]) -> Range<usize> {
        // A message fits in memory, so its offsets fit in `usize`.
        let start = (frame as usize * self.frame_data_bytes).min(message.len());
        start..(start + self.frame_data_bytes).min(message.len())
    }
}

/// The codec of [`struct@Hash`].
#[derive(Clone, Copy, Debug)]
pub struct HashCodec;

impl Codec for HashCodec {
    type Operation = Hash;
    const COMMAND: Command = Command::Blake3Hash;
    const CONTINUATION: Command = Command::Blake3Data;
    const PIECE_REQUESTS: usize = 1 << 11;
    type Progress = Hashing;

    fn offer(opening: &Opening) -> Option<Offer> {
        let shape = opening.register(Register::Blake3Shape);
        let units = vec![("pipelines", shape >> 8 & 0xFF), ("stages", shape & 0xFF)];
        let has_engine = opening.status().has(Capability::Blake3);
        has_engine.then(|| Offer { instances: Hash::instances(), units })
    }

    fn begin(request: Row<'_, Self>, card: &Status) -> Result<Hashing, String> {
        if !card.has(Capability::Blake3) {
            return Err("the card does not have the BLAKE3 engine".into());
        }
        let blocks = output_blocks(request).ok_or_else(|| {
            let HashRow { output_offset, output_bytes, .. } = request;
            format!(
                "the card computes the first 2^32 blocks of {BLOCK_BYTES} bytes of an output, and \
                 the request is for {output_bytes} bytes at {output_offset}"
            )
        })?;
        let skipped = request.output_offset as usize % BLOCK_BYTES;
        Ok(Hashing {
            frame_data_bytes: frame_data_bytes(card)?,
            first_block: blocks.start,
            wanted_bytes: skipped + request.output_bytes,
            output: Vec::new(),
        })
    }

    fn frames(request: Row<'_, Self>, hashing: &Hashing) -> u64 {
        request.message.len().div_ceil(hashing.frame_data_bytes).max(1) as u64
    }

    fn step_bytes(request: Row<'_, Self>, hashing: &Hashing) -> usize {
        let frames = Self::frames(request, hashing) as usize;
        let around = head_bytes() + KEY_BYTES + MAX_ALIGNMENT_BYTES;
        request.message.len().saturating_add(frames.saturating_mul(around))
    }

    fn write_step(request: Row<'_, Self>, hashing: &Hashing, frame: &mut FrameWriter<'_>) {
        let (mode, key) = wire_mode(request.mode);
        // The output of a step has fewer than 2^16 bytes.
        let output_bytes = hashing.step_output_bytes() as u16;
        frame.u64(request.message.len() as u64).u8(mode as u8).u8(0);
        frame.bytes(&output_bytes.to_le_bytes()).u32(hashing.step_output_block());
        frame.bytes(key).bytes(&request.message[hashing.data_of(0, request.message)]);
    }

    fn write_continuation(
        request: Row<'_, Self>,
        hashing: &Hashing,
        number: u64,
        frame: &mut FrameWriter<'_>,
    ) {
        let data = hashing.data_of(number, request.message);
        frame.u64(data.start as u64).u64(0).bytes(&request.message[data]);
    }

    fn accept_reply(
        request: Row<'_, Self>,
        hashing: &mut Hashing,
        payload: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        require_ok(payload)?;
        let output = payload.get(reply::OUTPUT - INDEX_BYTES..).unwrap_or_default();
        let expected = hashing.step_output_bytes();
        if output.len() != expected {
            return Err(format!("{} bytes of output, expected {expected}", output.len()));
        }
        hashing.output.extend_from_slice(output);
        if hashing.output.len() < hashing.wanted_bytes {
            return Ok(None);
        }
        let mut output = std::mem::take(&mut hashing.output);
        output.drain(..hashing.wanted_bytes - request.output_bytes);
        Ok(Some(output))
    }

    fn refusal(payload: &[u8]) -> String {
        match require_ok(payload) {
            Ok(()) => "a later frame of it was answered".into(),
            Err(reason) => format!("a later frame of it was refused: {reason}"),
        }
    }

    fn starved_clocks(first: &Status, last: &Status) -> Option<u64> {
        last.growth(first, status::STARVED)
    }
}

/// Bytes of a request's first frame around key and data.
fn head_bytes() -> usize {
    let (fixed, _) = Command::Blake3Hash.request_payload_bytes();
    HEADER_BYTES + fixed
}

/// The blocks of the extended output that contain the requested bytes; `None` if a block's number
/// does not fit in the wire format.
fn output_blocks(request: HashRow<'_>) -> Option<Range<u64>> {
    let end = request.output_offset.checked_add(u64::try_from(request.output_bytes).ok()?)?;
    let blocks = request.output_offset / BLOCK_BYTES as u64..end.div_ceil(BLOCK_BYTES as u64);
    (blocks.end <= 1 << u32::BITS).then_some(blocks)
}

/// The most message bytes of a frame to this card, in whole chunks.
fn frame_data_bytes(card: &Status) -> Result<usize, String> {
    let limit = MAX_FRAME_BYTES.min(card.max_frame_bytes as usize);
    let room = limit.saturating_sub(head_bytes() + KEY_BYTES).min(FRAME_DATA_BYTES);
    match room - room % CHUNK_BYTES {
        0 => Err(format!("the card's frames of at most {limit} bytes have no room for a chunk")),
        whole_chunks => Ok(whole_chunks),
    }
}

/// The code of a mode, and the key that precedes the data.
fn wire_mode(mode: &Mode) -> (Blake3ModeStatus, &[u8]) {
    match mode {
        Mode::Hash => (Blake3ModeStatus::Hash, &[]),
        Mode::Keyed(key) => (Blake3ModeStatus::KeyedHash, key),
        Mode::DeriveKey(context_key) => (Blake3ModeStatus::DeriveKeyMaterial, context_key),
    }
}

/// Checks that the status of a reply is ok; otherwise returns it in words.
fn require_ok(payload: &[u8]) -> Result<(), String> {
    let status = payload.get(reply::STATUS - INDEX_BYTES).copied().unwrap_or_default();
    match Blake3Status::from_u8(status) {
        Some(Blake3Status::Ok) => Ok(()),
        Some(refusal) => Err(format!("status {}", refusal.name().replace('_', " "))),
        None => Err(format!("unknown status {status}")),
    }
}
