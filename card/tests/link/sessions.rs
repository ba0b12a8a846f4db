// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The card device with a card in a thread: answers are correct, and wrong ones are detected.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::fake_card::flipped::Flipped;
use crate::fake_card::{
    attempt, cases, named_by_the_failure, start, start_with_input, Fault, Session,
};
use halimede_arith::job::{Compute, DeviceError, Operation};
use halimede_arith::Fr;
use halimede_card::codec::Codec;
use halimede_card::spec::{Capability, Register};
use halimede_card::transport::{Socket, Transport};
use halimede_card::{Card, CardError, CardOptions};
use halimede_poseidon::operations::{Permute, StarknetHash};
use halimede_poseidon::{State, Strength};
use halimede_poseidon_wire::{
    poseidon_instances, FilecoinHashCodec, PermuteCodec, StarknetHashCodec,
};

const TIME_LIMIT: Duration = Duration::from_millis(400);

fn open_with(stream: std::os::unix::net::UnixStream, window: usize) -> Result<Card, CardError> {
    let options = CardOptions { time_limit: TIME_LIMIT, window };
    let socket = Socket::from_stream(stream, "a thread of this test").unwrap();
    Card::open("fake", Box::new(socket), options)
}

fn open(fault: Fault) -> Card {
    open_with(start(fault), 64).unwrap()
}

fn answers_like_the_processor<C: Codec<Operation: Compute>>(
    card: &Card,
    requests: &[<C::Operation as Operation>::Request],
) {
    let batch = card.execute::<C>(C::Operation::batch(requests)).unwrap();
    let expected = C::Operation::compute_batch(C::Operation::batch(requests));
    assert_eq!(batch.replies, expected, "{}", C::Operation::NAME);
    let has_clocks = batch.timing.card_clocks.is_some_and(|clocks| clocks > 0);
    assert_eq!(has_clocks, !requests.is_empty());
}

#[test]
fn every_operation_is_answered_like_the_processor_does() {
    for fault in [Fault::None, Fault::OutOfOrder] {
        for window in [1, 3, 1024] {
            let card = open_with(start(fault), window).unwrap();
            for count in [0, 1, 2, 3, 4, 300] {
                answers_like_the_processor::<PermuteCodec>(&card, &cases::states(count, 1));
                answers_like_the_processor::<FilecoinHashCodec>(&card, &cases::preimages(count, 2));
                answers_like_the_processor::<StarknetHashCodec>(
                    &card,
                    &cases::starknet_inputs(count, 3),
                );
            }
        }
    }
}

#[test]
fn limits_of_any_size_are_taken() {
    for (time_limit, window) in [(Duration::MAX, 0), (TIME_LIMIT, usize::MAX)] {
        let options = CardOptions { time_limit, window };
        let socket = Socket::from_stream(start(Fault::None), "a thread of this test").unwrap();
        let card = Card::open("fake", Box::new(socket), options).unwrap();
        answers_like_the_processor::<PermuteCodec>(&card, &cases::states(5, 1));
    }
}

#[test]
fn status_registers_reset_and_ignore() {
    let card = open(Fault::None);
    assert!(card.opening_status().has(Capability::Poseidon));
    assert!(card.opening_status().has(Capability::Blake3));
    assert!(!card.opening_status().has(Capability::Equihash));
    let names: Vec<String> =
        poseidon_instances(card.opening_status()).iter().map(ToString::to_string).collect();
    assert_eq!(names, ["filecoin-2", "filecoin-4", "stark-3", "stark-5"]);
    assert_eq!(card.read_register(Register::Id).unwrap(), 0x494C_4148);
    let error = card.read_register(Register::FramesIn).unwrap_err();
    assert_eq!(error.to_string(), "register 0x0028: no such register");
    let error = card.write_register(Register::Id, 1).unwrap_err();
    assert!(error.to_string().contains("read only"), "{error}");
    card.check_ignore().unwrap();
    card.reset().unwrap();
    assert!(card.status().unwrap().frames_ignored >= 1);
}

