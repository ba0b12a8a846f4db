// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash on the wire: one step is one block header, its solution included as it is hashed. The
//! card tells the parameters from the frame's length. The frames have no checksum.

use halimede_equihash::operations::{Verify, VerifyRequest, HEADER_BYTES};
use halimede_equihash::{Mask, Params};

use super::{WireOperation, INDEX_BYTES};
use crate::command::Status;
use crate::frame::FrameWriter;
use crate::spec::offset::verify_equihash_reply as reply;
use crate::spec::{Capability, Command, HEADER_BYTES as FRAME_HEADER_BYTES, MAX_ALIGNMENT_BYTES};

/// Parameter sets of Equihash by their bits in a card's mask.
pub const EQUIHASH_SETS: [Params; 4] =
    [Params::ZCASH, Params::N144_K5, Params::N96_K5, Params::REGTEST];

/// Bytes of a length of two bytes, and the mark before it.
const MOST_PREFIX_BYTES: usize = 3;

/// The first length that is not one byte.
const LONG: usize = 253;

/// The parameter sets that a card has.
pub fn equihash_sets(card: &Status) -> impl Iterator<Item = Params> {
    let mask = if card.has(Capability::Equihash) { card.equihash_sets } else { 0 };
    let sets = EQUIHASH_SETS.into_iter().enumerate();
    sets.filter(move |(bit, _)| mask >> bit & 1 == 1).map(|(_, set)| set)
}

impl WireOperation for Verify {
    const COMMAND: Command = Command::VerifyEquihash;
    type Progress = ();

    fn begin(request: &VerifyRequest, card: &Status) -> Result<(), String> {
        if !card.has(Capability::Equihash) {
            return Err("the card does not have the Equihash engine".into());
        }
        let wanted = request.params();
        if equihash_sets(card).any(|set| set == wanted) {
            return Ok(());
        }
        let sets: Vec<String> = equihash_sets(card).map(|set| set.to_string()).collect();
        Err(format!("the card checks Equihash {}, and asked is for {wanted}", sets.join(", ")))
    }

    fn step_bytes(request: &VerifyRequest, (): &()) -> usize {
        let around = FRAME_HEADER_BYTES + INDEX_BYTES + MOST_PREFIX_BYTES + MAX_ALIGNMENT_BYTES;
        HEADER_BYTES + request.solution().len() + around
    }

    fn write_step(request: &VerifyRequest, (): &(), frame: &mut FrameWriter<'_>) {
        frame.bytes(request.header());
        // The solutions of all sets are shorter than 2^16 bytes.
        match request.solution().len() {
            short if short < LONG => frame.u8(short as u8),
            long => frame.u8(LONG as u8).bytes(&(long as u16).to_le_bytes()),
        };
        frame.bytes(request.solution());
    }

    fn accept_reply(
        _: &VerifyRequest,
        (): &mut (),
        payload: &[u8],
    ) -> Result<Option<Mask>, String> {
        let (mask, zeros) = payload.split_at_checked(1).ok_or("an empty reply")?;
        debug_assert_eq!(reply::MASK, INDEX_BYTES, "the mask stands behind the index");
        // The one sign of damage that such a reply can give.
        if zeros.iter().any(|byte| *byte != 0) {
            return Err("the reply was changed on its way".into());
        }
        let bits = mask.first().copied().unwrap_or_default();
        Mask::from_bits(bits).map(Some).ok_or_else(|| format!("unknown failures {bits:#04x}"))
    }

    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}
