// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Checks of signatures on the wire: one step is one signature, five numbers, little-endian.

use halimede_secp256k1::operations::{Verify, VerifyRequest};
use halimede_secp256k1::Mask;

use super::{Form, WireOperation};
use crate::command::Status;
use crate::frame::FrameWriter;
use crate::spec::{Capability, Command, HEADER_BYTES, MAX_ALIGNMENT_BYTES};

/// The bit of a reply's mask that says that the card gave up.
const TIME_OUT: u8 = 1 << 4;

impl WireOperation for Verify {
    const COMMAND: Command = Command::VerifySecp256k1Sig;
    type Progress = Form;

    fn command(form: &Form) -> Command {
        match form {
            Form::Published => Command::VerifySecp256k1Sig,
            Form::Checked => Command::VerifySecp256k1SigChecked,
        }
    }

    fn begin(_: Self::Row<'_>, card: &Status) -> Result<Form, String> {
        if !card.has(Capability::Secp256k1) {
            return Err("the card does not have the secp256k1 engine".into());
        }
        Ok(Form::of(card))
    }

    fn step_bytes(_: Self::Row<'_>, form: &Form) -> usize {
        let (payload, _) = Self::command(form).request_payload_bytes();
        HEADER_BYTES + payload + MAX_ALIGNMENT_BYTES
    }

    fn write_step(request: Self::Row<'_>, _: &Form, frame: &mut FrameWriter<'_>) {
        let VerifyRequest { r, s, digest, x, y } = request;
        for number in [s, r, digest, x, y] {
            let mut little_endian = *number;
            little_endian.reverse();
            frame.bytes(&little_endian);
        }
    }

    fn accept_reply(
        _: Self::Row<'_>,
        form: &mut Form,
        payload: &[u8],
    ) -> Result<Option<Mask>, String> {
        let bits = form.mask(payload)?;
        if bits & TIME_OUT != 0 {
            return Err("the check did not end in time".into());
        }
        let mask = Mask::from_bits(bits).ok_or_else(|| format!("unknown mask {bits:#04x}"))?;
        Ok(Some(mask))
    }

    /// The card does not count them.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(first: u8) -> [u8; 32] {
        std::array::from_fn(|place| first + place as u8)
    }

    #[test]
    fn numbers_stand_in_the_order_of_the_wire_last_byte_first() {
        let [r, s, digest, x, y] = [0, 40, 80, 120, 160].map(number);
        let request = VerifyRequest { r, s, digest, x, y };
        let mut sent = Vec::new();
        let command = Verify::COMMAND.code();
        let mut frame = FrameWriter::aligned(&mut sent, command, MAX_ALIGNMENT_BYTES);
        frame.u64(77);
        Verify::write_step(&request, &Form::Checked, &mut frame);
        frame.finish_with_checksum(4096).unwrap();
        let payload = &sent[HEADER_BYTES..];
        assert_eq!(payload[..8], 77u64.to_le_bytes());
        for (place, number) in [s, r, digest, x, y].iter().enumerate() {
            let mut sent = payload[8 + 32 * place..][..32].to_vec();
            sent.reverse();
            assert_eq!(sent, number);
        }
        assert!(sent.len() <= Verify::step_bytes(&request, &Form::Checked));
    }

    #[test]
    fn replies_are_masks_of_known_bits() {
        let [r, s, digest, x, y] = [0, 40, 80, 120, 160].map(number);
        let request = VerifyRequest { r, s, digest, x, y };
        for (bits, mut form) in
            (0..=255u8).flat_map(|bits| [(bits, Form::Published), (bits, Form::Checked)])
        {
            let reply = Verify::accept_reply(&request, &mut form, &[bits, 0, 9, 9, 0, 0, 0, 0]);
            match Mask::from_bits(bits) {
                Some(mask) => assert_eq!(reply, Ok(Some(mask))),
                None if bits & 16 != 0 => assert!(reply.unwrap_err().contains("in time")),
                None => assert!(reply.unwrap_err().contains("unknown mask")),
            }
        }
        assert!(Verify::accept_reply(&request, &mut Form::Published, &[]).is_err());
        let corrupt = Verify::accept_reply(&request, &mut Form::Checked, &[0, 4, 9, 9, 0, 0, 0, 0]);
        assert_eq!(corrupt, Err("corrupt".into()));
    }
}