#[test]
fn a_fault_is_an_error_that_names_the_request_and_the_next_batch_works() {
    let faults = [
        (Fault::Drop(17), "no reply"),
        (Fault::Duplicate(17), "not in flight"),
        (Fault::FlipByte(17, 0), "checksum"),
        (Fault::FlipByte(17, 3), "exceeds the limit"),
        (Fault::FlipByte(17, 4), "unexpected frame"),
        (Fault::FlipByte(17, 8), "checksum"),
        (Fault::FlipByte(17, 16), "checksum"),
        (Fault::FlipByte(17, 30), "checksum"),
        (Fault::FlipBit(17, 8 * 120 + 40), "checksum"),
        (Fault::WrongIndex(17), "not in flight"),
        (Fault::Truncate(17), ""),
        (Fault::ShortReply(17), "bytes of elements"),
        (Fault::Garbage(17), ""),
        (Fault::Ignore(17), "ignored a frame"),
        (Fault::EngineFailed(17), "engine poseidon has failed: memory error"),
        (Fault::Status(17, 1), "instance absent"),
        (Fault::Status(17, 2), "not canonical"),
        (Fault::Status(17, 77), "unknown status 77"),
        (Fault::NotCanonical(17), "bytes of elements, expected 96"),
        (Fault::SilenceUntilReset(17), "no reply"),
        (Fault::LateReply(17), "no reply"),
    ];
    let requests = cases::states(100, 4);
    for (fault, expected) in faults {
        let card = open(fault);
        let start = Instant::now();
        let named = named_by_the_failure::<PermuteCodec>(&card, &requests, (fault, expected));
        assert!(start.elapsed() < 3 * TIME_LIMIT, "{fault:?} took {:?}", start.elapsed());
        assert_eq!(named, if matches!(fault, Fault::Duplicate(_)) { 18 } else { 17 }, "{fault:?}");
        answers_like_the_processor::<PermuteCodec>(&card, &requests);
        answers_like_the_processor::<StarknetHashCodec>(&card, &cases::starknet_inputs(50, 5));
    }
}

#[test]
fn a_digest_at_or_above_the_modulus_is_an_error() {
    let card = open(Fault::NotCanonical(3));
    let error = card.execute::<FilecoinHashCodec>(&cases::preimages(9, 6)).unwrap_err();
    assert!(error.to_string().contains("is not below"), "{error}");
    assert!(error.to_string().contains("failed at request 3 of 9"), "{error}");
}

#[test]
fn a_duplicate_of_the_last_reply_does_not_disturb_the_next_batch() {
    let card = open(Fault::Duplicate(9));
    answers_like_the_processor::<PermuteCodec>(&card, &cases::states(10, 7));
    answers_like_the_processor::<PermuteCodec>(&card, &cases::states(10, 8));
}

#[test]
fn the_replies_that_came_before_a_fault_are_kept() {
    let card = open(Fault::HangUp(17));
    let requests = cases::states(100, 9);
    let attempt = attempt::<PermuteCodec>(&card, &requests);
    assert!(attempt.failure.is_some());
    let expected = Permute::compute_batch(&requests);
    for (reply, expected) in attempt.replies.iter().zip(&expected) {
        assert!(reply.is_none() || reply.as_ref() == Some(expected));
    }
}

#[test]
fn a_card_that_is_gone_answers_every_call_with_an_error_at_once() {
    for fault in [Fault::HangUp(0), Fault::Silence(0)] {
        let card = open(fault);
        let requests = cases::states(10, 10);
        card.execute::<PermuteCodec>(&requests).unwrap_err();
        let start = Instant::now();
        let error = card.execute::<PermuteCodec>(&requests).unwrap_err();
        assert!(error.to_string().contains("given up"), "{error}");
        assert!(card.status().unwrap_err().to_string().contains("open it again"));
        assert!(start.elapsed() < TIME_LIMIT / 4);
    }
}

#[test]
fn a_card_that_never_answers_cannot_be_opened() {
    let (host, _card) = std::os::unix::net::UnixStream::pair().unwrap();
    let start = Instant::now();
    let error = open_with(host, 64).unwrap_err();
    assert!(matches!(error, CardError::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < 2 * TIME_LIMIT);
}

#[test]
fn opening_finds_the_step_in_the_middle_of_a_frame_and_behind_old_output() {
    // The card waits for the rest of a frame of maximum length; its last client's replies wait.
    let mut half = 65_536u32.to_le_bytes().to_vec();
    half.extend_from_slice(&0x110u32.to_le_bytes());
    let card =
        open_with(start_with_input(crate::fake_card::NARROW, Fault::None, half), 64).unwrap();
    answers_like_the_processor::<PermuteCodec>(&card, &cases::states(10, 11));

    let (host, mut peer) = std::os::unix::net::UnixStream::pair().unwrap();
    peer.write_all(&[0xA5; 1001]).unwrap();
    crate::fake_card::serve(peer.try_clone().unwrap(), peer, Fault::None, vec![]);
    let card = open_with(host, 64).unwrap();
    answers_like_the_processor::<PermuteCodec>(&card, &cases::states(10, 12));
}

/// A link that loses or adds bytes of the card's stream at one position.
struct Torn {
    socket: Socket,
    /// The number of bytes up to the position.
    distance: usize,
    lost: usize,
    added: Vec<u8>,
}

impl Transport for Torn {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        let before = incoming.len();
        let sent = self.socket.exchange(outgoing, incoming, limit)?;
        let arrived = incoming.len() - before;
        if self.distance < arrived {
            let at = before + self.distance;
            // Only bytes that arrived together: it does not remove the replies to the resets that
            // follow.
            let end = (at + self.lost).min(incoming.len());
            incoming.splice(at..end, std::mem::take(&mut self.added));
            self.distance = usize::MAX;
        } else {
            self.distance = self.distance.saturating_sub(arrived);
        }
        Ok(sent)
    }
}

