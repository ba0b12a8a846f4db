// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Data slots: a number and a kind.

use super::isa::{Kind, KIND_LOW, VALUE_BYTES};
use super::Number;

const KIND_SHIFT: u32 = (KIND_LOW % 8) as u32;

/// A slot. It holds the scalar 0 after a reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The kind of the element that the slot belongs to.
    pub kind: Kind,
    /// The content.
    pub number: Number,
}

impl Default for Slot {
    fn default() -> Self {
        Self { kind: Kind::Scalar, number: Number::default() }
    }
}

impl Slot {
    /// Encodes the slot as in the window: bits 380:0 are the number, bits 383:381 the low bits of
    /// the kind. The highest bit of the kind is returned separately.
    pub fn to_window(self) -> ([u8; VALUE_BYTES], bool) {
        let (mut bytes, code) = (self.number.to_le_bytes(), self.kind as u8);
        bytes[VALUE_BYTES - 1] |= code << KIND_SHIFT;
        (bytes, code >> 3 == 1)
    }

    /// Decodes a slot; `None` if the kind is unknown.
    pub fn from_window(bytes: [u8; VALUE_BYTES], is_high: bool) -> Option<Self> {
        let code = bytes[VALUE_BYTES - 1] >> KIND_SHIFT | u8::from(is_high) << 3;
        Kind::of_code(code).map(|kind| Self { kind, number: Number::truncated(bytes) })
    }
}
