// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Echoes on the wire: one step is the data of one request.

use halimede_card::codec::{Codec, INDEX_BYTES};
use halimede_card::command::Status;
use halimede_card::frame::{FrameWriter, CHECKSUM_BYTES};
use halimede_card::spec::{Capability, Command, HEADER_BYTES, MAX_ALIGNMENT_BYTES};
use halimede_loopback::{Echo, MOST_DATA_BYTES, WORD_BYTES};

use crate::spec::{LoopbackStatus, DATA_BYTES};

/// The status after the data of a reply, and the zeros after it.
const STATUS_BYTES: usize = 8;

// Host and card have the same limit.
const _: () = assert!(MOST_DATA_BYTES == DATA_BYTES);

/// The codec of [`Echo`].
#[derive(Clone, Copy, Debug)]
pub struct EchoCodec;

impl Codec for EchoCodec {
    type Operation = Echo;
    const COMMAND: Command = Command::LoopbackEcho;
    type Progress = ();

    fn begin(data: &[u8], card: &Status) -> Result<(), String> {
        if !card.has(Capability::Loopback) {
            return Err("the card does not have the loopback engine".into());
        }
        if !data.len().is_multiple_of(WORD_BYTES) || data.len() > MOST_DATA_BYTES {
            return Err(format!(
                "the card echoes a multiple of {WORD_BYTES} bytes up to {MOST_DATA_BYTES}, \
                 and asked is for {}",
                data.len()
            ));
        }
        Ok(())
    }

    fn step_bytes(data: &[u8], (): &()) -> usize {
        HEADER_BYTES + INDEX_BYTES + data.len() + CHECKSUM_BYTES + MAX_ALIGNMENT_BYTES
    }

    fn write_step(data: &[u8], (): &(), frame: &mut FrameWriter<'_>) {
        frame.bytes(data);
    }

    fn accept_reply(data: &[u8], (): &mut (), payload: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let Some((echoed, [status, zeros @ ..])) = payload.split_last_chunk::<STATUS_BYTES>()
        else {
            return Err("the reply is too short".into());
        };
        match LoopbackStatus::from_u8(*status) {
            Some(LoopbackStatus::Ok) => {}
            Some(refusal) => return Err(refusal.name().replace('_', " ")),
            None => return Err(format!("unknown status {status}")),
        }
        if zeros.iter().any(|byte| *byte != 0) || echoed.len() != data.len() {
            return Err("the reply was corrupted in transit".into());
        }
        Ok(Some(echoed.to_vec()))
    }

    /// The card does not count these clocks.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_end_in_a_status() {
        let accept = |data: &[u8], payload: &[u8]| EchoCodec::accept_reply(data, &mut (), payload);
        let data = [3u8; 16];
        let reply = [&data[..], &[0; 8]].concat();
        assert_eq!(accept(&data, &reply), Ok(Some(data.to_vec())));
        assert_eq!(accept(&[], &[0; 8]), Ok(Some(Vec::new())));
        for (place, value) in [(16, 3), (16, 4), (16, 9), (17, 1), (23, 1)] {
            let mut harmed = reply.clone();
            harmed[place] = value;
            assert!(accept(&data, &harmed).is_err(), "{place} {value}");
        }
        assert!(accept(&data, &reply[8..]).is_err());
        assert!(accept(&data, &[0; 7]).is_err());
    }
}