#[test]
fn a_torn_stream_never_gives_a_wrong_answer() {
    use rand::Rng;
    // The replies to the reset and to the status, at the opening and before the batch. A reply to a
    // request has at most 128 bytes.
    const BATCH_START: usize = 16 + 104 + 104;
    let requests = cases::states(60, 19);
    let expected = Permute::compute_batch(&requests);
    let work = |seed: u64| {
        let generator = &mut cases::generator(seed);
        for _ in 0..10 {
            let (lost, added) = (generator.gen_range(0..300), generator.gen_range(0..40));
            let added: Vec<u8> = (0..added).map(|_| generator.gen()).collect();
            let distance = BATCH_START + generator.gen_range(0..5000);
            let stream = start(Fault::None);
            let socket = Socket::from_stream(stream, "a thread of this test").unwrap();
            let torn = Torn { socket, distance, lost, added };
            let options = CardOptions { time_limit: TIME_LIMIT / 2, window: 8 };
            let card = Card::open("fake", Box::new(torn), options).unwrap();
            let attempt = attempt::<PermuteCodec>(&card, &requests);
            for (index, (reply, right)) in attempt.replies.iter().zip(&expected).enumerate() {
                let is_right = reply.as_ref().is_none_or(|reply| reply == right);
                assert!(is_right, "seed {seed}: request {index}, {lost} bytes lost at {distance}");
            }
            answers_like_the_processor::<PermuteCodec>(&card, &requests);
        }
    };
    std::thread::scope(|scope| {
        for seed in 0..8 {
            scope.spawn(move || work(seed));
        }
    });
}

/// A link that loses bytes, as a serial line does.
struct Lossy(Socket);

impl Transport for Lossy {
    fn exchange(
        &mut self,
        outgoing: &[u8],
        incoming: &mut Vec<u8>,
        limit: Duration,
    ) -> Result<usize, CardError> {
        self.0.exchange(outgoing, incoming, limit)
    }

    fn can_slip(&self) -> bool {
        true
    }
}

#[test]
fn a_link_that_lost_bytes_is_brought_back_onto_the_beat() {
    std::thread::scope(|scope| {
        for lost in 1..8 {
            scope.spawn(move || {
                let stream = start_with_input(crate::fake_card::NARROW, Fault::None, vec![0; lost]);
                let socket = Socket::from_stream(stream, "a thread of this test").unwrap();
                // An eighth of it is the limit for one offset.
                let options = CardOptions { time_limit: 8 * TIME_LIMIT, window: 8 };
                let card = Card::open("fake", Box::new(Lossy(socket)), options).unwrap();
                answers_like_the_processor::<PermuteCodec>(&card, &cases::states(10, 13));
            });
        }
    });
}

#[test]
fn an_instance_that_the_card_lacks_is_an_error_before_anything_is_sent() {
    let card = open(Fault::None);
    let mut requests = cases::states(5, 14);
    // Widths without a code. Some of them would be a different instance in five bits.
    for width in [12, 4, 19, 35, 37] {
        requests[3] = State::filecoin(Strength::Standard, &vec![Fr::ONE; width]).unwrap();
        let error = card.execute::<PermuteCodec>(&requests).unwrap_err();
        assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
        assert!(error.to_string().contains("request 3"), "{error}");
    }

    let unsupported = card.unsupported::<PermuteCodec>(&requests);
    assert_eq!(unsupported.iter().map(|lacks| lacks.request).collect::<Vec<_>>(), [3]);
    requests.remove(3);
    answers_like_the_processor::<PermuteCodec>(&card, &requests);
}

