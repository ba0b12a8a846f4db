// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of signatures on the wire: one step is one signature, as five little-endian numbers.

use halimede_arith::job::Operation;
use halimede_card::codec::{Codec, CommandForm, Row, INDEX_BYTES};
use halimede_card::command::Status;
use halimede_card::frame::FrameWriter;
use halimede_card::spec::{Capability, Command, HEADER_BYTES, MAX_ALIGNMENT_BYTES};
use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::{verdict, Mask};

use crate::spec::offset;

/// The bit of a reply's mask for the card's time-out.
const TIME_OUT: u8 = 1 << 4;

/// A signature's numbers, and the form of its command.
#[derive(Debug, PartialEq, Eq)]
pub struct Numbers {
    form: CommandForm,
    request: VerifyRequest,
}

// A mask is the first byte after the index, in both forms.
const _: () = assert!(offset::verify_secp256k1_sig_reply::MASK == INDEX_BYTES);
const _: () = assert!(offset::verify_secp256k1_sig_checked_reply::MASK == INDEX_BYTES);

/// The codec of [`Verify`].
#[derive(Clone, Copy, Debug)]
pub struct VerifyCodec;

impl Codec for VerifyCodec {
    type Operation = Verify;
    const COMMAND: Command = Command::VerifySecp256k1Sig;
    type Progress = Numbers;

    fn command(numbers: &Numbers) -> Command {
        match numbers.form {
            CommandForm::Published => Command::VerifySecp256k1Sig,
            CommandForm::Checked => Command::VerifySecp256k1SigChecked,
        }
    }

    fn supports(_: Row<'_, Self>, card: &Status) -> Result<(), String> {
        match card.has(Capability::Secp256k1) {
            true => Ok(()),
            false => Err("the card does not have the secp256k1 engine".into()),
        }
    }

    fn begin(row: Row<'_, Self>, card: &Status) -> Result<Numbers, String> {
        Self::supports(row, card)?;
        let request = row.numbers().map_err(|rejection| rejection.to_string())?;
        Ok(Numbers { form: CommandForm::of(card), request })
    }

    fn step_bytes(_: Row<'_, Self>, numbers: &Numbers) -> usize {
        let (payload, _) = Self::command(numbers).request_payload_bytes();
        HEADER_BYTES + payload + MAX_ALIGNMENT_BYTES
    }

    fn write_step(_: Row<'_, Self>, numbers: &Numbers, frame: &mut FrameWriter<'_>) {
        let VerifyRequest { r, s, digest, x, y } = &numbers.request;
        for number in [s, r, digest, x, y] {
            let mut little_endian = *number;
            little_endian.reverse();
            frame.bytes(&little_endian);
        }
    }

    fn accept_reply(
        _: Row<'_, Self>,
        numbers: &mut Numbers,
        payload: &[u8],
    ) -> Result<Option<<Verify as Operation>::Reply>, String> {
        let bits = numbers.form.mask(payload)?;
        if bits & TIME_OUT != 0 {
            return Err("the check did not end in time".into());
        }
        let mask = Mask::from_bits(bits).ok_or_else(|| format!("unknown mask {bits:#04x}"))?;
        Ok(Some(verdict(mask)))
    }

    /// The card does not count these clocks.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use halimede_secp256k1::operations::VerifyRow;

    use super::*;

    fn number(first: u8) -> [u8; 32] {
        std::array::from_fn(|place| first + place as u8)
    }

    fn numbers(form: CommandForm) -> Numbers {
        let [r, s, digest, x, y] = [0, 40, 80, 120, 160].map(number);
        Numbers { form, request: VerifyRequest { r, s, digest, x, y } }
    }

    #[test]
    fn numbers_stand_in_the_order_of_the_wire_last_byte_first() {
        let numbers = numbers(CommandForm::Checked);
        let row = VerifyRow::Numbers(&numbers.request);
        let VerifyRequest { r, s, digest, x, y } = &numbers.request;
        let mut sent = Vec::new();
        let command = VerifyCodec::COMMAND.code();
        let mut frame = FrameWriter::aligned(&mut sent, command, MAX_ALIGNMENT_BYTES);
        frame.u64(77);
        VerifyCodec::write_step(row, &numbers, &mut frame);
        frame.finish_with_checksum(4096).unwrap();
        let payload = &sent[HEADER_BYTES..];
        assert_eq!(payload[..8], 77u64.to_le_bytes());
        for (place, number) in [s, r, digest, x, y].iter().enumerate() {
            let mut sent = payload[8 + 32 * place..][..32].to_vec();
            sent.reverse();
            assert_eq!(sent, **number);
        }
        assert!(sent.len() <= VerifyCodec::step_bytes(row, &numbers));
    }

    #[test]
    fn replies_are_masks_of_known_bits() {
        let request = numbers(CommandForm::Checked).request;
        let accept = |form, payload: &[u8]| {
            VerifyCodec::accept_reply(VerifyRow::Numbers(&request), &mut numbers(form), payload)
        };
        for (bits, form) in (0..=255u8)
            .flat_map(|bits| [(bits, CommandForm::Published), (bits, CommandForm::Checked)])
        {
            let reply = accept(form, &[bits, 0, 9, 9, 0, 0, 0, 0]);
            match Mask::from_bits(bits) {
                Some(mask) => assert_eq!(reply, Ok(Some(verdict(mask)))),
                None if bits & 16 != 0 => assert!(reply.unwrap_err().contains("in time")),
                None => assert!(reply.unwrap_err().contains("unknown mask")),
            }
        }
        assert!(accept(CommandForm::Published, &[]).is_err());
        assert_eq!(accept(CommandForm::Checked, &[0, 4, 9, 9, 0, 0, 0, 0]), Err("corrupt".into()));
    }
}
