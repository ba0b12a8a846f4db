// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The payloads of `bls12_381_run_program` and of its replies, after the index.

use halimede_bls12_381::coprocessor::isa::{Kind, INSTRUCTION_BYTES, VALUE_BYTES};
use halimede_bls12_381::coprocessor::{ErrorWord, Number, Slot};
use halimede_bls12_381::operations::{End, Outcome, ProgramRequest, Sent, RESULT_BYTES};
use halimede_card::codec::INDEX_BYTES;
use halimede_card::frame::FrameWriter;

use crate::spec::offset::bls12_381_run_program_reply as reply;
use crate::spec::offset::bls12_381_run_program_request as request;
use crate::spec::{self, Bls12381Status};

/// Bytes of a slot in a request: its place, the highest bit of the kind, and its window.
const SLOT_BYTES: usize = 8 + VALUE_BYTES;
/// Bytes before the slots of a sent element.
const ELEMENT_BYTES: usize = 8;

// Processor and card keep the same number of bytes of results.
const _: () = assert!(RESULT_BYTES == spec::RESULT_BYTES);

/// Returns the size of a request's payload in bytes.
pub(crate) fn payload_bytes(wanted: &ProgramRequest) -> usize {
    let program = &wanted.program;
    request::PROGRAM
        + program.instructions.len() * INSTRUCTION_BYTES
        + program.slots.len() * SLOT_BYTES
}

/// Writes a program, which must fit.
pub(crate) fn write(wanted: &ProgramRequest, frame: &mut FrameWriter<'_>) {
    let program = &wanted.program;
    let (instructions, slots) = (program.instructions.len() as u16, program.slots.len() as u16);
    frame.u32(wanted.limit.get());
    for count in [instructions, slots, program.start, 0, 0, 0] {
        frame.bytes(&count.to_le_bytes());
    }
    for word in &program.instructions {
        frame.bytes(word);
    }
    for (place, slot) in &program.slots {
        let (window, is_high) = slot.to_window();
        let mut head = [0; 8];
        head[..2].copy_from_slice(&(*place as u16).to_le_bytes());
        head[2] = u8::from(is_high);
        frame.bytes(&head).bytes(&window);
    }
}

/// The content of a reply.
pub(crate) enum Told {
    /// The program ended.
    Outcome(Outcome),
    /// The program sent more than is kept.
    TooMuch,
}

/// Parses a reply.
///
/// # Errors
/// Why the reply is invalid, or the error that the card reports, in words.
pub(crate) fn read(payload: &[u8]) -> Result<Told, String> {
    let short = || "the reply is too short".to_owned();
    let field = |offset: usize| payload.get(offset - INDEX_BYTES..);
    let word = |offset: usize| {
        let bytes = field(offset).and_then(<[u8]>::first_chunk);
        bytes.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(short)
    };
    let &[status, zero, low, high, ..] = field(reply::STATUS).unwrap_or_default() else {
        return Err(short());
    };
    let (instructions, error) = (word(reply::INSTRUCTIONS)?, word(reply::ERROR)?);
    let clocks = Some(word(reply::CLOCKS)?);
    let results = field(reply::RESULTS).ok_or_else(short)?;
    match Bls12381Status::from_u8(status) {
        Some(Bls12381Status::Ok) => {}
        Some(Bls12381Status::Results) if results.is_empty() => return Ok(Told::TooMuch),
        Some(Bls12381Status::TimedOut) => {
            return Err("the program has taken more clocks than the card allows".into())
        }
        Some(refusal) => return Err(refusal.name().replace('_', " ")),
        None => return Err(format!("unknown status {status}")),
    }
    let end = match (error, ErrorWord::from_word(error)) {
        (0, _) => End::Waiting(u16::from_le_bytes([low, high])),
        (_, Some(error)) => End::Stopped(error),
        (_, None) => return Err(format!("{error:#x} is not an error word")),
    };
    if zero != 0 || results.len() > RESULT_BYTES {
        return Err("the reply was corrupted in transit".into());
    }
    Ok(Told::Outcome(Outcome { results: sent(results)?, end, instructions, clocks }))
}

