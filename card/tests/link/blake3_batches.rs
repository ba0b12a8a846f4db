// SPDX-License-Identifier: Apache-2.0 OR MIT
//! BLAKE3 over the wire to a card in a thread: messages of many frames, wide and narrow streams,
//! concurrent sessions, and all kinds of link failures.

use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::fake_card::flipped::Flipped;
use crate::fake_card::{
    attempt, cases, named_by_the_failure, start_with_input, Fault, Session, Shape, NARROW, WIDE,
};
use halimede_arith::job::{Compute, DeviceError, FailureKind, Operation};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::{Mode, Outputs};
use halimede_blake3_wire::spec::{FRAME_DATA_BYTES, MAX_OUTPUT_BYTES};
use halimede_blake3_wire::HashCodec;
use halimede_card::transport::{Socket, Transport};
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::operations::{Permute, StarknetHash};
use halimede_poseidon_wire::{PermuteCodec, StarknetHashCodec};
use proptest::prelude::*;
use rand::{Rng, RngCore};
use rand_chacha::ChaCha8Rng;

const TIME_LIMIT: Duration = Duration::from_millis(500);
const FRAME: usize = FRAME_DATA_BYTES;
const OUTPUT: usize = MAX_OUTPUT_BYTES;

fn connect(stream: UnixStream, window: usize) -> Result<Card, CardError> {
    let socket = Socket::from_stream(stream, "a thread of this test").unwrap();
    Card::open("fake", Box::new(socket), CardOptions { time_limit: TIME_LIMIT, window })
}

fn open(shape: Shape, fault: Fault) -> Card {
    connect(start_with_input(shape, fault, vec![]), 64).unwrap()
}

fn mode(generator: &mut ChaCha8Rng) -> Arc<Mode> {
    Arc::new(match generator.gen_range(0..3) {
        0 => Mode::Hash,
        1 => Mode::Keyed(generator.gen()),
        _ => Mode::derive_key(&format!("halimede test {}", generator.gen::<u32>())),
    })
}

fn request(generator: &mut ChaCha8Rng, length: usize) -> HashRequest {
    let mut message = vec![0; length];
    generator.fill_bytes(&mut message);
    HashRequest::digest(&mode(generator), message)
}

/// Requests of these lengths, in every mode.
fn requests(lengths: &[usize], seed: u64) -> Vec<HashRequest> {
    let generator = &mut cases::generator(seed);
    lengths.iter().map(|length| request(generator, *length)).collect()
}

/// Returns short messages, and one message of several frames among every five.
fn mixed(count: usize, seed: u64) -> Vec<HashRequest> {
    let generator = &mut cases::generator(seed);
    let one = |index: usize| {
        let length = if index % 5 == 3 { FRAME..4 * FRAME } else { 0..3000 };
        let length = generator.gen_range(length);
        request(generator, length)
    };
    (0..count).map(one).collect()
}

fn hashes_like_the_processor(card: &Card, requests: &[HashRequest]) {
    let batch = card.execute::<HashCodec>(Hash::batch(requests)).unwrap();
    assert!(batch.replies == Hash::compute_batch(Hash::batch(requests)));
}

#[test]
fn messages_of_every_length_around_a_frame_a_chunk_and_a_beat() {
    let lengths = [
        0,
        1,
        7,
        8,
        23,
        24,
        25,
        31,
        32,
        33,
        55,
        56,
        63,
        64,
        65,
        1023,
        1024,
        1025,
        2048,
        3071,
        FRAME - 1,
        FRAME,
        FRAME + 1,
        FRAME + 64,
        FRAME + 1024,
        2 * FRAME - 1,
        2 * FRAME,
        2 * FRAME + 1,
        3 * FRAME + 77,
        500_000,
    ];
    for shape in [NARROW, Shape { stream_bytes: 16, ..NARROW }, WIDE] {
        for fault in [Fault::None, Fault::OutOfOrder] {
            let card = open(shape, fault);
            assert_eq!(card.opening_status().stream_bytes as usize, shape.stream_bytes);
            hashes_like_the_processor(&card, &requests(&lengths, 1));
        }
    }
}

#[test]
fn any_part_of_the_output() {
    let generator = &mut cases::generator(2);
    let ranges = [
        (0, 0),
        (7, 0),
        (0, 1),
        (0, 63),
        (0, 64),
        (0, 65),
        (0, 131),
        (1, 63),
        (1, 64),
        (63, 2),
        (64, 64),
        (100, 1000),
        (0, OUTPUT),
        (0, OUTPUT + 1),
        (64, OUTPUT),
        (63, OUTPUT),
        (5, 3 * OUTPUT),
        (1 << 37, 200),
        ((1 << 38) - 100, 100),
    ];
    let mut requests: Vec<HashRequest> = Vec::new();
    for (output_offset, output_bytes) in ranges {
        for length in [0, 1000, FRAME + 5] {
            let request = request(generator, length);
            requests.push(HashRequest { output_offset, output_bytes, ..request });
        }
    }
    for shape in [NARROW, WIDE] {
        hashes_like_the_processor(&open(shape, Fault::None), &requests);
    }
}

