// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The wire format of requests to a card's memory and of jobs, one frame each.

use halimede_card::codec::{Codec, INDEX_BYTES};
use halimede_card::command::Status;
use halimede_card::frame::{FrameWriter, CHECKSUM_BYTES};
use halimede_card::spec::{Capability, Command, HEADER_BYTES, MAX_ALIGNMENT_BYTES};
use halimede_ckks::card::isa::Fault;
use halimede_ckks::card::{JobEnd, MemoryPlace, ReadMemory, RunJob, WriteMemory};
use halimede_ckks::card::{ALIGN_BYTES, MOST_DATA_BYTES};

use crate::spec::offset::ckks_run_reply;
use crate::spec::{CkksStatus, DATA_BYTES, JOB_BYTES};

/// The size of an address or a size in a payload, in bytes.
const NUMBER_BYTES: usize = 8;

/// The size of the status in a reply and the zeros after it, in bytes.
const STATUS_BYTES: usize = 8;

/// The size of a reply to a run between index and checksum, in bytes.
const END_BYTES: usize = 16;

// The host and the card have the same limits.
const _: () = assert!(MOST_DATA_BYTES == DATA_BYTES && ALIGN_BYTES == crate::spec::ALIGN_BYTES);
// A run's reply has its fields at these places after the index.
const _: () = assert!(ckks_run_reply::STATUS == INDEX_BYTES && ckks_run_reply::FAULT == 9);
const _: () = assert!(ckks_run_reply::NUMBER == 12 && ckks_run_reply::CLOCKS == 16);

/// Returns the size of a frame in bytes, for this payload between index and checksum, with padding.
const fn frame_bytes(payload: usize) -> usize {
    HEADER_BYTES + INDEX_BYTES + payload + CHECKSUM_BYTES + MAX_ALIGNMENT_BYTES
}

/// Checks that the card supports a request for some bytes of its memory.
fn check(card: &Status, address: u64, bytes: usize, align: usize) -> Result<(), String> {
    if !card.has(Capability::Ckks) {
        return Err("the card does not have the CKKS engine".into());
    }
    if bytes == 0 || bytes > MOST_DATA_BYTES {
        return Err(format!("{bytes} bytes at once: the card accepts 1 to {MOST_DATA_BYTES}"));
    }
    if !address.is_multiple_of(align as u64) || !bytes.is_multiple_of(ALIGN_BYTES) {
        return Err(format!(
            "{bytes} bytes at address {address:#x} are not at multiples of {align}"
        ));
    }
    Ok(())
}

/// Checks a status followed by zeros, in a reply to a command that is done or rejected.
fn done(field: [u8; STATUS_BYTES]) -> Result<(), String> {
    let [status, zeros @ ..] = field;
    match CkksStatus::from_u8(status) {
        Some(CkksStatus::Ok) if zeros == [0; STATUS_BYTES - 1] => Ok(()),
        Some(CkksStatus::Ok) => Err("the reply was corrupted in transit".into()),
        Some(refusal) => Err(refusal.name().replace('_', " ")),
        None => Err(format!("unknown status {status}")),
    }
}

/// The codec of [`WriteMemory`].
#[derive(Clone, Copy, Debug)]
pub struct WriteCodec;

impl Codec for WriteCodec {
    type Operation = WriteMemory;
    const COMMAND: Command = Command::CkksMemoryWrite;
    type Progress = ();

    fn begin((address, bytes): (u64, &[u8]), card: &Status) -> Result<(), String> {
        check(card, address, bytes.len(), ALIGN_BYTES)
    }

    fn step_bytes((_, bytes): (u64, &[u8]), (): &()) -> usize {
        frame_bytes(NUMBER_BYTES + bytes.len())
    }

    fn write_step((address, bytes): (u64, &[u8]), (): &(), frame: &mut FrameWriter<'_>) {
        frame.bytes(&address.to_le_bytes());
        frame.bytes(bytes);
    }

    fn accept_reply(_: (u64, &[u8]), (): &mut (), payload: &[u8]) -> Result<Option<()>, String> {
        let field = payload.try_into().map_err(|_| "the reply has the wrong length")?;
        done(field).map(Some)
    }

    /// The card does not count them.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

/// The codec of [`ReadMemory`].
#[derive(Clone, Copy, Debug)]
pub struct ReadCodec;

impl Codec for ReadCodec {
    type Operation = ReadMemory;
    const COMMAND: Command = Command::CkksMemoryRead;
    type Progress = ();

    fn begin(place: &MemoryPlace, card: &Status) -> Result<(), String> {
        check(card, place.address, place.bytes, ALIGN_BYTES)
    }

    fn step_bytes(_: &MemoryPlace, (): &()) -> usize {
        frame_bytes(2 * NUMBER_BYTES)
    }

    fn write_step(place: &MemoryPlace, (): &(), frame: &mut FrameWriter<'_>) {
        frame.bytes(&place.address.to_le_bytes());
        frame.bytes(&(place.bytes as u64).to_le_bytes());
    }

