// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Equihash on the wire: one step is one block header, its solution included as it is hashed. The
//! card tells the parameters from the frame's length.

use halimede_equihash::operations::{Verify, HEADER_BYTES};
use halimede_equihash::{Check, Mask, Params};

use super::{Form, WireOperation, INDEX_BYTES};
use crate::command::Status;
use crate::frame::{FrameWriter, CHECKSUM_BYTES};
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
    type Progress = Form;

    fn command(form: &Form) -> Command {
        match form {
            Form::Published => Command::VerifyEquihash,
            Form::Checked => Command::VerifyEquihashChecked,
        }
    }

    fn begin(request: Self::Row<'_>, card: &Status) -> Result<Form, String> {
        if !card.has(Capability::Equihash) {
            return Err("the card does not have the Equihash engine".into());
        }
        let (wanted, got) = (request.params(), request.input().len());
        if got != HEADER_BYTES {
            return Err(format!(
                "the card checks inputs of {HEADER_BYTES} bytes, and one has {got}"
            ));
        }
        if equihash_sets(card).any(|set| set == wanted) {
            return Ok(Form::of(card));
        }
        let sets: Vec<String> = equihash_sets(card).map(|set| set.to_string()).collect();
        Err(format!("the card checks Equihash {}, and asked is for {wanted}", sets.join(", ")))
    }

    fn step_bytes(request: Self::Row<'_>, _: &Form) -> usize {
        let around = FRAME_HEADER_BYTES + INDEX_BYTES + MOST_PREFIX_BYTES + CHECKSUM_BYTES;
        let around = around + MAX_ALIGNMENT_BYTES;
        HEADER_BYTES + request.solution().len() + around
    }

    fn write_step(request: Self::Row<'_>, _: &Form, frame: &mut FrameWriter<'_>) {
        frame.bytes(request.input());
        // The solutions of all sets are shorter than 2^16 bytes.
        match request.solution().len() {
            short if short < LONG => frame.u8(short as u8),
            long => frame.u8(LONG as u8).bytes(&(long as u16).to_le_bytes()),
        };
        frame.bytes(request.solution());
    }

    fn accept_reply(
        request: Self::Row<'_>,
        form: &mut Form,
        payload: &[u8],
    ) -> Result<Option<Mask>, String> {
        let bits = form.mask(payload)?;
        // The one sign of damage that a reply without a checksum can give.
        if payload[1..].iter().any(|byte| *byte != 0) {
            return Err("the reply was changed on its way".into());
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
    use halimede_equihash::operations::VerifyRequest;

    use super::*;
    use crate::spec::{MAX_FRAME_BYTES, VERSION};

    fn card(capabilities: u32, equihash_sets: u32) -> Status {
        Status {
            version: VERSION,
            build_id: 1,
            capabilities,
            max_frame_bytes: MAX_FRAME_BYTES as u32,
            clocks: 0,
            multiplier_busy: 0,
            frames_ignored: 0,
            poseidon_instances: 0,
            poseidon_starved_fr: 0,
            poseidon_starved_felt: 0,
            replies_stalled: 0,
            blake3_blocks: 0,
            blake3_starved: 0,
            stream_bytes: 8,
            equihash_sets,
        }
    }

    /// Bytes that all differ from their neighbours, begun anew for each part.
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
            let mut frame = FrameWriter::new(&mut bytes, Verify::COMMAND.code());
            Verify::write_step(request.row(), &Form::Published, &mut frame);
            frame.finish(MAX_FRAME_BYTES).expect("a short frame");
            let expected = [&counted(HEADER_BYTES, 7), prefix, request.solution()].concat();
            let (header, payload) = bytes.split_at(FRAME_HEADER_BYTES);
            assert_eq!(&payload[..expected.len()], expected, "{params}");
            let length = FRAME_HEADER_BYTES + expected.len();
            assert_eq!(header[..4], (length as u32).to_le_bytes());
            assert!(Verify::step_bytes(request.row(), &Form::Checked) >= bytes.len() + INDEX_BYTES);
        }
    }

    #[test]
    fn replies_are_masks_and_nothing_else() {
        let request = request(Params::REGTEST);
        for mut form in [Form::Published, Form::Checked] {
            let mut accept =
                |payload: &[u8]| Verify::accept_reply(request.row(), &mut form, payload);
            for bits in 0..=u8::MAX {
                let mask = accept(&[bits, 0, 0, 0, 0, 0, 0, 0]);
                assert_eq!(mask.clone().ok().flatten(), Mask::from_bits(bits), "{mask:?}");
            }
            assert!(accept(&[1, 0, 0, 0, 4, 0, 0, 0]).is_err());
            assert!(accept(&[1, 4, 0, 0, 0, 0, 0, 0]).is_err());
            assert!(accept(&[]).is_err());
        }
        let corrupt =
            Verify::accept_reply(request.row(), &mut Form::Checked, &[0, 4, 0, 0, 0, 0, 0, 0]);
        assert_eq!(corrupt, Err("corrupt".into()));
    }

    #[test]
    fn a_card_has_the_sets_of_its_mask() {
        let engine = Capability::Equihash.mask();
        assert_eq!(equihash_sets(&card(0, 15)).count(), 0);
        assert!(equihash_sets(&card(engine, 15)).eq(EQUIHASH_SETS));
        let some = card(engine, 0b1010);
        assert!(equihash_sets(&some).eq([Params::N144_K5, Params::REGTEST]));
        assert_eq!(Verify::begin(request(Params::REGTEST).row(), &some), Ok(Form::Checked));
        let old = Status { version: 3 << 16 | 1, ..some };
        assert_eq!(Verify::begin(request(Params::REGTEST).row(), &old), Ok(Form::Published));
        let error = Verify::begin(request(Params::ZCASH).row(), &some).expect_err("not built");
        assert!(error.contains("(144, 5), (48, 5)") && error.contains("(200, 9)"), "{error}");
        assert!(Verify::begin(request(Params::ZCASH).row(), &card(!engine, 15)).is_err());
    }
}