#[test]
fn no_output_is_answered_without_the_card() {
    // A dead card does not affect requests that need nothing from it.
    let none = |request: HashRequest| HashRequest { output_bytes: 0, ..request };
    let requests: Vec<HashRequest> = requests(&[0, 3000], 3).into_iter().map(none).collect();
    let card = open(NARROW, Fault::Silence(0));
    let mut session = Session::<HashCodec>::new(&card);
    session.submit(Hash::batch(&requests));
    assert_eq!(session.collect().unwrap(), Some(Outputs::Each(vec![vec![], vec![]])));
    assert_eq!(session.attempts.answered(), 0);
}

#[test]
fn output_beyond_the_wires_reach_is_refused_before_anything_is_sent() {
    let card = open(WIDE, Fault::None);
    for (output_offset, output_bytes) in
        [((1 << 38) - 100, 101), (1 << 38, 1), (u64::MAX, 1), (u64::MAX - 64, 64)]
    {
        let good = requests(&[10, 20], 4);
        let bad = HashRequest { output_offset, output_bytes, ..good[1].clone() };
        let batch = [good[0].clone(), bad];
        let error = card.execute::<HashCodec>(Hash::batch(&batch)).unwrap_err();
        assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
        assert!(
            error.to_string().contains("request 1: the card computes the first 2^32"),
            "{error}"
        );
        let unsupported = card.unsupported::<HashCodec>(Hash::batch(&batch));
        assert_eq!(unsupported.iter().map(|lacks| lacks.request).collect::<Vec<_>>(), [1]);
        hashes_like_the_processor(&card, &batch[..1]);
    }
}

#[test]
fn cards_that_take_short_frames_get_short_frames() {
    let lengths = [0, 1, 1023, 1024, 1025, 2048, 2049, 10_000, 70_000];
    for max_frame_bytes in [1024 + 72, 2047 + 72, 2048 + 72, 5000, 65_535] {
        for stream_bytes in [8, 64] {
            let card = open(Shape { stream_bytes, max_frame_bytes }, Fault::None);
            hashes_like_the_processor(&card, &requests(&lengths, 5));
        }
    }
    let card = open(Shape { max_frame_bytes: 1023 + 72, ..NARROW }, Fault::None);
    let error = card.execute::<HashCodec>(Hash::batch(&requests(&[5], 6))).unwrap_err();
    assert!(error.to_string().contains("no room for a chunk"), "{error}");
}

#[test]
fn a_stream_of_no_sensible_width_is_an_error() {
    for bytes in [0, 1, 4, 7, 12, 24, 63, 65, 128, 1 << 20, u32::MAX] {
        let stream = start_with_input(WIDE, Fault::SaysStreamBytes(bytes), vec![]);
        let error = connect(stream, 4).unwrap_err();
        assert!(matches!(error, CardError::StreamBytes { got } if got == bytes), "{error}");
        assert!(error.to_string().contains(&format!("beats of {bytes} bytes")), "{error}");
    }
}

#[test]
fn a_card_of_an_older_protocol_is_told_by_its_version() {
    let error = connect(start_with_input(NARROW, Fault::OldProtocol, vec![]), 4).unwrap_err();
    assert!(error.to_string().contains("protocol version 2.0, this library 3.4"), "{error}");
}

#[test]
fn data_that_the_card_has_no_message_for_is_an_error_and_the_message_is_sent_again() {
    for frame in [2, 5] {
        let card = open(WIDE, Fault::ForgetAtFrame(frame));
        let requests = requests(&[9, 7 * FRAME, 20], 9);
        let mut session = Session::<HashCodec>::new(&card);
        session.submit(Hash::batch(&requests));
        let error = session.collect().unwrap_err().to_string();
        let expected = "bad reply to request 1: a later frame of it was refused: status no message";
        assert_eq!(error, expected);
        let replies = session.collect().unwrap().unwrap();
        assert!(replies == Hash::compute_batch(Hash::batch(&requests)));
    }
}

