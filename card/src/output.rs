// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Frames that wait for the transport.

use crate::frame::FrameWriter;
use crate::spec::MAX_ALIGNMENT_BYTES;
use crate::transport::CHUNK_BYTES;

/// The approximate maximum of sent bytes that are still kept.
const KEPT_BYTES: usize = 4 * CHUNK_BYTES;

/// Frames to be sent.
#[derive(Debug)]
pub(crate) struct Output {
    /// Whole frames with their padding, from a beat boundary of the stream on.
    bytes: Vec<u8>,
    /// The number of bytes that the transport has consumed.
    sent: usize,
    /// Each frame is padded to a multiple of this number of bytes.
    alignment: usize,
}

impl Output {
    /// An empty output, for a card with an unknown stream width.
    pub fn new() -> Self {
        Self { bytes: Vec::new(), sent: 0, alignment: MAX_ALIGNMENT_BYTES }
    }

    /// Begins a frame.
    pub fn begin(&mut self, command: u32) -> FrameWriter<'_> {
        FrameWriter::aligned(&mut self.bytes, command, self.alignment)
    }

    /// Appends bytes that are not a frame of [`Self::begin`].
    pub fn append(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Sets the bytes per beat of the card's stream, once they are known.
    pub fn set_alignment(&mut self, alignment: usize) {
        self.alignment = alignment;
    }

    /// Returns the bytes that are not sent yet.
    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.sent..]
    }

    /// Returns the number of bytes that are not sent yet.
    pub fn backlog(&self) -> usize {
        self.bytes.len() - self.sent
    }

    /// Drops the first `count` unsent bytes, which the transport has consumed.
    pub fn took(&mut self, count: usize) {
        self.sent += count;
        let done = match self.backlog() {
            0 => self.sent,
            // Only whole beats are removed, so that the rest begins on a beat.
            _ if self.sent >= KEPT_BYTES => self.sent - self.sent % MAX_ALIGNMENT_BYTES,
            _ => return,
        };
        self.bytes.drain(..done);
        self.sent -= done;
    }

    /// Drops the unsent bytes, except the rest of a partial beat, and forgets the width of the
    /// card's stream.
    pub fn abandon(&mut self) {
        self.bytes.truncate(self.sent.next_multiple_of(MAX_ALIGNMENT_BYTES));
        self.alignment = MAX_ALIGNMENT_BYTES;
        self.took(0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::MAX_FRAME_BYTES;

    /// Puts a frame with `payload` bytes, derived from its number, into the output.
    fn put(output: &mut Output, number: u32, payload: usize) {
        let mut frame = output.begin(number);
        for at in 0..payload {
            frame.u8((at + number as usize) as u8 | 1);
        }
        frame.finish(MAX_FRAME_BYTES).unwrap();
    }

    #[test]
    fn frames_begin_on_the_widest_beats_until_the_card_is_known() {
        let mut output = Output::new();
        for alignment in [64, 8, 16, 32, 64, 8] {
            output.set_alignment(alignment);
            for payload in [0, 1, 7, 8, 55, 56, 57, 63, 64, 65, 119, 120, 121] {
                let before = output.backlog();
                put(&mut output, 5, payload);
                let length = payload + 8;
                let taken = output.backlog() - before;
                assert_eq!(taken % alignment, 0, "{payload} at {alignment}");
                assert!((length..length + alignment).contains(&taken));
                let frame = &output.unsent()[before..];
                assert!(frame[length..].iter().all(|byte| *byte == 0));
                assert!(frame[8..length].iter().all(|byte| *byte != 0));
            }
        }
        output.abandon();
        assert_eq!(output.backlog(), 0);
        put(&mut output, 6, 1);
        assert_eq!(output.backlog(), 64);
    }

    proptest! {
        #[test]
        fn however_it_is_taken_the_stream_is_the_same_and_no_beat_is_left_half(
            wide in any::<bool>(),
            frames in proptest::collection::vec(0usize..60_000, 1..40),
            pieces in proptest::collection::vec(1usize..90_000, 1..20),
            abandon_after in 0usize..60,
        ) {
            let alignment = if wide { 64 } else { 8 };
            let (mut output, mut whole) = (Output::new(), Output::new());
            output.set_alignment(alignment);
            whole.set_alignment(alignment);
            let (mut taken, mut pieces) = (Vec::new(), pieces.iter().cycle());
            for (number, payload) in frames.iter().enumerate() {
                put(&mut output, number as u32, *payload);
                put(&mut whole, number as u32, *payload);
                let piece = pieces.next().copied().unwrap_or(1).min(output.backlog());
                taken.extend_from_slice(&output.unsent()[..piece]);
                output.took(piece);
                prop_assert!(output.sent < KEPT_BYTES || output.bytes.is_empty());
                prop_assert!(output.bytes.len() <= output.backlog() + KEPT_BYTES);
                if number == abandon_after {
                    // The card receives the rest of the beat and no more.
                    output.abandon();
                    let rest = output.backlog();
                    prop_assert!(rest < MAX_ALIGNMENT_BYTES);
                    prop_assert_eq!((taken.len() + rest) % alignment, 0);
                    taken.extend_from_slice(output.unsent());
                    break;
                }
            }
            if taken.len() < whole.backlog() && frames.len() <= abandon_after {
                taken.extend_from_slice(output.unsent());
            }
            prop_assert!(taken == whole.unsent()[..taken.len()]);
        }
    }
}
