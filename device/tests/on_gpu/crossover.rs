// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A GPU and its fallback: the faster one answers, by measurement. The processor is faster than the
//! kernels of the stand-in driver, which run on one of its threads without vectors.

use std::sync::Arc;

use halimede_arith::job::{Execute, Operation};
use halimede_blake3::operations::{Hash, HashRequest};
use halimede_blake3::Mode;
use halimede_device::{Device, Options};
use halimede_loopback::Echo;

use crate::common::standin::TestGpu;
use crate::devices::messages;

/// The bytes of a message: a whole number of BLAKE3's chunks, which vectors compute side by side.
const BYTES: usize = 8192;

/// Messages that differ.
fn requests(count: usize) -> Vec<HashRequest> {
    let mode = Arc::new(Mode::Hash);
    let byte = |number: usize, place: usize| (number * 31 + place * 7 + 1) as u8;
    let message = |number| (0..BYTES).map(|place| byte(number, place)).collect::<Vec<u8>>();
    (0..count).map(|number| HashRequest::digest(&mode, message(number))).collect()
}

/// Checks the answers to a batch, and returns how many the fallback gave.
fn by_fallback(device: &Device, count: usize) -> usize {
    let requests = requests(count);
    let batch = Hash::batch(&requests);
    let expected = Execute::<Hash>::execute(&Device::cpu(), batch).unwrap();
    let answered = Execute::<Hash>::execute(device, batch).unwrap();
    assert_eq!(answered.replies, expected.replies, "{count}");
    answered.timing.fallback_requests
}

/// Opens a GPU with a fallback, if it has kernels of BLAKE3.
fn open(test: &TestGpu, options: &Options) -> Option<Device> {
    let device = Device::open_with(&test.name(), options).unwrap();
    device.capabilities().has::<Hash>().then(|| device.with_fallback(Device::cpu()))
}

#[test]
fn the_processor_answers_once_it_has_been_faster() {
    // Other work of the machine may disturb a measurement: up to three are made.
    let mut measured = None;
    for _ in 0..3 {
        let Some(test) = TestGpu::next() else { return };
        let Some(device) = open(&test, &Options::default()) else { return };
        assert_eq!(device.crossovers(), []);
        // A cold batch, a measured one, and one for which the measurement is used.
        let counts = [100; 3].map(|count| by_fallback(&device, count));
        assert_eq!(counts[..2], [0, 0]);
        if counts[2] == 100 {
            measured = Some(device);
            break;
        }
    }
    let device = measured.expect("the processor is faster");
    let found = device.crossovers();
    assert_eq!((found.len(), found[0].operation), (1, Hash::NAME));
    assert_eq!((found[0].requests, found[0].units), (None, BYTES));
    let json = serde_json::to_value(&found).unwrap();
    assert!(json[0]["requests"].is_null() && json[0]["operation"] == Hash::NAME, "{json}");
    assert_eq!(by_fallback(&device, 0), 0);
    let requests = requests(90);
    let mut session = Execute::<Hash>::session(&device);
    session.submit(Hash::batch(&requests)).unwrap();
    let expected = Execute::<Hash>::execute(&Device::cpu(), Hash::batch(&requests)).unwrap();
    assert_eq!(session.collect().unwrap(), Some(expected.replies));
    assert_eq!(session.timing().unwrap().fallback_requests, 90);
    // Another operation has not been measured.
    let messages = messages(100);
    let answered = Execute::<Echo>::execute(&device, Echo::batch(&messages)).unwrap();
    assert_eq!((answered.replies, answered.timing.fallback_requests), (messages, 0));
}

#[test]
fn it_can_be_switched_off_and_needs_a_fallback() {
    let Some(test) = TestGpu::next() else { return };
    let Some(off) = open(&test, &Options::default().by_speed(false)) else { return };
    let alone = Device::open(&test.name()).unwrap();
    for device in [off, alone] {
        assert_eq!([20; 4].map(|count| by_fallback(&device, count)), [0; 4]);
        assert_eq!(device.crossovers(), []);
    }
}

#[test]
fn errors_of_the_gpu_are_not_timings() {
    for (settings, retries) in
        [(&["launch_failure=1"][..], 0), (&["recovers=1", "launch_failure=1"], 1)]
    {
        let Some(test) = TestGpu::next() else { return };
        let Some(device) = open(&test, &Options::default().retries(retries)) else { return };
        settings.iter().for_each(|setting| test.configure(setting));
        let failed = if retries == 0 { 20 } else { 0 };
        // The first batch of the GPU after its failure is the cold one.
        for _ in 0..2 {
            assert_eq!(by_fallback(&device, 20), failed, "{settings:?}");
            assert_eq!(device.crossovers(), [], "{settings:?}");
        }
    }
}

#[test]
fn threads_may_measure_at_the_same_time() {
    let Some(test) = TestGpu::next() else { return };
    let Some(device) = open(&test, &Options::default()) else { return };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let device = &device;
            scope.spawn(move || (0..8).for_each(|run| _ = by_fallback(device, 2 * run + thread)));
        }
    });
    assert!(!device.crossovers().is_empty());
}