#[test]
fn a_fault_is_an_error_that_names_the_message_and_the_next_batch_works() {
    let faults = [
        (Fault::Drop(7), "no reply"),
        (Fault::Duplicate(7), "not in flight"),
        (Fault::FlipByte(7, 4), "unexpected frame"),
        (Fault::FlipByte(7, 8), "checksum"),
        (Fault::FlipByte(7, 30), "checksum"),
        (Fault::WrongIndex(7), "not in flight"),
        (Fault::Truncate(7), ""),
        (Fault::ShortReply(7), "0 bytes of output, expected 32"),
        (Fault::Garbage(7), ""),
        (Fault::Ignore(7), "ignored a frame"),
        (Fault::Status(7, 1), "status wrong length"),
        (Fault::Status(7, 2), "status unknown mode"),
        (Fault::Status(7, 3), "status abandoned"),
        (Fault::Status(7, 4), "status corrupt"),
        (Fault::Status(7, 7), "status wrong output"),
        (Fault::Status(7, 77), "unknown status 77"),
        (Fault::SilenceUntilReset(7), "no reply"),
        (Fault::LateReply(7), "no reply"),
        (Fault::DeafFromFrame(9), "no reply"),
    ];
    let requests = mixed(20, 7);
    std::thread::scope(|scope| {
        for (number, (fault, expected)) in faults.into_iter().enumerate() {
            let requests = &requests;
            scope.spawn(move || {
                let card = open(if number % 2 == 0 { WIDE } else { NARROW }, fault);
                let named = named_by_the_failure::<HashCodec>(&card, requests, (fault, expected));
                match fault {
                    Fault::Duplicate(_) => assert_eq!(named, 8),
                    Fault::DeafFromFrame(_) => {}
                    _ => assert_eq!(named, 7, "{fault:?}"),
                }
                hashes_like_the_processor(&card, requests);
            });
        }
    });
}

#[test]
fn a_message_that_a_reset_broke_off_is_sent_again_whole() {
    // In the head of a long message, in its middle, and after its last frame.
    for shape in [NARROW, WIDE] {
        for frame in [0, 1, 4, 9, 10, 11] {
            let card = open(shape, Fault::DeafFromFrame(frame));
            let requests = requests(&[100, 10 * FRAME, 5 * FRAME + 1, 2000], 8);
            let mut session = Session::<HashCodec>::new(&card);
            session.submit(Hash::batch(&requests));
            let error = session.collect().unwrap_err();
            assert_eq!(error.kind, FailureKind::Passing);
            assert!(error.reason.contains(" within "), "frame {frame}: {error}");
            let replies = session.collect().unwrap().unwrap();
            assert!(replies == Hash::compute_batch(Hash::batch(&requests)), "frame {frame}");
        }
    }
}

#[test]
fn messages_and_permutations_on_one_card_at_once_never_break_each_other_off() {
    for shape in [NARROW, WIDE] {
        for fault in [Fault::None, Fault::OutOfOrder] {
            let card = &open(shape, fault);
            std::thread::scope(|scope| {
                for seed in 0..3 {
                    scope.spawn(move || {
                        let requests = mixed(40, 10 + seed);
                        let mut session = Session::<HashCodec>::new(card);
                        let mut replies = Vec::new();
                        for batch in requests.chunks(7) {
                            session.submit(Hash::batch(batch));
                            session.advance().unwrap();
                        }
                        while let Some(batch) = session.collect().unwrap() {
                            replies.extend(batch);
                        }
                        assert!(
                            replies == Hash::compute_batch(Hash::batch(&requests)),
                            "seed {seed}"
                        );
                        let timing = session.timing().unwrap();
                        assert!(timing.card_starved_clocks < timing.card_clocks);
                    });
                }
                scope.spawn(move || {
                    let states = cases::states(300, 20);
                    let batch = card.execute::<PermuteCodec>(&states).unwrap();
                    assert!(batch.replies == Permute::compute_batch(&states));
                });
                scope.spawn(move || {
                    for seed in 0..20 {
                        let sponges = cases::starknet_inputs(13, seed);
                        let batch = card.execute::<StarknetHashCodec>(&sponges).unwrap();
                        assert!(batch.replies == StarknetHash::compute_batch(&sponges));
                        card.status().unwrap();
                    }
                });
            });
        }
    }
}

/// A link that accepts a few bytes at a time, each after a pause, and records the maximum backlog.
struct Slow {
    socket: Socket,
    bytes_at_once: usize,
    pause: Duration,
    window_bytes: Option<usize>,
    most: Arc<std::sync::atomic::AtomicUsize>,
}

impl Transport for Slow {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        self.most.fetch_max(outgoing.len(), std::sync::atomic::Ordering::Relaxed);
        let mut piece = outgoing.len().min(self.bytes_at_once);
        match limit < self.pause {
            true => piece = 0,
            false if piece > 0 => std::thread::sleep(self.pause),
            false => {}
        }
        self.socket.exchange(&outgoing[..piece], incoming, limit)
    }

    fn window_bytes(&self) -> Option<usize> {
        self.window_bytes
    }
}

