// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A misbehaving card behind a device with a fallback: nothing lost, nothing twice.

use std::sync::Mutex;
use std::time::Duration;

use crate::fake_card::{cases, start, Fault};
use halimede_arith::job::{Compute, DeviceError, Execute};
use halimede_arith::Fr;
use halimede_card::transport::Socket;
use halimede_card::{Card, CardOptions};
use halimede_device::{Device, Options};
use halimede_poseidon::operations::{Permute, StarknetHash};
use halimede_poseidon::{State, Strength};

const TIME_LIMIT: Duration = Duration::from_millis(400);
const WINDOW: usize = 16;

fn device(fault: Fault, options: &Options) -> Device {
    let socket = Socket::from_stream(start(fault), "a thread of this test").unwrap();
    let card_options = CardOptions { time_limit: TIME_LIMIT, window: WINDOW };
    Device::from_card(Card::open("fake", Box::new(socket), card_options).unwrap(), options)
}

const FAULTS: [Fault; 14] = [
    Fault::None,
    Fault::OutOfOrder,
    Fault::Drop(17),
    Fault::Duplicate(17),
    Fault::FlipByte(17, 4),
    Fault::FlipByte(17, 40),
    Fault::WrongIndex(17),
    Fault::Truncate(17),
    Fault::Garbage(17),
    Fault::Ignore(17),
    Fault::EngineFailed(17),
    Fault::Status(17, 1),
    Fault::Silence(17),
    Fault::HangUp(17),
];

#[test]
fn every_fault_is_made_good_by_the_fallback() {
    let states = cases::states(200, 30);
    let sponges = cases::starknet_inputs(200, 31);
    for fault in FAULTS {
        for retries in [0, 1] {
            let options = Options::default().retries(retries);
            let device = device(fault, &options).with_fallback(Device::cpu());
            let batch = Execute::<Permute>::execute(&device, &states).unwrap();
            assert!(batch.replies == Permute::compute_batch(&states), "{fault:?}");
            let is_fault = !matches!(fault, Fault::None | Fault::OutOfOrder);
            let by_fallback = batch.timing.fallback_requests;
            match fault {
                // The card never answered the 18th request, nor any after it.
                Fault::HangUp(17) | Fault::Silence(17) => assert!(by_fallback >= 200 - 17),
                _ if retries > 0 => assert_eq!(by_fallback, 0, "{fault:?}"),
                // The requests in flight; the rest went to the card again.
                _ => {
                    assert_eq!(by_fallback > 0, is_fault, "{fault:?}");
                    assert!(by_fallback <= WINDOW, "{fault:?}: {by_fallback}");
                }
            }
            let batch = Execute::<StarknetHash>::execute(&device, &sponges).unwrap();
            assert!(batch.replies == StarknetHash::compute_batch(&sponges), "{fault:?}");
        }
    }
}

#[test]
fn a_second_try_needs_no_fallback_and_a_dead_card_is_an_error() {
    let states = cases::states(200, 35);
    for fault in FAULTS {
        let device = device(fault, &Options::default().retries(1));
        let outcome = Execute::<Permute>::execute(&device, &states);
        if matches!(fault, Fault::HangUp(_) | Fault::Silence(_)) {
            let error = outcome.unwrap_err();
            assert!(error.to_string().contains("of 200: "), "{error}");
            continue;
        }
        let batch = outcome.unwrap();
        assert!(batch.replies == Permute::compute_batch(&states), "{fault:?}");
        assert_eq!(batch.timing.fallback_requests, 0, "{fault:?}");
    }
}

#[test]
fn a_session_goes_on_through_every_fault_with_every_reply_in_its_place() {
    let states = cases::states(200, 36);
    let expected = Permute::compute_batch(&states);
    for fault in FAULTS {
        let device = device(fault, &Options::default().retries(1)).with_fallback(Device::cpu());
        let mut session = Execute::<Permute>::session(&device);
        let piece = device.limits::<Permute>().batch.unwrap();
        assert_eq!(piece, WINDOW / 4);
        let mut replies = Vec::new();
        for batch in states.chunks(piece) {
            while !session.wants_more() {
                replies.extend(session.collect().unwrap().unwrap());
            }
            session.submit(batch).unwrap();
            // Another batch on the same card, in the middle of the session.
            let other = Execute::<Permute>::execute(&device, &states[..3]).unwrap();
            assert_eq!(other.replies, expected[..3], "{fault:?}");
        }
        while let Some(batch) = session.collect().unwrap() {
            replies.extend(batch);
        }
        assert!(replies == expected, "{fault:?}");
        session.timing().unwrap();
    }
}