    fn accept_reply(
        place: &MemoryPlace,
        (): &mut (),
        payload: &[u8],
    ) -> Result<Option<Vec<u8>>, String> {
        let (data, field) = payload.split_last_chunk().ok_or("the reply is too short")?;
        done(*field)?;
        if data.len() != place.bytes {
            return Err(format!("got {} bytes, expected {}", data.len(), place.bytes));
        }
        Ok(Some(data.to_vec()))
    }

    /// The card does not count them.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

/// The codec of [`RunJob`].
#[derive(Clone, Copy, Debug)]
pub struct RunCodec;

impl Codec for RunCodec {
    type Operation = RunJob;
    const COMMAND: Command = Command::CkksRun;
    type Progress = ();

    fn begin(job: &u64, card: &Status) -> Result<(), String> {
        check(card, *job, JOB_BYTES, JOB_BYTES)
    }

    fn step_bytes(_: &u64, (): &()) -> usize {
        frame_bytes(NUMBER_BYTES)
    }

    fn write_step(job: &u64, (): &(), frame: &mut FrameWriter<'_>) {
        frame.bytes(&job.to_le_bytes());
    }

    /// A fault is a regular end of a job; every other status is a failure.
    fn accept_reply(_: &u64, (): &mut (), payload: &[u8]) -> Result<Option<JobEnd>, String> {
        let fields: &[u8; END_BYTES] =
            payload.try_into().map_err(|_| "the reply has the wrong length")?;
        let [status, code, z0, z1, n0, n1, n2, n3, c0, c1, c2, c3, rest @ ..] = *fields;
        if [z0, z1] != [0; 2] || rest != [0; 4] {
            return Err("the reply was corrupted in transit".into());
        }
        let fault = match (CkksStatus::from_u8(status), Fault::of_code(code)) {
            (Some(CkksStatus::Ok), None) if code == 0 => None,
            (Some(CkksStatus::Fault), Some(fault)) => Some(fault),
            (Some(CkksStatus::Ok | CkksStatus::Fault), _) => {
                return Err(format!("status {status} with the fault {code}"));
            }
            (Some(refusal), _) => return Err(refusal.name().replace('_', " ")),
            (None, _) => return Err(format!("unknown status {status}")),
        };
        let number = u32::from_le_bytes([n0, n1, n2, n3]);
        Ok(Some(JobEnd { fault, number, clocks: u32::from_le_bytes([c0, c1, c2, c3]) }))
    }

    /// The card does not count them.
    fn starved_clocks(_: &Status, _: &Status) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_the_memory_end_in_a_status() {
        let written = |payload: &[u8]| WriteCodec::accept_reply((0, &[]), &mut (), payload);
        assert_eq!(written(&[0; 8]), Ok(Some(())));
        assert!(written(&[0; 7]).is_err() && written(&[0; 16]).is_err());
        let place = MemoryPlace { address: 64, bytes: 32 };
        let read = |payload: &[u8]| ReadCodec::accept_reply(&place, &mut (), payload);
        let data: Vec<u8> = (1..33).collect();
        let reply = [&data[..], &[0; 8]].concat();
        assert_eq!(read(&reply), Ok(Some(data)));
        for (byte, value) in [(32, 1), (32, 5), (32, 6), (32, 9), (33, 1), (39, 1)] {
            let mut harmed = reply.clone();
            harmed[byte] = value;
            assert!(read(&harmed).is_err() && written(&harmed[32..]).is_err(), "{byte} {value}");
        }
        assert!(read(&reply[8..]).is_err() && read(&[0; 7]).is_err());
        assert_eq!(read(&[5, 0, 0, 0, 0, 0, 0, 0]), Err("memory error".into()));
    }

    #[test]
    fn a_job_ends_with_a_fault_or_without() {
        let ended = |payload: &[u8]| RunCodec::accept_reply(&0, &mut (), payload);
        let mut reply = [0, 0, 0, 0, 7, 1, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0];
        let end = JobEnd { fault: None, number: 0x107, clocks: 0x0403_0201 };
        assert_eq!(ended(&reply), Ok(Some(end)));
        for byte in [2, 3, 12, 15] {
            let mut harmed = reply;
            harmed[byte] = 1;
            assert!(ended(&harmed).is_err(), "{byte}");
        }
        // A code without the status, the status without a code, and an unknown code.
        for (status, code) in [(0, 3), (6, 0), (6, 15), (1, 0), (4, 0), (7, 0)] {
            (reply[0], reply[1]) = (status, code);
            assert!(ended(&reply).is_err(), "{status} {code}");
        }
        (reply[0], reply[1]) = (6, 12);
        assert_eq!(ended(&reply), Ok(Some(JobEnd { fault: Some(Fault::Address), ..end })));
        assert!(ended(&reply[1..]).is_err());
    }
}
