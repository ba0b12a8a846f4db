// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Flat arrays on a card that fails in the middle: unchanged, or completed by the fallback.

use std::time::Duration;

use crate::fake_card::{start, Fault};
use halimede_arith::job::DeviceError;
use halimede_blake3::{Digest, Mode};
use halimede_card::transport::Socket;
use halimede_card::{Card, CardOptions};
use halimede_device::flat::{self, blake3, FlatError};
use halimede_device::{Device, Options};
use halimede_poseidon::Instance;

const TIME_LIMIT: Duration = Duration::from_millis(400);
/// More rows than a piece of the processor or of the card.
const ROWS: usize = 300;

fn card(fault: Fault) -> Device {
    let socket = Socket::from_stream(start(fault), "a thread of this test").unwrap();
    let options = CardOptions { time_limit: TIME_LIMIT, window: 16 };
    let card = Card::open("fake", Box::new(socket), options).unwrap();
    Device::from_card(card, &Options::default())
}

/// States of width 3 with different elements.
fn states() -> Vec<u64> {
    (0..ROWS as u64 * 12)
        .map(|limb| if limb % 4 == 3 { limb } else { limb << 32 | !limb })
        .collect()
}

#[test]
fn a_card_that_hangs_up_leaves_everything_as_it_was() {
    let instance: Instance = "stark-3".parse().unwrap();
    // The card has answered two pieces by then.
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

/// Messages of all lengths from 0 to [`ROWS`], and one with several frames.
fn messages() -> Vec<Vec<u8>> {
    let length = |number| if number == 77 { 70_000 } else { number };
    let byte = |number: usize, place: usize| ((number + place) % 251) as u8;
    let message = |number| (0..length(number)).map(|place| byte(number, place)).collect();
    (0..ROWS).map(message).collect()
}

fn modes() -> [Mode; 3] {
    [Mode::Hash, Mode::Keyed(std::array::from_fn(|place| place as u8)), Mode::derive_key("flat")]
}

#[test]
fn a_card_hashes_as_the_processor_does() {
    for fault in [Fault::None, Fault::OutOfOrder] {
        let device = card(fault);
        for mode in modes() {
            let (mut digests, mut expected) = (vec![[7; 32]; ROWS], vec![[9; 32]; ROWS]);
            let all = messages();
            let all: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
            blake3::hash_many(&device, &mode, &all[..], &mut digests).unwrap();
            blake3::hash_many(&Device::cpu(), &mode, &all[..], &mut expected).unwrap();
            assert!(digests == expected, "{fault:?}, {mode:?}");
            for (seek, length) in [(0, 32), (5, 0), (63, 2), (64, 100), (1 << 37, 70_000)] {
                let (mut output, mut expected) = (vec![7; length], vec![9; length]);
                let message = &messages()[77];
                blake3::hash(&device, &mode, message, seek, &mut output).unwrap();
                blake3::hash(&Device::cpu(), &mode, message, seek, &mut expected).unwrap();
                assert!(output == expected, "{fault:?}, {mode:?}, {seek}");
            }
        }
    }
}

#[test]
fn a_card_that_fails_leaves_digests_as_they_were_or_the_fallback_gives_them() {
    let messages = messages();
    let messages: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let mut expected = vec![[9; 32]; ROWS];
    blake3::hash_many(&Device::cpu(), &Mode::Hash, &messages[..], &mut expected).unwrap();
    for fault in [Fault::HangUp(250), Fault::Silence(100)] {
        let mut digests: Vec<Digest> = vec![[7; 32]; ROWS];
        let error =
            blake3::hash_many(&card(fault), &Mode::Hash, &messages[..], &mut digests).unwrap_err();
        assert!(matches!(error, FlatError::Device(DeviceError::Failed { .. })), "{error}");
        assert!(digests == vec![[7; 32]; ROWS], "{fault:?}");
        let device = card(fault).with_fallback(Device::cpu());
        blake3::hash_many(&device, &Mode::Hash, &messages[..], &mut digests).unwrap();
        assert!(digests == expected, "{fault:?}");
    }
    // Beyond the range of the wire format.
    let (seek, device) = (1 << 38, card(Fault::None));
    let mut output = [7; 40];
    let error = blake3::hash(&device, &Mode::Hash, b"message", seek, &mut output).unwrap_err();
    assert!(matches!(error, FlatError::Device(DeviceError::Unsupported { .. })), "{error}");
    assert_eq!(output, [7; 40]);
    let device = device.with_fallback(Device::cpu());
    blake3::hash(&device, &Mode::Hash, b"message", seek, &mut output).unwrap();
    let mut expected = [9; 40];
    blake3::hash(&Device::cpu(), &Mode::Hash, b"message", seek, &mut expected).unwrap();
    assert_eq!(output, expected);
}
