// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Signatures and the simulated card: what a card without the engine leaves to its fallback.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]

mod common;

use common::has_simulator;
use halimede_arith::job::{DeviceError, Execute};
use halimede_device::simulator::SimulatorOptions;
use halimede_device::{Device, Options};
use halimede_secp256k1::known_answers::known_answers;
use halimede_secp256k1::operations::Verify;

#[test]
fn a_card_without_the_engine_says_so_and_its_fallback_answers() {
    if !has_simulator() {
        return;
    }
    let (requests, masks): (Vec<_>, Vec<_>) =
        known_answers().unwrap().into_iter().map(|answer| (answer.request, answer.mask)).unzip();
    let engines = Some(vec!["poseidon".into()]);
    let simulator = SimulatorOptions { engines, ..SimulatorOptions::default() };
    let card = Device::open_with("sim", &Options::default().simulator(simulator)).unwrap();
    assert!(!card.capabilities().has::<Verify>());
    let error = Execute::<Verify>::execute(&card, &requests).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    assert!(error.to_string().contains("does not have the secp256k1 engine"), "{error}");
    let device = card.with_fallback(Device::cpu());
    let batch = Execute::<Verify>::execute(&device, &requests).unwrap();
    assert_eq!(batch.replies, masks);
    assert_eq!(batch.timing.fallback_requests, requests.len());
}
