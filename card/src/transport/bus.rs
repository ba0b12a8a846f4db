// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bus of a card whose streams are rings in mapped memory.

/// The bytes of a window of the bridge, `card/rtl/axi4_stream_bridge.sv`.
pub(super) const WINDOW_BYTES: usize = 0x1_0000;

/// A word of 32 bits of the control window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlWord {
    /// The position up to which replies are ready. Followed by [`Self::Taken`].
    Produced = 0,
    /// The position up to which requests have left their ring.
    Taken = 1,
    /// The bytes of the ring of requests. Followed by [`Self::Identifier`].
    RequestBytes = 2,
    /// The word that identifies a bridge.
    Identifier = 3,
    /// The position up to which the host has consumed replies. Followed by [`Self::Published`].
    Consumed = 4,
    /// The position up to which the host has written requests.
    Published = 5,
    /// The bytes of the ring of replies.
    ReplyBytes = 6,
}

impl ControlWord {
    /// The byte offset in the control window.
    pub fn offset(self) -> usize {
        4 * self as usize
    }
}

/// The bus of a bridge. If nothing answers on it, it reads ones.
pub trait Bus: Send {
    /// Reads a word and the next one, at once. The first has an even number. The result may be
    /// older than earlier writes.
    fn read_control(&mut self, first: ControlWord) -> [u32; 2];

    /// Writes a word, after all earlier accesses have reached the card.
    fn write_control(&mut self, word: ControlWord, value: u32);

    /// Writes whole lines to the ring of requests, from a byte offset on, in any order.
    fn write_requests(&mut self, offset: usize, lines: &[u8]);

    /// Reads whole lines of the ring of replies, from a byte offset on, after all earlier reads.
    fn read_replies(&mut self, offset: usize, lines: &mut [u8]);
}