fn open_slow(
    bytes_at_once: usize,
    pause_ms: u64,
    window_bytes: Option<usize>,
) -> (Card, impl Fn() -> usize) {
    let stream = start_with_input(WIDE, Fault::None, vec![]);
    let socket = Socket::from_stream(stream, "a thread of this test").unwrap();
    let most = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let pause = Duration::from_millis(pause_ms);
    let slow = Slow { socket, bytes_at_once, pause, window_bytes, most: most.clone() };
    let options = CardOptions { time_limit: TIME_LIMIT, window: 64 };
    let card = Card::open("slow", Box::new(slow), options).unwrap();
    (card, move || most.load(std::sync::atomic::Ordering::Relaxed))
}

#[test]
fn a_message_that_takes_longer_than_the_limit_to_send_is_no_failure() {
    let (card, most) = open_slow(20_000, 15, None);
    let start = Instant::now();
    hashes_like_the_processor(&card, &requests(&[1_500_000, 5], 30));
    assert!(start.elapsed() > 2 * TIME_LIMIT, "{:?}", start.elapsed());
    // The output does not hold a whole copy: at most one frame more than its limit.
    assert!(most() < 3 * FRAME, "{} bytes waited", most());
}

#[test]
fn handing_in_long_messages_waits_for_the_one_that_was_begun_and_no_other() {
    let (card, _) = open_slow(20_000, 5, None);
    let requests = requests(&[300_000; 30], 33);
    let mut session = Session::<HashCodec>::new(&card);
    session.submit(Hash::batch(&requests));
    let start = Instant::now();
    session.advance().unwrap();
    // One message takes 75 ms, all of them more than 2 s.
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
    // The next caller does not interrupt a message.
    hashes_like_the_processor(&card, &requests[..2]);
    assert!(session.collect().unwrap().unwrap() == Hash::compute_batch(Hash::batch(&requests)));
}

#[test]
fn a_link_with_a_limit_gets_many_short_messages_or_one_long_one() {
    for limit in [1, 4096, 8192] {
        let (card, most) = open_slow(usize::MAX, 0, Some(limit));
        hashes_like_the_processor(&card, &mixed(60, 31));
        assert!(most() < 3 * FRAME);
        let (card, most) = open_slow(usize::MAX, 0, Some(limit));
        let short: Vec<HashRequest> = requests(&[64; 200], 32);
        hashes_like_the_processor(&card, &short);
        assert!(most() > limit / 4 && most() <= limit.max(300), "{} of {limit}", most());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_flipped_bit_in_any_frame_of_a_message_is_noticed(
        wide in any::<bool>(),
        place in any::<prop::sample::Index>(),
        bit in 0u8..8,
        in_head in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let shape = if wide { WIDE } else { NARROW };
        // The status before the batch.
        let before = shape.stream_bytes;
        let requests = requests(&[FRAME + 2000], seed);
        let place = place.index(if in_head { 64 } else { FRAME + 2000 });
        // The end of the first frame, with or without a key, and the padding after it.
        prop_assume!(!(FRAME + 40..FRAME + 128).contains(&place));
        let stream = start_with_input(shape, Fault::None, vec![]);
        let socket = Socket::from_stream(stream, "a thread of this test").unwrap();
        let (flipped, flip) = Flipped::new(socket);
        let options = CardOptions { time_limit: TIME_LIMIT / 2, window: 8 };
        let card = Card::open("fake", Box::new(flipped), options).unwrap();
        flip.set(8 * (before + place) + usize::from(bit));
        let attempt = attempt::<HashCodec>(&card, Hash::batch(&requests));
        prop_assert!(attempt.failure.is_some());
        prop_assert_eq!(attempt.replies, vec![None]);
        hashes_like_the_processor(&card, &requests);
    }

    #[test]
    fn any_messages_through_any_card(
        lengths in proptest::collection::vec(0usize..200_000, 1..8),
        short in proptest::collection::vec(0usize..300, 0..20),
        chunks in 1usize..64,
        width in 3u32..7,
        window in 1usize..9,
        seed in any::<u64>(),
        offset in 0u64..100_000,
        output_bytes in 0usize..200_000,
    ) {
        let shape = Shape { stream_bytes: 1 << width, max_frame_bytes: 72 + 1024 * chunks };
        let card = connect(start_with_input(shape, Fault::OutOfOrder, vec![]), window).unwrap();
        let mut requests = requests(&[lengths, short].concat(), seed);
        requests[0].output_offset = offset;
        requests[0].output_bytes = output_bytes;
        hashes_like_the_processor(&card, &requests);
    }
}
