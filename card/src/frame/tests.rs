// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The decoder with randomly cut streams, garbage and mutated frames.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

const LIMIT: usize = 4096;

type Owned = (u32, Vec<u8>);

fn encode(frames: &[Owned]) -> Vec<u8> {
    let mut stream = Vec::new();
    for (command, payload) in frames {
        let mut frame = FrameWriter::new(&mut stream, *command);
        frame.bytes(payload);
        frame.finish(LIMIT).unwrap();
    }
    stream
}

/// Feeds the stream in pieces of the given sizes (cycled) and collects the frames and the error.
fn decode(stream: &[u8], pieces: &[usize]) -> (Vec<Owned>, Option<FrameError>) {
    let mut decoder = Decoder::new(LIMIT);
    let mut frames = Vec::new();
    let mut rest = stream;
    for size in pieces.iter().cycle() {
        let (mut piece, after) = rest.split_at((*size).min(rest.len()));
        rest = after;
        loop {
            match decoder.next_frame(&mut piece) {
                Ok(Some(frame)) => frames.push((frame.command, frame.payload.to_vec())),
                Ok(None) => break,
                Err(error) => return (frames, Some(error)),
            }
        }
        assert!(piece.is_empty(), "the decoder must consume all input");
        assert!(decoder.buffer.capacity() <= LIMIT, "the decoder must hold at most one frame");
        if rest.is_empty() {
            break;
        }
    }
    (frames, None)
}

fn frames() -> impl Strategy<Value = Vec<Owned>> {
    vec((any::<u32>(), vec(any::<u8>(), 0..200)), 0..20)
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_frames(frames in frames(), pieces in vec(1usize..50, 1..20)) {
        let (decoded, error) = decode(&encode(&frames), &pieces);
        prop_assert_eq!(error, None);
        prop_assert_eq!(decoded, frames);
    }

    #[test]
    fn random_bytes_never_panic_and_never_depend_on_the_cut(
        stream in vec(any::<u8>(), 0..2000),
        pieces in vec(1usize..50, 1..20),
    ) {
        prop_assert_eq!(decode(&stream, &pieces), decode(&stream, &[usize::MAX]));
    }

    #[test]
    fn mutated_frames_never_panic(
        frames in frames(),
        position in any::<prop::sample::Index>(),
        flip in 1u8..=255,
        drop in any::<bool>(),
        pieces in vec(1usize..50, 1..20),
    ) {
        let mut stream = encode(&frames);
        if !stream.is_empty() {
            let position = position.index(stream.len());
            if drop {
                stream.remove(position);
            } else {
                stream[position] ^= flip;
            }
        }
        prop_assert_eq!(decode(&stream, &pieces), decode(&stream, &[usize::MAX]));
    }

    #[test]
    fn a_sought_frame_is_found_at_any_offset(
        garbage in vec(any::<u8>(), 0..300),
        nonce in any::<u64>(),
        after in frames(),
        cut in 1usize..40,
    ) {
        let wanted = encode(&[(0x8000_0000, nonce.to_le_bytes().to_vec())]);
        // Random garbage that happens to contain the 16 wanted bytes has never occurred.
        prop_assume!(!garbage.windows(wanted.len()).any(|window| window == wanted));
        let mut stream = garbage;
        stream.extend_from_slice(&wanted);
        stream.extend_from_slice(&encode(&after));

        let mut decoder = Decoder::new(LIMIT);
        decoder.seek(&wanted);
        let mut found = Vec::new();
        for mut piece in stream.chunks(cut) {
            while let Some(frame) = decoder.next_frame(&mut piece).unwrap() {
                found.push((frame.command, frame.payload.to_vec()));
            }
        }
        prop_assert_eq!(&found[0], &(0x8000_0000, nonce.to_le_bytes().to_vec()));
        prop_assert_eq!(&found[1..], &after[..]);
    }
}

#[test]
fn lengths_below_the_header_and_above_the_limit_are_errors_that_stay() {
    for length in (1..8).chain([LIMIT as u32 + 1, u32::MAX]) {
        let mut stream = length.to_le_bytes().to_vec();
        stream.extend_from_slice(&7u32.to_le_bytes());
        let mut decoder = Decoder::new(LIMIT);
        let first = decoder.next_frame(&mut &stream[..]).unwrap_err();
        let second = decoder.next_frame(&mut &encode(&[(1, vec![])])[..]).unwrap_err();
        assert_eq!(first, second);
    }
}

#[test]
fn idle_beats_are_skipped_and_padding_is_ignored() {
    let mut stream = vec![0; 24];
    stream.extend(encode(&[(5, vec![1, 2, 3])]));
    assert_eq!(stream.len(), 24 + 16);
    stream[24 + 11..].fill(0xEE);
    stream.extend(encode(&[(6, vec![])]));
    let (frames, error) = decode(&stream, &[3]);
    assert_eq!(error, None);
    assert_eq!(frames, [(5, vec![1, 2, 3]), (6, vec![])]);
}

#[test]
fn a_frame_is_given_out_before_its_padding_arrives() {
    let stream = encode(&[(5, vec![9])]);
    let mut decoder = Decoder::new(LIMIT);
    assert!(decoder.next_frame(&mut &stream[..9]).unwrap().is_some());
}

#[test]
fn a_frame_above_the_limit_leaves_the_buffer_alone() {
    let mut stream = encode(&[(1, vec![1])]);
    let before = stream.clone();
    let mut frame = FrameWriter::new(&mut stream, 2);
    frame.bytes(&[7; LIMIT]);
    let error = frame.finish(LIMIT).unwrap_err();
    assert_eq!(error, FrameError::TooLong { length: LIMIT + 8, command: 2, limit: LIMIT });
    assert_eq!(stream, before);
}