#[test]
fn two_cards_work_at_once_and_one_card_serves_two_threads() {
    let (first, second) = (open(Fault::None), open(Fault::OutOfOrder));
    std::thread::scope(|scope| {
        for (card, seed) in [(&first, 15), (&second, 16), (&first, 17), (&second, 18)] {
            scope.spawn(move || {
                answers_like_the_processor::<PermuteCodec>(card, &cases::states(200, seed));
            });
        }
    });
}

#[test]
fn every_flipped_bit_of_a_reply_is_noticed() {
    // A reply with a whole state of width 3: 128 bytes.
    let requests = cases::states(24, 20);
    let three_wide: Vec<State> =
        requests.into_iter().filter(|state| state.instance().width() == 3).take(3).collect();
    let bits: Vec<usize> = (0..8 * 128).collect();
    std::thread::scope(|scope| {
        for bits in bits.chunks(256) {
            let requests = &three_wide;
            scope.spawn(move || {
                for bit in bits {
                    let card = open(Fault::FlipBit(1, *bit));
                    let error = card.execute::<PermuteCodec>(requests).unwrap_err();
                    assert!(matches!(error, DeviceError::Failed { .. }), "bit {bit}: {error}");
                }
            });
        }
    });
}

#[test]
fn every_flipped_bit_of_a_request_is_noticed() {
    // The status before the batch.
    const BATCH_START: usize = 8;
    let states = cases::states(24, 21);
    let three_wide: Vec<State> =
        states.into_iter().filter(|state| state.instance().width() == 3).take(3).collect();
    let expected = Permute::compute_batch(&three_wide);
    let bits: Vec<usize> = (0..8 * 128).collect();
    std::thread::scope(|scope| {
        for bits in bits.chunks(128) {
            let (requests, expected) = (&three_wide, &expected);
            scope.spawn(move || {
                for bit in bits {
                    let socket =
                        Socket::from_stream(start(Fault::None), "a thread of this test").unwrap();
                    let (flipped, flip) = Flipped::new(socket);
                    let options = CardOptions { time_limit: TIME_LIMIT / 2, window: 8 };
                    let card = Card::open("fake", Box::new(flipped), options).unwrap();
                    flip.set(8 * (BATCH_START + 128) + bit);
                    let attempt = attempt::<PermuteCodec>(&card, requests);
                    assert!(attempt.failure.is_some(), "bit {bit}");
                    for (reply, right) in attempt.replies.iter().zip(expected) {
                        assert!(reply.as_ref().is_none_or(|reply| reply == right), "bit {bit}");
                    }
                    answers_like_the_processor::<PermuteCodec>(&card, requests);
                }
            });
        }
    });
}

#[test]
fn sessions_on_one_card_interleave_and_each_gets_its_own_replies() {
    for fault in [Fault::None, Fault::OutOfOrder, Fault::SilenceUntilReset(150)] {
        let card = open(fault);
        let states = cases::states(120, 22);
        let sponges = cases::starknet_inputs(120, 23);
        let mut first = Session::<PermuteCodec>::new(&card);
        let mut second = Session::<StarknetHashCodec>::new(&card);
        let (mut permuted, mut hashed) = (Vec::new(), Vec::new());
        for (states, sponges) in states.chunks(30).zip(sponges.chunks(30)) {
            first.submit(states);
            first.advance().unwrap();
            second.submit(sponges);
            second.advance().unwrap();
            if !matches!(fault, Fault::SilenceUntilReset(_)) {
                answers_like_the_processor::<FilecoinHashCodec>(&card, &cases::preimages(5, 24));
            }
        }
        // A failure is reported once, loses nothing and does not affect the other session.
        let mut failures = 0;
        while permuted.len() < states.len() || hashed.len() < sponges.len() {
            match first.collect() {
                Ok(replies) => permuted.extend(replies.unwrap_or_default()),
                Err(_) => failures += 1,
            }
            match second.collect() {
                Ok(replies) => hashed.extend(replies.unwrap_or_default()),
                Err(_) => failures += 1,
            }
        }
        assert_eq!(permuted, Permute::compute_batch(&states));
        assert_eq!(hashed, StarknetHash::compute_batch(&sponges));
        assert_eq!(failures, usize::from(matches!(fault, Fault::SilenceUntilReset(_))));
        assert!(first.collect().unwrap().is_none());
        assert!(first.timing().unwrap().card_clocks.is_some_and(|clocks| clocks > 0));
    }
}
