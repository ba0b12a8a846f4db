// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Flat arrays on a card that fails in the middle: untouched, or made good by the fallback.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]

#[path = "../../card/tests/fake_card/mod.rs"]
mod fake_card;

use std::time::Duration;

use fake_card::{start, Fault};
use halimede_arith::job::DeviceError;
use halimede_card::transport::Socket;
use halimede_card::{Card, CardOptions};
use halimede_device::flat::{self, FlatError};
use halimede_device::{Device, Options};
use halimede_poseidon::Instance;

const TIME_LIMIT: Duration = Duration::from_millis(400);
/// More rows than a piece of the processor's, and than a piece of the card's.
const ROWS: usize = 300;

fn card(fault: Fault) -> Device {
    let socket = Socket::from_stream(start(fault), "a thread of this test").unwrap();
    let options = CardOptions { time_limit: TIME_LIMIT, window: 16 };
    let card = Card::open("fake", Box::new(socket), options).unwrap();
    Device::from_card(card, &Options::default())
}

/// States of width 3 whose elements all differ.
fn states() -> Vec<u64> {
    (0..ROWS as u64 * 12)
        .map(|limb| if limb % 4 == 3 { limb } else { limb << 32 | !limb })
        .collect()
}

#[test]
fn a_card_that_hangs_up_leaves_everything_as_it_was() {
    let instance: Instance = "stark-3".parse().unwrap();
    // Two pieces of the card's have been answered by then.
    let device = card(Fault::HangUp(250));
    let mut permuted = states();
    let error = flat::permute(&device, instance, &mut permuted).unwrap_err();
    let FlatError::Device(DeviceError::Failed { request_index, requests, .. }) = error else {
        panic!("{error}");
    };
    assert!((200..ROWS).contains(&request_index) && requests == ROWS, "{request_index}");
    assert!(permuted == states());

    let mut digests = vec![7u64; ROWS * 4];
    let pairs = &states()[..ROWS * 8];
    flat::starknet_hash(&device, pairs, &mut digests).unwrap_err();
    assert!(digests == [7; ROWS * 4]);
}

#[test]
fn what_a_card_lacks_is_refused_before_anything_is_sent() {
    let device = card(Fault::None);
    let mut permuted = states();
    let wide: Instance = "stark-9".parse().unwrap();
    let states = &mut permuted[..36];
    let before = states.to_vec();
    let error = flat::permute(&device, wide, states).unwrap_err();
    assert!(matches!(error, FlatError::Device(DeviceError::Unsupported { .. })), "{error}");
    assert_eq!(states, before);
}

#[test]
fn the_fallback_gives_the_same_answers() {
    let instance: Instance = "stark-3".parse().unwrap();
    let mut expected = states();
    flat::permute(&Device::cpu(), instance, &mut expected).unwrap();
    for fault in [Fault::None, Fault::OutOfOrder, Fault::Drop(17), Fault::HangUp(250)] {
        let device = card(fault).with_fallback(Device::cpu());
        let mut permuted = states();
        flat::permute(&device, instance, &mut permuted).unwrap();
        assert!(permuted == expected, "{fault:?}");
    }
}
