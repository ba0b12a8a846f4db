// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A card that hangs up and comes back later.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::fake_card::{cases, start, start_with_input, Fault, WIDE};
use halimede_arith::job::{Compute, Execute};
use halimede_card::transport::{Socket, Transport};
use halimede_card::{CardError, CardOptions};
use halimede_device::{Device, Options};
use halimede_poseidon::operations::Permute;

/// The other end of the link at the next connection.
enum Behind {
    Nobody,
    Card(Fault),
    WideCard,
}

type Line = Arc<Mutex<VecDeque<Behind>>>;

fn device(line: &Line) -> Device {
    let line = Arc::clone(line);
    let card_options = CardOptions { time_limit: Duration::from_millis(400), window: 16 };
    Device::open_card("fake", card_options, &Options::default(), move |_: Duration| {
        let stream = match line.lock().unwrap().pop_front() {
            Some(Behind::Card(fault)) => start(fault),
            Some(Behind::WideCard) => start_with_input(WIDE, Fault::None, vec![]),
            _ => {
                let (path, source) = ("a test".into(), io::ErrorKind::ConnectionRefused.into());
                return Err(CardError::Io { action: "connect to", path, source });
            }
        };
        let socket = Socket::from_stream(stream, "a thread of this test")?;
        Ok(Box::new(socket) as Box<dyn Transport>)
    })
    .unwrap()
}

fn line(cards: impl IntoIterator<Item = Behind>) -> Line {
    Arc::new(Mutex::new(cards.into_iter().collect()))
}

#[test]
fn a_card_that_hung_up_is_opened_again_when_it_is_there() {
    let states = cases::states(60, 71);
    let expected = Permute::compute_batch(&states);
    for has_fallback in [false, true] {
        let line = line([
            Behind::Card(Fault::HangUp(10)),
            Behind::Nobody,
            Behind::Card(Fault::Silence(0)),
            Behind::Card(Fault::HangUp(70)),
            Behind::Card(Fault::None),
        ]);
        let mut device = device(&line);
        if has_fallback {
            device = device.with_fallback(Device::cpu());
        }
        let run = || Execute::<Permute>::execute(&device, &states);
        assert!(device.failure().is_none() && device.reopen().is_ok());
        assert_eq!(line.lock().unwrap().len(), 4, "a good card is left alone");
        let answers = |by_fallback: std::ops::RangeInclusive<usize>| match run() {
            Ok(batch) => {
                assert_eq!(batch.replies, expected);
                let count = batch.timing.fallback_requests;
                assert!(by_fallback.contains(&count), "{count}");
            }
            Err(error) => assert!(!has_fallback && *by_fallback.end() > 0, "{error}"),
        };
        answers(50..=60);
        assert!(device.failure().unwrap().reason.contains("hung up"));
        answers(60..=60);
        assert!(device.reopen().is_err(), "nobody is there");
        assert!(device.failure().is_some() && device.can_reopen());
        answers(60..=60);
        device.reopen().unwrap();
        assert!(device.failure().is_none());
        // This card accepts a reset and answers no request.
        answers(60..=60);
        while device.failure().is_none() {
            answers(60..=60);
        }
        device.reopen().unwrap();
        answers(0..=0);
        answers(1..=60);
        device.reopen().unwrap();
        answers(0..=0);
    }
}

#[test]
fn a_session_goes_on_with_the_card_that_was_opened_again() {
    let states = cases::states(64, 72);
    let line = line([Behind::Card(Fault::HangUp(20)), Behind::Card(Fault::None)]);
    let device = device(&line).with_fallback(Device::cpu());
    let mut session = Execute::<Permute>::session(&device);
    let mut replies = Vec::new();
    for batch in states.chunks(8) {
        session.submit(batch).unwrap();
        replies.extend(session.collect().unwrap().unwrap());
        if device.failure().is_some() {
            device.reopen().unwrap();
        }
    }
    assert!(replies == Permute::compute_batch(&states));
    assert!(session.timing().unwrap().fallback_requests <= 16);
}

#[test]
fn another_card_and_one_that_answered_wrongly_are_not_gone_on_with() {
    let states = cases::states(20, 73);
    let line = line([Behind::Card(Fault::HangUp(0)), Behind::WideCard, Behind::Card(Fault::None)]);
    let device = device(&line);
    assert!(Execute::<Permute>::execute(&device, &states).is_err());
    let error = device.reopen().unwrap_err().to_string();
    assert!(error.contains("is not the one that was given up"), "{error}");
    device.reopen().unwrap();
    assert!(Execute::<Permute>::execute(&device, &states).is_ok());
    line.lock().unwrap().push_back(Behind::Card(Fault::None));
    device.card().unwrap().give_up("a reply is not what the processor gives");
    assert!(!device.can_reopen());
    let error = device.reopen().unwrap_err().to_string();
    assert!(error.contains("not what the processor gives"), "{error}");
    assert_eq!(line.lock().unwrap().len(), 1, "it was not asked");
}
