// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A place that only this test crate knows: a thread behind a byte pipe that computes every
//! operation by the engines' references. The test registers it without changes to other crates, and
//! uses it by the same calls as every other device, including fallback and sessions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test's helpers are tests too")]

#[path = "../../../engines/ckks/tests/pipe/mod.rs"]
mod ckks_pipe;
mod codec;
mod flat;
mod link;
mod programs;

use std::fmt::Debug;

use halimede_arith::job::{DeviceError, Execute, Operation};
use halimede_blake3::operations::Hash;
use halimede_device::{Device, Options, Registry};
use halimede_equihash::operations::Verify as VerifySolution;
use halimede_poseidon::operations::{FilecoinHash, Permute, StarknetHash};
use halimede_secp256k1::operations::Verify as VerifySignature;
use halimede_simulation::cases::Cases;

use link::{Behavior, Pipe};

/// A device over a pipe whose other end has this behavior.
fn open(behavior: Behavior, retries: usize) -> Device {
    let pipe = Pipe::start(behavior);
    let executors = Registry::default()
        .with::<Permute>(pipe.clone())
        .with::<FilecoinHash>(pipe.clone())
        .with::<StarknetHash>(pipe.clone())
        .with::<Hash>(pipe.clone())
        .with::<VerifySolution>(pipe.clone())
        .with::<VerifySignature>(pipe);
    Device::with_executors("pipe", executors, &Options::default().retries(retries))
}

/// Runs a check for every operation.
macro_rules! for_every_operation {
    ($check:ident) => {
        $check::<Permute>();
        $check::<FilecoinHash>();
        $check::<StarknetHash>();
        $check::<Hash>();
        $check::<VerifySolution>();
        $check::<VerifySignature>();
    };
}

fn cases<Op: Cases>() -> (Vec<Op::Request>, Vec<Op::Reply>) {
    Op::all().iter().cloned().unzip()
}

fn replies<Op: Operation>(replies: Op::Replies) -> Vec<Op::Reply> {
    replies.into_iter().collect()
}

/// Runs batches of some sizes in one session. Returns the replies, and the number from the
/// fallback.
fn in_session<Op: Cases>(
    device: &Device,
    requests: &[Op::Request],
) -> Result<(Vec<Op::Reply>, usize), DeviceError> {
    let mut session = Execute::<Op>::session(device);
    let mut found = Vec::new();
    for batch in requests.chunks(7) {
        while !session.wants_more() {
            found.extend(session.collect()?.into_iter().flatten());
        }
        session.submit(Op::batch(batch))?;
    }
    while let Some(batch) = session.collect()? {
        found.extend(batch);
    }
    Ok((found, session.timing()?.fallback_requests))
}

#[test]
fn every_operation_is_answered_as_on_the_processor() {
    fn check<Op: Cases>()
    where
        Op::Reply: Debug,
    {
        let device = open(Behavior::Good, 0);
        assert!(device.capabilities().has::<Op>());
        let (requests, expected) = cases::<Op>();
        for count in [0, 1, 2, requests.len()] {
            let answered = Execute::<Op>::execute(&device, Op::batch(&requests[..count])).unwrap();
            assert_eq!(answered.timing.fallback_requests, 0);
            assert_eq!(replies::<Op>(answered.replies), expected[..count], "{}", Op::NAME);
        }
        assert_eq!(in_session::<Op>(&device, &requests).unwrap(), (expected, 0), "{}", Op::NAME);
    }
    for_every_operation!(check);
}

#[test]
fn the_fallback_answers_what_the_place_does_not_take() {
    fn check<Op: Cases>()
    where
        Op::Reply: Debug,
    {
        let (requests, expected) = cases::<Op>();
        let error = Execute::<Op>::execute(&open(Behavior::Picky, 0), Op::batch(&requests));
        let error = error.unwrap_err();
        assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
        let device = open(Behavior::Picky, 0).with_fallback(Device::cpu());
        let answered = Execute::<Op>::execute(&device, Op::batch(&requests)).unwrap();
        let by_fallback = answered.timing.fallback_requests;
        assert!(0 < by_fallback && by_fallback < requests.len(), "{}: {by_fallback}", Op::NAME);
        assert_eq!(replies::<Op>(answered.replies), expected, "{}", Op::NAME);
        let session = in_session::<Op>(&device, &requests).unwrap();
        assert_eq!(session, (expected, by_fallback), "{}", Op::NAME);
    }
    for_every_operation!(check);
}

#[test]
fn the_fallback_finishes_what_the_place_fails_at() {
    fn check<Op: Cases>()
    where
        Op::Reply: Debug,
    {
        let (requests, expected) = cases::<Op>();
        for batches in [0, 1, 2] {
            let error = in_session::<Op>(&open(Behavior::HangUp(batches), 0), &requests);
            let DeviceError::Failed { request_index, .. } = error.unwrap_err() else {
                panic!("{}: another error", Op::NAME);
            };
            assert_eq!(request_index, 7 * batches, "{}", Op::NAME);
            let device = open(Behavior::HangUp(batches), 0).with_fallback(Device::cpu());
            let by_fallback = requests.len() - 7 * batches;
            let session = in_session::<Op>(&device, &requests).unwrap();
            assert_eq!(session, (expected.clone(), by_fallback), "{}", Op::NAME);
        }
    }
    for_every_operation!(check);
}

#[test]
fn a_failure_that_passes_is_tried_again() {
    fn check<Op: Cases>()
    where
        Op::Reply: Debug,
    {
        let (requests, expected) = cases::<Op>();
        let batch = Op::batch(&requests);
        let failed = Execute::<Op>::execute(&open(Behavior::LosesEveryOther, 0), batch);
        assert!(matches!(failed, Err(DeviceError::Failed { request_index: 0, .. })));
        let device = open(Behavior::LosesEveryOther, 1);
        let answered = Execute::<Op>::execute(&device, batch).unwrap();
        assert_eq!(replies::<Op>(answered.replies), expected, "{}", Op::NAME);
        assert_eq!(in_session::<Op>(&device, &requests).unwrap(), (expected, 0), "{}", Op::NAME);
    }
    for_every_operation!(check);
}

#[test]
fn an_operation_that_is_not_registered_goes_to_the_fallback() {
    let (requests, expected) = cases::<FilecoinHash>();
    let only = || Registry::default().with::<Permute>(Pipe::start(Behavior::Good));
    let device = Device::with_executors("pipe", only(), &Options::default());
    let error = Execute::<FilecoinHash>::execute(&device, &requests).unwrap_err();
    assert!(matches!(error, DeviceError::Unsupported { .. }), "{error}");
    let device = device.with_fallback(Device::cpu());
    let answered = Execute::<FilecoinHash>::execute(&device, &requests).unwrap();
    assert_eq!(answered.replies, expected);
    assert_eq!(answered.timing.fallback_requests, requests.len());
}
