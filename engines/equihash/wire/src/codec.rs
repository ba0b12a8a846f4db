// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash on the wire: one step is one block header with its solution, in the format that is
//! hashed. The card derives the parameters from the frame's length.

use halimede_arith::job::Offer;
use halimede_card::codec::{Codec, CommandForm, Row, INDEX_BYTES};
use halimede_card::command::Status;
use halimede_card::frame::{FrameWriter, CHECKSUM_BYTES};
use halimede_card::spec::{
    Capability, Command, HEADER_BYTES as FRAME_HEADER_BYTES, MAX_ALIGNMENT_BYTES,
};
use halimede_card::Opening;
use halimede_equihash::operations::{Verify, HEADER_BYTES};
use halimede_equihash::{Check, Mask, Params};

use crate::spec::{offset, status};

/// The length of a two-byte length with its marker.
const MOST_PREFIX_BYTES: usize = 3;

/// The smallest length that does not fit in one byte.
const LONG: usize = 253;

/// The parameter sets that a card has. [`Params::USUAL`] are in the order of their bits in its
/// mask.
pub fn equihash_sets(card: &Status) -> impl Iterator<Item = Params> {
    let mask = if card.has(Capability::Equihash) { card.get(status::SETS) } else { 0 };
    let sets = Params::USUAL.into_iter().enumerate();
    sets.filter(move |(bit, _)| mask >> bit & 1 == 1).map(|(_, set)| set)
}

// The mask is the first byte after the index, in both forms.
const _: () = assert!(offset::verify_equihash_reply::MASK == INDEX_BYTES);
const _: () = assert!(offset::verify_equihash_checked_reply::MASK == INDEX_BYTES);

/// The codec of [`Verify`].
#[derive(Clone, Copy, Debug)]
pub struct VerifyCodec;

impl Codec for VerifyCodec {
    type Operation = Verify;
    const COMMAND: Command = Command::VerifyEquihash;
    type Progress = CommandForm;

    fn command(form: &CommandForm) -> Command {
        match form {
            CommandForm::Published => Command::VerifyEquihash,
            CommandForm::Checked => Command::VerifyEquihashChecked,
        }
    }

    fn offer(opening: &Opening) -> Option<Offer> {
        let sets = equihash_sets(opening.status()).map(|set| set.to_string());
        let has_engine = opening.status().has(Capability::Equihash);
        has_engine.then(|| Offer { instances: sets.collect(), ..Offer::default() })
    }

    fn begin(request: Row<'_, Self>, card: &Status) -> Result<CommandForm, String> {
        if !card.has(Capability::Equihash) {
            return Err("the card does not have the Equihash engine".into());
        }
        let (wanted, got) = (request.params(), request.input().len());
        if got != HEADER_BYTES {
            return Err(format!("the card checks inputs of {HEADER_BYTES} bytes, got {got}"));
        }
        if equihash_sets(card).any(|set| set == wanted) {
            return Ok(CommandForm::of(card));
        }
        let sets: Vec<String> = equihash_sets(card).map(|set| set.to_string()).collect();
        Err(format!("the card checks Equihash {}, the request is for {wanted}", sets.join(", ")))
    }

    fn step_bytes(request: Row<'_, Self>, _: &CommandForm) -> usize {
        let around = FRAME_HEADER_BYTES + INDEX_BYTES + MOST_PREFIX_BYTES + CHECKSUM_BYTES;
        let around = around + MAX_ALIGNMENT_BYTES;
        HEADER_BYTES + request.solution().len() + around
    }

    fn write_step(request: Row<'_, Self>, _: &CommandForm, frame: &mut FrameWriter<'_>) {
        frame.bytes(request.input());
        // The solutions of all sets are shorter than 2^16 bytes.
        match request.solution().len() {
            short if short < LONG => frame.u8(short as u8),
            long => frame.u8(LONG as u8).bytes(&(long as u16).to_le_bytes()),
        };
        frame.bytes(request.solution());
    }

    fn accept_reply(
        request: Row<'_, Self>,
        form: &mut CommandForm,
        payload: &[u8],
    ) -> Result<Option<Mask>, String> {
        let bits = form.mask(payload)?;
        // The only sign of damage in a reply without a checksum.
        if payload[1..].iter().any(|byte| *byte != 0) {
            return Err("the reply was corrupted in transit".into());
        }
        let mask = Mask::from_bits(bits).ok_or_else(|| format!("unknown failures {bits:#04x}"))?;
        Ok(Some(if request.is_header() { mask } else { mask.without(Check::Difficulty) }))
    }

    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use halimede_card::spec::{MAX_FRAME_BYTES, VERSION};
    use halimede_equihash::operations::VerifyRequest;