/// Parses the elements that were sent.
fn sent(mut bytes: &[u8]) -> Result<Vec<Sent>, String> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        let wrong = || "the results are cut off".to_owned();
        let (head, rest) = bytes.split_first_chunk::<ELEMENT_BYTES>().ok_or_else(wrong)?;
        let [low, high, 0, 0, code, 0, 0, 0] = *head else {
            return Err("the header of a result is invalid".into());
        };
        let kind = Kind::of_code(code).ok_or_else(|| format!("{code} is not a kind"))?;
        let (slots, rest) = rest.split_at_checked(kind.slots() * VALUE_BYTES).ok_or_else(wrong)?;
        let slots = slots.as_chunks::<VALUE_BYTES>().0.iter().map(|bytes| {
            let number = Number::from_le_bytes(*bytes).ok_or("a number has more than 381 bits")?;
            Ok(Slot { kind, number })
        });
        let slots = slots.collect::<Result<_, &str>>()?;
        all.push(Sent { index: u16::from_le_bytes([low, high]), slots });
        bytes = rest;
    }
    Ok(all)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::num::NonZeroU32;

    use halimede_bls12_381::coprocessor::{assemble, Program};

    use super::*;

    /// Simulates the card: returns the reply's payload for a request's payload, both after the
    /// index.
    ///
    /// # Panics
    /// If the payload is not that of a program.
    pub(crate) fn card(payload: &[u8]) -> Vec<u8> {
        let half = |at: usize| u16::from_le_bytes([payload[at], payload[at + 1]]);
        let limit = u32::from_le_bytes(*payload.first_chunk().unwrap());
        let (instructions, slots, start) = (usize::from(half(4)), usize::from(half(6)), half(8));
        assert_eq!(payload[10..16], [0; 6]);
        let (words, rest) = payload[16..].split_at(instructions * INSTRUCTION_BYTES);
        assert_eq!(rest.len(), slots * SLOT_BYTES);
        let slot = |bytes: &[u8]| {
            let [low, high, is_high, 0, 0, 0, 0, 0] = *bytes.first_chunk().unwrap() else {
                panic!("{bytes:?}");
            };
            let window = *bytes[8..].first_chunk().unwrap();
            let slot = Slot::from_window(window, is_high == 1).unwrap();
            (usize::from(u16::from_le_bytes([low, high])), slot)
        };
        let slots = rest.chunks(SLOT_BYTES).map(slot).collect();
        let instructions = Program::words(words).unwrap().to_vec();
        let program = Program { instructions, slots, start };
        let run = ProgramRequest { program, limit: NonZeroU32::new(limit).unwrap() }.run();
        let Ok(outcome) = run else { return [&[2], &[0; 15][..]].concat() };
        let (pointer, error) = match outcome.end {
            End::Waiting(pointer) => (pointer, 0),
            End::Stopped(error) => (0, error.to_word()),
        };
        let mut reply = vec![0, 0];
        reply.extend(pointer.to_le_bytes());
        for number in [outcome.instructions, error, 1234] {
            reply.extend(number.to_le_bytes());
        }
        for Sent { index, slots } in outcome.results {
            reply.extend(u32::from(index).to_le_bytes());
            reply.extend([slots[0].kind as u8, 0, 0, 0]);
            reply.extend(slots.iter().flat_map(|slot| slot.number.to_le_bytes()));
        }
        reply
    }

    #[test]
    fn what_a_reply_tells() {
        let text = ".data 0 FE6 one\nSEND_INTERRUPT 0, 7\nSEND_INTERRUPT 0, 65535\nJUMP 511\n";
        let program = assemble(text).unwrap().program;
        let request = ProgramRequest { program, limit: NonZeroU32::new(100).unwrap() };
        let mut frame = Vec::new();
        let mut writer = FrameWriter::new(&mut frame, 1);
        write(&request, &mut writer);
        writer.finish(1 << 16).unwrap();
        assert_eq!(frame.len(), 8 + payload_bytes(&request) - INDEX_BYTES);
        let payload = card(&frame[8..]);
        let Ok(Told::Outcome(outcome)) = read(&payload) else { panic!("no outcome") };
        assert_eq!(outcome.clocks, Some(1234));
        assert_eq!(Outcome { clocks: None, ..outcome }, request.run().unwrap());

        // Statuses, lengths, a kind, a head, a number, an error word.
        let head = 16;
        let last = head + 8 + 47;
        for (place, value) in [
            (0, 1),
            (0, 3),
            (0, 5),
            (0, 9),
            (1, 1),
            (head + 4, 9),
            (head + 5, 1),
            (last, 0x20),
            (8, 1),
        ] {
            let mut harmed = payload.clone();
            harmed[place] = value;
            assert!(read(&harmed).is_err(), "{place} {value}");
        }
        for length in [0, 3, 15, head + 1, head + 8, payload.len() - 1] {
            assert!(read(&payload[..length]).is_err(), "{length}");
        }
        assert!(read(&[2]).is_err());
        assert!(matches!(read(&[&[2][..], &[0; 15]].concat()), Ok(Told::TooMuch)));
        let too_long = [&payload[..head], &payload[head..head + 8 + 288].repeat(28)].concat();
        assert!(read(&too_long).is_err());
    }
}
