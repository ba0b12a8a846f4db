// SPDX-License-Identifier: Apache-2.0 OR MIT
//! GPUs that fail: retries, fallback, interrupts, wrong answers.

use std::sync::atomic::AtomicBool;
use std::sync::Arc;

use halimede_arith::job::{interrupt, DeviceError, Execute, Operation};
use halimede_device::{Device, Kind, Options};
use halimede_loopback::Echo;

use crate::common::standin::TestGpu;
use crate::devices::messages;

/// Several pieces: the kernel of the third one is the third launch.
const REQUESTS: usize = 50_000;
/// The requests of a piece.
const PIECE: usize = 1 << 14;

#[test]
fn without_fallback_a_failure_names_the_first_request_without_an_answer() {
    for fault in ["launch_failure=3", "illegal_address=3"] {
        let Some(test) = TestGpu::next() else { return };
        test.configure(fault);
        let device = Device::open(&test.name()).unwrap();
        let requests = messages(REQUESTS);
        let error = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap_err();
        let DeviceError::Failed { request_index, requests: count, reason, .. } = error else {
            panic!("{error}");
        };
        assert_eq!((request_index, count), (2 * PIECE, REQUESTS));
        assert!(reason.contains("CUDA_ERROR_"), "{reason}");
        // The process cannot use the GPU any more.
        let error = Execute::<Echo>::execute(&device, Echo::batch(&requests[..1])).unwrap_err();
        assert!(error.to_string().contains("the GPU is lost"), "{error}");
        let error = Device::open(&test.name()).unwrap_err().to_string();
        assert!(error.contains("is not available"), "{error}");
    }
}

#[test]
fn a_retry_opens_the_gpu_again() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("recovers=1");
    test.configure("launch_failure=3");
    let device = Device::open_with(&test.name(), &Options::default().retries(1)).unwrap();
    let requests = messages(REQUESTS);
    let answered = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap();
    assert_eq!(answered.replies, requests);
    assert_eq!(answered.timing.fallback_requests, 0);
}

#[test]
fn a_fallback_answers_what_a_lost_gpu_did_not() {
    for (fault, most, least) in [
        ("launch_failure=3", REQUESTS - 2 * PIECE, REQUESTS - 2 * PIECE),
        ("illegal_address=2", REQUESTS - PIECE, REQUESTS - PIECE),
        ("lost=60", REQUESTS, 1),
        ("out_of_memory=1", REQUESTS, 0),
        ("refuse=1", REQUESTS, REQUESTS),
    ] {
        let Some(test) = TestGpu::next() else { return };
        test.configure(fault);
        let device = Device::open(&test.name()).unwrap().with_fallback(Device::cpu());
        let requests = messages(REQUESTS);
        let answered = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap();
        assert_eq!(answered.replies, requests, "{fault}");
        let count = answered.timing.fallback_requests;
        assert!((least..=most).contains(&count), "{fault}: {count}");
        let again = Execute::<Echo>::execute(&device, Echo::batch(&requests[..99])).unwrap();
        assert_eq!(again.replies, requests[..99], "{fault}");
    }
}

#[test]
fn a_gpu_that_cannot_be_opened_leaves_all_work_to_the_fallback() {
    let name = "cuda:4000000000";
    let device = Device::open_with_fallback(name, &Options::default(), Device::cpu()).unwrap();
    assert_eq!(device.capabilities().kind, Kind::Gpu);
    assert!(device.capabilities().absent.is_some());
    let requests = messages(100);
    let answered = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap();
    assert_eq!((answered.replies, answered.timing.fallback_requests), (requests, 100));
}

#[test]
fn interrupted_work_ends_before_the_next_piece() {
    let Some(test) = TestGpu::next() else { return };
    let device = Device::open(&test.name()).unwrap();
    let requests = messages(REQUESTS);
    let flag = Arc::new(AtomicBool::new(true));
    let error = interrupt::by(&flag, || Execute::<Echo>::execute(&device, Echo::batch(&requests)));
    let error = error.unwrap_err().to_string();
    assert!(error.contains("interrupted"), "{error}");
    let answered = Execute::<Echo>::execute(&device, Echo::batch(&requests)).unwrap();
    assert_eq!(answered.replies, requests);
}

#[test]
fn the_self_test_finds_a_wrong_answer() {
    let Some(test) = TestGpu::next() else { return };
    test.configure("corrupt=1");
    let device = Device::open(&test.name()).unwrap();
    let checks = device.selftest().unwrap();
    let failed = checks.iter().filter(|check| !check.passed).count();
    assert_eq!(failed, usize::from(!checks.is_empty()));
}