    use super::*;

    /// The status of a card with these engines and parameter sets.
    fn card_of(version: u32, capabilities: u32, sets: u32) -> Status {
        let mut payload = [0; 88];
        let words = [(0, version), (8, capabilities), (80, 8), (84, sets)];
        for (offset, word) in words {
            payload[offset..offset + 4].copy_from_slice(&word.to_le_bytes());
        }
        Status::parse(&payload)
    }

    fn card(capabilities: u32, sets: u32) -> Status {
        card_of(VERSION, capabilities, sets)
    }

    /// Returns bytes that differ from their neighbors, starting again for each part.
    fn counted(count: usize, from: usize) -> Vec<u8> {
        (from..from + count).map(|byte| (byte * 31 % 251) as u8).collect()
    }

    fn request(params: Params) -> VerifyRequest {
        let mut header = [0; HEADER_BYTES];
        header.copy_from_slice(&counted(HEADER_BYTES, 7));
        VerifyRequest::of_header(params, header, counted(params.solution_bytes(), 1000))
            .expect("a solution of the right size")
    }

    #[test]
    fn a_frame_is_header_length_and_solution() {
        for (params, prefix) in [
            (Params::ZCASH, &[0xfd, 0x40, 0x05][..]),
            (Params::N144_K5, &[100]),
            (Params::N96_K5, &[68]),
            (Params::REGTEST, &[36]),
        ] {
            let (request, mut bytes) = (request(params), Vec::new());
            let mut frame = FrameWriter::new(&mut bytes, VerifyCodec::COMMAND.code());
            VerifyCodec::write_step(request.row(), &CommandForm::Published, &mut frame);
            frame.finish(MAX_FRAME_BYTES).expect("a short frame");
            let expected = [&counted(HEADER_BYTES, 7), prefix, request.solution()].concat();
            let (header, payload) = bytes.split_at(FRAME_HEADER_BYTES);
            assert_eq!(&payload[..expected.len()], expected, "{params}");
            let length = FRAME_HEADER_BYTES + expected.len();
            assert_eq!(header[..4], (length as u32).to_le_bytes());
            assert!(
                VerifyCodec::step_bytes(request.row(), &CommandForm::Checked)
                    >= bytes.len() + INDEX_BYTES
            );
        }
    }

    #[test]
    fn replies_are_masks_and_nothing_else() {
        let request = request(Params::REGTEST);
        for mut form in [CommandForm::Published, CommandForm::Checked] {
            let mut accept =
                |payload: &[u8]| VerifyCodec::accept_reply(request.row(), &mut form, payload);
            for bits in 0..=u8::MAX {
                let mask = accept(&[bits, 0, 0, 0, 0, 0, 0, 0]);
                assert_eq!(mask.clone().ok().flatten(), Mask::from_bits(bits), "{mask:?}");
            }
            assert!(accept(&[1, 0, 0, 0, 4, 0, 0, 0]).is_err());
            assert!(accept(&[1, 4, 0, 0, 0, 0, 0, 0]).is_err());
            assert!(accept(&[]).is_err());
        }
        let corrupt = VerifyCodec::accept_reply(
            request.row(),
            &mut CommandForm::Checked,
            &[0, 4, 0, 0, 0, 0, 0, 0],
        );
        assert_eq!(corrupt, Err("corrupt".into()));
    }

    #[test]
    fn a_card_has_the_sets_of_its_mask() {
        let engine = Capability::Equihash.mask();
        assert_eq!(equihash_sets(&card(0, 15)).count(), 0);
        assert!(equihash_sets(&card(engine, 15)).eq(Params::USUAL));
        let some = card(engine, 0b1010);
        assert!(equihash_sets(&some).eq([Params::N144_K5, Params::REGTEST]));
        assert_eq!(
            VerifyCodec::begin(request(Params::REGTEST).row(), &some),
            Ok(CommandForm::Checked)
        );
        let old = card_of(3 << 16 | 1, engine, 0b1010);
        assert_eq!(
            VerifyCodec::begin(request(Params::REGTEST).row(), &old),
            Ok(CommandForm::Published)
        );
        let error = VerifyCodec::begin(request(Params::ZCASH).row(), &some).expect_err("not built");
        assert!(error.contains("(144, 5), (48, 5)") && error.contains("(200, 9)"), "{error}");
        assert!(VerifyCodec::begin(request(Params::ZCASH).row(), &card(!engine, 15)).is_err());
    }
}