#[test]
fn a_session_on_the_processor_answers_batch_by_batch() {
    let states = cases::states(40, 37);
    let device = Device::cpu();
    let mut session = Execute::<Permute>::session(&device);
    assert_eq!(device.limits::<Permute>().batch, None);
    let mut replies = Vec::new();
    for batch in states.chunks(7) {
        assert!(session.wants_more());
        session.submit(batch).unwrap();
        assert!(!session.wants_more());
        replies.extend(session.collect().unwrap().unwrap());
    }
    assert!(session.collect().unwrap().is_none());
    assert_eq!(replies, Permute::compute_batch(&states));
    assert!(session.timing().unwrap().card_clocks.is_none());
}

#[test]
fn what_the_card_lacks_goes_to_the_fallback_and_the_rest_to_the_card() {
    let mut states = cases::states(20, 32);
    let wide: Vec<Fr> = (1..=12).map(Fr::from).collect();
    states[3] = State::filecoin(Strength::Standard, &wide).unwrap();
    states[9] = State::filecoin(Strength::Strengthened, &wide[..3]).unwrap();

    let alone = device(Fault::None, &Options::default());
    let error = Execute::<Permute>::execute(&alone, &states).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");

    let both = alone.with_fallback(Device::cpu());
    assert_eq!(both.capabilities().fallback.as_deref(), Some("cpu"));
    let batch = Execute::<Permute>::execute(&both, &states).unwrap();
    assert_eq!(batch.replies, Permute::compute_batch(&states));
    assert_eq!(batch.timing.fallback_requests, 2);
}

#[test]
fn an_error_counts_requests_from_the_start_of_the_batch() {
    let states = cases::states(100, 33);
    let options = Options::default();
    let good = device(Fault::None, &options);
    let batch = Execute::<Permute>::execute(&good, &states).unwrap();
    assert_eq!(batch.replies, Permute::compute_batch(&states));
    assert!(batch.timing.card_clocks.unwrap() > 0);

    let bad = device(Fault::Drop(45), &options);
    let error = Execute::<Permute>::execute(&bad, &states).unwrap_err();
    assert!(error.to_string().contains("failed at request 45 of 100"), "{error}");
}

#[test]
fn a_fallback_that_fails_too_names_the_request_of_the_whole_batch() {
    let states = cases::states(30, 34);
    let second = device(Fault::HangUp(2), &Options::default());
    let device = device(Fault::HangUp(10), &Options::default()).with_fallback(second);
    let error = Execute::<Permute>::execute(&device, &states).unwrap_err();
    let DeviceError::Failed { request_index, requests, .. } = error else { panic!("{error}") };
    // The first card answered none or all of its ten requests before it hung up, and so did the
    // second.
    assert!(request_index <= 12, "{request_index}");
    assert_eq!(requests, 30);
}

#[test]
fn the_startup_test_passes_on_a_good_card_and_tells_what_is_wrong_with_a_bad_one() {
    let good = device(Fault::None, &Options::default());
    let failed = |device: &Device| -> Vec<String> {
        let checks = device.selftest().unwrap().into_iter();
        checks.filter(|check| !check.passed).map(|check| check.name).collect()
    };
    // The card of this test has only two registers.
    assert_eq!(failed(&good), ["registers"]);
    let bad = device(Fault::FlipByte(1, 30), &Options::default());
    assert_eq!(failed(&bad), ["registers", "poseidon filecoin-2 hash"]);
    let dead = device(Fault::HangUp(0), &Options::default());
    assert!(dead.selftest().unwrap().iter().filter(|check| !check.passed).count() > 3);
    let error = dead.selftest().unwrap_err();
    assert!(matches!(error, DeviceError::Unavailable { .. }), "{error}");
}

#[test]
fn two_devices_of_a_kind_serve_at_once() {
    let devices = [Fault::None, Fault::OutOfOrder].map(|fault| device(fault, &Options::default()));
    let answered = Mutex::new(0);
    std::thread::scope(|scope| {
        for (seed, device) in devices.iter().chain(&devices).enumerate() {
            let answered = &answered;
            scope.spawn(move || {
                let states = cases::states(100, 40 + seed as u64);
                let batch = Execute::<Permute>::execute(device, &states).unwrap();
                assert_eq!(batch.replies, Permute::compute_batch(&states));
                *answered.lock().unwrap() += batch.replies.len();
            });
        }
    });
    assert_eq!(*answered.lock().unwrap(), 400);
}
